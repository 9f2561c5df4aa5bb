/* tokenizer_json.c - see tokenizer_json.h.
 * Makes a SentencePiece model (SpTraits) from two parts of the file: the pieces, with their types and scores, and the
 * steps around the model. The same code then normalizes, encodes and decodes texts as with a model from a file. */
#include "tokenizer_json.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "normal_form.h"
#include "sp_model.h"
#include "str_map.h"
#include "tree_file.h"
#include "utf8.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Read members of any object of the file. Sticky, like all functions with a JsonReader: after a fault, they return the
 * default values, and nothing is added. */

static JsonReader *at(JsonReader *f, const cJSON *object)
{
    f->json.node = object;
    return f;
}

static const char *text_of(JsonReader *f, const cJSON *object, const char *key, const char *usual)
{
    json_read_string(at(f, object), key, &usual);
    return usual;
}

static bool flag_of(JsonReader *f, const cJSON *object, const char *key, bool usual)
{
    json_read_bool(at(f, object), key, &usual);
    return usual;
}

/* The id of a token; -1 if there is no such member. */
static int32_t id_of(JsonReader *f, const cJSON *object, const char *key)
{
    int32_t id = -1;

    json_read_id(at(f, object), key, 0, VOCAB_MAX_ID, &id);
    return id;
}

static const cJSON *member_of(const cJSON *object, const char *key)
{
    return json_member((JsonObject){ object, "" }, key);
}

/* Refuses an object with a key that is not among keys[0..count), because its effect is unknown. `where` begins the
 * message. */
static void check_keys(JsonReader *f, const cJSON *object, const char *where, const char *const *keys, size_t count)
{
    const char *key = json_unknown_key((JsonObject){ object, f->json.file }, keys, count);

    if (key) json_fault(f, ERR_UNSUPPORTED, "%sthe field \"%s\" is not supported", where, key);
}

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

typedef struct {
    const char *text; /* in the JSON tree */
    size_t len;
    int32_t id;
    int32_t second_id; /* second id of a special token that is listed twice, or -1 */
    float score;
    SpPieceType type;
    uint32_t rank, merges; /* position among the merged pieces, from 1; number of merges that make it */
} JsonPiece;

typedef struct {
    JsonReader *file;
    JsonPiece *list; /* [count]: the model's own pieces first, in the file's order */
    size_t count, cap;
    StrMap *index;    /* text -> index in `list` */
    bool bpe;         /* else unigram */
    ByteLevel *level; /* byte-level BPE; else NULL */
    bool exact;       /* see tokenizer_json_open_exact() */
    bool bytes;       /* all of <0x00> to <0xFF> are in the vocabulary */
} JsonPieces;

#define MAX_PIECES ((size_t)VOCAB_MAX_ID)

static void add_piece(JsonPieces *pieces, JsonPiece piece, const char *where)
{
    JsonReader *f = pieces->file;
    bool added = false;

    if (f->st != OK) return;
    piece.len = strlen(piece.text);
    piece.second_id = -1;
    if (pieces->count >= MAX_PIECES) json_fault(f, ERR_FORMAT, "too many pieces");
    if (piece.len == 0) json_fault(f, ERR_FORMAT, "%s: piece %d is empty", where, piece.id);
    if (piece.len > SP_PIECE_MAX) json_fault(f, ERR_FORMAT, "%s: piece %d is too long", where, piece.id);
    if (f->st == OK)
        f->st = buf_grow_list(&pieces->list, &pieces->cap, pieces->count, 1, sizeof piece, "a vocabulary", f->err);
    if (f->st == OK) f->st = str_map_add(pieces->index, piece.text, piece.len, (int32_t)pieces->count, &added, f->err);
    if (!added) json_fault(f, ERR_FORMAT, "%s: \"%s\" appears twice", where, piece.text);
    if (f->st == OK) pieces->list[pieces->count++] = piece;
}

/* Returns NULL if there is no such piece. */
static JsonPiece *find_piece(const JsonPieces *pieces, const char *text, size_t len)
{
    int32_t at = str_map_get(pieces->index, text, len, -1);

    return at < 0 ? NULL : &pieces->list[at];
}

static JsonPiece *find_text(const JsonPieces *pieces, const char *text)
{
    return find_piece(pieces, text, strlen(text));
}

/* Reads [["piece", score], ...]; the index is the id. Conversions of mBART and similar models put special tokens first,
 * although the model may already have one of them: as a control piece with the score 0, or as an ordinary piece. */
static void read_unigram(JsonPieces *pieces, const cJSON *vocab)
{
    JsonReader *f = pieces->file;
    int32_t id = 0;

    if (!cJSON_IsArray(vocab)) json_fault(f, ERR_FORMAT, "model.vocab must be a list of [piece, score]");
    for (const cJSON *node = vocab ? vocab->child : NULL; f->st == OK && node; node = node->next, id++) {
        const cJSON *text = cJSON_IsArray(node) ? node->child : NULL, *score = text ? text->next : NULL;
        JsonPiece *known;
        if (!cJSON_IsString(text) || !cJSON_IsNumber(score) || score->next ||
            !(fabs(score->valuedouble) <= (double)FLT_MAX)) {
            json_fault(f, ERR_FORMAT, "model.vocab[%d] must be [piece, score]", (int)id);
            break;
        }
        known = find_text(pieces, text->valuestring);
        if (known && known->second_id < 0 && known->score == 0 && score->valuedouble == 0)
            known->second_id = id;
        else
            add_piece(pieces,
                      (JsonPiece){
                          .text = text->valuestring, .id = id, .score = (float)score->valuedouble, .type = SP_NORMAL },
                      "model.vocab");
    }
}

/* Reads {"piece": id, ...}. `where` begins messages. */
static void read_bpe(JsonPieces *pieces, const cJSON *vocab, const char *where)
{
    JsonReader *f = pieces->file;

    if (!cJSON_IsObject(vocab)) json_fault(f, ERR_FORMAT, "%s must be an object of ids", where);
    for (const cJSON *node = vocab ? vocab->child : NULL; f->st == OK && node; node = node->next) {
        int64_t id = 0;
        if (!json_to_int64(node, 0, VOCAB_MAX_ID, &id))
            json_fault(f, ERR_FORMAT, "%s: the id of \"%s\" must be a whole number from 0 to %d", where, node->string,
                       VOCAB_MAX_ID);
        add_piece(pieces, (JsonPiece){ .text = node->string, .id = (int32_t)id, .type = SP_NORMAL }, where);
    }
}

/* Rejects options that neither SentencePiece's BPE nor byte-level BPE has. */
static void check_bpe_options(const JsonPieces *pieces, const cJSON *model)
{
    JsonReader *f = pieces->file;
    const ByteLevel *level = pieces->level;
    const char *prefix = text_of(f, model, "continuing_subword_prefix", ""), *what = NULL;
    const char *suffix = text_of(f, model, "end_of_word_suffix", "");
    float dropout = 0;

    json_read_float(at(f, model), "dropout", 0, 1, &dropout);
    if (*prefix) what = "continuing_subword_prefix";
    if (*suffix) what = "end_of_word_suffix";
    if (dropout != 0) what = "dropout";
    if (!level && !pieces->exact && flag_of(f, model, "ignore_merges", false)) what = "ignore_merges";
    if (level && flag_of(f, model, "byte_fallback", false)) what = "byte_fallback";
    if (what) json_fault(f, ERR_UNSUPPORTED, "model.%s is not supported", what);
}

