/* json_merges.h - scores of BPE pieces from the list of merges. */
#ifndef DRAGOMAN_JSON_MERGES_H
#define DRAGOMAN_JSON_MERGES_H

#include "err.h"
#include "json_pieces.h"

/* Sets the scores of *pieces, so that SentencePiece merges as `merges` says
 * (["a b", ...] or [["a", "b"], ...], the first ones first), or refuses when
 * there are no such scores; which those are: json_merges.c. */
MUST_USE Status json_merges_score(JsonPieces *pieces, const cJSON *merges, Err *err);

#endif
