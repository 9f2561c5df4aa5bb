/* family_bart.c - BART and the families that share its names and settings, as in transformers 4.57.1
 * (modeling_*.py, configuration_*.py under
 * models/marian, models/bart, models/mbart, models/m2m_100, models/seamless_m4t, models/seamless_m4t_v2, models/fsmt).
 *
 *           norms                             positions               bias of the logits
 * marian    post-norm                         sinusoidal              final_logits_bias
 * bart      post-norm, embedding norm         learned, from row 2     final_logits_bias
 * mbart     pre-norm, embedding norm, final   learned, from row 2     final_logits_bias
 * m2m_100   pre-norm, final norm              sinusoidal, from row 2  none
 * fsmt      post-norm                         sinusoidal, from row 2  none
 * IndicTrans  as config.json says           sinusoidal, from row 2  none
 * seamless_m4t, seamless_m4t_v2: as m2m_100, with other names, and beside other models in the same files
 *
 * All use LayerNorm with eps 1e-5, and scale embeddings by sqrt(d_model) if scale_embedding is set.
 * NLLB and SMaLL-100 are m2m_100; mBART-50 is mbart. IndicTrans is IndicTrans2, whose code is not part of transformers:
 * huggingface_interface/modeling_indictrans.py of AI4Bharat/IndicTrans2 (MIT licence). */
#include "family.h"

#include <math.h>

#include "text.h"

#define STACK(stack, cross_attention, linears, ffn_norm, tied)                                                         \
    {                                                                                                                  \
        .embeddings = { stack ".embed_tokens.weight", tied }, .positions = { stack ".embed_positions.weight" },        \
        .embedding_norm = stack ".layernorm_embedding", .top.norm = stack ".layer_norm",                               \
        .layer = stack ".layers.{i}.",                                                                                 \
        .self = { .query = "self_attn.q_proj",                                                                         \
                  .key = "self_attn.k_proj",                                                                           \
                  .value = "self_attn.v_proj",                                                                         \
                  .output = "self_attn.out_proj",                                                                      \
                  .around.norm = "self_attn_layer_norm" },                                                             \
        .cross = { .query = cross_attention ".q_proj",                                                                 \
                   .key = cross_attention ".k_proj",                                                                   \
                   .value = cross_attention ".v_proj",                                                                 \
                   .output = cross_attention ".out_proj",                                                              \
                   .around.norm = cross_attention "_layer_norm" },                                                     \
        .ffn_in = linears "fc1", .ffn_out = linears "fc2", .ffn_around.norm = ffn_norm,                                \
    }

#define BART_STACK(stack, tied)     STACK("model." stack, "encoder_attn", "", "final_layer_norm", tied)
#define SEAMLESS_STACK(stack, tied) STACK("text_" stack, "cross_attention", "ffn.", "ffn_layer_norm", tied)

static const TensorNames names = {
    .shared_embeddings = { "model.shared.weight", "model.decoder.embed_tokens.weight",
                           "model.encoder.embed_tokens.weight", "lm_head.weight" },
    .encoder = BART_STACK("encoder", NULL),
    .decoder = BART_STACK("decoder", "lm_head.weight"),
    .output = "lm_head.weight",
    .output_bias = "final_logits_bias",
    .norm_scale = ".weight",
    .norm_shift = ".bias",
    .activation = "activation_fn",
};

static const TensorNames seamless_names = {
    .shared_embeddings = { "shared.weight", "text_decoder.embed_tokens.weight", "text_encoder.embed_tokens.weight",
                           "lm_head.weight" },
    .encoder = SEAMLESS_STACK("encoder", NULL),
    .decoder = SEAMLESS_STACK("decoder", "lm_head.weight"),
    .output = "lm_head.weight",
    .norm_scale = ".weight",
    .norm_shift = ".bias",
    .activation = "ffn.act",
    .other_models = { "speech_encoder.", "t2u_model.", "vocoder." },
};

/* transformers 4.57.1 ties the embeddings of the decoder to its output layer and stores the latter. transformers 5.24
 * does so only with tie_word_embeddings, and then ties the encoder, too; otherwise it stores both. */
