/* attention.h - one attention head over all keys of one sentence:
 *     out = softmax(scale * q k^T + bias) v
 * or, with a cap, softmax(cap * tanh((scale * q k^T + bias) / cap)) v, and each query may attend to a window only.
 * attend() in kernels.h, in contrast, takes one query, and its rows are scattered in memory. */
#ifndef DRAGOMAN_ATTENTION_H
#define DRAGOMAN_ATTENTION_H

#include <stddef.h>

#include "kernels.h"
#include "panels.h"

typedef struct {
    const Kernels *kernels;
    PanelsMultiply *multiply; /* panels_get() */
    size_t queries, keys, size;
    const float *q, *k, *v; /* q[queries, size], k[keys, size], v[keys, size]; rows `stride` apart */
    size_t stride;
    float scale;
    const float *bias; /* [queries, keys] or NULL */
    float cap;         /* 0: none */
    size_t window;     /* query i, whose own key is number first + i, attends to keys less than this far away; 0: all */
    size_t first;
    float *scores; /* scratch, [queries, keys]; receives the probabilities */
    float *packed; /* scratch, attention_scratch() floats */
    float *out;    /* [queries, size], rows `out_stride` apart */
    size_t out_stride;
} Attention;

size_t attention_scratch(size_t keys, size_t size);
void attention_run(const Attention *a);

#endif
