/* kernels.h - the arithmetic on rows of numbers that is not a matrix product.
 * One table of functions, chosen once from the CPU. Every level gives the
 * same bits: sums have one fixed order, exp and its relatives are our own
 * polynomials, and nothing is contracted.
 * Shapes are [rows, cols], row-major, rows contiguous. */
#ifndef DRAGOMAN_KERNELS_H
#define DRAGOMAN_KERNELS_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>

#include "dtype.h"

/* The activations that transformers' ACT2FN offers. */
typedef enum {
    ACTIVATION_RELU,
    ACTIVATION_SWISH,      /* also "silu": x * sigmoid(x) */
    ACTIVATION_GELU,       /* 0.5 x (1 + erf(x / sqrt 2)) */
    ACTIVATION_GELU_10,    /* the same, clipped to [-10, 10] */
    ACTIVATION_GELU_TANH,  /* "gelu_new", "gelu_pytorch_tanh", "gelu_fast": the tanh form */
    ACTIVATION_QUICK_GELU, /* x * sigmoid(1.702 x) */
    ACTIVATION_TANH,
    ACTIVATION_SIGMOID,
    ACTIVATION_RELU6,
    ACTIVATION_RELU2,      /* relu(x)^2 */
    ACTIVATION_LEAKY_RELU, /* slope 0.01 */
    ACTIVATION_MISH,       /* x * tanh(softplus(x)) */
    ACTIVATION_LAPLACE,    /* 0.5 (1 + erf((x - mu) / (sigma sqrt 2))) */
    ACTIVATION_LINEAR,
    ACTIVATION_PRELU, /* x, or p[0] x where x is negative */
    ACTIVATION_XIELU, /* p[0] x^2 + p[2] x where x > 0; else p[1] (e^min(x, p[3]) - 1 - x) + p[2] x */
    ACTIVATION_COUNT
} Activation;

/* What an activation with trained parameters reads; the others ignore it. */
typedef struct {
    float p[4];
} ActivationParams;

/* How a row x of n values is normalized; scale and shift are trained. */
typedef enum {
    NORM_LAYER, /* (x - mean) / sqrt(variance + eps) * scale + shift, biased variance */
    NORM_FUSED, /* the same with fused multiply-adds, in another order (rows_norm_fused.h) */
    NORM_RMS,   /* x / sqrt(mean of squares + eps) * scale, as T5; no shift */
    NORM_STD    /* (x - mean) / (std + eps) * scale + shift, unbiased std, as the Annotated Transformer */
} NormKind;

/* The cached rows that one query looks at, numbers of `type` (f32 or bf16):
 * keys from number `key` of at[j] on, values from number `value` on, each
 * [heads * head_size]. */
typedef struct {
    DType type;
    const void *const *at; /* `count` of them */
    size_t count;
    size_t key, value;
    const float *bias; /* [heads, count], added to the scores; NULL: none */
} AttentionRows;

/* The logarithm of a sum of e^x over a row is top + logsumexp, where top is the
 * largest x; (x - top) - logsumexp is the log-probability of x. */
typedef struct {
    float top, logsumexp;
} LogSum;

/* A long row's largest values: maxima[16 b + j] is that of x[ROW_BLOCK b + 16 i + j]
 * over all i < 16. NaN never wins. */
#define ROW_BLOCK        ((size_t)256)
#define ROW_MAXIMA       ((size_t)16) /* of a block, and how far apart the values of one lie */
#define ROW_MAXIMA_OF(n) (((n) + ROW_BLOCK - 1) / ROW_BLOCK * ROW_MAXIMA)

/* What logsumexp() knows of the beginning of a row: the columns' largest values and
 * their sums of e^(x - top). Tops begin at -FLT_MAX, from which minus infinity has
 * a distance. */
typedef struct {
    float top[ROW_MAXIMA], sum[ROW_MAXIMA];
} LogSumParts;

static inline LogSumParts logsumexp_nothing(void)
{
    LogSumParts parts = { .sum = { 0 } };

    for (size_t i = 0; i < ROW_MAXIMA; i++) parts.top[i] = -FLT_MAX;
    return parts;
}

