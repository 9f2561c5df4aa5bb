/* family_marian.c - the Marian family, as transformers 4.57.1 computes it
 * (models/marian/modeling_marian.py, configuration_marian.py).
 * Post-norm with LayerNorm (eps 1e-5) after each residual sum; sinusoidal
 * positions; embeddings times sqrt(d_model) if scale_embedding; logits =
 * output layer + final_logits_bias. */
#include "family_marian.h"

#include <math.h>
#include <string.h>

/* Beyond these no model exists; a larger number is a broken file. */
#define MAX_LAYERS    1000
#define MAX_SIDE      (1 << 20)
#define MAX_VOCAB     (1 << 24)
#define MAX_POSITIONS (1 << 14)

static const TensorNames names = {
    .shared_table = { "model.shared.weight", "model.decoder.embed_tokens.weight", "model.encoder.embed_tokens.weight",
                      "lm_head.weight" },
    .encoder_table = { "model.encoder.embed_tokens.weight" },
    .decoder_table = { "model.decoder.embed_tokens.weight", "lm_head.weight" },
    .output = "lm_head.weight",
    .output_bias = "final_logits_bias",
    .encoder_positions = "model.encoder.embed_positions.weight",
    .decoder_positions = "model.decoder.embed_positions.weight",
    .encoder_layer = "model.encoder.layers.%zu.",
    .decoder_layer = "model.decoder.layers.%zu.",
    .self_query = "self_attn.q_proj",
    .self_key = "self_attn.k_proj",
    .self_value = "self_attn.v_proj",
    .self_output = "self_attn.out_proj",
    .self_norm = "self_attn_layer_norm",
    .cross_query = "encoder_attn.q_proj",
    .cross_key = "encoder_attn.k_proj",
    .cross_value = "encoder_attn.v_proj",
    .cross_output = "encoder_attn.out_proj",
    .cross_norm = "encoder_attn_layer_norm",
    .ffn_in = "fc1",
    .ffn_out = "fc2",
    .ffn_norm = "final_layer_norm",
    .activation = "activation_fn",
};

/* ACT2FN of transformers/activations.py. */
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

static Status read_activation(Activation *out, JsonObject json, Err *err)
{
    const char *name = "gelu"; /* MarianConfig's default */
    Status st = json_get_string(json, "activation_function", &name, err);

    if (st != OK) return st;
    for (size_t i = 0; i < sizeof activations / sizeof *activations; i++)
        if (strcmp(activations[i].name, name) == 0) {
            *out = activations[i].activation;
            return OK;
        }
    return err_set(err, ERR_UNSUPPORTED, "%s: activation_function \"%s\" is not supported", json.file, name);
}

static Status read_stack(StackConfig *stack, JsonObject json, bool encoder, size_t d_model, Err *err)
{
    const char *layers = encoder ? "encoder_layers" : "decoder_layers";
    const char *heads = encoder ? "encoder_attention_heads" : "decoder_attention_heads";
    const char *ffn = encoder ? "encoder_ffn_dim" : "decoder_ffn_dim";
    Status st = json_require(json, layers, err);

    if (st == OK) st = json_require(json, heads, err);
    if (st == OK) st = json_require(json, ffn, err);
    if (st == OK) st = json_get_size(json, layers, 1, MAX_LAYERS, &stack->layers, err);
    if (st == OK) st = json_get_size(json, heads, 1, MAX_SIDE, &stack->heads, err);
    if (st == OK) st = json_get_size(json, ffn, 1, MAX_SIDE, &stack->ffn, err);
    if (st != OK) return st;
    if (d_model % stack->heads)
        return err_set(err, ERR_FORMAT, "%s: d_model (%zu) is not a multiple of %s (%zu)", json.file, d_model, heads,
                       stack->heads);
    stack->head_size = d_model / stack->heads;
    return OK;
}

/* Settings that old configurations carry and that no published code computes:
 * a model that needs them would translate wrongly without a word. */
static Status refuse_ignored(JsonObject json, Err *err)
{
    static const char *const keys[] = { "normalize_before", "normalize_embedding", "add_final_layer_norm",
                                        "tie_encoder_decoder" };
    Status st = OK;

    for (size_t i = 0; st == OK && i < sizeof keys / sizeof *keys; i++) {
        bool set = false;
        st = json_get_bool(json, keys[i], &set, err);
        if (st == OK && set)
            st = err_set(err, ERR_UNSUPPORTED, "%s: %s is true, which Marian models in this form do not have",
                         json.file, keys[i]);
    }
    return st;
}

static Status read_vocabularies(ModelConfig *config, JsonObject json, Err *err)
{
    Status st = json_require(json, "vocab_size", err);

    config->shared_embeddings = true;
    config->tied_output = true;
    config->output_bias = true;
    if (st == OK) st = json_get_bool(json, "share_encoder_decoder_embeddings", &config->shared_embeddings, err);
    if (st == OK) st = json_get_bool(json, "tie_word_embeddings", &config->tied_output, err);
    if (st == OK) st = json_get_size(json, "vocab_size", 1, MAX_VOCAB, &config->encoder.vocab, err);
    config->decoder.vocab = config->encoder.vocab;
    if (st == OK) st = json_get_size(json, "decoder_vocab_size", 1, MAX_VOCAB, &config->decoder.vocab, err);
    if (config->shared_embeddings) config->decoder.vocab = config->encoder.vocab;
    return st;
}

static Status read_config(ModelConfig *config, JsonObject json, Err *err)
{
    bool scale = false;
    Status st = json_require(json, "d_model", err);

    config->norm = NORM_LAYER;
    config->norm_place = NORM_POST;
    config->norm_eps = 1e-5f;
    config->positions = POSITIONS_SINUSOIDAL;
    config->max_positions = 1024; /* MarianConfig's default */
    if (st == OK) st = refuse_ignored(json, err);
    if (st == OK) st = json_get_size(json, "d_model", 1, MAX_SIDE, &config->d_model, err);
    if (st == OK) st = read_stack(&config->encoder, json, true, config->d_model, err);
    if (st == OK) st = read_stack(&config->decoder, json, false, config->d_model, err);
    if (st == OK) st = read_vocabularies(config, json, err);
    if (st == OK) st = read_activation(&config->activation, json, err);
    if (st == OK) st = json_get_size(json, "max_position_embeddings", 2, MAX_POSITIONS, &config->max_positions, err);
    if (st == OK) st = json_get_bool(json, "scale_embedding", &scale, err);
    config->embedding_scale = scale ? (float)sqrt((double)config->d_model) : 1.0f;
    return st;
}

const Family marian_family = {
    .name = "marian",
    .names = &names,
    .read = read_config,
    .default_start = 58100,
    .default_eos = 0,
    .default_forced_eos = 0,
};