static void mark_unknown(JsonPieces *pieces, const cJSON *model)
{
    JsonReader *f = pieces->file;

    if (pieces->bpe) {
        const char *token = text_of(f, model, "unk_token", "<unk>");
        JsonPiece *piece = find_text(pieces, token);
        if (piece)
            piece->type = SP_UNKNOWN;
        else
            json_fault(f, ERR_FORMAT, "the unknown token \"%s\" is not in the vocabulary", token);
    } else {
        const int32_t id = id_of(f, model, "unk_id");
        if (id < 0) json_fault(f, ERR_UNSUPPORTED, "model.unk_id is missing");
        for (size_t i = 0; f->st == OK && i < pieces->count; i++) {
            JsonPiece *piece = &pieces->list[i];
            if (piece->id != id && piece->second_id != id) continue;
            piece->type = SP_UNKNOWN;
            piece->id = id;
            return;
        }
        json_fault(f, ERR_FORMAT, "model.unk_id %d is not in model.vocab", (int)id);
    }
}

/* Marks the byte pieces if all 256 exist. With byte_fallback, it is an error if only some exist. A model without any
 * is valid, because conversions set the flag even for such a model. A file that is read exactly, Gemma's for example,
 * may have the character (a tab) instead of its byte. */
static void mark_bytes(JsonPieces *pieces, const cJSON *model)
{
    JsonPiece *bytes[256];
    const bool wanted = flag_of(pieces->file, model, "byte_fallback", false);
    size_t found = 0;
    int missing = -1;

    for (int i = 0; i < 256; i++) {
        const char own = (char)i;
        char name[8];
        snprintf(name, sizeof name, "<0x%02X>", (unsigned)i);
        bytes[i] = find_text(pieces, name);
        if (bytes[i] && bytes[i]->type != SP_NORMAL) bytes[i] = NULL;
        if (bytes[i])
            found++;
        else if (missing < 0 && !(pieces->exact && i < 0x80 && find_piece(pieces, &own, 1)))
            missing = i;
    }
    if (wanted && found > 0 && missing >= 0)
        json_fault(pieces->file, ERR_UNSUPPORTED,
                   "model.byte_fallback needs all of <0x00> to <0xFF>: <0x%02X> is missing", (unsigned)missing);
    pieces->bytes = missing < 0;
    if (pieces->exact && (!wanted || !found)) pieces->bytes = false;
    for (int i = 0; pieces->bytes && i < 256; i++)
        if (bytes[i]) bytes[i]->type = SP_BYTE;
}

/* The flags control how a token is found in a text, so they do not matter for special tokens. */
static void read_added_token(JsonPieces *pieces, const cJSON *token)
{
    static const char *const keys[] = { "id", "content", "special", "single_word", "lstrip", "rstrip", "normalized" };
    JsonReader *f = pieces->file;
    const char *content;
    int32_t id;
    bool special, single_word, lstrip, rstrip;
    JsonPiece *piece;
    SpPieceType type;

    check_keys(f, token, "added_tokens: ", keys, COUNT(keys));
    content = text_of(f, token, "content", NULL);
    id = id_of(f, token, "id");
    special = flag_of(f, token, "special", false);
    single_word = flag_of(f, token, "single_word", false);
    lstrip = flag_of(f, token, "lstrip", false);
    rstrip = flag_of(f, token, "rstrip", false);
    if (!content || id < 0) json_fault(f, ERR_FORMAT, "an added token needs \"id\" and \"content\"");
    if (!special && (single_word || lstrip || rstrip))
        json_fault(f, ERR_UNSUPPORTED, "the added token \"%s\" has single_word, lstrip or rstrip: not supported",
                   content);
    if (f->st != OK) return;
    piece = find_text(pieces, content);
    type = special ? SP_CONTROL : SP_USER_DEFINED;
    if (!piece) {
        add_piece(pieces, (JsonPiece){ .text = content, .id = id, .type = type }, "added_tokens");
        return;
    }
    if (id == piece->second_id) piece->id = id;
    if (piece->id != id)
        json_fault(f, ERR_FORMAT, "the added token \"%s\" has the id %d, but %d in the vocabulary", content, (int)id,
                   (int)piece->id);
    if (piece->type == SP_NORMAL && (special || !pieces->exact)) piece->type = type;
}

/* Reads root.model and root.added_tokens. The scores of a BPE model remain 0. The tree must outlive the pieces. */
static void read_pieces(JsonPieces *pieces, const cJSON *root)
{
    static const char *const keys[] = { "version",       "truncation",     "padding", "added_tokens", "normalizer",
                                        "pre_tokenizer", "post_processor", "decoder", "model" };
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
    JsonReader *f = pieces->file;
    const cJSON *model = member_of(root, "model"), *vocab = member_of(model, "vocab");
    const cJSON *tokens = member_of(root, "added_tokens");
    const char *type;

    check_keys(f, root, "", keys, COUNT(keys));
    if (!cJSON_IsObject(model)) json_fault(f, ERR_FORMAT, "model must be an object");
    if (f->st == OK) f->st = str_map_new(&pieces->index, f->err);
    /* Files written before tokenizers 0.9 do not name the kind of model. */
    type = text_of(f, model, "type", member_of(model, "merges") ? "BPE" : "Unigram");
    pieces->bpe = strcmp(type, "BPE") == 0;
    if (!pieces->bpe && strcmp(type, "Unigram") != 0)
        json_fault(f, ERR_UNSUPPORTED, "a model of type \"%s\" is not supported (Unigram and BPE are)", type);
    if (pieces->level && !pieces->bpe)
        json_fault(f, ERR_UNSUPPORTED, "pre_tokenizer ByteLevel with a model of type \"%s\" is not supported (BPE is)",
                   type);
    check_keys(f, model, "model: ", pieces->bpe ? bpe : unigram, pieces->bpe ? COUNT(bpe) : COUNT(unigram));
    if (pieces->bpe)
        read_bpe(pieces, vocab, "model.vocab");
    else
        read_unigram(pieces, vocab);
    if (pieces->count == 0) json_fault(f, ERR_FORMAT, "model.vocab is empty");
    if (pieces->bpe) check_bpe_options(pieces, model);
    if (f->st != OK) return;
    if (pieces->level) {
        pieces->level->drops_unknown = !member_of(model, "unk_token");
        pieces->level->joins_unknown = flag_of(f, model, "fuse_unk", false);
    }
    if (!pieces->level || !pieces->level->drops_unknown) mark_unknown(pieces, model);
    if (!pieces->level) mark_bytes(pieces, model);
    /* A BPE model without byte pieces must treat unknown characters as SentencePiece does: tokenizers drops them
     * without an unknown token, and without "fuse_unk" it gives each of several adjacent ones its own token,
     * where SentencePiece joins them. */
    const bool needs_unknown = pieces->bpe && !pieces->bytes && !pieces->level;
    if (needs_unknown && !member_of(model, "unk_token"))
        json_fault(f, ERR_UNSUPPORTED, "model.unk_token is missing, and the model has no byte pieces");
    if (needs_unknown && !flag_of(f, model, "fuse_unk", false))
        json_fault(f, ERR_UNSUPPORTED, "model.fuse_unk must be true if the model has no byte pieces");

    if (tokens && !cJSON_IsArray(tokens)) json_fault(f, ERR_FORMAT, "added_tokens must be a list");
    for (const cJSON *node = tokens ? tokens->child : NULL; f->st == OK && node; node = node->next) {
        if (!cJSON_IsObject(node)) json_fault(f, ERR_FORMAT, "added_tokens must be a list of objects");
        read_added_token(pieces, node);
    }
    /* Only special tokens may be listed twice: of other equal pieces, either could be found in a text. */
    for (const JsonPiece *piece = pieces->list; piece < pieces->list + pieces->count; piece++)
        if (piece->second_id >= 0 && piece->type != SP_CONTROL && piece->type != SP_UNKNOWN)
            json_fault(f, ERR_FORMAT, "model.vocab: \"%s\" appears twice", piece->text);
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
    uint32_t seen[SP_PIECE_MAX + 1]; /* entry i: rank of the last piece made by a merge whose left part has i bytes */
} Scan;

