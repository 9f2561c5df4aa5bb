/* test_tensor.c - stored values as f32, bit for bit. */
#include "test_support.h"

#include <math.h>

#include "weights.h"

/* Converts an f16 by definition, in double precision; NaN keeps its fraction. */
static uint32_t f16_reference(uint32_t half)
{
    int exponent = (int)(half >> 10 & 31);
    uint32_t fraction = half & 1023, sign = half >> 15, bits;
    double value = exponent ? ldexp(1024.0 + fraction, exponent - 25) : ldexp((double)fraction, -24);
    float narrow = (float)value;

    if (exponent == 31) return sign << 31 | 255u << 23 | fraction << 13;
    assert_true((double)narrow == value);
    memcpy(&bits, &narrow, 4);
    return sign << 31 | bits;
}

static Tensor tensor_of(DType dtype, const unsigned char *data, size_t count, size_t width)
{
    return (Tensor){ .name = "t",
                     .file = "f",
                     .dtype = dtype,
                     .rank = 1,
                     .shape = { count },
                     .count = count,
                     .bytes = count * width,
                     .data = data,
                     .kernels = kernels_get() };
}

/* Every 16-bit pattern in order, after `shift` bytes that misalign them. */
static unsigned char *all_patterns(size_t shift)
{
    unsigned char *bytes = malloc(shift + 2 * 65536);

    assert_non_null(bytes);
    for (uint32_t i = 0; i < 65536; i++) {
        bytes[shift + 2 * i] = (unsigned char)(i & 255);
        bytes[shift + 2 * i + 1] = (unsigned char)(i >> 8);
    }
    return bytes;
}

static void check_16_bits(DType dtype, uint32_t (*reference)(uint32_t))
{
    static float out[65536];

    for (size_t shift = 0; shift < 2; shift++) {
        unsigned char *bytes = all_patterns(shift);
        Tensor t = tensor_of(dtype, bytes + shift, 65536, 2);
        tensor_read_f32(&t, 0, 65536, out);
        for (uint32_t i = 0; i < 65536; i++) {
            uint32_t bits;
            memcpy(&bits, out + i, 4);
            if (bits != reference(i)) fail_msg("%04x: %08x, not %08x", i, bits, reference(i));
        }
        free(bytes);
    }
}

TEST(widens_every_f16_exactly)
{
    check_16_bits(DTYPE_F16, f16_reference);
    assert_int_equal(f16_reference(0x3c00), 0x3f800000);
    assert_int_equal(f16_reference(0x8001), 0xb3800000);
    assert_int_equal(f16_reference(0x03ff), 0x387fc000);
    assert_int_equal(f16_reference(0x7bff), 0x477fe000);
    assert_int_equal(f16_reference(0xfc00), 0xff800000);
}

static uint32_t bf16_reference(uint32_t brain)
{
    return brain << 16;
}

TEST(widens_every_bf16_exactly)
{
    check_16_bits(DTYPE_BF16, bf16_reference);
}

TEST(keeps_the_bits_of_f32_at_any_address)
{
    static const uint32_t numbers[] = { 0,          0x80000000, 1,          0x007fffff, 0x00800000, 0x3f800000,
                                        0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffffffff };
    unsigned char bytes[sizeof numbers + 4];
    float out[COUNT(numbers)];

    for (size_t shift = 0; shift < 4; shift++) {
        Tensor t = tensor_of(DTYPE_F32, bytes + shift, COUNT(numbers), 4);
        for (size_t i = 0; i < sizeof numbers; i++)
            bytes[shift + i] = (unsigned char)(numbers[i / 4] >> 8 * (i % 4) & 255);
        tensor_read_f32(&t, 0, COUNT(numbers), out);
        assert_memory_equal(out, numbers, sizeof numbers);
    }
}

TEST(rounds_f64_to_the_nearest_f32_at_any_address)
{
    /* The bits of a double and of the nearest f32. */
    static const struct {
        uint64_t stored;
        uint32_t expected;
    } cases[] = {
        { 0, 0 },
        { 0x8000000000000000, 0x80000000 },
        { 0x3ff0000000000000, 0x3f800000 },
        { 0x3fb999999999999a, 0x3dcccccd }, /* 0.1 */
        { 0xc00921fb54442d18, 0xc0490fdb }, /* -pi */
        { 0x3ff0000010000000, 0x3f800000 }, /* half a unit above 1: to even */
        { 0x3ff0000010000001, 0x3f800001 },
        { 0x3ff0000030000000, 0x3f800002 }, /* half a unit above an odd one */
        { 0x36a0000000000000, 0x00000001 }, /* the smallest f32 */
        { 0x0000000000000001, 0 },
        { 0x7fefffffffffffff, 0x7f800000 },
        { 0xfff0000000000000, 0xff800000 },
    };
    unsigned char bytes[8 * COUNT(cases) + 8];
    float out[COUNT(cases)];

    for (size_t shift = 0; shift < 8; shift++) {
        Tensor t = tensor_of(DTYPE_F64, bytes + shift, COUNT(cases), 8);
        for (size_t i = 0; i < 8 * COUNT(cases); i++)
            bytes[shift + i] = (unsigned char)(cases[i / 8].stored >> 8 * (i % 8) & 255);
        tensor_read_f32(&t, 0, COUNT(cases), out);
        for (size_t i = 0; i < COUNT(cases); i++) {
            uint32_t bits;
            memcpy(&bits, out + i, 4);
            assert_int_equal(bits, cases[i].expected);
        }
    }
}

TEST(reads_a_range_and_nothing_around_it)
{
    static const struct {
        DType dtype;
        size_t width;
    } types[] = { { DTYPE_F32, 4 }, { DTYPE_F16, 2 }, { DTYPE_BF16, 2 }, { DTYPE_F64, 8 } };
    enum { TOTAL = 40 };

    for (size_t d = 0; d < COUNT(types); d++) {
        unsigned char *bytes = malloc(TOTAL * types[d].width);
        Tensor t = tensor_of(types[d].dtype, bytes, TOTAL, types[d].width);
        float all[TOTAL];
        for (size_t i = 0; i < TOTAL * types[d].width; i++) bytes[i] = (unsigned char)(i * 7 + 1);
        tensor_read_f32(&t, 0, TOTAL, all);
        for (size_t first = 0; first <= TOTAL; first++) {
            for (size_t count = 0; first + count <= TOTAL; count++) {
                float *part = malloc((count + 1) * sizeof *part);
                part[count] = -77.0f;
                tensor_read_f32(&t, first, count, part);
                assert_memory_equal(part, all + first, count * sizeof *part);
                assert_true(part[count] == -77.0f);
                free(part);
            }
        }
        free(bytes);
    }
}

TEST(reads_nothing_from_an_empty_tensor)
{
    Tensor t = tensor_of(DTYPE_F32, NULL, 0, 4);

    tensor_read_f32(&t, 0, 0, NULL);
}

TESTS(test_tensor);
