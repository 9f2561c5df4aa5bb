/* kernels.h - the arithmetic on rows of numbers that is not a matrix product.
 * One table of functions, chosen once from the CPU. Every level gives the
 * same bits: sums have one fixed order, exp and its relatives are our own
 * polynomials, and nothing is contracted.
 * Shapes are [rows, cols], row-major, rows contiguous. */
#ifndef DRAGOMAN_KERNELS_H
#define DRAGOMAN_KERNELS_H

#include <stddef.h>

/* The activations that transformers' ACT2FN offers to Marian models. */
typedef enum {
    ACTIVATION_RELU,
    ACTIVATION_SWISH, /* also "silu": x * sigmoid(x) */
    ACTIVATION_GELU,  /* 0.5 x (1 + erf(x / sqrt 2)) */
    ACTIVATION_GELU_TANH, /* "gelu_new", "gelu_pytorch_tanh", "gelu_fast": the tanh form */
    ACTIVATION_QUICK_GELU, /* x * sigmoid(1.702 x) */
    ACTIVATION_TANH,
    ACTIVATION_SIGMOID,
    ACTIVATION_RELU6,
    ACTIVATION_RELU2, /* relu(x)^2 */
    ACTIVATION_LEAKY_RELU, /* slope 0.01 */
    ACTIVATION_MISH,  /* x * tanh(softplus(x)) */
    ACTIVATION_LINEAR,
    ACTIVATION_COUNT
} Activation;

typedef struct {
    const char *level; /* "scalar", "avx2", "avx512" */

    /* x[i] = f(x[i]) */
    void (*activate)(Activation f, float *x, size_t count);

    /* x[r] += y[r], then layer norm over each row with scale and shift [cols]:
     * (x - mean) / sqrt(var + eps) * scale + shift; biased variance.
     * y may be NULL: nothing is added. */
    void (*add_layer_norm)(float *x, const float *y, size_t rows, size_t cols, const float *scale, const float *shift,
                           float eps);

    /* x += bias [cols] on every row. */
    void (*add_bias)(float *x, size_t rows, size_t cols, const float *bias);

    /* x = softmax(x) over count values. */
    void (*softmax)(float *x, size_t count);

    /* x = x - log(sum(exp(x))) over count values. */
    void (*log_softmax)(float *x, size_t count);

    /* Sum of a[i] * b[i]. */
    float (*dot)(const float *a, const float *b, size_t count);

    /* y[i] += scale * x[i] */
    void (*add_scaled)(float *y, const float *x, float scale, size_t count);

    /* out[i] = table[i] * scale + position[i] */
    void (*embed)(float *out, const float *table, float scale, const float *position, size_t count);

    /* The index of the first largest value; NaN never wins. count > 0. */
    size_t (*argmax)(const float *x, size_t count);
} Kernels;

/* The best table for this CPU, or a lower one if the environment variable
 * DRAGOMAN_CPU (scalar, avx2, avx512) asks for it. Never NULL; threads may
 * share it. */
const Kernels *kernels_get(void);

/* For tests and benchmarks: the tables that this CPU can run, lowest first. */
size_t kernels_count(void);
const Kernels *kernels_at(size_t index);

#endif
