/* sp_steps.h - the steps from a text to its pieces and back, with one file for each step. */
#ifndef DRAGOMAN_SP_STEPS_H
#define DRAGOMAN_SP_STEPS_H

#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "ranges.h"
#include "sp_check.h"
#include "sp_pieces.h"
#include "sp_runs.h"

/* Normalizes the text and appends it to *out: applies the character map, joins spaces, writes them as U+2581, and
 * adds one before the text (sp_normalize.c). Takes time linear in the length of the text. `map` starts empty and
 * receives the origins of the bytes that are appended, in the text; NULL: not asked for. */
MUST_USE Status sp_normalize(const SpTraits *traits, const char *text, size_t len, Buf *out, RangeList *map, Err *err);

/* Splits text (normalized, spaces as U+2581) into its most probable sequence of pieces (unigram.c). */
MUST_USE Status unigram_encode(const SpPieces *pieces, const char *text, size_t len, const SpSink *sink, Err *err);

/* Splits text into characters and repeatedly joins the two neighbours that make the piece with the highest score
 * (bpe.c). Not for models with unused pieces, which would have to be split again. */
MUST_USE Status bpe_encode(const SpPieces *pieces, const char *text, size_t len, const SpSink *sink, Err *err);

/* Appends the text of pieces (NUL-terminated) to *out, as SentencePiece's Decode() produces it (sp_decode.c). `ranges`
 * as for sp_shim_decode(). */
MUST_USE Status sp_decode(const SpTraits *traits, const char *const *pieces, size_t count, Buf *out, Range *ranges,
                          Err *err);

#endif
