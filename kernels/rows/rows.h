/* rows.h - the functions of struct Kernels (kernels.h), written once with Lanes: vector operations on f32 with the
 * compiler's vector extensions. Each rows_LEVEL.c compiles them for one CPU level. Before it includes this file, it
 * defines LANES_BYTES, the register width: 16 (any CPU), 32 (AVX2) or 64 (AVX-512); and LANES_TARGET, the attribute
 * that enables such registers. Only rows_emulation.h includes this file; every rows_LEVEL.c includes rows_emulation.h.
 *
 * Every operation is an IEEE operation on each lane, so results do not depend on the width. Nor do sums: there are
 * sixteen partial sums, element i is added to partial sum i mod 16, and partials_total() adds the partial sums in a
 * fixed tree. */
#ifndef DRAGOMAN_ROWS_H
#define DRAGOMAN_ROWS_H

#include <math.h>
#include <string.h>

#include "kernels.h"

/* --- Lanes and partial results. --- */

#if LANES_BYTES > 16
#include <immintrin.h>
#endif

#define LANES    (LANES_BYTES / sizeof(float))
#define PARTIALS 16
#define PARTS    (PARTIALS / LANES)

typedef float Lanes __attribute__((vector_size(LANES_BYTES)));
typedef int32_t LanesInt __attribute__((vector_size(LANES_BYTES)));
typedef uint16_t LanesHalf __attribute__((vector_size(LANES_BYTES / 2)));
typedef uint8_t LanesByte __attribute__((vector_size(LANES_BYTES / 4)));

/* Sixteen partial results, in PARTS registers. */
typedef struct {
    Lanes part[PARTS];
} Partials;

#if !defined(LANES_TARGET)
#define LANES_TARGET
#endif
#define LANES_INLINE static inline __attribute__((always_inline)) LANES_TARGET

LANES_INLINE Lanes lanes_set(float value)
{
    return (Lanes){ 0 } + value;
}

LANES_INLINE Lanes lanes_load(const float *p)
{
    Lanes v;

    memcpy(&v, p, sizeof v);
    return v;
}

LANES_INLINE void lanes_store(float *p, Lanes v)
{
    memcpy(p, &v, sizeof v);
}

/* Loads LANES elements of bf16. */
LANES_INLINE Lanes lanes_load_bf16(const uint16_t *p)
{
    LanesHalf half;

    memcpy(&half, p, sizeof half);
    /* The compiler's own conversion would use registers of half the width. */
#if LANES_BYTES == 64
    return (Lanes)((LanesInt)_mm512_cvtepu16_epi32((__m256i)half) << 16);
#elif LANES_BYTES == 32
    return (Lanes)((LanesInt)_mm256_cvtepu16_epi32((__m128i)half) << 16);
#else
    return (Lanes)(__builtin_convertvector(half, LanesInt) << 16);
#endif
}

/* a * b + c, rounded once. */
LANES_INLINE Lanes lanes_fma(Lanes a, Lanes b, Lanes c)
{
#if LANES_BYTES == 64
    return (Lanes)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif LANES_BYTES == 32
    return (Lanes)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    for (size_t i = 0; i < LANES; i++) c[i] = fmaf(a[i], b[i], c[i]);
    return c;
#endif
}

/* mask ? a : b. Each lane of the mask is all ones or all zeros. */
LANES_INLINE Lanes lanes_select(LanesInt mask, Lanes a, Lanes b)
{
    return (Lanes)((mask & (LanesInt)a) | (~mask & (LanesInt)b));
}

/* Loads and stores the first `count` < LANES values of a register. Masked instructions, where a CPU has them, avoid a
 * call of memcpy() and the store-forwarding delay after it. lanes_max() and lanes_min() return b if a or b is NaN, as
 * the instructions do. */
#if LANES_BYTES == 64
LANES_INLINE __mmask16 lanes_mask(size_t count)
{
    return (__mmask16)((1u << count) - 1);
}

LANES_INLINE Lanes lanes_load_part(const float *p, size_t count, float fill)
{
    return (Lanes)_mm512_mask_loadu_ps((__m512)lanes_set(fill), lanes_mask(count), p);
}

LANES_INLINE void lanes_store_part(float *p, size_t count, Lanes v)
{
    _mm512_mask_storeu_ps(p, lanes_mask(count), (__m512)v);
}

LANES_INLINE Lanes lanes_max(Lanes a, Lanes b)
{
    return (Lanes)_mm512_max_ps((__m512)a, (__m512)b);
}

LANES_INLINE Lanes lanes_min(Lanes a, Lanes b)
{
    return (Lanes)_mm512_min_ps((__m512)a, (__m512)b);
}
#elif LANES_BYTES == 32
LANES_INLINE LanesInt lanes_mask(size_t count)
{
    const LanesInt places = { 0, 1, 2, 3, 4, 5, 6, 7 };

    return places < (int32_t)count;
}

LANES_INLINE Lanes lanes_load_part(const float *p, size_t count, float fill)
{
    return lanes_select(lanes_mask(count), (Lanes)_mm256_maskload_ps(p, (__m256i)lanes_mask(count)), lanes_set(fill));
}

LANES_INLINE void lanes_store_part(float *p, size_t count, Lanes v)
{
    _mm256_maskstore_ps(p, (__m256i)lanes_mask(count), (__m256)v);
}

LANES_INLINE Lanes lanes_max(Lanes a, Lanes b)
{
    return (Lanes)_mm256_max_ps((__m256)a, (__m256)b);
}

