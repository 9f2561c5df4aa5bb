/* json_pieces.c - see json_pieces.h.
 *     "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ...]}
 *     "model": {"type": "BPE", "unk_token": "<unk>", "vocab": {"<unk>": 0, ...}, "merges": [...]}
 *     "added_tokens": [{"id": 0, "content": "<unk>", "special": true, ...}, ...]
 * A tokenizer.json does not contain the types of SentencePiece's pieces. They are derived:
 *   UNKNOWN       unk_id, unk_token
 *   CONTROL       a special added token: text never becomes one
 *   USER_DEFINED  any other added token (<2de>), in the model's vocabulary or after it
 *   BYTE          <0x00> to <0xFF> if all 256 exist, whatever byte_fallback says: SentencePiece's
 *                 trainer writes them only with byte_fallback, and conversions of T5 and mBART
 *                 models drop the flag
 *   NORMAL        all others */
#include "json_pieces.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "vocab.h"

#define MAX_PIECES  ((size_t)VOCAB_MAX_ID)
#define COUNT(list) (sizeof(list) / sizeof *(list))

Status json_pieces_check_keys(JsonObject object, const char *where, const char *const *keys, size_t count, Err *err)
{
    const char *key = json_unknown_key(object, keys, count);

    return key ? err_set(err, ERR_UNSUPPORTED, "%s: %sthe field \"%s\" is not supported", object.file, where, key) : OK;
}

static Status make_room(JsonPieces *pieces, Err *err)
{
    if (pieces->count >= MAX_PIECES) return err_set(err, ERR_FORMAT, "%s: too many pieces", pieces->path);
    return buf_grow_list(&pieces->list, &pieces->cap, pieces->count, 1, sizeof *pieces->list, "a vocabulary", err);
}

static Status duplicate_error(const JsonPieces *pieces, const char *where, const char *text, Err *err)
{
    return err_set(err, ERR_FORMAT, "%s: %s: \"%s\" appears twice", pieces->path, where, text);
}

static Status add_piece(JsonPieces *pieces, JsonPiece piece, const char *where, Err *err)
{
    bool added;
    Status st = make_room(pieces, err);

    if (st != OK) return st;
    piece.len = strlen(piece.text);
    if (piece.len == 0) return err_set(err, ERR_FORMAT, "%s: %s: piece %d is empty", pieces->path, where, piece.id);
    if (piece.len > JSON_PIECE_MAX)
        return err_set(err, ERR_FORMAT, "%s: %s: piece %d is too long", pieces->path, where, piece.id);
    st = str_map_add(pieces->index, piece.text, piece.len, (int32_t)pieces->count, &added, err);
    if (st == OK && !added) return duplicate_error(pieces, where, piece.text, err);
    piece.second_id = -1;
    if (st == OK) pieces->list[pieces->count++] = piece;
    return st;
}

JsonPiece *json_pieces_find(const JsonPieces *pieces, const char *text, size_t len)
{
    int32_t at = str_map_get(pieces->index, text, len, -1);

    return at < 0 ? NULL : &pieces->list[at];
}

/* Adds a unigram's [piece, score]. Conversions of mBART and similar models put special tokens first, although the
 * model may already have one of them: as a control piece with the score 0, or as a piece of texts. */
static Status add_scored(JsonPieces *pieces, const cJSON *text, double score, int32_t id, Err *err)
{
    JsonPiece *known = json_pieces_find(pieces, text->valuestring, strlen(text->valuestring));

    if (known && known->second_id < 0 && known->score == 0 && score == 0) {
        known->second_id = id;
        return OK;
    }
    return add_piece(pieces,
                     (JsonPiece){ .text = text->valuestring, .id = id, .score = (float)score, .type = SP_NORMAL },
                     "model.vocab", err);
}

