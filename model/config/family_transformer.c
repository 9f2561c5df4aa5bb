/* family_transformer.c - "model_type": "transformer": the Transformers that tutorials build, such as the
 * Annotated Transformer. config.json describes what the code computes (docs/tutorial-models.md lists
 * the keys); a preset of names (name_map.h) gives the defaults. Unknown keys are rejected: an
 * ignored setting would make wrong translations. */
#include "family.h"

#include <math.h>
#include <string.h>

#include "name_map.h"

/* Limit on new tokens if config.json has none. */
#define DEFAULT_LENGTH 256

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* The last groups are read by the tokenizer and by generation_config.c. */
static const char *const known_keys[] = {
    "model_type", "names", "prefix", "weight_map", "ignore_tensors", "d_model", "layers", "encoder_layers",
    "decoder_layers", "heads", "encoder_heads", "decoder_heads", "head_size", "ffn", "encoder_ffn", "decoder_ffn",
    "vocab_size", "source_vocab_size", "target_vocab_size", "norm", "layer_norm", "layer_norm_eps", "final_norm",
    "embedding_norm", "position_encoding", "max_positions", "activation", "scale_embedding", "softmax_temperature",
    "bias", "tie", "attention_score", "start_id", "end_id",
    /* tokenizer */
    "pad_id", "unk_id", "source_start_id", "source_end_id", "source_pad_id", "source_unk_id", "source_start",
    "source_end", "vocab", "source_vocab", "target_vocab",
    /* search */
    "dragoman_split_sentences", "dragoman_lower_capitals", "dragoman_keep_unknown", "dragoman_keep_numbers",
    "dragoman_valid_utf8", "num_beams", "num_return_sequences", "max_length", "max_new_tokens", "min_length",
    "min_new_tokens", "length_penalty", "early_stopping", "repetition_penalty", "encoder_repetition_penalty",
    "no_repeat_ngram_size", "encoder_no_repeat_ngram_size", "renormalize_logits", "remove_invalid_values",
    "forced_bos_token_id", "forced_eos_token_id", "suppress_tokens", "begin_suppress_tokens", "bad_words_ids",
    "do_sample", "temperature", "top_k", "top_p", "min_p", "typical_p", "epsilon_cutoff", "eta_cutoff",
    "num_beam_groups", "diversity_penalty", "exponential_decay_length_penalty", "sequence_bias", "stop_strings"
};

#define ENCODER_NAMES                                                                                                  \
    .embedding_norm = "encoder.embedding_norm", .final_norm = "encoder.norm", .layer = "encoder.layers.{i}."
#define DECODER_NAMES                                                                                                  \
    .embedding_norm = "decoder.embedding_norm", .final_norm = "decoder.norm", .layer = "decoder.layers.{i}."
#define ATTENTION_NAMES(kind)                                                                                          \
    {                                                                                                                  \
        .query = kind ".query", .key = kind ".key", .value = kind ".value", .output = kind ".output",                  \
        .norm = kind ".norm", .score = kind ".score"                                                                   \
    }
#define FFN_NAMES .ffn_in = "ffn.in", .ffn_out = "ffn.out", .ffn_norm = "ffn.norm"

#define NAMES(source_positions, target_positions)                                                                      \
    {                                                                                                                  \
        .shared_embeddings = { "target_embedding.weight", "source_embedding.weight", "output.weight" },                \
        .encoder = { ENCODER_NAMES, FFN_NAMES, .embeddings = { "source_embedding.weight" },                            \
                     .positions = { source_positions }, .self = ATTENTION_NAMES("self") },                             \
        .decoder = { DECODER_NAMES,                                                                                    \
                     FFN_NAMES,                                                                                        \
                     .embeddings = { "target_embedding.weight", "output.weight" },                                     \
                     .positions = { target_positions },                                                                \
                     .self = ATTENTION_NAMES("self"),                                                                  \
                     .cross = ATTENTION_NAMES("cross") },                                                              \
        .output = "output.weight", .output_bias = "output.bias", .norm_scale = ".weight", .norm_shift = ".bias",       \
        .activation = "ffn.activation",                                                                                \
    }

