/* tensor.c - see tensor.h. Stored values are little-endian and may be unaligned. F64 is rounded to the
 * nearest f32, ties to even; beyond the range of f32, to infinity.
 * Checked  tests/unit/test_tensor.c, all 65,536 values of both 16-bit types. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "tensor.h"

DType tensor_compute_dtype(const Tensor *tensor)
{
    if (tensor->dtype == DTYPE_F16 || tensor->dtype == DTYPE_BF16) return tensor->dtype;
    return tensor->dtype == DTYPE_S8 && tensor->scales ? DTYPE_S8 : DTYPE_F32;
}

/* Copies from a matrix [n, k] that is stored as [k, n]. There, the elements of a column are
 * neighbours, so it is best to read several rows at a time. */
static void copy_transposed(const Tensor *tensor, size_t first, size_t count, size_t width, unsigned char *out)
{
    const size_t n = tensor->shape[0], k = tensor->shape[1];

    for (size_t column = 0; column < k && count; column++)
        for (size_t at = (first + k - 1 - column) / k * k + column; at < first + count; at += k)
            memcpy(out + (at - first) * width, tensor->data + (column * n + at / k) * width, width);
}

/* Returns the nearest f16, ties to even; infinity beyond the largest f16, and for NaN, which is an error as well. */
static uint16_t f32_to_f16(float value)
{
    const uint32_t sign = signbit(value) ? 0x8000 : 0;
    const float magnitude = fabsf(value);
    uint32_t bits;

    if (!(magnitude < 65520)) return (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x1p-14f) return (uint16_t)(sign | (uint32_t)lrintf(magnitude * 0x1p24f));
    memcpy(&bits, &magnitude, sizeof bits);
    bits += 0xfff + (bits >> 13 & 1);
    return (uint16_t)(sign | (bits - (112u << 23)) >> 13);
}

static uint16_t f32_to_16bit(DType type, float value)
{
    return type == DTYPE_F16 ? f32_to_f16(value) : dtype_f32_to_bf16(isnan(value) ? INFINITY : value);
}

static void round_to(DType type, float *values, size_t count)
{
    for (size_t i = 0; type != DTYPE_F32 && i < count; i++) {
        const uint16_t half = f32_to_16bit(type, values[i]);
        values[i] = element_at(type, &half, 0);
    }
}

#define MERGED_BLOCK ((size_t)256) /* elements of a row that are computed together */

static void read_merged(const Tensor *tensor, size_t first, size_t count, float *out)
{
    const TensorMerge *m = tensor->merge;
    size_t part;

    tensor_read_f32(&m->stored, first, count, out);
    if (m->stored.dtype != tensor->dtype) round_to(tensor->dtype, out, count);
    for (size_t done = 0; m->rank && done < count; done += part) {
        const size_t row = (first + done) / m->k, column = (first + done) % m->k;
        float sums[MERGED_BLOCK] = { 0 };
        part = m->k - column < count - done ? m->k - column : count - done;
        if (part > MERGED_BLOCK) part = MERGED_BLOCK;
        for (size_t r = 0; r < m->rank; r++) {
            const float left = m->left[row * m->rank + r], *right = m->right + r * m->k + column;
            for (size_t i = 0; i < part; i++) sums[i] += left * right[i];
        }
        for (size_t i = 0; i < part; i++) sums[i] *= m->scale;
        if (m->rounds_product) round_to(tensor->dtype, sums, part);
        for (size_t i = 0; i < part; i++) out[done + i] += sums[i];
        round_to(tensor->dtype, out + done, part);
    }
}

/* Copies values of a merged tensor in its own type. */
static void copy_merged(const Tensor *tensor, size_t first, size_t count, void *out)
{
    float values[MERGED_BLOCK];
    size_t part;

    if (tensor->dtype == DTYPE_F32) {
        read_merged(tensor, first, count, out);
        return;
    }
    for (size_t done = 0; done < count; done += part) {
        part = count - done < MERGED_BLOCK ? count - done : MERGED_BLOCK;
        read_merged(tensor, first + done, part, values);
        for (size_t i = 0; i < part; i++) {
            const uint16_t half = f32_to_16bit(tensor->dtype, values[i]);
            memcpy((unsigned char *)out + (done + i) * sizeof half, &half, sizeof half);
        }
    }
}

void tensor_copy(const Tensor *tensor, size_t first, size_t count, void *out)
{
    size_t width = dtype_bytes(tensor->dtype);

    assert(tensor->dtype != DTYPE_OTHER && first <= tensor->count && count <= tensor->count - first);
    if (tensor->merge) {
        copy_merged(tensor, first, count, out);
        return;
    }
    if (tensor->transposed)
        copy_transposed(tensor, first, count, width, out);
    else if (count)
        memcpy(out, tensor->data + first * width, count * width);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    for (size_t i = 0; i < count; i++) {
        unsigned char *value = (unsigned char *)out + i * width;
        for (size_t b = 0; b < width / 2; b++) {
            unsigned char byte = value[b];
            value[b] = value[width - 1 - b];
            value[width - 1 - b] = byte;
        }
    }
#endif
}

void tensor_read_f32(const Tensor *tensor, size_t first, size_t count, float *out)
{
    assert(tensor->dtype != DTYPE_OTHER && first <= tensor->count && count <= tensor->count - first);
    if (!count) return;
    if (tensor->merge) {
        read_merged(tensor, first, count, out);
        return;
    }
    if (tensor->dtype == DTYPE_F64) {
        for (size_t i = 0; i < count; i++) {
            double value = 0;
            tensor_copy(tensor, first + i, 1, &value);
            out[i] = (float)value;
        }
        return;
    }
    if (tensor->dtype == DTYPE_S8 || tensor->dtype == DTYPE_S16) {
        const size_t row = tensor->scales ? tensor->count / tensor->scale_count : 1;
        for (size_t i = 0; i < count; i++) {
            int8_t byte = 0;
            int16_t value = 0;
            tensor_copy(tensor, first + i, 1, tensor->dtype == DTYPE_S8 ? (void *)&byte : (void *)&value);
            out[i] = (float)(byte + value) * (tensor->scales ? tensor->scales[(first + i) / row] : tensor->unit);
        }
        return;
    }
    if (tensor->transposed) {
        /* Widen the elements in place, from the last one on, since they grow. */
        const DType type = tensor_compute_dtype(tensor);
        const size_t width = dtype_bytes(tensor->dtype);
        tensor_copy(tensor, first, count, out);
        for (size_t i = count; type != DTYPE_F32 && i-- > 0;) {
            unsigned char value[2] = { 0 };
            memcpy(value, (unsigned char *)out + i * width, width);
            tensor->kernels->widen(type, value, 1, out + i);
        }
        return;
    }
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    tensor->kernels->widen(tensor_compute_dtype(tensor), tensor->data + first * dtype_bytes(tensor->dtype), count, out);
#else
    for (size_t i = 0; i < count; i++) {
        uint32_t value;
        tensor_copy(tensor, first + i, 1, &value);
        tensor->kernels->widen(tensor_compute_dtype(tensor), &value, 1, out + i);
    }
#endif
}
