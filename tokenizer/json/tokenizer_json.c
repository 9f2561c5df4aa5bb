/* tokenizer_json.c - see tokenizer_json.h.
 * Writes the pieces with their types and scores and the steps around the model as a SentencePiece model
 * (sp_build_piece()), and opens it like one from a file. The same code then normalizes, encodes and decodes texts. */
#include "tokenizer_json.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base64.h"
#include "json.h"
#include "normal_form.h"
#include "sp_check.h"
#include "str_map.h"
#include "tree_file.h"
#include "utf8.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* --- The pieces: the vocabulary of the model and the added tokens, each with the type of a SentencePiece model.
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
 *   NORMAL        all others --- */

/* The longest piece in bytes. */
#define JSON_PIECE_MAX 4096

typedef struct {
    const char *text; /* in the JSON tree */
    size_t len;
    int32_t id;
    int32_t second_id; /* second id of a special token that is listed twice, or -1 */
    float score;
    SpPieceType type;
    uint32_t rank, merges; /* position among the merged pieces, from 1; number of ways to merge it */
} JsonPiece;

typedef struct {
    const char *path;
    JsonPiece *list; /* [count]: the model's own pieces first, in the file's order */
    size_t count, cap;
    StrMap *index; /* text -> index in `list` */
    bool bpe;      /* else unigram */
    bool bytes;    /* all of <0x00> to <0xFF> are in the vocabulary */
} JsonPieces;

#define MAX_PIECES ((size_t)VOCAB_MAX_ID)

/* Refuses an object with a key that is not among keys[0..count): what tokenizers would do with it is not known. `where`
 * begins the message. */
static Status check_keys(JsonObject object, const char *where, const char *const *keys, size_t count, Err *err)
{
    const char *key = json_unknown_key(object, keys, count);

    return key ? err_set(err, ERR_UNSUPPORTED, "%s: %sthe field \"%s\" is not supported", object.file, where, key) : OK;
}

static Status duplicate_error(const JsonPieces *pieces, const char *where, const char *text, Err *err)
{
    return err_set(err, ERR_FORMAT, "%s: %s: \"%s\" appears twice", pieces->path, where, text);
}

