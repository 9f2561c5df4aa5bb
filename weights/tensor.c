/* tensor.c - stored numbers, which are little-endian and may be unaligned, as
 * the CPU has them: tensor_number_type(), tensor_copy() and tensor_read_f32()
 * of weights.h. F64 is rounded to the nearest f32, ties to even; beyond its
 * range, to infinity.
 * Checked  tests/unit/test_tensor.c, all 65,536 values of both 16-bit types. */
#include <assert.h>
#include <string.h>

#include "weights.h"

static size_t width_of(const Tensor *tensor)
{
    return tensor->dtype == DTYPE_F64 ? 8 : tensor->dtype == DTYPE_F32 ? 4 : 2;
}

NumberType tensor_number_type(const Tensor *tensor)
{
    return tensor->dtype == DTYPE_F16 ? NUMBER_F16 : tensor->dtype == DTYPE_BF16 ? NUMBER_BF16 : NUMBER_F32;
}

void tensor_copy(const Tensor *tensor, size_t first, size_t count, void *out)
{
    size_t width = width_of(tensor);

    assert(tensor->dtype != DTYPE_OTHER && first <= tensor->count && count <= tensor->count - first);
    if (count) memcpy(out, tensor->data + first * width, count * width);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    for (size_t i = 0; i < count; i++) {
        unsigned char *number = (unsigned char *)out + i * width;
        for (size_t b = 0; b < width / 2; b++) {
            unsigned char byte = number[b];
            number[b] = number[width - 1 - b];
            number[width - 1 - b] = byte;
        }
    }
#endif
}

static void round_f64(const Tensor *tensor, size_t first, size_t count, float *out)
{
    for (size_t i = 0; i < count; i++) {
        double number;
        tensor_copy(tensor, first + i, 1, &number);
        out[i] = (float)number;
    }
}

void tensor_read_f32(const Tensor *tensor, size_t first, size_t count, float *out)
{
    assert(tensor->dtype != DTYPE_OTHER && first <= tensor->count && count <= tensor->count - first);
    if (!count) return;
    if (tensor->dtype == DTYPE_F64) {
        round_f64(tensor, first, count, out);
        return;
    }
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    tensor->kernels->widen(tensor_number_type(tensor), tensor->data + first * width_of(tensor), count, out);
#else
    for (size_t i = 0; i < count; i++) {
        uint32_t number;
        tensor_copy(tensor, first + i, 1, &number);
        tensor->kernels->widen(tensor_number_type(tensor), &number, 1, out + i);
    }
#endif
}