/* Dragoman's own names, with or without stored positions. */
static const TensorNames stored_names = NAMES("source_positions", "target_positions");
static const TensorNames computed_names = NAMES(NULL, NULL);

/* A word of config.json and its value. */
typedef struct {
    const char *word;
    int value;
} Choice;

static const Choice norm_places[] = { { "pre", true }, { "post", false } };
static const Choice norm_kinds[] = { { "standard", NORM_LAYER }, { "std", NORM_STD } };
static const Choice score_functions[] = { { "scaled_dot", SCORE_SCALED_DOT },
                                          { "dot", SCORE_DOT },
                                          { "general", SCORE_GENERAL },
                                          { "additive", SCORE_ADDITIVE },
                                          { "location", SCORE_LOCATION } };
static const Choice score_windows[] = { { "global", WINDOW_GLOBAL },
                                        { "local-m", WINDOW_LOCAL_M },
                                        { "local-p", WINDOW_LOCAL_P } };
static const Choice position_encodings[] = { { "interleaved", POSITIONS_INTERLEAVED },
                                             { "two_exponent", POSITIONS_TWO_EXPONENT },
                                             { "concatenated", POSITIONS_TENSOR2TENSOR },
                                             { "halves", POSITIONS_HALVES },
                                             { "learned", POSITIONS_LEARNED },
                                             { "stored", POSITIONS_LEARNED },
                                             { "none", POSITIONS_NONE } };

/* "local-m" equals "local_m". */
static bool same_word(const char *a, const char *b)
{
    while (*a && (*a == *b || (strchr("-_", *a) && *b && strchr("-_", *b)))) a++, b++;
    return !*a && !*b;
}

/* `where` is the key, for messages. */
static Status choose(int *out, const Choice *choices, size_t count, const char *word, const char *where,
                     JsonObject json, Err *err)
{
    Buf words = { 0 };
    Status st;

    for (size_t i = 0; i < count; i++)
        if (same_word(choices[i].word, word)) {
            *out = choices[i].value;
            return OK;
        }
    for (size_t i = 0; i < count; i++) buf_put_format(&words, "%s\"%s\"", i ? ", " : "", choices[i].word);
    st = buf_check(&words, err);
    if (st == OK)
        st = err_set(err, ERR_FORMAT, "%s: %s is \"%.100s\"; it must be one of %s", json.file, where, word, words.data);
    buf_free(&words);
    return st;
}

static Status read_choice(int *out, const Choice *choices, size_t count, JsonObject json, const char *key, Err *err)
{
    const char *word = NULL;
    Status st = json_get_string(json, key, &word, err);

    return st == OK && word ? choose(out, choices, count, word, key, json, err) : st;
}

/* Rejects keys of `object` that are not in `keys`. `inside` names the object in messages. */
static Status check_keys(JsonObject object, const char *inside, const char *const *keys, size_t count, Err *err)
{
    const char *key = json_unknown_key(object, keys, count);

    return key ? err_set(err, ERR_FORMAT, "%s: unknown setting %s%.100s (docs/tutorial-models.md lists all settings)",
                         object.file, inside, key)
               : OK;
}

static Status read_preset(const NamePreset **out, JsonObject json, Err *err)
{
    const char *name = "annotated";
    Buf known = { 0 };
    Status st = json_get_string(json, "names", &name, err);

    if (st != OK) return st;
    *out = name_preset_find(name);
    if (*out) return OK;
    st = name_preset_list(&known, err);
    if (st == OK)
        st = err_set(err, ERR_FORMAT, "%s: names is \"%.100s\"; it must be one of %s", json.file, name, known.data);
    buf_free(&known);
    return st;
}

