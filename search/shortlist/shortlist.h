/* shortlist.h - the target ids worth scoring for one source sentence.
 *
 * Three formats are read, told apart by what is in them:
 *   binary   Marian's: for each source id a list of target ids, below a header
 *            with the number of ids that are candidates always
 *   lexical  Marian's lex.s2t: lines "TARGET SOURCE PROBABILITY"; each source
 *            piece keeps its best targets
 *   map      CTranslate2's vmap.txt: lines "SOURCE PIECES<TAB>TARGET PIECES"; an
 *            empty source stands for every sentence
 * Files may be compressed by gzip or zstd. Read-only once it is open: threads share one. */
#ifndef DRAGOMAN_SHORTLIST_H
#define DRAGOMAN_SHORTLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "id_set.h"

typedef struct Shortlist Shortlist; /* fields: shortlist_parts.h */

/* The vocabularies that the ids belong to. */
typedef struct {
    size_t source_size, target_size; /* ids are below */
    size_t source_used;              /* the source's ids proper; the table may have more rows */
    bool shared;                     /* one vocabulary for both */
    int32_t unknown;                 /* target id of unknown tokens, a candidate always; or -1 */
    const void *context;             /* of the calls */
    /* The id of a piece, or -1. */
    int32_t (*source_id)(const void *context, const char *piece, size_t len);
    int32_t (*target_id)(const void *context, const char *piece, size_t len);
} ShortlistVocabulary;

/* How many ids are candidates: negative numbers stand for the format's own. */
typedef struct {
    long first;        /* ids from 0 on for every sentence; binary: the file's, lexical: 100, map: 0 */
    long best;         /* of each source piece in a lexical file: 100; other files have no probabilities */
    bool lexical_only; /* other files keep their own */
} ShortlistLimits;

/* Reads `path`. OK: the caller owns *out. Otherwise *out is NULL and the
 * message names the file, the line or the id, and the fault. */
MUST_USE Status shortlist_open(Shortlist **out, const char *path, const ShortlistVocabulary *vocabulary,
                               ShortlistLimits limits, Err *err);
void shortlist_free(Shortlist *shortlist); /* NULL is allowed */

/* Adds the candidates for a source sentence to a set of target ids. */
void shortlist_select(const Shortlist *shortlist, const int32_t *source, size_t len, IdSet *set);

#endif
