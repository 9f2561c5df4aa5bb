/* ct2_config.c - see ct2_config.h.
 * Names of variables, attributes and their defaults: CTranslate2 4.8,
 * src/layers/transformer.cc, src/layers/attention.cc, src/layers/common.cc,
 * src/models/sequence_to_sequence.cc.
 *
 *     d_model, heads, head_size, encoder_layers, decoder_layers, encoder_ffn,
 *     decoder_ffn, source_vocab_size, target_vocab_size
 *     pre_norm, rms_norm, final_norm, embedding_norm, layer_norm_epsilon
 *     activation, gated, attention_bias, ffn_bias, output_bias
 *     embedding_scale, output_scale, attention_scale, blank_start
 *     max_positions (of stored tables), relative_buckets,
 *     relative_max_distance, relative_every_layer
 *     shared_embeddings, tied_output
 *     unk_token, bos_token, eos_token, decoder_start_token, add_source_bos,
 *     add_source_eos: config.json's, in old models attributes of model.bin */
#include "ct2_config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ct2_tokens.h"
#include "json.h"

/* What is read, and what comes out of it: of two members of a name the last
 * one counts (json.h), so that config.json cannot overrule model.bin. */
typedef struct {
    const Ct2File *file;
    cJSON *json;
    Err *err;
    Status st; /* the first thing that went wrong */
} Ct2Reader;

#define ACTIVATIONS 7
static const char *const activations[ACTIVATIONS] = { "relu",       "gelu_new", "swish",  "gelu",
                                                      "quick_gelu", "tanh",     "sigmoid" };

/* Parts of layers that dragoman does not compute. */
static const char *const unknown_parts[] = {
    "encoder/layer_0/self_attention/relative_position_keys",
    "decoder/layer_0/self_attention/relative_position_keys",
    "encoder/layer_0/self_attention/relative_asymmetric_position_keys",
    "encoder/layer_0/self_attention/rotary_dim",
    "decoder/layer_0/self_attention/rotary_dim",
    "encoder/layer_0/self_attention/q_norm/gamma",
    "decoder/layer_0/self_attention/q_norm/gamma",
    "encoder/layer_0/self_attention/num_heads_kv",
    "decoder/layer_0/self_attention/num_heads_kv",
    "encoder/layer_0/self_attention/merged_encoder_attention",
    "decoder/layer_0/self_attention/merged_encoder_attention",
    "encoder/layer_0/input_layer_norm/gamma",
    "decoder/layer_0/input_layer_norm/gamma",
    "decoder/layer_0/shared_layer_norm/gamma",
    "encoder/sliding_window",
    "decoder/sliding_window",
    "decoder/project_in/weight",
    "decoder/project_out/weight",
    "decoder/final_logit_softcapping",
    "encoder/embeddings_1/weight",
    "decoder/layer_0/self_attention/linear_0/weight_zero",
    "encoder/layer_0/self_attention/linear_0/weight_zero",
};

static const Ct2Variable *find(const Ct2Reader *r, const char *name)
{
    return ct2_file_find(r->file, name);
}

static void fail(Ct2Reader *r, Status st)
{
    if (r->st == OK) r->st = st;
}

static double number(Ct2Reader *r, const char *name, double otherwise)
{
    double value = otherwise;

    fail(r, ct2_file_number(r->file, name, &value, r->err));
    return value;
}

static void put_number(Ct2Reader *r, const char *key, double value)
{
    if (r->st == OK && !cJSON_AddNumberToObject(r->json, key, value)) fail(r, err_memory(r->err, "config.json"));
}

static void put_size(Ct2Reader *r, const char *key, size_t value)
{
    put_number(r, key, (double)value);
}

static void put_bool(Ct2Reader *r, const char *key, bool value)
{
    if (r->st == OK && !cJSON_AddBoolToObject(r->json, key, value)) fail(r, err_memory(r->err, "config.json"));
}

