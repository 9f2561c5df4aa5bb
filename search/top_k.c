/* top_k.c - see top_k.h.
 * Method: a heap of the k best, with the worst at its root. One limit is compared with the maxima
 * of blocks of 16 tokens, in a loop that compilers vectorize; a block is searched only if its
 * maximum exceeds the limit. In random order about k * log(n / k) of n values enter the heap, so
 * a row costs one pass over a sixteenth of its memory. */
#include "top_k.h"

#include <float.h>
#include <math.h>

/* A total order: the result does not depend on the order of the offers. */
static bool worse(const Candidate *a, const Candidate *b)
{
    if (a->score != b->score) return a->score < b->score;
    if (a->row != b->row) return a->row > b->row;
    return a->token > b->token;
}

/* Replaces the root of a heap of `count` items by `item`. */
static void sift_down(Candidate *heap, size_t count, Candidate item)
{
    size_t at = 0;

    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count) break;
        if (child + 1 < count && worse(&heap[child + 1], &heap[child])) child++;
        if (!worse(&heap[child], &item)) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = item;
}

void top_k_offer_one(TopK *top, const TopKRow *row, float x, int32_t token)
{
    float score = row->base + ((x - row->sum.top) - row->sum.logsumexp);
    Candidate item = { score == score ? score : -INFINITY, row->row, token }, *heap = top->items;

    if (top->count < top->capacity) {
        size_t at = top->count++;
        for (; at > 0 && worse(&item, &heap[(at - 1) / 2]); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
        heap[at] = item;
    } else if (worse(&heap[0], &item)) {
        sift_down(heap, top->count, item);
    }
}

/* Returns a limit: no value at or below it can beat the worst item. A score of at least `worst` needs
 * x >= worst - base + logsumexp + top up to the rounding of the sums, for which the limit leaves a
 * margin. It is NaN (from infinities or NaN) when no value can win. */
static float limit_of(const TopK *top, const TopKRow *row)
{
    float worst = top->items[0].score;
    float size = fabsf(worst) + fabsf(row->base) + fabsf(row->sum.logsumexp) + fabsf(row->sum.top);

    return worst - row->base + row->sum.logsumexp + row->sum.top - size * (8 * FLT_EPSILON) - FLT_MIN;
}

static inline bool any_above(const float *x, size_t count, float limit)
{
    int any = 0;

    for (size_t i = 0; i < count; i++) any |= x[i] > limit;
    return any != 0;
}

void top_k_offer(TopK *top, const TopKRow *row)
{
    const float *maxima = row->maxima;
    size_t at = 0;
    float limit;

    for (; at < row->count && (top->count < top->capacity || at % ROW_BLOCK); at++)
        top_k_offer_one(top, row, row->x[at], (int32_t)at);
    maxima += at / ROW_BLOCK * ROW_MAXIMA;
    limit = limit_of(top, row);
    for (; at < row->count; at += ROW_BLOCK, maxima += ROW_MAXIMA) {
        if (!any_above(maxima, ROW_MAXIMA, limit)) continue;
        /* Each maximum covers every ROW_MAXIMA-th token. Offer the tokens whose maximum exceeds the limit. */
        size_t end = at + ROW_BLOCK < row->count ? at + ROW_BLOCK : row->count;
        for (size_t column = 0; column < ROW_MAXIMA; column++)
            for (size_t i = at + column; maxima[column] > limit && i < end; i += ROW_MAXIMA)
                top_k_offer_one(top, row, row->x[i], (int32_t)i);
        limit = limit_of(top, row);
    }
}

void top_k_sort(TopK *top)
{
    for (size_t left = top->count; left > 1; left--) {
        Candidate worst = top->items[0];
        sift_down(top->items, left - 1, top->items[left - 1]);
        top->items[left - 1] = worst;
    }
}

/* --- Rows in blocks. */

void row_scan_begin(RowScan *scan)
{
    scan->parts = entropy_begin();
    scan->count = scan->best_count = 0;
}

/* NaN counts as minus infinity. */
static void keep(RowScan *scan, size_t k, float x, size_t id)
{
    size_t at = scan->best_count < k ? scan->best_count++ : k - 1;
    float value = x > -INFINITY ? x : -INFINITY;

    if (scan->count < SCAN_MAX_KEPT) scan->kept[scan->count] = (KeptLogit){ x, (int32_t)id };
    scan->count++;
    for (; at > 0 && scan->best[at - 1] < value; at--) scan->best[at] = scan->best[at - 1];
    scan->best[at] = value;
}

void row_scan_take(RowScan *scan, size_t k, size_t first, size_t count, const float *x, const float *maxima)
{
    for (size_t at = 0; at < count; at += ROW_MAXIMA) {
        const size_t end = at + ROW_MAXIMA < count ? at + ROW_MAXIMA : count;
        if (scan->best_count == k) {
            const float limit = scan->best[k - 1];
            if (at % ROW_BLOCK == 0 && !any_above(maxima + at / ROW_BLOCK * ROW_MAXIMA, ROW_MAXIMA, limit)) {
                at += ROW_BLOCK - ROW_MAXIMA;
                continue;
            }
            if (!any_above(x + at, end - at, limit)) continue;
        }
        for (size_t i = at; i < end; i++)
            if (scan->best_count < k || x[i] > scan->best[k - 1]) keep(scan, k, x[i], first + i);
    }
}

void row_scan_offer(const RowScan *scan, TopK *top, const TopKRow *row)
{
    for (size_t i = 0; i < scan->count; i++) top_k_offer_one(top, row, scan->kept[i].x, scan->kept[i].id);
}

const KeptLogit *row_scan_largest(const RowScan *scan)
{
    for (size_t i = 0; i < scan->count; i++)
        if (scan->kept[i].x == scan->best[0]) return &scan->kept[i];
    return NULL;
}
