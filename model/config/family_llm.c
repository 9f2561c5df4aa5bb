/* family_llm.c - language models with a decoder only, as in transformers 4.57.1 and 5.24.0
 * (models/TYPE/modeling_TYPE.py, modeling_rope_utils.py): Llama, Mistral, Qwen 2 and 3, Gemma 2 and 3, and HunYuan's
 * dense models; and T5Gemma, whose encoder and decoder have the layers of Gemma 2.
 * Pre-norm and a final norm, RMS without bias; gated feed-forward; rotary positions; keys and values may have fewer
 * heads than queries. Qwen 3, Gemma 3 and HunYuan normalize the heads of queries and keys, HunYuan after the rotation.
 * Gemma also normalizes the output of each sublayer, stores the scales of norms minus 1, and multiplies the embeddings
 * by sqrt(d_model). A folder of Gemma 3 with a model for images has the text model's configuration in text_config.
 * Version 5 of transformers writes rope_theta and rope_scaling as one object, rope_parameters; Gemma 3 then has one
 * for each type of layer. */
#include "family.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAMES(root_, head, query_norm_name, key_norm_name, ffn_norm, after_attention, after_ffn)                       \
    {                                                                                                                  \
        .root = root_, .shared_embeddings = { root_ "embed_tokens.weight", head "lm_head.weight" },                    \
        .decoder = { .layer = root_ "layers.{i}.",                                                                     \
                     .self = { .query = "self_attn.q_proj",                                                            \
                               .key = "self_attn.k_proj",                                                              \
                               .value = "self_attn.v_proj",                                                            \
                               .output = "self_attn.o_proj",                                                           \
                               .query_norm = query_norm_name,                                                          \
                               .key_norm = key_norm_name,                                                              \
                               .around = { .norm = "input_layernorm", .after = after_attention } },                    \
                     .ffn_gate = "mlp.gate_proj",                                                                      \
                     .ffn_in = "mlp.up_proj",                                                                          \
                     .ffn_out = "mlp.down_proj",                                                                       \
                     .ffn_around = { .norm = ffn_norm, .after = after_ffn },                                           \
                     .top.norm = root_ "norm" },                                                                       \
        .output = head "lm_head.weight", .norm_scale = ".weight", .norm_shift = ".bias", .activation = "act",          \
    }

#define GEMMA_NAMES(root, head)                                                                                        \
    NAMES(root, head, "self_attn.q_norm", "self_attn.k_norm", "pre_feedforward_layernorm", "post_attention_layernorm", \
          "post_feedforward_layernorm")

static const TensorNames llama_names =
    NAMES("model.", "", "self_attn.q_norm", "self_attn.k_norm", "post_attention_layernorm", NULL, NULL);
static const TensorNames hunyuan_names =
    NAMES("model.", "", "self_attn.query_layernorm", "self_attn.key_layernorm", "post_attention_layernorm", NULL, NULL);
static const TensorNames gemma_names = GEMMA_NAMES("model.", "");
static const TensorNames gemma3_names = GEMMA_NAMES("language_model.model.", "language_model.");
static const TensorNames gemma3_class_names = GEMMA_NAMES("model.language_model.", "");

#define T5GEMMA_ATTENTION(name)                                                                                        \
    {                                                                                                                  \
        .query = name "_attn.q_proj", .key = name "_attn.k_proj", .value = name "_attn.v_proj",                        \
        .output = name "_attn.o_proj", .around = {                                                                     \
            .norm = "pre_" name "_attn_layernorm",                                                                     \
            .after = "post_" name "_attn_layernorm"                                                                    \
        }                                                                                                              \
    }

#define T5GEMMA_STACK(root)                                                                                            \
    .layer = root "layers.{i}.", .self = T5GEMMA_ATTENTION("self"), .ffn_gate = "mlp.gate_proj",                       \
    .ffn_in = "mlp.up_proj", .ffn_out = "mlp.down_proj", .top.norm = root "norm",                                      \
    .ffn_around = { .norm = "pre_feedforward_layernorm", .after = "post_feedforward_layernorm" }

#define T5GEMMA_OUTPUT "lm_head.out_proj.weight"

