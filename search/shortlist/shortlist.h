/* shortlist.h - the target ids worth scoring for one source sentence.
 *
 * It reads three formats and detects them by content:
 *   binary   Marian: a list of target ids per source id; the header holds the number of ids
 *            that are always candidates
 *   lexical  Marian's lex.s2t: lines "TARGET SOURCE PROBABILITY"; each source piece keeps its
 *            best targets
 *   map      CTranslate2's vmap.txt: lines "SOURCE PIECES<TAB>TARGET PIECES"; an empty source
 *            matches every sentence
 * Files may be compressed with gzip or zstd. An open shortlist is read-only: threads may share it. */
#ifndef DRAGOMAN_SHORTLIST_H
#define DRAGOMAN_SHORTLIST_H

#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "id_set.h"
#include "shortlist_vocabulary.h"

typedef struct Shortlist Shortlist; /* fields: shortlist_parts.h */

/* Reads `path`. OK: the caller owns *out. Otherwise *out is NULL, and the message names the file, the
 * line or id, and the fault. */
MUST_USE Status shortlist_open(Shortlist **out, const char *path, const ShortlistVocabulary *vocabulary,
                               ShortlistLimits limits, Err *err);
void shortlist_free(Shortlist *shortlist); /* NULL is allowed */

/* Adds the candidates for a source sentence to a set of target ids. */
void shortlist_select(const Shortlist *shortlist, const int32_t *source, size_t len, IdSet *set);

#endif
