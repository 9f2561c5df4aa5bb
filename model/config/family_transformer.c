/* family_transformer.c - "model_type": "transformer": the Transformers that tutorials build, such as the Annotated
 * Transformer. config.json describes what the tutorial's code computes (docs/tutorial-models.md lists the keys); a
 * preset of names (name_map.h) gives the defaults. Unknown keys are rejected: an ignored setting would make wrong
 * translations. */
#include "family.h"

#include <math.h>
#include <string.h>

#include "name_map.h"

/* Limit on new tokens if config.json has none. */
#define DEFAULT_LENGTH 256

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* All keys of config.json. The tokenizer and generation_config.c read the last two groups. */
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
    .embedding_norm = "encoder.embedding_norm", .top.norm = "encoder.norm", .layer = "encoder.layers.{i}."
#define DECODER_NAMES                                                                                                  \
    .embedding_norm = "decoder.embedding_norm", .top.norm = "decoder.norm", .layer = "decoder.layers.{i}."
#define ATTENTION_NAMES(kind)                                                                                          \
    {                                                                                                                  \
        .query = kind ".query", .key = kind ".key", .value = kind ".value", .output = kind ".output",                  \
        .around.norm = kind ".norm", .score = kind ".score"                                                            \
    }
#define FFN_NAMES .ffn_in = "ffn.in", .ffn_out = "ffn.out", .ffn_around.norm = "ffn.norm"

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

/* Dragoman's own names of tensors (name_map.h), with and without stored positions. */
static const TensorNames stored_names = NAMES("source_positions", "target_positions");
static const TensorNames computed_names = NAMES(NULL, NULL);

/* A word that config.json may have as a value, and the enum value it stands for. */
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

/* Sets *out to the value of `word` in `choices`. `key` is for messages. */
static void choose(JsonReader *r, const char *key, const char *word, const Choice *choices, size_t count, int *out)
{
    Buf words = { 0 };

    if (r->st != OK) return;
    for (size_t i = 0; i < count; i++)
        if (same_word(choices[i].word, word)) {
            *out = choices[i].value;
            return;
        }
    for (size_t i = 0; i < count; i++) buf_put_format(&words, "%s\"%s\"", i ? ", " : "", choices[i].word);
    r->st = buf_check(&words, r->err);
    if (r->st == OK) json_fault(r, ERR_FORMAT, "%s is \"%.100s\"; it must be one of %s", key, word, words.data);
    buf_free(&words);
}

static void read_choice(JsonReader *r, const char *key, const Choice *choices, size_t count, int *out)
{
    const char *word = NULL;

    json_read_string(r, key, &word);
    if (word) choose(r, key, word, choices, count, out);
}

/* Rejects keys of the object that are not in `keys`. `inside` names the object in messages. */
static void check_keys(JsonReader *r, const char *inside, const char *const *keys, size_t count)
{
    const char *key = json_unknown_key(r->json, keys, count);

    if (key)
        json_fault(r, ERR_FORMAT, "unknown setting %s%.100s (docs/tutorial-models.md lists all settings)", inside, key);
}

/* Reads one size for both stacks, or one for each. */
static void read_sizes(JsonReader *r, const char *both, const char *of_encoder, const char *of_decoder, size_t most,
                       size_t *encoder, size_t *decoder)
{
    size_t size = 0;

    json_read_size(r, both, 1, most, &size);
    *encoder = *decoder = size;
    json_read_size(r, of_encoder, 1, most, encoder);
    json_read_size(r, of_decoder, 1, most, decoder);
    if (!(*encoder && *decoder))
        json_fault(r, ERR_FORMAT, "%s is missing (or %s and %s)", both, of_encoder, of_decoder);
}

static void read_head_size(JsonReader *r, size_t d_model, StackConfig *stack)
{
    json_read_size(r, "head_size", 1, FAMILY_MAX_SIDE, &stack->head_size);
    if (r->st != OK) return;
    if (!stack->head_size && d_model % stack->heads)
        json_fault(r, ERR_FORMAT, "d_model (%zu) is not a multiple of the %zu heads", d_model, stack->heads);
    else if (!stack->head_size)
        stack->head_size = d_model / stack->heads;
    if ((uint64_t)stack->heads * stack->head_size > FAMILY_MAX_SIDE)
        json_fault(r, ERR_FORMAT, "%zu heads of size %zu are too many", stack->heads, stack->head_size);
}

