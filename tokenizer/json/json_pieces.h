/* json_pieces.h - the pieces of a tokenizer.json: the vocabulary of its model and its added tokens, each with the
 * type that it has in a SentencePiece model. */
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
    int32_t second_id; /* second id of a special token that is listed twice, or -1 */
    float score;
    SpPieceType type;
    uint32_t rank, merges; /* json_merges.c: position among the merged pieces, from 1; number of ways to merge it */
} JsonPiece;

typedef struct {
    const char *path;
    JsonPiece *list; /* [count]: the model's own pieces first, in the file's order */
    size_t count, cap;
    StrMap *index; /* text -> index in `list` */
    bool bpe;      /* else unigram */
    bool bytes;    /* all of <0x00> to <0xFF> are in the vocabulary */
} JsonPieces;

/* Reads root.model and root.added_tokens. The scores of a BPE model remain 0. The tree must outlive *out, which the
 * caller frees with json_pieces_free(), even after an error. */
MUST_USE Status json_pieces_read(JsonPieces *out, const cJSON *root, const char *path, Err *err);
void json_pieces_free(JsonPieces *pieces);

/* Refuses an object with a key that is not among keys[0..count): what tokenizers would do with it is not known. `where`
 * begins the message. */
MUST_USE Status json_pieces_check_keys(JsonObject object, const char *where, const char *const *keys, size_t count,
                                       Err *err);

/* Returns NULL if there is no such piece. */
JsonPiece *json_pieces_find(const JsonPieces *pieces, const char *text, size_t len);

/* (json_merges.c) Sets the scores of a BPE model's pieces so that SentencePiece merges in the order of `merges` (["a
 * b", ...] or [["a", "b"], ...]). Fails if no such scores exist; json_merges.c says when they do. */
MUST_USE Status json_merges_score(JsonPieces *pieces, const cJSON *merges, Err *err);

/* (json_post.c) Reads root.post_processor: none, or a TemplateProcessing, of which "single" counts. Appends the ids
 * before and after the text, and marks their tokens as CONTROL, so that text never becomes one of them. */
MUST_USE Status json_post_read(IdList *before, IdList *after, JsonPieces *pieces, const cJSON *root, Err *err);

#endif
