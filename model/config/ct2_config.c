/* ct2_config.c - see family.h. CTranslate2's converters make the models from those of Marian, M2M100, NLLB, BART,
 * mBART, T5, OpenNMT and fairseq; model.bin describes their layers. Variables, attributes and defaults are those of
 * CTranslate2 4.8: src/layers/transformer.cc, src/layers/attention.cc, src/layers/common.cc,
 * src/models/sequence_to_sequence.cc. The search follows CTranslate2, with the defaults of its TranslationOptions
 * (include/ctranslate2/translation.h). */
#include "family.h"

#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "c_locale.h"
#include "ct2_tokens.h"

/* --- The record of a packed model. `fields` says how each field is read and checked. --- */

#define CT2_MODEL_TYPE "ctranslate2"

#define MAX_FACTOR 1e6

static const char *const activation_names[ACTIVATION_COUNT] = {
    [ACTIVATION_RELU] = "relu",       [ACTIVATION_GELU_TANH] = "gelu_new",    [ACTIVATION_SWISH] = "swish",
    [ACTIVATION_GELU] = "gelu",       [ACTIVATION_QUICK_GELU] = "quick_gelu", [ACTIVATION_TANH] = "tanh",
    [ACTIVATION_SIGMOID] = "sigmoid",
};

static const char *const roundings[] = { "none", "thousandths", "cut to thousandths", "down" }; /* RowRounding */

/* The settings that a packed model records: some fields of `config`, and flags from which other fields follow.
 * config.encoder.heads holds for both stacks; positions.max is 0 unless positions are stored. */
typedef struct {
    ModelConfig config;
    bool pre_norm, rms_norm, final_norm;
} Ct2Record;

/* FIELD_OPTIONAL: a size; 0 if the model lacks the part. FIELD_WORD: an enum, stored as a word. */
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
    { "activation", WORD(config.ffn.activation, ACTIVATION_COUNT, activation_names) },
    { "gated", FLAG(config.ffn.is_gated) },
    { "attention_bias", FLAG(config.attention.use_bias) },
    { "ffn_bias", FLAG(config.ffn.use_bias) },
    { "output_bias", FLAG(config.output.use_bias) },
    { "attention_scale", REAL(config.attention.scale, 0, MAX_FACTOR) },
    { "row_rounding", WORD(config.int8.row_rounding, ROWS_DOWN + 1, roundings) },
    { "embedding_scale", REAL(config.embedding.scale, -MAX_FACTOR, MAX_FACTOR) },
    { "output_scale", REAL(config.output.scale, -MAX_FACTOR, MAX_FACTOR) },
    { "blank_start", FLAG(config.embedding.zero_start) },
    { "relative_buckets", OPTIONAL(config.attention.relative_bias.buckets, 4, FAMILY_MAX_BUCKETS) },
    { "relative_max_distance", OPTIONAL(config.attention.relative_bias.max_distance, 1, FAMILY_MAX_DISTANCE) },
    { "relative_every_layer", FLAG(config.attention.relative_bias.every_layer) },
    { "alignment_layer_from_end", OPTIONAL(config.alignment.layer_from_end, 1, FAMILY_MAX_LAYERS) },
    { "alignment_heads", OPTIONAL(config.alignment.heads, 1, FAMILY_MAX_SIDE) },
    { "max_positions", OPTIONAL(config.positions.max, 1, 1 << 30) },
};

#define FIELDS (sizeof fields / sizeof *fields)

/* Returns ERR_FORMAT, with the file and the field, if a number is out of range. */
static Status check_record(const Ct2Record *record, const char *path, Err *err)
{
    const RelativeBiasConfig *bias = &record->config.attention.relative_bias;

    for (const Field *f = fields; f < fields + FIELDS; f++) {
        const void *value = (const char *)record + f->offset;
        const bool is_real = f->kind == FIELD_REAL;
        double number;
        if (f->kind > FIELD_REAL) continue;
        number = is_real ? (double)*(const float *)value : (double)*(const size_t *)value;
        if ((number >= f->low && number <= f->high) || (number == 0 && f->kind == FIELD_OPTIONAL)) continue;
        return err_set(err, ERR_FORMAT, "%s: %s must be a %snumber from %.10g to %.10g", path, f->key,
                       is_real ? "" : "whole ", f->low, f->high);
    }
    if (!bias->buckets || bias->max_distance > bias->buckets / 2) return OK;
    return err_set(err, ERR_FORMAT,
                   "%s: relative_attention_max_distance (%zu) must be more than half of the %zu buckets", path,
                   bias->max_distance, bias->buckets);
}

