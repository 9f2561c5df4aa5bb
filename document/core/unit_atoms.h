/* unit_atoms.h - a text and its markup in the order in which they are written: unit_writer.c. */
#ifndef DRAGOMAN_UNIT_ATOMS_H
#define DRAGOMAN_UNIT_ATOMS_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    ATOM_PLAIN,   /* written as it is: text or markup */
    ATOM_SPACE,   /* a space or the end of a line */
    ATOM_SPECIAL, /* the character `code`; `bytes` is the spelling in the source */
    ATOM_NEW,     /* the character `code`, which the source does not have so often; `bytes` is the character */
    ATOM_OPEN,    /* the opening or closing tag of the span `slot`, which is a mark: MarkRules */
    ATOM_SHUT,
    ATOM_LABEL, /* nothing, before a label; labels do not contain others */
    ATOM_CLOSE  /* the end of the span `slot`, which is a label */
} AtomKind;

typedef struct {
    AtomKind kind;
    uint32_t code;
    const char *bytes; /* [length] */
    size_t length;
    size_t slot; /* of the innermost span around it: 0: none; otherwise 1 + its index */
} Atom;

/* Starts as { .after, .after_length }; free `items`. */
typedef struct {
    Atom *items; /* [count] */
    size_t count, capacity;
    const char *after; /* [after_length], the bytes that follow the last one in the document */
    size_t after_length;
} UnitAtoms;

/* Collects the bytes that follow an atom in ahead[SPELLING_AHEAD], as the source spells them, and returns their
 * number. */
size_t unit_atoms_ahead(const UnitAtoms *atoms, size_t index, char *ahead);

/* Collects the last bytes before an atom at the end of behind[SPELLING_AHEAD], and returns where they begin there. */
size_t unit_atoms_behind(const UnitAtoms *atoms, size_t index, char *behind);

#endif