/* Reads one size for both stacks, or one for each. */
static Status read_sizes(JsonObject json, const char *both, const char *of_encoder, const char *of_decoder, size_t most,
                         size_t *encoder, size_t *decoder, Err *err)
{
    size_t size = 0;
    Status st = json_get_size(json, both, 1, most, &size, err);

    *encoder = *decoder = size;
    if (st == OK) st = json_get_size(json, of_encoder, 1, most, encoder, err);
    if (st == OK) st = json_get_size(json, of_decoder, 1, most, decoder, err);
    if (st != OK || (*encoder && *decoder)) return st;
    return err_set(err, ERR_FORMAT, "%s: %s is missing (or %s and %s)", json.file, both, of_encoder, of_decoder);
}

static Status read_head_size(const ModelConfig *config, StackConfig *stack, JsonObject json, Err *err)
{
    Status st = json_get_size(json, "head_size", 1, FAMILY_MAX_SIDE, &stack->head_size, err);

    if (st != OK) return st;
    if (!stack->head_size && config->d_model % stack->heads)
        return err_set(err, ERR_FORMAT, "%s: d_model (%zu) is not a multiple of the %zu heads", json.file,
                       config->d_model, stack->heads);
    if (!stack->head_size) stack->head_size = config->d_model / stack->heads;
    if (stack->heads > FAMILY_MAX_SIDE / stack->head_size)
        return err_set(err, ERR_FORMAT, "%s: %zu heads of size %zu are too many", json.file, stack->heads,
                       stack->head_size);
    return OK;
}

static Status read_shapes(ModelConfig *config, JsonObject json, Err *err)
{
    StackConfig *encoder = &config->encoder, *decoder = &config->decoder;
    Status st = family_read_size(&config->d_model, json, "d_model", FAMILY_MAX_SIDE, err);

    if (st == OK)
        st = read_sizes(json, "layers", "encoder_layers", "decoder_layers", FAMILY_MAX_LAYERS, &encoder->layers,
                        &decoder->layers, err);
    if (st == OK)
        st = read_sizes(json, "heads", "encoder_heads", "decoder_heads", FAMILY_MAX_SIDE, &encoder->heads,
                        &decoder->heads, err);
    if (st == OK)
        st = read_sizes(json, "ffn", "encoder_ffn", "decoder_ffn", FAMILY_MAX_SIDE, &encoder->ffn, &decoder->ffn, err);
    if (st == OK)
        st = read_sizes(json, "vocab_size", "source_vocab_size", "target_vocab_size", FAMILY_MAX_VOCAB, &encoder->vocab,
                        &decoder->vocab, err);
    if (st == OK) st = read_head_size(config, encoder, json, err);
    return st == OK ? read_head_size(config, decoder, json, err) : st;
}

/* Reads true, false, or an object with a value for each kind of layer. */
static Status read_bias(ModelConfig *config, const NamePreset *preset, JsonObject json, Err *err)
{
    static const char *const keys[] = { "attention", "ffn", "output", "norm" };
    const cJSON *node = json_member(json, "bias");
    JsonObject object = { node, json.file };
    bool all = !cJSON_IsFalse(node);
    Status st;

    config->attention.use_bias = all && (node || preset->attention_bias);
    config->output.use_bias = all && (node || preset->output_bias);
    config->ffn.use_bias = config->norm.use_bias = all;
    if (!node || cJSON_IsBool(node)) return OK;
    if (!cJSON_IsObject(node)) return err_set(err, ERR_FORMAT, "%s: bias must be true, false or an object", json.file);
    st = check_keys(object, "bias: ", keys, COUNT(keys), err);
    if (st == OK) st = json_get_bool(object, "attention", &config->attention.use_bias, err);
    if (st == OK) st = json_get_bool(object, "ffn", &config->ffn.use_bias, err);
    if (st == OK) st = json_get_bool(object, "output", &config->output.use_bias, err);
    return st == OK ? json_get_bool(object, "norm", &config->norm.use_bias, err) : st;
}