LANES_INLINE Lanes lanes_min(Lanes a, Lanes b)
{
    return (Lanes)_mm256_min_ps((__m256)a, (__m256)b);
}
#else
LANES_INLINE Lanes lanes_load_part(const float *p, size_t count, float fill)
{
    Lanes v = lanes_set(fill);

    memcpy(&v, p, count * sizeof *p);
    return v;
}

LANES_INLINE void lanes_store_part(float *p, size_t count, Lanes v)
{
    memcpy(p, &v, count * sizeof *p);
}

LANES_INLINE Lanes lanes_max(Lanes a, Lanes b)
{
    return lanes_select(a > b, a, b);
}

LANES_INLINE Lanes lanes_min(Lanes a, Lanes b)
{
    return lanes_select(a < b, a, b);
}
#endif

/* Returns the larger bit pattern. For floats that are not negative, this is the larger value, and NaN is greater than
 * infinity. */
LANES_INLINE LanesInt lanes_max_int(LanesInt a, LanesInt b)
{
#if LANES_BYTES == 64
    return (LanesInt)_mm512_max_epi32((__m512i)a, (__m512i)b);
#elif LANES_BYTES == 32
    return (LanesInt)_mm256_max_epi32((__m256i)a, (__m256i)b);
#else
    const LanesInt mask = a > b;

    return (mask & a) | (~mask & b);
#endif
}

LANES_INLINE Lanes lanes_abs(Lanes a)
{
    return (Lanes)((LanesInt)a & 0x7fffffff);
}

