/* family_bart.c - BART and the families that share its names and settings, as in transformers 4.57.1
 * (modeling_*.py, configuration_*.py under
 * models/marian, models/bart, models/mbart, models/m2m_100).
 *
 *           norms                    positions               logits
 * marian    post                     sinusoidal              + final_logits_bias
 * bart      post, of the embeddings  learned, from row 2     + final_logits_bias
 * mbart     pre, of the embeddings,  learned, from row 2     + final_logits_bias
 *           final
 * m2m_100   pre, final               sinusoidal, from row 2
 *
 * All use LayerNorm with eps 1e-5, and scale embeddings by sqrt(d_model) if scale_embedding is set.
 * NLLB and SMaLL-100 are m2m_100; mBART-50 is mbart. */
#include "family.h"

#include <math.h>

#define STACK(stack, tied)                                                                                             \
    {                                                                                                                  \
        .embeddings = { "model." stack ".embed_tokens.weight", tied },                                                 \
        .positions = { "model." stack ".embed_positions.weight" },                                                     \
        .embedding_norm = "model." stack ".layernorm_embedding", .final_norm = "model." stack ".layer_norm",           \
        .layer = "model." stack ".layers.{i}.",                                                                        \
        .self = { .query = "self_attn.q_proj",                                                                         \
                  .key = "self_attn.k_proj",                                                                           \
                  .value = "self_attn.v_proj",                                                                         \
                  .output = "self_attn.out_proj",                                                                      \
                  .norm = "self_attn_layer_norm" },                                                                    \
        .cross = { .query = "encoder_attn.q_proj",                                                                     \
                   .key = "encoder_attn.k_proj",                                                                       \
                   .value = "encoder_attn.v_proj",                                                                     \
                   .output = "encoder_attn.out_proj",                                                                  \
                   .norm = "encoder_attn_layer_norm" },                                                                \
        .ffn_in = "fc1", .ffn_out = "fc2", .ffn_norm = "final_layer_norm",                                             \
    }

static const TensorNames names = {
    .shared_embeddings = { "model.shared.weight", "model.decoder.embed_tokens.weight",
                           "model.encoder.embed_tokens.weight", "lm_head.weight" },
    .encoder = STACK("encoder", NULL),
    .decoder = STACK("decoder", "lm_head.weight"),
    .output = "lm_head.weight",
    .output_bias = "final_logits_bias",
    .norm_scale = ".weight",
    .norm_shift = ".bias",
    .activation = "activation_fn",
};

static Status read_stack(StackConfig *stack, JsonObject json, bool encoder, size_t d_model, Err *err)
{
    const char *heads = encoder ? "encoder_attention_heads" : "decoder_attention_heads";
    Status st =
        family_read_size(&stack->layers, json, encoder ? "encoder_layers" : "decoder_layers", FAMILY_MAX_LAYERS, err);

    if (st == OK) st = family_read_size(&stack->heads, json, heads, FAMILY_MAX_SIDE, err);
    if (st == OK)
        st = family_read_size(&stack->ffn, json, encoder ? "encoder_ffn_dim" : "decoder_ffn_dim", FAMILY_MAX_SIDE, err);
    if (st != OK) return st;
    if (d_model % stack->heads)
        return err_set(err, ERR_FORMAT, "%s: d_model (%zu) is not a multiple of %s (%zu)", json.file, d_model, heads,
                       stack->heads);
    stack->head_size = d_model / stack->heads;
    return OK;
}

/* Rejects a setting of old configurations that the model's code in transformers ignores: a model that needs it
 * would silently translate wrongly. `computed` is the value that the family implements. */
static Status refuse_ignored(JsonObject json, const char *key, bool computed, Err *err)
{
    bool set = computed;
    Status st = json_get_bool(json, key, &set, err);

    if (st == OK && set && !computed)
        st = err_set(err, ERR_UNSUPPORTED, "%s: %s is true, which dragoman does not support for %s models", json.file,
                     key, cJSON_GetStringValue(json_member(json, "model_type")));
    return st;
}

static Status check_ignored(const ModelConfig *config, JsonObject json, Err *err)
{
    Status st = refuse_ignored(json, "normalize_before", config->sublayer.pre_norm, err);

    if (st == OK) st = refuse_ignored(json, "normalize_embedding", config->embedding.has_layernorm, err);
    return st == OK ? refuse_ignored(json, "add_final_layer_norm", *config->sublayer.after_stack != STEP_END, err) : st;
}