static const TensorNames fsmt_names = {
    .shared_embeddings = { "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight",
                           "model.decoder.output_projection.weight" },
    .encoder = BART_STACK("encoder", NULL),
    .decoder = BART_STACK("decoder", "model.decoder.output_projection.weight"),
    .output = "model.decoder.output_projection.weight",
    .norm_scale = ".weight",
    .norm_shift = ".bias",
    .activation = "activation_fn",
};

static void read_stack(StackConfig *stack, JsonReader *r, bool encoder, const char *width, size_t d_model)
{
    const char *heads = encoder ? "encoder_attention_heads" : "decoder_attention_heads";

    family_read_size(r, encoder ? "encoder_layers" : "decoder_layers", FAMILY_MAX_LAYERS, &stack->layers);
    family_read_size(r, heads, FAMILY_MAX_SIDE, &stack->heads);
    family_read_size(r, encoder ? "encoder_ffn_dim" : "decoder_ffn_dim", FAMILY_MAX_SIDE, &stack->ffn);
    if (r->st != OK) return;
    if (d_model % stack->heads)
        json_fault(r, ERR_FORMAT, "%s (%zu) is not a multiple of %s (%zu)", width, d_model, heads, stack->heads);
    stack->head_size = d_model / stack->heads;
}

/* Rejects old settings that transformers ignores for this family, unless they have the value that the family
 * implements: a model that needs another value would silently translate wrongly. */
static void check_ignored(const ModelConfig *config, JsonReader *r)
{
    const struct {
        const char *key;
        bool computed;
    } ignored[] = { { "normalize_before", config->sublayer.pre_norm },
                    { "normalize_embedding", config->embedding.has_layernorm },
                    { "add_final_layer_norm", *config->sublayer.after_stack != STEP_END } };

    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
        bool set = ignored[i].computed;
        json_read_bool(r, ignored[i].key, &set);
        if (set && !ignored[i].computed)
            json_fault(r, ERR_UNSUPPORTED, "%s is true, which dragoman does not support for %s models", ignored[i].key,
                       cJSON_GetStringValue(json_member(r->json, "model_type")));
    }
}

/* Reads everything but the sizes of the vocabularies. `width` is the key of d_model. */
static void read_layers(ModelConfig *config, JsonReader *r, const char *width)
{
    const char *activation = NULL;
    bool scale = config->embedding.scale != 0; /* the family's default */

    family_read_size(r, width, FAMILY_MAX_SIDE, &config->d_model);
    read_stack(&config->encoder, r, true, width, config->d_model);
    read_stack(&config->decoder, r, false, width, config->d_model);
    json_read_string(r, "activation_function", &activation);
    if (activation) family_find_activation(r, "activation_function", activation, &config->ffn.activation);
    json_read_size(r, "max_position_embeddings", 2, FAMILY_MAX_POSITIONS, &config->positions.max);
    json_read_bool(r, "scale_embedding", &scale);
    json_read_bool(r, "tie_word_embeddings", &config->output.tied);
    config->embedding.scale = scale ? (float)sqrt((double)config->d_model) : 1.0f;
}

static void read_sizes(ModelConfig *config, JsonReader *r, const char *width)
{
    read_layers(config, r, width);
    family_read_size(r, "vocab_size", FAMILY_MAX_VOCAB, &config->encoder.vocab);
    config->decoder.vocab = config->encoder.vocab;
}

static void read_common(ModelConfig *config, JsonReader *r)
{
    read_sizes(config, r, "d_model");
}

static void read_marian(ModelConfig *config, JsonReader *r)
{
    read_common(config, r);
    check_ignored(config, r);
    json_read_bool(r, "share_encoder_decoder_embeddings", &config->embedding.shared);
    if (!config->embedding.shared) json_read_size(r, "decoder_vocab_size", 1, FAMILY_MAX_VOCAB, &config->decoder.vocab);
}

static void read_bart(ModelConfig *config, JsonReader *r)
{
    bool forced = false;

    read_common(config, r);
    /* Older configurations have this key instead of forced_bos_token_id. */
    json_read_bool(r, "force_bos_token_to_be_generated", &forced);
    if (forced) {
        config->defaults.forced_bos = 0;
        json_read_id(r, "bos_token_id", 0, (int32_t)config->decoder.vocab - 1, &config->defaults.forced_bos);
    }
    check_ignored(config, r);
}