static void put_text(Ct2Reader *r, const char *key, const char *text)
{
    cJSON *item = text ? cJSON_CreateString(text) : cJSON_CreateNull();

    if (r->st == OK && !(item && cJSON_AddItemToObject(r->json, key, item)))
        fail(r, err_memory(r->err, "config.json"));
    else if (r->st != OK)
        cJSON_Delete(item);
}

/* A variable of two sides. */
static const Ct2Variable *matrix(Ct2Reader *r, const char *name)
{
    static const Ct2Variable nothing = { .name = "" };
    const Ct2Variable *v = find(r, name);

    if (r->st == OK && !v)
        fail(r, err_set(r->err, ERR_FORMAT, "%s: variable %s is missing", r->file->path, name));
    else if (r->st == OK && (v->rank != 2 || !v->count))
        fail(r, err_set(r->err, ERR_FORMAT, "%s: variable %s: is no matrix", r->file->path, name));
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

/* The layers of a stack are numbered without a gap. */
static size_t count_layers(const Ct2Reader *r, const char *stack)
{
    char name[160];
    size_t count = 0;

    do snprintf(name, sizeof name, "%s/layer_%zu/ffn/linear_0/weight", stack, count);
    while (find(r, name) && ++count);
    return count;
}

static const Ct2Variable *source_table(Ct2Reader *r)
{
    return matrix(r,
                  find(r, "encoder/embeddings_0/weight") ? "encoder/embeddings_0/weight" : "encoder/embeddings/weight");
}

static void read_stack(Ct2Reader *r, const char *stack)
{
    char name[160], key[32];

    snprintf(key, sizeof key, "%s_layers", stack);
    put_size(r, key, count_layers(r, stack));
    snprintf(key, sizeof key, "%s_ffn", stack);
    put_size(r, key, matrix(r, in_stack(name, stack, "layer_0/ffn/linear_0/weight"))->shape[0]);
}

/* Heads by name before revision 3, attributes of the whole model before 5. */
static double heads_of(Ct2Reader *r, const char *stack)
{
    char name[160];
    double heads = strcmp(r->file->spec, "TransformerBig") == 0 ? 16 : 8;

    heads = number(r, "num_heads", heads);
    return number(r, in_stack(name, stack, "num_heads"), heads);
}

static double stack_number(Ct2Reader *r, const char *stack, const char *key, double otherwise)
{
    char name[160];

    return number(r, in_stack(name, stack, key), number(r, key, otherwise));
}

/* A setting that both stacks share in dragoman. */
static double common(Ct2Reader *r, const char *key, double otherwise)
{
    double encoder = stack_number(r, "encoder", key, otherwise), decoder = stack_number(r, "decoder", key, otherwise);

    if (r->st == OK && encoder != decoder)
        fail(r, err_set(r->err, ERR_UNSUPPORTED,
                        "%s: %s of encoder and decoder differ (%g and %g), which is not supported", r->file->path, key,
                        encoder, decoder));
    return encoder;
}

static void read_shapes(Ct2Reader *r)
{
    const Ct2Variable *source = source_table(r), *target = matrix(r, "decoder/embeddings/weight");
    const Ct2Variable *qkv = matrix(r, "encoder/layer_0/self_attention/linear_0/weight");
    double heads = heads_of(r, "encoder");

    if (r->st == OK && heads != heads_of(r, "decoder"))
        fail(r, err_set(r->err, ERR_UNSUPPORTED, "%s: num_heads of encoder and decoder differ, which is not supported",
                        r->file->path));
    put_size(r, "d_model", source->shape[1]);
    put_size(r, "source_vocab_size", source->shape[0]);
    put_size(r, "target_vocab_size", target->shape[0]);
    if (r->st == OK && (heads < 1 || heads > (double)qkv->shape[0] || qkv->shape[0] % (3 * (size_t)heads)))
        fail(r, err_set(r->err, ERR_FORMAT, "%s: variable %s: %zu rows are not queries, keys and values of %g heads",
                        r->file->path, qkv->name, qkv->shape[0], heads));
    put_number(r, "heads", heads);
    if (r->st == OK) put_size(r, "head_size", qkv->shape[0] / (3 * (size_t)heads));
    read_stack(r, "encoder");
    read_stack(r, "decoder");
    put_bool(r, "shared_embeddings", same_data(source, target));
    put_bool(r, "tied_output", same_data(matrix(r, "decoder/projection/weight"), target));
}

static void read_norms(Ct2Reader *r)
{
    bool rms = !find(r, "encoder/layer_0/ffn/layer_norm/beta");

    put_bool(r, "pre_norm", common(r, "pre_norm", 1) != 0);
    put_bool(r, "rms_norm", rms);
    put_bool(r, "final_norm", find(r, "decoder/layer_norm/gamma"));
    put_bool(r, "embedding_norm", find(r, "decoder/layernorm_embedding/gamma"));
    if (!json_member((JsonObject){ r->json, "" }, "layer_norm_epsilon"))
        put_number(r, "layer_norm_epsilon", rms ? 1e-6 : 1e-5);
}

/* What CTranslate2 multiplies with 16-bit matrices has one scale in all models;
 * before version 5 a number was cut off, and that of 8-bit products after 128 was
 * added to it. */
static void read_rounding(Ct2Reader *r)
{
    const Ct2Type type = matrix(r, "encoder/layer_0/self_attention/linear_0/weight")->type;
    const bool cuts = r->file->version < 5;

    if (type == CT2_S16) put_text(r, CT2_ROW_ROUNDING, cuts ? "cut to thousandths" : "thousandths");
    if (type == CT2_S8 && cuts) put_text(r, CT2_ROW_ROUNDING, CT2_ROUNDED_DOWN);
}

static void read_layers(Ct2Reader *r)
{
    double activation = common(r, "activation", 0);

    if (r->st == OK && !(activation >= 0 && activation < ACTIVATIONS))
        fail(r, err_set(r->err, ERR_UNSUPPORTED, "%s: activation %g is not one of CTranslate2's", r->file->path,
                        activation));
    if (r->st == OK) put_text(r, "activation", activations[(size_t)activation]);
    put_bool(r, "gated", find(r, "encoder/layer_0/ffn/linear_0_noact/weight"));
    put_bool(r, "attention_bias", find(r, "encoder/layer_0/self_attention/linear_0/bias"));
    put_bool(r, "ffn_bias", find(r, "encoder/layer_0/ffn/linear_0/bias"));
    put_bool(r, "output_bias", find(r, "decoder/projection/bias"));
    if (find(r, "encoder/layer_0/self_attention/queries_scale"))
        put_number(r, "attention_scale", number(r, "encoder/layer_0/self_attention/queries_scale", 1));
}

/* A flag, or the scale itself; the square root of the width by default. */
static double scale_of(Ct2Reader *r, const char *stack, const char *older, double d_model)
{
    char name[160];
    const Ct2Variable *v = find(r, in_stack(name, stack, "scale_embeddings"));
    double value;

    if (!v) v = find(r, in_stack(name, stack, older));
    if (!v) return sqrt(d_model);
    value = number(r, name, 1);
    return v->type != CT2_S8 ? value : value != 0 ? sqrt(d_model) : 1;
}

static void read_scales(Ct2Reader *r)
{
    double d = (double)source_table(r)->shape[1];
    double encoder = scale_of(r, "encoder", "embeddings/multiply_by_sqrt_depth", d);
    double decoder = scale_of(r, "decoder", "embeddings/multiply_by_sqrt_depth", d);

    if (r->st == OK && encoder != decoder)
        fail(r, err_set(r->err, ERR_UNSUPPORTED,
                        "%s: scales of the two embeddings differ (%g and %g), which is not supported", r->file->path,
                        encoder, decoder));
    put_number(r, "embedding_scale", encoder);
    put_number(r, "output_scale", number(r, "decoder/scale_outputs", 1));
    put_bool(r, "blank_start", number(r, "decoder/start_from_zero_embedding", 0) != 0);
}

/* Whether the second layer of a stack, if there is one, has other biases than the first. */
static bool has_own_biases(const Ct2Reader *r, const char *stack)
{
    char name[160];
    const Ct2Variable *first = find(r, in_stack(name, stack, "layer_0/self_attention/relative_attention_bias"));
    const Ct2Variable *second = find(r, in_stack(name, stack, "layer_1/self_attention/relative_attention_bias"));

    return second && !same_data(first, second);
}

/* Biases by distance, a stored table, or sines and cosines. */
static void read_positions(Ct2Reader *r)
{
    const char *bias = "encoder/layer_0/self_attention/relative_attention_bias";
    const char *tables[2] = { "encoder/position_encodings/encodings", "decoder/position_encodings/encodings" };
    size_t rows = 0;

    if (find(r, bias)) {
        put_size(r, "relative_buckets", matrix(r, bias)->shape[0]);
        put_number(r, "relative_max_distance",
                   number(r, "encoder/layer_0/self_attention/relative_attention_max_distance", 128));
        put_bool(r, "relative_every_layer", has_own_biases(r, "encoder") || has_own_biases(r, "decoder"));
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        size_t more = find(r, tables[i]) ? matrix(r, tables[i])->shape[0] : 0;
        if (i == 1 && r->st == OK && !more != !rows)
            fail(r, err_set(r->err, ERR_UNSUPPORTED,
                            "%s: only one stack has a table of positions, which is not supported", r->file->path));
        rows = rows && rows < more ? rows : more;
    }
    if (rows) put_size(r, "max_positions", rows);
}

static void refuse_unknown(Ct2Reader *r)
{
    for (size_t i = 0; i < sizeof unknown_parts / sizeof *unknown_parts; i++)
        if (r->st == OK && find(r, unknown_parts[i]))
            fail(r, err_set(r->err, ERR_UNSUPPORTED, "%s: has %s, which is not supported", r->file->path,
                            unknown_parts[i]));
    if (number(r, "decoder/alibi", 0) != 0)
        fail(r, err_set(r->err, ERR_UNSUPPORTED, "%s: has decoder/alibi, which is not supported", r->file->path));
}

/* Numbers of 4 bits, or scales of smoothed activations, are another model.bin. */
static void refuse_quantization(Ct2Reader *r, const char *file)
{
    const char *types[] = { "AWQ_GEMM", "AWQ_GEMV" };
    double type = 0;
    const cJSON *node = json_member((JsonObject){ r->json, file }, "quantization_type");

    if (!node) return;
    type = cJSON_IsNumber(node) ? node->valuedouble : -1;
    if (type == 0) return;
    fail(r, err_set(r->err, ERR_UNSUPPORTED,
                    "%s: quantization_type %s is not supported: convert the model with "
                    "quantization int8",
                    file, type == 1 || type == 2 ? types[(size_t)type - 1] : "of this kind"));
}

/* A copy of config.json, or an empty object. */
static Status begin(Ct2Reader *r, ModelFolder *folder)
{
    JsonObject config;
    Status st = model_folder_json(folder, "config.json", &config, r->err);

    if (st != OK) return st;
    r->json = config.node ? cJSON_Duplicate(config.node, true) : cJSON_CreateObject();
    if (!r->json) return err_memory(r->err, "config.json");
    refuse_quantization(r, config.file);
    return r->st;
}

static Status read_model(Ct2Reader *r)
{
    put_text(r, "model_type", CT2_MODEL_TYPE);
    refuse_unknown(r);
    read_shapes(r);
    read_norms(r);
    read_layers(r);
    read_rounding(r);
    read_scales(r);
    read_positions(r);
    put_size(r, "binary_version", r->file->version);
    return r->st == OK ? ct2_tokens_add(r->json, r->file, r->err) : r->st;
}

Status ct2_config_read(cJSON **out, ModelFolder *folder, Err *err)
{
    Ct2Reader r = { .err = err, .st = OK };
    Status st = model_folder_ct2(folder, &r.file, err);

    *out = NULL;
    if (st == OK) st = begin(&r, folder);
    if (st == OK) st = read_model(&r);
    if (st == OK)
        *out = r.json;
    else
        cJSON_Delete(r.json);
    return st;
}