/* "bias" is true, false, or an object with a value for each kind of layer. */
static void read_bias(ModelConfig *config, const NamePreset *preset, JsonReader *r)
{
    static const char *const keys[] = { "attention", "ffn", "output", "norm" };
    const cJSON *node = json_member(r->json, "bias");
    JsonReader biases = { { node, r->json.file }, r->err, r->st };
    const bool all = !cJSON_IsFalse(node);

    if (r->st != OK) return;
    config->attention.use_bias = config->output.use_bias = all && (node || preset->bias);
    config->ffn.use_bias = config->norm.use_bias = all;
    if (!node || cJSON_IsBool(node)) return;
    if (!cJSON_IsObject(node)) json_fault(&biases, ERR_FORMAT, "bias must be true, false or an object");
    check_keys(&biases, "bias: ", keys, COUNT(keys));
    json_read_bool(&biases, "attention", &config->attention.use_bias);
    json_read_bool(&biases, "ffn", &config->ffn.use_bias);
    json_read_bool(&biases, "output", &config->output.use_bias);
    json_read_bool(&biases, "norm", &config->norm.use_bias);
    r->st = biases.st;
}

/* "tie" is a list of two or three of "source", "target", "output". */
static void read_tie(ModelConfig *config, JsonReader *r)
{
    static const char *const words[] = { "source", "target", "output" };
    const cJSON *list = json_member(r->json, "tie"), *item;
    bool tied[COUNT(words)] = { false };

    if (!list) return;
    cJSON_ArrayForEach(item, list)
    {
        size_t i = 0;
        while (i < COUNT(words) && !(cJSON_IsString(item) && strcmp(item->valuestring, words[i]) == 0)) i++;
        if (i < COUNT(words))
            tied[i] = true;
        else
            json_fault(r, ERR_FORMAT, "tie must be a list of \"source\", \"target\", \"output\"");
    }
    if (!cJSON_IsArray(list) || (list->child && (!tied[1] || !(tied[0] || tied[2]))))
        json_fault(r, ERR_UNSUPPORTED, "tie must be a list of \"target\" with \"source\", \"output\" or both");
    config->embedding.shared = tied[0];
    config->output.tied = tied[2];
    if (tied[0] && config->encoder.vocab != config->decoder.vocab)
        json_fault(r, ERR_FORMAT,
                   "tie shares one embedding matrix, but source_vocab_size is %zu and target_vocab_size is %zu",
                   config->encoder.vocab, config->decoder.vocab);
}

/* Reads a score function, for example "additive" or {"function": "additive", "window": "local-m", "width": 5}. */
static void read_score(ScoreConfig *out, JsonReader *r, const char *kind)
{
    static const char *const keys[] = { "function", "window", "width" };
    JsonReader score = { { json_member(r->json, kind), r->json.file }, r->err, r->st };
    const cJSON *node = score.json.node;
    int function = SCORE_SCALED_DOT, window = WINDOW_GLOBAL;
    char where[64] = "attention_score: ";

    if (!node || r->st != OK) return;
    strcat(where, kind);
    if (cJSON_IsString(node)) {
        choose(r, where, node->valuestring, score_functions, COUNT(score_functions), &function);
        out->function = (ScoreFunction)function;
        return;
    }
    strcat(where, ": ");
    if (!cJSON_IsObject(node)) json_fault(&score, ERR_FORMAT, "%smust be a string or an object", where);
    check_keys(&score, where, keys, COUNT(keys));
    read_choice(&score, "function", score_functions, COUNT(score_functions), &function);
    read_choice(&score, "window", score_windows, COUNT(score_windows), &window);
    json_read_size(&score, "width", 1, FAMILY_MAX_POSITIONS, &out->width);
    out->function = (ScoreFunction)function;
    out->window = (ScoreWindow)window;
    if ((window == WINDOW_GLOBAL) != (out->width == 0))
        json_fault(&score, ERR_FORMAT, "%swidth %s", where,
                   out->width ? "is allowed only with a local window" : "is missing; a local window needs it");
    r->st = score.st;
}

static void read_scores(AttentionConfig *attention, JsonReader *r)
{
    static const char *const keys[] = { "encoder", "decoder", "cross" };
    JsonReader scores = { { json_member(r->json, "attention_score"), r->json.file }, r->err, r->st };

    if (!scores.json.node) return;
    if (!cJSON_IsObject(scores.json.node))
        json_fault(&scores, ERR_FORMAT, "attention_score must be an object with \"encoder\", \"decoder\", \"cross\"");
    check_keys(&scores, "attention_score: ", keys, COUNT(keys));
    read_score(&attention->encoder_score, &scores, "encoder");
    read_score(&attention->decoder_score, &scores, "decoder");
    read_score(&attention->cross_score, &scores, "cross");
    r->st = scores.st;
}

/* Checks that a token which the tokenizer adds to the source is in the vocabulary. Its id is the value of `source_key`,
 * or else of `key`. If `use_key` is false, no token is added. */
