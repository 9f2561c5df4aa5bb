/* json_merges.c - see json_pieces.h.
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
 * position is known nevertheless. */
#include "json_pieces.h"

#include <stdlib.h>
#include <string.h>

#include "utf8.h"

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

static Status fault(const Scan *scan, const char *what, Err *err)
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

static bool is_character(const char *text, size_t len)
{
    uint32_t code;

    return utf8_next(text, len, &code) == len;
}

/* True if SentencePiece may join this neighbour, a piece or NULL, with others. It never joins user-defined symbols,
 * and a text of several characters must be a piece. */
static bool may_join(const JsonPiece *piece, const char *text, size_t len)
{
    if (piece && piece->type == SP_NORMAL) return true;
    return (!piece || piece->type != SP_USER_DEFINED) && is_character(text, len);
}

/* Counts one more way to make `piece`. */
static Status count_merge(Scan *scan, JsonPiece *piece, size_t left_len, Err *err)
{
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
    if (scan->seen[left_len] == piece->rank) return fault(scan, "appears twice", err);
    scan->seen[left_len] = piece->rank;
    piece->merges++;
    return OK;
}

static Status add_merge(Scan *scan, const cJSON *node, Err *err)
{
    const JsonPieces *pieces = scan->pieces;
    const JsonPiece *left, *right;
    JsonPiece *piece;
    Merge merge;
    Status st;

    if (!read_merge(node, &merge)) return fault(scan, "is not two pieces", err);
    left = json_pieces_find(pieces, merge.left, merge.left_len);
    right = json_pieces_find(pieces, merge.right, merge.right_len);
    if (!left || !right) return fault(scan, "joins a string that is not a piece", err);
    buf_clear(&scan->joined);
    st = buf_append(&scan->joined, merge.left, merge.left_len, err);
    if (st == OK) st = buf_append(&scan->joined, merge.right, merge.right_len, err);
    if (st != OK) return st;
    piece = json_pieces_find(pieces, scan->joined.data, scan->joined.len);
    if (!piece) return fault(scan, "makes a string that is not a piece", err);
    if (piece->type != SP_NORMAL || !may_join(left, merge.left, merge.left_len) ||
        !may_join(right, merge.right, merge.right_len))
        return OK;
    return count_merge(scan, piece, merge.left_len, err);
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
        if (may_join(json_pieces_find(pieces, text, at), text, at) &&
            may_join(json_pieces_find(pieces, text + at, rest), text + at, rest))
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

static void set_scores(const Scan *scan)
{
    JsonPieces *pieces = scan->pieces;

    for (size_t i = 0; i < pieces->count; i++)
        if (pieces->list[i].rank) pieces->list[i].score = -(float)pieces->list[i].rank;
}

static Status scan_merges(Scan *scan, const cJSON *merges, Err *err)
{
    JsonPiece *first;
    Status st = OK;

    scan->ids_follow = true;
    for (const cJSON *node = merges->child; st == OK && node; node = node->next, scan->number++)
        st = add_merge(scan, node, err);
    if (st == OK) st = check_ways(scan, &first, err);
    if (st != OK) return st;
    set_scores(scan);
    if (!first) return OK;
    for (size_t i = 0; i < scan->pieces->count; i++)
        if (scan->pieces->list[i].rank && scan->pieces->list[i].id < first->id) scan->ids_follow = false;
    if (scan->ids_follow) return OK;
    return err_set(err, ERR_UNSUPPORTED,
                   "%s: model.merges never makes \"%s\", though its parts are pieces; SentencePiece would",
                   scan->pieces->path, first->text);
}

Status json_merges_score(JsonPieces *pieces, const cJSON *merges, Err *err)
{
    Scan *scan;
    Status st;

    if (!cJSON_IsArray(merges)) return err_set(err, ERR_FORMAT, "%s: model.merges must be a list", pieces->path);
    scan = calloc(1, sizeof *scan);
    if (!scan) return err_memory(err, "the merges");
    scan->pieces = pieces;
    st = scan_merges(scan, merges, err);
    buf_free(&scan->joined);
    free(scan);
    return st;
}