static const TensorNames t5gemma_names = {
    .encoder = { .embeddings = { "model.encoder.embed_tokens.weight" }, T5GEMMA_STACK("model.encoder.") },
    .decoder = { .embeddings = { "model.decoder.embed_tokens.weight", T5GEMMA_OUTPUT },
                 .cross = T5GEMMA_ATTENTION("cross"),
                 T5GEMMA_STACK("model.decoder.") },
    .output = T5GEMMA_OUTPUT,
    .norm_scale = ".weight",
    .norm_shift = ".bias",
    .activation = "act",
};

/* --- Rotary positions. --- */

static void require(JsonReader *r, const char *key)
{
    if (r->st == OK) r->st = json_require(r->json, key, r->err);
}

/* Reads rope_scaling or rope_parameters. out->theta and out->size, the size of a head, have been set; `part` of the
 * head is rotated unless the object has another part. A dynamic scaling changes nothing up to max_position_embeddings,
 * which dragoman does not exceed, except for HunYuan's alpha. */
static void read_scaling(JsonReader *outer, const char *key, const cJSON *node, size_t positions, float part,
                         RotaryConfig *out)
{
    JsonReader r = { { node, outer->json.file }, outer->err, outer->st };
    const char *type = "default";
    float alpha = 0, scale = 0, scale_of_all = 0;
    bool rounds = true;

    if (node && !cJSON_IsObject(node)) json_fault(&r, ERR_FORMAT, "%s must be an object", key);
    if (r.st == OK && node) {
        json_read_string(&r, "type", &type);
        json_read_string(&r, "rope_type", &type);
        json_read_float(&r, "rope_theta", 1, 1e12, &out->theta);
        json_read_float(&r, "partial_rotary_factor", 0, 1, &part);
        json_read_float(&r, "factor", 1e-6, 1e6, &out->factor);
    }
    out->size = (size_t)((double)out->size * (double)part);
    out->original = (float)positions;
    if (r.st == OK && (out->size < 2 || out->size % 2))
        json_fault(&r, ERR_UNSUPPORTED, "rotary positions of %zu elements are not supported", out->size);
    if (strcmp(type, "linear") == 0) {
        out->scaling = ROTARY_LINEAR;
        require(&r, "factor");
    } else if (strcmp(type, "dynamic") == 0) {
        json_read_float(&r, "alpha", 0, 1e9, &alpha);
        if (alpha > 0 && out->size > 2)
            out->theta = (float)((double)out->theta * pow((double)alpha, (double)out->size / (double)(out->size - 2)));
    } else if (strcmp(type, "llama3") == 0) {
        out->scaling = ROTARY_LLAMA3;
        require(&r, "factor");
        require(&r, "low_freq_factor");
        require(&r, "high_freq_factor");
        json_read_float(&r, "low_freq_factor", 1e-6, 1e6, &out->slow);
        json_read_float(&r, "high_freq_factor", 1e-6, 1e6, &out->fast);
        json_read_float(&r, "original_max_position_embeddings", 1, 1e9, &out->original);
        if (r.st == OK && out->fast <= out->slow)
            json_fault(&r, ERR_FORMAT, "high_freq_factor must be above low_freq_factor");
    } else if (strcmp(type, "yarn") == 0) {
        out->scaling = ROTARY_YARN;
        out->slow = 1;
        out->fast = 32;
        require(&r, "factor");
        json_read_float(&r, "beta_slow", 1e-6, 1e6, &out->slow);
        json_read_float(&r, "beta_fast", 1e-6, 1e6, &out->fast);
        json_read_float(&r, "original_max_position_embeddings", 1, 1e9, &out->original);
        json_read_float(&r, "mscale", 0, 1e6, &scale);
        json_read_float(&r, "mscale_all_dim", 0, 1e6, &scale_of_all);
        json_read_bool(&r, "truncate", &rounds);
        out->has_real_bounds = !rounds;
        if (out->factor > 1) {
            const double log_factor = 0.1 * log((double)out->factor);
            out->amplitude = (float)(log_factor + 1);
            if (scale > 0 && scale_of_all > 0)
                out->amplitude = (float)(((double)scale * log_factor + 1) / ((double)scale_of_all * log_factor + 1));
        }
        json_read_float(&r, "attention_factor", 1e-6, 1e6, &out->amplitude);
    } else if (strcmp(type, "default") != 0 && r.st == OK) {
        json_fault(&r, ERR_UNSUPPORTED, "%s: rope_type \"%s\" is not supported", key, type);
    }
    outer->st = r.st;
}