/* The first position is the padding id + 1. Padding tokens have no position: zeros are added. */
static void read_padding(ModelConfig *config, JsonReader *r)
{
    json_read_id(r, "pad_token_id", 0, (int32_t)config->encoder.vocab - 1, &config->positions.padding_id);
    config->positions.offset = (size_t)config->positions.padding_id + 1;
}

static void read_m2m100(ModelConfig *config, JsonReader *r)
{
    read_common(config, r);
    read_padding(config, r);
}

static void read_seamless(ModelConfig *config, JsonReader *r)
{
    read_sizes(config, r, "hidden_size");
    read_padding(config, r);
}

/* The two stacks have their own keys for what they must have in common. */
static void read_indictrans(ModelConfig *config, JsonReader *r)
{
    const char *activation = NULL;
    bool scale = true, before = false, decoder_before = false;
    size_t decoder_width = 0;

    for (const cJSON *node = r->json.node->child; node; node = node->next)
        if (text_begins_with(node->string, "rope") && !cJSON_IsNull(node))
            json_fault(r, ERR_UNSUPPORTED, "%s: rotary positions are not supported", node->string);
    config->embedding.shared = config->output.tied = false;
    config->positions.max = 210;
    family_read_size(r, "encoder_embed_dim", FAMILY_MAX_SIDE, &config->d_model);
    family_read_size(r, "decoder_embed_dim", FAMILY_MAX_SIDE, &decoder_width);
    if (r->st == OK && decoder_width != config->d_model)
        json_fault(r, ERR_UNSUPPORTED, "encoder_embed_dim (%zu) and decoder_embed_dim (%zu) must be equal",
                   config->d_model, decoder_width);
    read_stack(&config->encoder, r, true, "encoder_embed_dim", config->d_model);
    read_stack(&config->decoder, r, false, "decoder_embed_dim", config->d_model);
    family_read_size(r, "encoder_vocab_size", FAMILY_MAX_VOCAB, &config->encoder.vocab);
    family_read_size(r, "decoder_vocab_size", FAMILY_MAX_VOCAB, &config->decoder.vocab);
    json_read_string(r, "activation_function", &activation);
    if (activation) family_find_activation(r, "activation_function", activation, &config->ffn.activation);
    json_read_bool(r, "encoder_normalize_before", &before);
    json_read_bool(r, "decoder_normalize_before", &decoder_before);
    if (r->st == OK && before != decoder_before)
        json_fault(r, ERR_UNSUPPORTED, "encoder_normalize_before and decoder_normalize_before must be equal");
    config->sublayer = sublayer_config(before, before);
    json_read_bool(r, "layernorm_embedding", &config->embedding.has_layernorm);
    json_read_bool(r, "scale_embedding", &scale);
    config->embedding.scale = scale ? (float)sqrt((double)config->d_model) : 1.0f;
    json_read_bool(r, "share_decoder_input_output_embed", &config->output.tied);
    json_read_size(r, "max_source_positions", 2, FAMILY_MAX_POSITIONS, &config->positions.max_source);
    json_read_size(r, "max_target_positions", 2, FAMILY_MAX_POSITIONS, &config->positions.max);
    read_padding(config, r);
}

/* With tie_word_embeddings, the stacks share their embeddings. */
static void read_fsmt(ModelConfig *config, JsonReader *r)
{
    bool shared = false;

    read_layers(config, r, "d_model");
    family_read_size(r, "src_vocab_size", FAMILY_MAX_VOCAB, &config->encoder.vocab);
    family_read_size(r, "tgt_vocab_size", FAMILY_MAX_VOCAB, &config->decoder.vocab);
    json_read_bool(r, "tie_word_embeddings", &shared);
    config->embedding.shared = shared;
    config->output.tied = true;
    config->output.is_own_if_stored = !shared;
    if (shared && config->encoder.vocab != config->decoder.vocab)
        json_fault(r, ERR_FORMAT, "tie_word_embeddings is true, but src_vocab_size and tgt_vocab_size differ");
    read_padding(config, r);
}

