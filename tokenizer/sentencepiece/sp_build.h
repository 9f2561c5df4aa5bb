/* sp_build.h - writes the bytes of a SentencePiece model file from parts of another file. sp_check.h then reads and
 * validates them like any other model. */
#ifndef DRAGOMAN_SP_BUILD_H
#define DRAGOMAN_SP_BUILD_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "sp_pieces.h"

/* Settings of a model, under the names of SentencePiece's protocol buffer. */
typedef struct {
    bool bpe;                      /* else unigram */
    bool bytes;                    /* unknown characters become <0xNN> */
    bool add_dummy_prefix;         /* a space is added before each text */
    bool remove_extra_whitespaces; /* runs of spaces become one; those at both ends are removed */
    const Buf *charsmap;           /* precompiled_charsmap; empty: characters stay unchanged */
} SpSettings;

/* Each call appends to *model. Pieces get their ids in the order of the calls. */
MUST_USE Status sp_build_piece(Buf *model, const char *piece, size_t len, float score, SpPieceType type, Err *err);
MUST_USE Status sp_build_settings(Buf *model, const SpSettings *settings, Err *err);

#endif
