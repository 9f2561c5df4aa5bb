/* rows_vocab.h - the functions of struct Kernels that search applies to rows of logits: maxima and
 * logsumexp, and the entropy. A row is read in blocks of ROW_BLOCK values, 16 columns wide. Each column has its own
 * maximum and sum, which are combined at the end in a fixed tree. So has the sum for the entropy.
 * Included by rows.h alone. */
#ifndef DRAGOMAN_ROWS_VOCAB_H
#define DRAGOMAN_ROWS_VOCAB_H

#include <math.h>

#include "kernels.h"
#include "lanes.h"

/* Returns x[at .. at + ROW_BLOCK). A block that is not complete is copied to room[] and padded with minus infinity. */
LANES_INLINE const float *rows_block(const float *x, size_t at, size_t count, float *room)
{
    if (at + ROW_BLOCK <= count) return x + at;
    for (size_t i = 0; i < ROW_BLOCK; i++) room[i] = at + i < count ? x[at + i] : -INFINITY;
    return room;
}

/* Returns the largest value of each column of a block, in four independent chains of comparisons. */
LANES_INLINE Partials rows_block_maxima(const float *block)
{
    Partials top;

    for (size_t p = 0; p < PARTS; p++) {
        Lanes t[4];
        for (size_t c = 0; c < 4; c++) t[c] = lanes_set(-INFINITY);
        for (size_t i = 0; i < ROW_BLOCK; i += 4 * PARTIALS)
            for (size_t c = 0; c < 4; c++) t[c] = lanes_max(lanes_load(block + i + c * PARTIALS + p * LANES), t[c]);
        top.part[p] = lanes_max(lanes_max(t[0], t[1]), lanes_max(t[2], t[3]));
    }
    return top;
}

LANES_INLINE float rows_maxima(const float *x, size_t count, float *maxima)
{
    Partials best = partials_set(-INFINITY);
    float room[ROW_BLOCK];

    for (size_t at = 0; at < count; at += ROW_BLOCK, maxima += PARTIALS) {
        Partials top = rows_block_maxima(rows_block(x, at, count, room));
        memcpy(maxima, &top, sizeof top);
        for (size_t p = 0; p < PARTS; p++) best.part[p] = lanes_max(top.part[p], best.part[p]);
    }
    return partials_largest(&best);
}

/* Returns the first index of the largest value. blocks[] has, for each column, the first block with
 * the column's largest value. */
LANES_INLINE size_t rows_first_largest(const float *x, size_t count, const Partials *best, const int32_t *blocks)
{
    float maxima[PARTIALS], top = partials_largest(best);
    size_t first = count;

    memcpy(maxima, best, sizeof maxima);
    for (size_t column = 0; column < PARTIALS; column++) {
        size_t at = (size_t)blocks[column] * ROW_BLOCK + column;
        if (maxima[column] != top) continue;
        while (at < count && x[at] != top) at += PARTIALS;
        if (at < first) first = at;
    }
    return first < count ? first : 0;
}

LANES_INLINE size_t rows_argmax(const float *x, size_t count)
{
    Partials best = partials_set(-INFINITY);
    LanesInt at[PARTS] = { 0 };
    int32_t blocks[PARTIALS];
    float room[ROW_BLOCK];

    for (size_t b = 0; b * ROW_BLOCK < count; b++) {
        Partials top = rows_block_maxima(rows_block(x, b * ROW_BLOCK, count, room));
        for (size_t p = 0; p < PARTS; p++) {
            LanesInt better = top.part[p] > best.part[p];
            at[p] = (better & (int32_t)b) | (~better & at[p]);
            best.part[p] = lanes_select(better, top.part[p], best.part[p]);
        }
    }
    for (size_t p = 0; p < PARTS; p++) memcpy(blocks + p * LANES, &at[p], sizeof at[p]);
    return rows_first_largest(x, count, &best, blocks);
}

/* e^x for x <= 0 with an error of about 1 ulp: 2^(n + r) with |r| <= 1/2, and a minimax polynomial of
 * degree 5 for 2^r. Returns 0 below -88; NaN stays NaN. */
LANES_INLINE Lanes rows_exp_negative(Lanes x)
{
    const Lanes round = lanes_set(12583039.0f); /* 1.5 * 2^23 + 127: its last bits become n + 127 */
    Lanes y = x * 1.44269504f;
    Lanes sum, r, p;

    y = lanes_select(y < lanes_set(-127.0f), lanes_set(-127.0f), y);
    sum = y + round;
    r = y - (sum - round);
    p = r * 0.00132647273f + 0.00967151299f;
    p = p * r + 0.0555073358f;
    p = p * r + 0.240222424f;
    p = p * r + 0.693147004f;
    p = p * r + 1.0f;
    return p * (Lanes)((LanesInt)sum << 23);
}

/* Adds one block to the columns' sums of e^(x - top) and rescales them if a maximum rises. */
LANES_INLINE void rows_sum_block(const float *block, const Partials *maxima, Partials *top, Partials *sum)
{
    for (size_t p = 0; p < PARTS; p++) {
        Lanes higher = lanes_max(maxima->part[p], top->part[p]);
        Lanes s = sum->part[p] * rows_exp_negative(top->part[p] - higher);
        for (size_t i = p * LANES; i < ROW_BLOCK; i += PARTIALS) s += rows_exp_negative(lanes_load(block + i) - higher);
        top->part[p] = higher;
        sum->part[p] = s;
    }
}

