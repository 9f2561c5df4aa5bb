/* rows_norm.h - the norms of struct Kernels and the sums that they need. Included by rows.h alone. */
#ifndef DRAGOMAN_ROWS_NORM_H
#define DRAGOMAN_ROWS_NORM_H

#include "kernels.h"
#include "lanes.h"
#include "rows_loops.h"
#include "rows_norm_fused.h"

/* Sum of (x - mean)^2. */
LANES_INLINE float rows_sum_squares(const float *x, size_t count, float mean)
{
    Partials sum = partials_set(0.0f);

    ROWS_REDUCE(sum, count, Lanes d = lanes_load_within(x, at, count, mean) - mean; *p += d * d);
    return partials_total(&sum);
}

LANES_INLINE void rows_add(float *x, const float *y, size_t count)
{
    size_t i = 0;

    for (; i + LANES <= count; i += LANES) lanes_store(x + i, lanes_load(x + i) + lanes_load(y + i));
    for (; i < count; i++) x[i] += y[i];
}

/* out = (x - mean) * inverse * scale + shift */
LANES_INLINE void rows_scale_shift(const float *x, size_t cols, float mean, float inverse, const float *scale,
                                   const float *shift, float *out)
{
    size_t i = 0;

    for (; i + LANES <= cols; i += LANES)
        lanes_store(out + i, (lanes_load(x + i) - mean) * inverse * lanes_load(scale + i) + lanes_load(shift + i));
    for (; i < cols; i++) out[i] = (x[i] - mean) * inverse * scale[i] + shift[i];
}

/* out = x * inverse * scale */
LANES_INLINE void rows_scale(const float *x, size_t cols, float inverse, const float *scale, float *out)
{
    size_t i = 0;

    for (; i + LANES <= cols; i += LANES) lanes_store(out + i, lanes_load(x + i) * inverse * lanes_load(scale + i));
    for (; i < cols; i++) out[i] = x[i] * inverse * scale[i];
}

LANES_INLINE void rows_norm(NormKind kind, const float *x, size_t cols, const float *scale, const float *shift,
                            float eps, float *out)
{
    float mean, squares;

    if (kind == NORM_FUSED) {
        rows_norm_fused(x, cols, scale, shift, eps, out);
        return;
    }
    mean = kind == NORM_RMS ? 0.0f : rows_sum(x, cols) / (float)cols;
    squares = rows_sum_squares(x, cols, mean);
    switch (kind) {
    case NORM_FUSED:
    case NORM_LAYER:
        rows_scale_shift(x, cols, mean, 1.0f / sqrtf(squares / (float)cols + eps), scale, shift, out);
        break;
    case NORM_RMS:
        rows_scale(x, cols, 1.0f / sqrtf(squares / (float)cols + eps), scale, out);
        break;
    case NORM_STD:
        rows_scale_shift(x, cols, mean, 1.0f / (sqrtf(squares / ((float)cols - 1.0f)) + eps), scale, shift, out);
        break;
    }
}

LANES_INLINE void rows_add_norm(NormKind kind, float *x, const float *y, size_t rows, size_t cols, const float *scale,
                                const float *shift, float eps, float *out)
{
    for (size_t r = 0; r < rows; r++) {
        if (y) rows_add(x + r * cols, y + r * cols, cols);
        rows_norm(kind, x + r * cols, cols, scale, shift, eps, out + r * cols);
    }
}

#endif
