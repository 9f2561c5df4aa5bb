/* surface.h - pieces of a translation -> its text. */
#ifndef DRAGOMAN_SURFACE_H
#define DRAGOMAN_SURFACE_H

#include <stddef.h>

#include "added.h"
#include "buf.h"
#include "err.h"
#include "sp_shim.h"

/* As transformers puts it together, or the code of tutorials. "Stripped":
 * white space at both ends is taken off, as Python's str.strip() does. */
typedef enum {
    DECODE_SURFACE,   /* Marian: SentencePiece decodes; then its space symbols become spaces; stripped */
    DECODE_STRIPPED,  /* M2M100, mBART-50, Barthez, T5: SentencePiece decodes; stripped */
    DECODE_JOINED,    /* NLLB, mBART-25: pieces are joined, space symbols become spaces; stripped */
    DECODE_METASPACE, /* the fast classes: pieces are joined, space symbols become spaces; the first piece loses them
                       * where the model puts a space in front of a text */
    DECODE_PLAIN,     /* tutorials: SentencePiece decodes */
    DECODE_WORDS      /* tutorials: words with a space between them, no SentencePiece model */
} DecodeStyle;

/* Appends the text of pieces (NUL-ended, no special ones) to *out; added
 * tokens may be among them. */
MUST_USE Status surface_decode(DecodeStyle style, const SpModel *model, const Added *added, const char *const *pieces,
                               size_t count, Buf *out, Err *err);

#endif
