/* bpe.h - a text cut into the pieces of a BPE SentencePiece model: characters,
 * of which again and again the two neighbours are joined that make the piece
 * with the highest score. */
#ifndef DRAGOMAN_BPE_H
#define DRAGOMAN_BPE_H

#include <stddef.h>

#include "err.h"
#include "sp_pieces.h"
#include "sp_runs.h"

/* Cuts text (normalized, spaces as U+2581). No piece may be unused: those
 * would have to be taken apart again. */
MUST_USE Status bpe_cut(const SpPieces *pieces, const char *text, size_t len, const SpSink *sink, Err *err);

#endif
