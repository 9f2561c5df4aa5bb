/* rows_emulation.h - softmax, attention of one query and activations with Marian's order of operations, for models in
 * which the last bit of a value decides how it is quantized to 8 bits. Only rows_LEVEL.c includes this file.
 * Source   src/tensors/cpu/tensor_operators.cpp and src/3rd_party/avx_mathfun.h of browsermt/marian-dev, with the fused
 *          multiply-adds that compilers generate for them on AVX2. */
#ifndef DRAGOMAN_ROWS_EMULATION_H
#define DRAGOMAN_ROWS_EMULATION_H

#include "rows.h"

/* expf() of Cephes. */
LANES_INLINE Lanes rows_marian_exp(Lanes x)
{
    Lanes y = lanes_max(lanes_set(-88.3762626647949f), lanes_min(lanes_set(88.3762626647949f), x));
    Lanes n = lanes_fma(y, lanes_set(1.44269504088896341f), lanes_set(0.5f)), p;
    LanesInt whole = __builtin_convertvector(n, LanesInt);

    whole += (LanesInt)(__builtin_convertvector(whole, Lanes) > n); /* floor: a mask is -1 */
    n = __builtin_convertvector(whole, Lanes);
    y = lanes_fma(n, lanes_set(-0.693359375f), y);
    y = lanes_fma(n, lanes_set(2.12194440e-4f), y);
    p = lanes_fma(lanes_set(1.9875691500e-4f), y, lanes_set(1.3981999507e-3f));
    p = lanes_fma(p, y, lanes_set(8.3334519073e-3f));
    p = lanes_fma(p, y, lanes_set(4.1665795894e-2f));
    p = lanes_fma(p, y, lanes_set(1.6666665459e-1f));
    p = lanes_fma(p, y, lanes_set(5.0000001201e-1f));
    p = lanes_fma(p, y * y, y) + 1.0f;
    return p * (Lanes)((whole + 127) << 23);
}

/* Returns e^x for x <= 0. Like libm's expf(), it is correctly rounded except for about one in a million values. */
LANES_INLINE float rows_exact_exp(float x)
{
    const double to_integer = 6755399441055744.0; /* 1.5 * 2^52 */
    const double v = x > -110.0f ? (double)x : -110.0;
    const double n = (v * 1.4426950408889634 + to_integer) - to_integer;
    const double r = (v - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
    const uint64_t bits = (uint64_t)((int64_t)n + 1023) << 52;
    double p = 1.0 / 362880, scale;

    p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    memcpy(&scale, &bits, sizeof scale);
    return (float)(p * scale);
}

/* Marian computes a row in vectors of 8 or 4 values if its length is a multiple of 8 or 4, otherwise in single values.
 * Each lane of the vectors has its own sum; the sums are then added in order. */
LANES_INLINE void rows_marian_softmax(float *x, size_t count)
{
    const size_t step = count % 8 == 0 ? 8 : count % 4 == 0 ? 4 : 1;
    const float top = rows_largest(x, count);
    float sums[8] = { 0 }, sum = 0;

    if (step > 1)
        ROWS_MAP(x, count, rows_marian_exp(v - top));
    else
        for (size_t i = 0; i < count; i++) x[i] = rows_exact_exp(x[i] - top);
    for (size_t i = 0; i < count; i++) sums[i % step] += x[i];
    for (size_t i = 0; i < step; i++) sum += sums[i];
    ROWS_MAP(x, count, v / sum);
}

LANES_INLINE Lanes rows_marian_sigmoid(Lanes x)
{
    Lanes e = rows_marian_exp(x);

    return e / (1.0f + e);
}

LANES_INLINE void rows_marian_activate(Activation f, const ActivationParams *params, float *x, size_t count)
{
    if (f == ACTIVATION_SIGMOID)
        ROWS_MAP(x, count, rows_marian_sigmoid(v));
    else if (f == ACTIVATION_SWISH)
        ROWS_MAP(x, count, v * rows_marian_sigmoid(v));
    else if (f == ACTIVATION_QUICK_GELU)
        ROWS_MAP(x, count, v * rows_marian_sigmoid(1.702f * v));
    else
        rows_activate(f, params, x, count);
}

/* q.k with eight partial sums: product i goes to sum i mod 8. */
LANES_INLINE float rows_marian_match(const float *q, const float *k, size_t size)
{
    float sums[EIGHT] = { 0 };
    size_t at = 0;

    for (; at + EIGHT <= size; at += EIGHT)
        for (size_t i = 0; i < EIGHT; i++) sums[i] = fmaf(q[at + i], k[at + i], sums[i]);
    for (; at < size; at++) sums[at % EIGHT] = fmaf(q[at], k[at], sums[at % EIGHT]);
    for (size_t half = EIGHT / 2; half; half /= 2)
        for (size_t i = 0; i < half; i++) sums[i] += sums[i + half];
    return sums[0];
}

LANES_INLINE void rows_marian_attend(const float *q, const AttentionRows *rows, size_t heads, size_t size, float scale,
                                     float *scores, float *out)
{
    const size_t count = rows->count;

    if (rows->type != DTYPE_F32 || rows->bias || rows->sharing > 1 || rows->cap != 0) {
        rows_attend(q, rows, heads, size, scale, scores, out);
        return;
    }
    for (size_t j = 0; j < count; j++)
        for (size_t h = 0; h < heads; h++)
            scores[h * count + j] =
                rows_marian_match(q + h * size, (const float *)rows->at[j] + rows->key + h * size, size) * scale;
    for (size_t h = 0; h < heads; h++) rows_marian_softmax(scores + h * count, count);
    rows_attend_values(DTYPE_F32, rows, heads, size, scores, out);
}

#endif
