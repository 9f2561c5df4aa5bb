/* top_k.c - see top_k.h.
 * Method: a heap of the k best with the worst at its root. A block of values
 * is compared with one limit first, which compilers turn into vector code;
 * only blocks with a value above it are looked at one by one. On n values in
 * random order about k * log(n / k) enter the heap, so a row costs one pass
 * over memory. */
#include "top_k.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

enum { BLOCK = 64 };

/* Later items never win against equal earlier ones: a total order. */
static bool worse(const Candidate *a, const Candidate *b)
{
    if (a->score != b->score) return a->score < b->score;
    if (a->row != b->row) return a->row > b->row;
    return a->token > b->token;
}

static void sift_up(Candidate *heap, size_t at, Candidate item)
{
    while (at > 0 && worse(&item, &heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = item;
}

/* Puts `item` in the place of the root of a heap of `count`. */
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

static void offer_one(TopK *top, uint32_t row, float score, size_t token)
{
    Candidate item = { score == score ? score : -INFINITY, row, (int32_t)token };

    if (top->count < top->capacity)
        sift_up(top->items, top->count++, item);
    else if (item.score > top->items[0].score)
        sift_down(top->items, top->count, item);
}

/* A value not above this one cannot beat the worst item: x + base > worst
 * needs x > worst - base up to the rounding of the sum, for which there is
 * room. NaN (both infinite) when no value can. */
static float limit_of(const TopK *top, float base)
{
    float worst = top->items[0].score;

    return worst - base - (fabsf(worst) + fabsf(base)) * (4 * FLT_EPSILON) - FLT_MIN;
}

static bool any_above(const float *x, float limit)
{
    int any = 0;

    for (size_t i = 0; i < BLOCK; i++) any |= x[i] > limit;
    return any != 0;
}

void top_k_offer(TopK *top, uint32_t row, float base, const float *x, size_t count)
{
    size_t i = 0;
    float limit;

    for (; i < count && top->count < top->capacity; i++) offer_one(top, row, x[i] + base, i);
    limit = limit_of(top, base);
    for (; i + BLOCK <= count; i += BLOCK) {
        if (!any_above(x + i, limit)) continue;
        for (size_t j = i; j < i + BLOCK; j++) offer_one(top, row, x[j] + base, j);
        limit = limit_of(top, base);
    }
    for (; i < count; i++) offer_one(top, row, x[i] + base, i);
}

void top_k_sort(TopK *top)
{
    for (size_t left = top->count; left > 1; left--) {
        Candidate worst = top->items[0];
        sift_down(top->items, left - 1, top->items[left - 1]);
        top->items[left - 1] = worst;
    }
}