/* Reads [["piece", score], ...]; the index is the id. */
static Status read_unigram(JsonPieces *pieces, const cJSON *vocab, Err *err)
{
    int32_t id = 0;
    Status st = OK;

    if (!cJSON_IsArray(vocab))
        return err_set(err, ERR_FORMAT, "%s: model.vocab must be a list of [piece, score]", pieces->path);
    for (const cJSON *node = vocab->child; st == OK && node; node = node->next, id++) {
        const cJSON *text = cJSON_IsArray(node) ? node->child : NULL, *score = text ? text->next : NULL;
        if (!cJSON_IsString(text) || !cJSON_IsNumber(score) || score->next ||
            !(fabs(score->valuedouble) <= (double)FLT_MAX))
            return err_set(err, ERR_FORMAT, "%s: model.vocab[%d] must be [piece, score]", pieces->path, (int)id);
        st = add_scored(pieces, text, score->valuedouble, id, err);
    }
    return st;
}

/* Reads {"piece": id, ...}. */
static Status read_bpe(JsonPieces *pieces, const cJSON *vocab, Err *err)
{
    Status st = OK;

    if (!cJSON_IsObject(vocab))
        return err_set(err, ERR_FORMAT, "%s: model.vocab must be an object of ids", pieces->path);
    for (const cJSON *node = vocab->child; st == OK && node; node = node->next) {
        int64_t id;
        if (!json_to_int64(node, 0, VOCAB_MAX_ID, &id)) {
            return err_set(err, ERR_FORMAT, "%s: model.vocab: the id of \"%s\" must be a whole number from 0 to %d",
                           pieces->path, node->string, VOCAB_MAX_ID);
        }
        st = add_piece(pieces, (JsonPiece){ .text = node->string, .id = (int32_t)id, .type = SP_NORMAL }, "model.vocab",
                       err);
    }
    return st;
}

/* Files written before tokenizers 0.9 do not name the kind of model. */
static Status read_kind(JsonPieces *pieces, JsonObject model, Err *err)
{
    const char *type = json_member(model, "merges") ? "BPE" : "Unigram";
    Status st = json_get_string(model, "type", &type, err);

    if (st != OK) return st;
    pieces->bpe = strcmp(type, "BPE") == 0;
    if (pieces->bpe || strcmp(type, "Unigram") == 0) return OK;
    return err_set(err, ERR_UNSUPPORTED, "%s: a model of type \"%s\" is not supported (Unigram and BPE are)",
                   pieces->path, type);
}

/* Rejects options that SentencePiece's BPE does not have. */
static Status check_bpe_options(const JsonPieces *pieces, JsonObject model, Err *err)
{
    const char *prefix = "", *suffix = "", *what = NULL;
    float dropout = 0;
    bool ignore_merges = false;
    Status st = json_get_string(model, "continuing_subword_prefix", &prefix, err);

    if (st == OK) st = json_get_string(model, "end_of_word_suffix", &suffix, err);
    if (st == OK) st = json_get_float(model, "dropout", 0, 1, &dropout, err);
    if (st == OK) st = json_get_bool(model, "ignore_merges", &ignore_merges, err);
    if (st != OK) return st;
    if (*prefix) what = "continuing_subword_prefix";
    if (*suffix) what = "end_of_word_suffix";
    if (dropout != 0) what = "dropout";
    if (ignore_merges) what = "ignore_merges";
    return what ? err_set(err, ERR_UNSUPPORTED, "%s: model.%s is not supported", pieces->path, what) : OK;
}

static Status mark_unknown(JsonPieces *pieces, JsonObject model, Err *err)
{
    const char *token = "<unk>";
    int32_t id = -1;
    Status st;

    if (pieces->bpe) {
        JsonPiece *piece;
        st = json_get_string(model, "unk_token", &token, err);
        if (st != OK) return st;
        piece = json_pieces_find(pieces, token, strlen(token));
        if (!piece)
            return err_set(err, ERR_FORMAT, "%s: the unknown token \"%s\" is not in the vocabulary", pieces->path,
                           token);
        piece->type = SP_UNKNOWN;
        return OK;
    }
    st = json_get_id(model, "unk_id", 0, VOCAB_MAX_ID, &id, err);
    if (st == OK && id < 0) return err_set(err, ERR_UNSUPPORTED, "%s: model.unk_id is missing", pieces->path);
    for (size_t i = 0; st == OK && i < pieces->count; i++) {
        JsonPiece *piece = &pieces->list[i];
        if (piece->id != id && piece->second_id != id) continue;
        piece->type = SP_UNKNOWN;
        piece->id = id;
        return OK;
    }
    return st == OK ? err_set(err, ERR_FORMAT, "%s: model.unk_id %d is not in model.vocab", pieces->path, (int)id) : st;
}