/* `scale` is the family's default. */
static Status read_common(ModelConfig *config, JsonObject json, bool scale, Err *err)
{
    Status st = family_read_size(&config->d_model, json, "d_model", FAMILY_MAX_SIDE, err);

    if (st == OK) st = read_stack(&config->encoder, json, true, config->d_model, err);
    if (st == OK) st = read_stack(&config->decoder, json, false, config->d_model, err);
    if (st == OK) st = family_read_size(&config->encoder.vocab, json, "vocab_size", FAMILY_MAX_VOCAB, err);
    config->decoder.vocab = config->encoder.vocab;
    if (st == OK) {
        const char *name = NULL;
        st = json_get_string(json, "activation_function", &name, err);
        st = st == OK && name ? family_find_activation(&config->ffn.activation, name, "activation_function", json, err)
                              : st;
    }
    if (st == OK)
        st = json_get_size(json, "max_position_embeddings", 2, FAMILY_MAX_POSITIONS, &config->positions.max, err);
    if (st == OK) st = json_get_bool(json, "scale_embedding", &scale, err);
    if (st == OK) st = json_get_bool(json, "tie_word_embeddings", &config->output.tied, err);
    config->embedding.scale = scale ? (float)sqrt((double)config->d_model) : 1.0f;
    return st;
}

static Status read_marian(ModelConfig *config, JsonObject json, Err *err)
{
    Status st = read_common(config, json, false, err);

    if (st == OK) st = check_ignored(config, json, err);
    if (st == OK) st = json_get_bool(json, "share_encoder_decoder_embeddings", &config->embedding.shared, err);
    if (st != OK || config->embedding.shared) return st;
    return json_get_size(json, "decoder_vocab_size", 1, FAMILY_MAX_VOCAB, &config->decoder.vocab, err);
}

/* Handles configurations older than forced_bos_token_id. */
static Status read_forced_bos(ModelConfig *config, JsonObject json, Err *err)
{
    bool forced = false;
    int32_t bos = 0;
    Status st = json_get_bool(json, "force_bos_token_to_be_generated", &forced, err);

    if (st != OK || !forced) return st;
    st = json_get_id(json, "bos_token_id", 0, (int32_t)config->decoder.vocab - 1, &bos, err);
    config->defaults.forced_bos = bos;
    return st;
}

static Status read_bart(ModelConfig *config, JsonObject json, Err *err)
{
    Status st = read_common(config, json, false, err);

    if (st == OK) st = read_forced_bos(config, json, err);
    return st == OK ? check_ignored(config, json, err) : st;
}

static Status read_mbart(ModelConfig *config, JsonObject json, Err *err)
{
    return read_common(config, json, false, err);
}

/* Positions count from the padding id + 1; the padding token itself has position zero. */
static Status read_m2m100(ModelConfig *config, JsonObject json, Err *err)
{
    int32_t pad = 1;
    Status st = read_common(config, json, true, err);

    if (st == OK) st = json_get_id(json, "pad_token_id", 0, (int32_t)config->encoder.vocab - 1, &pad, err);
    config->positions.padding_id = pad;
    config->positions.offset = (size_t)pad + 1;
    return st;
}

#define COMMON(act)                                                                                                    \
    .names = &names, .embedding.shared = true, .positions.max = 1024, .positions.padding_id = -1,                      \
    .attention.use_bias = true, .ffn = { .activation = act, .use_bias = true },                                        \
    .norm = { .kind = NORM_LAYER, .eps = 1e-5f, .use_bias = true }, .output.scale = 1, .output.tied = true

#define POST_NORM .sublayer.after = { STEP_ADD, STEP_NORM }
#define PRE_NORM  .sublayer = { .pre_norm = true, .after = { STEP_ADD }, .after_stack = { STEP_NORM } }

const Family marian_family = {
    .name = "marian",
    .read = read_marian,
    .config = { COMMON(ACTIVATION_GELU), POST_NORM, .positions.kind = POSITIONS_HALVES, .output.use_bias = true,
                .alignment = { .layer_from_end = 1, .heads = 1 },
                .defaults = { .start = 58100, .eos = 0, .forced_bos = -1, .forced_eos = 0 } },
};

/* Learned positions start with two unused rows. */
const Family bart_family = {
    .name = "bart",
    .read = read_bart,
    .config = { COMMON(ACTIVATION_GELU), POST_NORM, .embedding.has_layernorm = true,
                .positions.kind = POSITIONS_LEARNED, .positions.offset = 2, .output.use_bias = true,
                .defaults = { .start = 2, .eos = 2, .forced_bos = -1, .forced_eos = 2 } },
};

/* The decoder starts with the target language. */
const Family mbart_family = {
    .name = "mbart",
    .read = read_mbart,
    .config = { COMMON(ACTIVATION_GELU), PRE_NORM, .embedding.has_layernorm = true, .positions.kind = POSITIONS_LEARNED,
                .positions.offset = 2, .output.use_bias = true,
                .defaults = { .start = -1, .eos = 2, .forced_bos = -1, .forced_eos = 2 } },
};

const Family m2m100_family = {
    .name = "m2m_100",
    .read = read_m2m100,
    .config = { COMMON(ACTIVATION_RELU), PRE_NORM, .positions.kind = POSITIONS_TENSOR2TENSOR,
                .defaults = { .start = 2, .eos = 2, .forced_bos = -1, .forced_eos = -1 } },
};
