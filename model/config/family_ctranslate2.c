/* family_ctranslate2.c - models made by CTranslate2's converters from Marian, M2M100, NLLB, BART, mBART,
 * T5, OpenNMT and fairseq. Their differences are in model.bin (ct2_config.h); a packed model keeps a
 * record of them (ct2_record.c). The search follows CTranslate2, with the defaults of its
 * TranslationOptions (include/ctranslate2/translation.h). */
#include "family.h"

#include "ct2_config.h"

#define DEFAULT_BEAMS      2
#define DEFAULT_MIN_LENGTH 1
#define DEFAULT_MAX_LENGTH 256

/* Limit for models without stored positions: CTranslate2's default max_input_length. */
#define UNLIMITED_POSITIONS 1024

#define STACK(stack, gate, in)                                                                                         \
    .positions = { stack "/position_encodings/encodings" }, .embedding_norm = stack "/layernorm_embedding",            \
    .final_norm = stack "/layer_norm", .layer = stack "/layer_{i}/",                                                   \
    .self = { .qkv = "self_attention/linear_0",                                                                        \
              .output = "self_attention/linear_1",                                                                     \
              .norm = "self_attention/layer_norm" },                                                                   \
    .ffn_gate = gate, .ffn_in = in, .ffn_out = "ffn/linear_1", .ffn_norm = "ffn/layer_norm",                           \
    .relative_bias = "self_attention/relative_attention_bias"

/* `gate` is the linear layer before the activation. */
#define NAMES(gate, in)                                                                                                \
    {                                                                                                                  \
        .shared_embeddings = { "decoder/embeddings/weight" },                                                          \
        .encoder = { STACK("encoder", gate, in),                                                                       \
                     .embeddings = { "encoder/embeddings_0/weight", "encoder/embeddings/weight" } },                   \
        .decoder = { STACK("decoder", gate, in), .embeddings = { "decoder/embeddings/weight" },                        \
                     .cross = { .query = "attention/linear_0",                                                         \
                                .kv = "attention/linear_1",                                                            \
                                .output = "attention/linear_2",                                                        \
                                .norm = "attention/layer_norm" } },                                                    \
        .output = "decoder/projection/weight", .output_bias = "decoder/projection/bias", .weight = "/weight",          \
        .bias = "/bias", .may_lack_bias = true, .norm_scale = "/gamma", .norm_shift = "/beta",                         \
        .activation = "ffn/activation",                                                                                \
    }

static const TensorNames plain_names = NAMES(NULL, "ffn/linear_0");
static const TensorNames gated_names = NAMES("ffn/linear_0", "ffn/linear_0_noact");

/* Computed positions start at 1, as in SinusoidalPositionEncoder of CTranslate2's src/layers/common.cc. */
static void set_positions(PositionConfig *positions, bool has_bias)
{
    positions->kind = has_bias ? POSITIONS_NONE : positions->max ? POSITIONS_LEARNED : POSITIONS_TENSOR2TENSOR;
    if (positions->kind == POSITIONS_TENSOR2TENSOR) positions->offset = 1;
    if (!positions->max) positions->max = UNLIMITED_POSITIONS;
    if (positions->max > FAMILY_MAX_POSITIONS) positions->max = FAMILY_MAX_POSITIONS;
    positions->allow_more_rows = true;
    positions->padding_id = -1;
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

/* Derives settings from the record. */
static void complete(ModelConfig *config, const Ct2Record *record)
{
    *config = record->config;
    config->decoder.heads = config->encoder.heads;
    config->decoder.head_size = config->encoder.head_size;
    config->sublayer = sublayer_config(record->pre_norm, record->final_norm);
    config->norm.kind = record->rms_norm ? NORM_RMS : NORM_LAYER;
    config->norm.use_bias = !record->rms_norm;
    config->names = config->ffn.is_gated ? &gated_names : &plain_names;
    config->int8.f32_kv_cache = true;
    set_positions(&config->positions, config->attention.relative_bias.buckets);
    set_search(&config->search, config->positions.max);
}

Status family_ctranslate2_read(ModelConfig *config, ModelFolder *folder, Err *err)
{
    Ct2Record record = { .config = *config };
    Status st = ct2_config_read(&record, folder, err);

    if (st == OK) complete(config, &record);
    return st;
}

const Family ctranslate2_family = {
    .name = CT2_MODEL_TYPE,
    .config = { .alignment = { .layer_from_end = 1, .heads = 1 },
                .defaults = { .start = -1, .eos = -1, .forced_bos = -1, .forced_eos = -1 } },
    .own_search = true,
};
