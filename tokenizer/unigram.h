/* unigram.h - the most probable way to cut a text into the pieces of a
 * unigram SentencePiece model.
 * SentencePiece has this search, too, but its versions part where two ways are
 * equally good, as in "!!!!!": up to 0.2.1 (Debian 12 has 0.1.97) the rounding
 * of a sum decides, from 0.2.2 on the one found first is kept. This is the
 * latter, so that pieces do not depend on the library that is installed. */
#ifndef DRAGOMAN_UNIGRAM_H
#define DRAGOMAN_UNIGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "sp_pieces.h"

/* Takes one piece (not NUL-ended). Anything but OK ends the search. */
typedef Status (*UnigramFn)(void *context, const char *piece, size_t len, Err *err);

/* Cuts text (normalized, spaces as U+2581) into pieces. A run of unknown
 * characters comes as one piece, or byte by byte as <0xNN>. */
MUST_USE Status unigram_cut(const SpPieces *pieces, const char *text, size_t len, bool bytes, UnigramFn each,
                            void *context, Err *err);

#endif