static Status read_record(Ct2Record *out, JsonObject json, Err *err)
{
    JsonReader r = { json, err, OK };

    for (const Field *f = fields; f < fields + FIELDS; f++) {
        void *value = (char *)out + f->offset;
        const char *word = NULL;
        if (f->kind == FIELD_SIZE) json_read_required_size(&r, f->key, (size_t)f->low, (size_t)f->high, value);
        if (f->kind == FIELD_OPTIONAL) json_read_size(&r, f->key, (size_t)f->low, (size_t)f->high, value);
        if (f->kind == FIELD_FLAG) json_read_bool(&r, f->key, value);
        if (f->kind == FIELD_REAL) json_read_float(&r, f->key, f->low, f->high, value);
        if (f->kind != FIELD_WORD) continue;
        json_read_string(&r, f->key, &word);
        if (!word) continue;
        int i = 0;
        while (i <= (int)f->high && !(f->words[i] && strcmp(f->words[i], word) == 0)) i++;
        if (i > (int)f->high)
            return err_set(err, ERR_UNSUPPORTED, "%s: %s \"%s\" is not supported", json.file, f->key, word);
        *(int *)value = i;
    }
    return r.st == OK ? check_record(out, json.file, err) : r.st;
}

/* --- model.bin. --- */

/* Reads the variables of a file. */
typedef struct {
    const Ct2File *file;
    Err *err;
    Status st; /* the first error */
} Ct2Reader;

/* Indexed by CTranslate2's ActivationType. */
static const Activation activations[] = { ACTIVATION_RELU,   ACTIVATION_GELU_TANH,  ACTIVATION_SWISH,
                                          ACTIVATION_GELU,   ACTIVATION_QUICK_GELU, ACTIVATION_TANH,
                                          ACTIVATION_SIGMOID };

/* Variables of either stack that belong to parts which dragoman does not support. */
static const char *const unknown_parts[] = {
    "layer_0/self_attention/relative_position_keys",
    "layer_0/self_attention/relative_asymmetric_position_keys",
    "layer_0/self_attention/rotary_dim",
    "layer_0/self_attention/q_norm/gamma",
    "layer_0/self_attention/num_heads_kv",
    "layer_0/self_attention/merged_encoder_attention",
    "layer_0/self_attention/linear_0/weight_zero",
    "layer_0/input_layer_norm/gamma",
    "layer_0/shared_layer_norm/gamma",
    "sliding_window",
    "project_in/weight",
    "project_out/weight",
    "final_logit_softcapping",
    "embeddings_1/weight",
};

static const Ct2Variable *find(const Ct2Reader *r, const char *name)
{
    return ct2_file_find(r->file, name);
}

/* Reports "<file>: ...", unless there was an error before. */
__attribute__((format(printf, 3, 4))) static void fail(Ct2Reader *r, Status st, const char *format, ...)
{
    char text[1024];
    va_list args;

    if (r->st != OK) return;
    va_start(args, format);
    c_locale_vsnprintf(text, sizeof text, format, args);
    va_end(args);
    r->st = err_set(r->err, st, "%s: %s", r->file->path, text);
}

static double number(Ct2Reader *r, const char *name, double otherwise)
{
    double value = otherwise;

    if (r->st == OK) r->st = ct2_file_number(r->file, name, &value, r->err);
    return value;
}

/* Returns a variable with two dimensions. */
static const Ct2Variable *matrix(Ct2Reader *r, const char *name)
{
    static const Ct2Variable nothing = { .name = "" };
    const Ct2Variable *v = find(r, name);

    if (!v)
        fail(r, ERR_FORMAT, "variable %s is missing", name);
    else if (v->rank != 2 || !v->count)
        fail(r, ERR_FORMAT, "variable %s is not a matrix", name);
    return r->st == OK ? v : &nothing;
}

