/* memory_parts.h - the parts of a text and their places in its translation, as an entry of a translation memory has
 * them: parts that are kept, and inline markup of documents.
 *
 * One word for each part, with a space between two words: KIND BEGIN - END [^ PARENT] = BEGIN - END, as in
 * "k4-9=0-5 s10-16=6-11 e12-12^0=8-8". The numbers are bytes: of the source, and after = of the translation. KIND is k
 * for a kept part; for markup it is s for a span, e for an empty element, b for a line break and a for the mark of an
 * accelerator. PARENT is the number of the enclosing markup, from 0. The parts are in the order of the source, kept
 * ones first. */
#ifndef DRAGOMAN_MEMORY_PARTS_H
#define DRAGOMAN_MEMORY_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "document.h"
#include "err.h"
#include "hash.h"
#include "memory_row.h"
#include "ranges.h"

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

#endif
