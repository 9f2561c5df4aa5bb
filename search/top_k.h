/* top_k.h - keeps the k best of many scored tokens, row by row, and reduces rows that arrive in blocks of ids to the
 * logits that may be among the k best.
 * It allocates nothing: the caller owns the items. */
#ifndef DRAGOMAN_TOP_K_H
#define DRAGOMAN_TOP_K_H

#include <stdbool.h>
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

/* --- Rows in blocks.
 *
 * A logit x is dropped when k logits of lower ids are at least as large. Scores never decrease when x grows, even after
 * rounding, and the lower id wins a tie, so x cannot win. A logit that was kept is not dropped later. In random
 * order this keeps about k (1 + ln(n / k)) of n logits. */

/* The largest number of logits kept for a row. */
#define SCAN_MAX_KEPT ((size_t)512)

typedef struct {
    float x;
    int32_t id;
} KeptLogit;

typedef struct {
    EntropyState parts; /* for the logsumexp; its weighted sums are used only if the search records the entropy */
    KeptLogit *kept;    /* [SCAN_MAX_KEPT] */
    size_t count;       /* may exceed SCAN_MAX_KEPT: then some logits were lost */
    float *best;        /* [k], the largest logits so far, descending */
    size_t best_count;
} RowScan;

void row_scan_begin(RowScan *scan);

/* Takes the logits of `count` ids from `first` on. maxima[ROW_MAXIMA_OF(count)] are upper bounds of their blocks. */
void row_scan_take(RowScan *scan, size_t k, size_t first, size_t count, const float *x, const float *maxima);

/* Offers the kept logits to `top`; row->x is not used. */
void row_scan_offer(const RowScan *scan, TopK *top, const TopKRow *row);

/* Returns the largest logit; of several, the one with the lowest id. NULL when all are minus infinity. */
const KeptLogit *row_scan_largest(const RowScan *scan);

#endif
