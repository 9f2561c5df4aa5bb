/* rows_convert.h - the functions of struct Kernels that convert rows from one DType to another.
 * Included by rows.h alone. */
#ifndef DRAGOMAN_ROWS_CONVERT_H
#define DRAGOMAN_ROWS_CONVERT_H

#include <string.h>

#include "kernels.h"
#include "lanes.h"

/* Plain loops without branches, which compilers vectorize. */
LANES_INLINE void rows_widen(DType type, const void *in, size_t count, float *out)
{
    if (type == DTYPE_F32)
        memcpy(out, in, count * sizeof *out);
    else if (type == DTYPE_F16)
        for (size_t i = 0; i < count; i++) out[i] = element_at(DTYPE_F16, in, i);
    else
        for (size_t i = 0; i < count; i++) out[i] = element_at(DTYPE_BF16, in, i);
}

LANES_INLINE void rows_to_bf16(const float *x, size_t count, uint16_t *out)
{
    for (size_t i = 0; i < count; i++) out[i] = dtype_f32_to_bf16(x[i]);
}

/* Below this, 127 / the largest |x| overflows. */
#define ROWS_SMALLEST 1e-36f

LANES_INLINE LanesByte rows_quantized(Lanes v)
{
    const Lanes round = lanes_set(12582912.0f); /* 1.5 * 2^23: adding it rounds to an integer */

    v = lanes_min(lanes_max(v, lanes_set(-127.0f)), lanes_set(127.0f));
    return lanes_to_bytes(__builtin_convertvector((v + round) - round, LanesInt) + 128);
}

/* Whole registers are stored with a constant size, which is one instruction. */
LANES_INLINE void rows_quantize_by(float multiplier, const float *x, size_t count, size_t width, uint8_t *out)
{
    LanesByte bytes;
    size_t at = 0;

    for (; at + LANES <= count; at += LANES) {
        bytes = rows_quantized(lanes_load(x + at) * multiplier);
        memcpy(out + at, &bytes, sizeof bytes);
    }
    if (at < count) {
        bytes = rows_quantized(lanes_load_part(x + at, count - at, 0.0f) * multiplier);
        memcpy(out + at, &bytes, count - at);
    }
    memset(out + count, 128, width - count);
}

LANES_INLINE float rows_quantize(const float *x, size_t count, size_t width, uint8_t *out)
{
    Partials top = partials_set(0.0f);
    float largest;

    ROWS_REDUCE(top, count,
                *p = (Lanes)lanes_max_int((LanesInt)lanes_abs(lanes_load_within(x, at, count, 0.0f)), (LanesInt)*p));
    largest = partials_largest_bits(&top);
    rows_quantize_by(largest < ROWS_SMALLEST ? 0.0f : 127.0f / largest, x, count, width, out);
    return largest < ROWS_SMALLEST ? 0.0f : largest / 127.0f;
}

#endif
