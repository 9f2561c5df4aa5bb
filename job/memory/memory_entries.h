/* memory_entries.h - the entries of a translation memory: rows as its file has them, the parts of their texts, and the
 * map in which an entry is found by its source, languages, models and settings, and parts. */
#ifndef DRAGOMAN_MEMORY_ENTRIES_H
#define DRAGOMAN_MEMORY_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "document.h"
#include "err.h"
#include "hash.h"
#include "ranges.h"

/* A text of the memory; not NUL-terminated. */
typedef struct {
    const char *text;
    size_t length;
} MemoryText;

typedef struct {
    bool is_made;        /* by dragoman; otherwise by a person */
    uint64_t identity;   /* of the models and settings: dragoman_identify() */
    MemoryText from, to; /* languages as BCP 47 writes them; empty: not known */
    MemoryText source, target;
    MemoryText parts; /* see below */
} MemoryRow;

/* --- The parts of a text and their places in its translation: parts that are kept, and inline markup of documents.
 *
 * One word for each part, with a space between two words: KIND BEGIN - END [^ PARENT] = BEGIN - END, as in
 * "k4-9=0-5 s10-16=6-11 e12-12^0=8-8". The numbers are bytes: of the source, and after = of the translation. KIND is k
 * for a kept part; for markup it is s for a span, e for an empty element, b for a line break and a for the mark of an
 * accelerator. PARENT is the number of the enclosing markup, from 0. The parts are in the order of the source, kept
 * ones first. */

/* Appends the words for the parts of the text, without the places if `made` is NULL. */
MUST_USE Status memory_parts_append(Buf *out, const UnitText *text, const Rendering *made, Err *err);

/* The hash of the words without their places, and whether two texts have the same ones. Anything is allowed in the
 * texts. */
uint64_t memory_parts_hash(MemoryText parts, HashKey hash_key);
bool memory_parts_same(MemoryText a, MemoryText b);

/* Reads the places of the parts of a text: kept[kept_count] and places[markup_count]. False if they cannot be places in
 * `target`: if they end after it or inside a character, kept parts have other bytes or share some, or an empty element
 * is not empty. The writer of documents makes a tree of any places of markup. */
bool memory_parts_read(MemoryText parts, const UnitText *text, MemoryText target, Range *kept, Range *places);

/* Finds the kept parts of a text in the translation by a person, each once: kept[kept_count]. False if one is
 * missing. */
bool memory_parts_find_kept(const UnitText *text, MemoryText target, Range *kept);

/* --- The map. An entry takes about 150 bytes besides its texts. Once it is filled, any number of threads may read
 * it. */

typedef struct MemoryMap MemoryMap; /* fields: memory_entries.c */

#define MEMORY_LANGUAGES ((size_t)256) /* most languages in a memory */

/* On OK the caller owns *out. */
MUST_USE Status memory_map_new(MemoryMap **out, Err *err);
void memory_map_free(MemoryMap *map); /* NULL is allowed */

/* Finds a language by a name that the memory has for it, and adds it if it is new; "" is index 0, an unknown one.
 * Several names of a language in one script and region (de, deu, de-Latn) have one index. ERR_FORMAT, without a place,
 * if there are too many. */
MUST_USE Status memory_map_find_language(MemoryMap *map, MemoryText name, size_t *out, Err *err);

/* The language in BCP 47, without its usual script. Valid until another language is added. */
const char *memory_map_tag(const MemoryMap *map, size_t language);

/* Adds an entry, whose texts must stay valid. It replaces one with the same key. One without a source or a target is
 * ignored. ERR_FORMAT, without a place, if there are too many languages. */
MUST_USE Status memory_map_add(MemoryMap *map, const MemoryRow *row, Err *err);

size_t memory_map_count(const MemoryMap *map);

/* What an entry is looked up by. */
typedef struct {
    const char *from, *to; /* NULL: not known, so any language fits */
    MemoryText source;
    bool is_made;      /* an entry that dragoman wrote with these models and settings for these parts */
    uint64_t identity; /* if is_made */
    MemoryText parts;  /* of the source, if is_made */
} MemoryQuery;

/* Finds the entry whose languages fit best: those that are known come first, and regions do not matter. Sets *parts if
 * the query asks for an entry by dragoman. False: there is none. */
bool memory_map_find(const MemoryMap *map, const MemoryQuery *query, MemoryText *target, MemoryText *parts);

#endif
