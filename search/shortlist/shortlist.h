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

#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "id_set.h"
#include "shortlist_vocabulary.h"

typedef struct Shortlist Shortlist; /* fields: shortlist_parts.h */

/* Reads `path`. OK: the caller owns *out. Otherwise *out is NULL and the
 * message names the file, the line or the id, and the fault. */
MUST_USE Status shortlist_open(Shortlist **out, const char *path, const ShortlistVocabulary *vocabulary,
                               ShortlistLimits limits, Err *err);
void shortlist_free(Shortlist *shortlist); /* NULL is allowed */

/* Adds the candidates for a source sentence to a set of target ids. */
void shortlist_select(const Shortlist *shortlist, const int32_t *source, size_t len, IdSet *set);

#endif
