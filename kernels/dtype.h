/* dtype.h - the data types of tensors and matrices.
 * F16  IEEE half: 1 sign, 5 exponent (bias 15), 10 fraction bits.
 * BF16 the upper half of an f32.
 * S8   integers from -127 to 127; in a matrix (matrix.h) each row has one scale.
 * In memory, values have the CPU's byte order. */
#ifndef DRAGOMAN_DTYPE_H
#define DRAGOMAN_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Kernels support the types up to DTYPE_S8; the others occur only in files (tensor.h). */
typedef enum { DTYPE_F32, DTYPE_F16, DTYPE_BF16, DTYPE_S8, DTYPE_S16, DTYPE_F64, DTYPE_OTHER } DType;

static inline size_t dtype_bytes(DType type)
{
    return type == DTYPE_F64 ? 8 : type == DTYPE_F32 ? 4 : type == DTYPE_S8 ? 1 : 2;
}

/* The longest rows (k) of 16-bit and 8-bit matrices. */
#define MATRIX_16BIT_MAX_K ((size_t)1 << 16)
#define MATRIX_8BIT_MAX_K  ((size_t)131071)

/* Each f16 value is also an f32 value. A subnormal is fraction * 2^-24; for a normal number, the exponent's bias
 * changes from 15 to 127 (+ 112); infinity and NaN keep their fraction. No operand is an f32 subnormal, so
 * flush-to-zero changes nothing. There is no branch, so compilers can vectorize loops that call this function. */
static inline float dtype_f16_to_f32(uint32_t half)
{
    uint32_t magnitude = half & 0x7fff;
    uint32_t is_small = -(uint32_t)(magnitude < 0x0400), is_special = -(uint32_t)(magnitude >= 0x7c00);
    uint32_t bits = (magnitude << 13) + (112u << 23), small_bits;
    float value = (float)(int32_t)magnitude * 0x1p-24f;

    memcpy(&small_bits, &value, sizeof small_bits);
    bits = (bits & ~is_small) | (small_bits & is_small) | (0x7f800000 & is_special) | (half & 0x8000) << 16;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline float dtype_bf16_to_f32(uint32_t half)
{
    uint32_t bits = half << 16;
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Returns the nearest bf16 of a finite value, ties to even; infinity beyond the largest bf16. */
static inline uint16_t dtype_f32_to_bf16(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* Returns whether no value is NaN or infinite; these have all exponent bits set. */
static inline bool values_are_finite(const float *x, size_t count)
{
    int32_t worst = 0;

    for (size_t i = 0; i < count; i++) {
        int32_t bits;
        memcpy(&bits, x + i, sizeof bits);
        bits &= 0x7f800000;
        worst = bits > worst ? bits : worst;
    }
    return worst < 0x7f800000;
}

/* Element `at` of an array of f32, f16 or bf16, which may be unaligned. */
static inline float element_at(DType type, const void *values, size_t at)
{
    const char *element = (const char *)values + at * dtype_bytes(type);
    uint16_t half;
    float value;

    if (type == DTYPE_F32) {
        memcpy(&value, element, sizeof value);
        return value;
    }
    memcpy(&half, element, sizeof half);
    return type == DTYPE_F16 ? dtype_f16_to_f32(half) : dtype_bf16_to_f32(half);
}

#endif
