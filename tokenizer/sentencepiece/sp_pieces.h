/* sp_pieces.h - the pieces of a SentencePiece model, by id and by string.
 * They are read-only once complete; threads may share them. */
#ifndef DRAGOMAN_SP_PIECES_H
#define DRAGOMAN_SP_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

/* The longest piece in bytes. */
#define SP_PIECE_MAX 4096

typedef enum {
    SP_NORMAL = 1,
    SP_UNKNOWN,      /* exactly one piece */
    SP_CONTROL,      /* never found in a text */
    SP_USER_DEFINED, /* found wherever it occurs in a text, before all others */
    SP_UNUSED,
    SP_BYTE /* <0xNN> */
} SpPieceType;

typedef struct SpPieces SpPieces; /* fields: sp_pieces.c */

MUST_USE Status sp_pieces_new(SpPieces **out, Err *err);
void sp_pieces_free(SpPieces *pieces); /* NULL is allowed */

/* Adds a piece of 1 to SP_PIECE_MAX bytes without NUL. It gets the next id. */
MUST_USE Status sp_pieces_add(SpPieces *pieces, const char *text, size_t len, float score, SpPieceType type, Err *err);

/* Must be called after the last piece was added and before the functions below. A string may occur twice only as a
 * piece of texts (normal, user-defined, unused) and as a piece of another type. *duplicate is the id of a piece that
 * violates this, or -1. */
MUST_USE Status sp_pieces_complete(SpPieces *pieces, int32_t *duplicate, Err *err);

/* Access by id, 0 to count - 1. The string is NUL-terminated and owned by `pieces`. */
size_t sp_pieces_count(const SpPieces *pieces);
const char *sp_pieces_text(const SpPieces *pieces, int32_t id);
float sp_pieces_score(const SpPieces *pieces, int32_t id);
SpPieceType sp_pieces_type(const SpPieces *pieces, int32_t id);
/* The lowest score of a normal piece. */
float sp_pieces_lowest(const SpPieces *pieces);
/* The length of the longest user-defined piece that the text begins with, or 0. */
size_t sp_pieces_symbol(const SpPieces *pieces, const char *text, size_t len);

/* Finds a piece by its string; -1 if there is none. A piece that is not a piece of texts has priority over one that
 * is. */
int32_t sp_pieces_find(const SpPieces *pieces, const char *text, size_t len);
/* Finds a piece of texts. */
int32_t sp_pieces_find_text(const SpPieces *pieces, const char *text, size_t len);

/* Enumerates the pieces of texts that a text begins with, shortest first. */
typedef struct {
    const SpPieces *pieces;
    const char *text;
    uint64_t hash; /* of the first `len` bytes */
    size_t len;    /* of the piece that was found */
    size_t limit;  /* maximum length of a longer piece */
} SpWalk;
SpWalk sp_pieces_walk(const SpPieces *pieces, const char *text, size_t len);
/* The id of the next piece, or -1. */
int32_t sp_pieces_next(SpWalk *walk);

#endif