/* Marks byte pieces if all or none exist. Conversions set byte_fallback without any byte piece when the model does
 * not use it. */
static Status mark_bytes(JsonPieces *pieces, JsonObject model, Err *err)
{
    JsonPiece *bytes[256];
    bool wanted = false;
    size_t found = 0;
    int missing = -1;
    Status st = json_get_bool(model, "byte_fallback", &wanted, err);

    for (int i = 0; i < 256; i++) {
        char name[8];
        snprintf(name, sizeof name, "<0x%02X>", (unsigned)i);
        bytes[i] = json_pieces_find(pieces, name, strlen(name));
        if (bytes[i] && bytes[i]->type == SP_NORMAL)
            found++;
        else if (missing < 0)
            missing = i;
    }
    if (st == OK && wanted && found > 0 && missing >= 0) {
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: model.byte_fallback needs all of <0x00> to <0xFF>: <0x%02X> is missing", pieces->path,
                       (unsigned)missing);
    }
    pieces->bytes = missing < 0;
    for (int i = 0; pieces->bytes && i < 256; i++) bytes[i]->type = SP_BYTE;
    return st;
}

/* Without an unknown token and byte pieces, tokenizers drops the characters that the vocabulary does not have. */
static Status check_unknown_token(const JsonPieces *pieces, JsonObject model, Err *err)
{
    if (pieces->bytes || json_member(model, "unk_token")) return OK;
    return err_set(err, ERR_UNSUPPORTED, "%s: model.unk_token is missing, and the model has no byte pieces",
                   pieces->path);
}

/* Rejects a BPE model that gives each of several adjacent unknown characters a token of its own, as tokenizers does
 * without "fuse_unk"; SentencePiece joins them. With byte pieces there are none. */
static Status check_unknowns(const JsonPieces *pieces, JsonObject model, Err *err)
{
    bool fuses = false;
    Status st = json_get_bool(model, "fuse_unk", &fuses, err);

    if (st != OK || fuses || pieces->bytes) return st;
    return err_set(err, ERR_UNSUPPORTED, "%s: model.fuse_unk must be true if the model has no byte pieces",
                   pieces->path);
}

static Status check_model_keys(const JsonPieces *pieces, JsonObject model, Err *err)
{
    static const char *const unigram[] = { "type", "unk_id", "vocab", "byte_fallback" };
    static const char *const bpe[] = { "type",
                                       "unk_token",
                                       "vocab",
                                       "merges",
                                       "byte_fallback",
                                       "fuse_unk",
                                       "dropout",
                                       "continuing_subword_prefix",
                                       "end_of_word_suffix",
                                       "ignore_merges" };

    return pieces->bpe ? json_pieces_check_keys(model, "model: ", bpe, COUNT(bpe), err)
                       : json_pieces_check_keys(model, "model: ", unigram, COUNT(unigram), err);
}

static Status read_model(JsonPieces *pieces, JsonObject model, Err *err)
{
    const cJSON *vocab = json_member(model, "vocab");
    Status st = read_kind(pieces, model, err);

    if (st == OK) st = check_model_keys(pieces, model, err);
    if (st == OK) st = pieces->bpe ? read_bpe(pieces, vocab, err) : read_unigram(pieces, vocab, err);
    if (st == OK && pieces->count == 0) st = err_set(err, ERR_FORMAT, "%s: model.vocab is empty", pieces->path);
    if (st == OK && pieces->bpe) st = check_bpe_options(pieces, model, err);
    if (st == OK) st = mark_unknown(pieces, model, err);
    if (st == OK) st = mark_bytes(pieces, model, err);
    if (st == OK && pieces->bpe) st = check_unknown_token(pieces, model, err);
    return st == OK && pieces->bpe ? check_unknowns(pieces, model, err) : st;
}

/* Rejects duplicate pieces, because either could be found in a text. */
static Status reject_duplicates(const JsonPieces *pieces, Err *err)
{
    for (size_t i = 0; i < pieces->count; i++) {
        const JsonPiece *piece = &pieces->list[i];
        if (piece->second_id >= 0 && piece->type != SP_CONTROL && piece->type != SP_UNKNOWN)
            return duplicate_error(pieces, "model.vocab", piece->text, err);
    }
    return OK;
}

