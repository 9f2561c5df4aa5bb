/* rows.h - the functions of struct Kernels (kernels.h), written once over Lanes. Each rows_LEVEL.c
 * compiles them for one CPU level. Included by rows_emulation.h alone, which every rows_LEVEL.c
 * includes. */
#ifndef DRAGOMAN_ROWS_H
#define DRAGOMAN_ROWS_H

#include <math.h>

#include "kernels.h"
#include "lanes.h"
#include "rows_loops.h"
#include "rows_norm.h"
#include "rows_convert.h"
#include "rows_vocab.h"

/* GELU with erf. */
LANES_INLINE Lanes rows_gelu(Lanes v)
{
    return 0.5f * v * (1.0f + lanes_erf(v * 0.707106781f));
}

/* x tanh(ln(1 + e^x)) = x w / (w + 2) with w = e^x (e^x + 2); x above 20. */
LANES_INLINE Lanes rows_mish(Lanes v)
{
    Lanes e = lanes_exp(lanes_min(v, lanes_set(20.0f)));
    Lanes w = e * (e + 2.0f);

    return lanes_select(v > lanes_set(20.0f), v, v * w / (w + 2.0f));
}

/* p is { alpha for positive x, alpha for negative x, beta, eps }. */
LANES_INLINE Lanes rows_xielu(Lanes v, const float *p)
{
    Lanes positive = p[0] * v * v + p[2] * v;
    Lanes negative = (lanes_exp(lanes_min(v, lanes_set(p[3]))) - 1.0f - v) * p[1] + p[2] * v;

    return lanes_select(v > lanes_set(0.0f), positive, negative);
}

LANES_INLINE void rows_activate(Activation f, const ActivationParams *params, float *x, size_t count)
{
    const Lanes zero = lanes_set(0.0f);

    switch (f) {
    case ACTIVATION_RELU:
        ROWS_MAP(x, count, lanes_select(v < zero, zero, v));
        break;
    case ACTIVATION_SWISH:
        ROWS_MAP(x, count, v * lanes_sigmoid(v));
        break;
    case ACTIVATION_GELU:
        ROWS_MAP(x, count, rows_gelu(v));
        break;
    case ACTIVATION_GELU_10:
        ROWS_MAP(x, count, lanes_max(lanes_set(-10.0f), lanes_min(lanes_set(10.0f), rows_gelu(v))));
        break;
    case ACTIVATION_GELU_TANH:
        ROWS_MAP(x, count, 0.5f * v * (1.0f + lanes_tanh(0.797884561f * (v + 0.044715f * v * v * v))));
        break;
    case ACTIVATION_QUICK_GELU:
        ROWS_MAP(x, count, v * lanes_sigmoid(1.702f * v));
        break;
    case ACTIVATION_TANH:
        ROWS_MAP(x, count, lanes_tanh(v));
        break;
    case ACTIVATION_SIGMOID:
        ROWS_MAP(x, count, lanes_sigmoid(v));
        break;
    case ACTIVATION_RELU6:
        ROWS_MAP(x, count, lanes_min(lanes_set(6.0f), lanes_select(v < zero, zero, v)));
        break;
    case ACTIVATION_RELU2:
        ROWS_MAP(x, count, lanes_select(v < zero, zero, v * v));
        break;
    case ACTIVATION_LEAKY_RELU:
        ROWS_MAP(x, count, lanes_select(v < zero, v * 0.01f, v));
        break;
    case ACTIVATION_MISH:
        ROWS_MAP(x, count, rows_mish(v));
        break;
    case ACTIVATION_LAPLACE: /* (x - mu) / (sigma sqrt 2), mu and sigma as in MEGA */
        ROWS_MAP(x, count, 0.5f * (1.0f + lanes_erf((v - 0.707107f) / 0.398942575f)));
        break;
    case ACTIVATION_PRELU:
        ROWS_MAP(x, count, lanes_select(v < zero, v * params->p[0], v));
        break;
    case ACTIVATION_XIELU:
        ROWS_MAP(x, count, rows_xielu(v, params->p));
        break;
    case ACTIVATION_LINEAR:
    case ACTIVATION_COUNT:
        break;
    }
}

LANES_INLINE void rows_gate(Activation f, const ActivationParams *params, float *x, size_t rows, size_t cols)
{
    for (size_t r = 0; r < rows; r++) {
        float *a = x + r * 2 * cols, *out = x + r * cols;
        size_t i = 0;

        rows_activate(f, params, a, cols);
        for (; i + LANES <= cols; i += LANES) lanes_store(out + i, lanes_load(a + i) * lanes_load(a + cols + i));
        for (; i < cols; i++) out[i] = a[i] * a[cols + i];
    }
}