/* Reads the rotary positions of all layers and, if layers with a window have their own, of those. */
static void read_rotary(ModelConfig *config, JsonReader *r, size_t positions)
{
    RotaryConfig *all = &config->attention.rotary, *window = &config->attention.window_rotary;
    const cJSON *joint = json_member(r->json, "rope_parameters");
    const cJSON *full = cJSON_GetObjectItemCaseSensitive(joint, "full_attention");
    const cJSON *sliding = cJSON_GetObjectItemCaseSensitive(joint, "sliding_attention");
    float part = 1;

    if (all->theta == 0) all->theta = 10000;
    json_read_float(r, "partial_rotary_factor", 0, 1, &part);
    json_read_float(r, "rope_theta", 1, 1e12, &all->theta);
    json_read_float(r, "rope_local_base_freq", 1, 1e12, &window->theta);
    all->size = window->size = config->decoder.head_size;
    all->factor = all->amplitude = window->factor = window->amplitude = 1;
    if (joint && !full && config->attention.window.has_separate_rotary)
        json_fault(r, ERR_UNSUPPORTED, "rope_parameters without full_attention are not supported");
    if (joint)
        read_scaling(r, "rope_parameters", full ? full : joint, positions, part, all);
    else
        read_scaling(r, "rope_scaling", json_member(r->json, "rope_scaling"), positions, part, all);
    if (!config->attention.window.has_separate_rotary) return;
    read_scaling(r, "rope_parameters", sliding, positions, part, window);
    if (window->size != all->size)
        json_fault(r, ERR_UNSUPPORTED, "rope_parameters with two sizes (%zu and %zu elements) are not supported",
                   all->size, window->size);
}

/* --- Windows. --- */

/* Reads which layers have a window. Without layer_types, it is those from `first` on, except each `period`-th layer
 * unless that is 0. */
static void read_windows(ModelConfig *config, JsonReader *r, size_t first, size_t period)
{
    AttentionWindow *window = &config->attention.window;
    const cJSON *types = json_member(r->json, "layer_types"), *type = types ? types->child : NULL;
    const size_t layers = config->decoder.layers;
    size_t count = 0;

    if (r->st != OK) return;
    window->layers = calloc(layers, sizeof *window->layers);
    if (!window->layers) {
        r->st = err_memory(r->err, "the configuration");
        return;
    }
    for (; type && count < layers; type = type->next) {
        const char *name = cJSON_IsString(type) ? type->valuestring : "";
        window->layers[count++] = strcmp(name, "sliding_attention") == 0;
        if (strcmp(name, "sliding_attention") != 0 && strcmp(name, "full_attention") != 0)
            json_fault(r, ERR_UNSUPPORTED, "layer_types: \"%.40s\" is not supported", name);
    }
    if (types && (type || count < layers))
        json_fault(r, ERR_FORMAT, "layer_types must name the types of num_hidden_layers (%zu) layers", layers);
    for (size_t i = first; !types && i < layers; i++) window->layers[i] = !period || (i + 1) % period;
    /* A window may hide the source, so a layer without one aligns, if there is one before. */
    for (size_t i = layers - config->alignment.layer_from_end; i > 0 && window->layers[i]; i--)
        if (!window->layers[i - 1]) config->alignment.layer_from_end = layers - i + 1;
}

/* --- The whole configuration. --- */

/* Keys that change the arithmetic in ways that dragoman does not support, unless they are absent, null, false or
 * `neutral`. */
static const struct {
    const char *key;
    double neutral;
} unsupported[] = {
    { "quantization_config", 0 }, { "attention_chunk_size", 0 },        { "num_experts", 1 },
    { "num_local_experts", 1 },   { "use_bidirectional_attention", 0 }, { "use_cla", 0 },
};

static void refuse_unsupported(JsonReader *r)
{
    for (size_t i = 0; r->st == OK && i < sizeof unsupported / sizeof *unsupported; i++) {
        const cJSON *node = json_member(r->json, unsupported[i].key);
        if (!node || cJSON_IsFalse(node)) continue;
        if (cJSON_IsNumber(node) && node->valuedouble == unsupported[i].neutral) continue;
        json_fault(r, ERR_UNSUPPORTED, "%s is set, which dragoman does not support for this type of model",
                   unsupported[i].key);
    }
}

/* Reads a size that has a default if *out is not 0, and is required otherwise. */
static void read_size(JsonReader *r, const char *key, size_t most, size_t *out)
{
    if (*out)
        json_read_size(r, key, 1, most, out);
    else
        family_read_size(r, key, most, out);
}