/* Reads a list of two or three of "source", "target", "output". */
static Status read_tie(ModelConfig *config, JsonObject json, Err *err)
{
    const cJSON *list = json_member(json, "tie"), *item;
    bool source = false, target = false, output = false;

    if (!list) return OK;
    cJSON_ArrayForEach(item, list)
    {
        const char *word = cJSON_IsString(item) ? item->valuestring : "";
        bool *found = strcmp(word, "source") == 0   ? &source
                      : strcmp(word, "target") == 0 ? &target
                      : strcmp(word, "output") == 0 ? &output
                                                    : NULL;
        if (!found)
            return err_set(err, ERR_FORMAT, "%s: tie must be a list of \"source\", \"target\", \"output\"", json.file);
        *found = true;
    }
    if (!cJSON_IsArray(list) || (list->child && (!target || !(source || output))))
        return err_set(err, ERR_UNSUPPORTED, "%s: tie must be a list of \"target\" with \"source\", \"output\" or both",
                       json.file);
    config->embedding.shared = source;
    config->output.tied = output;
    if (!source || config->encoder.vocab == config->decoder.vocab) return OK;
    return err_set(err, ERR_FORMAT,
                   "%s: tie shares one embedding matrix, but source_vocab_size is %zu and target_vocab_size is %zu",
                   json.file, config->encoder.vocab, config->decoder.vocab);
}

/* Reads "additive", or {"function": "additive", "window": "local-m", "width": 5}. */
static Status read_score(ScoreConfig *out, JsonObject scores, const char *kind, Err *err)
{
    static const char *const keys[] = { "function", "window", "width" };
    const cJSON *node = json_member(scores, kind);
    JsonObject object = { node, scores.file };
    int function = SCORE_SCALED_DOT, window = WINDOW_GLOBAL;
    char where[64] = "attention_score: ";
    Status st;

    if (!node) return OK;
    strcat(where, kind);
    if (cJSON_IsString(node)) {
        st = choose(&function, score_functions, COUNT(score_functions), node->valuestring, where, scores, err);
        out->function = (ScoreFunction)function;
        return st;
    }
    strcat(where, ": ");
    if (!cJSON_IsObject(node))
        return err_set(err, ERR_FORMAT, "%s: %smust be a string or an object", scores.file, where);
    st = check_keys(object, where, keys, COUNT(keys), err);
    if (st == OK) st = read_choice(&function, score_functions, COUNT(score_functions), object, "function", err);
    if (st == OK) st = read_choice(&window, score_windows, COUNT(score_windows), object, "window", err);
    if (st == OK) st = json_get_size(object, "width", 1, FAMILY_MAX_POSITIONS, &out->width, err);
    out->function = (ScoreFunction)function;
    out->window = (ScoreWindow)window;
    if (st == OK && (window == WINDOW_GLOBAL) != (out->width == 0))
        st = err_set(err, ERR_FORMAT, "%s: %swidth %s", scores.file, where,
                     out->width ? "is allowed only with a local window" : "is missing; a local window needs it");
    return st;
}

static Status read_scores(ModelConfig *config, JsonObject json, Err *err)
{
    static const char *const keys[] = { "encoder", "decoder", "cross" };
    JsonObject scores = { json_member(json, "attention_score"), json.file };
    Status st;

    if (!scores.node) return OK;
    if (!cJSON_IsObject(scores.node))
        return err_set(err, ERR_FORMAT,
                       "%s: attention_score must be an object with \"encoder\", \"decoder\", \"cross\"", json.file);
    st = check_keys(scores, "attention_score: ", keys, COUNT(keys), err);
    if (st == OK) st = read_score(&config->attention.encoder_score, scores, "encoder", err);
    if (st == OK) st = read_score(&config->attention.decoder_score, scores, "decoder", err);
    return st == OK ? read_score(&config->attention.cross_score, scores, "cross", err) : st;
}

/* An id that is put beside the source: the member `source_key`, or else `key`. The tokenizer reads it, too; here it is
 * compared with the size of the vocabulary. */
static Status check_source_id(const ModelConfig *config, JsonObject json, const char *key, const char *source_key,
                              const char *use_key, Err *err)
{
    const int32_t last = (int32_t)config->encoder.vocab - 1;
    bool is_used = true;
    int32_t id = 0;
    Status st = json_get_bool(json, use_key, &is_used, err);

    if (st != OK || !is_used) return st;
    return json_get_id(json, json_member(json, source_key) ? source_key : key, 0, last, &id, err);
}