typedef struct {
    const char *content;
    int32_t id;
    bool special, single_word, lstrip, rstrip;
} JsonToken;

static Status read_added(JsonToken *out, JsonObject token, Err *err)
{
    static const char *const keys[] = { "id", "content", "special", "single_word", "lstrip", "rstrip", "normalized" };
    Status st = json_pieces_check_keys(token, "added_tokens: ", keys, COUNT(keys), err);

    *out = (JsonToken){ .id = -1 };
    if (st == OK) st = json_get_string(token, "content", &out->content, err);
    if (st == OK) st = json_get_id(token, "id", 0, VOCAB_MAX_ID, &out->id, err);
    if (st == OK) st = json_get_bool(token, "special", &out->special, err);
    if (st == OK) st = json_get_bool(token, "single_word", &out->single_word, err);
    if (st == OK) st = json_get_bool(token, "lstrip", &out->lstrip, err);
    if (st == OK) st = json_get_bool(token, "rstrip", &out->rstrip, err);
    if (st == OK && (!out->content || out->id < 0))
        st = err_set(err, ERR_FORMAT, "%s: an added token needs \"id\" and \"content\"", token.file);
    return st;
}

/* The flags control how a token is found in a text, so they do not matter for special tokens. */
static Status add_added_token(JsonPieces *pieces, const JsonToken *token, Err *err)
{
    JsonPiece *piece = json_pieces_find(pieces, token->content, strlen(token->content));
    SpPieceType type = token->special ? SP_CONTROL : SP_USER_DEFINED;

    if (!token->special && (token->single_word || token->lstrip || token->rstrip)) {
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: the added token \"%s\" has single_word, lstrip or rstrip: not supported", pieces->path,
                       token->content);
    }
    if (!piece)
        return add_piece(pieces, (JsonPiece){ .text = token->content, .id = token->id, .type = type }, "added_tokens",
                         err);
    if (token->id == piece->second_id) piece->id = token->id;
    if (piece->id != token->id) {
        return err_set(err, ERR_FORMAT, "%s: the added token \"%s\" has the id %d, but %d in the vocabulary",
                       pieces->path, token->content, (int)token->id, (int)piece->id);
    }
    if (piece->type == SP_NORMAL) piece->type = type;
    return OK;
}

static Status read_added_tokens(JsonPieces *pieces, JsonObject root, Err *err)
{
    const cJSON *list = json_member(root, "added_tokens");
    JsonToken token;
    Status st = OK;

    if (!list) return OK;
    if (!cJSON_IsArray(list)) return err_set(err, ERR_FORMAT, "%s: added_tokens must be a list", pieces->path);
    for (const cJSON *node = list->child; st == OK && node; node = node->next) {
        if (!cJSON_IsObject(node))
            return err_set(err, ERR_FORMAT, "%s: added_tokens must be a list of objects", pieces->path);
        st = read_added(&token, (JsonObject){ node, pieces->path }, err);
        if (st == OK) st = add_added_token(pieces, &token, err);
    }
    return st;
}

Status json_pieces_read(JsonPieces *out, const cJSON *root, const char *path, Err *err)
{
    JsonObject top = { root, path }, model = { json_member(top, "model"), path };
    static const char *const keys[] = { "version",       "truncation",     "padding", "added_tokens", "normalizer",
                                        "pre_tokenizer", "post_processor", "decoder", "model" };
    Status st;

    *out = (JsonPieces){ .path = path };
    st = json_pieces_check_keys(top, "", keys, COUNT(keys), err);
    if (st != OK) return st;
    if (!cJSON_IsObject(model.node)) return err_set(err, ERR_FORMAT, "%s: model must be an object", path);
    st = str_map_new(&out->index, err);
    if (st == OK) st = read_model(out, model, err);
    if (st == OK) st = read_added_tokens(out, top, err);
    return st == OK ? reject_duplicates(out, err) : st;
}

void json_pieces_free(JsonPieces *pieces)
{
    free(pieces->list);
    str_map_free(pieces->index);
    *pieces = (JsonPieces){ 0 };
}
