/* top_k.h - the k best of many scored tokens, kept while rows go by.
 * Nothing is allocated: the items are the caller's. */
#ifndef DRAGOMAN_TOP_K_H
#define DRAGOMAN_TOP_K_H

#include <stddef.h>
#include <stdint.h>

#include "kernels.h"

/* Row `row` of the search continued with `token`. */
typedef struct {
    float score; /* never NaN */
    uint32_t row;
    int32_t token;
} Candidate;

typedef struct {
    Candidate *items; /* [capacity]; the best ones so far, as a heap until top_k_sort() */
    size_t capacity;  /* k, at least 1 */
    size_t count;
} TopK;

/* A row's scores: base + ((x[i] - sum.top) - sum.logsumexp) for (row, i). */
typedef struct {
    uint32_t row;
    float base;
    LogSum sum; /* zeros: x[] are log-probabilities already */
    const float *x;
    const float *maxima; /* of x, as in kernels.h; x may have become smaller since */
    size_t count;
} TopKRow;

/* Offers all tokens of a row, or one for which x[token] would be `x`. NaN counts as minus infinity. */
void top_k_offer(TopK *top, const TopKRow *row);
void top_k_offer_one(TopK *top, const TopKRow *row, float x, int32_t token);

/* Puts the items in order: the highest score first; equal scores: the lower
 * row first, then the lower token. Ends the offering. */
void top_k_sort(TopK *top);

#endif
