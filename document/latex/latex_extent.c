/* latex_extent.c - see latex_extent.h. */
#include "latex_extent.h"

#include <string.h>

/* Longer parts are not looked through, so that reading takes linear time. */
#define PART_BYTES ((size_t)4000)

static size_t limit_of(const LatexScan *s, size_t at)
{
    return s->end - at < PART_BYTES ? s->end : at + PART_BYTES;
}

size_t latex_extent_math(const LatexScan *s, size_t at, const char *close)
{
    const size_t length = strlen(close), limit = limit_of(s, at);
    size_t blank;

    for (size_t i = at; i < limit; i += s->bytes[i] == '\\' ? 2 : 1) {
        if (limit - i >= length && memcmp(s->bytes + i, close, length) == 0) return i + length;
        if (s->bytes[i] == '\n' && latex_scan_is_paragraph(s, i, &blank)) break;
    }
    return at;
}

size_t latex_extent_verb(const LatexScan *s, size_t at)
{
    const size_t limit = limit_of(s, at);

    for (size_t i = at + 1; i < limit && s->bytes[i] != '\n' && s->bytes[at] != '\n'; i++)
        if (s->bytes[i] == s->bytes[at]) return i + 1;
    return at;
}

size_t latex_extent_environment(const LatexScan *s, size_t at, ByteRange name)
{
    static const char end[] = "\\end{";
    const size_t length = name.end - name.begin;

    for (;;) {
        const size_t found = latex_scan_find(s, at, s->end, end, sizeof end - 1), begin = found + sizeof end - 1;
        if (found == s->end) return found;
        if (s->end - begin > length && memcmp(s->bytes + begin, s->bytes + name.begin, length) == 0 &&
            s->bytes[begin + length] == '}')
            return begin + length + 1;
        at = begin;
    }
}

size_t latex_extent_definition(const LatexScan *s, size_t at)
{
    const size_t limit = limit_of(s, at);
    size_t brace = at;

    while (brace < limit && s->bytes[brace] != '{' && s->bytes[brace] != '\n') brace += s->bytes[brace] == '\\' ? 2 : 1;
    return brace < limit ? latex_scan_arguments(s, brace) : at;
}