static Status add_piece(JsonPieces *pieces, JsonPiece piece, const char *where, Err *err)
{
    bool added;
    Status st;

    if (pieces->count >= MAX_PIECES) return err_set(err, ERR_FORMAT, "%s: too many pieces", pieces->path);
    st = buf_grow_list(&pieces->list, &pieces->cap, pieces->count, 1, sizeof *pieces->list, "a vocabulary", err);
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

/* Returns NULL if there is no such piece. */
static JsonPiece *find_piece(const JsonPieces *pieces, const char *text, size_t len)
{
    int32_t at = str_map_get(pieces->index, text, len, -1);

    return at < 0 ? NULL : &pieces->list[at];
}

/* Reads [["piece", score], ...]; the index is the id. Conversions of mBART and similar models put special tokens first,
 * although the model may already have one of them: as a control piece with the score 0, or as a piece of texts. */
static Status read_unigram(JsonPieces *pieces, const cJSON *vocab, Err *err)
{
    int32_t id = 0;
    Status st = OK;

    if (!cJSON_IsArray(vocab))
        return err_set(err, ERR_FORMAT, "%s: model.vocab must be a list of [piece, score]", pieces->path);
    for (const cJSON *node = vocab->child; st == OK && node; node = node->next, id++) {
        const cJSON *text = cJSON_IsArray(node) ? node->child : NULL, *score = text ? text->next : NULL;
        JsonPiece *known;
        if (!cJSON_IsString(text) || !cJSON_IsNumber(score) || score->next ||
            !(fabs(score->valuedouble) <= (double)FLT_MAX))
            return err_set(err, ERR_FORMAT, "%s: model.vocab[%d] must be [piece, score]", pieces->path, (int)id);
        known = find_piece(pieces, text->valuestring, strlen(text->valuestring));
        if (known && known->second_id < 0 && known->score == 0 && score->valuedouble == 0)
            known->second_id = id;
        else
            st = add_piece(
                pieces,
                (JsonPiece){
                    .text = text->valuestring, .id = id, .score = (float)score->valuedouble, .type = SP_NORMAL },
                "model.vocab", err);
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
        piece = find_piece(pieces, token, strlen(token));
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
        bytes[i] = find_piece(pieces, name, strlen(name));
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

/* Rejects a BPE model without byte pieces that treats unknown characters in another way than SentencePiece:
 * tokenizers drops them without an unknown token, and without "fuse_unk" it gives each of several adjacent ones a
 * token of its own, where SentencePiece joins them. */
static Status check_unknowns(const JsonPieces *pieces, JsonObject model, Err *err)
{
    bool fuses = false;
    Status st;

    if (!pieces->bytes && !json_member(model, "unk_token"))
        return err_set(err, ERR_UNSUPPORTED, "%s: model.unk_token is missing, and the model has no byte pieces",
                       pieces->path);
    st = json_get_bool(model, "fuse_unk", &fuses, err);
    if (st != OK || fuses || pieces->bytes) return st;
    return err_set(err, ERR_UNSUPPORTED, "%s: model.fuse_unk must be true if the model has no byte pieces",
                   pieces->path);
}

/* The flags control how a token is found in a text, so they do not matter for special tokens. */
static Status read_added_token(JsonPieces *pieces, JsonObject token, Err *err)
{
    static const char *const keys[] = { "id", "content", "special", "single_word", "lstrip", "rstrip", "normalized" };
    const char *content = NULL;
    int32_t id = -1;
    bool special = false, single_word = false, lstrip = false, rstrip = false;
    JsonPiece *piece;
    SpPieceType type;
    Status st = check_keys(token, "added_tokens: ", keys, COUNT(keys), err);

    if (st == OK) st = json_get_string(token, "content", &content, err);
    if (st == OK) st = json_get_id(token, "id", 0, VOCAB_MAX_ID, &id, err);
    if (st == OK) st = json_get_bool(token, "special", &special, err);
    if (st == OK) st = json_get_bool(token, "single_word", &single_word, err);
    if (st == OK) st = json_get_bool(token, "lstrip", &lstrip, err);
    if (st == OK) st = json_get_bool(token, "rstrip", &rstrip, err);
    if (st != OK) return st;
    if (!content || id < 0)
        return err_set(err, ERR_FORMAT, "%s: an added token needs \"id\" and \"content\"", token.file);
    if (!special && (single_word || lstrip || rstrip))
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: the added token \"%s\" has single_word, lstrip or rstrip: not supported", pieces->path,
                       content);
    piece = find_piece(pieces, content, strlen(content));
    type = special ? SP_CONTROL : SP_USER_DEFINED;
    if (!piece) return add_piece(pieces, (JsonPiece){ .text = content, .id = id, .type = type }, "added_tokens", err);
    if (id == piece->second_id) piece->id = id;
    if (piece->id != id)
        return err_set(err, ERR_FORMAT, "%s: the added token \"%s\" has the id %d, but %d in the vocabulary",
                       pieces->path, content, (int)id, (int)piece->id);
    if (piece->type == SP_NORMAL) piece->type = type;
    return OK;
}

static Status read_added_tokens(JsonPieces *pieces, JsonObject root, Err *err)
{
    const cJSON *list = json_member(root, "added_tokens");
    Status st = OK;

    if (!list) return OK;
    if (!cJSON_IsArray(list)) return err_set(err, ERR_FORMAT, "%s: added_tokens must be a list", pieces->path);
    for (const cJSON *node = list->child; st == OK && node; node = node->next) {
        if (!cJSON_IsObject(node))
            return err_set(err, ERR_FORMAT, "%s: added_tokens must be a list of objects", pieces->path);
        st = read_added_token(pieces, (JsonObject){ node, pieces->path }, err);
    }
    return st;
}

/* Reads root.model and root.added_tokens. The scores of a BPE model remain 0. The tree must outlive *out, which the
 * caller frees, even after an error. */
static Status read_pieces(JsonPieces *out, const cJSON *root, const char *path, Err *err)
{
    JsonObject top = { root, path }, model = { json_member(top, "model"), path };
    static const char *const keys[] = { "version",       "truncation",     "padding", "added_tokens", "normalizer",
                                        "pre_tokenizer", "post_processor", "decoder", "model" };
    Status st;

    *out = (JsonPieces){ .path = path };
    st = check_keys(top, "", keys, COUNT(keys), err);
    if (st != OK) return st;
    if (!cJSON_IsObject(model.node)) return err_set(err, ERR_FORMAT, "%s: model must be an object", path);
    st = str_map_new(&out->index, err);
    if (st == OK) {
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
        const cJSON *vocab = json_member(model, "vocab");
        /* Files written before tokenizers 0.9 do not name the kind of model. */
        const char *type = json_member(model, "merges") ? "BPE" : "Unigram";
        st = json_get_string(model, "type", &type, err);
        out->bpe = strcmp(type, "BPE") == 0;
        if (st == OK && !out->bpe && strcmp(type, "Unigram") != 0)
            st = err_set(err, ERR_UNSUPPORTED, "%s: a model of type \"%s\" is not supported (Unigram and BPE are)",
                         out->path, type);
        if (st == OK)
            st = out->bpe ? check_keys(model, "model: ", bpe, COUNT(bpe), err)
                          : check_keys(model, "model: ", unigram, COUNT(unigram), err);
        if (st == OK) st = out->bpe ? read_bpe(out, vocab, err) : read_unigram(out, vocab, err);
        if (st == OK && out->count == 0) st = err_set(err, ERR_FORMAT, "%s: model.vocab is empty", out->path);
        if (st == OK && out->bpe) st = check_bpe_options(out, model, err);
        if (st == OK) st = mark_unknown(out, model, err);
        if (st == OK) st = mark_bytes(out, model, err);
        st = st == OK && out->bpe ? check_unknowns(out, model, err) : st;
    }
    if (st == OK) st = read_added_tokens(out, top, err);
    /* Either of two pieces with the same text could be found in a text. */
    for (const JsonPiece *piece = out->list; st == OK && piece < out->list + out->count; piece++)
        if (piece->second_id >= 0 && piece->type != SP_CONTROL && piece->type != SP_UNKNOWN)
            st = duplicate_error(out, "model.vocab", piece->text, err);
    return st;
}

/* --- The scores of BPE pieces.
 * SentencePiece has no merges. It joins the two neighbours whose concatenation is the piece with the highest score
 * (the leftmost pair if scores are equal). The library tokenizers joins the pair whose merge comes first. Both give
 * the same result if
 *   - every way to split a piece into two pieces is a merge, and
 *   - the merges that make the same piece follow each other;
 * the score of a piece is then its negated position among the merged pieces. Conversions from SentencePiece write
 * such files: they list all splits and sort them by score. The two still differ where two merges for the same piece
 * overlap ("a|aa" and "aa|a" in "a aa a"); dragoman then does what SentencePiece does.
 * Merges of special tokens and user-defined symbols have no effect, because no text reaches them. Old conversions
 * lost the merges of the first piece: its score is 0, which counted as no score. If the ids follow the scores, its
 * position is known nevertheless. --- */

typedef struct {
    JsonPieces *pieces;
    size_t number;      /* index of the merge, for messages */
    JsonPiece *current; /* the piece that the last merges make */
    uint32_t ranks;     /* number of merged pieces so far */
    bool ids_follow;    /* the ids ascend with the ranks */
    Buf joined;
    uint32_t seen[JSON_PIECE_MAX + 1]; /* by length of the left part: the last rank that was split there */
} Scan;

typedef struct {
    const char *left, *right;
    size_t left_len, right_len;
} Merge;

static Status merge_fault(const Scan *scan, const char *what, Err *err)
{
    return err_set(err, ERR_FORMAT, "%s: model.merges[%zu] %s", scan->pieces->path, scan->number, what);
}

/* Reads "a b" or ["a", "b"]. */
static bool read_merge(const cJSON *node, Merge *merge)
{
    const cJSON *left = cJSON_IsArray(node) ? node->child : NULL, *right = left ? left->next : NULL;
    const char *space;

    if (cJSON_IsString(left) && cJSON_IsString(right) && !right->next) {
        *merge =
            (Merge){ left->valuestring, right->valuestring, strlen(left->valuestring), strlen(right->valuestring) };
    } else if (cJSON_IsString(node) && (space = strchr(node->valuestring, ' ')) && !strchr(space + 1, ' ')) {
        *merge = (Merge){ node->valuestring, space + 1, (size_t)(space - node->valuestring), strlen(space + 1) };
    } else {
        return false;
    }
    return merge->left_len && merge->right_len;
}

/* True if SentencePiece may join this neighbour, a piece or NULL, with others. It never joins user-defined symbols,
 * and a text of several characters must be a piece. */
static bool may_join(const JsonPiece *piece, const char *text, size_t len)
{
    uint32_t code;

    if (piece && piece->type == SP_NORMAL) return true;
    return (!piece || piece->type != SP_USER_DEFINED) && utf8_next(text, len, &code) == len;
}

static Status add_merge(Scan *scan, const cJSON *node, Err *err)
{
    const JsonPieces *pieces = scan->pieces;
    const JsonPiece *left, *right;
    JsonPiece *piece;
    Merge merge;
    Status st;

    if (!read_merge(node, &merge)) return merge_fault(scan, "is not two pieces", err);
    left = find_piece(pieces, merge.left, merge.left_len);
    right = find_piece(pieces, merge.right, merge.right_len);
    if (!left || !right) return merge_fault(scan, "joins a string that is not a piece", err);
    buf_clear(&scan->joined);
    buf_put(&scan->joined, merge.left, merge.left_len);
    buf_put(&scan->joined, merge.right, merge.right_len);
    st = buf_check(&scan->joined, err);
    if (st != OK) return st;
    piece = find_piece(pieces, scan->joined.data, scan->joined.len);
    if (!piece) return merge_fault(scan, "makes a string that is not a piece", err);
    if (piece->type != SP_NORMAL || !may_join(left, merge.left, merge.left_len) ||
        !may_join(right, merge.right, merge.right_len))
        return OK;
    /* Count one more way to make `piece`. */
    if (piece != scan->current) {
        if (piece->rank) {
            return err_set(err, ERR_UNSUPPORTED,
                           "%s: model.merges[%zu] makes \"%s\", which other merges made before \"%s\": no scores of "
                           "SentencePiece give that order",
                           scan->pieces->path, scan->number, piece->text, scan->current->text);
        }
        if (scan->current && piece->id < scan->current->id) scan->ids_follow = false;
        piece->rank = ++scan->ranks;
        scan->current = piece;
    }
    if (scan->seen[merge.left_len] == piece->rank) return merge_fault(scan, "appears twice", err);
    scan->seen[merge.left_len] = piece->rank;
    piece->merges++;
    return OK;
}

/* The search for all splits takes time quadratic in the length of a piece. */
#define LONGEST_MERGED ((size_t)256)

/* The number of ways to split the piece into two pieces. */
static uint32_t count_splits(const JsonPieces *pieces, const JsonPiece *piece)
{
    const char *text = piece->text;
    uint32_t ways = 0, code;

    for (size_t at = utf8_next(text, piece->len, &code); at < piece->len;
         at += utf8_next(text + at, piece->len - at, &code)) {
        size_t rest = piece->len - at;
        if (may_join(find_piece(pieces, text, at), text, at) &&
            may_join(find_piece(pieces, text + at, rest), text + at, rest))
            ways++;
    }
    return ways;
}

/* Checks that no split is missing. Sets *first to a piece that could be merged but no merge makes, or NULL. */
static Status check_ways(const Scan *scan, JsonPiece **first, Err *err)
{
    JsonPieces *pieces = scan->pieces;

    *first = NULL;
    for (size_t i = 0; i < pieces->count; i++) {
        JsonPiece *piece = &pieces->list[i];
        uint32_t ways;
        if (piece->type == SP_NORMAL && piece->len > LONGEST_MERGED) {
            return err_set(err, ERR_UNSUPPORTED, "%s: model.vocab: a piece of %zu bytes, more than %zu", pieces->path,
                           piece->len, LONGEST_MERGED);
        }
        ways = piece->type == SP_NORMAL ? count_splits(pieces, piece) : piece->merges;
        if (ways == piece->merges) continue;
        if (piece->merges == 0 && !*first) {
            *first = piece;
            continue;
        }
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: model.merges makes \"%s\" of %u of the %u pairs of pieces that it can be made of: "
                       "SentencePiece uses all of them, so it did not train this model",
                       pieces->path, piece->text, (unsigned)piece->merges, (unsigned)ways);
    }
    return OK;
}

static Status scan_merges(Scan *scan, const cJSON *merges, Err *err)
{
    JsonPieces *pieces = scan->pieces;
    JsonPiece *first;
    Status st = OK;

    for (const cJSON *node = merges->child; st == OK && node; node = node->next, scan->number++)
        st = add_merge(scan, node, err);
    if (st == OK) st = check_ways(scan, &first, err);
    if (st != OK) return st;
    for (size_t i = 0; i < pieces->count; i++) {
        JsonPiece *piece = &pieces->list[i];
        if (!piece->rank) continue;
        piece->score = -(float)piece->rank;
        if (first && piece->id < first->id) scan->ids_follow = false;
    }
    if (!first || scan->ids_follow) return OK;
    return err_set(err, ERR_UNSUPPORTED,
                   "%s: model.merges never makes \"%s\", though its parts are pieces; SentencePiece would",
                   pieces->path, first->text);
}

/* Sets the scores of a BPE model's pieces so that SentencePiece merges in the order of `merges` (["a b", ...] or [["a",
 * "b"], ...]). Fails if no such scores exist. */
static Status score_merges(JsonPieces *pieces, const cJSON *merges, Err *err)
{
    Scan *scan;
    Status st;

    if (!cJSON_IsArray(merges)) return err_set(err, ERR_FORMAT, "%s: model.merges must be a list", pieces->path);
    scan = calloc(1, sizeof *scan);
    if (!scan) return err_memory(err, "the merges");
    scan->pieces = pieces;
    scan->ids_follow = true;
    st = scan_merges(scan, merges, err);
    buf_free(&scan->joined);
    free(scan);
    return st;
}

/* --- The special tokens around a text.
 *     {"type": "TemplateProcessing",
 *      "single": [{"Sequence": {"id": "A"}}, {"SpecialToken": {"id": "</s>"}}],
 *      "special_tokens": {"</s>": {"id": "</s>", "ids": [1], "tokens": ["</s>"]}}} --- */

/* Upper limit for the special tokens around a text. */
#define MAX_AROUND 100

typedef struct {
    IdList *before, *after;
    JsonPieces *pieces;
    bool seen_template, seen_text;
    Err *err;
} PostReader;

static Status post_fault(const PostReader *r, const char *what)
{
    return err_set(r->err, ERR_FORMAT, "%s: post_processor: %s", r->pieces->path, what);
}

/* Appends a token of the template. Its string and its id must be those of the vocabulary. */
static Status add_post_token(PostReader *r, const cJSON *text, const cJSON *id)
{
    JsonPiece *piece =
        cJSON_IsString(text) ? find_piece(r->pieces, text->valuestring, strlen(text->valuestring)) : NULL;
    int64_t value;

    if (!cJSON_IsString(text) || !json_to_int64(id, 0, INT32_MAX, &value))
        return post_fault(r, "a special token needs \"ids\" and \"tokens\"");
    if (!piece || piece->id != value) {
        return err_set(r->err, ERR_FORMAT, "%s: post_processor: the vocabulary has no token \"%s\" with the id %lld",
                       r->pieces->path, text->valuestring, (long long)value);
    }
    if (r->before->len + r->after->len == MAX_AROUND) return post_fault(r, "too many special tokens");
    if (piece->type == SP_NORMAL) piece->type = SP_CONTROL;
    return ids_append(r->seen_text ? r->after : r->before, piece->id, r->err);
}

/* Reads {"SpecialToken": {"id": name}}; special_tokens gives the tokens of that name. */
static Status add_post_special(PostReader *r, JsonObject tokens, const cJSON *node)
{
    JsonObject item = { node, tokens.file }, found = { NULL, tokens.file };
    const cJSON *text, *id;
    const char *name = NULL;
    Status st = json_get_string(item, "id", &name, r->err);

    if (st != OK) return st;
    if (name) found.node = json_member(tokens, name);
    text = json_member(found, "tokens");
    id = json_member(found, "ids");
    if (!cJSON_IsArray(text) || !cJSON_IsArray(id) || !id->child)
        return post_fault(r, "a special token is missing in special_tokens");
    id = id->child;
    for (text = text->child; st == OK && (text || id); text = text->next, id = id->next) {
        if (!text || !id) return post_fault(r, "\"ids\" and \"tokens\" differ in length");
        st = add_post_token(r, text, id);
    }
    return st;
}

static Status read_template(PostReader *r, JsonObject template)
{
    static const char *const keys[] = { "type", "single", "pair", "special_tokens" };
    const cJSON *single = json_member(template, "single");
    JsonObject tokens = { json_member(template, "special_tokens"), template.file };
    Status st = check_keys(template, "post_processor: ", keys, sizeof keys / sizeof *keys, r->err);

    if (st != OK) return st;
    if (!cJSON_IsArray(single)) return post_fault(r, "\"single\" must be a list");
    if (r->seen_template) return post_fault(r, "two templates");
    r->seen_template = true;
    for (const cJSON *node = single->child; st == OK && node; node = node->next) {
        JsonObject item = { node, template.file };
        const cJSON *special = json_member(item, "SpecialToken"), *sequence = json_member(item, "Sequence");
        if (!special == !sequence)
            return post_fault(r, "each entry of \"single\" must be a SpecialToken or a Sequence");
        if (special) {
            st = add_post_special(r, tokens, special);
        } else {
            const char *name = "";
            st = json_get_string((JsonObject){ sequence, template.file }, "id", &name, r->err);
            if (st == OK && (strcmp(name, "A") != 0 || r->seen_text))
                st = post_fault(r, "\"single\" must contain the text A exactly once");
            r->seen_text = true;
        }
    }
    if (st == OK && !r->seen_text) st = post_fault(r, "\"single\" must contain the text A exactly once");
    return st;
}

/* Reads a TemplateProcessing, of which "single" counts. Appends the ids before and after the text, and marks their
 * tokens as CONTROL, so that text never becomes one of them. */
static Status read_processor(PostReader *r, JsonObject processor)
{
    const char *type = NULL;
    const cJSON *list = json_member(processor, "processors");
    Status st = json_get_string(processor, "type", &type, r->err);

    if (st != OK) return st;
    if (!type) return post_fault(r, "must be an object with \"type\"");
    if (strcmp(type, "TemplateProcessing") == 0) return read_template(r, processor);
    if (strcmp(type, "Sequence") != 0) {
        return err_set(r->err, ERR_UNSUPPORTED, "%s: post_processor %s is not supported%s", processor.file, type,
                       strcmp(type, "ByteLevel") == 0 ? ": byte-level BPE" : "");
    }
    if (!cJSON_IsArray(list)) return post_fault(r, "a Sequence needs a list \"processors\"");
    for (const cJSON *node = list->child; st == OK && node; node = node->next)
        st = read_processor(r, (JsonObject){ node, processor.file });
    return st;
}

/* --- The steps before and after the model, as far as SentencePiece can do the same.
 * The steps that conversions from SentencePiece write, and their meaning:
 *   normalizer     Nmt, NFKC, NFC, ...      normalization forms; written by no conversion, but by
 *                                           models that were trained with tokenizers
 *                  Precompiled              the character map
 *                  Replace / {2,}/ by " "   joins spaces (also with U+2581)
 *                  Strip                    removes spaces at the ends; so does Replace /\A +| +\z/ by ""
 *                  Prepend U+2581           adds a space before the text
 *                  Replace " " by U+2581    what SentencePiece always does
 *                  Replace /\A/ U+2581      by two of them: Metaspace would not add one before the first
 *   pre_tokenizer  WhitespaceSplit          joins spaces, and without a character map all white space; Metaspace must
 *                                           then add a space before each word
 *                  Metaspace                replaces spaces by U+2581 and adds one before the text; with "first",
 *                                           not before text that follows an added token
 *                  Split " "                no effect after a Replace of all spaces
 *   decoder        Metaspace                replaces U+2581 by spaces; removes those of the first piece,
 *                                           unless prepend_scheme is "never"
 *                  Replace U+2581 by " ", ByteFallback, Fuse, Strip:
 *                                           together the same; Strip removes the first space of the text
 * A step, a field of a step, or an order of steps that is not known here is refused: it would change the pieces.
 * On unusual texts tokenizers 0.22.2 differs from SentencePiece; dragoman then does what SentencePiece does:
 *   - Precompiled first looks up a grapheme of fewer than six bytes as a whole.
 *   - Replace joins spaces but keeps one that the character map puts first, and keeps U+2581 of the text, before
 *     which Metaspace adds no space.
 *   - Strip removes all white space; SentencePiece removes spaces. So does WhitespaceSplit, but a character map says
 *     what becomes a space.
 *   - Metaspace does not let a piece extend across a space; SentencePiece does.
 * The text between added tokens is encoded as a text of its own, with a space before it unless the Metaspace says
 * "first" or "never", or the text begins with one. A space at its end, before the next token, stays unless Strip or
 * WhitespaceSplit removes it (added.c): models learn their added tokens with tokenizers, not with SentencePiece. --- */

typedef struct {
    NormalForms forms;         /* applied first */
    Buf charsmap;              /* the precompiled character map, or empty */
    bool add_dummy_prefix;     /* adds a space before each text */
    bool no_space_after_added; /* but not before text that follows an added token */
    AddedSpace space_before_added;
    bool remove_extra_whitespaces; /* replaces runs of spaces by one and removes those at both ends */
    bool joins_white_space;        /* does so with all white space */
    SpOriginStyle origins;         /* how offset_mapping counts spaces */
    bool decodes;                  /* there is a decoder */
    SpStart start;                 /* how its texts begin */
} JsonSteps;

/* The state while the steps are read. */
typedef struct {
    JsonSteps *steps;
    const char *path;
    const char *part;       /* "normalizer", "pre_tokenizer" or "decoder" */
    bool formed;            /* a step that must come after forms and character map was read */
    bool prepends;          /* a space is added before the text */
    bool strips;            /* spaces at the ends are removed */
    bool strips_end;        /* those at the right end are */
    bool metaspace;         /* Metaspace was read */
    bool splits;            /* the text is split at white space, which is removed */
    bool escapes;           /* spaces become U+2581 */
    bool joins_escaped;     /* only several spaces have become U+2581 */
    bool unescapes, fuses;  /* the decoder has replaced U+2581; it has joined the pieces */
    bool decodes_metaspace; /* it has done both, as a Metaspace */
    Err *err;
} StepReader;

#define MOST_FIELDS 5 /* of a step */

/* A type of steps: what reads it, and the fields that tokenizers, up to version 0.23, writes. */
typedef struct {
    const char *type;
    Status (*read)(StepReader *r, JsonObject step, const char *type);
    const char *fields[MOST_FIELDS];
} StepKind;

static Status refuse(const StepReader *r, const char *type, const char *what)
{
    const char *why = strcmp(type, "ByteLevel") == 0 ? ": byte-level BPE" : "";

    return err_set(r->err, ERR_UNSUPPORTED, "%s: %s %s%s is not supported%s", r->path, r->part, type, what, why);
}

/* Reads a step, or each step of a Sequence, whose steps are in `list`. cJSON limits the depth of nesting. */
static Status walk(StepReader *r, const cJSON *node, const char *list, const StepKind *kinds)
{
    JsonObject step = { node, r->path };
    const char *type = NULL, *keys[1 + MOST_FIELDS] = { "type" }, *unknown;
    const cJSON *inner = json_member(step, list);
    Status st = json_get_string(step, "type", &type, r->err);

    if (st != OK) return st;
    if (!type) return err_set(r->err, ERR_FORMAT, "%s: %s must be an object with \"type\"", r->path, r->part);
    if (strcmp(type, "Sequence") == 0) {
        if (!cJSON_IsArray(inner))
            return err_set(r->err, ERR_FORMAT, "%s: %s Sequence needs a list \"%s\"", r->path, r->part, list);
        for (node = inner->child; st == OK && node; node = node->next) st = walk(r, node, list, kinds);
        return st;
    }
    while (kinds->type && strcmp(kinds->type, type) != 0) kinds++;
    if (!kinds->type) return refuse(r, type, "");
    memcpy(keys + 1, kinds->fields, sizeof kinds->fields);
    unknown = json_unknown_key(step, keys, 1 + MOST_FIELDS);
    if (unknown)
        return err_set(r->err, ERR_UNSUPPORTED, "%s: %s %s: the field \"%s\" is not supported", r->path, r->part, type,
                       unknown);
    return kinds->read(r, step, type);
}

/* {"pattern": {"String": " "} or {"Regex": " {2,}"}, "content": "..."} */
typedef struct {
    const char *string, *regex, *content;
} Replace;

static Status read_replace(const StepReader *r, JsonObject step, Replace *out)
{
    JsonObject pattern = { json_member(step, "pattern"), r->path };
    Status st = json_get_string(pattern, "String", &out->string, r->err);

    if (st == OK) st = json_get_string(pattern, "Regex", &out->regex, r->err);
    if (st == OK) st = json_get_string(step, "content", &out->content, r->err);
    if (st == OK && (!out->content || !out->string == !out->regex))
        st = err_set(r->err, ERR_FORMAT, "%s: Replace needs \"pattern\" and \"content\"", r->path);
    return st;
}

static bool is(const char *text, const char *wanted)
{
    return text && strcmp(text, wanted) == 0;
}

static bool is_space(const char *text)
{
    return is(text, " ") || is(text, SP_SPACE);
}

static Status read_charsmap(StepReader *r, JsonObject step, const char *type)
{
    const char *text = "";
    bool valid = true;
    Status st = json_get_string(step, "precompiled_charsmap", &text, r->err);

    if (st == OK && r->formed) st = refuse(r, type, " after another normalizer");
    r->formed = true;
    if (st == OK) st = base64_append(&r->steps->charsmap, text, strlen(text), &valid, r->err);
    if (st == OK && !valid) st = err_set(r->err, ERR_FORMAT, "%s: precompiled_charsmap is not base64", r->path);
    return st;
}

static Status read_form(StepReader *r, JsonObject step, const char *type)
{
    NormalForms *forms = &r->steps->forms;

    (void)step;
    if (r->formed || forms->count == NORMAL_FORMS_MAX) return refuse(r, type, " after another normalizer");
    return normal_form_find(type, &forms->list[forms->count++]) ? OK : refuse(r, type, "");
}

/* Whether a step that joins or removes spaces still finds all of them. */
static bool finds_spaces(const StepReader *r)
{
    return !r->escapes && !r->joins_escaped && !r->prepends;
}

static Status refuse_replace(const StepReader *r, const Replace *replace, const char *when)
{
    return err_set(r->err, ERR_UNSUPPORTED, "%s: %s Replace of \"%s\" by \"%s\"%s is not supported", r->path, r->part,
                   replace->string ? replace->string : replace->regex, replace->content, when);
}

static Status read_replacement(StepReader *r, JsonObject step, const char *type)
{
    Replace replace = { 0 };
    Status st = read_replace(r, step, &replace);

    (void)type;
    if (st != OK) return st;
    r->formed = true;
    if (is(replace.string, " ") && is(replace.content, SP_SPACE)) {
        r->escapes = true;
        return OK;
    }
    if (is(replace.regex, "\\A" SP_SPACE) && is(replace.content, SP_SPACE SP_SPACE) && r->escapes) return OK;
    if (is(replace.regex, " {2,}") && is_space(replace.content)) {
        r->steps->remove_extra_whitespaces = true;
    } else if (is(replace.regex, "\\A +| +\\z") && is(replace.content, "")) {
        r->strips = r->strips_end = true;
    } else {
        return refuse_replace(r, &replace, "");
    }
    if (!finds_spaces(r)) return refuse_replace(r, &replace, " after other changes of spaces");
    r->joins_escaped = is(replace.content, SP_SPACE);
    return OK;
}

static Status read_strip(StepReader *r, JsonObject step, const char *type)
{
    bool left = false, right = false;
    Status st = json_get_bool(step, "strip_left", &left, r->err);

    if (st == OK) st = json_get_bool(step, "strip_right", &right, r->err);
    if (st == OK && (left || right) && !finds_spaces(r)) st = refuse(r, type, " after other changes of spaces");
    if (left || right) r->strips = true;
    if (right) r->strips_end = true;
    r->formed = true;
    return st;
}

static Status read_prepend(StepReader *r, JsonObject step, const char *type)
{
    const char *prepend = "";
    Status st = json_get_string(step, "prepend", &prepend, r->err);

    if (st == OK && !is_space(prepend)) st = refuse(r, type, " of anything but a space");
    if (st == OK && r->prepends) st = refuse(r, type, " twice");
    if (st == OK && r->escapes && !is(prepend, SP_SPACE)) st = refuse(r, type, " after Replace of spaces");
    r->steps->add_dummy_prefix = r->prepends = r->formed = true;
    return st;
}

static const StepKind normalizers[] = {
    { "Nmt", read_form, { NULL } },
    { "NFC", read_form, { NULL } },
    { "NFD", read_form, { NULL } },
    { "NFKC", read_form, { NULL } },
    { "NFKD", read_form, { NULL } },
    { "Precompiled", read_charsmap, { "precompiled_charsmap" } },
    { "Replace", read_replacement, { "pattern", "content" } },
    { "Strip", read_strip, { "strip_left", "strip_right" } },
    { "Prepend", read_prepend, { "prepend" } },
    { NULL, NULL, { NULL } },
};

typedef enum { SCHEME_NEVER, SCHEME_FIRST, SCHEME_ALWAYS } Scheme;

#define METASPACE_FIELDS                                                                                               \
    {                                                                                                                  \
        "replacement", "prepend_scheme", "add_prefix_space", "split", "str_rep"                                        \
    }

/* Reads a Metaspace. "prepend_scheme" overrides the older "add_prefix_space". */
static Status read_metaspace(const StepReader *r, JsonObject step, Scheme *out)
{
    static const char *const names[] = { "never", "first", "always" };
    const char *symbol = SP_SPACE, *scheme = NULL;
    bool adds = true;
    Status st = json_get_string(step, "replacement", &symbol, r->err);

    if (st == OK) st = json_get_bool(step, "add_prefix_space", &adds, r->err);
    if (st == OK) st = json_get_string(step, "prepend_scheme", &scheme, r->err);
    if (st != OK) return st;
    if (!is(symbol, SP_SPACE)) return refuse(r, "Metaspace", " without U+2581");
    *out = adds ? SCHEME_ALWAYS : SCHEME_NEVER;
    for (int i = SCHEME_NEVER; scheme && i <= SCHEME_ALWAYS; i++) {
        if (!is(scheme, names[i])) continue;
        *out = (Scheme)i;
        return OK;
    }
    return scheme ? refuse(r, "Metaspace", " with an unknown prepend_scheme") : OK;
}

static Status add_metaspace(StepReader *r, JsonObject step, const char *type)
{
    Scheme scheme = SCHEME_NEVER;
    Status st = read_metaspace(r, step, &scheme);

    if (st != OK) return st;
    if (r->splits && scheme != SCHEME_ALWAYS)
        return refuse(r, type, " after WhitespaceSplit without a space before each word");
    if (scheme != SCHEME_NEVER) r->steps->add_dummy_prefix = true;
    if (scheme == SCHEME_FIRST) r->steps->no_space_after_added = true;
    r->escapes = r->metaspace = true;
    return OK;
}

/* After a step that makes U+2581 of spaces, it would split words only where there is other white space. */
static Status add_white_space_split(StepReader *r, JsonObject step, const char *type)
{
    (void)step;
    if (r->escapes || r->prepends || r->joins_escaped) return refuse(r, type, " after other changes of spaces");
    r->splits = r->steps->remove_extra_whitespaces = true;
    r->steps->joins_white_space = !r->steps->charsmap.len;
    r->steps->origins = SP_ORIGINS_TOKENIZERS_WORDS;
    return OK;
}

/* Without spaces there is nothing to split, but with "invert" everything. */
static Status add_split(StepReader *r, JsonObject step, const char *type)
{
    JsonObject pattern = { json_member(step, "pattern"), r->path };
    const char *split = NULL;
    bool invert = false;
    Status st = json_get_string(pattern, "String", &split, r->err);

    if (st == OK) st = json_get_bool(step, "invert", &invert, r->err);
    if (st == OK && (!is(split, " ") || !r->escapes)) st = refuse(r, type, "");
    return st == OK && invert ? refuse(r, type, " with \"invert\"") : st;
}

static const StepKind pre_tokenizers[] = {
    { "Metaspace", add_metaspace, METASPACE_FIELDS },
    { "WhitespaceSplit", add_white_space_split, { NULL } },
    { "Split", add_split, { "pattern", "behavior", "invert" } },
    { NULL, NULL, { NULL } },
};

/* Strip removes spaces at the ends of each piece, or of the text if Fuse has joined its pieces. */
static Status add_strip(StepReader *r, JsonObject step, const char *type)
{
    const char *content = NULL;
    size_t start = 0, stop = 0;
    Status st = json_get_string(step, "content", &content, r->err);

    if (st == OK) st = json_get_size(step, "start", 0, SIZE_MAX, &start, r->err);
    if (st == OK) st = json_get_size(step, "stop", 0, SIZE_MAX, &stop, r->err);
    if (st != OK) return st;
    if (!is(content, " ")) return refuse(r, type, "");
    if (!r->unescapes || !r->fuses) return refuse(r, type, " before Replace and Fuse");
    if (start > 1 || stop || (start && r->steps->start == SP_START_SPACE))
        return refuse(r, type, " of more than the first space");
    if (start) r->steps->start = SP_START_SPACE;
    return OK;
}

static Status add_decoding_metaspace(StepReader *r, JsonObject step, const char *type)
{
    Scheme scheme = SCHEME_NEVER;
    Status st = read_metaspace(r, step, &scheme);

    if (st == OK && (r->unescapes || r->fuses || r->decodes_metaspace)) st = refuse(r, type, " after another decoder");
    if (scheme != SCHEME_NEVER) r->steps->start = SP_START_PIECE;
    r->decodes_metaspace = true;
    return st;
}

static Status add_decoding_replace(StepReader *r, JsonObject step, const char *type)
{
    Replace replace = { 0 };
    Status st = read_replace(r, step, &replace);

    if (st != OK) return st;
    if (!is(replace.string, SP_SPACE) || !is(replace.content, " ")) return refuse_replace(r, &replace, "");
    r->unescapes = true;
    return r->decodes_metaspace ? refuse(r, type, " after Metaspace") : OK;
}

static Status add_byte_fallback(StepReader *r, JsonObject step, const char *type)
{
    (void)step;
    return r->fuses ? refuse(r, type, " after Fuse") : OK;
}

static Status add_fuse(StepReader *r, JsonObject step, const char *type)
{
    (void)step;
    (void)type;
    r->fuses = true;
    return OK;
}

static const StepKind decoders[] = {
    { "Metaspace", add_decoding_metaspace, METASPACE_FIELDS },
    { "Replace", add_decoding_replace, { "pattern", "content" } },
    { "ByteFallback", add_byte_fallback, { NULL } },
    { "Fuse", add_fuse, { NULL } },
    { "Strip", add_strip, { "content", "start", "stop" } },
    { NULL, NULL, { NULL } },
};

/* Reads one of the three members; null means that it has no steps. */
static Status read_part(StepReader *r, JsonObject root, const char *key, const char *list, const StepKind *kinds)
{
    const cJSON *node = json_member(root, key);

    r->part = key;
    return node ? walk(r, node, list, kinds) : OK;
}

/* Reads root.normalizer, pre_tokenizer and decoder. A step that SentencePiece cannot do is ERR_UNSUPPORTED and named
 * in the message. */
static Status read_steps(JsonSteps *out, const cJSON *root, const char *path, Err *err)
{
    JsonObject top = { root, path };
    StepReader r = { .steps = out, .path = path, .err = err };
    Status st;

    *out = (JsonSteps){ .origins = SP_ORIGINS_TOKENIZERS };
    st = read_part(&r, top, "normalizer", "normalizers", normalizers);
    if (st == OK) st = read_part(&r, top, "pre_tokenizer", "pretokenizers", pre_tokenizers);
    if (st == OK) st = read_part(&r, top, "decoder", "decoders", decoders);
    if (st != OK) return st;
    out->decodes = json_member(top, "decoder") != NULL;
    if (out->decodes && !r.unescapes && !r.decodes_metaspace)
        return err_set(err, ERR_UNSUPPORTED, "%s: no step of the decoder replaces U+2581 by spaces", path);
    if (!r.escapes) {
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: no step replaces spaces by U+2581 (Metaspace), so the model is not from SentencePiece",
                       path);
    }
    if (r.strips && !out->remove_extra_whitespaces)
        return err_set(err, ERR_UNSUPPORTED, "%s: normalizer Strip without joining spaces is not supported", path);
    /* A Metaspace makes a piece of a space that nothing before it removes. */
    out->space_before_added = !r.metaspace || r.splits ? ADDED_SPACE_DROPPED
                              : r.strips_end           ? ADDED_SPACE_NORMALIZED_ONLY
                                                       : ADDED_SPACE_KEPT;
    return OK;
}

