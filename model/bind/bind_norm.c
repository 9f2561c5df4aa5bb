/* bind_norm.c - see bind_parts.h. */
#include "bind_parts.h"

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
