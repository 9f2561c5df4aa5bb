/* bpe.c - see sp_steps.h. Follows SentencePiece 0.2.3, bpe_model.cc, SampleEncode().
 * The symbols form a linked list. Initially each is a character, or the longest user-defined piece that begins there;
 * the latter is never joined. A heap holds the pairs of neighbours that make a piece, highest score first, and
 * leftmost first if scores are equal. A pair whose symbols have changed since it was added is skipped: a symbol that
 * was joined to its predecessor is empty, and one that has grown changes the size of the pair. */
#include "sp_steps.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"

#define NONE UINT32_MAX

typedef struct {
    uint32_t start, len; /* in the text; len is 0 after the symbol was joined to another one */
    uint32_t before, next;
    bool whole; /* user-defined, never joined */
} Symbol;

typedef struct {
    float score;
    uint32_t left, right, size;
} Pair;

typedef struct {
    const SpPieces *pieces;
    const char *text;
    Symbol *symbols;
    Pair *heap;
    size_t count, cap; /* of the heap */
} Bpe;

static bool goes_first(const Pair *a, const Pair *b)
{
    return a->score > b->score || (a->score == b->score && a->left < b->left);
}

static Status push(Bpe *bpe, Pair pair, Err *err)
{
    size_t at = bpe->count;
    Status st = buf_grow_list(&bpe->heap, &bpe->cap, bpe->count, 1, sizeof pair, "the pieces of a text", err);

    if (st != OK) return st;
    for (; at > 0 && goes_first(&pair, &bpe->heap[(at - 1) / 2]); at = (at - 1) / 2)
        bpe->heap[at] = bpe->heap[(at - 1) / 2];
    bpe->heap[at] = pair;
    bpe->count++;
    return OK;
}

static Pair pop(Bpe *bpe)
{
    Pair top = bpe->heap[0], last = bpe->heap[--bpe->count];
    size_t at = 0;

    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < bpe->count && goes_first(&bpe->heap[child + 1], &bpe->heap[child])) child++;
        if (child >= bpe->count || !goes_first(&bpe->heap[child], &last)) break;
        bpe->heap[at] = bpe->heap[child];
        at = child;
    }
    bpe->heap[at] = last;
    return top;
}

/* Adds two neighbours to the heap if they make a piece. */
static Status offer(Bpe *bpe, uint32_t left, uint32_t right, Err *err)
{
    const Symbol *a, *b;
    int32_t id;

    if (left == NONE || right == NONE) return OK;
    a = &bpe->symbols[left];
    b = &bpe->symbols[right];
    if (a->whole || b->whole) return OK;
    id = sp_pieces_find_text(bpe->pieces, bpe->text + a->start, a->len + b->len);
    if (id < 0) return OK;
    return push(bpe, (Pair){ sp_pieces_score(bpe->pieces, id), left, right, a->len + b->len }, err);
}

static uint32_t split(Bpe *bpe, size_t len)
{
    uint32_t count = 0;

    for (size_t at = 0; at < len; count++) {
        size_t whole = sp_pieces_symbol(bpe->pieces, bpe->text + at, len - at);
        size_t size = whole ? whole : sp_runs_character(bpe->text[at]);
        if (size > len - at) size = len - at;
        bpe->symbols[count] = (Symbol){ (uint32_t)at, (uint32_t)size, count ? count - 1 : NONE, count + 1, whole > 0 };
        at += size;
    }
    if (count) bpe->symbols[count - 1].next = NONE;
    return count;
}

static Status join_pairs(Bpe *bpe, Err *err)
{
    Status st = OK;

    while (st == OK && bpe->count) {
        Pair pair = pop(bpe);
        Symbol *left = &bpe->symbols[pair.left], *right = &bpe->symbols[pair.right];
        if (!left->len || !right->len || left->len + right->len != pair.size) continue;
        left->len = pair.size;
        left->next = right->next;
        right->len = 0;
        if (left->next != NONE) bpe->symbols[left->next].before = pair.left;
        st = offer(bpe, left->before, pair.left, err);
        if (st == OK) st = offer(bpe, pair.left, left->next, err);
    }
    return st;
}

Status bpe_encode(const SpPieces *pieces, const char *text, size_t len, const SpSink *sink, Err *err)
{
    Bpe bpe = { .pieces = pieces, .text = text };
    SpRuns runs = { .sink = *sink };
    uint32_t count;
    Status st = OK;

    if (len == 0) return OK;
    if (len < UINT32_MAX) bpe.symbols = malloc(len * sizeof *bpe.symbols);
    if (!bpe.symbols) return err_memory(err, "the pieces of a text");
    count = split(&bpe, len);
    for (uint32_t i = 1; st == OK && i < count; i++) st = offer(&bpe, i - 1, i, err);
    if (st == OK) st = join_pairs(&bpe, err);
    for (uint32_t i = 0; st == OK && i != NONE; i = bpe.symbols[i].next) {
        const char *piece = text + bpe.symbols[i].start;
        size_t size = bpe.symbols[i].len;
        st = sp_runs_add(&runs, piece, size, sp_pieces_find_text(pieces, piece, size) >= 0, err);
    }
    if (st == OK) st = sp_runs_end(&runs, err);
    free(bpe.symbols);
    free(bpe.heap);
    return st;
}
