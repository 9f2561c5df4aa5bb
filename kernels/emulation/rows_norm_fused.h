/* rows_norm_fused.h - NORM_FUSED, a layer norm with Marian's order of operations and the fused
 * multiply-adds that compilers generate for it. Included by rows_norm.h alone.
 * Source   LayerNormalization() in src/tensors/cpu/tensor_operators.cpp of browsermt/marian-dev. */
#ifndef DRAGOMAN_ROWS_NORM_FUSED_H
#define DRAGOMAN_ROWS_NORM_FUSED_H

#include <math.h>

#include "rows_loops.h"

LANES_INLINE void rows_norm_fused(const float *x, size_t cols, const float *scale, const float *shift, float eps,
                                  float *out)
{
    const float part = 1.0f / (float)cols, mean = rows_sum(x, cols) * part;
    Partials sum = partials_set(0.0f);
    float inverse;
    size_t j = 0;

    ROWS_REDUCE(sum, cols, Lanes d = lanes_load_within(x, at, cols, mean) - mean; *p = lanes_fma(d, d, *p));
    inverse = 1.0f / sqrtf(fmaf(partials_total(&sum), part, eps));
    for (; j + LANES <= cols; j += LANES)
        lanes_store(out + j,
                    lanes_fma(lanes_load(scale + j) * inverse, lanes_load(x + j) - mean, lanes_load(shift + j)));
    for (; j < cols; j++) out[j] = fmaf(scale[j] * inverse, x[j] - mean, shift[j]);
}

#endif
