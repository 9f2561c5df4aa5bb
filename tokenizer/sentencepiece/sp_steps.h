/* sp_steps.h - the steps from a text to its pieces and back. */
#ifndef DRAGOMAN_SP_STEPS_H
#define DRAGOMAN_SP_STEPS_H

#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "ranges.h"
#include "sp_check.h"
#include "sp_pieces.h"
#include "sp_shim.h"

/* Where the ranges of the pieces go, and what they are computed from. */
typedef struct {
    const char *text;     /* the normalized text, which the pieces are parts of */
    const RangeList *map; /* the origins of its bytes */
    SpOriginStyle style;
    bool whole_runs;   /* SP_ORIGINS_TOKENIZERS: each byte piece has the range of its whole run (Unigram) */
    RangeList *ranges; /* receives one range for each piece */
} SpRanges;

/* The receiver of the pieces. Adjacent unknown pieces are merged into one, or are split into byte pieces <0xNN>. */
typedef struct {
    bool bytes;
    SpPieceFn each;
    void *context;
    const SpRanges *ranges; /* NULL: not asked for */
} SpSink;

/* Normalizes the text and appends it to *out: applies the character map, joins spaces, writes them as U+2581, and
 * adds one before the text. Takes time linear in the length of the text. `map` starts empty and
 * receives the origins of the bytes that are appended, in the text; NULL: not asked for. */
MUST_USE Status sp_normalize(const SpTraits *traits, const char *text, size_t len, Buf *out, RangeList *map, Err *err);

/* Splits text (normalized, spaces as U+2581) into its most probable sequence of pieces. */
MUST_USE Status unigram_encode(const SpPieces *pieces, const char *text, size_t len, const SpSink *sink, Err *err);

/* Splits text into characters and repeatedly joins the two neighbours that make the piece with the highest score
 * Not for models with unused pieces, which would have to be split again. */
MUST_USE Status bpe_encode(const SpPieces *pieces, const char *text, size_t len, const SpSink *sink, Err *err);

/* Appends the text of pieces (NUL-terminated) to *out, as SentencePiece's Decode() produces it. `ranges`
 * as for sp_shim_decode(). */
MUST_USE Status sp_decode(const SpTraits *traits, const char *const *pieces, size_t count, Buf *out, Range *ranges,
                          Err *err);

#endif
