/* memory.h - the translation memory of a run (--memory, docs/memory.md): texts whose translations are known.
 *
 * Any number of threads may look for the entries that were in the file when it was opened. Entries that are added later
 * are not found, so that results do not depend on the speed of the translator. One thread adds entries, in the order of
 * the input. A .tsv file grows with each entry; a .tmx file is replaced at the end. The file is locked (flock) until
 * memory_free(): a second process gets an error at once. */
#ifndef DRAGOMAN_MEMORY_H
#define DRAGOMAN_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "document.h"
#include "err.h"
#include "glossary.h"
#include "memory_entries.h"
#include "ranges.h"
#include "reporter.h"

/* Everything that the translation of a text depends on, except the text itself. */
typedef struct {
    const char *from, *to;  /* BCP 47 tags of the languages; NULL: not known */
    uint64_t identity;      /* a hash of the models and settings: dragoman_identify() */
    bool is_unit;           /* the text is a unit of a document, whose sentences are translated one by one */
    const TermMatch *terms; /* [term_count], the terms of the glossary in the text */
    size_t term_count;
    int term_match; /* DRAGOMAN_GLOSSARY_MATCH: which words translate the terms */
} MemoryContext;

typedef struct Memory Memory; /* fields: memory.c */

/* How a memory is opened. The texts and the reporter must stay valid. */
typedef struct {
    const char *path;
    const char *target; /* the language of all translations; NULL: not known, or several */
    const Reporter *reporter;
    bool quiet;     /* do not report that the last line is incomplete */
    bool read_only; /* the file must exist; nothing is added to it, and it is not locked */
} MemoryPlan;

/* Opens, locks and reads the memory. On OK the caller owns *out and frees it with memory_free(), after
 * memory_finish(). */
MUST_USE Status memory_open(Memory **out, const MemoryPlan *plan, Err *err);

/* Makes a memory that has the entries of `of`, which must outlive it, for another thread that calls memory_recall(). It
 * adds nothing: memory_learn() and memory_finish() do nothing. On OK the caller owns *out. */
MUST_USE Status memory_share(Memory **out, const Memory *of, const Reporter *reporter, Err *err);

/* Writes what is not written yet. Call it also after a failure of the translation. */
MUST_USE Status memory_finish(Memory *memory, Err *err);
void memory_free(Memory *memory); /* NULL is allowed */

/* Whether the path leads to the file of the memory, which may have several names. */
bool memory_is_at(const Memory *memory, const char *path);

/* Whether the descriptor is open on the file of the memory. */
bool memory_is_open_as(const Memory *memory, int descriptor);

/* What a thread needs for its searches. Starts as {0} and ends with memory_search_free(). */
typedef struct {
    Buf parts;
    RangeList kept, places;
} MemorySearch;

void memory_search_free(MemorySearch *search);

/* A known translation. It is valid until the next search with the same MemorySearch. */
typedef struct {
    LineText target;     /* the translation, without newlines; .data is NULL if no translation is known */
    const Range *kept;   /* [kept_count of the text], the places of the kept parts in the target */
    const Range *places; /* [markup_count of the text], the places of the markup; NULL if a person wrote the entry */
} MemoryHit;

/* Looks for the translation of a text. Prefers an entry that a person wrote, unless it lacks a kept part. */
MUST_USE Status memory_find(const Memory *memory, MemorySearch *search, const MemoryContext *context,
                            const UnitText *text, MemoryHit *hit, Err *err);

/* Like memory_find(), for the thread that adds entries; also counts the texts that are found. */
MUST_USE Status memory_recall(Memory *memory, const MemoryContext *context, const UnitText *text, MemoryHit *hit,
                              Err *err);

/* Adds an entry for a text that memory_recall() has not found, unless the memory is shared or read-only; `made` is the
 * translation of the text. */
MUST_USE Status memory_learn(Memory *memory, const MemoryContext *context, const UnitText *text, const Rendering *made,
                             Err *err);

/* Reports in one line how many texts were found, how many were translated, and how many entries were added. */
void memory_report(const Memory *memory);

#endif
