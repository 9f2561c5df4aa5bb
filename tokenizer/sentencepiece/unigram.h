/* unigram.h - the most probable way to cut a text into the pieces of a
 * unigram SentencePiece model.
 * SentencePiece has this search, too, but its versions part where two ways are
 * equally good, as in "!!!!!": up to 0.2.1 (Debian 12 has 0.1.97) the rounding
 * of a sum decides, from 0.2.2 on the one found first is kept. This is the
 * latter, so that pieces do not depend on the library that is installed. */
#ifndef DRAGOMAN_UNIGRAM_H
#define DRAGOMAN_UNIGRAM_H

#include <stddef.h>

#include "err.h"
#include "sp_pieces.h"
#include "sp_runs.h"

/* Cuts text (normalized, spaces as U+2581) into pieces. */
MUST_USE Status unigram_cut(const SpPieces *pieces, const char *text, size_t len, const SpSink *sink, Err *err);

#endif