/* Returns the largest value; -infinity if there is none but NaN. */
LANES_INLINE float rows_largest(const float *x, size_t count)
{
    Partials best = partials_set(-INFINITY);

    ROWS_REDUCE(best, count, *p = lanes_max(lanes_load_within(x, at, count, -INFINITY), *p));
    return partials_largest(&best);
}

LANES_INLINE void rows_softmax(float *x, size_t count)
{
    float top = rows_largest(x, count), inverse;

    ROWS_MAP(x, count, lanes_exp(v - top));
    inverse = 1.0f / rows_sum(x, count);
    ROWS_MAP(x, count, v * inverse);
}

LANES_INLINE void rows_log_softmax(float *x, size_t count)
{
    LogSumExp sum = rows_logsumexp(x, count, NULL);

    ROWS_MAP(x, count, (v - sum.top) - sum.logsumexp);
}

LANES_INLINE float rows_dot(const float *a, const float *b, size_t count)
{
    Partials sum = partials_set(0.0f);

    ROWS_REDUCE(sum, count, *p += lanes_load_within(a, at, count, 0.0f) * lanes_load_within(b, at, count, 0.0f));
    return partials_total(&sum);
}

LANES_INLINE void rows_embed(float *out, const float *table, float scale, const float *position, size_t count)
{
    size_t i = 0;

    if (!position) {
        for (; i < count; i++) out[i] = table[i] * scale;
        return;
    }
    for (; i + LANES <= count; i += LANES)
        lanes_store(out + i, lanes_load(table + i) * scale + lanes_load(position + i));
    for (; i < count; i++) out[i] = table[i] * scale + position[i];
}

#define CACHE_LINE 64

/* Returns the address of element `at` of a cached row. */
LANES_INLINE const void *rows_element(DType type, const void *row, size_t at)
{
    return (const char *)row + at * dtype_bytes(type);
}

/* Prefetches `count` elements into the second-level cache: cached rows are too short for the hardware
 * prefetcher. Fetching so many lines into the first level takes twice as long. */
LANES_INLINE void rows_prefetch(DType type, const void *x, size_t count)
{
    for (size_t i = 0; i < count * dtype_bytes(type); i += CACHE_LINE) __builtin_prefetch((const char *)x + i, 0, 2);
}

/* Loads LANES elements from index `at` on, as f32. */
LANES_INLINE Lanes rows_load(DType type, const void *x, size_t at)
{
    return type == DTYPE_F32 ? lanes_load((const float *)x + at) : lanes_load_bf16((const uint16_t *)x + at);
}

/* Adds the products of q and a cached row from element `at` on, where fewer than PARTIALS elements are left. */
LANES_INLINE void rows_match_rest(DType type, Partials *sum, const float *q, const void *row, size_t at, size_t count)
{
    float tail[PARTIALS] = { 0 };

    for (size_t i = at; i < count; i++) tail[i - at] = element_at(type, row, i);
    for (size_t i = 0; i < PARTS; i++)
        sum->part[i] += lanes_load_within(q, at + i * LANES, count, 0.0f) * lanes_load(tail + i * LANES);
}

/* totals[h] = q.k for `heads` <= FOUR heads. q and k point to the first one. */
LANES_INLINE void rows_match(DType type, const float *q, const void *k, const size_t heads, size_t size,
                             float totals[FOUR])
{
    Partials sums[FOUR];
    size_t at = 0;

    for (size_t h = 0; h < FOUR; h++) sums[h] = partials_set(0.0f);
    for (; at + PARTIALS <= size; at += PARTIALS)
        for (size_t h = 0; h < heads; h++)
            for (size_t i = 0; i < PARTS; i++)
                sums[h].part[i] +=
                    lanes_load(q + h * size + at + i * LANES) * rows_load(type, k, h * size + at + i * LANES);
    for (size_t h = 0; at < size && h < heads; h++)
        rows_match_rest(type, &sums[h], q + h * size, rows_element(type, k, h * size), at, size);
    partials_totals(sums, totals);
}

/* How many rows ahead to prefetch. */
#define ROWS_AHEAD ((size_t)4)

