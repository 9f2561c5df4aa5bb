/* ct2_record.c - the record of ct2_config.h, driven by a list of its fields. */
#include "ct2_config.h"

#include <stddef.h>
#include <string.h>

#include "ct2_tokens.h"
#include "family.h"

#define MAX_FACTOR 1e6

/* Limit of max_distance: the biases have one entry per distance. */
#define MAX_DISTANCE 4096
#define MAX_BUCKETS  4096

static const char *const activations[ACTIVATION_COUNT] = {
    [ACTIVATION_RELU] = "relu",       [ACTIVATION_GELU_TANH] = "gelu_new",    [ACTIVATION_SWISH] = "swish",
    [ACTIVATION_GELU] = "gelu",       [ACTIVATION_QUICK_GELU] = "quick_gelu", [ACTIVATION_TANH] = "tanh",
    [ACTIVATION_SIGMOID] = "sigmoid",
};

static const char *const roundings[] = { "none", "thousandths", "cut to thousandths", "down" }; /* RowRounding */

/* FIELD_OPTIONAL: a size that is 0 if the model lacks the part. FIELD_WORD: an enum. */
typedef enum { FIELD_SIZE, FIELD_OPTIONAL, FIELD_REAL, FIELD_FLAG, FIELD_WORD } FieldKind;

typedef struct {
    const char *key;
    FieldKind kind;
    size_t offset;    /* within Ct2Record */
    double low, high; /* inclusive limits */
    const char *const *words;
} Field;

#define SIZE(at, most)          FIELD_SIZE, offsetof(Ct2Record, at), 1, most, NULL
#define OPTIONAL(at, low, high) FIELD_OPTIONAL, offsetof(Ct2Record, at), low, high, NULL
#define REAL(at, low, high)     FIELD_REAL, offsetof(Ct2Record, at), low, high, NULL
#define FLAG(at)                FIELD_FLAG, offsetof(Ct2Record, at), 0, 1, NULL
#define WORD(at, count, words)  FIELD_WORD, offsetof(Ct2Record, at), 0, (count)-1, words

static const Field fields[] = {
    { "d_model", SIZE(config.d_model, FAMILY_MAX_SIDE) },
    { "source_vocab_size", SIZE(config.encoder.vocab, FAMILY_MAX_VOCAB) },
    { "target_vocab_size", SIZE(config.decoder.vocab, FAMILY_MAX_VOCAB) },
    { "heads", SIZE(config.encoder.heads, FAMILY_MAX_SIDE) },
    { "head_size", SIZE(config.encoder.head_size, FAMILY_MAX_SIDE) },
    { "encoder_layers", SIZE(config.encoder.layers, FAMILY_MAX_LAYERS) },
    { "encoder_ffn", SIZE(config.encoder.ffn, FAMILY_MAX_SIDE) },
    { "decoder_layers", SIZE(config.decoder.layers, FAMILY_MAX_LAYERS) },
    { "decoder_ffn", SIZE(config.decoder.ffn, FAMILY_MAX_SIDE) },
    { "shared_embeddings", FLAG(config.embedding.shared) },
    { "tied_output", FLAG(config.output.tied) },
    { "pre_norm", FLAG(pre_norm) },
    { "rms_norm", FLAG(rms_norm) },
    { "final_norm", FLAG(final_norm) },
    { "embedding_norm", FLAG(config.embedding.has_layernorm) },
    { "layer_norm_epsilon", REAL(config.norm.eps, 0, 1) },
    { "activation", WORD(config.ffn.activation, ACTIVATION_COUNT, activations) },
    { "gated", FLAG(config.ffn.is_gated) },
    { "attention_bias", FLAG(config.attention.use_bias) },
    { "ffn_bias", FLAG(config.ffn.use_bias) },
    { "output_bias", FLAG(config.output.use_bias) },
    { "attention_scale", REAL(config.attention.scale, 0, MAX_FACTOR) },
    { "row_rounding", WORD(config.int8.row_rounding, ROWS_DOWN + 1, roundings) },
    { "embedding_scale", REAL(config.embedding.scale, -MAX_FACTOR, MAX_FACTOR) },
    { "output_scale", REAL(config.output.scale, -MAX_FACTOR, MAX_FACTOR) },
    { "blank_start", FLAG(config.embedding.zero_start) },
    { "relative_buckets", OPTIONAL(config.attention.relative_bias.buckets, 4, MAX_BUCKETS) },
    { "relative_max_distance", OPTIONAL(config.attention.relative_bias.max_distance, 1, MAX_DISTANCE) },
    { "relative_every_layer", FLAG(config.attention.relative_bias.every_layer) },
    { "alignment_layer_from_end", OPTIONAL(config.alignment.layer_from_end, 1, FAMILY_MAX_LAYERS) },
    { "alignment_heads", OPTIONAL(config.alignment.heads, 1, FAMILY_MAX_SIDE) },
    { "max_positions", OPTIONAL(config.positions.max, 1, 1 << 30) },
};

