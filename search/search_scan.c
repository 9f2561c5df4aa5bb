/* search_scan.c - see search_scan.h. */
#include "search_scan.h"

#include <math.h>

void search_scan_begin(RowScan *scan)
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

static bool any_above(const float *x, size_t count, float limit)
{
    int any = 0;

    for (size_t i = 0; i < count; i++) any |= x[i] > limit;
    return any != 0;
}

void search_scan_take(RowScan *scan, size_t k, size_t first, size_t count, const float *x, const float *maxima)
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

void search_scan_offer(const RowScan *scan, TopK *top, const TopKRow *row)
{
    for (size_t i = 0; i < scan->count; i++) top_k_offer_one(top, row, scan->kept[i].x, scan->kept[i].id);
}

const KeptLogit *search_scan_largest(const RowScan *scan)
{
    for (size_t i = 0; i < scan->count; i++)
        if (scan->kept[i].x == scan->best[0]) return &scan->kept[i];
    return NULL;
}
