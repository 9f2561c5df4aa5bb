/* sp_normalize.h - a text as a SentencePiece model wants it: its character map
 * applied, spaces joined and written as U+2581, one put in front. */
#ifndef DRAGOMAN_SP_NORMALIZE_H
#define DRAGOMAN_SP_NORMALIZE_H

#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "sp_check.h"

/* Appends to *out. Time grows with the text's length alone. */
MUST_USE Status sp_normalize(const SpTraits *traits, const char *text, size_t len, Buf *out, Err *err);

#endif
