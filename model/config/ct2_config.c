/* ct2_config.c - see ct2_config.h.
 * Variables, attributes and defaults are those of CTranslate2 4.8: src/layers/transformer.cc,
 * src/layers/attention.cc, src/layers/common.cc, src/models/sequence_to_sequence.cc. */
#include "ct2_config.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Reads the variables of `file` into `out`. */
typedef struct {
    const Ct2File *file;
    Ct2Record *out;
    ModelConfig *config; /* &out->config */
    Err *err;
    Status st; /* the first error */
} Ct2Reader;

/* Indexed by CTranslate2's ActivationType. */
static const Activation activations[] = { ACTIVATION_RELU,   ACTIVATION_GELU_TANH,  ACTIVATION_SWISH,
                                          ACTIVATION_GELU,   ACTIVATION_QUICK_GELU, ACTIVATION_TANH,
                                          ACTIVATION_SIGMOID };

/* Parts of either stack that dragoman does not support. */
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

/* Returns a variable with two dimensions. */
static const Ct2Variable *matrix(Ct2Reader *r, const char *name)
{
    static const Ct2Variable nothing = { .name = "" };
    const Ct2Variable *v = find(r, name);

    if (r->st == OK && !v)
        fail(r, err_set(r->err, ERR_FORMAT, "%s: variable %s is missing", r->file->path, name));
    else if (r->st == OK && (v->rank != 2 || !v->count))
        fail(r, err_set(r->err, ERR_FORMAT, "%s: variable %s is not a matrix", r->file->path, name));
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

/* Returns an attribute of a stack; older versions store it for the whole model. */
static double stack_number(Ct2Reader *r, const char *stack, const char *key, double otherwise)
{
    char name[160];

    return number(r, in_stack(name, stack, key), number(r, key, otherwise));
}

/* Checks that both stacks agree on a value. */
static double same(Ct2Reader *r, const char *key, double encoder, double decoder)
{
    if (r->st == OK && encoder != decoder)
        fail(r, err_set(r->err, ERR_UNSUPPORTED,
                        "%s: %s of encoder and decoder differ (%g and %g), which is not supported", r->file->path, key,
                        encoder, decoder));
    return encoder;
}

static double common(Ct2Reader *r, const char *key, double otherwise)
{
    return same(r, key, stack_number(r, "encoder", key, otherwise), stack_number(r, "decoder", key, otherwise));
}

static void read_heads(Ct2Reader *r)
{
    const Ct2Variable *qkv = matrix(r, "encoder/layer_0/self_attention/linear_0/weight");
    StackConfig *encoder = &r->config->encoder;
    double heads = common(r, "num_heads", strcmp(r->file->spec, "TransformerBig") == 0 ? 16 : 8);

    if (r->st == OK &&
        (heads < 1 || heads > (double)qkv->shape[0] || heads != floor(heads) || qkv->shape[0] % (3 * (size_t)heads)))
        fail(r, err_set(r->err, ERR_FORMAT,
                        "%s: variable %s: %zu rows cannot be split into queries, keys and values of %g heads",
                        r->file->path, qkv->name, qkv->shape[0], heads));
    if (r->st != OK) return;
    encoder->heads = (size_t)heads;
    encoder->head_size = qkv->shape[0] / (3 * encoder->heads);
}

static void read_shapes(Ct2Reader *r)
{
    const char *names[2] = { "encoder/embeddings_0/weight", "encoder/embeddings/weight" };
    const Ct2Variable *source = matrix(r, names[!find(r, names[0])]);
    const Ct2Variable *target = matrix(r, "decoder/embeddings/weight");
    ModelConfig *config = r->config;

    config->d_model = source->shape[1];
    config->encoder.vocab = source->shape[0];
    config->decoder.vocab = target->shape[0];
    read_heads(r);
    read_stack(r, "encoder", &config->encoder);
    read_stack(r, "decoder", &config->decoder);
    config->embedding.shared = same_data(source, target);
    config->output.tied = same_data(matrix(r, "decoder/projection/weight"), target);
}

static void read_norms(Ct2Reader *r)
{
    r->out->pre_norm = common(r, "pre_norm", 1) != 0;
    r->out->rms_norm = !find(r, "encoder/layer_0/ffn/layer_norm/beta");
    r->out->final_norm = find(r, "decoder/layer_norm/gamma");
    r->config->embedding.has_layernorm = find(r, "decoder/layernorm_embedding/gamma");
    r->config->norm.eps = r->out->rms_norm ? 1e-6f : 1e-5f;
}

/* int16 matmuls of CTranslate2 use one scale in all models. Before version 5 the product with the scale was
 * truncated; for int8 that happened after adding 128, which rounds down. */
static void read_rounding(Ct2Reader *r)
{
    const Ct2Type type = matrix(r, "encoder/layer_0/self_attention/linear_0/weight")->type;
    const bool cuts = r->file->version < 5;

    if (type == CT2_S16) r->config->int8.row_rounding = cuts ? ROWS_TRUNCATED_TO_THOUSANDTHS : ROWS_TO_THOUSANDTHS;
    if (type == CT2_S8 && cuts) r->config->int8.row_rounding = ROWS_DOWN;
}

/* Whether any of the linear layers of this name, a shell pattern, has a bias. */
static bool have_bias(const Ct2Reader *r, const char *pattern)
{
    for (size_t i = 0; i < r->file->count; i++)
        if (fnmatch(pattern, r->file->variables[i].name, 0) == 0) return true;
    return false;
}

static void read_layers(Ct2Reader *r)
{
    const size_t kinds = sizeof activations / sizeof *activations;
    ModelConfig *config = r->config;
    double activation = common(r, "activation", 0);

    if (r->st == OK && !(activation >= 0 && activation < (double)kinds))
        fail(r, err_set(r->err, ERR_UNSUPPORTED, "%s: unknown activation %g", r->file->path, activation));
    if (r->st == OK) config->ffn.activation = activations[(size_t)activation];
    config->ffn.is_gated = find(r, "encoder/layer_0/ffn/linear_0_noact/weight");
    config->attention.use_bias = have_bias(r, "*attention/linear_*/bias");
    config->ffn.use_bias = have_bias(r, "*/ffn/linear_*/bias");
    config->output.use_bias = find(r, "decoder/projection/bias");
    config->attention.scale = (float)number(r, "encoder/layer_0/self_attention/queries_scale", 0);
}

/* A flag, or the scale itself; by default the square root of the width. */
static double embedding_scale(Ct2Reader *r, const char *stack)
{
    const double root = sqrt((double)r->config->d_model);
    char name[160];
    const Ct2Variable *v = find(r, in_stack(name, stack, "scale_embeddings"));
    double value;

    if (!v) v = find(r, in_stack(name, stack, "embeddings/multiply_by_sqrt_depth"));
    if (!v) return root;
    value = number(r, name, 1);
    return v->type != CT2_S8 ? value : value != 0 ? root : 1;
}

static void read_scales(Ct2Reader *r)
{
    r->config->embedding.scale =
        (float)same(r, "scale_embeddings", embedding_scale(r, "encoder"), embedding_scale(r, "decoder"));
    r->config->output.scale = (float)number(r, "decoder/scale_outputs", 1);
    r->config->embedding.zero_start = number(r, "decoder/start_from_zero_embedding", 0) != 0;
}

/* The heads that return_attention averages: the first ones of a layer, which counts from the end if it is negative; 0
 * means all. Values that fit no head matter only to alignments. */
static void read_alignment(Ct2Reader *r)
{
    AlignmentConfig *out = &r->config->alignment;
    const double layers = (double)r->config->decoder.layers, most = (double)r->config->encoder.heads;
    const double layer = number(r, "decoder/alignment_layer", -1), heads = number(r, "decoder/alignment_heads", 1);
    const double from_end = layer < 0 ? -layer : layers - layer;
    const bool exists = from_end >= 1 && from_end <= layers && heads >= 0 && heads <= most;

    out->layer_from_end = exists ? (size_t)from_end : 0;
    out->heads = exists ? (size_t)(heads >= 1 ? heads : most) : 0;
}

/* True when the second layer of a stack exists and has other biases than the first. */
static bool has_own_biases(const Ct2Reader *r, const char *stack)
{
    char name[160];
    const Ct2Variable *first = find(r, in_stack(name, stack, "layer_0/self_attention/relative_attention_bias"));
    const Ct2Variable *second = find(r, in_stack(name, stack, "layer_1/self_attention/relative_attention_bias"));

    return second && !same_data(first, second);
}

static void read_relative_bias(Ct2Reader *r, const Ct2Variable *biases)
{
    RelativeBiasConfig *bias = &r->config->attention.relative_bias;
    double distance = number(r, "encoder/layer_0/self_attention/relative_attention_max_distance", 128);

    bias->buckets = biases->shape[0];
    bias->max_distance = distance > 0 && distance < 0x1p31 && distance == floor(distance) ? (size_t)distance : 0;
    bias->every_layer = has_own_biases(r, "encoder") || has_own_biases(r, "decoder");
}

/* Biases by distance, stored positions, or sines and cosines. */
static void read_positions(Ct2Reader *r)
{
    const char *bias = "encoder/layer_0/self_attention/relative_attention_bias";
    const char *names[2] = { "encoder/position_encodings/encodings", "decoder/position_encodings/encodings" };
    size_t rows[2];

    if (find(r, bias)) {
        read_relative_bias(r, matrix(r, bias));
        return;
    }
    for (size_t i = 0; i < 2; i++) rows[i] = find(r, names[i]) ? matrix(r, names[i])->shape[0] : 0;
    if (r->st == OK && !rows[0] != !rows[1])
        fail(r, err_set(r->err, ERR_UNSUPPORTED, "%s: only one stack has position embeddings, which is not supported",
                        r->file->path));
    r->config->positions.max = rows[0] < rows[1] ? rows[0] : rows[1];
}

static void refuse_unknown(Ct2Reader *r, const char *stack)
{
    char name[160];

    for (size_t i = 0; r->st == OK && i < sizeof unknown_parts / sizeof *unknown_parts; i++)
        if (find(r, in_stack(name, stack, unknown_parts[i])))
            fail(r, err_set(r->err, ERR_UNSUPPORTED, "%s: has %s, which is not supported", r->file->path, name));
    if (r->st == OK && number(r, in_stack(name, stack, "alibi"), 0) != 0)
        fail(r, err_set(r->err, ERR_UNSUPPORTED, "%s: has %s, which is not supported", r->file->path, name));
}

/* Rejects AWQ models: the model.bin differs, because weights have 4 bits and activations are scaled. */
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

static Status read_variables(Ct2Record *out, const Ct2File *file, JsonObject json, Err *err)
{
    Ct2Reader r = { .file = file, .out = out, .config = &out->config, .err = err, .st = OK };

    refuse_unknown(&r, "encoder");
    refuse_unknown(&r, "decoder");
    read_shapes(&r);
    read_norms(&r);
    read_layers(&r);
    read_rounding(&r);
    read_scales(&r);
    read_positions(&r);
    read_alignment(&r);
    if (r.st == OK) r.st = json_get_float(json, "layer_norm_epsilon", 0, 1, &out->config.norm.eps, err);
    return r.st == OK ? ct2_record_check(out, file->path, err) : r.st;
}

Status ct2_config_read(Ct2Record *out, ModelFolder *folder, Err *err)
{
    const Ct2File *file = NULL;
    JsonObject json;
    Status st = model_folder_kind(folder) == MODEL_CTRANSLATE2 ? model_folder_ct2(folder, &file, err) : OK;

    if (st == OK) st = model_folder_json(folder, "config.json", &json, err);
    if (st == OK) st = refuse_quantization(json, err);
    if (st != OK) return st;
    return file ? read_variables(out, file, json, err) : ct2_record_read(out, json, err);
}