static void check_source_id(JsonReader *r, size_t vocab, const char *key, const char *source_key, const char *use_key)
{
    bool is_used = true;
    int32_t id = 0;

    json_read_bool(r, use_key, &is_used);
    if (is_used) json_read_id(r, json_member(r->json, source_key) ? source_key : key, 0, (int32_t)vocab - 1, &id);
}

static void read_config(ModelConfig *config, JsonReader *r)
{
    StackConfig *encoder = &config->encoder, *decoder = &config->decoder;
    const NamePreset *preset;

    check_keys(r, "", known_keys, COUNT(known_keys));
    preset = name_preset_read(r);
    family_read_size(r, "d_model", FAMILY_MAX_SIDE, &config->d_model);
    read_sizes(r, "layers", "encoder_layers", "decoder_layers", FAMILY_MAX_LAYERS, &encoder->layers, &decoder->layers);
    read_sizes(r, "heads", "encoder_heads", "decoder_heads", FAMILY_MAX_SIDE, &encoder->heads, &decoder->heads);
    read_sizes(r, "ffn", "encoder_ffn", "decoder_ffn", FAMILY_MAX_SIDE, &encoder->ffn, &decoder->ffn);
    read_sizes(r, "vocab_size", "source_vocab_size", "target_vocab_size", FAMILY_MAX_VOCAB, &encoder->vocab,
               &decoder->vocab);
    read_head_size(r, config->d_model, encoder);
    read_head_size(r, config->d_model, decoder);
    if (r->st != OK) return;

    int before = preset->pre_norm, norm = preset->norm;
    bool top = preset->final_norm;
    config->norm.eps = preset->norm_eps;
    config->embedding.has_layernorm = preset->embedding_norm;
    read_choice(r, "norm", norm_places, COUNT(norm_places), &before);
    read_choice(r, "layer_norm", norm_kinds, COUNT(norm_kinds), &norm);
    config->norm.kind = (NormKind)norm;
    json_read_float(r, "layer_norm_eps", 0, 1, &config->norm.eps);
    json_read_bool(r, "final_norm", &top);
    config->sublayer = sublayer_config(before, top);
    json_read_bool(r, "embedding_norm", &config->embedding.has_layernorm);
    if (norm == NORM_STD && config->d_model < 2)
        json_fault(r, ERR_FORMAT, "layer_norm \"std\" needs a d_model of at least 2");

    /* If position_encoding is missing, stored positions are used when the file has them. */
    const bool is_missing = !json_member(r->json, "position_encoding");
    const char *encoding = preset->position_encoding;
    int positions = POSITIONS_NONE;
    json_read_string(r, "position_encoding", &encoding);
    choose(r, "position_encoding", encoding, position_encodings, COUNT(position_encodings), &positions);
    config->positions.kind = (PositionKind)positions;
    config->positions.max_is_guess = !json_member(r->json, "max_positions");
    config->positions.max = preset->max_positions;
    config->names = is_missing || positions == POSITIONS_LEARNED ? &stored_names : &computed_names;
    json_read_size(r, "max_positions", 2, FAMILY_MAX_POSITIONS, &config->positions.max);

    read_bias(config, preset, r);
    read_tie(config, r);
    read_scores(&config->attention, r);

    const char *activation = "relu";
    bool scale = preset->scale_embedding;
    float temperature = 1;
    json_read_string(r, "activation", &activation);
    family_find_activation(r, "activation", activation, &config->ffn.activation);
    json_read_bool(r, "scale_embedding", &scale);
    json_read_float(r, "softmax_temperature", 1e-6, 1e6, &temperature);
    config->embedding.scale = scale ? (float)sqrt((double)config->d_model) : 1.0f;
    config->output.scale = 1.0f / temperature;

    const int32_t last = (int32_t)decoder->vocab - 1;
    if (r->st == OK) r->st = json_require(r->json, "start_id", r->err);
    if (r->st == OK) r->st = json_require(r->json, "end_id", r->err);
    json_read_id(r, "start_id", 0, last, &config->defaults.start);
    json_read_id(r, "end_id", 0, last, &config->defaults.eos);
    check_source_id(r, encoder->vocab, "start_id", "source_start_id", "source_start");
    check_source_id(r, encoder->vocab, "end_id", "source_end_id", "source_end");
    config->name_map = name_map_new(preset, r);
}

const Family transformer_family = {
    .name = "transformer",
    .read = read_config,
    .config = { .positions = { .allow_more_rows = true, .padding_id = -1 },
                .defaults = { .start = -1, .eos = -1, .forced_bos = -1, .forced_eos = -1, .length = DEFAULT_LENGTH } },
};
