/* sp_decode.h - pieces of a SentencePiece model -> text. */
#ifndef DRAGOMAN_SP_DECODE_H
#define DRAGOMAN_SP_DECODE_H

#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "sp_check.h"

/* Appends the text of pieces (NUL-ended) to *out, as SentencePiece's Decode()
 * puts it together before a denormalizer sees it. */
MUST_USE Status sp_decode(const SpTraits *traits, const char *const *pieces, size_t count, Buf *out, Err *err);

#endif
