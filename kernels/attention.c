/* attention.c - see attention.h. */
#include "attention.h"

#include <string.h>

#include "gemm.h"

/* Returns the size of the scratch memory, which holds either the keys or the values in panels. */
size_t attention_scratch(size_t keys, size_t size)
{
    size_t of_keys = panels_count(keys, size), of_values = panels_count(size, keys);

    return of_keys > of_values ? of_keys : of_values;
}

/* out[queries, n] = x[queries, k] * m[n, k]^T, where m is the matrix in a->packed, in panels. */
static void multiply(const Attention *a, size_t n, size_t k, const float *x, size_t ldx, float *out, size_t ldo)
{
    a->multiply(&(PanelsMatmul){ .type = DTYPE_F32,
                                 .panels = a->packed,
                                 .n = n,
                                 .k = k,
                                 .rows = a->queries,
                                 .x = x,
                                 .ldx = ldx,
                                 .out = out,
                                 .ldo = ldo });
}

/* Packs the keys, multiplied by the scale, as a matrix [keys, size] in panels. */
static void pack_keys(const Attention *a)
{
    memset(a->packed, 0, panels_count(a->keys, a->size) * sizeof *a->packed);
    for (size_t j = 0; j < a->keys; j++) {
        float *to = a->packed + panels_at(j, a->size);
        for (size_t i = 0; i < a->size; i++) to[i * PANEL] = a->k[j * a->stride + i] * a->scale;
    }
}

/* Packs the values, transposed to a matrix [size, keys], in panels. */
static void pack_values(const Attention *a)
{
    memset(a->packed, 0, panels_count(a->size, a->keys) * sizeof *a->packed);
    for (size_t first = 0; first < a->size; first += PANEL) {
        float *to = a->packed + first * a->keys;
        size_t count = a->size - first < PANEL ? a->size - first : PANEL;
        for (size_t j = 0; j < a->keys; j++) memcpy(to + j * PANEL, a->v + j * a->stride + first, count * sizeof *to);
    }
}

/* Turns the scores of query i into probabilities; those of keys outside of its window become 0. */
static void softmax_row(const Attention *a, size_t i)
{
    float *scores = a->scores + i * a->keys;
    const size_t own = a->first + i, begin = a->window && own >= a->window ? own - a->window + 1 : 0;
    const size_t end = a->window && a->window < a->keys - own ? own + a->window : a->keys;

    memset(scores, 0, begin * sizeof *scores);
    memset(scores + end, 0, (a->keys - end) * sizeof *scores);
    a->kernels->softmax(scores + begin, end - begin);
}

void attention_run(const Attention *a)
{
    if (a->multiply) {
        pack_keys(a);
        multiply(a, a->keys, a->size, a->q, a->stride, a->scores, a->keys);
        if (a->bias) a->kernels->add(a->scores, a->bias, a->queries * a->keys);
    } else {
        if (a->bias) memcpy(a->scores, a->bias, a->queries * a->keys * sizeof *a->scores);
        gemm_transposed(a->queries, a->keys, a->size, a->scale, a->q, a->stride, a->k, a->stride, a->bias ? 1.0f : 0.0f,
                        a->scores, a->keys);
    }
    if (a->cap != 0) a->kernels->cap(a->cap, a->scores, a->queries * a->keys);
    for (size_t i = 0; i < a->queries; i++) softmax_row(a, i);
    if (a->multiply) {
        pack_values(a);
        multiply(a, a->size, a->keys, a->scores, a->keys, a->out, a->out_stride);
    } else {
        gemm_plain(a->queries, a->size, a->keys, a->scores, a->keys, a->v, a->stride, a->out, a->out_stride);
    }
}