LANES_INLINE void rows_logsumexp_add(LogSumExpState *parts, const float *x, size_t count, float *maxima)
{
    Partials top, sum;
    float room[ROW_BLOCK];

    memcpy(&top, parts->top, sizeof top);
    memcpy(&sum, parts->sum, sizeof sum);
    for (size_t at = 0; at < count; at += ROW_BLOCK) {
        const float *block = rows_block(x, at, count, room);
        Partials here = rows_block_maxima(block);
        if (maxima) memcpy(maxima + at / ROW_BLOCK * PARTIALS, &here, sizeof here);
        rows_sum_block(block, &here, &top, &sum);
    }
    memcpy(parts->top, &top, sizeof top);
    memcpy(parts->sum, &sum, sizeof sum);
}

LANES_INLINE LogSumExp rows_logsumexp_end(const LogSumExpState *parts)
{
    Partials top, sum;
    float highest;

    memcpy(&top, parts->top, sizeof top);
    memcpy(&sum, parts->sum, sizeof sum);
    highest = partials_largest(&top);
    for (size_t p = 0; p < PARTS; p++) sum.part[p] *= rows_exp_negative(top.part[p] - highest);
    return (LogSumExp){ highest, (float)log((double)partials_total(&sum)) };
}

/* The exponent from which on rows_exp_negative() returns 0. */
#define ROWS_LEAST_EXPONENT (-88.0f)

/* Moves a column's sums from one maximum to another that is higher by -shift:
 *     sum of (x - top + shift) e^(x - top + shift) = e^shift (weighted + shift * sum)
 * A shift below the least exponent leaves 0 whatever it is, and must not become infinite. */
LANES_INLINE void rows_shift_sums(Lanes shift, Lanes *sum, Lanes *weighted)
{
    const Lanes e = rows_exp_negative(shift);

    *weighted = (*weighted + lanes_max(shift, lanes_set(ROWS_LEAST_EXPONENT)) * *sum) * e;
    *sum *= e;
}

/* Does what rows_sum_block() does, and adds to the weighted sums. */
LANES_INLINE void rows_weigh_block(const float *block, const Partials *maxima, Partials *top, Partials *sum,
                                   Partials *weighted)
{
    const Lanes least = lanes_set(ROWS_LEAST_EXPONENT);

    for (size_t p = 0; p < PARTS; p++) {
        const Lanes higher = lanes_max(maxima->part[p], top->part[p]);
        Lanes s = sum->part[p], w = weighted->part[p];
        rows_shift_sums(top->part[p] - higher, &s, &w);
        for (size_t i = p * LANES; i < ROW_BLOCK; i += PARTIALS) {
            const Lanes x = lanes_load(block + i) - higher, e = rows_exp_negative(x);
            s += e;
            w += lanes_max(x, least) * e;
        }
        top->part[p] = higher;
        sum->part[p] = s;
        weighted->part[p] = w;
    }
}

LANES_INLINE void rows_entropy_add(EntropyState *parts, const float *x, size_t count, float *maxima)
{
    Partials top, sum, weighted;
    float room[ROW_BLOCK];

    memcpy(&top, parts->sums.top, sizeof top);
    memcpy(&sum, parts->sums.sum, sizeof sum);
    memcpy(&weighted, parts->weighted, sizeof weighted);
    for (size_t at = 0; at < count; at += ROW_BLOCK) {
        const float *block = rows_block(x, at, count, room);
        const Partials here = rows_block_maxima(block);
        if (maxima) memcpy(maxima + at / ROW_BLOCK * PARTIALS, &here, sizeof here);
        rows_weigh_block(block, &here, &top, &sum, &weighted);
    }
    memcpy(parts->sums.top, &top, sizeof top);
    memcpy(parts->sums.sum, &sum, sizeof sum);
    memcpy(parts->weighted, &weighted, sizeof weighted);
}

/* With the columns' sums S and W relative to the highest maximum, the entropy is log S - W / S. Rounding may leave it
 * below 0, the entropy of a certain choice. */
LANES_INLINE float rows_entropy_end(const EntropyState *parts)
{
    Partials top, sum, weighted;
    float highest;
    double total, entropy;

    memcpy(&top, parts->sums.top, sizeof top);
    memcpy(&sum, parts->sums.sum, sizeof sum);
    memcpy(&weighted, parts->weighted, sizeof weighted);
    highest = partials_largest(&top);
    for (size_t p = 0; p < PARTS; p++) rows_shift_sums(top.part[p] - highest, &sum.part[p], &weighted.part[p]);
    total = (double)partials_total(&sum);
    entropy = log(total) - (double)partials_total(&weighted) / total;
    return entropy < 0 ? 0.0f : (float)entropy;
}

LANES_INLINE LogSumExp rows_logsumexp(const float *x, size_t count, float *maxima)
{
    LogSumExpState parts = logsumexp_begin();

    rows_logsumexp_add(&parts, x, count, maxima);
    return rows_logsumexp_end(&parts);
}

#endif
