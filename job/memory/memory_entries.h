/* memory_entries.h - the entries of a translation memory: the parts of their texts, and the map in which they are found
 * (memory_entries.c); how they are stored in tsv and TMX files (memory_files.c; docs/memory.md). */
#ifndef DRAGOMAN_MEMORY_ENTRIES_H
#define DRAGOMAN_MEMORY_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "buf.h"
#include "document.h"
#include "err.h"
#include "ranges.h"

typedef struct {
    bool is_made;      /* dragoman made the entry; otherwise a person did */
    uint64_t identity; /* if is_made: hash of the models and settings, dragoman_identify() */
    LineText from, to; /* BCP 47 tags of the languages; empty: not known. For memory_map_find(), a NUL must follow */
    LineText source, target;
    LineText parts; /* if is_made: the words for the parts of the source (see below); else empty */
} MemoryRow;

/* --- The parts of a text and their places in its translation: parts that are kept, and inline markup of documents.
 *
 * There is one word for each part, with a space between two words: KIND BEGIN - END [^ PARENT] = BEGIN - END, as in
 * "k4-9=0-5 s10-16=6-11 e12-12^0=8-8". The numbers are byte offsets, before = in the source and after = in the
 * translation. KIND is k for a kept part; for markup it is s for a span, e for an empty element, b for a line break and
 * a for the mark of an accelerator. PARENT is the number of the enclosing markup, from 0. Kept parts come first;
 * otherwise the parts are in the order of the source. */

/* Appends the words for the parts of the text, without the places if `made` is NULL. */
MUST_USE Status memory_parts_append(Buf *out, const UnitText *text, const Rendering *made, Err *err);

/* Reads the places of the parts of a text: kept[kept_count] and places[markup_count]. Returns false if a place is not
 * in `target` or divides a character; if the place of a kept part overlaps another one or has other bytes than the
 * source; or if the place of an empty element is not empty. */
bool memory_parts_read(LineText parts, const UnitText *text, LineText target, Range *kept, Range *places);

/* Finds a place for each kept part of a text in a translation by a person: kept[kept_count]. The places do not overlap.
 * Returns false if a part has no place. */
bool memory_parts_find_kept(const UnitText *text, LineText target, Range *kept);

/* --- The map. An entry takes about 150 bytes besides its texts. Once it is filled, any number of threads may read
 * it. */

typedef struct MemoryMap MemoryMap; /* fields: memory_entries.c */

#define MEMORY_LANGUAGES ((size_t)256) /* most languages in a memory */

/* On OK the caller owns *out. */
MUST_USE Status memory_map_new(MemoryMap **out, Err *err);
void memory_map_free(MemoryMap *map); /* NULL is allowed */

/* Sets *out to the index of a language with this name in the memory, and adds it if it is new; "" has index 0, the
 * unknown language. Names that mean the same language, script and region (de, deu, de-Latn) have the same index.
 * Returns ERR_FORMAT, with a message that names no file, if there are too many languages. */
MUST_USE Status memory_map_find_language(MemoryMap *map, LineText name, size_t *out, Err *err);

/* Returns the BCP 47 tag of the language, without the script if that is the usual one. Valid until another language is
 * added. */
const char *memory_map_tag(const MemoryMap *map, size_t language);

/* Adds an entry, or replaces the entry with the same key. The texts of the row must stay valid. A row without a source
 * or a target is ignored. Returns ERR_FORMAT, with a message that names no file, if there are too many languages. */
MUST_USE Status memory_map_add(MemoryMap *map, const MemoryRow *row, Err *err);

size_t memory_map_count(const MemoryMap *map);

/* Finds an entry with the source and is_made of the row; for an entry by dragoman, its identity and parts must also be
 * equal. Of several entries, chooses the one whose languages fit the languages of the row best; entries that name their
 * languages are preferred. A region may differ, and an empty language of the row fits every language. Sets the row's
 * target and, for an entry by dragoman, its parts with their places. Returns whether there is such an entry. */
bool memory_map_find(const MemoryMap *map, MemoryRow *row);

/* --- tsv: rows, one on each line.
 *
 *     SOURCE TAB TARGET                                       by a person, without escapes
 *     MADE TAB FROM TAB TO TAB SOURCE TAB TARGET [TAB PARTS]  with \t, \n, \r and \\ for tab, newline, CR and backslash
 *
 * MADE is empty for an entry by a person; for an entry by dragoman, it is # and the identity of the models and settings
 * in 16 hexadecimal digits. So the beginning of an unfinished row tells who wrote it.
 *
 * The reader makes a single line of each text, so that a translation does not change the number of lines: line breaks
 * at the ends of a text are removed, and other line breaks become spaces. In a row by dragoman, the source does not
 * change, because it is a key, and the target keeps its length, because PARTS has offsets in it. */

/* How the bytes end. */
typedef struct {
    size_t complete;    /* the number of bytes before an incomplete last row by dragoman, if there is one */
    size_t torn_line;   /* the line number of the incomplete row; 0: there is no such row */
    bool lacks_newline; /* the last row is complete, but does not end with a newline */
} MemoryTsvEnd;

/* Adds the rows to the map. Changes the bytes, which must stay valid. On ERR_FORMAT, the message has the name of the
 * file, `name`, and the line. */
MUST_USE Status memory_tsv_read(MemoryMap *map, const char *name, char *bytes, size_t size, MemoryTsvEnd *end,
                                Err *err);

/* Appends the row, with its newline. */
MUST_USE Status memory_tsv_append(Buf *out, const MemoryRow *row, Err *err);

/* --- TMX (Translation Memory eXchange 1.4).
 *
 * A unit by dragoman has its source as its first variant and its translation as its second one, and the properties
 * x-dragoman (the column MADE above) and x-dragoman-parts (PARTS). Any other unit is by a person. Its source is the
 * variant in the language srclang. If srclang is "*all*" or missing, each variant is a source, and all other ones are
 * its translations; the number of such pairs is limited. Inline codes in its texts are left out. New units are inserted
 * at the end of the body, and everything else stays as it is. */

typedef struct {
    const char *name;  /* of the file, for messages */
    const char *bytes; /* [size] */
    size_t size;
    const char *target; /* read only translations into this language; NULL: into all languages */
    MemoryMap *map;
    Arena *texts; /* owns the texts of the entries; must live as long as the map */
} MemoryTmx;

/* Where units are inserted: they replace bytes [begin, end). */
typedef struct {
    size_t begin, end; /* begin < end if the body is an empty tag (<body/>), which is replaced; else begin = end */
} TmxPlace;

/* Adds the entries of the file to the map; the file may be empty. The messages of ERR_FORMAT and ERR_UNSUPPORTED name
 * the file and, if possible, the line. */
MUST_USE Status memory_tmx_read(const MemoryTmx *tmx, TmxPlace *place, Err *err);

/* Appends a unit for the row. Does nothing if XML cannot contain one of the texts, because of a control character. */
MUST_USE Status memory_tmx_append(Buf *out, const MemoryRow *row, Err *err);

/* Appends the file bytes[0..size) and inserts the units into it. If the file is empty, makes it complete. */
MUST_USE Status memory_tmx_insert(Buf *out, const char *bytes, size_t size, TmxPlace place, const Buf *units, Err *err);

#endif
