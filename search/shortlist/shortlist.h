/* shortlist.h - the target ids worth scoring for one source sentence, and files of them.
 *
 * It reads three formats and detects them by content:
 *   binary   Marian: a list of target ids per source id; the header holds the number of ids
 *            that are always candidates
 *   lexical  Marian's lex.s2t: lines "TARGET SOURCE PROBABILITY"; each source piece keeps its
 *            best targets
 *   map      CTranslate2's vmap.txt: lines "SOURCE PIECES<TAB>TARGET PIECES"; an empty source
 *            matches every sentence
 * Files may be compressed with gzip or zstd. An open shortlist is read-only: threads may share it.
 * It writes a lexicon as a binary file or as a map (docs/shortlists.md). */
#ifndef DRAGOMAN_SHORTLIST_H
#define DRAGOMAN_SHORTLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"
#include "id_set.h"
#include "lexicon.h"

/* The vocabularies that the ids of a shortlist belong to. */
typedef struct {
    size_t source_size, target_size; /* upper bounds of the ids */
    size_t source_used;              /* size of the source vocabulary; the embedding matrix may have more rows */
    bool shared;                     /* one vocabulary serves both sides */
    int32_t unknown;                 /* target id of the unknown token, always a candidate; -1: none */
    const void *context;             /* passed to the functions below */
    /* Return the id of a piece, or -1. */
    int32_t (*source_id)(const void *context, const char *piece, size_t len);
    int32_t (*target_id)(const void *context, const char *piece, size_t len);
} ShortlistVocabulary;

/* The number of candidates; negative values select the default of the format. */
typedef struct {
    long first; /* every sentence gets the ids below it; default: the number in a binary file, 100 (lexical), 0 (map) */
    long best;  /* targets of each source piece in a lexical file, by default 100; an error for other files */
    bool lexical_only; /* apply the limits to lexical files only */
} ShortlistLimits;

typedef struct Shortlist Shortlist; /* fields: shortlist.c */

/* Reads `path`. OK: the caller owns *out. Otherwise *out is NULL, and the message names the file, the
 * line or id, and the fault. */
MUST_USE Status shortlist_open(Shortlist **out, const char *path, const ShortlistVocabulary *vocabulary,
                               ShortlistLimits limits, Err *err);
void shortlist_free(Shortlist *shortlist); /* NULL is allowed */

/* Adds the candidates for a source sentence to a set of target ids. */
void shortlist_select(const Shortlist *shortlist, const int32_t *source, size_t len, IdSet *set);

/* --- Writing. */

/* Defaults: the number of most frequent targets for every sentence, and of best targets of each
 * source piece. */
#define SHORTLIST_WRITE_FIRST 200
#define SHORTLIST_WRITE_BEST  50

typedef struct {
    size_t source_size; /* number of source ids with a list */
    size_t target_size;
    size_t first, best;
    IdList always; /* target ids that every list contains: the end and unknown tokens */
    const void *context;
    const char *(*source_piece)(const void *context, int32_t id);
    const char *(*target_piece)(const void *context, int32_t id);
} ShortlistWriting;

/* Appends the file to *out. The binary format stores the targets of every sentence in the list of a source id
 * that all sentences contain; ERR_UNSUPPORTED if there is none. */
MUST_USE Status shortlist_write_binary(Buf *out, const ShortlistWriting *writing, const Lexicon *lexicon, Err *err);
MUST_USE Status shortlist_write_map(Buf *out, const ShortlistWriting *writing, const Lexicon *lexicon, Err *err);

/* --- The binary format; shortlist.c describes it. */

#define SHORTLIST_MAGIC       UINT64_C(0xF11A48D5013417F5)
#define SHORTLIST_HEAD_WORDS  6 /* magic, checksum, first, best, offsets, ids */
#define SHORTLIST_HASHED_FROM 2 /* index of the first word that the checksum covers */

/* The checksum of a binary file. It covers everything after the magic and the checksum itself, but
 * ignores bytes after the last whole word. Source: marian-dev, src/common/hash.h (hashMem) and
 * src/data/shortlist.h. */
uint64_t shortlist_checksum(const unsigned char *bytes, size_t size);

#endif