/* --- The whole. --- */

/* Rejects a symbol that the forms change, because it could never be found in a text. */
static Status check_symbols(const JsonPieces *pieces, const NormalForms *forms, Err *err)
{
    Buf formed = { 0 };
    Status st = OK;

    for (size_t i = 0; st == OK && forms->count && i < pieces->count; i++) {
        const JsonPiece *piece = &pieces->list[i];
        if (piece->type != SP_USER_DEFINED) continue;
        buf_clear(&formed);
        st = normal_form_append(forms, piece->text, piece->len, &formed, NULL, err);
        if (st == OK && (formed.len != piece->len || memcmp(formed.data, piece->text, piece->len) != 0)) {
            st = err_set(err, ERR_UNSUPPORTED, "%s: the added token \"%s\" is not in the form of the normalizer",
                         pieces->path, piece->text);
        }
    }
    buf_free(&formed);
    return st;
}

/* Conversions write that spaces are joined for every model. A piece with two consecutive spaces shows that they are
 * not, because no training that joins spaces can produce it. Models with the space after the word
 * (treat_whitespace_as_suffix) are converted as if it came before. */
static Status build_model(Buf *model, const JsonPieces *pieces, const JsonSteps *steps, Err *err)
{
    const size_t size = strlen(SP_SPACE);
    size_t leading = 0, trailing = 0; /* pieces with a space before or after other text */
    bool has_runs = false;            /* some piece has two consecutive spaces */
    Status st = OK;

    for (const JsonPiece *piece = pieces->list; piece < pieces->list + pieces->count; piece++) {
        if (piece->type != SP_NORMAL) continue;
        if (strstr(piece->text, SP_SPACE SP_SPACE)) has_runs = true;
        if (piece->len <= size) continue;
        if (memcmp(piece->text, SP_SPACE, size) == 0)
            leading++;
        else if (memcmp(piece->text + piece->len - size, SP_SPACE, size) == 0)
            trailing++;
    }
    if (steps->add_dummy_prefix && trailing && !leading)
        return err_set(err, ERR_UNSUPPORTED, "%s: pieces with the space after the word are not supported",
                       pieces->path);
    for (const JsonPiece *piece = pieces->list; st == OK && piece < pieces->list + pieces->count; piece++)
        st = sp_build_piece(model, piece->text, piece->len, piece->score, piece->type, err);
    if (st != OK) return st;
    return sp_build_settings(model,
                             &(SpSettings){ .bpe = pieces->bpe,
                                            .bytes = pieces->bytes,
                                            .add_dummy_prefix = steps->add_dummy_prefix,
                                            .remove_extra_whitespaces = steps->remove_extra_whitespaces && !has_runs,
                                            .charsmap = &steps->charsmap },
                             err);
}