static Status read_config(ModelConfig *config, JsonObject json, Err *err)
{
    const NamePreset *preset = NULL;
    Status st = check_keys(json, "", known_keys, COUNT(known_keys), err);

    if (st == OK) st = read_preset(&preset, json, err);
    if (st == OK) st = read_shapes(config, json, err);
    if (st == OK) {
        int before = preset->pre_norm, kind = preset->norm;
        bool top = preset->final_norm;
        st = read_choice(&before, norm_places, COUNT(norm_places), json, "norm", err);
        if (st == OK) st = read_choice(&kind, norm_kinds, COUNT(norm_kinds), json, "layer_norm", err);
        config->norm.kind = (NormKind)kind;
        config->norm.eps = preset->norm_eps;
        config->embedding.has_layernorm = preset->embedding_norm;
        if (st == OK) st = json_get_float(json, "layer_norm_eps", 0, 1, &config->norm.eps, err);
        if (st == OK) st = json_get_bool(json, "final_norm", &top, err);
        config->sublayer = sublayer_config(before, top);
        if (st == OK) st = json_get_bool(json, "embedding_norm", &config->embedding.has_layernorm, err);
        if (st == OK && kind == NORM_STD && config->d_model < 2)
            st = err_set(err, ERR_FORMAT, "%s: layer_norm \"std\" needs a d_model of at least 2", json.file);
    }
    /* If position_encoding is missing, stored positions are used when the file has them. */
    if (st == OK) {
        const char *word = preset->position_encoding;
        int kind = POSITIONS_NONE;
        st = json_get_string(json, "position_encoding", &word, err);
        if (st == OK)
            st = choose(&kind, position_encodings, COUNT(position_encodings), word, "position_encoding", json, err);
        config->positions.kind = (PositionKind)kind;
        config->positions.max_is_guess = !json_member(json, "max_positions");
        config->positions.max = preset->max_positions;
        config->names =
            !json_member(json, "position_encoding") || kind == POSITIONS_LEARNED ? &stored_names : &computed_names;
        if (st == OK) st = json_get_size(json, "max_positions", 2, FAMILY_MAX_POSITIONS, &config->positions.max, err);
    }
    if (st == OK) st = read_bias(config, preset, json, err);
    if (st == OK) st = read_tie(config, json, err);
    if (st == OK) st = read_scores(config, json, err);
    if (st == OK) {
        const char *activation = "relu";
        bool scale = preset->scale_embedding;
        float temperature = 1;
        st = json_get_string(json, "activation", &activation, err);
        if (st == OK) st = family_find_activation(&config->ffn.activation, activation, "activation", json, err);
        if (st == OK) st = json_get_bool(json, "scale_embedding", &scale, err);
        if (st == OK) st = json_get_float(json, "softmax_temperature", 1e-6, 1e6, &temperature, err);
        config->embedding.scale = scale ? (float)sqrt((double)config->d_model) : 1.0f;
        config->output.scale = 1.0f / temperature;
    }
    if (st == OK) {
        int32_t last = (int32_t)config->decoder.vocab - 1;
        st = json_require(json, "start_id", err);
        if (st == OK) st = json_require(json, "end_id", err);
        if (st == OK) st = json_get_id(json, "start_id", 0, last, &config->defaults.start, err);
        if (st == OK) st = json_get_id(json, "end_id", 0, last, &config->defaults.eos, err);
        if (st == OK) st = check_source_id(config, json, "start_id", "source_start_id", "source_start", err);
        if (st == OK) st = check_source_id(config, json, "end_id", "source_end_id", "source_end", err);
    }
    return st == OK ? name_map_new(&config->name_map, preset, json, err) : st;
}

const Family transformer_family = {
    .name = "transformer",
    .read = read_config,
    .config = { .positions = { .allow_more_rows = true, .padding_id = -1 },
                .defaults = { .start = -1, .eos = -1, .forced_bos = -1, .forced_eos = -1, .length = DEFAULT_LENGTH } },
};