typedef struct {
    const char *left, *right;
    size_t left_len, right_len;
} Merge;

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

/* True if SentencePiece may join this piece (NULL: no such piece), whose text is given, with a neighbour. It never
 * joins user-defined symbols, and a text of several characters must be a piece. */
static bool may_join(const JsonPiece *piece, const char *text, size_t len)
{
    uint32_t code;

    if (piece && piece->type == SP_NORMAL) return true;
    return (!piece || piece->type != SP_USER_DEFINED) && utf8_next(text, len, &code) == len;
}

static void add_merge(Scan *scan, const cJSON *node)
{
    const JsonPieces *pieces = scan->pieces;
    JsonReader *f = pieces->file;
    const JsonPiece *left, *right;
    JsonPiece *piece;
    const char *fault = NULL;
    Merge merge;

    if (!read_merge(node, &merge)) {
        json_fault(f, ERR_FORMAT, "model.merges[%zu] is not two pieces", scan->number);
        return;
    }
    left = find_piece(pieces, merge.left, merge.left_len);
    right = find_piece(pieces, merge.right, merge.right_len);
    buf_clear(&scan->joined);
    buf_put(&scan->joined, merge.left, merge.left_len);
    buf_put(&scan->joined, merge.right, merge.right_len);
    f->st = buf_check(&scan->joined, f->err);
    if (f->st != OK) return;
    piece = find_piece(pieces, scan->joined.data, scan->joined.len);
    if (!piece) fault = "makes a string that is not a piece";
    if (!left || !right) fault = "joins a string that is not a piece";
    if (!fault && piece->type == SP_NORMAL && may_join(left, merge.left, merge.left_len) &&
        may_join(right, merge.right, merge.right_len)) {
        /* Count one more way to make `piece`. */
        if (piece != scan->current) {
            if (piece->rank)
                json_fault(f, ERR_UNSUPPORTED,
                           "model.merges[%zu] makes \"%s\", which other merges made before \"%s\": no scores of "
                           "SentencePiece give that order",
                           scan->number, piece->text, scan->current->text);
            if (scan->current && piece->id < scan->current->id) scan->ids_follow = false;
            piece->rank = ++scan->ranks;
            scan->current = piece;
        }
        if (scan->seen[merge.left_len] == piece->rank) fault = "appears twice";
        scan->seen[merge.left_len] = piece->rank;
        piece->merges++;
    }
    if (fault) json_fault(f, ERR_FORMAT, "model.merges[%zu] %s", scan->number, fault);
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

/* Checks that the merges use all splits of all pieces. Returns the first piece with splits but no merge, or NULL. */
static const JsonPiece *check_ways(const JsonPieces *pieces)
{
    const JsonPiece *first = NULL;

    for (const JsonPiece *piece = pieces->list; piece < pieces->list + pieces->count; piece++) {
        uint32_t ways;
        if (piece->type != SP_NORMAL) continue; /* its merges have not been counted */
        if (piece->len > LONGEST_MERGED) {
            json_fault(pieces->file, ERR_UNSUPPORTED, "model.vocab: a piece of %zu bytes, more than %zu", piece->len,
                       LONGEST_MERGED);
            break;
        }
        ways = count_splits(pieces, piece);
        if (ways == piece->merges) continue;
        if (piece->merges == 0 && !first) {
            first = piece;
            continue;
        }
        json_fault(
            pieces->file, ERR_UNSUPPORTED,
            "model.merges makes \"%s\" of %u of the %u pairs of pieces that it can be made of: SentencePiece uses all "
            "of them, so it did not train this model",
            piece->text, (unsigned)piece->merges, (unsigned)ways);
        break;
    }
    return first;
}

/* Sets the scores of a BPE model's pieces so that SentencePiece merges in the order of `merges` (["a b", ...] or [["a",
 * "b"], ...]). Fails if no such scores exist. */
static void score_merges(JsonPieces *pieces, const cJSON *merges)
{
    JsonReader *f = pieces->file;
    const JsonPiece *first;
    Scan *scan;

    if (!cJSON_IsArray(merges)) json_fault(f, ERR_FORMAT, "model.merges must be a list");
    if (f->st != OK) return;
    scan = calloc(1, sizeof *scan);
    if (!scan) {
        f->st = err_memory(f->err, "the merges");
        return;
    }
    scan->pieces = pieces;
    scan->ids_follow = true;
    for (const cJSON *node = merges->child; f->st == OK && node; node = node->next, scan->number++)
        add_merge(scan, node);
    first = f->st == OK ? check_ways(pieces) : NULL;
    for (size_t i = 0; i < pieces->count; i++) {
        JsonPiece *piece = &pieces->list[i];
        if (!piece->rank) continue;
        piece->score = -(float)piece->rank;
        if (first && piece->id < first->id) scan->ids_follow = false;
    }
    if (first && !scan->ids_follow)
        json_fault(f, ERR_UNSUPPORTED,
                   "model.merges never makes \"%s\", though its parts are pieces; SentencePiece would", first->text);
    buf_free(&scan->joined);
    free(scan);
}

/* --- The merges of byte-level BPE, and of all BPE if the file is read exactly. Their order alone says what is joined
 * first. --- */

/* Adds a merge to the pieces of the model, which are those of `pieces`. Returns NULL, or a description of the fault. */
static const char *add_byte_merge(const JsonPieces *pieces, SpPieces *out, const Merge *merge)
{
    JsonReader *f = pieces->file;
    const JsonPiece *left = find_piece(pieces, merge->left, merge->left_len);
    const JsonPiece *right = find_piece(pieces, merge->right, merge->right_len);
    bool added = true, known;
    Buf joined = { 0 };

    buf_put(&joined, merge->left, merge->left_len);
    buf_put(&joined, merge->right, merge->right_len);
    f->st = buf_check(&joined, f->err);
    known = f->st != OK || find_piece(pieces, joined.data, joined.len);
    buf_free(&joined);
    if (!left || !right) return "joins a string that is not a piece";
    if (!known) return "makes a string that is not a piece";
    if (f->st == OK)
        f->st =
            sp_pieces_add_merge(out, (int32_t)(left - pieces->list), (int32_t)(right - pieces->list), &added, f->err);
    return added ? NULL : "appears twice";
}

/* --- The special tokens around a text.
 *     {"type": "TemplateProcessing",
 *      "single": [{"Sequence": {"id": "A"}}, {"SpecialToken": {"id": "</s>"}}],
 *      "special_tokens": {"</s>": {"id": "</s>", "ids": [1], "tokens": ["</s>"]}}}
 *     {"type": "RobertaProcessing", "cls": ["<s>", 0], "sep": ["</s>", 2], ...}, also BertProcessing: cls before, sep
 *       after
 *     {"type": "ByteLevel", ...}: no tokens
 * RobertaProcessing and ByteLevel may also leave out spaces at the ends of pieces' ranges. --- */

/* Upper limit for the special tokens around a text. */
#define MAX_AROUND 100

typedef struct {
    JsonReader *file;
    IdList *before, *after;
    JsonPieces *pieces;
    bool seen_template, seen_text; /* ... or what stands for a template */
} PostReader;

static void post_fault(const PostReader *r, const char *what)
{
    json_fault(r->file, ERR_FORMAT, "post_processor: %s", what);
}

static void add_special(PostReader *r, const cJSON *text, const cJSON *id)
{
    JsonPiece *piece;
    int64_t value = -1;

    if (!cJSON_IsString(text) || !json_to_int64(id, 0, INT32_MAX, &value)) {
        post_fault(r, "a special token needs a string and an id");
        return;
    }
    piece = find_text(r->pieces, text->valuestring);
    if (!piece || piece->id != value) {
        json_fault(r->file, ERR_FORMAT, "post_processor: the vocabulary has no token \"%s\" with the id %lld",
                   text->valuestring, (long long)value);
        return;
    }
    if (r->before->len + r->after->len == MAX_AROUND) post_fault(r, "too many special tokens");
    if (piece->type == SP_NORMAL) piece->type = SP_CONTROL;
    LIST_PUT(r->seen_text ? r->after : r->before, piece->id);
}

/* Reads {"SpecialToken": {"id": name}}; `tokens`, special_tokens of the template, lists the tokens of that name. Their
 * strings and ids must agree with the vocabulary. */
static void add_post_special(PostReader *r, const cJSON *tokens, const cJSON *node)
{
    const char *name = text_of(r->file, node, "id", NULL);
    const cJSON *found = name ? member_of(tokens, name) : NULL;
    const cJSON *text = member_of(found, "tokens"), *id = member_of(found, "ids");

    if (!cJSON_IsArray(text) || !cJSON_IsArray(id) || !id->child) {
        post_fault(r, "a special token is missing in special_tokens");
        return;
    }
    id = id->child;
    for (text = text->child; r->file->st == OK && (text || id); text = text->next, id = id->next) {
        if (!text || !id) {
            post_fault(r, "\"ids\" and \"tokens\" differ in length");
            return;
        }
        add_special(r, text, id);
    }
}

static void read_template(PostReader *r, const cJSON *template)
{
    static const char *const keys[] = { "type", "single", "pair", "special_tokens" };
    const cJSON *single = member_of(template, "single"), *tokens = member_of(template, "special_tokens");

    check_keys(r->file, template, "post_processor: ", keys, COUNT(keys));
    if (!cJSON_IsArray(single)) post_fault(r, "\"single\" must be a list");
    if (r->seen_template) post_fault(r, "two templates");
    r->seen_template = true;
    for (const cJSON *node = single ? single->child : NULL; r->file->st == OK && node; node = node->next) {
        const cJSON *special = member_of(node, "SpecialToken"), *sequence = member_of(node, "Sequence");
        if (!special == !sequence) {
            post_fault(r, "each entry of \"single\" must be a SpecialToken or a Sequence");
        } else if (special) {
            add_post_special(r, tokens, special);
        } else {
            if (strcmp(text_of(r->file, sequence, "id", ""), "A") != 0 || r->seen_text)
                post_fault(r, "\"single\" must contain the text A exactly once");
            r->seen_text = true;
        }
    }
    if (!r->seen_text) post_fault(r, "\"single\" must contain the text A exactly once");
}

static void read_frame(PostReader *r, const cJSON *processor)
{
    static const char *const keys[] = { "type", "cls", "sep", "trim_offsets", "add_prefix_space" };
    static const char *const ends[] = { "cls", "sep" };

    check_keys(r->file, processor, "post_processor: ", keys, COUNT(keys));
    if (r->seen_template) post_fault(r, "two templates");
    r->seen_template = true;
    for (size_t i = 0; r->file->st == OK && i < COUNT(ends); i++) {
        const cJSON *pair = member_of(processor, ends[i]), *text = cJSON_IsArray(pair) ? pair->child : NULL;
        add_special(r, text, text ? text->next : NULL);
        r->seen_text = true;
    }
}

/* Reads what a ByteLevel or a RobertaProcessing says about ranges. */
static void read_trimming(const PostReader *r, const cJSON *processor)
{
    ByteLevel *level = r->pieces->level;
    const bool trims = flag_of(r->file, processor, "trim_offsets", true);

    if (!level) return;
    level->keeps_first = flag_of(r->file, processor, "add_prefix_space", true);
    level->trims_ranges = level->trims_ranges || trims;
}

/* Reads a processor; only what it does with a single text matters. Appends the ids before and after the text, and marks
 * their tokens as CONTROL, so that text never becomes one of them. */
static void read_processor(PostReader *r, const cJSON *processor)
{
    const char *type = text_of(r->file, processor, "type", NULL);
    const cJSON *list = member_of(processor, "processors");

    if (!type) post_fault(r, "must be an object with \"type\"");
    if (r->file->st != OK) return;
    if (strcmp(type, "TemplateProcessing") == 0) {
        read_template(r, processor);
        return;
    }
    if (strcmp(type, "RobertaProcessing") == 0 || strcmp(type, "BertProcessing") == 0) {
        read_frame(r, processor);
        if (*type == 'R') read_trimming(r, processor);
        return;
    }
    if (strcmp(type, "ByteLevel") == 0 && r->pieces->level) {
        read_trimming(r, processor);
        return;
    }
    if (strcmp(type, "Sequence") != 0) json_fault(r->file, ERR_UNSUPPORTED, "post_processor %s is not supported", type);
    if (!cJSON_IsArray(list)) post_fault(r, "a Sequence needs a list \"processors\"");
    for (const cJSON *node = list ? list->child : NULL; r->file->st == OK && node; node = node->next)
        read_processor(r, node);
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
 *                  Replace /\A/ U+2581      by two of them: Metaspace adds none before a U+2581
 *                  Replace /[\n\r\t]/ by " " before the forms (SeamlessM4T in transformers 5)
 *                  Replace / +/ U+2581, /^/ U+2581 /+$/   no effect but on U+2581 in the text
 *   pre_tokenizer  WhitespaceSplit          joins spaces, and without a character map all white space; Metaspace must
 *                                           then add a space before each word
 *                  Metaspace                replaces spaces by U+2581 and adds one before the text; with "first",
 *                                           not before text that follows an added token
 *                  Split " "                no effect after a Replace of all spaces
 *   decoder        Metaspace                replaces U+2581 by spaces, but removes it from the first piece
 *                                           unless prepend_scheme is "never"
 *                  Replace U+2581 by " ", ByteFallback, Fuse, Strip:
 *                                           together the same; Strip removes the first space of the text
 * A step, a field of a step, or an order of steps that is not in this list is refused: it would change the pieces.
 * On unusual texts tokenizers 0.22.2 differs from SentencePiece; dragoman then does what SentencePiece does:
 *   - Precompiled first looks up a grapheme of fewer than six bytes as a whole.
 *   - Replace joins spaces but keeps a space that the character map puts first. It also keeps U+2581 in the text, and
 *     Metaspace adds no space before it.
 *   - Strip and WhitespaceSplit remove all white space; SentencePiece removes spaces, and its character map says which
 *     characters become spaces.
 *   - Metaspace does not let a piece extend across a space; SentencePiece does.
 * The text between two added tokens is encoded separately, with a space before it unless the Metaspace says "first" or
 * "never", or the text begins with a space. A space at its end, before the next token, stays unless Strip or
 * WhitespaceSplit removes it (added.c): models learn their added tokens with tokenizers, not with SentencePiece. --- */

/* The state while the steps are read. */
typedef struct {
    JsonReader *file;
    TokenizerJson *out;
    SpTraits *traits;       /* of the model */
    const char *part;       /* "normalizer", "pre_tokenizer" or "decoder" */
    const cJSON *step;      /* the step being read */
    const char *type;       /* its type */
    bool formed;            /* a step was read after which no form or character map may follow */
    bool prepends;          /* a space is added before the text */
    bool strips;            /* spaces at the ends are removed */
    bool strips_end;        /* spaces at the right end are removed */
    bool metaspace;         /* Metaspace was read */
    bool splits;            /* the text is split at white space, which is removed */
    bool escapes;           /* spaces become U+2581 */
    bool joins_escaped;     /* runs of spaces have become U+2581, but not single spaces */
    bool unescapes, fuses;  /* the decoder replaces U+2581; the decoder joins the pieces */
    bool decodes_metaspace; /* the decoder is a Metaspace, which does both */
    bool maps, unmaps;      /* ByteLevel was read, in pre_tokenizer and in decoder */
} StepReader;

#define MOST_FIELDS 5 /* largest number of fields of a step */

/* A type of step: the function that reads it, and the fields that tokenizers up to version 0.23 writes. */
typedef struct {
    const char *type;
    void (*read)(StepReader *r);
    const char *fields[MOST_FIELDS];
} StepKind;

static void refuse(const StepReader *r, const char *what)
{
    json_fault(r->file, ERR_UNSUPPORTED, "%s %s%s is not supported", r->part, r->type, what);
}

/* Reads a step, or each step of a Sequence, which has them in its member `list`. cJSON limits the depth of nesting. */
static void read_step(StepReader *r, const cJSON *step, const char *list, const StepKind *kinds)
{
    JsonReader *f = r->file;
    const char *type = text_of(f, step, "type", NULL), *keys[1 + MOST_FIELDS] = { "type" }, *unknown;
    const cJSON *inner = member_of(step, list);

    if (!type) json_fault(f, ERR_FORMAT, "%s must be an object with \"type\"", r->part);
    if (f->st != OK) return;
    if (strcmp(type, "Sequence") == 0) {
        if (!cJSON_IsArray(inner)) json_fault(f, ERR_FORMAT, "%s Sequence needs a list \"%s\"", r->part, list);
        for (step = inner ? inner->child : NULL; f->st == OK && step; step = step->next)
            read_step(r, step, list, kinds);
        return;
    }
    r->step = step;
    r->type = type;
    while (kinds->type && strcmp(kinds->type, type) != 0) kinds++;
    if (!kinds->type) {
        refuse(r, "");
        return;
    }
    memcpy(keys + 1, kinds->fields, sizeof kinds->fields);
    unknown = json_unknown_key((JsonObject){ step, f->json.file }, keys, 1 + MOST_FIELDS);
    if (unknown) json_fault(f, ERR_UNSUPPORTED, "%s %s: the field \"%s\" is not supported", r->part, type, unknown);
    if (f->st == OK) kinds->read(r);
}

static bool is(const char *text, const char *wanted)
{
    return text && strcmp(text, wanted) == 0;
}

static bool is_space(const char *text)
{
    return is(text, " ") || is(text, SP_SPACE);
}

/* A Replace step: {"pattern": {"String": " "} or {"Regex": " {2,}"}, "content": "..."} */
typedef struct {
    const char *string, *regex, *content;
} Replace;

static Replace read_replace(const StepReader *r)
{
    const cJSON *pattern = member_of(r->step, "pattern");
    Replace out;

    out.string = text_of(r->file, pattern, "String", NULL);
    out.regex = text_of(r->file, pattern, "Regex", NULL);
    out.content = text_of(r->file, r->step, "content", NULL);
    if (!out.content || !out.string == !out.regex)
        json_fault(r->file, ERR_FORMAT, "Replace needs \"pattern\" and \"content\"");
    return out;
}

static void refuse_replace(const StepReader *r, const Replace *replace, const char *when)
{
    json_fault(r->file, ERR_UNSUPPORTED, "%s Replace of \"%s\" by \"%s\"%s is not supported", r->part,
               replace->string ? replace->string : replace->regex, replace->content, when);
}

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Appends the bytes of base64 (RFC 4648, section 4): four characters of 6 bits encode three bytes, and the last four
 * may end in '='. Returns false if the text is invalid. */
static bool put_base64(Buf *out, const char *text)
{
    const size_t len = strlen(text);

    if (len % 4) return false;
    for (size_t i = 0; i < len; i += 4) {
        unsigned char bytes[3];
        size_t digits = 4;
        uint32_t bits = 0;
        while (i + 4 == len && digits > 2 && text[i + digits - 1] == '=') digits--;
        for (size_t k = 0; k < 4; k++) {
            const int digit = k < digits ? base64_digit(text[i + k]) : 0;
            if (digit < 0) return false;
            bits = bits << 6 | (uint32_t)digit;
        }
        for (size_t k = 0; k < 3; k++) bytes[k] = (unsigned char)(bits >> (16 - 8 * k));
        buf_put(out, bytes, digits - 1);
    }
    return true;
}

static void read_charsmap(StepReader *r)
{
    const char *text = text_of(r->file, r->step, "precompiled_charsmap", "");
    Buf *map = &r->traits->normalizer.map;

    if (r->formed) refuse(r, " after another normalizer");
    r->formed = true;
    if (!put_base64(map, text)) json_fault(r->file, ERR_FORMAT, "precompiled_charsmap is not base64");
    if (r->file->st == OK) r->file->st = buf_check(map, r->file->err);
}

static void add_form(StepReader *r, const char *name)
{
    NormalForms *forms = &r->traits->forms;

    if (r->formed || forms->count == NORMAL_FORMS_MAX)
        refuse(r, " after another normalizer");
    else if (!normal_form_find(name, &forms->list[forms->count++]))
        refuse(r, "");
}

static void read_form(StepReader *r)
{
    add_form(r, r->type);
}

/* Whether a step can still find all spaces: no step has replaced some by U+2581 or added one. */
static bool finds_spaces(const StepReader *r)
{
    return !r->escapes && !r->joins_escaped && !r->prepends;
}

static void read_replacement(StepReader *r)
{
    const Replace replace = read_replace(r);

    if (is(replace.regex, "[\\n\\r\\t]") && is(replace.content, " ")) {
        add_form(r, replace.regex);
        return;
    }
    r->formed = true;
    if (is(replace.string, " ") && is(replace.content, SP_SPACE)) {
        r->escapes = true;
        return;
    }
    if (is(replace.regex, "\\A" SP_SPACE) && is(replace.content, SP_SPACE SP_SPACE) && r->escapes) return;
    if (is(replace.regex, " {2,}") && is_space(replace.content))
        r->traits->normalizer.remove_extra_whitespaces = true;
    else if (is(replace.regex, "\\A +| +\\z") && is(replace.content, ""))
        r->strips = r->strips_end = true;
    else if (!(is(replace.regex, " +" SP_SPACE) && is(replace.content, SP_SPACE)) &&
             !(is(replace.regex, "^" SP_SPACE "+$") && is(replace.content, "")))
        refuse_replace(r, &replace, "");
    if (!finds_spaces(r)) refuse_replace(r, &replace, " after other changes of spaces");
    r->joins_escaped = is(replace.regex, " {2,}") && is(replace.content, SP_SPACE);
}

static void read_strip(StepReader *r)
{
    const bool left = flag_of(r->file, r->step, "strip_left", false),
               right = flag_of(r->file, r->step, "strip_right", false);

    if ((left || right) && !finds_spaces(r)) refuse(r, " after other changes of spaces");
    if (left || right) r->strips = true;
    if (right) r->strips_end = true;
    r->formed = true;
}

static void read_prepend(StepReader *r)
{
    const char *prepend = text_of(r->file, r->step, "prepend", "");

    if (!is_space(prepend)) refuse(r, " of anything but a space");
    if (r->prepends) refuse(r, " twice");
    if (r->escapes && !is(prepend, SP_SPACE)) refuse(r, " after Replace of spaces");
    r->traits->normalizer.add_dummy_prefix = r->prepends = r->formed = true;
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
static Scheme read_metaspace(const StepReader *r)
{
    static const char *const names[] = { "never", "first", "always" };
    const char *symbol = text_of(r->file, r->step, "replacement", SP_SPACE), *scheme;
    const bool adds = flag_of(r->file, r->step, "add_prefix_space", true);

    scheme = text_of(r->file, r->step, "prepend_scheme", NULL);
    if (!is(symbol, SP_SPACE)) refuse(r, " without U+2581");
    for (int i = SCHEME_NEVER; scheme && i <= SCHEME_ALWAYS; i++)
        if (is(scheme, names[i])) return (Scheme)i;
    if (scheme) refuse(r, " with an unknown prepend_scheme");
    return adds ? SCHEME_ALWAYS : SCHEME_NEVER;
}

static void add_metaspace(StepReader *r)
{
    const Scheme scheme = read_metaspace(r);

    if (r->splits && scheme != SCHEME_ALWAYS) refuse(r, " after WhitespaceSplit without a space before each word");
    if (scheme != SCHEME_NEVER) r->traits->normalizer.add_dummy_prefix = true;
    if (scheme == SCHEME_FIRST) r->out->no_space_after_added = true;
    if (r->out->is_exact && flag_of(r->file, r->step, "split", true)) refuse(r, " that splits words");
    r->escapes = r->metaspace = true;
}

/* Refused after a step that replaces spaces by U+2581: WhitespaceSplit would split words only at other white space. */
static void add_white_space_split(StepReader *r)
{
    if (!finds_spaces(r)) refuse(r, " after other changes of spaces");
    r->splits = r->traits->normalizer.remove_extra_whitespaces = true;
    r->traits->joins_white_space = !r->traits->normalizer.map.len;
    r->traits->origins = SP_ORIGINS_TOKENIZERS_WORDS;
}

/* Accepted if it does nothing: all spaces are U+2581, so " " matches nothing; with "invert" it would match all text. */
static void add_split(StepReader *r)
{
    const char *split = text_of(r->file, member_of(r->step, "pattern"), "String", NULL);
    const bool invert = flag_of(r->file, r->step, "invert", false);

    if (!is(split, " ") || !r->escapes) refuse(r, "");
    if (invert) refuse(r, " with \"invert\"");
}

static const StepKind pre_tokenizers[] = {
    { "Metaspace", add_metaspace, METASPACE_FIELDS },
    { "WhitespaceSplit", add_white_space_split, { NULL } },
    { "Split", add_split, { "pattern", "behavior", "invert" } },
    { NULL, NULL, { NULL } },
};

/* A decoder's Strip removes spaces at the ends of each piece or, after Fuse, at the ends of the whole text. */
static void add_strip(StepReader *r)
{
    JsonReader *f = r->file;
    const char *content = text_of(f, r->step, "content", NULL);
    size_t start = 0, stop = 0;

    json_read_size(at(f, r->step), "start", 0, SIZE_MAX, &start);
    json_read_size(at(f, r->step), "stop", 0, SIZE_MAX, &stop);
    if (!is(content, " ")) refuse(r, "");
    if (!r->unescapes || !r->fuses) refuse(r, " before Replace and Fuse");
    if (start > 1 || stop || (start && r->traits->start == SP_START_SPACE)) refuse(r, " of more than the first space");
    if (start) r->traits->start = SP_START_SPACE;
}

static void add_decoding_metaspace(StepReader *r)
{
    const Scheme scheme = read_metaspace(r);

    if (r->unescapes || r->fuses || r->decodes_metaspace) refuse(r, " after another decoder");
    if (scheme != SCHEME_NEVER) r->traits->start = SP_START_PIECE;
    r->decodes_metaspace = true;
}

static void add_decoding_replace(StepReader *r)
{
    const Replace replace = read_replace(r);

    if (!is(replace.string, SP_SPACE) || !is(replace.content, " ")) refuse_replace(r, &replace, "");
    if (r->decodes_metaspace) refuse(r, " after Metaspace");
    r->unescapes = true;
}

static void add_byte_fallback(StepReader *r)
{
    if (r->fuses) refuse(r, " after Fuse");
}

static void add_fuse(StepReader *r)
{
    r->fuses = true;
}

static const StepKind decoders[] = {
    { "Metaspace", add_decoding_metaspace, METASPACE_FIELDS },
    { "Replace", add_decoding_replace, { "pattern", "content" } },
    { "ByteFallback", add_byte_fallback, { NULL } },
    { "Fuse", add_fuse, { NULL } },
    { "Strip", add_strip, { "content", "start", "stop" } },
    { NULL, NULL, { NULL } },
};

/* --- The steps of byte-level BPE (byte_level.h):
 *   normalizer     NFC, NFKC, ...
 *   pre_tokenizer  Split, Digits            expressions that split the text
 *                  ByteLevel                the last one: splits by GPT-2's expression unless it has "use_regex":
 *                                           false, and makes a character of each byte
 *   decoder        ByteLevel --- */

static void put_split(StepReader *r, const char *expression, bool is_text, ByteSplitKind kind, bool inverts)
{
    Err err;
    Status st;

    if (r->maps) refuse(r, " after ByteLevel");
    if (r->file->st != OK) return;
    st = byte_level_add_split(r->traits->byte_level, expression, is_text, kind, inverts, &err);
    if (st != OK) json_fault(r->file, st, "%s %s: %s", r->part, r->type, err.text);
}

static void add_byte_split(StepReader *r)
{
    static const char *const kinds[] = { [BYTE_SPLIT_ISOLATED] = "Isolated",
                                         [BYTE_SPLIT_REMOVED] = "Removed",
                                         [BYTE_SPLIT_CONTIGUOUS] = "Contiguous",
                                         [BYTE_SPLIT_WITH_PREVIOUS] = "MergedWithPrevious",
                                         [BYTE_SPLIT_WITH_NEXT] = "MergedWithNext" };
    const cJSON *pattern = member_of(r->step, "pattern");
    const char *text = text_of(r->file, pattern, "String", NULL), *regex = text_of(r->file, pattern, "Regex", NULL);
    const char *kind = text_of(r->file, r->step, "behavior", "");
    const bool inverts = flag_of(r->file, r->step, "invert", false);
    size_t i = 0;

    while (i < COUNT(kinds) && !is(kind, kinds[i])) i++;
    if (i == COUNT(kinds)) refuse(r, " with an unknown behavior");
    if (!text == !regex) json_fault(r->file, ERR_FORMAT, "%s Split needs a \"pattern\"", r->part);
    if (r->file->st == OK) put_split(r, text ? text : regex, text != NULL, (ByteSplitKind)i, inverts);
}

static void add_digits(StepReader *r)
{
    const bool single = flag_of(r->file, r->step, "individual_digits", false);

    put_split(r, single ? "\\p{N}" : "\\p{N}+", false, BYTE_SPLIT_ISOLATED, false);
}

static void add_byte_level(StepReader *r)
{
    const bool adds = flag_of(r->file, r->step, "add_prefix_space", true);

    if (adds && r->traits->byte_level->splits.len) refuse(r, " with add_prefix_space after another step");
    r->traits->normalizer.add_dummy_prefix = adds;
    if (flag_of(r->file, r->step, "use_regex", true))
        put_split(r, BYTE_LEVEL_WORDS, false, BYTE_SPLIT_ISOLATED, false);
    else if (r->maps)
        refuse(r, " twice");
    r->maps = true;
}

static void add_byte_decoder(StepReader *r)
{
    if (r->unmaps) refuse(r, " twice");
    r->unmaps = true;
}

#define BYTE_LEVEL_FIELDS                                                                                              \
    {                                                                                                                  \
        "add_prefix_space", "trim_offsets", "use_regex"                                                                \
    }

static const StepKind byte_normalizers[] = {
    { "Nmt", read_form, { NULL } },  { "NFC", read_form, { NULL } },  { "NFD", read_form, { NULL } },
    { "NFKC", read_form, { NULL } }, { "NFKD", read_form, { NULL } }, { NULL, NULL, { NULL } },
};

static const StepKind byte_pre_tokenizers[] = {
    { "Split", add_byte_split, { "pattern", "behavior", "invert" } },
    { "Digits", add_digits, { "individual_digits" } },
    { "ByteLevel", add_byte_level, BYTE_LEVEL_FIELDS },
    { NULL, NULL, { NULL } },
};

static const StepKind byte_decoders[] = {
    { "ByteLevel", add_byte_decoder, BYTE_LEVEL_FIELDS },
    { NULL, NULL, { NULL } },
};

/* Whether a step of the pre-tokenizer is a ByteLevel. cJSON limits the depth of nesting. */
static bool has_byte_level(const cJSON *step)
{
    const cJSON *inner = member_of(step, "pretokenizers");

    if (is(cJSON_GetStringValue(member_of(step, "type")), "ByteLevel")) return true;
    for (inner = inner ? inner->child : NULL; inner; inner = inner->next)
        if (has_byte_level(inner)) return true;
    return false;
}

/* Reads root.normalizer, pre_tokenizer and decoder; null means that a part has no steps. A step that SentencePiece
 * cannot do is ERR_UNSUPPORTED and named in the message. */
static void read_steps(TokenizerJson *out, SpTraits *traits, JsonReader *f, const cJSON *root)
{
    static const struct {
        const char *key, *list;
        const StepKind *kinds, *byte_kinds;
    } parts[] = {
        { "normalizer", "normalizers", normalizers, byte_normalizers },
        { "pre_tokenizer", "pretokenizers", pre_tokenizers, byte_pre_tokenizers },
        { "decoder", "decoders", decoders, byte_decoders },
    };
    const bool byte_level = has_byte_level(member_of(root, "pre_tokenizer"));
    StepReader r = { .file = f, .out = out, .traits = traits };

    traits->origins = SP_ORIGINS_TOKENIZERS;
    traits->normalizer.add_dummy_prefix = traits->normalizer.remove_extra_whitespaces = false;
    if (f->st == OK && byte_level) f->st = byte_level_new(&traits->byte_level, f->err);
    for (size_t i = 0; i < COUNT(parts); i++) {
        const cJSON *node = member_of(root, parts[i].key);
        r.part = parts[i].key;
        if (node) read_step(&r, node, parts[i].list, byte_level ? parts[i].byte_kinds : parts[i].kinds);
    }
    if (byte_level) {
        if (!r.unmaps)
            json_fault(f, ERR_UNSUPPORTED, "pre_tokenizer ByteLevel without a decoder ByteLevel is not supported");
        out->is_roberta =
            is(cJSON_GetStringValue(member_of(member_of(root, "post_processor"), "type")), "RobertaProcessing");
        out->is_plain_byte_level =
            is(cJSON_GetStringValue(member_of(member_of(root, "pre_tokenizer"), "type")), "ByteLevel");
        return;
    }
    if (!member_of(root, "decoder"))
        traits->start = traits->normalizer.add_dummy_prefix ? SP_START_PIECE : SP_START_KEPT;
    else if (!r.unescapes && !r.decodes_metaspace)
        json_fault(f, ERR_UNSUPPORTED, "no step of the decoder replaces U+2581 by spaces");
    if (!r.escapes)
        json_fault(f, ERR_UNSUPPORTED,
                   "no step replaces spaces by U+2581 (Metaspace), so the model is not from SentencePiece");
    if (r.strips && !traits->normalizer.remove_extra_whitespaces)
        json_fault(f, ERR_UNSUPPORTED, "normalizer Strip without joining spaces is not supported");
    /* A space before an added token becomes a piece if there is a Metaspace and no earlier step removes the space. */
    out->space_before_added = !r.metaspace || r.splits ? ADDED_SPACE_DROPPED
                              : r.strips_end           ? ADDED_SPACE_NORMALIZED_ONLY
                                                       : ADDED_SPACE_KEPT;
}

/* --- The whole. --- */

/* Conversions claim for every model that it joins spaces. A piece with two consecutive spaces shows that the model does
 * not, because no training that joins spaces can produce it. Models with the space after the word
 * (treat_whitespace_as_suffix) are converted as if the space came before the word. */
static void build_model(SpTraits *traits, const JsonPieces *pieces)
{
    JsonReader *f = pieces->file;
    const JsonPiece *end = pieces->list + pieces->count;
    const size_t size = strlen(SP_SPACE);
    size_t leading = 0, trailing = 0; /* pieces with a space before or after other text */
    bool has_runs = false;            /* some piece has two consecutive spaces */
    Buf formed = { 0 };

    for (const JsonPiece *piece = pieces->list; f->st == OK && piece < end; piece++) {
        /* A user-defined symbol that the forms change could never be found in a text. */
        if (piece->type == SP_USER_DEFINED && traits->forms.count) {
            buf_clear(&formed);
            f->st = normal_form_append(&traits->forms, piece->text, piece->len, &formed, NULL, f->err);
            if (f->st == OK && (formed.len != piece->len || memcmp(formed.data, piece->text, piece->len) != 0))
                json_fault(f, ERR_UNSUPPORTED, "the added token \"%s\" is not in the form of the normalizer",
                           piece->text);
        }
        if (piece->type != SP_NORMAL) continue;
        if (strstr(piece->text, SP_SPACE SP_SPACE)) has_runs = true;
        if (piece->len <= size) continue;
        if (memcmp(piece->text, SP_SPACE, size) == 0)
            leading++;
        else if (memcmp(piece->text + piece->len - size, SP_SPACE, size) == 0)
            trailing++;
    }
    buf_free(&formed);
    if (traits->normalizer.add_dummy_prefix && trailing && !leading)
        json_fault(f, ERR_UNSUPPORTED, "pieces with the space after the word are not supported");
    if (has_runs) traits->normalizer.remove_extra_whitespaces = false;
    traits->kind = pieces->bpe ? SP_BPE : SP_UNIGRAM;
    traits->bytes = pieces->bytes;
    for (const JsonPiece *piece = pieces->list; f->st == OK && piece < end; piece++)
        f->st = sp_pieces_add(traits->pieces, piece->text, piece->len, piece->score, piece->type, f->err);
}

/* Reads model.merges as they are, and ignore_merges. */
static void read_byte_merges(SpTraits *traits, const JsonPieces *pieces, const cJSON *model)
{
    JsonReader *f = pieces->file;
    const cJSON *merges = member_of(model, "merges");
    size_t number = 0;

    if (!cJSON_IsArray(merges)) json_fault(f, ERR_FORMAT, "model.merges must be a list");
    traits->pieces->ignores_merges = flag_of(f, model, "ignore_merges", false);
    for (const cJSON *node = merges ? merges->child : NULL; f->st == OK && node; node = node->next, number++) {
        const char *fault = "is not two pieces";
        Merge merge;
        if (read_merge(node, &merge)) fault = add_byte_merge(pieces, traits->pieces, &merge);
        if (fault) json_fault(f, ERR_FORMAT, "model.merges[%zu] %s", number, fault);
    }
}

static Status make_vocab(Vocab **out, const JsonPieces *pieces, Err *err)
{
    Status st = vocab_new(out, pieces->file->json.file, err);

    for (size_t i = 0; st == OK && i < pieces->count; i++)
        st = vocab_add(*out, pieces->list[i].text, pieces->list[i].len, pieces->list[i].id, err);
    return st == OK ? vocab_complete(*out, false, err) : st;
}

/* Reads the tree into *out and *traits, from which out->sp is made later. The quick checks come first. */
static void read_tree(TokenizerJson *out, SpTraits *traits, JsonReader *f, const cJSON *root)
{
    const cJSON *processor = member_of(root, "post_processor"), *model = member_of(root, "model");
    JsonPieces pieces = { .file = f };
    PostReader post = { .file = f, .before = &out->before, .after = &out->after, .pieces = &pieces };

    f->st = sp_traits_init(traits, f->err);
    read_steps(out, traits, f, root);
    pieces.level = traits->byte_level;
    pieces.exact = out->is_exact;
    if (f->st == OK) read_pieces(&pieces, root);
    if (f->st == OK && processor) read_processor(&post, processor);
    if (f->st == OK) f->st = LIST_CHECK(&out->before, "a list of ids", f->err);
    if (f->st == OK) f->st = LIST_CHECK(&out->after, "a list of ids", f->err);
    const bool keeps_merges = pieces.bpe && (pieces.level || pieces.exact);
    if (f->st == OK && pieces.bpe && !keeps_merges) score_merges(&pieces, member_of(model, "merges"));
    if (f->st == OK) f->st = make_vocab(&out->vocab, &pieces, f->err);
    for (size_t i = 0; f->st == OK && i < pieces.count; i++)
        if (pieces.list[i].type == SP_CONTROL || pieces.list[i].type == SP_UNKNOWN)
            vocab_mark_special(out->vocab, pieces.list[i].text);
    if (f->st == OK) build_model(traits, &pieces);
    if (f->st == OK && keeps_merges) read_byte_merges(traits, &pieces, model);
    free(pieces.list);
    str_map_free(pieces.index);
}

static Status open_json(TokenizerJson *out, bool is_exact, const FileView *file, Err *err)
{
    JsonReader f = { .json.file = file->path, .err = err };
    SpTraits traits = { 0 };
    cJSON *root;

    *out = (TokenizerJson){ .is_exact = is_exact };
    f.st = tree_file_parse(&root, &file->map, file->path, TREE_JSON_OBJECT, NULL, err);
    if (f.st != OK) return f.st;
    read_tree(out, &traits, &f, root);
    cJSON_Delete(root); /* it is large: free it before the pieces get their index */
    if (f.st == OK) f.st = sp_check_traits(&traits, file->path, err);
    if (f.st == OK) f.st = sp_shim_new(&out->sp, &traits, file->path, err);
    sp_traits_free(&traits);
    return f.st;
}

Status tokenizer_json_open(TokenizerJson *out, const FileView *file, Err *err)
{
    return open_json(out, false, file, err);
}

Status tokenizer_json_open_exact(TokenizerJson *out, const FileView *file, Err *err)
{
    return open_json(out, true, file, err);
}

/* Reads lines "a b". As in transformers, the first line is a comment (#version: 0.2), and what follows the last newline
 * does not count. */
static void read_merge_lines(SpTraits *traits, const JsonPieces *pieces, const FileView *file)
{
    const char *text = (const char *)file->map.data, *end = text + file->map.size, *newline;
    JsonReader *f = pieces->file;

    for (size_t line = 1; f->st == OK && text < end; line++, text = newline + 1) {
        const char *space, *fault = "is not two pieces";
        size_t len;
        newline = memchr(text, '\n', (size_t)(end - text));
        if (!newline) return;
        len = (size_t)(newline - text);
        if (len && text[len - 1] == '\r') len--;
        space = len ? memchr(text, ' ', len) : NULL;
        if (line == 1) continue;
        if (space && space > text && space + 1 < text + len &&
            !memchr(space + 1, ' ', len - (size_t)(space + 1 - text))) {
            const Merge merge = { text, space + 1, (size_t)(space - text), len - (size_t)(space + 1 - text) };
            fault = add_byte_merge(pieces, traits->pieces, &merge);
        }
        if (fault) json_fault(f, ERR_FORMAT, "the merge in line %zu %s", line, fault);
    }
}

Status tokenizer_json_open_merges(TokenizerJson *out, const FileView *vocab, const FileView *merges, Err *err)
{
    JsonReader f = { .json.file = vocab->path, .err = err };
    SpTraits traits = { 0 };
    JsonPieces pieces = { .file = &f, .bpe = true };
    cJSON *root;

    *out = (TokenizerJson){ .is_plain_byte_level = true, .is_roberta = true };
    f.st = tree_file_parse(&root, &vocab->map, vocab->path, TREE_JSON_OBJECT, NULL, err);
    if (f.st != OK) return f.st;
    f.st = sp_traits_init(&traits, err);
    traits.normalizer.add_dummy_prefix = false;
    traits.origins = SP_ORIGINS_TOKENIZERS;
    if (f.st == OK) f.st = byte_level_new(&traits.byte_level, err);
    if (f.st == OK) {
        traits.byte_level->drops_unknown = traits.byte_level->trims_ranges = true;
        f.st = byte_level_add_split(traits.byte_level, BYTE_LEVEL_WORDS, false, BYTE_SPLIT_ISOLATED, false, err);
    }
    if (f.st == OK) f.st = str_map_new(&pieces.index, err);
    read_bpe(&pieces, root, "the vocabulary");
    if (f.st == OK) f.st = make_vocab(&out->vocab, &pieces, err);
    if (f.st == OK) build_model(&traits, &pieces);
    f.json.file = merges->path;
    read_merge_lines(&traits, &pieces, merges);
    if (f.st == OK) f.st = sp_check_traits(&traits, vocab->path, err);
    if (f.st == OK) f.st = sp_shim_new(&out->sp, &traits, vocab->path, err);
    free(pieces.list);
    str_map_free(pieces.index);
    cJSON_Delete(root);
    sp_traits_free(&traits);
    return f.st;
}

void tokenizer_json_free(TokenizerJson *json)
{
    sp_shim_free(json->sp);
    vocab_free(json->vocab);
    ids_free(&json->before);
    ids_free(&json->after);
    *json = (TokenizerJson){ 0 };
}
