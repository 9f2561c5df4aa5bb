/* sp_build.h - writes a SentencePiece model (its file's bytes) from parts that
 * were found elsewhere. sp_check.h reads them again with distrust. */
#ifndef DRAGOMAN_SP_BUILD_H
#define DRAGOMAN_SP_BUILD_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "sp_pieces.h"

/* How the model treats a text. */
typedef struct {
    bool bpe;           /* else unigram */
    bool bytes;         /* unknown characters become <0xNN> (byte_fallback) */
    bool adds_prefix;   /* a space goes before each text (add_dummy_prefix) */
    bool joins_spaces;  /* several spaces are one, those at the ends none (remove_extra_whitespaces) */
    const Buf *charmap; /* precompiled_charsmap; empty: characters stay as they are */
} SpSettings;

/* Each appends to *model; pieces take their ids in the order of the calls. */
MUST_USE Status sp_build_piece(Buf *model, const char *piece, size_t len, float score, SpPieceType type, Err *err);
MUST_USE Status sp_build_settings(Buf *model, const SpSettings *settings, Err *err);

#endif
