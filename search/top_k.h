/* top_k.h - keeps the k best of many scored tokens, row by row.
 * It allocates nothing: the caller owns the items. */
#ifndef DRAGOMAN_TOP_K_H
#define DRAGOMAN_TOP_K_H

#include <stddef.h>
#include <stdint.h>

#include "kernels.h"

/* Row `row` of the search, continued with `token`. */
typedef struct {
    float score; /* never NaN */
    uint32_t row;
    int32_t token;
} Candidate;

typedef struct {
    Candidate *items; /* [capacity], the best so far: a heap until top_k_sort() */
    size_t capacity;  /* k, at least 1 */
    size_t count;
} TopK;

/* The scores of a row: base + ((x[i] - sum.top) - sum.logsumexp) for token i. */
typedef struct {
    uint32_t row;
    float base;
    LogSumExp sum; /* all zero when x[] are log-probabilities */
    const float *x;
    const float *maxima; /* block maxima of x as in kernels.h, or upper bounds of them */
    size_t count;
} TopKRow;

/* Offers all tokens of a row, or a single token whose x[token] is `x`. NaN counts as minus infinity. */
void top_k_offer(TopK *top, const TopKRow *row);
void top_k_offer_one(TopK *top, const TopKRow *row, float x, int32_t token);

/* Sorts the items: higher scores first; of equal scores, the lower row first, then the lower
 * token. Offer nothing after it. */
void top_k_sort(TopK *top);

#endif
