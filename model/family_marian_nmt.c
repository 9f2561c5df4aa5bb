/* family_marian_nmt.c - a model's own settings in Marian's files, the keys of
 * which are the options of marian's training. Embeddings are scaled by
 * sqrt(d), positions are Tensor2Tensor's from 0 on, the decoder begins with an
 * embedding of zeros.
 * Letters of transformer-preprocess and -postprocess: d dropout, which only
 * training knows, n a norm, a the sum with the sublayer's input.
 * Source   src/models/transformer.h of marian-nmt/marian-dev. */
#include "family_marian_nmt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the norms; Marian's are 1e-9 or 1e-6, by version. */
#define NORM_EPS 1e-6f

/* Positions are computed: these numbers bound memory. */
#define MAX_SOURCE    512
#define MAX_POSITIONS 2048

#define ATTENTION(kind, before, after)                                                                                 \
    {                                                                                                                  \
        .query = kind "_*q", .key = kind "_*k", .value = kind "_*v", .output = kind "_*o",                             \
        .norm = kind "_Wo_ln_*" before, .second_norm = kind "_Wo_ln_*" after                                           \
    }
#define STACK(name, before, after)                                                                                     \
    .positions = { "Wpos" }, .embedding_norm = name "_emb_ln_*_pre", .final_norm = name "_top_ln_*",                   \
    .layer = name "_l{n}_", .self = ATTENTION("self", before, after), .ffn_in = "ffn_*1", .ffn_out = "ffn_*2",         \
    .ffn_norm = "ffn_ffn_ln_*" before, .second_ffn_norm = "ffn_ffn_ln_*" after
#define NAMES(before, after, recurrent)                                                                                \
    {                                                                                                                  \
        .shared_table = { "Wemb" }, .encoder = { STACK("encoder", before, after), .table = { "encoder_Wemb" } },       \
        .decoder = { STACK("decoder", before, after),                                                                  \
                     .table = { "decoder_Wemb" },                                                                      \
                     .cross = ATTENTION("context", before, after),                                                     \
                     .recurrent_in = "rnn_*",                                                                          \
                     .recurrent_gate = "rnn_*f",                                                                       \
                     .recurrent_norm = recurrent,                                                                      \
                     .second_recurrent_norm = "rnn_ffn_ln_*" },                                                        \
        .output = "decoder_ff_logit_out_Wt", .output_bias = "decoder_ff_logit_out_b", .weight = "W", .bias = "b",      \
        .norm_scale = "scale", .norm_shift = "bias"                                                                    \
    }

static const TensorNames names_after = NAMES("", "", "rnn_ffn_ln_*");
static const TensorNames names_before = NAMES("_pre", "", "rnn_ln_*_pre");

/* Options that must be as they are where they stand, or the arithmetic is
 * another one. */
static Status refuse_others(JsonObject json, Err *err)
{
    static const char *const off[] = { "transformer-no-projection", "transformer-pool", "ulr", "right-left" };
    const char *type = "";
    size_t lemma = 0;
    bool on = false;
    Status st = json_require(json, "type", err);

    if (st == OK) st = json_get_string(json, "type", &type, err);
    if (st == OK && strcmp(type, "transformer") != 0)
        return err_set(err, ERR_UNSUPPORTED, "%s: type \"%s\" is not supported: only \"transformer\" is", json.file,
                       type);
    for (size_t i = 0; st == OK && i < sizeof off / sizeof *off; i++) {
        st = json_get_bool(json, off[i], &on, err);
        if (st == OK && on) return err_set(err, ERR_UNSUPPORTED, "%s: %s is not supported", json.file, off[i]);
    }
    if (st == OK) st = json_get_size(json, "lemma-dim-emb", 0, FAMILY_MAX_SIDE, &lemma, err);
    if (st == OK && lemma)
        return err_set(err, ERR_UNSUPPORTED, "%s: lemma-dim-emb: factored vocabularies are not supported", json.file);
    return st;
}

/* dim-vocabs: [source, target] */
static Status read_vocabs(ModelConfig *config, JsonObject json, Err *err)
{
    const cJSON *list = json_member(json, "dim-vocabs");
    int64_t sizes[2];

    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != 2 ||
        !json_to_int64(list->child, 1, FAMILY_MAX_VOCAB, &sizes[0]) ||
        !json_to_int64(list->child->next, 1, FAMILY_MAX_VOCAB, &sizes[1]))
        return err_set(err, ERR_FORMAT, "%s: dim-vocabs must be a list of two sizes, at most %d each", json.file,
                       FAMILY_MAX_VOCAB);
    config->encoder.vocab = (size_t)sizes[0];
    config->decoder.vocab = (size_t)sizes[1];
    return OK;
}