static void read_common(ModelConfig *config, JsonReader *r)
{
    StackConfig *stack = &config->decoder;
    PositionConfig *positions = &config->positions;
    const char *activation = json_member(r->json, "hidden_activation") ? "hidden_activation" : "hidden_act";
    const char *name = config->ffn.activation == ACTIVATION_GELU_TANH ? "gelu_pytorch_tanh" : "silu";

    refuse_unsupported(r);
    read_size(r, "hidden_size", FAMILY_MAX_SIDE, &config->d_model);
    read_size(r, "num_hidden_layers", FAMILY_MAX_LAYERS, &stack->layers);
    read_size(r, "num_attention_heads", FAMILY_MAX_SIDE, &stack->heads);
    read_size(r, "intermediate_size", FAMILY_MAX_SIDE, &stack->ffn);
    read_size(r, "vocab_size", FAMILY_MAX_VOCAB, &stack->vocab);
    if (!stack->kv_heads) stack->kv_heads = stack->heads;
    json_read_size(r, "num_key_value_heads", 1, FAMILY_MAX_SIDE, &stack->kv_heads);
    if (!stack->head_size && stack->heads) stack->head_size = config->d_model / stack->heads;
    json_read_size(r, "head_dim", 1, FAMILY_MAX_SIDE, &stack->head_size);
    read_size(r, "max_position_embeddings", SIZE_MAX, &positions->max);
    if (r->st != OK) return;
    if (stack->heads % stack->kv_heads)
        json_fault(r, ERR_FORMAT, "num_attention_heads (%zu) must be a multiple of num_key_value_heads (%zu)",
                   stack->heads, stack->kv_heads);
    if (!stack->head_size || stack->heads > FAMILY_MAX_SIDE / stack->head_size)
        json_fault(r, ERR_FORMAT, "num_attention_heads (%zu) times head_dim (%zu) is out of range", stack->heads,
                   stack->head_size);
    config->encoder.vocab = stack->vocab;
    json_read_string(r, activation, &name);
    family_find_activation(r, activation, name, &config->ffn.activation);
    json_read_float(r, "rms_norm_eps", 0, 1, &config->norm.eps);
    json_read_bool(r, "tie_word_embeddings", &config->output.tied);
    read_rotary(config, r, positions->max);
    if (positions->max > FAMILY_MAX_POSITIONS) positions->max = FAMILY_MAX_POSITIONS;
    /* No head was trained to align; those in the middle come nearest. */
    config->alignment = (AlignmentConfig){ .layer_from_end = (stack->layers + 1) / 2 };
}

static void read_llama(ModelConfig *config, JsonReader *r)
{
    read_common(config, r);
    json_read_bool(r, "attention_bias", &config->attention.use_bias);
    json_read_bool(r, "mlp_bias", &config->ffn.use_bias);
}

static void read_mistral(ModelConfig *config, JsonReader *r)
{
    const cJSON *width = cJSON_GetObjectItemCaseSensitive(r->json.node, "sliding_window");

    read_common(config, r);
    json_read_size(r, "sliding_window", 1, SIZE_MAX, &config->attention.window.width);
    if (!cJSON_IsNull(width)) read_windows(config, r, 0, 0);
}

static void read_qwen(ModelConfig *config, JsonReader *r)
{
    bool has_windows = false;
    size_t first = 28;

    read_common(config, r);
    if (!config->attention.no_output_bias) /* Qwen 3 */
        json_read_bool(r, "attention_bias", &config->attention.use_bias);
    json_read_bool(r, "use_sliding_window", &has_windows);
    json_read_size(r, "max_window_layers", 0, FAMILY_MAX_LAYERS, &first);
    json_read_size(r, "sliding_window", 1, SIZE_MAX, &config->attention.window.width);
    if (has_windows) read_windows(config, r, first, 0);
}

