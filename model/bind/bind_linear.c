/* bind_linear.c - see bind_parts.h. */
#include "bind_parts.h"

#include "bind_matrix.h"
#include "matrix_emulation.h"

Status bind_linear_weights(Binder *b, Matrix **out, const char *packed, size_t n, size_t k, const char *const *names,
                           const char *suffix, size_t count)
{
    const size_t shape[2] = { n, k };
    StoredMatrix stored = { .name = binder_matrix_name(b, packed), .n = count * n, .k = k, .count = count };
    Status st = OK;

    binder_hash(b, stored.name.text, 2, (const size_t[]){ stored.n, k });
    if (weights_packed(b->weights)) return bind_packed_matrix(b, out, &stored);
    for (size_t i = 0; st == OK && i < count; i++) st = binder_expect(b, &stored.parts[i], names[i], suffix, 2, shape);
    if (st == OK) st = bind_matrix(b, out, &stored);
    for (size_t i = 0; st == OK && i < count; i++) binder_note(b, stored.parts[i]);
    return st;
}

void bind_linear_shift(Binder *b, Linear *linear, size_t first)
{
    if (b->model->config.int8.shift != SHIFT_NONE && !b->plan && matrix_emulates_marian(linear->weight))
        matrix_shift_x(linear->weight, first, linear->bias);
}

Status bind_linears(Binder *b, Linear *out, const char *packed, size_t n, size_t k, const char *const *names,
                    size_t count, bool bias)
{
    const TensorNames *all = b->model->config.names;
    const char *weight_suffix = all->weight ? all->weight : ".weight", *bias_suffix = all->bias ? all->bias : ".bias";
    Status st = bind_linear_weights(b, &out->weight, packed, n, k, names, weight_suffix, count);

    if (st != OK || !bias) return st;
    out->bias = binder_allocate(b, count * n, sizeof *out->bias, &st);
    for (size_t i = 0; st == OK && i < count; i++)
        if (!all->may_lack_bias || binder_find(b, names[i], bias_suffix))
            st = binder_read_vector(b, out->bias + i * n, names[i], bias_suffix, n);
    if (st == OK) bind_linear_shift(b, out, 0);
    return st;
}

Status bind_linear(Binder *b, Linear *out, const char *packed, size_t n, size_t k, const char *name, bool bias)
{
    return bind_linears(b, out, packed, n, k, &name, 1, bias);
}

Status bind_norm(Binder *b, Norm *out, const char *name)
{
    const ModelConfig *config = &b->model->config;
    Status st = OK;

    if (!name) return OK;
    out->scale = binder_allocate(b, config->d_model, sizeof *out->scale, &st);
    if (st == OK) st = binder_read_vector(b, out->scale, name, config->names->norm_scale, config->d_model);
    if (st != OK || config->norm.kind == NORM_RMS) return st;
    out->shift = binder_allocate(b, config->d_model, sizeof *out->shift, &st);
    if (!config->norm.use_bias) return st; /* zeros */
    return st == OK ? binder_read_vector(b, out->shift, name, config->names->norm_shift, config->d_model) : st;
}

Status bind_norms(Binder *b, SublayerNorms *out, bool before, const SublayerSteps after, AroundNames names)
{
    const size_t d = b->model->config.d_model;
    Status st = before ? bind_norm(b, &out->before, names.norm) : OK;

    if (st == OK && sublayer_steps_have(after, STEP_NORM))
        st = bind_norm(b, &out->after, names.after ? names.after : names.norm);
    if (st != OK || !sublayer_steps_have(after, STEP_HIGHWAY)) return st;
    return bind_linear(b, &out->highway, names.packed, d, d, names.highway, true);
}