static bool same_data(const Ct2Variable *a, const Ct2Variable *b)
{
    if (!a || !b || a->bytes != b->bytes || a->type != b->type) return false;
    return a->data == b->data || memcmp(a->data, b->data, a->bytes) == 0;
}

/* "encoder/" + name */
static const char *in_stack(char out[160], const char *stack, const char *name)
{
    snprintf(out, 160, "%s/%s", stack, name);
    return out;
}

static void read_stack(Ct2Reader *r, const char *stack, StackConfig *out)
{
    char name[160];

    out->ffn = matrix(r, in_stack(name, stack, "layer_0/ffn/linear_0/weight"))->shape[0];
    do snprintf(name, sizeof name, "%s/layer_%zu/ffn/linear_0/weight", stack, out->layers);
    while (find(r, name) && ++out->layers); /* layers are numbered without gaps */
}

/* Returns a value after checking that it is the same for both stacks. */
static double same(Ct2Reader *r, const char *key, double encoder, double decoder)
{
    if (encoder != decoder)
        fail(r, ERR_UNSUPPORTED, "%s of encoder and decoder differ (%g and %g), which is not supported", key, encoder,
             decoder);
    return encoder;
}

/* Returns an attribute that must be the same in both stacks. Older versions store it once, for the whole model. */
static double common(Ct2Reader *r, const char *key, double otherwise)
{
    char encoder[160], decoder[160];
    const double of_model = number(r, key, otherwise);

    return same(r, key, number(r, in_stack(encoder, "encoder", key), of_model),
                number(r, in_stack(decoder, "decoder", key), of_model));
}

static void read_shapes(Ct2Reader *r, ModelConfig *config)
{
    const char *names[2] = { "encoder/embeddings_0/weight", "encoder/embeddings/weight" };
    const Ct2Variable *source = matrix(r, names[!find(r, names[0])]);
    const Ct2Variable *target = matrix(r, "decoder/embeddings/weight");
    const Ct2Variable *qkv = matrix(r, "encoder/layer_0/self_attention/linear_0/weight");
    const double heads = common(r, "num_heads", strcmp(r->file->spec, "TransformerBig") == 0 ? 16 : 8);

    config->d_model = source->shape[1];
    config->encoder.vocab = source->shape[0];
    config->decoder.vocab = target->shape[0];
    if (heads < 1 || heads > (double)qkv->shape[0] || heads != floor(heads) || qkv->shape[0] % (3 * (size_t)heads))
        fail(r, ERR_FORMAT, "variable %s: %zu rows cannot be split into queries, keys and values of %g heads",
             qkv->name, qkv->shape[0], heads);
    if (r->st == OK) {
        config->encoder.heads = (size_t)heads;
        config->encoder.head_size = qkv->shape[0] / (3 * (size_t)heads);
    }
    read_stack(r, "encoder", &config->encoder);
    read_stack(r, "decoder", &config->decoder);
    config->embedding.shared = same_data(source, target);
    config->output.tied = same_data(matrix(r, "decoder/projection/weight"), target);
}

/* Whether the file has a bias whose name matches the shell pattern. */
static bool have_bias(const Ct2Reader *r, const char *pattern)
{
    for (size_t i = 0; i < r->file->count; i++)
        if (fnmatch(pattern, r->file->variables[i].name, 0) == 0) return true;
    return false;
}

/* Returns the scale of the embeddings. The attribute is the scale or a flag; true means the square root of d_model,
 * which is also the default. */
static double embedding_scale(Ct2Reader *r, const char *stack, size_t d_model)
{
    const double root = sqrt((double)d_model);
    char name[160];
    const Ct2Variable *v = find(r, in_stack(name, stack, "scale_embeddings"));
    double value;

    if (!v) v = find(r, in_stack(name, stack, "embeddings/multiply_by_sqrt_depth"));
    if (!v) return root;
    value = number(r, name, 1);
    return v->type != CT2_S8 ? value : value != 0 ? root : 1;
}

/* True when the second layer of a stack exists and has other relative biases than the first. */
static bool has_own_biases(const Ct2Reader *r, const char *stack)
{
    char name[160];
    const Ct2Variable *first = find(r, in_stack(name, stack, "layer_0/self_attention/relative_attention_bias"));
    const Ct2Variable *second = find(r, in_stack(name, stack, "layer_1/self_attention/relative_attention_bias"));

    return second && !same_data(first, second);
}

