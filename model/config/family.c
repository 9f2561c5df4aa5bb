/* family.c - what the families of models share: see family.h. config.c has the table of the families. */
#include "family.h"

#include <string.h>

SublayerConfig sublayer_config(bool pre_norm, bool final_norm)
{
    return (SublayerConfig){ .pre_norm = pre_norm,
                             .after = { STEP_ADD, pre_norm ? STEP_END : STEP_NORM },
                             .after_stack = { final_norm ? STEP_NORM : STEP_END } };
}

void family_set_defaults(ModelConfig *out, const Family *family)
{
    *out = family->config;
    if (!out->alignment.layer_from_end) out->alignment = (AlignmentConfig){ .layer_from_end = 2 };
    out->family = family;
}

/* ACT2FN of transformers 4.57.1, activations.py. */
static const struct {
    const char *name;
    Activation activation;
} activations[] = {
    { "relu", ACTIVATION_RELU },
    { "swish", ACTIVATION_SWISH },
    { "silu", ACTIVATION_SWISH },
    { "gelu", ACTIVATION_GELU },
    { "gelu_python", ACTIVATION_GELU },
    { "gelu_10", ACTIVATION_GELU_10 },
    { "gelu_new", ACTIVATION_GELU_TANH },
    { "gelu_fast", ACTIVATION_GELU_TANH },
    { "gelu_accurate", ACTIVATION_GELU_TANH },
    { "gelu_pytorch_tanh", ACTIVATION_GELU_TANH },
    { "gelu_python_tanh", ACTIVATION_GELU_TANH },
    { "quick_gelu", ACTIVATION_QUICK_GELU },
    { "tanh", ACTIVATION_TANH },
    { "sigmoid", ACTIVATION_SIGMOID },
    { "relu6", ACTIVATION_RELU6 },
    { "relu2", ACTIVATION_RELU2 },
    { "leaky_relu", ACTIVATION_LEAKY_RELU },
    { "mish", ACTIVATION_MISH },
    { "laplace", ACTIVATION_LAPLACE },
    { "linear", ACTIVATION_LINEAR },
    { "prelu", ACTIVATION_PRELU },
    { "xielu", ACTIVATION_XIELU },
};

Status family_find_activation(Activation *out, const char *name, const char *key, JsonObject json, Err *err)
{
    for (size_t i = 0; i < sizeof activations / sizeof *activations; i++)
        if (strcmp(activations[i].name, name) == 0) {
            *out = activations[i].activation;
            return OK;
        }
    return err_set(err, ERR_UNSUPPORTED, "%s: %s \"%s\" is not supported", json.file, key, name);
}

Status family_read_size(size_t *out, JsonObject json, const char *key, size_t most, Err *err)
{
    Status st = json_require(json, key, err);

    return st == OK ? json_get_size(json, key, 1, most, out, err) : st;
}
