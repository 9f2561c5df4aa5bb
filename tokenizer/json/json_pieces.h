/* json_pieces.h - the pieces of a tokenizer.json: its model's vocabulary and
 * its added tokens, each with the type that it has in a SentencePiece model. */
#ifndef DRAGOMAN_JSON_PIECES_H
#define DRAGOMAN_JSON_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"
#include "json.h"
#include "sp_build.h"
#include "str_map.h"

/* The longest piece in bytes. */
#define JSON_PIECE_MAX 4096

typedef struct {
    const char *text; /* in the JSON tree */
    size_t len;
    int32_t id;
    int32_t again; /* the id where a special token is listed a second time, or -1 */
    float score;
    SpPieceType type;
    uint32_t rank, merges; /* json_merges.c: its place among the merged pieces from 1 on, ways to make it */
} JsonPiece;

typedef struct {
    const char *path;
    JsonPiece *list; /* [count], the model's own first, in the file's order */
    size_t count, cap;
    StrMap *index; /* text -> place in `list` */
    bool bpe;      /* else unigram */
    bool bytes;    /* every <0xNN> is there */
} JsonPieces;

/* Reads root.model and root.added_tokens; scores of a BPE model are left 0.
 * The tree must outlive *out, which is ended with json_pieces_free() in every
 * case. */
MUST_USE Status json_pieces_read(JsonPieces *out, const cJSON *root, const char *path, Err *err);
void json_pieces_free(JsonPieces *pieces);

/* NULL when there is none. */
JsonPiece *json_pieces_find(const JsonPieces *pieces, const char *text, size_t len);

/* (json_merges.c) Sets the scores of *pieces, so that SentencePiece merges as `merges` says
 * (["a b", ...] or [["a", "b"], ...], the first ones first), or refuses when
 * there are no such scores; which those are: json_merges.c. */
MUST_USE Status json_merges_score(JsonPieces *pieces, const cJSON *merges, Err *err);

/* (json_post.c) Reads root.post_processor: a TemplateProcessing (its "single") or none.
 * Appends the ids in front of the text and behind it, and marks their tokens
 * as CONTROL: a text never becomes one. */
MUST_USE Status json_post_read(IdList *before, IdList *after, JsonPieces *pieces, const cJSON *root, Err *err);

#endif