/* Reads whether positions are biases by distance, stored embeddings, or sines and cosines. */
static void read_positions(Ct2Reader *r, ModelConfig *config)
{
    const char *bias = "encoder/layer_0/self_attention/relative_attention_bias";
    const char *names[2] = { "encoder/position_encodings/encodings", "decoder/position_encodings/encodings" };
    size_t rows[2];

    if (find(r, bias)) {
        const double distance = number(r, "encoder/layer_0/self_attention/relative_attention_max_distance", 128);
        const bool is_whole = distance > 0 && distance < 0x1p31 && distance == floor(distance);
        config->attention.relative_bias =
            (RelativeBiasConfig){ .buckets = matrix(r, bias)->shape[0],
                                  .max_distance = is_whole ? (size_t)distance : 0,
                                  .every_layer = has_own_biases(r, "encoder") || has_own_biases(r, "decoder") };
        return;
    }
    for (size_t i = 0; i < 2; i++) rows[i] = find(r, names[i]) ? matrix(r, names[i])->shape[0] : 0;
    if (!rows[0] != !rows[1])
        fail(r, ERR_UNSUPPORTED, "only one stack has position embeddings, which is not supported");
    config->positions.max = rows[0] < rows[1] ? rows[0] : rows[1];
}

static void refuse_unknown(Ct2Reader *r, const char *stack)
{
    char name[160];

    for (size_t i = 0; r->st == OK && i < sizeof unknown_parts / sizeof *unknown_parts; i++)
        if (find(r, in_stack(name, stack, unknown_parts[i])))
            fail(r, ERR_UNSUPPORTED, "has %s, which is not supported", name);
    if (number(r, in_stack(name, stack, "alibi"), 0) != 0)
        fail(r, ERR_UNSUPPORTED, "has %s, which is not supported", name);
}

/* Rejects AWQ models, whose model.bin has 4-bit weights and scaled activations. */
static Status refuse_quantization(JsonObject json, Err *err)
{
    const char *types[] = { "AWQ_GEMM", "AWQ_GEMV" };
    const cJSON *node = json_member(json, "quantization_type");
    double type = !node ? 0 : cJSON_IsNumber(node) ? node->valuedouble : -1;

    if (type == 0) return OK;
    return err_set(err, ERR_UNSUPPORTED,
                   "%s: quantization_type %s is not supported: convert the model with "
                   "quantization int8",
                   json.file, type == 1 || type == 2 ? types[(size_t)type - 1] : "of this kind");
}