static Status read_shapes(ModelConfig *config, JsonObject json, Err *err)
{
    StackConfig *encoder = &config->encoder, *decoder = &config->decoder;
    size_t depth = 2;
    Status st = family_read_size(&config->d_model, json, "dim-emb", FAMILY_MAX_SIDE, err);

    if (st == OK) st = family_read_size(&encoder->layers, json, "enc-depth", FAMILY_MAX_LAYERS, err);
    if (st == OK) st = family_read_size(&decoder->layers, json, "dec-depth", FAMILY_MAX_LAYERS, err);
    if (st == OK) st = family_read_size(&encoder->heads, json, "transformer-heads", FAMILY_MAX_SIDE, err);
    if (st == OK) st = family_read_size(&encoder->ffn, json, "transformer-dim-ffn", FAMILY_MAX_SIDE, err);
    if (st == OK) st = json_get_size(json, "transformer-ffn-depth", 1, FAMILY_MAX_LAYERS, &depth, err);
    if (st != OK) return st;
    if (depth != 2)
        return err_set(err, ERR_UNSUPPORTED, "%s: transformer-ffn-depth %zu is not supported: only 2 is", json.file,
                       depth);
    if (config->d_model % encoder->heads)
        return err_set(err, ERR_FORMAT, "%s: dim-emb (%zu) is not a multiple of the %zu heads", json.file,
                       config->d_model, encoder->heads);
    encoder->head_size = decoder->head_size = config->d_model / encoder->heads;
    decoder->heads = encoder->heads;
    decoder->ffn = encoder->ffn;
    return read_vocabs(config, json, err);
}

/* The letters but for d. */
static Status read_letters(char out[4], JsonObject json, const char *key, Err *err)
{
    const char *letters = "";
    size_t count = 0;
    Status st = json_get_string(json, key, &letters, err);

    for (; st == OK && *letters; letters++) {
        if (*letters == 'd') continue;
        if (count == 3 || !strchr("an", *letters))
            return err_set(err, ERR_UNSUPPORTED, "%s: %s: '%c' is not supported there: d, a and n are", json.file, key,
                           *letters);
        out[count++] = *letters;
    }
    out[count] = '\0';
    return st;
}

static Status read_norms(ModelConfig *config, JsonObject json, Err *err)
{
    static const struct {
        const char *before, *after;
        NormPlace place;
    } places[] = {
        { "", "an", NORM_POST },   { "n", "a", NORM_PRE }, { "n", "an", NORM_BOTH },
        { "", "na", NORM_BRANCH }, { "", "a", NORM_NONE },
    };
    char before[4] = "", after[4] = "", embedding[4] = "", top[4] = "";
    Status st = read_letters(before, json, "transformer-preprocess", err);

    if (st == OK) st = read_letters(after, json, "transformer-postprocess", err);
    if (st == OK) st = read_letters(embedding, json, "transformer-postprocess-emb", err);
    if (st == OK) st = read_letters(top, json, "transformer-postprocess-top", err);
    if (st != OK) return st;
    config->embedding_norm = strcmp(embedding, "n") == 0;
    config->final_norm = strcmp(top, "n") == 0;
    if ((*embedding && !config->embedding_norm) || (*top && !config->final_norm))
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: transformer-postprocess-emb \"%s\" and -top \"%s\" are not supported: n or nothing is",
                       json.file, embedding, top);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (strcmp(places[i].before, before) != 0 || strcmp(places[i].after, after) != 0) continue;
        config->norm_place = places[i].place;
        config->raw_keys = *before != '\0';
        config->names = *before ? &names_before : &names_after;
        return OK;
    }
    return err_set(err, ERR_UNSUPPORTED,
                   "%s: transformer-preprocess \"%s\" with transformer-postprocess \"%s\" is not supported", json.file,
                   before, after);
}

/* transformer-tied-layers: the number, from 1, of the weights that each layer
 * has; an empty list: its own. */
