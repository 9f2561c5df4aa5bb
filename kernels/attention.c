/* attention.c - see attention.h. */
#include "attention.h"

#include <string.h>

#include "gemm.h"

/* The scratch memory holds either the keys or the values in panels. */
size_t attention_scratch(size_t keys, size_t size)
{
    size_t of_keys = panels_count(keys, size), of_values = panels_count(size, keys);

    return of_keys > of_values ? of_keys : of_values;
}

/* Packs the keys, multiplied by the scale, as a matrix [keys, size] in panels. */
static const float *pack_keys(const Attention *a)
{
    memset(a->packed, 0, panels_count(a->keys, a->size) * sizeof *a->packed);
    for (size_t j = 0; j < a->keys; j++) {
        float *to = a->packed + panels_at(j, a->size);
        for (size_t i = 0; i < a->size; i++) to[i * PANEL] = a->k[j * a->stride + i] * a->scale;
    }
    return a->packed;
}

/* Packs the transposed values, [size, keys], in panels. */
static const float *pack_values(const Attention *a)
{
    memset(a->packed, 0, panels_count(a->size, a->keys) * sizeof *a->packed);
    for (size_t first = 0; first < a->size; first += PANEL) {
        float *to = a->packed + first * a->keys;
        size_t count = a->size - first < PANEL ? a->size - first : PANEL;
        for (size_t j = 0; j < a->keys; j++) memcpy(to + j * PANEL, a->v + j * a->stride + first, count * sizeof *to);
    }
    return a->packed;
}

static void multiply_keys(const Attention *a)
{
    a->multiply(&(PanelsMatmul){ .type = DTYPE_F32,
                                 .panels = pack_keys(a),
                                 .n = a->keys,
                                 .k = a->size,
                                 .rows = a->queries,
                                 .x = a->q,
                                 .ldx = a->stride,
                                 .out = a->scores,
                                 .ldo = a->keys });
    if (a->bias) a->kernels->add(a->scores, a->bias, a->queries * a->keys);
}

static void multiply_values(const Attention *a)
{
    a->multiply(&(PanelsMatmul){ .type = DTYPE_F32,
                                 .panels = pack_values(a),
                                 .n = a->size,
                                 .k = a->keys,
                                 .rows = a->queries,
                                 .x = a->scores,
                                 .ldx = a->keys,
                                 .out = a->out,
                                 .ldo = a->out_stride });
}

void attention_run(const Attention *attention)
{
    const Attention *a = attention;

    if (a->multiply) {
        multiply_keys(a);
    } else {
        if (a->bias) memcpy(a->scores, a->bias, a->queries * a->keys * sizeof *a->scores);
        gemm_transposed(a->queries, a->keys, a->size, a->scale, a->q, a->stride, a->k, a->stride, a->bias ? 1.0f : 0.0f,
                        a->scores, a->keys);
    }
    for (size_t i = 0; i < a->queries; i++) a->kernels->softmax(a->scores + i * a->keys, a->keys);
    if (a->multiply)
        multiply_values(a);
    else
        gemm_plain(a->queries, a->size, a->keys, a->scores, a->keys, a->v, a->stride, a->out, a->out_stride);
}
