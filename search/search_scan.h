/* search_scan.h - what is kept of a step's logits that come in blocks of ids
 * (search_take_logits() of search.h), a row at a time: the sum of their exps, and every
 * logit that may still be among the k best.
 *
 * A logit x is dropped when k ids before it have one that is not smaller: their
 * scores, which grow with x up to rounding, are not smaller either, and the lower
 * id wins. What is kept is kept, so that rounding cannot bring back what is gone. In
 * random order that is about k (1 + ln(n / k)) of n logits. */
#ifndef DRAGOMAN_SEARCH_SCAN_H
#define DRAGOMAN_SEARCH_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels.h"
#include "top_k.h"

/* Logits of a row that are kept. */
#define SCAN_MOST ((size_t)512)

typedef struct {
    float x;
    int32_t id;
} Kept;

typedef struct {
    LogSumParts parts;
    Kept *kept;   /* [SCAN_MOST] */
    size_t count; /* more than SCAN_MOST: some are lost */
    float *best;  /* [k], the largest so far, in falling order */
    size_t best_count;
} RowScan;

void search_scan_begin(RowScan *scan);

/* The logits of `count` ids from `first` on; maxima[ROW_MAXIMA_OF(count)] are not below theirs. */
void search_scan_take(RowScan *scan, size_t k, size_t first, size_t count, const float *x, const float *maxima);

/* Offers what was kept; row->x is not looked at. */
void search_scan_offer(const RowScan *scan, TopK *top, const TopKRow *row);

/* The first of the largest logits, if one is larger than minus infinity. */
const Kept *search_scan_largest(const RowScan *scan);

#endif