static Status read_tied_layers(ModelConfig *config, JsonObject json, Err *err)
{
    const cJSON *list = json_member(json, "transformer-tied-layers"), *item;
    size_t count = 0;

    if (!list || (cJSON_IsArray(list) && !list->child)) return OK;
    if (!cJSON_IsArray(list) || (size_t)cJSON_GetArraySize(list) != config->decoder.layers)
        return err_set(err, ERR_FORMAT, "%s: transformer-tied-layers must have a number for each of dec-depth's layers",
                       json.file);
    config->tied_layers = calloc(config->decoder.layers, sizeof *config->tied_layers);
    if (!config->tied_layers) return err_memory(err, "the model's settings");
    cJSON_ArrayForEach(item, list)
    {
        int64_t number;
        if (!json_to_int64(item, 1, FAMILY_MAX_LAYERS, &number))
            return err_set(err, ERR_FORMAT, "%s: transformer-tied-layers must hold numbers from 1 to %d", json.file,
                           FAMILY_MAX_LAYERS);
        config->tied_layers[count++] = (size_t)number - 1;
    }
    return OK;
}

static Status read_memory(ModelConfig *config, JsonObject json, Err *err)
{
    const char *kind = "self-attention", *cell = "ssru";
    Status st = json_get_string(json, "transformer-decoder-autoreg", &kind, err);

    if (st == OK) st = json_get_string(json, "dec-cell", &cell, err);
    if (st != OK || strcmp(kind, "self-attention") == 0) return st;
    config->memory = MEMORY_SSRU;
    if (strcmp(kind, "rnn") == 0 && strcmp(cell, "ssru") == 0) return OK;
    return err_set(err, ERR_UNSUPPORTED,
                   "%s: transformer-decoder-autoreg \"%s\" (dec-cell \"%s\") is not supported: \"self-attention\" is, "
                   "and \"rnn\" with \"ssru\"",
                   json.file, kind, cell);
}

static Status read_activation(ModelConfig *config, JsonObject json, Err *err)
{
    const char *name = "swish";
    Status st = json_get_string(json, "transformer-ffn-activation", &name, err);

    if (st != OK) return st;
    /* Marian's gelu is x * sigmoid(1.702 x). */
    return family_find_activation(&config->activation, strcmp(name, "gelu") == 0 ? "quick_gelu" : name,
                                  "transformer-ffn-activation", json, err);
}

static Status read_tables(ModelConfig *config, JsonObject json, Err *err)
{
    bool all = false, source = false, output = false, bare = false, learned = false;
    Status st = json_get_bool(json, "tied-embeddings-all", &all, err);

    if (st == OK) st = json_get_bool(json, "tied-embeddings-src", &source, err);
    if (st == OK) st = json_get_bool(json, "tied-embeddings", &output, err);
    if (st == OK) st = json_get_bool(json, "output-omit-bias", &bare, err);
    if (st == OK) st = json_get_bool(json, "transformer-train-position-embeddings", &learned, err);
    config->shared_embeddings = all || source;
    config->tied_output = all || output;
    config->output_bias = !bare;
    config->positions = learned ? POSITIONS_LEARNED : POSITIONS_TENSOR2TENSOR;
    config->stored_limit = learned;
    config->embedding_scale = learned ? 1.0f : (float)sqrt((double)config->d_model);
    if (st != OK || !config->shared_embeddings || config->encoder.vocab == config->decoder.vocab) return st;
    return err_set(err, ERR_FORMAT, "%s: one table for both vocabularies, but dim-vocabs are %zu and %zu", json.file,
                   config->encoder.vocab, config->decoder.vocab);
}

static Status read_config(ModelConfig *config, JsonObject json, Err *err)
{
    Status st = refuse_others(json, err);

    config->norm = NORM_LAYER;
    config->norm_eps = NORM_EPS;
    config->norm_shifts = config->biases = config->ffn_biases = true;
    config->output_scale = 1;
    config->unplaced = -1;
    config->blank_start = true;
    config->max_positions = MAX_POSITIONS;
    config->max_source = MAX_SOURCE;
    config->longer_positions = true;
    if (st == OK) st = read_shapes(config, json, err);
    if (st == OK) st = read_norms(config, json, err);
    if (st == OK) st = read_tied_layers(config, json, err);
    if (st == OK) st = read_memory(config, json, err);
    if (st == OK) st = read_activation(config, json, err);
    return st == OK ? read_tables(config, json, err) : st;
}

const Family marian_nmt_family = {
    .name = "marian-nmt",
    .read = read_config,
    .default_start = 0,
    .default_eos = 0,
    .default_forced_eos = -1,
};