/* Reads the tree: everything except the SentencePiece model itself, whose bytes are appended to *model. The quick
 * checks come first. */
static Status read_tree(TokenizerJson *out, Buf *model, JsonSteps *steps, JsonObject root, Err *err)
{
    JsonObject node = { json_member(root, "model"), root.file };
    JsonObject processor = { json_member(root, "post_processor"), root.file };
    JsonPieces pieces = { 0 };
    PostReader post = { .before = &out->before, .after = &out->after, .pieces = &pieces, .err = err };
    Status st = read_steps(steps, root.node, root.file, err);

    if (st == OK) st = read_pieces(&pieces, root.node, root.file, err);
    if (st == OK && processor.node) st = read_processor(&post, processor);
    if (st == OK && pieces.bpe) st = score_merges(&pieces, json_member(node, "merges"), err);
    if (st == OK) {
        st = vocab_new(&out->vocab, pieces.path, err);
        for (size_t i = 0; st == OK && i < pieces.count; i++)
            st = vocab_add(out->vocab, pieces.list[i].text, pieces.list[i].len, pieces.list[i].id, err);
        if (st == OK) st = vocab_complete(out->vocab, err);
        for (size_t i = 0; st == OK && i < pieces.count; i++)
            if (pieces.list[i].type == SP_CONTROL || pieces.list[i].type == SP_UNKNOWN)
                vocab_mark_special(out->vocab, pieces.list[i].text);
    }
    if (st == OK) st = check_symbols(&pieces, &steps->forms, err);
    if (st == OK) st = build_model(model, &pieces, steps, err);
    free(pieces.list);
    str_map_free(pieces.index);
    return st;
}