/* Converts values from 0 to 255. */
LANES_INLINE LanesByte lanes_to_bytes(LanesInt v)
{
#if LANES_BYTES == 32
    const __m256i halves = _mm256_packs_epi32((__m256i)v, (__m256i)v), bytes = _mm256_packus_epi16(halves, halves);
    const __m128i all = _mm_unpacklo_epi32(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
    LanesByte out;

    memcpy(&out, &all, sizeof out);
    return out;
#else
    return __builtin_convertvector(v, LanesByte);
#endif
}

/* Loads x[at .. at + LANES). Elements from index `count` on become `fill`. */
LANES_INLINE Lanes lanes_load_within(const float *x, size_t at, size_t count, float fill)
{
    if (at + LANES <= count) return lanes_load(x + at);
    return at < count ? lanes_load_part(x + at, count - at, fill) : lanes_set(fill);
}

LANES_INLINE Partials partials_set(float value)
{
    Partials p;

    for (size_t i = 0; i < PARTS; i++) p.part[i] = lanes_set(value);
    return p;
}

/* Executes `statement` once per register of `count` values. In it, `at` is the index of the register's first value, and
 * *p are the partial results to update. lanes_load_within() must fill the elements past the end with a value that
 * changes no result. */
#define ROWS_REDUCE(partials, count, statement)                                                                        \
    for (size_t block = 0; block < (count); block += PARTIALS)                                                         \
        for (size_t i = 0; i < PARTS; i++) {                                                                           \
            const size_t at = block + i * LANES;                                                                       \
            Lanes *p = &(partials).part[i];                                                                            \
            statement;                                                                                                 \
        }

#define FOUR ((size_t)4)

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define LANES_SHUFFLE __builtin_shufflevector
#endif
#endif

typedef float Four __attribute__((vector_size(16)));

#if defined(LANES_SHUFFLE)
/* The first two levels of the tree: each result adds partial sums i, i + 4, i + 8 and i + 12. */
LANES_INLINE Four partials_fours(const Partials *p)
{
#if LANES_BYTES == 64
    Lanes v = p->part[0];
    typedef float Eight __attribute__((vector_size(32)));
    Eight a = LANES_SHUFFLE(v, v, 0, 1, 2, 3, 4, 5, 6, 7) + LANES_SHUFFLE(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
#elif LANES_BYTES == 32
    Lanes a = p->part[0] + p->part[1];
#endif
#if LANES_BYTES == 16
    return (p->part[0] + p->part[2]) + (p->part[1] + p->part[3]);
#else
    return LANES_SHUFFLE(a, a, 0, 1, 2, 3) + LANES_SHUFFLE(a, a, 4, 5, 6, 7);
#endif
}

/* Adds ((0+8)+(4+12)) + ((2+10)+(6+14)) + ..., the same tree at every width. */
LANES_INLINE float partials_total(const Partials *p)
{
    const Four a = partials_fours(p);

    return (a[0] + a[2]) + (a[1] + a[3]);
}

/* Computes four partials_total() at once. */
#if LANES_BYTES == 64
LANES_INLINE Four partials_totals(const Partials p[FOUR])
{
    const Lanes a = p[0].part[0], b = p[1].part[0], c = p[2].part[0], d = p[3].part[0];
    const Lanes ab = LANES_SHUFFLE(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23) +
                     LANES_SHUFFLE(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
    const Lanes cd = LANES_SHUFFLE(c, d, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23) +
                     LANES_SHUFFLE(c, d, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
    Lanes all = LANES_SHUFFLE(ab, cd, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27) +
                LANES_SHUFFLE(ab, cd, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);

    all += LANES_SHUFFLE(all, all, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    all += LANES_SHUFFLE(all, all, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
    return LANES_SHUFFLE(all, all, 0, 4, 8, 12);
}
#else
LANES_INLINE Four partials_totals(const Partials p[FOUR])
{
    Four a = partials_fours(&p[0]), b = partials_fours(&p[1]), c = partials_fours(&p[2]), d = partials_fours(&p[3]);
    Four ab = LANES_SHUFFLE(a, b, 0, 1, 4, 5) + LANES_SHUFFLE(a, b, 2, 3, 6, 7);
    Four cd = LANES_SHUFFLE(c, d, 0, 1, 4, 5) + LANES_SHUFFLE(c, d, 2, 3, 6, 7);

    return LANES_SHUFFLE(ab, cd, 0, 2, 4, 6) + LANES_SHUFFLE(ab, cd, 1, 3, 5, 7);
}
#endif
#else
LANES_INLINE float partials_total(const Partials *p)
{
    float a[PARTIALS];

    memcpy(a, p, sizeof a);
    for (size_t half = PARTIALS / 2; half; half /= 2)
        for (size_t i = 0; i < half; i++) a[i] += a[i + half];
    return a[0];
}

LANES_INLINE Four partials_totals(const Partials p[FOUR])
{
    return (Four){ partials_total(&p[0]), partials_total(&p[1]), partials_total(&p[2]), partials_total(&p[3]) };
}
#endif

#if LANES_BYTES > 16
/* The largest of partial results i, i + 4, i + 8 and i + 12. */
LANES_INLINE __m128 partials_largest_fours(const Partials *p)
{
#if LANES_BYTES == 64
    const __m512 v = (__m512)p->part[0];
    const __m256 eight = _mm256_max_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
#else
    const __m256 eight = _mm256_max_ps((__m256)p->part[0], (__m256)p->part[1]);
#endif
    return _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
}

LANES_INLINE float partials_largest(const Partials *p)
{
    __m128 v = partials_largest_fours(p);

    v = _mm_max_ps(v, _mm_movehl_ps(v, v));
    return _mm_cvtss_f32(_mm_max_ss(v, _mm_movehdup_ps(v)));
}
#else
LANES_INLINE float partials_largest(const Partials *p)
{
    float a[PARTIALS];

    memcpy(a, p, sizeof a);
    for (size_t half = PARTIALS / 2; half; half /= 2)
        for (size_t i = 0; i < half; i++) a[i] = a[i] > a[i + half] ? a[i] : a[i + half];
    return a[0];
}
#endif

/* partials_largest() for values that are not negative; returns NaN if there is one. */
LANES_INLINE float partials_largest_bits(const Partials *p)
{
    int32_t a[PARTIALS];
    float largest;

    memcpy(a, p, sizeof a);
    for (size_t half = PARTIALS / 2; half; half /= 2)
        for (size_t i = 0; i < half; i++) a[i] = a[i] > a[i + half] ? a[i] : a[i + half];
    memcpy(&largest, a, sizeof largest);
    return largest;
}

/* e^x with an error of about 1 ulp: x = n ln 2 + r with |r| <= ln 2 / 2, and a minimax polynomial of
 * degree 6 for e^r. Returns 0 below -87.3 and about 2^127.9 above 88.7. */
LANES_INLINE Lanes lanes_exp(Lanes x)
{
    const Lanes round = lanes_set(12582912.0f); /* 1.5 * 2^23: adding it rounds to an integer */
    Lanes y = lanes_min(lanes_set(88.7f), lanes_max(lanes_set(-87.3f), x));
    Lanes n = (y * 1.44269504f + round) - round;
    Lanes r = (y - n * 0.693359375f) - n * -2.12194440e-4f; /* ln 2 in two parts; n times the first one is exact */
    Lanes p = r * 0.00139504857f + 0.00836888794f;
    LanesInt scale = (__builtin_convertvector(n, LanesInt) + 127) << 23;

    p = p * r + 0.0416662060f;
    p = p * r + 0.166665182f;
    p = p * r + 0.5f;
    p = p * (r * r) + r + 1.0f;
    p = p * (Lanes)scale;
    p = lanes_select(x < lanes_set(-87.3f), lanes_set(0.0f), p);
    return lanes_select(x != x, x, p);
}

/* 1 / (1 + e^-x) */
LANES_INLINE Lanes lanes_sigmoid(Lanes x)
{
    return 1.0f / (1.0f + lanes_exp(-x));
}

/* tanh(x): x + x^3 p(x^2) up to 0.625; 1 - 2 / (e^2x + 1) above. */
LANES_INLINE Lanes lanes_tanh(Lanes x)
{
    Lanes a = lanes_abs(x), t = x * x;
    Lanes large = 1.0f - 2.0f / (lanes_exp(a + a) + 1.0f);
    Lanes p = t * -0.00571703631f + 0.0206505787f;

    p = p * t + -0.0537434965f;
    p = p * t + 0.133314908f;
    p = p * t + -0.333332837f;
    large = lanes_select(x < lanes_set(0.0f), -large, large);
    return lanes_select(a < lanes_set(0.625f), x + x * t * p, large);
}

/* erf(x): x p(x^2) up to 1; above, 1 - e^(-x^2) t q(t) with t = 1 / (1 + x/2). p and q are minimax fits; the absolute
 * error is 1e-7. */
LANES_INLINE Lanes lanes_erf(Lanes x)
{
    Lanes a = lanes_abs(x), s = x * x, t = 1.0f / (1.0f + 0.5f * a);
    Lanes p = s * 7.88911930e-05f + -0.000802084105f;
    Lanes q = t * 0.111603640f + -0.439720571f;
    Lanes large;

    p = p * s + 0.00518953521f;
    p = p * s + -0.0268544443f;
    p = p * s + 0.112836003f;
    p = p * s + -0.376126260f;
    p = p * s + 1.12837911f;
    q = q * t + 0.508715153f;
    q = q * t + -0.0513631292f;
    q = q * t + 0.317938119f;
    q = q * t + 0.269874334f;
    q = q * t + 0.282992810f;
    large = 1.0f - lanes_exp(-s) * t * q;
    large = lanes_select(x < lanes_set(0.0f), -large, large);
    return lanes_select(a < lanes_set(1.0f), x * p, large);
}

/* --- Loops over a row, one register at a time. --- */

/* out[i] = expression, for `count` values. In it, `v` is a register of x, and ROWS_OF(y) the register of row y at the
 * same index. */
#define ROWS_MAP_TO(out, x, count, expression)                                                                         \
    do {                                                                                                               \
        const size_t row_count = (count);                                                                              \
        size_t at = 0;                                                                                                 \
        for (; at + LANES <= row_count; at += LANES) {                                                                 \
            Lanes v = lanes_load((x) + at);                                                                            \
            lanes_store((out) + at, (expression));                                                                     \
        }                                                                                                              \
        if (at < row_count) {                                                                                          \
            Lanes v = lanes_load_part((x) + at, row_count - at, 0.0f);                                                 \
            lanes_store_part((out) + at, row_count - at, (expression));                                                \
        }                                                                                                              \
    } while (0)
#define ROWS_OF(y)                     lanes_load_within(y, at, row_count, 0.0f)
#define ROWS_MAP(x, count, expression) ROWS_MAP_TO(x, x, count, expression)

LANES_INLINE float rows_sum(const float *x, size_t count)
{
    Partials sum = partials_set(0.0f);

    ROWS_REDUCE(sum, count, *p += lanes_load_within(x, at, count, 0.0f));
    return partials_total(&sum);
}

/* --- The norms, and the sums that they need. --- */

/* Computes NORM_FUSED: a layer norm with Marian's order of operations and the fused multiply-adds that compilers
 * generate for it. Source   LayerNormalization() in src/tensors/cpu/tensor_operators.cpp of browsermt/marian-dev. */
LANES_INLINE void rows_norm_fused(const float *x, size_t cols, const float *scale, const float *shift, float eps,
                                  float *out)
{
    const float part = 1.0f / (float)cols, mean = rows_sum(x, cols) * part;
    Partials sum = partials_set(0.0f);
    float inverse;

    ROWS_REDUCE(sum, cols, Lanes d = lanes_load_within(x, at, cols, mean) - mean; *p = lanes_fma(d, d, *p));
    inverse = 1.0f / sqrtf(fmaf(partials_total(&sum), part, eps));
    ROWS_MAP_TO(out, x, cols, lanes_fma(ROWS_OF(scale) * inverse, v - mean, ROWS_OF(shift)));
}

/* Sum of (x - mean)^2. */
LANES_INLINE float rows_sum_squares(const float *x, size_t count, float mean)
{
    Partials sum = partials_set(0.0f);

    ROWS_REDUCE(sum, count, Lanes d = lanes_load_within(x, at, count, mean) - mean; *p += d * d);
    return partials_total(&sum);
}

LANES_INLINE void rows_add(float *x, const float *y, size_t count)
{
    ROWS_MAP(x, count, v + ROWS_OF(y));
}

LANES_INLINE void rows_norm(NormKind kind, const float *x, size_t cols, const float *scale, const float *shift,
                            float eps, float *out)
{
    float mean, squares, inverse;

    if (kind == NORM_FUSED) {
        rows_norm_fused(x, cols, scale, shift, eps, out);
        return;
    }
    mean = kind == NORM_RMS ? 0.0f : rows_sum(x, cols) / (float)cols;
    squares = rows_sum_squares(x, cols, mean);
    if (kind == NORM_STD)
        inverse = 1.0f / (sqrtf(squares / ((float)cols - 1.0f)) + eps);
    else
        inverse = 1.0f / sqrtf(squares / (float)cols + eps);
    if (kind == NORM_RMS)
        ROWS_MAP_TO(out, x, cols, v * inverse * ROWS_OF(scale));
    else
        ROWS_MAP_TO(out, x, cols, (v - mean) * inverse * ROWS_OF(scale) + ROWS_OF(shift));
}

LANES_INLINE void rows_add_norm(NormKind kind, float *x, const float *y, size_t rows, size_t cols, const float *scale,
                                const float *shift, float eps, float *out)
{
    for (size_t r = 0; r < rows; r++) {
        if (y) rows_add(x + r * cols, y + r * cols, cols);
        rows_norm(kind, x + r * cols, cols, scale, shift, eps, out + r * cols);
    }
}

/* --- Conversions of rows from one DType to another. --- */

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

/* Rows whose largest |x| is less than this are quantized to zeros, because 127 / |x| could overflow. */
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

/* --- Functions that the search applies to rows of logits: maxima, logsumexp and entropy. A row is read in blocks of
 * ROW_BLOCK values, 16 columns wide. Each column has its own maximum and its own sums, which are combined at the end in
 * a fixed tree. --- */

/* Returns x[at .. at + ROW_BLOCK). A block that is not complete is copied to room[] and padded with minus infinity. */
LANES_INLINE const float *rows_block(const float *x, size_t at, size_t count, float *room)
{
    if (at + ROW_BLOCK <= count) return x + at;
    for (size_t i = 0; i < ROW_BLOCK; i++) room[i] = at + i < count ? x[at + i] : -INFINITY;
    return room;
}

/* Returns the largest value of each column of a block, in four independent chains of comparisons. */
LANES_INLINE Partials rows_block_maxima(const float *block)
{
    Partials top;

    for (size_t p = 0; p < PARTS; p++) {
        Lanes t[4];
        for (size_t c = 0; c < 4; c++) t[c] = lanes_set(-INFINITY);
        for (size_t i = 0; i < ROW_BLOCK; i += 4 * PARTIALS)
            for (size_t c = 0; c < 4; c++) t[c] = lanes_max(lanes_load(block + i + c * PARTIALS + p * LANES), t[c]);
        top.part[p] = lanes_max(lanes_max(t[0], t[1]), lanes_max(t[2], t[3]));
    }
    return top;
}

LANES_INLINE float rows_maxima(const float *x, size_t count, float *maxima)
{
    Partials best = partials_set(-INFINITY);
    float room[ROW_BLOCK];

    for (size_t at = 0; at < count; at += ROW_BLOCK, maxima += PARTIALS) {
        Partials top = rows_block_maxima(rows_block(x, at, count, room));
        memcpy(maxima, &top, sizeof top);
        for (size_t p = 0; p < PARTS; p++) best.part[p] = lanes_max(top.part[p], best.part[p]);
    }
    return partials_largest(&best);
}

/* Returns the first index of the largest value of a row. blocks[] has, for each column, the first block in which the
 * column's largest value occurs. */
LANES_INLINE size_t rows_first_largest(const float *x, size_t count, const Partials *best, const int32_t *blocks)
{
    float maxima[PARTIALS], top = partials_largest(best);
    size_t first = count;

    memcpy(maxima, best, sizeof maxima);
    for (size_t column = 0; column < PARTIALS; column++) {
        size_t at = (size_t)blocks[column] * ROW_BLOCK + column;
        if (maxima[column] != top) continue;
        while (at < count && x[at] != top) at += PARTIALS;
        if (at < first) first = at;
    }
    return first < count ? first : 0;
}

LANES_INLINE size_t rows_argmax(const float *x, size_t count)
{
    Partials best = partials_set(-INFINITY);
    LanesInt at[PARTS] = { 0 };
    int32_t blocks[PARTIALS];
    float room[ROW_BLOCK];

    for (size_t b = 0; b * ROW_BLOCK < count; b++) {
        Partials top = rows_block_maxima(rows_block(x, b * ROW_BLOCK, count, room));
        for (size_t p = 0; p < PARTS; p++) {
            LanesInt better = top.part[p] > best.part[p];
            at[p] = (better & (int32_t)b) | (~better & at[p]);
            best.part[p] = lanes_select(better, top.part[p], best.part[p]);
        }
    }
    for (size_t p = 0; p < PARTS; p++) memcpy(blocks + p * LANES, &at[p], sizeof at[p]);
    return rows_first_largest(x, count, &best, blocks);
}

/* e^x for x <= 0 with an error of about 1 ulp: 2^(n + r) with |r| <= 1/2, and a minimax polynomial of
 * degree 5 for 2^r. Returns 0 below -88; NaN stays NaN. */
LANES_INLINE Lanes rows_exp_negative(Lanes x)
{
    const Lanes round = lanes_set(12583039.0f); /* 1.5 * 2^23 + 127: its last bits become n + 127 */
    Lanes y = x * 1.44269504f;
    Lanes sum, r, p;

    y = lanes_select(y < lanes_set(-127.0f), lanes_set(-127.0f), y);
    sum = y + round;
    r = y - (sum - round);
    p = r * 0.00132647273f + 0.00967151299f;
    p = p * r + 0.0555073358f;
    p = p * r + 0.240222424f;
    p = p * r + 0.693147004f;
    p = p * r + 1.0f;
    return p * (Lanes)((LanesInt)sum << 23);
}

/* rows_exp_negative() returns 0 for this exponent and below. */
#define ROWS_LEAST_EXPONENT (-88.0f)

/* Sixteen columns: each one's maximum, its sum of e^(x - top) and, for the entropy, of (x - top) e^(x - top). */
typedef struct {
    Partials top, sum, weighted;
} RowsColumns;

LANES_INLINE RowsColumns rows_columns(const LogSumExpState *sums, const float *weighted)
{
    RowsColumns columns = { 0 };

    memcpy(&columns.top, sums->top, sizeof columns.top);
    memcpy(&columns.sum, sums->sum, sizeof columns.sum);
    if (weighted) memcpy(&columns.weighted, weighted, sizeof columns.weighted);
    return columns;
}

/* Makes the sums of columns relative to a maximum that is higher by -shift:
 *     sum of (x - top + shift) e^(x - top + shift) = e^shift (weighted + shift * sum)
 * If shift is below ROWS_LEAST_EXPONENT, the sums become 0; it is limited, because infinity * 0 would be NaN. `weighs`
 * is a compile-time constant; false leaves out the weighted sums. */
LANES_INLINE void rows_shift_sums(Lanes shift, Lanes *sum, Lanes *weighted, const bool weighs)
{
    const Lanes e = rows_exp_negative(shift);

    if (weighs) *weighted = (*weighted + lanes_max(shift, lanes_set(ROWS_LEAST_EXPONENT)) * *sum) * e;
    *sum *= e;
}

/* Adds one block to the sums of the columns, and rescales them if a maximum rises. */
LANES_INLINE void rows_sum_block(const float *block, const Partials *maxima, RowsColumns *columns, const bool weighs)
{
    const Lanes least = lanes_set(ROWS_LEAST_EXPONENT);

    for (size_t p = 0; p < PARTS; p++) {
        const Lanes higher = lanes_max(maxima->part[p], columns->top.part[p]);
        Lanes sum = columns->sum.part[p], weighted = lanes_set(0.0f);
        if (weighs) weighted = columns->weighted.part[p];
        rows_shift_sums(columns->top.part[p] - higher, &sum, &weighted, weighs);
        for (size_t i = p * LANES; i < ROW_BLOCK; i += PARTIALS) {
            const Lanes x = lanes_load(block + i) - higher, e = rows_exp_negative(x);
            sum += e;
            if (weighs) weighted += lanes_max(x, least) * e;
        }
        columns->top.part[p] = higher;
        columns->sum.part[p] = sum;
        if (weighs) columns->weighted.part[p] = weighted;
    }
}

/* Adds a part of a row to *sums and, unless NULL, to the weighted sums. Writes the block maxima to `maxima` unless that
 * is NULL. */
LANES_INLINE void rows_sum_columns(LogSumExpState *sums, float *weighted, const float *x, size_t count, float *maxima)
{
    RowsColumns columns = rows_columns(sums, weighted);
    float room[ROW_BLOCK];

    for (size_t at = 0; at < count; at += ROW_BLOCK) {
        const float *block = rows_block(x, at, count, room);
        const Partials here = rows_block_maxima(block);
        if (maxima) memcpy(maxima + at / ROW_BLOCK * PARTIALS, &here, sizeof here);
        rows_sum_block(block, &here, &columns, weighted != NULL);
    }
    memcpy(sums->top, &columns.top, sizeof columns.top);
    memcpy(sums->sum, &columns.sum, sizeof columns.sum);
    if (weighted) memcpy(weighted, &columns.weighted, sizeof columns.weighted);
}

LANES_INLINE void rows_logsumexp_add(LogSumExpState *parts, const float *x, size_t count, float *maxima)
{
    rows_sum_columns(parts, NULL, x, count, maxima);
}

LANES_INLINE void rows_entropy_add(EntropyState *parts, const float *x, size_t count, float *maxima)
{
    rows_sum_columns(&parts->sums, parts->weighted, x, count, maxima);
}

LANES_INLINE LogSumExp rows_logsumexp_end(const LogSumExpState *parts)
{
    RowsColumns columns = rows_columns(parts, NULL);
    const float highest = partials_largest(&columns.top);

    for (size_t p = 0; p < PARTS; p++) columns.sum.part[p] *= rows_exp_negative(columns.top.part[p] - highest);
    return (LogSumExp){ highest, (float)log((double)partials_total(&columns.sum)) };
}

/* With the columns' sums S and W relative to the highest maximum, the entropy is log S - W / S. If rounding makes it
 * negative, returns 0, the entropy if one choice is certain. */
LANES_INLINE float rows_entropy_end(const EntropyState *parts)
{
    RowsColumns columns = rows_columns(&parts->sums, parts->weighted);
    const float highest = partials_largest(&columns.top);
    double total, entropy;

    for (size_t p = 0; p < PARTS; p++)
        rows_shift_sums(columns.top.part[p] - highest, &columns.sum.part[p], &columns.weighted.part[p], true);
    total = (double)partials_total(&columns.sum);
    entropy = log(total) - (double)partials_total(&columns.weighted) / total;
    return entropy < 0 ? 0.0f : (float)entropy;
}

LANES_INLINE LogSumExp rows_logsumexp(const float *x, size_t count, float *maxima)
{
    LogSumExpState parts = logsumexp_begin();

    rows_logsumexp_add(&parts, x, count, maxima);
    return rows_logsumexp_end(&parts);
}

/* --- Activations and attention. --- */

/* GELU with erf. */
LANES_INLINE Lanes rows_gelu(Lanes v)
{
    return 0.5f * v * (1.0f + lanes_erf(v * 0.707106781f));
}

/* mish(x) = x tanh(ln(1 + e^x)) = x w / (w + 2) with w = e^x (e^x + 2); x above 20. */
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
        float *a = x + r * 2 * cols;

        rows_activate(f, params, a, cols);
        ROWS_MAP_TO(x + r * cols, a, cols, v * ROWS_OF(a + cols));
    }
}

/* Returns the largest value; minus infinity if all are NaN. */
LANES_INLINE float rows_largest(const float *x, size_t count)
{
    Partials best = partials_set(-INFINITY);

    ROWS_REDUCE(best, count, *p = lanes_max(lanes_load_within(x, at, count, -INFINITY), *p));
    return partials_largest(&best);
}

/* softmax() of at most `blocks` * PARTIALS values, which stay in registers. The values past the end are minus infinity,
 * whose exponential is 0. `blocks` is a compile-time constant. */
LANES_INLINE void rows_softmax_short(float *x, size_t count, const size_t blocks)
{
    Partials v[FOUR], best = partials_set(-INFINITY), sum = partials_set(0.0f);
    float top, inverse;

    for (size_t b = 0; b < blocks; b++)
        for (size_t i = 0; i < PARTS; i++) {
            v[b].part[i] = lanes_load_within(x, b * PARTIALS + i * LANES, count, -INFINITY);
            best.part[i] = lanes_max(v[b].part[i], best.part[i]);
        }
    top = partials_largest(&best);
    for (size_t b = 0; b < blocks; b++)
        for (size_t i = 0; i < PARTS; i++) {
            v[b].part[i] = lanes_exp(v[b].part[i] - top);
            sum.part[i] += v[b].part[i];
        }
    inverse = 1.0f / partials_total(&sum);
    for (size_t b = 0; b < blocks; b++)
        for (size_t i = 0; i < PARTS; i++) {
            const size_t at = b * PARTIALS + i * LANES;
            if (at + LANES <= count)
                lanes_store(x + at, v[b].part[i] * inverse);
            else if (at < count)
                lanes_store_part(x + at, count - at, v[b].part[i] * inverse);
        }
}

LANES_INLINE void rows_softmax(float *x, size_t count)
{
    float top, inverse;

    if (count <= PARTIALS) {
        rows_softmax_short(x, count, 1);
        return;
    }
    if (count <= 2 * PARTIALS) {
        rows_softmax_short(x, count, 2);
        return;
    }
    if (count <= FOUR * PARTIALS) {
        rows_softmax_short(x, count, FOUR);
        return;
    }
    top = rows_largest(x, count);
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
    if (position)
        ROWS_MAP_TO(out, table, count, v * scale + ROWS_OF(position));
    else
        ROWS_MAP_TO(out, table, count, v * scale);
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

/* Returns q.k for four keys of one head. */
LANES_INLINE Four rows_match(DType type, const float *q, const void *const k[FOUR], size_t size)
{
    Partials sums[FOUR];
    size_t at = 0;

    for (size_t j = 0; j < FOUR; j++) sums[j] = partials_set(0.0f);
    for (; at + PARTIALS <= size; at += PARTIALS)
        for (size_t i = 0; i < PARTS; i++) {
            const Lanes x = lanes_load(q + at + i * LANES);
            for (size_t j = 0; j < FOUR; j++) sums[j].part[i] += x * rows_load(type, k[j], at + i * LANES);
        }
    for (size_t j = 0; at < size && j < FOUR; j++) rows_match_rest(type, &sums[j], q, k[j], at, size);
    return partials_totals(sums);
}

/* Computes scores[h, j] = q.k * scale, four keys at a time. Prefetches the next keys, and the values, because they are
 * used soon. The prefetches stand between the products, which a CPU computes while the prefetches wait. */
LANES_INLINE void rows_score_sized(DType type, const float *q, const AttentionRows *rows, size_t heads,
                                   const size_t size, float scale, float *scores)
{
    const size_t count = rows->count;

    for (size_t j = 0; j < count; j += FOUR) {
        const size_t some = count - j < FOUR ? count - j : FOUR;
        const void *keys[FOUR], *values[FOUR], *next[FOUR];
        for (size_t i = 0; i < FOUR; i++) {
            const void *row = rows->at[j + (i < some ? i : some - 1)];
            keys[i] = rows_element(type, row, rows->key);
            values[i] = rows_element(type, row, rows->value);
            next[i] = j + FOUR + i < count ? rows_element(type, rows->at[j + FOUR + i], rows->key) : keys[i];
        }
        for (size_t h = 0; h < heads; h++) {
            const size_t head = rows->sharing > 1 ? h / rows->sharing : h;
            const bool is_first = rows->sharing < 2 || h % rows->sharing == 0;
            const void *k[FOUR];
            Four totals;
            for (size_t i = 0; i < FOUR; i++) {
                k[i] = rows_element(type, keys[i], head * size);
                if (!is_first) continue;
                rows_prefetch(type, rows_element(type, next[i], head * size), size);
                rows_prefetch(type, rows_element(type, values[i], head * size), size);
            }
            totals = rows_match(type, q + h * size, k, size) * scale;
            if (some == FOUR)
                memcpy(scores + h * count + j, &totals, sizeof totals);
            else
                for (size_t i = 0; i < some; i++) scores[h * count + j + i] = totals[i];
        }
    }
}

/* Passes the usual sizes as constants, so that the compiler unrolls the loops. */
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

#define EIGHT ((size_t)8)

/* out[i] = the sum of x[j][i] scores[j], added from left to right, for neighbouring heads of `registers` registers
 * each, from element `at` of the cached rows x on. scores[heads, rows->count]; heads * registers <= EIGHT. For each
 * value, a key of rows->next is prefetched, because the first keys of a sentence are in no cache. */
LANES_INLINE void rows_attend_registers(DType type, const AttentionRows *rows, size_t at, const size_t heads,
                                        const size_t registers, const float *scores, float *out)
{
    Lanes sums[EIGHT];

#pragma GCC unroll 8
    for (size_t i = 0; i < heads * registers; i++) sums[i] = lanes_set(0.0f);
    for (size_t j = 0; j < rows->count; j++) {
        const void *x = rows_element(type, rows->at[j], at);
        if (rows->next && j < rows->next->count)
            rows_prefetch(type, rows_element(type, rows->next->at[j], rows->next->key + at - rows->value),
                          heads * registers * LANES);
#pragma GCC unroll 8
        for (size_t i = 0; i < heads * registers; i++)
            sums[i] += rows_load(type, x, i * LANES) * scores[i / registers * rows->count + j];
    }
#pragma GCC unroll 8
    for (size_t i = 0; i < heads * registers; i++) lanes_store(out + i * LANES, sums[i]);
}

/* rows_attend_registers() for a single element. */
LANES_INLINE float rows_attend_one(DType type, const AttentionRows *rows, size_t at, const float *scores)
{
    float sum = 0;

    for (size_t j = 0; j < rows->count; j++) sum += element_at(type, rows->at[j], at) * scores[j];
    return sum;
}

/* Adds up the values of one head of any size. */
LANES_INLINE void rows_attend_head(DType type, const AttentionRows *rows, size_t at, size_t size, const float *scores,
                                   float *out)
{
    size_t i = 0;

    for (; i + FOUR * LANES <= size; i += FOUR * LANES)
        rows_attend_registers(type, rows, at + i, 1, FOUR, scores, out + i);
    for (; i + LANES <= size; i += LANES) rows_attend_registers(type, rows, at + i, 1, 1, scores, out + i);
    for (; i < size; i++) out[i] = rows_attend_one(type, rows, at + i, scores);
}

/* Adds up the values of all heads, as many heads at a time as EIGHT registers hold. */
LANES_INLINE void rows_attend_sized(DType type, const AttentionRows *rows, size_t heads, const size_t size,
                                    const float *scores, float *out)
{
    const size_t registers = size / LANES, together = registers <= EIGHT ? EIGHT / registers : 0;
    size_t h = 0;

    for (; together && h + together <= heads; h += together)
        rows_attend_registers(type, rows, rows->value + h * size, together, registers, scores + h * rows->count,
                              out + h * size);
    for (; h < heads; h++)
        rows_attend_head(type, rows, rows->value + h * size, size, scores + h * rows->count, out + h * size);
}

/* out = the sum of the values, weighted with scores[heads, count]. rows_score() has prefetched the values. */
LANES_INLINE void rows_attend_values(DType type, const AttentionRows *rows, size_t heads, size_t head_size,
                                     const float *scores, float *out)
{
    if (head_size == 64)
        rows_attend_sized(type, rows, heads, 64, scores, out);
    else if (head_size == 32)
        rows_attend_sized(type, rows, heads, 32, scores, out);
    else
        for (size_t h = 0; h < heads; h++)
            rows_attend_head(type, rows, rows->value + h * head_size, head_size, scores + h * rows->count,
                             out + h * head_size);
}

/* rows_attend_registers() for FOUR heads that share the values: each value is read once. scores[FOUR, rows->count];
 * the outputs of the heads are `size` floats apart. */
LANES_INLINE void rows_attend_four(DType type, const AttentionRows *rows, size_t at, const float *scores, float *out,
                                   size_t size)
{
    Lanes sums[FOUR][2];

    for (size_t h = 0; h < FOUR; h++) sums[h][0] = sums[h][1] = lanes_set(0.0f);
    for (size_t j = 0; j < rows->count; j++) {
        const void *x = rows_element(type, rows->at[j], at);
        const Lanes a = rows_load(type, x, 0), b = rows_load(type, x, LANES);
#pragma GCC unroll 4
        for (size_t h = 0; h < FOUR; h++) {
            sums[h][0] += a * scores[h * rows->count + j];
            sums[h][1] += b * scores[h * rows->count + j];
        }
    }
    for (size_t h = 0; h < FOUR; h++)
        for (size_t i = 0; i < 2; i++) lanes_store(out + h * size + i * LANES, sums[h][i]);
}

/* As rows_attend_values(), for heads that share their values. */
LANES_INLINE void rows_attend_shared(DType type, const AttentionRows *rows, size_t heads, size_t size,
                                     const float *scores, float *out)
{
    for (size_t h = 0; h < heads;) {
        const size_t at = rows->value + h / rows->sharing * size, left = rows->sharing - h % rows->sharing;
        const bool is_four = left >= FOUR && size % (2 * LANES) == 0;
        for (size_t i = 0; is_four && i < size; i += 2 * LANES)
            rows_attend_four(type, rows, at + i, scores + h * rows->count, out + h * size + i, size);
        if (!is_four) rows_attend_head(type, rows, at, size, scores + h * rows->count, out + h * size);
        h += is_four ? FOUR : 1;
    }
}

LANES_INLINE void rows_cap(float cap, float *x, size_t count)
{
    ROWS_MAP(x, count, lanes_tanh(v / cap) * cap);
}

LANES_INLINE void rows_rotate(float *x, size_t heads, size_t head_size, const float *turns, size_t size)
{
    const size_t half = size / 2;

    for (size_t h = 0; h < heads; h++, x += head_size) {
        size_t i = 0;
        for (; i + LANES <= half; i += LANES) {
            const Lanes a = lanes_load(x + i), b = lanes_load(x + half + i);
            const Lanes cosine = lanes_load(turns + i), sine = lanes_load(turns + half + i);
            lanes_store(x + i, a * cosine - b * sine);
            lanes_store(x + half + i, b * cosine + a * sine);
        }
        for (; i < half; i++) {
            const float a = x[i], b = x[half + i];
            x[i] = a * turns[i] - b * turns[half + i];
            x[half + i] = b * turns[i] + a * turns[half + i];
        }
    }
}

LANES_INLINE void rows_attend_to(DType type, const float *q, const AttentionRows *rows, size_t heads, size_t head_size,
                                 float scale, float *scores, float *out)
{
    const size_t count = rows->count;

    rows_score(type, q, rows, heads, head_size, scale, scores);
    if (rows->cap != 0) rows_cap(rows->cap, scores, heads * count);
    if (rows->bias) rows_add(scores, rows->bias, heads * count);
    for (size_t h = 0; h < heads; h++) rows_softmax(scores + h * count, count);
    if (rows->sharing > 1)
        rows_attend_shared(type, rows, heads, head_size, scores, out);
    else
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

/* The table of a level. The parameters are the functions that an emulation replaces (rows_emulation.h). */
#define ROWS_TABLE(name, activate_fn, softmax_fn, attend_fn)                                                           \
    {                                                                                                                  \
        .level = name, .activate = activate_fn, .gate = rows_gate, .add = rows_add, .add_norm = rows_add_norm,         \
        .softmax = softmax_fn, .log_softmax = rows_log_softmax, .logsumexp = rows_logsumexp,                           \
        .logsumexp_add = rows_logsumexp_add, .logsumexp_end = rows_logsumexp_end, .entropy_add = rows_entropy_add,     \
        .entropy_end = rows_entropy_end, .dot = rows_dot, .attend = attend_fn, .rotate = rows_rotate, .cap = rows_cap, \
        .embed = rows_embed, .widen = rows_widen, .to_bf16 = rows_to_bf16, .quantize = rows_quantize,                  \
        .quantize_by = rows_quantize_by, .maxima = rows_maxima, .argmax = rows_argmax,                                 \
    }

#endif
