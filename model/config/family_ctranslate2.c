/* family_ctranslate2.c - models that CTranslate2's converters made, of Marian,
 * M2M100, NLLB, BART, mBART, T5, OpenNMT and fairseq alike: store/ct2_config.c
 * has read from model.bin what its layers are. Search is CTranslate2's, with
 * the defaults of its TranslationOptions (include/ctranslate2/translation.h). */
#include "family.h"

#include <string.h>

#include "ct2_config.h"

#define DEFAULT_BEAMS      2
#define DEFAULT_MIN_LENGTH 1
#define DEFAULT_MAX_LENGTH 256

/* Sentences are longer in no model: CTranslate2's max_input_length. */
#define UNLIMITED_POSITIONS 1024

/* A larger distance makes no sense: the tables have an entry for each. */
#define MAX_DISTANCE 4096
#define MAX_BUCKETS  4096

#define STACK(stack, gate, in)                                                                                         \
    .positions = { stack "/position_encodings/encodings" }, .embedding_norm = stack "/layernorm_embedding",            \
    .final_norm = stack "/layer_norm", .layer = stack "/layer_{i}/",                                                   \
    .self = { .qkv = "self_attention/linear_0",                                                                        \
              .output = "self_attention/linear_1",                                                                     \
              .norm = "self_attention/layer_norm" },                                                                   \
    .ffn_gate = gate, .ffn_in = in, .ffn_out = "ffn/linear_1", .ffn_norm = "ffn/layer_norm",                           \
    .relative_bias = "self_attention/relative_attention_bias"

/* The gate is what the activation is of. */
#define NAMES(gate, in)                                                                                                \
    {                                                                                                                  \
        .shared_table = { "decoder/embeddings/weight" },                                                               \
        .encoder = { STACK("encoder", gate, in),                                                                       \
                     .table = { "encoder/embeddings_0/weight", "encoder/embeddings/weight" } },                        \
        .decoder = { STACK("decoder", gate, in), .table = { "decoder/embeddings/weight" },                             \
                     .cross = { .query = "attention/linear_0",                                                         \
                                .kv = "attention/linear_1",                                                            \
                                .output = "attention/linear_2",                                                        \
                                .norm = "attention/layer_norm" } },                                                    \
        .output = "decoder/projection/weight", .output_bias = "decoder/projection/bias", .weight = "/weight",          \
        .bias = "/bias", .norm_scale = "/gamma", .norm_shift = "/beta", .activation = "ffn/activation",                \
    }

static const TensorNames plain_names = NAMES(NULL, "ffn/linear_0");
static const TensorNames gated_names = NAMES("ffn/linear_0", "ffn/linear_0_noact");

static Status read_stacks(ModelConfig *config, JsonObject json, Err *err)
{
    StackConfig *encoder = &config->encoder, *decoder = &config->decoder;
    Status st = family_read_size(&config->d_model, json, "d_model", FAMILY_MAX_SIDE, err);

    if (st == OK) st = family_read_size(&encoder->heads, json, "heads", FAMILY_MAX_SIDE, err);
    if (st == OK) st = family_read_size(&encoder->head_size, json, "head_size", FAMILY_MAX_SIDE, err);
    decoder->heads = encoder->heads;
    decoder->head_size = encoder->head_size;
    if (st == OK) st = family_read_size(&encoder->layers, json, "encoder_layers", FAMILY_MAX_LAYERS, err);
    if (st == OK) st = family_read_size(&decoder->layers, json, "decoder_layers", FAMILY_MAX_LAYERS, err);
    if (st == OK) st = family_read_size(&encoder->ffn, json, "encoder_ffn", FAMILY_MAX_SIDE, err);
    if (st == OK) st = family_read_size(&decoder->ffn, json, "decoder_ffn", FAMILY_MAX_SIDE, err);
    if (st == OK) st = family_read_size(&encoder->vocab, json, "source_vocab_size", FAMILY_MAX_VOCAB, err);
    return st == OK ? family_read_size(&decoder->vocab, json, "target_vocab_size", FAMILY_MAX_VOCAB, err) : st;
}

static Status read_norms(ModelConfig *config, JsonObject json, Err *err)
{
    bool pre = true, rms = false, top = false;
    Status st = json_get_bool(json, "pre_norm", &pre, err);

    if (st == OK) st = json_get_bool(json, "rms_norm", &rms, err);
    if (st == OK) st = json_get_bool(json, "final_norm", &top, err);
    if (st == OK) st = json_get_bool(json, "embedding_norm", &config->embedding.has_layernorm, err);
    if (st == OK) st = json_get_float(json, "layer_norm_epsilon", 0, 1, &config->norm.eps, err);
    config->sublayer = sublayer_config(pre, top);
    config->norm.kind = rms ? NORM_RMS : NORM_LAYER;
    config->norm.use_bias = !rms;
    return st;
}

