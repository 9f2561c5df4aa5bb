/* family_t5.c - T5, mT5 and UMT5 (MADLAD-400 is T5), as in transformers 4.57.1 (models/t5/modeling_t5.py,
 * models/umt5/modeling_umt5.py).
 * Pre-norm and a final norm, RMS without bias; no bias anywhere; q.k is not scaled; heads * d_kv may differ from
 * d_model. Positions are biases of self-attention scores by distance, shared by all layers (UMT5: one set per layer).
 * The feed-forward may be gated; "gated-gelu" means the tanh form. Before a tied output layer, the decoder's output is
 * multiplied by d_model^-0.5.
 * Version 5 of transformers writes tie_word_embeddings: true for every model. In its files a separate key,
 * scale_decoder_outputs, decides on the multiplication (mT5 lacks the key and never multiplies), and a stored output
 * layer is used if its values differ from those of the embeddings. */
#include "family.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define SELF_ATTENTION                                                                                                 \
    {                                                                                                                  \
        .query = "layer.0.SelfAttention.q", .key = "layer.0.SelfAttention.k", .value = "layer.0.SelfAttention.v",      \
        .output = "layer.0.SelfAttention.o", .around.norm = "layer.0.layer_norm"                                       \
    }

#define STACK(stack)                                                                                                   \
    .top.norm = stack ".final_layer_norm", .layer = stack ".block.{i}.", .self = SELF_ATTENTION,                       \
    .relative_bias = "layer.0.SelfAttention.relative_attention_bias.weight"

#define FEED_FORWARD(layer, in)                                                                                        \
    .ffn_gate = layer ".DenseReluDense.wi_0", .ffn_in = layer ".DenseReluDense." in,                                   \
    .ffn_out = layer ".DenseReluDense.wo", .ffn_around.norm = layer ".layer_norm"

#define NAMES(in)                                                                                                      \
    {                                                                                                                  \
        .shared_embeddings = { "shared.weight", "decoder.embed_tokens.weight", "encoder.embed_tokens.weight",          \
                               "lm_head.weight" },                                                                     \
        .encoder = { STACK("encoder"), FEED_FORWARD("layer.1", in) },                                                  \
        .decoder = { STACK("decoder"), FEED_FORWARD("layer.2", in),                                                    \
                     .cross = { .query = "layer.1.EncDecAttention.q",                                                  \
                                .key = "layer.1.EncDecAttention.k",                                                    \
                                .value = "layer.1.EncDecAttention.v",                                                  \
                                .output = "layer.1.EncDecAttention.o",                                                 \
                                .around.norm = "layer.1.layer_norm" } },                                               \
        .output = "lm_head.weight", .norm_scale = ".weight", .norm_shift = ".bias", .activation = "act",               \
    }

static const TensorNames plain_names = NAMES("wi"), gated_names = NAMES("wi_1");

static void read_config(ModelConfig *config, JsonReader *r)
{
    StackConfig *encoder = &config->encoder, *decoder = &config->decoder;
    RelativeBiasConfig *bias = &config->attention.relative_bias;
    OutputConfig *output = &config->output;
    const char *form = config->ffn.is_gated ? "gated-gelu" : "relu", *activation, *version = "";
    const char *activation_key = json_member(r->json, "dense_act_fn") ? "dense_act_fn" : "feed_forward_proj";
    bool is_scaled;

    family_read_size(r, "d_model", FAMILY_MAX_SIDE, &config->d_model);
    family_read_size(r, "num_layers", FAMILY_MAX_LAYERS, &encoder->layers);
    family_read_size(r, "num_heads", FAMILY_MAX_SIDE, &encoder->heads);
    family_read_size(r, "d_kv", FAMILY_MAX_SIDE, &encoder->head_size);
    family_read_size(r, "d_ff", FAMILY_MAX_SIDE, &encoder->ffn);
    family_read_size(r, "vocab_size", FAMILY_MAX_VOCAB, &encoder->vocab);
    *decoder = *encoder;
    json_read_size(r, "num_decoder_layers", 1, FAMILY_MAX_LAYERS, &decoder->layers);
    if (stack_width(encoder) > FAMILY_MAX_SIDE)
        json_fault(r, ERR_FORMAT, "num_heads * d_kv is %zu, more than %d", stack_width(encoder), FAMILY_MAX_SIDE);

    /* The value is ACTIVATION or gated-ACTIVATION: "relu", "gated-gelu". The keys is_gated_act and dense_act_fn, which
     * transformers also writes, take precedence. */
    json_read_string(r, "feed_forward_proj", &form);
    config->ffn.is_gated = text_begins_with(form, "gated-");
    activation = strcmp(form, "gated-gelu") == 0 ? "gelu_new" : config->ffn.is_gated ? form + 6 : form;
    json_read_bool(r, "is_gated_act", &config->ffn.is_gated);
    json_read_string(r, "dense_act_fn", &activation);
    config->names = config->ffn.is_gated ? &gated_names : &plain_names;
    family_find_activation(r, activation_key, activation, &config->ffn.activation);

    json_read_size(r, "relative_attention_num_buckets", 4, FAMILY_MAX_BUCKETS, &bias->buckets);
    json_read_size(r, "relative_attention_max_distance", 1, FAMILY_MAX_DISTANCE, &bias->max_distance);
    if (bias->max_distance <= bias->buckets / 2)
        json_fault(r, ERR_FORMAT,
                   "relative_attention_max_distance (%zu) must be more than half of "
                   "relative_attention_num_buckets (%zu)",
                   bias->max_distance, bias->buckets);
    json_read_float(r, "layer_norm_epsilon", 0, 1, &config->norm.eps);

    json_read_bool(r, "tie_word_embeddings", &output->tied);
    is_scaled = output->tied;
    json_read_bool(r, "scale_decoder_outputs", &is_scaled);
    json_read_string(r, "transformers_version", &version);
    output->is_own_if_stored = output->tied && strtol(version, NULL, 10) >= 5;
    output->scale = is_scaled ? (float)pow((double)config->d_model, -0.5) : 1;
}

/* In files of transformers 5, tie_word_embeddings of mT5 does not mean that the decoder's output is multiplied. */
static void read_mt5_config(ModelConfig *config, JsonReader *r)
{
    read_config(config, r);
    if (config->output.is_own_if_stored) config->output.scale = 1;
}

#define FAMILY(type, reader, gated, tie, every)                                                                        \
    {                                                                                                                  \
        .name = type, .read = reader,                                                                                  \
        .config = { .embedding = { .scale = 1, .shared = true },                                                       \
                    .positions.padding_id = -1,                                                                        \
                    .attention = { .scale = 1, .relative_bias = { 32, 128, every } },                                  \
                    .ffn.is_gated = gated,                                                                             \
                    .norm = { .kind = NORM_RMS, .eps = 1e-6f },                                                        \
                    .sublayer = { .pre_norm = true, .after = { STEP_ADD }, .after_stack = { STEP_NORM } },             \
                    .output.tied = tie,                                                                                \
                    .defaults = { .start = 0, .eos = 1, .forced_bos = -1, .forced_eos = -1 } },                        \
    }

const Family t5_family = FAMILY("t5", read_config, false, true, false);
const Family mt5_family = FAMILY("mt5", read_mt5_config, true, false, false);
const Family umt5_family = FAMILY("umt5", read_config, true, true, true);
