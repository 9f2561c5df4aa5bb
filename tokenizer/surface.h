/* surface.h - turns the pieces of a translation into text. */
#ifndef DRAGOMAN_SURFACE_H
#define DRAGOMAN_SURFACE_H

#include <stddef.h>

#include "added.h"
#include "buf.h"
#include "err.h"
#include "ranges.h"
#include "sp_shim.h"

/* The ways in which transformers and the tutorials' code join pieces. "Stripped" means that white space at both
 * ends is removed, as Python's str.strip() does. "Joined" means that the pieces are concatenated and their space
 * symbols become spaces. */
typedef enum {
    DECODE_SURFACE,   /* Marian: SentencePiece decodes, remaining space symbols become spaces, stripped */
    DECODE_STRIPPED,  /* M2M100, mBART-50, Barthez, T5: SentencePiece decodes; stripped */
    DECODE_JOINED,    /* NLLB, mBART-25: joined, space symbols become spaces, stripped */
    DECODE_METASPACE, /* fast classes: joined; sp_shim_start() says how the text begins */
    DECODE_PLAIN,     /* tutorials: SentencePiece decodes */
    DECODE_WORDS      /* tutorials: words separated by spaces, no SentencePiece model */
} DecodeStyle;

/* Appends the text of pieces (NUL-terminated, no special tokens) to *out. Added tokens may be among them. `ranges` as
 * for sp_shim_decode(). */
MUST_USE Status surface_decode(DecodeStyle style, const SpModel *model, const Added *added, const char *const *pieces,
                               size_t count, Buf *out, Range *ranges, Err *err);

/* Appends what a piece adds to a text in the middle of a translation; a byte piece adds its byte. */
MUST_USE Status surface_append(DecodeStyle style, const SpModel *model, const Added *added, const char *piece, Buf *out,
                               Err *err);

#endif
