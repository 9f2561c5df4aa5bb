/* unit_atoms.c - see unit_atoms.h. */
#include "unit_atoms.h"

#include <string.h>

#include "document_formats.h"

size_t unit_atoms_ahead(const UnitAtoms *atoms, size_t index, char *ahead)
{
    size_t length = 0;

    for (size_t i = index + 1; i <= atoms->count && length < SPELLING_AHEAD; i++) {
        const char *bytes = i < atoms->count ? atoms->items[i].bytes : atoms->after;
        const size_t size = i < atoms->count ? atoms->items[i].length : atoms->after_length;
        const size_t count = size < SPELLING_AHEAD - length ? size : SPELLING_AHEAD - length;
        if (count) memcpy(ahead + length, bytes, count);
        length += count;
    }
    return length;
}

size_t unit_atoms_behind(const UnitAtoms *atoms, size_t index, char *behind)
{
    size_t start = SPELLING_AHEAD;

    while (index-- && start) {
        const Atom *atom = &atoms->items[index];
        const size_t count = atom->length < start ? atom->length : start;
        start -= count;
        if (count) memcpy(behind + start, atom->bytes + atom->length - count, count);
    }
    return start;
}
