/* bind_activation.c - see bind_parts.h. */
#include "bind_parts.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Reads one parameter of the activation, stored with the shape [1] or []. Sets *bf16 if its type is BF16. */
static Status bind_number(Binder *b, float *out, const char *part, bool *bf16)
{
    const size_t one[1] = { 1 };
    char suffix[32];
    const char *name = b->model->config.names->activation;
    const Tensor *t;
    Status st;

    snprintf(suffix, sizeof suffix, ".%s", part);
    t = binder_find(b, name, suffix);
    if (!t) return binder_missing(b, name, suffix);
    st = binder_check(b, t, t->rank ? 1 : 0, one);
    if (st == OK) st = binder_read(b, t, 0, 1, out);
    if (st == OK) binder_note(b, t);
    *bf16 = t->dtype == DTYPE_BF16;
    return st;
}

/* Rounds to the nearest BF16 value, ties to even. */
static float round_to_bf16(float x)
{
    return dtype_bf16_to_f32(dtype_f32_to_bf16(x));
}

/* ln(1 + e^x) */
static float softplus(float x, bool bf16)
{
    float y = x > 20 ? x : (float)log1p(exp((double)x));

    return bf16 ? round_to_bf16(y) : y;
}

/* Computes xIELU's two alphas from the stored parameters, in their type, as PyTorch does. */
static Status bind_xielu(Binder *b, ActivationParams *out)
{
    bool bf16 = false;
    Status st = bind_number(b, &out->p[2], "beta", &bf16);

    if (st == OK) st = bind_number(b, &out->p[3], "eps", &bf16);
    if (st == OK) st = bind_number(b, &out->p[0], "alpha_p", &bf16);
    if (st == OK) out->p[0] = softplus(out->p[0], bf16);
    if (st == OK) st = bind_number(b, &out->p[1], "alpha_n", &bf16);
    if (st != OK) return st;
    out->p[1] = out->p[2] + softplus(out->p[1], bf16);
    if (bf16) out->p[1] = round_to_bf16(out->p[1]);
    return OK;
}

Status bind_activation(Binder *b, ActivationParams *out)
{
    bool bf16;

    *out = (ActivationParams){ { 0 } };
    if (b->model->config.ffn.activation == ACTIVATION_PRELU) return bind_number(b, &out->p[0], "weight", &bf16);
    if (b->model->config.ffn.activation == ACTIVATION_XIELU) return bind_xielu(b, out);
    return OK;
}