static void read_gemma(ModelConfig *config, JsonReader *r)
{
    const bool is_second = !config->attention.window.has_separate_rotary;
    size_t period = is_second ? 2 : 6;
    float scalar = 256;

    read_common(config, r);
    json_read_bool(r, "attention_bias", &config->attention.use_bias);
    json_read_float(r, "query_pre_attn_scalar", 1e-6, 1e9, &scalar);
    config->attention.scale = (float)pow((double)scalar, -0.5);
    config->embedding.scale = (float)sqrt((double)config->d_model);
    if (cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(r->json.node, "attn_logit_softcapping")))
        config->attention.score_cap = 0;
    if (cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(r->json.node, "final_logit_softcapping"))) config->output.cap = 0;
    json_read_float(r, "attn_logit_softcapping", 1e-6, 1e9, &config->attention.score_cap);
    json_read_float(r, "final_logit_softcapping", 1e-6, 1e9, &config->output.cap);
    json_read_size(r, "sliding_window", 1, SIZE_MAX, &config->attention.window.width);
    if (!is_second) json_read_size(r, "sliding_window_pattern", 1, FAMILY_MAX_LAYERS, &period);
    read_windows(config, r, 0, period);
}

/* Reads a part of config.json, the object `key`. */
static void read_gemma_part(ModelConfig *config, JsonReader *r, const char *key)
{
    JsonReader part = { { json_member(r->json, key), r->json.file }, r->err, r->st };

    if (r->st == OK && !cJSON_IsObject(part.json.node)) json_fault(r, ERR_FORMAT, "%s must be an object", key);
    part.st = r->st;
    if (part.st == OK) read_gemma(config, &part);
    r->st = part.st;
}

/* Reads the text model of a folder with models for text and images. */
static void read_gemma3(ModelConfig *config, JsonReader *r)
{
    refuse_unsupported(r);
    read_gemma_part(config, r, "text_config");
}

/* Returns a key whose values differ between the stacks of T5Gemma, although dragoman has one value for both; NULL if
 * there is none. */
static const char *find_difference(const ModelConfig *a, const ModelConfig *b)
{
    const AttentionConfig *x = &a->attention, *y = &b->attention;

    if (a->d_model != b->d_model) return "hidden_size";
    if (a->decoder.head_size != b->decoder.head_size) return "head_dim";
    if (a->ffn.activation != b->ffn.activation) return "hidden_activation";
    if (a->norm.eps != b->norm.eps) return "rms_norm_eps";
    if (x->use_bias != y->use_bias) return "attention_bias";
    if (x->scale != y->scale) return "query_pre_attn_scalar";
    if (x->score_cap != y->score_cap) return "attn_logit_softcapping";
    if (x->window.width != y->window.width) return "sliding_window";
    if (x->rotary.theta != y->rotary.theta) return "rope_theta";
    if (x->rotary.size != y->rotary.size || x->rotary.scaling != y->rotary.scaling ||
        x->rotary.factor != y->rotary.factor || x->rotary.slow != y->rotary.slow || x->rotary.fast != y->rotary.fast ||
        x->rotary.amplitude != y->rotary.amplitude ||
        (x->rotary.scaling != ROTARY_PLAIN && x->rotary.original != y->rotary.original))
        return "rope_scaling";
    return NULL;
}

/* In version 5 of transformers, windows of the encoder have one position more on each side. */
static void read_t5gemma(ModelConfig *config, JsonReader *r)
{
    ModelConfig encoder = *config;
    AttentionWindow *window = &config->attention.window;
    const char *version = "", *difference;

    refuse_unsupported(r);
    read_gemma_part(&encoder, r, "encoder");
    window->encoder_layers = encoder.attention.window.layers;
    read_gemma_part(config, r, "decoder");
    config->encoder = encoder.decoder;
    difference = r->st == OK ? find_difference(&encoder, config) : NULL;
    if (difference)
        json_fault(r, ERR_UNSUPPORTED,
                   "encoder and decoder have different values of %s, which dragoman does not support", difference);
    if (encoder.positions.max < config->positions.max) config->positions.max = encoder.positions.max;
    json_read_id(r, "bos_token_id", 0, (int32_t)config->decoder.vocab - 1, &config->defaults.start);
    json_read_string(r, "transformers_version", &version);
    window->encoder_width = window->width + (strtol(version, NULL, 10) >= 5);
    config->output.tied = true;
    json_read_bool(r, "tie_word_embeddings", &config->output.tied);
    /* The decoder's windows do not hide the source, so these are the usual heads. */
    config->alignment = (AlignmentConfig){ .layer_from_end = 2 };
}

static void read_hunyuan(ModelConfig *config, JsonReader *r)
{
    bool normalizes = true;

    json_read_bool(r, "use_qk_norm", &normalizes);
    if (!normalizes) json_fault(r, ERR_UNSUPPORTED, "use_qk_norm is false, which dragoman does not support");
    read_common(config, r);
    json_read_bool(r, "attention_bias", &config->attention.use_bias);
}

