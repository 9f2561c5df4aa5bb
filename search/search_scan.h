/* search_scan.h - reduces a row of logits that arrives in blocks of ids (search_take_logits() of
 * search.h) to the sum of its exponentials and the logits that may be among the k best.
 *
 * A logit x is dropped when k logits of lower ids are at least as large. Scores never decrease
 * when x grows, even after rounding, and the lower id wins a tie, so x cannot win. A logit is
 * never dropped later. In random order this keeps about k (1 + ln(n / k)) of n logits. */
#ifndef DRAGOMAN_SEARCH_SCAN_H
#define DRAGOMAN_SEARCH_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels.h"
#include "top_k.h"

/* The largest number of logits kept for a row. */
#define SCAN_MAX_KEPT ((size_t)512)

typedef struct {
    float x;
    int32_t id;
} KeptLogit;

typedef struct {
    EntropyState parts; /* its weighted sums are used only if the search records the entropy */
    KeptLogit *kept;    /* [SCAN_MAX_KEPT] */
    size_t count;       /* may exceed SCAN_MAX_KEPT: then some logits were lost */
    float *best;        /* [k], the largest logits so far, descending */
    size_t best_count;
} RowScan;

void search_scan_begin(RowScan *scan);

/* Takes the logits of `count` ids from `first` on. maxima[ROW_MAXIMA_OF(count)] are upper bounds of their blocks. */
void search_scan_take(RowScan *scan, size_t k, size_t first, size_t count, const float *x, const float *maxima);

/* Offers the kept logits to `top`; row->x is not used. */
void search_scan_offer(const RowScan *scan, TopK *top, const TopKRow *row);

/* Returns the largest logit, with the lowest id of equal ones; NULL when all are minus infinity. */
const KeptLogit *search_scan_largest(const RowScan *scan);

#endif