typedef struct {
    const char *level; /* "scalar", "avx2", "avx512" */

    /* x[i] = f(x[i]); params may be NULL for an activation without any. */
    void (*activate)(Activation f, const ActivationParams *params, float *x, size_t count);

    /* x[rows, 2 cols], each row two halves a and b, becomes f(a) * b, [rows, cols]. */
    void (*gate)(Activation f, const ActivationParams *params, float *x, size_t rows, size_t cols);

    /* x[i] += y[i] */
    void (*add)(float *x, const float *y, size_t count);

    /* x[r] += y[r] (y may be NULL), then out[r] = norm(x[r]); shapes are
     * [rows, cols], out may be x. */
    void (*add_norm)(NormKind kind, float *x, const float *y, size_t rows, size_t cols, const float *scale,
                     const float *shift, float eps, float *out);

    /* x = softmax(x) over count values. */
    void (*softmax)(float *x, size_t count);

    /* x = x - log(sum(exp(x))) over count values. */
    void (*log_softmax)(float *x, size_t count);

    /* In one sweep; maxima[ROW_MAXIMA_OF(count)] may be NULL. */
    LogSum (*logsumexp)(const float *x, size_t count, float *maxima);

    /* The same bits piece by piece; all but the last one of a multiple of ROW_BLOCK. */
    void (*logsumexp_add)(LogSumParts *parts, const float *x, size_t count, float *maxima);
    LogSum (*logsumexp_end)(const LogSumParts *parts);

    /* Sum of a[i] * b[i]. */
    float (*dot)(const float *a, const float *b, size_t count);

    /* One query q [heads * head_size] against rows->count cached rows:
     * out = softmax(scale * q.k + bias) * v, head by head. scores is scratch
     * [heads, rows->count]. rows->count > 0. */
    void (*attend)(const float *q, const AttentionRows *rows, size_t heads, size_t head_size, float scale,
                   float *scores, float *out);

    /* out[i] = row[i] * scale + position[i]; position may be NULL. */
    void (*embed)(float *out, const float *row, float scale, const float *position, size_t count);

    /* `count` numbers, which may be unaligned, as f32, exactly. */
    void (*widen)(DType type, const void *in, size_t count, float *out);

    /* out[i] = the bf16 nearest to x[i], ties to even. */
    void (*to_bf16)(const float *x, size_t count, uint16_t *out);

    /* A row in 8 bits, for panels_s8.h: out[i] = x[i] / scale, rounded half to
     * even, + 128; zeros up to `width` behind `count`. Returns scale, the
     * largest |x| / 127, which is no finite number where one of x is none. */
    float (*quantize)(const float *x, size_t count, size_t width, uint8_t *out);
    /* The same with a multiplier that is given in place of 127 / the largest |x|. */
    void (*quantize_by)(float multiplier, const float *x, size_t count, size_t width, uint8_t *out);

    /* maxima[ROW_MAXIMA_OF(count)]; returns the largest value of all. */
    float (*maxima)(const float *x, size_t count, float *maxima);

    /* The first place of the largest value; NaN never wins. */
    size_t (*argmax)(const float *x, size_t count);
} Kernels;

/* The table for cpu_level(). Never NULL; threads may share it. */
const Kernels *kernels_get(void);

/* The same with softmax, attend and activations in the order of operations of another program
 * (rows_emulation.h), for models whose matrices matrix_shares_x_multiplier(). */
const Kernels *kernels_emulation_get(void);

/* For tests and benchmarks: the tables that this CPU can run, lowest first. */
size_t kernels_count(void);
const Kernels *kernels_at(size_t index);
const Kernels *kernels_emulation_at(size_t index);

/* The tables themselves, of rows_LEVEL.c. */
extern const Kernels rows_generic, rows_generic_emulation;
#if defined(__x86_64__)
extern const Kernels rows_avx2, rows_avx2_emulation;
extern const Kernels rows_avx512, rows_avx512_emulation;
#endif

#endif