/* The limit on new tokens where no file sets one. */
#define DEFAULT_LENGTH 1024

/* What all families have in common; the following arguments are other fields of the configuration. */
#define FAMILY(type, reader, tensor_names, end, ...)                                                                   \
    {                                                                                                                  \
        .name = type, .read = reader,                                                                                  \
        .config = {                                                                                                    \
            .names = &(tensor_names),                                                                                  \
            .decoder_only = true,                                                                                      \
            .embedding = { .scale = 1, .shared = true },                                                               \
            .positions.kind = POSITIONS_NONE,                                                                          \
            .positions.padding_id = -1,                                                                                \
            .ffn.is_gated = true,                                                                                      \
            .output.scale = 1,                                                                                         \
            .defaults = { .start = -1, .eos = (end), .forced_bos = -1, .forced_eos = -1, .length = DEFAULT_LENGTH },   \
            __VA_ARGS__                                                                                                \
        },                                                                                                             \
    }

#define PLAIN(eps_)                                                                                                    \
    .norm = { .kind = NORM_RMS, .eps = (eps_) },                                                                       \
    .sublayer = { .pre_norm = true, .after = { STEP_ADD }, .after_stack = { STEP_NORM } }

/* Folders of Gemma leave out what has the default value. */
#define GEMMA(vocab_)                                                                                                  \
    .norm = { .kind = NORM_RMS, .eps = 1e-6f, .adds_one = true },                                                      \
    .sublayer = { .pre_norm = true, .after = { STEP_NORM, STEP_ADD }, .after_stack = { STEP_NORM } }, .d_model = 2304, \
    .output.tied = true, .ffn.activation = ACTIVATION_GELU_TANH, .attention.window.width = 4096,                       \
    .decoder = { .layers = 26, .heads = 8, .kv_heads = 4, .head_size = 256, .ffn = 9216, .vocab = (vocab_) }

/* What Gemma 2 and Gemma 3 do not share. */
#define GEMMA3                                                                                                         \
    GEMMA(262208), .positions.max = 131072, .attention.rotary.theta = 1e6f,                                            \
                   .attention.head_norm = HEAD_NORM_BEFORE_ROTARY, .attention.window.has_separate_rotary = true,       \
                   .attention.window_rotary.theta = 1e4f

const Family llama_family = FAMILY("llama", read_llama, llama_names, 2, PLAIN(1e-6f), .positions.max = 2048);
const Family mistral_family = FAMILY("mistral", read_mistral, llama_names, 2, PLAIN(1e-6f), .positions.max = 131072,
                                     .decoder.kv_heads = 8, .attention.window.width = 4096);
const Family qwen2_family =
    FAMILY("qwen2", read_qwen, llama_names, -1, PLAIN(1e-6f), .positions.max = 32768, .attention.use_bias = true,
           .attention.no_output_bias = true, .attention.window.width = 4096);
const Family qwen3_family =
    FAMILY("qwen3", read_qwen, llama_names, -1, PLAIN(1e-6f), .positions.max = 32768, .decoder.head_size = 128,
           .attention.head_norm = HEAD_NORM_BEFORE_ROTARY, .attention.window.width = 4096);
const Family gemma2_family = FAMILY("gemma2", read_gemma, gemma_names, 1, GEMMA(262208), .positions.max = 8192,
                                    .attention.score_cap = 50, .output.cap = 30);
const Family gemma3_text_family = FAMILY("gemma3_text", read_gemma, gemma_names, 1, GEMMA3);
const Family gemma3_family = FAMILY("gemma3", read_gemma3, gemma3_names, 1, GEMMA3, .class_names = &gemma3_class_names);
const Family hunyuan_family = FAMILY("hunyuan_v1_dense", read_hunyuan, hunyuan_names, 2, PLAIN(1e-5f),
                                     .positions.max = 2048, .attention.head_norm = HEAD_NORM_AFTER_ROTARY);

const Family t5gemma_family = {
    .name = "t5gemma",
    .read = read_t5gemma,
    .config = { .names = &t5gemma_names,
                GEMMA(256000),
                .positions = { .kind = POSITIONS_NONE, .max = 8192, .padding_id = -1 },
                .ffn.is_gated = true,
                .attention.score_cap = 50,
                .output.scale = 1,
                .output.cap = 30,
                .defaults = { .start = 2, .eos = 1, .forced_bos = -1, .forced_eos = -1 } },
};
