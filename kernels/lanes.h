/* lanes.h - vector operations on f32, written with the compiler's vector extensions. Before including
 * this file, a source file defines LANES_BYTES, the register width: 16 (any CPU), 32 (AVX2) or 64
 * (AVX-512); and LANES_TARGET, the attribute that enables such registers. Every operation is an IEEE
 * operation on each lane, so results do not depend on the width.
 *
 * Sums do not depend on the width either: there are sixteen partial sums, element i is added to partial sum i mod 16,
 * and partials_total() adds the partial sums in a fixed tree. */
#ifndef DRAGOMAN_LANES_H
#define DRAGOMAN_LANES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
#if LANES_BYTES == 64
    return (Lanes)((LanesInt)_mm512_cvtepu16_epi32((__m256i)half) << 16); /* gcc's own conversion works on half
                                                                           * registers */
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

/* Partial registers: the first `count` < LANES values. Masked instructions, where a CPU has them,
 * avoid a call of memcpy() and the store-forwarding delay after it. lanes_max() and lanes_min() return
 * b if a or b is NaN, as the instructions do. */
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

/* The larger bit pattern. For floats that are not negative this is the larger value, and NaN is
 * greater than infinity. */
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

/* Loads x[at .. at + LANES); elements at index `count` and beyond are `fill`. */
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

#if defined(LANES_SHUFFLE)
typedef float Four __attribute__((vector_size(16)));

/* The first two levels of the tree: adds partial sums i, i + 4, i + 8 and i + 12. */
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
LANES_INLINE void partials_totals(const Partials p[FOUR], float out[FOUR])
{
    Four a = partials_fours(&p[0]), b = partials_fours(&p[1]), c = partials_fours(&p[2]), d = partials_fours(&p[3]);
    Four ab = LANES_SHUFFLE(a, b, 0, 1, 4, 5) + LANES_SHUFFLE(a, b, 2, 3, 6, 7);
    Four cd = LANES_SHUFFLE(c, d, 0, 1, 4, 5) + LANES_SHUFFLE(c, d, 2, 3, 6, 7);
    Four all = LANES_SHUFFLE(ab, cd, 0, 2, 4, 6) + LANES_SHUFFLE(ab, cd, 1, 3, 5, 7);

    memcpy(out, &all, sizeof all);
}
#else
LANES_INLINE float partials_total(const Partials *p)
{
    float a[PARTIALS];

    memcpy(a, p, sizeof a);
    for (size_t half = PARTIALS / 2; half; half /= 2)
        for (size_t i = 0; i < half; i++) a[i] += a[i + half];
    return a[0];
}

LANES_INLINE void partials_totals(const Partials p[FOUR], float out[FOUR])
{
    for (size_t i = 0; i < FOUR; i++) out[i] = partials_total(&p[i]);
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

/* x + x^3 p(x^2) up to 0.625; 1 - 2 / (e^2x + 1) above. */
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

/* erf(x): x p(x^2) up to 1; 1 - e^(-x^2) t q(t) with t = 1 / (1 + x/2) above. p and q are minimax
 * fits; the absolute error is 1e-7. */
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

#endif
