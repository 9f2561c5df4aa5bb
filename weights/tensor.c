/* tensor.c - stored numbers as f32: tensor_read_f32() of weights.h.
 * F16  1 sign, 5 exponent (bias 15), 10 fraction bits. Every value is an f32:
 *      a subnormal is fraction * 2^-24, others get the exponent's bias changed
 *      from 15 to 127 (+ 112), infinity and NaN keep their fraction.
 * BF16 the upper half of an f32.
 * F64  rounded to the nearest f32, ties to even; beyond its range, infinity.
 * Method   branch-free loops over unaligned loads, which compilers vectorize.
 *      No f32 subnormal is ever an operand of F16: flush-to-zero modes change
 *      nothing.
 * Checked  tests/unit/test_tensor.c, all 65,536 values of both. */
#include <assert.h>
#include <string.h>

#include "weights.h"

static uint32_t load_u16(const unsigned char *bytes)
{
    uint16_t word;

    memcpy(&word, bytes, 2);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    word = (uint16_t)(word >> 8 | word << 8);
#endif
    return word;
}

static void widen_f16(const unsigned char *in, size_t count, float *out)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t half = load_u16(in + 2 * i), magnitude = half & 0x7fff;
        uint32_t is_small = -(uint32_t)(magnitude < 0x0400), is_special = -(uint32_t)(magnitude >= 0x7c00);
        uint32_t bits = (magnitude << 13) + (112u << 23), small_bits;
        float small = (float)(int32_t)magnitude * 0x1p-24f;
        memcpy(&small_bits, &small, 4);
        bits = (bits & ~is_small) | (small_bits & is_small) | (0x7f800000 & is_special);
        bits |= (half & 0x8000) << 16;
        memcpy(out + i, &bits, 4);
    }
}

static void widen_bf16(const unsigned char *in, size_t count, float *out)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = load_u16(in + 2 * i) << 16;
        memcpy(out + i, &bits, 4);
    }
}

static void copy_f32(const unsigned char *in, size_t count, float *out)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(out, in, count * sizeof *out);
#else
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = load_u16(in + 4 * i) | load_u16(in + 4 * i + 2) << 16;
        memcpy(out + i, &bits, 4);
    }
#endif
}

static void round_f64(const unsigned char *in, size_t count, float *out)
{
    for (size_t i = 0; i < count; i++) {
        double number;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        memcpy(&number, in + 8 * i, 8);
#else
        uint64_t bits = 0;
        for (size_t k = 4; k-- > 0;) bits = bits << 16 | load_u16(in + 8 * i + 2 * k);
        memcpy(&number, &bits, 8);
#endif
        out[i] = (float)number;
    }
}

void tensor_read_f32(const Tensor *tensor, size_t first, size_t count, float *out)
{
    assert(tensor->dtype != DTYPE_OTHER && first <= tensor->count && count <= tensor->count - first);
    if (!count) return;
    if (tensor->dtype == DTYPE_F32)
        copy_f32(tensor->data + 4 * first, count, out);
    else if (tensor->dtype == DTYPE_F16)
        widen_f16(tensor->data + 2 * first, count, out);
    else if (tensor->dtype == DTYPE_BF16)
        widen_bf16(tensor->data + 2 * first, count, out);
    else
        round_f64(tensor->data + 8 * first, count, out);
}
