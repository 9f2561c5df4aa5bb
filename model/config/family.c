/* family.c - functions that the readers of several families call: see family.h. config.c has the list of the
 * families. */
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

/* The names are those of ACT2FN in activations.py of transformers 4.57.1. */
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

void family_find_activation(JsonReader *r, const char *key, const char *name, Activation *out)
{
    if (r->st != OK) return;
    for (size_t i = 0; i < sizeof activations / sizeof *activations; i++)
        if (strcmp(activations[i].name, name) == 0) {
            *out = activations[i].activation;
            return;
        }
    json_fault(r, ERR_UNSUPPORTED, "%s \"%s\" is not supported", key, name);
}