#define FIELDS (sizeof fields / sizeof *fields)

static Status check_field(const Field *f, const void *value, const char *path, Err *err)
{
    const bool is_real = f->kind == FIELD_REAL;
    const double number = is_real ? (double)*(const float *)value : (double)*(const size_t *)value;

    if ((number >= f->low && number <= f->high) || (number == 0 && f->kind == FIELD_OPTIONAL)) return OK;
    return err_set(err, ERR_FORMAT, "%s: %s must be a %snumber from %.10g to %.10g", path, f->key,
                   is_real ? "" : "whole ", f->low, f->high);
}

Status ct2_record_check(const Ct2Record *record, const char *path, Err *err)
{
    const RelativeBiasConfig *bias = &record->config.attention.relative_bias;
    Status st = OK;

    for (const Field *f = fields; st == OK && f < fields + FIELDS; f++)
        if (f->kind <= FIELD_REAL) st = check_field(f, (const char *)record + f->offset, path, err);
    if (st != OK || !bias->buckets || bias->max_distance > bias->buckets / 2) return st;
    return err_set(err, ERR_FORMAT,
                   "%s: relative_attention_max_distance (%zu) must be more than half of the %zu buckets", path,
                   bias->max_distance, bias->buckets);
}

static Status read_word(int *out, const Field *f, JsonObject json, Err *err)
{
    const char *text = NULL;
    Status st = json_get_string(json, f->key, &text, err);

    if (st != OK || !text) return st;
    for (*out = 0; *out <= (int)f->high; ++*out)
        if (f->words[*out] && strcmp(f->words[*out], text) == 0) return OK;
    return err_set(err, ERR_UNSUPPORTED, "%s: %s \"%s\" is not supported", json.file, f->key, text);
}

static Status read_field(void *out, const Field *f, JsonObject json, Err *err)
{
    Status st = f->kind == FIELD_SIZE ? json_require(json, f->key, err) : OK;

    if (st != OK) return st;
    if (f->kind == FIELD_FLAG) return json_get_bool(json, f->key, out, err);
    if (f->kind == FIELD_REAL) return json_get_float(json, f->key, f->low, f->high, out, err);
    if (f->kind == FIELD_WORD) return read_word(out, f, json, err);
    return json_get_size(json, f->key, (size_t)f->low, (size_t)f->high, out, err);
}

Status ct2_record_read(Ct2Record *out, JsonObject json, Err *err)
{
    Status st = OK;

    for (const Field *f = fields; st == OK && f < fields + FIELDS; f++)
        st = read_field((char *)out + f->offset, f, json, err);
    return st == OK ? ct2_record_check(out, json.file, err) : st;
}

/* Returns NULL when out of memory. */
static cJSON *new_value(const Field *f, const void *value)
{
    if (f->kind == FIELD_FLAG) return cJSON_CreateBool(*(const bool *)value);
    if (f->kind == FIELD_REAL) return cJSON_CreateNumber((double)*(const float *)value);
    if (f->kind == FIELD_WORD) return cJSON_CreateString(f->words[*(const int *)value]);
    return *(const size_t *)value ? cJSON_CreateNumber((double)*(const size_t *)value) : cJSON_CreateNull();
}

Status ct2_record_print(char **out, const Ct2Record *record, ModelFolder *folder, Err *err)
{
    JsonObject config;
    Ct2Tokens tokens;
    cJSON *json = NULL;
    Status st = model_folder_json(folder, "config.json", &config, err);

    *out = NULL;
    if (st == OK) st = ct2_tokens_read(&tokens, folder, err);
    if (st != OK) return st;
    json = config.node ? cJSON_Duplicate(config.node, true) : cJSON_CreateObject();
    st = json_put(json, "model_type", cJSON_CreateString(CT2_MODEL_TYPE), err);
    for (const Field *f = fields; st == OK && f < fields + FIELDS; f++)
        st = json_put(json, f->key, new_value(f, (const char *)record + f->offset), err);
    if (st == OK) st = ct2_tokens_add(json, &tokens, err);
    if (st == OK && !(*out = json_print(json))) st = err_memory(err, "config.json");
    cJSON_Delete(json);
    return st;
}