/* scores[h, j] = q.k * scale, computed for four heads at a time. Values are used soon, so they are prefetched, too. */
LANES_INLINE void rows_score_sized(DType type, const float *q, const AttentionRows *rows, size_t heads,
                                   const size_t size, float scale, float *scores)
{
    const size_t count = rows->count;

    for (size_t j = 0; j < count; j++) {
        if (j + ROWS_AHEAD < count)
            rows_prefetch(type, rows_element(type, rows->at[j + ROWS_AHEAD], rows->key), heads * size);
        rows_prefetch(type, rows_element(type, rows->at[j], rows->value), heads * size);
        for (size_t h = 0; h < heads; h += FOUR) {
            const size_t some = heads - h < FOUR ? heads - h : FOUR;
            const void *k = rows_element(type, rows->at[j], rows->key + h * size);
            float totals[FOUR];
            if (some == FOUR)
                rows_match(type, q + h * size, k, FOUR, size, totals);
            else
                rows_match(type, q + h * size, k, some, size, totals);
            for (size_t i = 0; i < some; i++) scores[(h + i) * count + j] = totals[i] * scale;
        }
    }
}

/* The usual sizes are constants, for which the compiler unrolls the loops. */
LANES_INLINE void rows_score(DType type, const float *q, const AttentionRows *rows, size_t heads, size_t size,
                             float scale, float *scores)
{
    if (size == 64)
        rows_score_sized(type, q, rows, heads, 64, scale, scores);
    else if (size == 32)
        rows_score_sized(type, q, rows, heads, 32, scale, scores);
    else
        rows_score_sized(type, q, rows, heads, size, scale, scores);
}

/* out[i] = the sum of x[j][i] scores[j], added from left to right, for `registers` registers from element `at` of the
 * cached rows x on. */
LANES_INLINE void rows_attend_registers(DType type, const AttentionRows *rows, size_t at, const size_t registers,
                                        const float *scores, float *out)
{
    Lanes sums[FOUR];

    for (size_t i = 0; i < registers; i++) sums[i] = lanes_set(0.0f);
    for (size_t j = 0; j < rows->count; j++) {
        const void *x = rows_element(type, rows->at[j], at);
        for (size_t i = 0; i < registers; i++) sums[i] += rows_load(type, x, i * LANES) * scores[j];
    }
    for (size_t i = 0; i < registers; i++) lanes_store(out + i * LANES, sums[i]);
}

/* The same for a single element. */
LANES_INLINE float rows_attend_one(DType type, const AttentionRows *rows, size_t at, const float *scores)
{
    float sum = 0;

    for (size_t j = 0; j < rows->count; j++) sum += element_at(type, rows->at[j], at) * scores[j];
    return sum;
}

/* out = the sum of the values, weighted with scores[heads, count]. rows_score() has prefetched the values. */
LANES_INLINE void rows_attend_values(DType type, const AttentionRows *rows, size_t heads, size_t head_size,
                                     const float *scores, float *out)
{
    for (size_t h = 0; h < heads; h++, scores += rows->count, out += head_size) {
        const size_t at = rows->value + h * head_size;
        size_t i = 0;
        for (; i + FOUR * LANES <= head_size; i += FOUR * LANES)
            rows_attend_registers(type, rows, at + i, FOUR, scores, out + i);
        for (; i + 2 * LANES <= head_size; i += 2 * LANES)
            rows_attend_registers(type, rows, at + i, 2, scores, out + i);
        for (; i + LANES <= head_size; i += LANES) rows_attend_registers(type, rows, at + i, 1, scores, out + i);
        for (; i < head_size; i++) out[i] = rows_attend_one(type, rows, at + i, scores);
    }
}

LANES_INLINE void rows_attend_to(DType type, const float *q, const AttentionRows *rows, size_t heads, size_t head_size,
                                 float scale, float *scores, float *out)
{
    const size_t count = rows->count;

    rows_score(type, q, rows, heads, head_size, scale, scores);
    if (rows->bias) rows_add(scores, rows->bias, heads * count);
    for (size_t h = 0; h < heads; h++) rows_softmax(scores + h * count, count);
    rows_attend_values(type, rows, heads, head_size, scores, out);
}

LANES_INLINE void rows_attend(const float *q, const AttentionRows *rows, size_t heads, size_t head_size, float scale,
                              float *scores, float *out)
{
    if (rows->type == DTYPE_F32)
        rows_attend_to(DTYPE_F32, q, rows, heads, head_size, scale, scores, out);
    else
        rows_attend_to(DTYPE_BF16, q, rows, heads, head_size, scale, scores, out);
}

