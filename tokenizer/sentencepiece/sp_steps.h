/* sp_steps.h - what a text goes through on its way to pieces and back: a file for each step. */
#ifndef DRAGOMAN_SP_STEPS_H
#define DRAGOMAN_SP_STEPS_H

#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "sp_check.h"
#include "sp_pieces.h"
#include "sp_runs.h"

/* Appends the text to *out as the model wants it: its character map applied, spaces joined and written as U+2581, one
 * put in front (sp_normalize.c). Time grows with the text's length alone. */
MUST_USE Status sp_normalize(const SpTraits *traits, const char *text, size_t len, Buf *out, Err *err);

/* Cuts text (normalized, spaces as U+2581) into pieces in the most probable way (unigram.c). */
MUST_USE Status unigram_cut(const SpPieces *pieces, const char *text, size_t len, const SpSink *sink, Err *err);

/* Cuts text into characters, of which again and again the two neighbours are joined that make the piece with the
 * highest score (bpe.c). No piece may be unused: those would have to be taken apart again. */
MUST_USE Status bpe_cut(const SpPieces *pieces, const char *text, size_t len, const SpSink *sink, Err *err);

/* Appends the text of pieces (NUL-ended) to *out, as SentencePiece's Decode() puts it together before a denormalizer
 * sees it (sp_decode.c). */
MUST_USE Status sp_decode(const SpTraits *traits, const char *const *pieces, size_t count, Buf *out, Err *err);

#endif