#define COMMON(table, act, pad)                                                                                        \
    .names = &table, .embedding.shared = true, .positions.max = 1024, .positions.padding_id = pad,                     \
    .attention.use_bias = true, .ffn = { .activation = act, .use_bias = true },                                        \
    .norm = { .kind = NORM_LAYER, .eps = 1e-5f, .use_bias = true }, .output.scale = 1, .output.tied = true

#define POST_NORM .sublayer.after = { STEP_ADD, STEP_NORM }
#define PRE_NORM  .sublayer = { .pre_norm = true, .after = { STEP_ADD }, .after_stack = { STEP_NORM } }

const Family marian_family = {
    .name = "marian",
    .read = read_marian,
    .config = { COMMON(names, ACTIVATION_GELU, -1), POST_NORM, .positions.kind = POSITIONS_HALVES,
                .output.use_bias = true, .alignment = { .layer_from_end = 1, .heads = 1 },
                .defaults = { .start = 58100, .eos = 0, .forced_bos = -1, .forced_eos = 0 } },
};

/* Learned positions start with two unused rows. */
const Family bart_family = {
    .name = "bart",
    .read = read_bart,
    .config = { COMMON(names, ACTIVATION_GELU, -1), POST_NORM, .embedding.has_layernorm = true,
                .positions.kind = POSITIONS_LEARNED, .positions.offset = 2, .output.use_bias = true,
                .defaults = { .start = 2, .eos = 2, .forced_bos = -1, .forced_eos = 2 } },
};

/* The first token of the decoder is that of the target language. */
const Family mbart_family = {
    .name = "mbart",
    .read = read_common,
    .config = { COMMON(names, ACTIVATION_GELU, -1), PRE_NORM, .embedding.has_layernorm = true,
                .positions.kind = POSITIONS_LEARNED, .positions.offset = 2, .output.use_bias = true,
                .defaults = { .start = -1, .eos = 2, .forced_bos = -1, .forced_eos = 2 } },
};

const Family m2m100_family = {
    .name = "m2m_100",
    .read = read_m2m100,
    .config = { COMMON(names, ACTIVATION_RELU, 1), PRE_NORM, .embedding.scale = 1,
                .positions.kind = POSITIONS_TENSOR2TENSOR,
                .defaults = { .start = 2, .eos = 2, .forced_bos = -1, .forced_eos = -1 } },
};

/* Text to text only. The token of the target language is a part of the decoder's prompt. */
#define SEAMLESS                                                                                                       \
    .read = read_seamless,                                                                                             \
    .config = { COMMON(seamless_names, ACTIVATION_RELU, 0), PRE_NORM, .embedding.scale = 1,                            \
                .positions.kind = POSITIONS_TENSOR2TENSOR,                                                             \
                .defaults = { .start = 3, .eos = 3, .forced_bos = -1, .forced_eos = -1, .prompt = 1 } }

const Family seamless_family = { .name = "seamless_m4t", SEAMLESS };
const Family seamless_v2_family = { .name = "seamless_m4t_v2", SEAMLESS };

/* The published models name no max_length. Their authors' programs ask for 256, with the start token. */
const Family indictrans_family = {
    .name = "IndicTrans",
    .read = read_indictrans,
    .config = { COMMON(names, ACTIVATION_RELU, 1), .positions.max_source = 210,
                .positions.kind = POSITIONS_TENSOR2TENSOR,
                .defaults = { .start = 2, .eos = 2, .forced_bos = -1, .forced_eos = -1, .length = 255 } },
};

const Family fsmt_family = {
    .name = "fsmt",
    .read = read_fsmt,
    .config = { COMMON(fsmt_names, ACTIVATION_RELU, 1), POST_NORM, .embedding.scale = 1,
                .positions.kind = POSITIONS_TENSOR2TENSOR,
                .defaults = { .start = 2,
                              .eos = 2,
                              .forced_bos = -1,
                              .forced_eos = 2,
                              .config_beams = 5,
                              .config_length = 200 } },
};