/* Reads the record of a packed model, or derives it from model.bin. Other fields of *out stay unchanged. */
static Status find_record(Ct2Record *out, ModelFolder *folder, Err *err)
{
    const size_t kinds = sizeof activations / sizeof *activations;
    ModelConfig *config = &out->config;
    Ct2Reader r = { .err = err };
    JsonObject json;

    if (model_folder_kind(folder) == MODEL_CTRANSLATE2) r.st = model_folder_ct2(folder, &r.file, err);
    if (r.st == OK) r.st = model_folder_json(folder, "config.json", &json, err);
    if (r.st == OK) r.st = refuse_quantization(json, err);
    if (r.st != OK) return r.st;
    if (!r.file) return read_record(out, json, err);
    refuse_unknown(&r, "encoder");
    refuse_unknown(&r, "decoder");
    read_shapes(&r, config);
    out->pre_norm = common(&r, "pre_norm", 1) != 0;
    out->rms_norm = !find(&r, "encoder/layer_0/ffn/layer_norm/beta");
    out->final_norm = find(&r, "decoder/layer_norm/gamma");
    config->embedding.has_layernorm = find(&r, "decoder/layernorm_embedding/gamma");
    config->norm.eps = out->rms_norm ? 1e-6f : 1e-5f;
    const double activation = common(&r, "activation", 0);
    if (!(activation >= 0 && activation < (double)kinds))
        fail(&r, ERR_UNSUPPORTED, "unknown activation %g", activation);
    if (r.st == OK) config->ffn.activation = activations[(size_t)activation];
    config->ffn.is_gated = find(&r, "encoder/layer_0/ffn/linear_0_noact/weight");
    config->attention.use_bias = have_bias(&r, "*attention/linear_*/bias");
    config->ffn.use_bias = have_bias(&r, "*/ffn/linear_*/bias");
    config->output.use_bias = find(&r, "decoder/projection/bias");
    config->attention.scale = (float)number(&r, "encoder/layer_0/self_attention/queries_scale", 0);
    /* In int16 matmuls, CTranslate2 multiplies the activations x of all models by the same scale and rounds. Before
     * version 5 of the file format it truncated instead. For int8 it added 128 before truncating, which rounds down. */
    const Ct2Type type = matrix(&r, "encoder/layer_0/self_attention/linear_0/weight")->type;
    const bool cuts = r.file->version < 5;
    if (type == CT2_S16) config->int8.row_rounding = cuts ? ROWS_TRUNCATED_TO_THOUSANDTHS : ROWS_TO_THOUSANDTHS;
    if (type == CT2_S8 && cuts) config->int8.row_rounding = ROWS_DOWN;
    config->embedding.scale = (float)same(&r, "scale_embeddings", embedding_scale(&r, "encoder", config->d_model),
                                          embedding_scale(&r, "decoder", config->d_model));
    config->output.scale = (float)number(&r, "decoder/scale_outputs", 1);
    config->embedding.zero_start = number(&r, "decoder/start_from_zero_embedding", 0) != 0;
    read_positions(&r, config);

    /* The heads whose mean CTranslate2 returns as attention: the first ones of a layer; 0 means all. A negative layer
     * counts from the end. A layer or head that does not exist is an error only when alignments are asked for. */
    const double layers = (double)config->decoder.layers, most = (double)config->encoder.heads;
    const double layer = number(&r, "decoder/alignment_layer", -1), heads = number(&r, "decoder/alignment_heads", 1);
    const double from_end = layer < 0 ? -layer : layers - layer;
    const bool exists = from_end >= 1 && from_end <= layers && heads >= 0 && heads <= most;
    config->alignment.layer_from_end = exists ? (size_t)from_end : 0;
    config->alignment.heads = exists ? (size_t)(heads >= 1 ? heads : most) : 0;
    JsonReader other = { json, err, r.st };
    json_read_float(&other, "layer_norm_epsilon", 0, 1, &config->norm.eps);
    return other.st == OK ? check_record(out, r.file->path, err) : other.st;
}

Status ct2_config_print(char **out, RowRounding rounding, ModelFolder *folder, Err *err)
{
    Ct2Record record = { .pre_norm = false };
    JsonObject own;
    Ct2Tokens tokens;
    cJSON *json;
    Status st = find_record(&record, folder, err);

    *out = NULL;
    record.config.int8.row_rounding = rounding;
    if (st == OK) st = model_folder_json(folder, "config.json", &own, err);
    if (st == OK) st = ct2_tokens_read(&tokens, folder, err);
    if (st != OK) return st;
    json = own.node ? cJSON_Duplicate(own.node, true) : cJSON_CreateObject();
    st = json_put(json, "model_type", cJSON_CreateString(CT2_MODEL_TYPE), err);
    for (const Field *f = fields; st == OK && f < fields + FIELDS; f++) {
        const void *value = (const char *)&record + f->offset;
        st = json_put(json, f->key,
                      f->kind == FIELD_FLAG        ? cJSON_CreateBool(*(const bool *)value)
                      : f->kind == FIELD_REAL      ? cJSON_CreateNumber((double)*(const float *)value)
                      : f->kind == FIELD_WORD      ? cJSON_CreateString(f->words[*(const int *)value])
                      : *(const size_t *)value > 0 ? cJSON_CreateNumber((double)*(const size_t *)value)
                                                   : cJSON_CreateNull(),
                      err);
    }
    if (st == OK) st = ct2_tokens_add(json, &tokens, err);
    if (st == OK && !(*out = json_print(json))) st = err_memory(err, "config.json");
    cJSON_Delete(json);
    return st;
}

/* --- The family. --- */

#define DEFAULT_BEAMS      2
#define DEFAULT_MIN_LENGTH 1
#define DEFAULT_MAX_LENGTH 256

/* Limit for models without stored positions: CTranslate2's default max_input_length. */
#define UNLIMITED_POSITIONS 1024