/* Takes ownership of the tree, which is large, and frees it before SentencePiece builds its tables. */
static Status open_tree(TokenizerJson *out, cJSON *root, const char *path, Err *err)
{
    Buf model = { 0 };
    JsonSteps steps;
    Status st = read_tree(out, &model, &steps, (JsonObject){ root, path }, err);

    cJSON_Delete(root);
    if (st == OK) st = sp_shim_open_bytes(&out->sp, (const unsigned char *)model.data, model.len, path, err);
    if (st == OK) sp_shim_set_forms(out->sp, &steps.forms);
    if (st == OK) sp_shim_set_origins(out->sp, steps.origins);
    if (st == OK) sp_shim_set_white_space(out->sp, steps.joins_white_space);
    if (st == OK && steps.decodes) sp_shim_set_start(out->sp, steps.start);
    out->no_space_after_added = steps.no_space_after_added;
    out->space_before_added = steps.space_before_added;
    buf_free(&steps.charsmap);
    buf_free(&model);
    return st;
}

Status tokenizer_json_parse(TokenizerJson *out, const char *text, size_t len, const char *name, Err *err)
{
    cJSON *root;
    Status st = json_parse(&root, text, len, name, err);

    *out = (TokenizerJson){ 0 };
    return st == OK ? open_tree(out, root, name, err) : st;
}

Status tokenizer_json_open(TokenizerJson *out, const FileView *file, Err *err)
{
    cJSON *root;
    Status st = tree_file_parse_json(&root, &file->map, file->path, NULL, err);

    *out = (TokenizerJson){ 0 };
    return st == OK ? open_tree(out, root, file->path, err) : st;
}

void tokenizer_json_free(TokenizerJson *json)
{
    sp_shim_free(json->sp);
    vocab_free(json->vocab);
    ids_free(&json->before);
    ids_free(&json->after);
    *json = (TokenizerJson){ 0 };
}