static Status read_rounding(ModelConfig *config, JsonObject json, Err *err)
{
    const char *word = "";
    Status st = json_get_string(json, CT2_ROW_ROUNDING, &word, err);

    if (strcmp(word, "thousandths") == 0) config->int8.row_rounding = ROWS_TO_THOUSANDTHS;
    if (strcmp(word, "cut to thousandths") == 0) config->int8.row_rounding = ROWS_CUT_TO_THOUSANDTHS;
    if (strcmp(word, CT2_ROUNDED_DOWN) == 0) config->int8.row_rounding = ROWS_DOWN;
    return st;
}

static Status read_layers(ModelConfig *config, JsonObject json, Err *err)
{
    const char *activation = "relu";
    Status st = json_get_string(json, "activation", &activation, err);

    if (st == OK) st = family_find_activation(&config->ffn.activation, activation, "activation", json, err);
    if (st == OK) st = json_get_bool(json, "gated", &config->ffn.is_gated, err);
    if (st == OK) st = json_get_bool(json, "attention_bias", &config->attention.use_bias, err);
    if (st == OK) st = json_get_bool(json, "ffn_bias", &config->ffn.use_bias, err);
    if (st == OK) st = json_get_bool(json, "output_bias", &config->output.use_bias, err);
    if (st == OK) st = json_get_float(json, "attention_scale", 0, 1e6, &config->attention.scale, err);
    config->names = config->ffn.is_gated ? &gated_names : &plain_names;
    return st;
}

static Status read_embeddings(ModelConfig *config, JsonObject json, Err *err)
{
    Status st;

    config->embedding.scale = config->output.scale = 1;
    config->int8.f32_kv_cache = true;
    config->positions.padding_id = -1;
    st = json_get_float(json, "embedding_scale", -1e6, 1e6, &config->embedding.scale, err);
    if (st == OK) st = json_get_float(json, "output_scale", -1e6, 1e6, &config->output.scale, err);
    if (st == OK) st = json_get_bool(json, "blank_start", &config->embedding.zero_start, err);
    if (st == OK) st = json_get_bool(json, "shared_embeddings", &config->embedding.shared, err);
    return st == OK ? json_get_bool(json, "tied_output", &config->output.tied, err) : st;
}

/* What is computed begins with position 1: SinusoidalPositionEncoder of
 * CTranslate2's src/layers/common.cc. */
static Status read_positions(ModelConfig *config, JsonObject json, Err *err)
{
    RelativeBiasConfig *bias = &config->attention.relative_bias;
    Status st = json_get_size(json, "relative_buckets", 4, MAX_BUCKETS, &bias->buckets, err);

    if (st == OK) st = json_get_size(json, "relative_max_distance", 1, MAX_DISTANCE, &bias->max_distance, err);
    if (st == OK) st = json_get_bool(json, "relative_every_layer", &bias->every_layer, err);
    if (st == OK && bias->buckets && bias->max_distance <= bias->buckets / 2)
        st = err_set(err, ERR_FORMAT,
                     "%s: relative_attention_max_distance (%zu) must be more than half of the %zu buckets", json.file,
                     bias->max_distance, bias->buckets);
    if (st != OK) return st;
    config->positions.max = UNLIMITED_POSITIONS;
    config->positions.allow_longer_table = true;
    config->positions.kind = bias->buckets                        ? POSITIONS_NONE
                             : json_member(json, "max_positions") ? POSITIONS_LEARNED
                                                                  : POSITIONS_TENSOR2TENSOR;
    if (config->positions.kind == POSITIONS_TENSOR2TENSOR) config->positions.offset = 1;
    st = json_get_size(json, "max_positions", 1, 1 << 30, &config->positions.max, err);
    if (config->positions.max > FAMILY_MAX_POSITIONS) config->positions.max = FAMILY_MAX_POSITIONS;
    return st;
}

static void set_search(SearchParams *search, size_t max_positions)
{
    *search = (SearchParams){ .rules = search_rules_ctranslate2,
                              .beams = DEFAULT_BEAMS,
                              .n_best = 1,
                              .min_length = DEFAULT_MIN_LENGTH,
                              .max_length = max_positions < DEFAULT_MAX_LENGTH ? max_positions : DEFAULT_MAX_LENGTH,
                              .length_penalty = 1,
                              .repetition_penalty = 1,
                              .encoder_repetition_penalty = 1,
                              .start = -1, /* the vocabulary knows these ids */
                              .forced_bos = -1 };
}

static Status read_ctranslate2(ModelConfig *config, JsonObject json, Err *err)
{
    Status st = read_stacks(config, json, err);

    if (st == OK) st = read_norms(config, json, err);
    if (st == OK) st = read_layers(config, json, err);
    if (st == OK) st = read_rounding(config, json, err);
    if (st == OK) st = read_embeddings(config, json, err);
    if (st == OK) st = read_positions(config, json, err);
    if (st == OK) set_search(&config->search, config->positions.max);
    return st;
}

const Family ctranslate2_family = {
    .name = CT2_MODEL_TYPE,
    .read = read_ctranslate2,
    .config.defaults = { .start = -1, .eos = -1, .forced_bos = -1, .forced_eos = -1 },
    .own_search = true,
};