#define STACK(stack, gate, in)                                                                                         \
    .positions = { stack "/position_encodings/encodings" }, .embedding_norm = stack "/layernorm_embedding",            \
    .top.norm = stack "/layer_norm", .layer = stack "/layer_{i}/",                                                     \
    .self = { .qkv = "self_attention/linear_0",                                                                        \
              .output = "self_attention/linear_1",                                                                     \
              .around.norm = "self_attention/layer_norm" },                                                            \
    .ffn_gate = gate, .ffn_in = in, .ffn_out = "ffn/linear_1", .ffn_around.norm = "ffn/layer_norm",                    \
    .relative_bias = "self_attention/relative_attention_bias"

/* `gate` names the linear layer that the activation follows; NULL: that is `in`. */
#define NAMES(gate, in)                                                                                                \
    {                                                                                                                  \
        .shared_embeddings = { "decoder/embeddings/weight" },                                                          \
        .encoder = { STACK("encoder", gate, in),                                                                       \
                     .embeddings = { "encoder/embeddings_0/weight", "encoder/embeddings/weight" } },                   \
        .decoder = { STACK("decoder", gate, in), .embeddings = { "decoder/embeddings/weight" },                        \
                     .cross = { .query = "attention/linear_0",                                                         \
                                .kv = "attention/linear_1",                                                            \
                                .output = "attention/linear_2",                                                        \
                                .around.norm = "attention/layer_norm" } },                                             \
        .output = "decoder/projection/weight", .output_bias = "decoder/projection/bias", .weight = "/weight",          \
        .bias = "/bias", .may_lack_bias = true, .norm_scale = "/gamma", .norm_shift = "/beta",                         \
        .activation = "ffn/activation",                                                                                \
    }

static const TensorNames plain_names = NAMES(NULL, "ffn/linear_0");
static const TensorNames gated_names = NAMES("ffn/linear_0", "ffn/linear_0_noact");

Status ct2_config_read(ModelConfig *config, ModelFolder *folder, Err *err)
{
    PositionConfig *positions = &config->positions;
    Ct2Record record = { .config = *config };
    Status st = find_record(&record, folder, err);

    if (st != OK) return st;
    *config = record.config;
    config->decoder.heads = config->encoder.heads;
    config->decoder.head_size = config->encoder.head_size;
    config->sublayer = sublayer_config(record.pre_norm, record.final_norm);
    config->norm.kind = record.rms_norm ? NORM_RMS : NORM_LAYER;
    config->norm.use_bias = !record.rms_norm;
    config->names = config->ffn.is_gated ? &gated_names : &plain_names;
    config->int8.f32_kv_cache = true;
    positions->kind = config->attention.relative_bias.buckets ? POSITIONS_NONE
                      : positions->max                        ? POSITIONS_LEARNED
                                                              : POSITIONS_TENSOR2TENSOR;
    /* Computed positions start at 1, as in SinusoidalPositionEncoder of CTranslate2's src/layers/common.cc. */
    if (positions->kind == POSITIONS_TENSOR2TENSOR) positions->offset = 1;
    if (!positions->max) positions->max = UNLIMITED_POSITIONS;
    if (positions->max > FAMILY_MAX_POSITIONS) positions->max = FAMILY_MAX_POSITIONS;
    positions->allow_more_rows = true;
    positions->padding_id = -1;
    config->search =
        (SearchParams){ .rules = search_rules_ctranslate2,
                        .beams = DEFAULT_BEAMS,
                        .n_best = 1,
                        .min_length = DEFAULT_MIN_LENGTH,
                        .max_length = positions->max < DEFAULT_MAX_LENGTH ? positions->max : DEFAULT_MAX_LENGTH,
                        .length_penalty = 1,
                        .repetition_penalty = 1,
                        .encoder_repetition_penalty = 1,
                        .start = -1, /* the vocabulary knows these ids */
                        .forced_bos = -1 };
    return OK;
}

const Family ctranslate2_family = {
    .name = CT2_MODEL_TYPE,
    .config = { .alignment = { .layer_from_end = 1, .heads = 1 },
                .defaults = { .start = -1, .eos = -1, .forced_bos = -1, .forced_eos = -1 } },
};
