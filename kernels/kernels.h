/* kernels.h - the arithmetic on rows of floats, except matrix multiplication. The functions are in one table, which is
 * selected once for the CPU. Every CPU level returns the same bits: sums have a fixed order, exp and related functions
 * are our own polynomials, and the compiler must not contract expressions. Shapes are [rows, cols], row-major; rows are
 * contiguous. */
#ifndef DRAGOMAN_KERNELS_H
#define DRAGOMAN_KERNELS_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dtype.h"

/* The activations of the table ACT2FN in transformers. */
typedef enum {
    ACTIVATION_RELU,
    ACTIVATION_SWISH,      /* also "silu": x * sigmoid(x) */
    ACTIVATION_GELU,       /* 0.5 x (1 + erf(x / sqrt 2)) */
    ACTIVATION_GELU_10,    /* GELU, clipped to [-10, 10] */
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

/* The trained parameters of PReLU and xIELU. Other activations ignore them. */
typedef struct {
    float p[4];
} ActivationParams;

/* How a row x of n values is normalized; scale and shift are trained. */
typedef enum {
    NORM_LAYER, /* (x - mean) / sqrt(variance + eps) * scale + shift, biased variance */
    NORM_FUSED, /* NORM_LAYER with fused multiply-adds in another order (rows_norm_fused() in rows.h) */
    NORM_RMS,   /* x / sqrt(mean of squares + eps) * scale, as in T5; no shift */
    NORM_STD    /* (x - mean) / (std + eps) * scale + shift, unbiased std, as in the Annotated Transformer */
} NormKind;

/* The cached rows that one query attends to. Elements are f32 or bf16 (`type`). Row j is at[j]: its key begins at
 * element `key` and its value at element `value`; each is [heads * head_size], where heads that share are one. */
typedef struct AttentionRows AttentionRows;
struct AttentionRows {
    DType type;
    const void *const *at; /* `count` of them */
    size_t count;
    size_t key, value;
    const AttentionRows *next; /* NULL, or what is attended to next: its keys are prefetched, all heads */
    const float *bias;         /* [heads, count], added to the scores; NULL: none */
    size_t sharing;            /* number of neighbouring heads of queries that share a head of keys and values; 0: 1 */
    float cap;                 /* scores become cap * tanh(score / cap); 0: none */
};

/* log(sum of e^x) over a row is top + logsumexp, where top is the largest x. The log-probability of x
 * is (x - top) - logsumexp. */
typedef struct {
    float top, logsumexp;
} LogSumExp;

/* The block maxima of a long row: maxima[16 b + j] is the largest x[ROW_BLOCK b + 16 i + j] over all i
 * < 16. NaN is ignored. */
#define ROW_BLOCK        ((size_t)256)
#define ROW_MAXIMA       ((size_t)16) /* per block; also the distance between the values that one maximum covers */
#define ROW_MAXIMA_OF(n) (((n) + ROW_BLOCK - 1) / ROW_BLOCK * ROW_MAXIMA)

/* A block of logits: rows [row, row + rows) of all computed rows, columns [first, first + count). */
typedef struct {
    size_t row, rows;
    size_t first, count;
    size_t stride; /* floats between rows */
    float *logits; /* [rows, stride]; the sink may overwrite them */
} LogitsBlock;

/* Consumes logits while they are computed: a block is still in the cache when take() receives it, and its memory is
 * reused for the next block. Rows arrive in ascending order, and the columns of a row as well. Every block of a row
 * except the last one has a multiple of ROW_BLOCK columns. */
typedef struct {
    void (*take)(void *context, const LogitsBlock *block);
    void *context;
    bool whole_rows; /* each block has all columns of its rows */
} LogitsSink;

/* The state of logsumexp() after a part of the row: the maximum of each column and its sum of e^(x - top). A maximum
 * starts at -FLT_MAX, because minus infinity - minus infinity would be NaN. */
typedef struct {
    float top[ROW_MAXIMA], sum[ROW_MAXIMA];
} LogSumExpState;

/* LogSumExpState and, for the entropy, the sum of (x - top) e^(x - top) of each column. */
typedef struct {
    LogSumExpState sums;
    float weighted[ROW_MAXIMA];
} EntropyState;

static inline LogSumExpState logsumexp_begin(void)
{
    LogSumExpState parts = { .sum = { 0 } };

    for (size_t i = 0; i < ROW_MAXIMA; i++) parts.top[i] = -FLT_MAX;
    return parts;
}

static inline EntropyState entropy_begin(void)
{
    return (EntropyState){ .sums = logsumexp_begin() };
}

typedef struct {
    const char *level; /* "scalar", "avx2", "avx512" */

    /* x[i] = f(x[i]); params may be NULL if the activation has no parameters. */
    void (*activate)(Activation f, const ActivationParams *params, float *x, size_t count);

    /* Each row of x[rows, 2 cols] has two halves, a and b; it becomes f(a) * b in x[rows, cols]. */
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

    /* Reads the row once. maxima[ROW_MAXIMA_OF(count)] receives the block maxima; it may be NULL. */
    LogSumExp (*logsumexp)(const float *x, size_t count, float *maxima);

    /* Together, these return the same bits as logsumexp(), for a row in consecutive pieces. Every piece except the last
     * one has a multiple of ROW_BLOCK values. */
    void (*logsumexp_add)(LogSumExpState *parts, const float *x, size_t count, float *maxima);
    LogSumExp (*logsumexp_end)(const LogSumExpState *parts);

    /* Computes the same sums as logsumexp_add() and, in the same pass, those that the entropy of softmax(x) needs:
     *     -sum of p log p = log(sum of e^x) - (sum of x e^x) / (sum of e^x)
     * entropy_end() returns it in nats; minus infinity contributes nothing. */
    void (*entropy_add)(EntropyState *parts, const float *x, size_t count, float *maxima);
    float (*entropy_end)(const EntropyState *parts);

    /* Returns the sum of a[i] * b[i]. */
    float (*dot)(const float *a, const float *b, size_t count);

    /* Attends with one query q [heads * head_size] to rows->count > 0 cached rows. For each head,
     *     out = softmax(scale * q.k + bias) * v
     * scores[heads, rows->count] receives the probabilities, softmax(scale * q.k + bias). */
    void (*attend)(const float *q, const AttentionRows *rows, size_t heads, size_t head_size, float scale,
                   float *scores, float *out);

    /* Rotates each head of x[heads, head_size]: of its first `size` elements, i and i + size / 2 become
     *     x[i] cos - x[i + size / 2] sin,  x[i + size / 2] cos + x[i] sin
     * where turns[size] has the cosines of size / 2 angles, then their sines. */
    void (*rotate)(float *x, size_t heads, size_t head_size, const float *turns, size_t size);

    /* x[i] = cap * tanh(x[i] / cap) */
    void (*cap)(float cap, float *x, size_t count);

    /* out[i] = row[i] * scale + position[i]; position may be NULL. */
    void (*embed)(float *out, const float *row, float scale, const float *position, size_t count);

    /* Converts `count` elements, which may be unaligned, to f32. The conversion is exact. */
    void (*widen)(DType type, const void *in, size_t count, float *out);

    /* out[i] = the bf16 nearest to x[i], ties to even. */
    void (*to_bf16)(const float *x, size_t count, uint16_t *out);

    /* Quantizes a row to 8 bits for panels_s8.h: out[i] = x[i] / scale, rounded half to even, + 128.
     * Elements [count, width) of out represent zero. Returns scale, the largest |x| / 127, which is
     * not finite if any x is not. */
    float (*quantize)(const float *x, size_t count, size_t width, uint8_t *out);
    /* Like quantize(), but multiplies by `multiplier` instead of 127 / the largest |x|. */
    void (*quantize_by)(float multiplier, const float *x, size_t count, size_t width, uint8_t *out);

    /* Writes the block maxima, maxima[ROW_MAXIMA_OF(count)], and returns the largest value of the row. */
    float (*maxima)(const float *x, size_t count, float *maxima);

    /* Returns the first index of the largest value. NaN is ignored. */
    size_t (*argmax)(const float *x, size_t count);
} Kernels;

/* Returns the table for cpu_level(); never NULL. Threads may share it. */
const Kernels *kernels_get(void);

/* Returns a table whose softmax, attend and activate follow Marian's order of operations
 * (rows_emulation.h), for models whose matrices share an x_multiplier (matrix_shares_x_multiplier()). */
const Kernels *kernels_emulation_get(void);

/* For tests and benchmarks: the tables that this CPU can run, lowest level first. */
size_t kernels_count(void);
const Kernels *kernels_at(size_t index);
const Kernels *kernels_emulation_at(size_t index);

/* The tables. Each is defined in rows_LEVEL.c. */
extern const Kernels rows_generic, rows_generic_emulation;
#if defined(__x86_64__)
extern const Kernels rows_avx2, rows_avx2_emulation;
extern const Kernels rows_avx512, rows_avx512_emulation;
#endif

#endif
