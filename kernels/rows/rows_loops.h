/* rows_loops.h - loops over a row, one register at a time. Included by rows.h and its parts. */
#ifndef DRAGOMAN_ROWS_LOOPS_H
#define DRAGOMAN_ROWS_LOOPS_H

#include "lanes.h"

/* x[i] = expression over `count` values; `v` is a register of them. */
#define ROWS_MAP(x, count, expression)                                                                                 \
    do {                                                                                                               \
        size_t at = 0;                                                                                                 \
        for (; at + LANES <= (count); at += LANES) {                                                                   \
            Lanes v = lanes_load((x) + at);                                                                            \
            lanes_store((x) + at, (expression));                                                                       \
        }                                                                                                              \
        if (at < (count)) {                                                                                            \
            Lanes v = lanes_load_part((x) + at, (count)-at, 0.0f);                                                     \
            lanes_store_part((x) + at, (count)-at, (expression));                                                      \
        }                                                                                                              \
    } while (0)

LANES_INLINE float rows_sum(const float *x, size_t count)
{
    Partials sum = partials_set(0.0f);

    ROWS_REDUCE(sum, count, *p += lanes_load_within(x, at, count, 0.0f));
    return partials_total(&sum);
}

#endif