/* Defines the functions and the table of one level. `attribute` enables the level's instructions. */
#define ROWS_TABLE(table, name, attribute)                                                                             \
    attribute static void activate(Activation f, const ActivationParams *params, float *x, size_t count)               \
    {                                                                                                                  \
        rows_activate(f, params, x, count);                                                                            \
    }                                                                                                                  \
    attribute static void gate(Activation f, const ActivationParams *params, float *x, size_t rows, size_t cols)       \
    {                                                                                                                  \
        rows_gate(f, params, x, rows, cols);                                                                           \
    }                                                                                                                  \
    attribute static void add(float *x, const float *y, size_t count)                                                  \
    {                                                                                                                  \
        rows_add(x, y, count);                                                                                         \
    }                                                                                                                  \
    attribute static void add_norm(NormKind kind, float *x, const float *y, size_t rows, size_t cols,                  \
                                   const float *scale, const float *shift, float eps, float *out)                      \
    {                                                                                                                  \
        rows_add_norm(kind, x, y, rows, cols, scale, shift, eps, out);                                                 \
    }                                                                                                                  \
    attribute static void softmax(float *x, size_t count)                                                              \
    {                                                                                                                  \
        rows_softmax(x, count);                                                                                        \
    }                                                                                                                  \
    attribute static void log_softmax(float *x, size_t count)                                                          \
    {                                                                                                                  \
        rows_log_softmax(x, count);                                                                                    \
    }                                                                                                                  \
    attribute static LogSumExp logsumexp(const float *x, size_t count, float *largest)                                 \
    {                                                                                                                  \
        return rows_logsumexp(x, count, largest);                                                                      \
    }                                                                                                                  \
    attribute static void logsumexp_add(LogSumExpState *parts, const float *x, size_t count, float *largest)           \
    {                                                                                                                  \
        rows_logsumexp_add(parts, x, count, largest);                                                                  \
    }                                                                                                                  \
    attribute static LogSumExp logsumexp_end(const LogSumExpState *parts)                                              \
    {                                                                                                                  \
        return rows_logsumexp_end(parts);                                                                              \
    }                                                                                                                  \
    attribute static void entropy_add(EntropyState *parts, const float *x, size_t count, float *largest)               \
    {                                                                                                                  \
        rows_entropy_add(parts, x, count, largest);                                                                    \
    }                                                                                                                  \
    attribute static float entropy_end(const EntropyState *parts)                                                      \
    {                                                                                                                  \
        return rows_entropy_end(parts);                                                                                \
    }                                                                                                                  \
    attribute static float dot(const float *a, const float *b, size_t count)                                           \
    {                                                                                                                  \
        return rows_dot(a, b, count);                                                                                  \
    }                                                                                                                  \
    attribute static void attend(const float *q, const AttentionRows *rows, size_t heads, size_t head_size,            \
                                 float scale, float *scores, float *out)                                               \
    {                                                                                                                  \
        rows_attend(q, rows, heads, head_size, scale, scores, out);                                                    \
    }                                                                                                                  \
    attribute static void embed(float *out, const float *row, float scale, const float *position, size_t count)        \
    {                                                                                                                  \
        rows_embed(out, row, scale, position, count);                                                                  \
    }                                                                                                                  \
    attribute static void widen(DType type, const void *in, size_t count, float *out)                                  \
    {                                                                                                                  \
        rows_widen(type, in, count, out);                                                                              \
    }                                                                                                                  \
    attribute static void to_bf16(const float *x, size_t count, uint16_t *out)                                         \
    {                                                                                                                  \
        rows_to_bf16(x, count, out);                                                                                   \
    }                                                                                                                  \
    attribute static float quantize(const float *x, size_t count, size_t width, uint8_t *out)                          \
    {                                                                                                                  \
        return rows_quantize(x, count, width, out);                                                                    \
    }                                                                                                                  \
    attribute static void quantize_by(float multiplier, const float *x, size_t count, size_t width, uint8_t *out)      \
    {                                                                                                                  \
        rows_quantize_by(multiplier, x, count, width, out);                                                            \
    }                                                                                                                  \
    attribute static float maxima(const float *x, size_t count, float *largest)                                        \
    {                                                                                                                  \
        return rows_maxima(x, count, largest);                                                                         \
    }                                                                                                                  \
    attribute static size_t argmax(const float *x, size_t count)                                                       \
    {                                                                                                                  \
        return rows_argmax(x, count);                                                                                  \
    }                                                                                                                  \
    const Kernels table = {                                                                                            \
        name,      activate,      gate,          add,         add_norm,    softmax, log_softmax,                       \
        logsumexp, logsumexp_add, logsumexp_end, entropy_add, entropy_end, dot,     attend,                            \
        embed,     widen,         to_bf16,       quantize,    quantize_by, maxima,  argmax,                            \
    }

#endif
