/* marian_folder.c - see marian_folder.h: the settings that Marian stores in a model, whose keys are the options of
 * marian's training, and those of marian-decoder, which keep their names and defaults. Options that dragoman does
 * not support affect only speed and memory. Embeddings are scaled by sqrt(d), positions are Tensor2Tensor's from 0
 * on, and the decoder's start token has an embedding of zeros. Letters of transformer-preprocess and
 * transformer-postprocess: d is dropout, used only in training; n a LayerNorm, r an RMS norm, a adds the sublayer's
 * input, h a highway. Source   src/models/transformer.h of marian-nmt/marian-dev. */
#include "marian_folder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "path.h"
#include "text.h"
#include "tree_file.h"

#define MAX_BEAMS      1024
#define DEFAULT_BEAMS  12
#define DEFAULT_FACTOR 3

/* --- The family. --- */

/* Of the norms. Marian uses 1e-9 or 1e-6, depending on the version. */
#define NORM_EPS 1e-6f

/* Positions are computed, so these numbers limit memory. */
#define MAX_SOURCE    512
#define MAX_POSITIONS 2048

/* Norms and highway around a sublayer. */
#define AROUND(kind, before, after)                                                                                    \
    .kind##norm = before "_*_pre", .after_##kind##norm = after "_*", .kind##highway = after "_*h"

#define ATTENTION(kind)                                                                                                \
    {                                                                                                                  \
        .query = kind "_*q", .key = kind "_*k", .value = kind "_*v", .output = kind "_*o",                             \
        AROUND(, kind "_Wo", kind "_Wo")                                                                               \
    }
#define STACK(name)                                                                                                    \
    .positions = { "Wpos" }, .embedding_norm = name "_emb_*_pre", .final_norm = name "_top_*",                         \
    .final_highway = name "_top_*h", .layer = name "_l{n}_", .self = ATTENTION("self"), .ffn_in = "ffn_*{k}",          \
    .ffn_out = "ffn_*{k}", AROUND(ffn_, "ffn_ffn", "ffn_ffn")
#define NAMES(scale, shift)                                                                                            \
    {                                                                                                                  \
        .shared_embeddings = { "Wemb" }, .encoder = { STACK("encoder"), .embeddings = { "encoder_Wemb" } },            \
        .decoder = { STACK("decoder"),                                                                                 \
                     .embeddings = { "decoder_Wemb" },                                                                 \
                     .cross = ATTENTION("context"),                                                                    \
                     .ssru_in = "rnn_*",                                                                               \
                     .ssru_gate = "rnn_*f",                                                                            \
                     .ssru_out = "rnn_*o",                                                                             \
                     AROUND(ssru_, "rnn", "rnn_ffn"),                                                                  \
                     .aan_linear = "aan_*{k}",                                                                         \
                     .aan_gate = "aan_*f",                                                                             \
                     .aan_input_gate = "aan_*i",                                                                       \
                     AROUND(aan_, "aan_ffn", "aan_ffn") },                                                             \
        .output = "decoder_ff_logit_out_Wt", .output_bias = "decoder_ff_logit_out_b", .weight = "W", .bias = "b",      \
        .norm_scale = scale, .norm_shift = shift                                                                       \
    }

static const TensorNames layer_norm_names = NAMES("ln_scale", "ln_bias");
static const TensorNames rms_norm_names = NAMES("rms_scale", "rms_bias");

/* Rejects options that change the arithmetic in unsupported ways. */
static Status refuse_others(JsonObject json, Err *err)
{
    static const char *const off[] = { "transformer-pool", "ulr", "right-left" };
    static const struct {
        const char *key, *only;
    } fixed[] = { { "type", "transformer" }, { "transformer-attention-mask", "default" } };
    const cJSON *lemma = json_member(json, "lemma-dim-emb");
    Status st = json_require(json, "type", err);
    bool on = false;

    for (size_t i = 0; st == OK && i < sizeof fixed / sizeof *fixed; i++) {
        const char *value = fixed[i].only;
        st = json_get_string(json, fixed[i].key, &value, err);
        if (st == OK && strcmp(value, fixed[i].only) != 0)
            return err_set(err, ERR_UNSUPPORTED, "%s: %s \"%s\" is not supported: only \"%s\" is", json.file,
                           fixed[i].key, value, fixed[i].only);
    }
    for (size_t i = 0; st == OK && i < sizeof off / sizeof *off; i++) {
        st = json_get_bool(json, off[i], &on, err);
        if (st == OK && on) return err_set(err, ERR_UNSUPPORTED, "%s: %s is not supported", json.file, off[i]);
    }
    if (st == OK && lemma && !(cJSON_IsNumber(lemma) && lemma->valuedouble == 0))
        return err_set(err, ERR_UNSUPPORTED, "%s: lemma-dim-emb: factored vocabularies are not supported", json.file);
    return st;
}

/* True when the Marian version that wrote the model is at least this one: "v1.9.56; ...". */
static bool is_since(JsonObject json, unsigned long major, unsigned long minor, unsigned long patch)
{
    const char *version = cJSON_GetStringValue(json_member(json, "version"));
    const unsigned long wanted[3] = { major, minor, patch };

    if (!version) return false;
    if (*version == 'v') version++;
    for (size_t i = 0; i < 3; i++) {
        char *end;
        unsigned long number = strtoul(version, &end, 10);
        if (end == version || number != wanted[i]) return end != version && number > wanted[i];
        version = *end == '.' ? end + 1 : end;
    }
    return true;
}

static Status read_shapes(ModelConfig *config, JsonObject json, Err *err)
{
    StackConfig *encoder = &config->encoder, *decoder = &config->decoder;
    Status st = family_read_size(&config->d_model, json, "dim-emb", FAMILY_MAX_SIDE, err);

    if (st == OK) st = family_read_size(&encoder->layers, json, "enc-depth", FAMILY_MAX_LAYERS, err);
    if (st == OK) st = family_read_size(&decoder->layers, json, "dec-depth", FAMILY_MAX_LAYERS, err);
    if (st == OK) st = family_read_size(&encoder->heads, json, "transformer-heads", FAMILY_MAX_SIDE, err);
    /* The decoder may have settings of its own. */
    if (st == OK) {
        st = family_read_size(&encoder->ffn, json, "transformer-dim-ffn", FAMILY_MAX_SIDE, err);
        encoder->ffn_depth = 2;
        if (st == OK) st = json_get_size(json, "transformer-ffn-depth", 1, FAMILY_MAX_LAYERS, &encoder->ffn_depth, err);
        if (st == OK) st = json_get_size(json, "transformer-decoder-dim-ffn", 0, FAMILY_MAX_SIDE, &decoder->ffn, err);
        if (st == OK)
            st = json_get_size(json, "transformer-decoder-ffn-depth", 0, FAMILY_MAX_LAYERS, &decoder->ffn_depth, err);
        if (!decoder->ffn) decoder->ffn = encoder->ffn;
        if (!decoder->ffn_depth) decoder->ffn_depth = encoder->ffn_depth;
    }
    if (st != OK) return st;
    if (config->d_model % encoder->heads)
        return err_set(err, ERR_FORMAT, "%s: dim-emb (%zu) is not a multiple of the %zu heads", json.file,
                       config->d_model, encoder->heads);
    encoder->head_size = decoder->head_size = config->d_model / encoder->heads;
    decoder->heads = encoder->heads;
    /* dim-vocabs: [source, target] */
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

/* The steps of the letters other than d; n and r are different kinds of norm. */
typedef struct {
    SublayerSteps steps;
    bool n, r;
} Letters;

static Status read_letters(Letters *out, JsonObject json, const char *key, const char *known, size_t most, Err *err)
{
    const char *letters = "";
    size_t count = 0;
    Status st = json_get_string(json, key, &letters, err);

    *out = (Letters){ { STEP_END }, false, false };
    for (; st == OK && *letters; letters++) {
        if (*letters == 'd') continue;
        if (!strchr(known, *letters))
            return err_set(err, ERR_UNSUPPORTED, "%s: %s: '%c' is not supported; the supported letters are d%s",
                           json.file, key, *letters, known);
        if (count == most)
            return err_set(err, ERR_UNSUPPORTED, "%s: %s has more than %zu letters besides d", json.file, key, most);
        out->n |= *letters == 'n';
        out->r |= *letters == 'r';
        out->steps[count++] = *letters == 'a' ? STEP_ADD : *letters == 'h' ? STEP_HIGHWAY : STEP_NORM;
    }
    return st;
}

static Status read_norms(ModelConfig *config, JsonObject json, Err *err)
{
    Letters before, after, embedding, top;
    Status st = read_letters(&before, json, "transformer-preprocess", "nr", 1, err);

    if (st == OK) st = read_letters(&after, json, "transformer-postprocess", "anrh", SUBLAYER_MAX_STEPS, err);
    if (st == OK) st = read_letters(&embedding, json, "transformer-postprocess-emb", "nr", 1, err);
    if (st == OK) st = read_letters(&top, json, "transformer-postprocess-top", "anrh", SUBLAYER_MAX_STEPS, err);
    if (st != OK) return st;
    if ((before.n || after.n || embedding.n || top.n) && (before.r || after.r || embedding.r || top.r))
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: mixing n and r in transformer-preprocess and transformer-postprocess is not supported",
                       json.file);
    config->norm.kind = before.r || after.r || embedding.r || top.r ? NORM_RMS : NORM_FUSED;
    config->names = config->norm.kind == NORM_RMS ? &rms_norm_names : &layer_norm_names;
    config->sublayer.pre_norm = *before.steps != STEP_END;
    memcpy(config->sublayer.after, after.steps, sizeof after.steps);
    memcpy(config->sublayer.after_stack, top.steps, sizeof top.steps);
    config->embedding.has_layernorm = *embedding.steps != STEP_END;
    /* Since 1.11.0 the encoder's self-attention computes keys and values from normalized inputs. The decoder's does so
     * only where the first position attends to itself. */
    config->encoder.norm_query_only = config->sublayer.pre_norm && !is_since(json, 1, 11, 0);
    config->decoder.norm_query_only = config->sublayer.pre_norm;
    config->attention.norm_first_key = config->sublayer.pre_norm && is_since(json, 1, 11, 0);
    return OK;
}

/* transformer-tied-layers: for each layer the number, from 1, of the layer whose weights it uses. An empty list
 * ties nothing. */
static Status read_tied_layers(ModelConfig *config, JsonObject json, Err *err)
{
    const cJSON *list = json_member(json, "transformer-tied-layers"), *item;
    size_t count = 0;

    if (!list || (cJSON_IsArray(list) && !list->child)) return OK;
    if (!cJSON_IsArray(list) || (size_t)cJSON_GetArraySize(list) != config->decoder.layers)
        return err_set(err, ERR_FORMAT,
                       "%s: transformer-tied-layers must have one number for each of the dec-depth layers", json.file);
    config->decoder_layer.tied = calloc(config->decoder.layers, sizeof *config->decoder_layer.tied);
    if (!config->decoder_layer.tied) return err_memory(err, "the model's settings");
    cJSON_ArrayForEach(item, list)
    {
        int64_t number;
        if (!json_to_int64(item, 1, FAMILY_MAX_LAYERS, &number))
            return err_set(err, ERR_FORMAT, "%s: transformer-tied-layers must hold numbers from 1 to %d", json.file,
                           FAMILY_MAX_LAYERS);
        config->decoder_layer.tied[count++] = (size_t)number - 1;
    }
    return OK;
}

/* Before 1.12.3, Marian's gelu was x * sigmoid(1.702 x). */
static Status read_activation(Activation *out, JsonObject json, const char *key, Err *err)
{
    const char *name = "swish";
    Status st = json_get_string(json, key, &name, err);

    if (st != OK) return st;
    if (strcmp(name, "gelu") == 0 && !is_since(json, 1, 12, 3)) name = "quick_gelu";
    return family_find_activation(out, name, key, json, err);
}

static Status read_decoder_kind(ModelConfig *config, JsonObject json, Err *err)
{
    const char *kind = "self-attention", *cell = "ssru";
    Status st = json_get_string(json, "transformer-decoder-autoreg", &kind, err);

    if (st == OK) st = json_get_string(json, "dec-cell", &cell, err);
    if (st == OK) st = json_get_bool(json, "transformer-no-projection", &config->attention.no_output_projection, err);
    if (st != OK || strcmp(kind, "self-attention") == 0) return st;
    if (strcmp(kind, "average-attention") == 0) {
        config->decoder_layer.kind = DECODER_AAN;
        AanConfig *aan = &config->decoder_layer.aan;
        bool no_gate = false;
        st = json_get_bool(json, "transformer-aan-nogate", &no_gate, err);
        *aan = (AanConfig){ .width = 2048, .depth = 2, .has_gate = !no_gate };
        if (st == OK) st = json_get_size(json, "transformer-dim-aan", 1, FAMILY_MAX_SIDE, &aan->width, err);
        if (st == OK) st = json_get_size(json, "transformer-aan-depth", 1, FAMILY_MAX_LAYERS, &aan->depth, err);
        if (aan->depth == 1) aan->width = 0; /* not used, and no tensor confirms it */
        return st == OK ? read_activation(&aan->activation, json, "transformer-aan-activation", err) : st;
    }
    config->decoder_layer.kind = DECODER_SSRU;
    if (strcmp(kind, "rnn") == 0 && strcmp(cell, "ssru") == 0)
        return json_get_bool(json, "transformer-rnn-projection", &config->decoder_layer.ssru_projection, err);
    return err_set(err, ERR_UNSUPPORTED,
                   "%s: transformer-decoder-autoreg \"%s\" (dec-cell \"%s\") is not supported; use \"self-attention\", "
                   "\"average-attention\", or \"rnn\" with \"ssru\"",
                   json.file, kind, cell);
}

/* The layer of the guided alignment, from 1. As in Marian, a layer that does not exist matters only to alignments. */
static Status read_alignment(ModelConfig *config, JsonObject json, Err *err)
{
    const char *key = "transformer-guided-alignment-layer", *word;
    const cJSON *node = json_member(json, key);
    int64_t layer;

    if (!node || ((word = cJSON_GetStringValue(node)) && strcmp(word, "last") == 0)) return OK;
    if (!json_to_int64(node, 0, FAMILY_MAX_LAYERS, &layer))
        return err_set(err, ERR_FORMAT, "%s: %s must be \"last\" or a number from 1 to %d", json.file, key,
                       FAMILY_MAX_LAYERS);
    config->alignment.layer_from_end =
        layer > 0 && (size_t)layer <= config->decoder.layers ? config->decoder.layers - (size_t)layer + 1 : 0;
    return OK;
}

static Status read_config(ModelConfig *config, JsonObject json, Err *err)
{
    Status st = refuse_others(json, err);

    if (st == OK) st = read_shapes(config, json, err);
    if (st == OK) st = read_norms(config, json, err);
    if (st == OK) st = read_tied_layers(config, json, err);
    if (st == OK) st = read_alignment(config, json, err);
    if (st == OK) st = read_decoder_kind(config, json, err);
    if (st == OK) st = read_activation(&config->ffn.activation, json, "transformer-ffn-activation", err);
    /* Marian's "transformer" ignores transformer-train-position-embeddings. Only models trained by another program
     * store learned positions. */
    if (st == OK) {
        bool learned = false, none = false;
        st = json_get_bool(json, "transformer-train-position-embeddings", &learned, err);
        if (st == OK) st = json_get_bool(json, "transformer-disable-position-embeddings", &none, err);
        config->positions.kind = none ? POSITIONS_NONE : learned ? POSITIONS_LEARNED : POSITIONS_TENSOR2TENSOR;
        config->positions.max_is_guess = config->positions.kind == POSITIONS_LEARNED;
        config->embedding.scale = 1;
        config->positions.fallback_scale = (float)sqrt((double)config->d_model);
        if (config->positions.kind == POSITIONS_TENSOR2TENSOR)
            config->embedding.scale = config->positions.fallback_scale;
    }
    if (st != OK) return st;
    bool all = false, source = false, output = false, no_bias = false;
    st = json_get_bool(json, "tied-embeddings-all", &all, err);
    if (st == OK) st = json_get_bool(json, "tied-embeddings-src", &source, err);
    if (st == OK) st = json_get_bool(json, "tied-embeddings", &output, err);
    if (st == OK) st = json_get_bool(json, "output-omit-bias", &no_bias, err);
    config->embedding.shared = all || source;
    config->output.tied = all || output;
    config->output.use_bias = !no_bias;
    if (st != OK || !config->embedding.shared || config->encoder.vocab == config->decoder.vocab) return st;
    return err_set(err, ERR_FORMAT, "%s: the embeddings are shared, but dim-vocabs are %zu and %zu", json.file,
                   config->encoder.vocab, config->decoder.vocab);
}

const Family marian_nmt_family = {
    .name = "marian-nmt",
    .read = read_config,
    .config = { .embedding.zero_start = true,
                .positions = { .max = MAX_POSITIONS,
                               .max_source = MAX_SOURCE,
                               .allow_more_rows = true,
                               .padding_id = -1 },
                .attention.use_bias = true,
                .alignment = { .layer_from_end = 1, .heads = 1 },
                .ffn.use_bias = true,
                .norm = { .eps = NORM_EPS, .use_bias = true },
                .output.scale = 1,
                .defaults = { .start = 0, .eos = 0, .forced_bos = -1, .forced_eos = -1 } },
};

/* --- The folder. --- */

/* Returns the precision that Firefox uses for a student model; NULL for other models. */
static const char *firefox_precision(const Weights *weights)
{
    static const char alpha[] = "_QuantMultA";
    bool is_8bit = false;

    for (size_t i = 0; i < weights_count(weights); i++) {
        const Tensor *t = weights_at(weights, i);
        is_8bit |= t->dtype == DTYPE_S8;
        if (text_ends_with(t->name, alpha)) return "int8shiftAlphaAll";
    }
    return is_8bit ? "int8shiftAll" : NULL;
}

/* *precision is set to firefox_precision(). */
static Status read_model(ModelConfig *out, const char **precision, ModelFolder *folder, Err *err)
{
    Weights *weights = NULL;
    const Tensor *t;
    cJSON *tree = NULL;
    JsonObject json;
    Buf name = { 0 };
    Status st;

    if (model_folder_is_packed(folder)) {
        buf_put_format(&name, "%s/" MARIAN_SETTINGS, model_folder_path(folder));
        st = buf_check(&name, err);
        if (st == OK) st = model_folder_yaml_path(folder, name.data, &json, err);
        buf_free(&name);
        return st == OK ? read_config(out, json, err) : st;
    }
    st = weights_open(&weights, folder, err);
    if (st != OK) return st;
    t = weights_find(weights, MARIAN_SETTINGS);
    buf_put_format(&name, "%s: " MARIAN_SETTINGS, weights_path(weights));
    st = buf_check(&name, err);
    if (st == OK && (!t || !t->bytes))
        st = err_set(err, ERR_FORMAT, "%s is missing; it holds the settings of the model", name.data);
    /* The settings end with a NUL. */
    if (st == OK)
        st = yaml_tree_parse(&tree, (const char *)t->data, strnlen((const char *)t->data, t->bytes), name.data, NULL,
                             err);
    if (st == OK) st = read_config(out, (JsonObject){ tree, name.data }, err);
    *precision = firefox_precision(weights);
    cJSON_Delete(tree);
    buf_free(&name);
    weights_free(weights);
    return st;
}

/* Models are moved together with their files: looks for the file beside the model, with and without the folders
 * in its name, and then at the name itself. */
static Status set_path(char **out, ModelFolder *folder, const char *name, Err *err)
{
    char *path = strdup(name);
    const char *beside = model_folder_place(folder);
    char *candidates[] = { path ? path_join(*path == '/' ? "" : beside, path) : NULL,
                           path ? path_join(beside, path_name(path)) : NULL, path };
    const size_t count = sizeof candidates / sizeof *candidates;
    size_t best = 0;

    while (best < count && candidates[best] && !model_folder_has_path(folder, candidates[best])) best++;
    if (best == count) best = 0; /* for the message */
    free(*out);
    *out = candidates[best];
    for (size_t i = 0; i < count; i++)
        if (i != best) free(candidates[i]);
    return *out ? OK : err_memory(err, "a path");
}

/* Uses the vocabularies of decoder.yml only if both exist, because folders are moved. */
static Status take_named_vocabs(ModelConfig *config, ModelFolder *folder, JsonObject json, Err *err)
{
    const cJSON *list = json_member(json, "vocabs");
    const cJSON *source = cJSON_IsArray(list) ? list->child : NULL, *target = source ? source->next : NULL;
    Status st;

    if (!cJSON_IsString(source) || !cJSON_IsString(target)) return OK;
    st = set_path(&config->vocab_files.source, folder, source->valuestring, err);
    if (st == OK) st = set_path(&config->vocab_files.target, folder, target->valuestring, err);
    if (st != OK || (model_folder_has_path(folder, config->vocab_files.source) &&
                     model_folder_has_path(folder, config->vocab_files.target)))
        return st;
    free(config->vocab_files.source);
    free(config->vocab_files.target);
    config->vocab_files.source = config->vocab_files.target = NULL;
    return OK;
}

/* Without a file of search settings, students are searched as in Firefox, with the shortlist found in the
 * folder. */
static Status set_defaults(cJSON **tree, ModelFolder *folder, const char *precision, Err *err)
{
    static const char *const lists[] = { "lex*.s2t.bin", "lex*.s2t.bin.gz", "lex*.s2t.bin.zst" };
    const char *name = NULL;
    bool done;

    for (size_t i = 0; !name && i < sizeof lists / sizeof *lists; i++) name = model_folder_match(folder, lists[i]);
    *tree = cJSON_CreateObject();
    done = *tree && (!name || cJSON_AddStringToObject(*tree, "shortlist", name));
    if (precision)
        done = done && cJSON_AddNumberToObject(*tree, "beam-size", 1) &&
               cJSON_AddNumberToObject(*tree, "normalize", 1) &&
               cJSON_AddNumberToObject(*tree, "max-length-factor", 2) &&
               cJSON_AddStringToObject(*tree, "gemm-precision", precision);
    return done ? OK : err_memory(err, "settings");
}

/* Reads the rounding of int8 matmuls, and the shortlist if the file exists: FILE, or [FILE, first, best]. A binary
 * FILE is followed by other values. */
static Status read_students(ModelConfig *config, ModelFolder *folder, JsonObject json, Err *err)
{
    const cJSON *list = json_member(json, "shortlist"), *file = cJSON_IsArray(list) ? list->child : list;
    const cJSON *first = cJSON_IsArray(list) && file ? file->next : NULL, *best = first ? first->next : NULL;
    const char *precision = "";
    Status st = json_get_string(json, "gemm-precision", &precision, err);

    if (text_begins_with(precision, "int8shift"))
        config->int8.shift = strstr(precision, "All") ? SHIFT_ALL : SHIFT_WITH_BIAS;
    if (cJSON_IsNumber(first) && cJSON_IsNumber(best)) {
        config->shortlist.has_limits = true;
        config->shortlist.first = first->valueint > 0 ? first->valueint : 0;
        config->shortlist.best = best->valueint > 0 ? best->valueint : 0;
    }
    if (st != OK || !cJSON_IsString(file)) return st;
    st = set_path(&config->shortlist.path, folder, file->valuestring, err);
    if (st != OK || model_folder_has_path(folder, config->shortlist.path)) return st;
    free(config->shortlist.path);
    config->shortlist.path = NULL;
    return OK;
}

static Status take_usual_vocabs(ModelConfig *config, ModelFolder *folder, JsonObject json, Err *err)
{
    static const struct {
        const char *source, *target;
    } usual[] = {
        { "vocab.spm", "vocab.spm" },
        { "src.spm", "trg.spm" },
        { "srcvocab.*.spm", "trgvocab.*.spm" },
        { "vocab.*.spm", "vocab.*.spm" },
        { "srcvocab.*.spm.gz", "trgvocab.*.spm.gz" },
        { "vocab.*.spm.gz", "vocab.*.spm.gz" },
        { "srcvocab.*.spm.zst", "trgvocab.*.spm.zst" },
        { "vocab.*.spm.zst", "vocab.*.spm.zst" },
        { "vocab.yml", "vocab.yml" },
        { "*.src.vocab.yml", "*.trg.vocab.yml" },
        { "*.vocab.yml", "*.vocab.yml" },
        { "vocab.json", "vocab.json" },
        { "vocab.txt", "vocab.txt" },
        { "source.spm", "target.spm" },
    };
    const cJSON *list = json_member(json, "vocabs");
    const char *first = cJSON_GetStringValue(cJSON_IsArray(list) ? list->child : NULL); /* which does not exist */
    Status st = OK;

    for (size_t i = 0; st == OK && !config->vocab_files.source && i < sizeof usual / sizeof *usual; i++) {
        const char *source = model_folder_match(folder, usual[i].source);
        const char *target = model_folder_match(folder, usual[i].target);
        if (source && target) {
            st = set_path(&config->vocab_files.source, folder, source, err);
            if (st == OK) st = set_path(&config->vocab_files.target, folder, target, err);
        }
    }
    if (st != OK || config->vocab_files.source) return st;
    if (first)
        return err_set(
            err, ERR_IO,
            "%s: some of its vocabs (%s, ...) do not exist; name them with " SETTING(VOCABS) " SOURCE,TARGET",
            json.file, first);
    return err_set(err, ERR_IO, "%s: no vocabulary found; name it with " SETTING(VOCABS) " SOURCE,TARGET",
                   model_folder_place(folder));
}

/* Reads the settings from a file, or sets *own to the defaults. */
static Status read_settings(JsonObject *out, cJSON **own, ModelFolder *folder, const char *precision, Err *err)
{
    /* Read the decoder's settings. A file named after the model takes precedence. Without a file, out->node is
     * NULL. */
    const char *const *name = model_folder_settings;
    Buf path = { 0 };
    Status st;

    *out = (JsonObject){ NULL, "" };
    buf_put_format(&path, "%s.decoder.yml", model_folder_path(folder));
    st = buf_check(&path, err);
    while (st == OK && *name && !model_folder_has_path(folder, path.data)) {
        buf_clear(&path);
        buf_put_format(&path, "%s/%s", model_folder_place(folder), *name++);
        st = buf_check(&path, err);
    }
    if (st == OK && model_folder_has_path(folder, path.data)) st = model_folder_yaml_path(folder, path.data, out, err);
    buf_free(&path);

    if (st == OK && !out->node) {
        st = set_defaults(own, folder, precision, err);
        out->node = *own;
    }
    return st;
}

Status marian_folder_read(ModelConfig *out, ModelFolder *folder, const char *vocabs, Err *err)
{
    const char *precision = NULL;
    cJSON *own = NULL;
    JsonObject json;
    Status st;

    family_set_defaults(out, &marian_nmt_family);
    st = read_model(out, &precision, folder, err);
    if (st == OK) st = read_settings(&json, &own, folder, precision, err);
    if (st == OK) {
        SearchParams *search = &out->search;
        bool allow_unk = false;
        *search = (SearchParams){ .rules = search_rules_marian,
                                  .beams = DEFAULT_BEAMS,
                                  .n_best = 1,
                                  .max_length = out->positions.max,
                                  .length_factor = DEFAULT_FACTOR,
                                  .repetition_penalty = 1,
                                  .encoder_repetition_penalty = 1,
                                  .start = out->defaults.start,
                                  .forced_bos = -1 };
        st = ids_append(&search->eos, out->defaults.eos, err);
        if (st == OK) st = json_get_size(json, "beam-size", 1, MAX_BEAMS, &search->beams, err);
        if (st == OK) st = json_get_float(json, "normalize", -100, 100, &search->length_penalty, err);
        if (st == OK) st = json_get_float(json, "word-penalty", -1000, 1000, &search->word_penalty, err);
        if (st == OK) st = json_get_float(json, "max-length-factor", 0.01, 1000, &search->length_factor, err);
        if (st == OK) st = json_get_bool(json, "allow-unk", &allow_unk, err);
        search->allow_unk = allow_unk;
    }
    if (st == OK) st = read_students(out, folder, json, err);
    if (st == OK && vocabs) {
        const char *comma = strchr(vocabs, ',');
        if (!*vocabs || *vocabs == ',' || (comma && !comma[1]))
            st = err_set(err, ERR_USAGE,
                         SETTING(VOCABS) " %s: a file name is empty; give SOURCE,TARGET or one file for both", vocabs);
        else if (!(out->vocab_files.source = strndup(vocabs, comma ? (size_t)(comma - vocabs) : strlen(vocabs))) ||
                 !(out->vocab_files.target = strdup(comma ? comma + 1 : vocabs)))
            st = err_memory(err, "a path");
    }
    if (st == OK && !out->vocab_files.source) st = take_named_vocabs(out, folder, json, err);
    if (st == OK && !out->vocab_files.source) st = take_usual_vocabs(out, folder, json, err);
    cJSON_Delete(own);
    return st;
}

/* Writes the shortlist as in the settings, with the file's name without folders. */
static bool name_shortlist(cJSON *tree, const ModelConfig *config)
{
    cJSON *list = cJSON_CreateArray();
    bool done = list && cJSON_AddItemToArray(list, cJSON_CreateString(path_name(config->shortlist.path)));

    if (config->shortlist.has_limits)
        done = done && cJSON_AddItemToArray(list, cJSON_CreateNumber((double)config->shortlist.first)) &&
               cJSON_AddItemToArray(list, cJSON_CreateNumber((double)config->shortlist.best));
    if (done && cJSON_AddItemToObject(tree, "shortlist", list)) return true;
    cJSON_Delete(list);
    return false;
}

/* Writes the names of the packed files. */
static Status name_files(cJSON *tree, const ModelConfig *config, Err *err)
{
    const char *source = path_name(config->vocab_files.source), *target = path_name(config->vocab_files.target);
    cJSON *vocabs = cJSON_CreateArray();
    bool done = vocabs && cJSON_AddItemToArray(vocabs, cJSON_CreateString(source)) &&
                cJSON_AddItemToArray(vocabs, cJSON_CreateString(target));

    cJSON_DeleteItemFromObjectCaseSensitive(tree, "vocabs");
    cJSON_DeleteItemFromObjectCaseSensitive(tree, "shortlist");
    if (done && cJSON_AddItemToObject(tree, "vocabs", vocabs)) vocabs = NULL;
    cJSON_Delete(vocabs);
    done = done && !vocabs && (!config->shortlist.path || name_shortlist(tree, config));
    if (!done) return err_memory(err, "settings");
    if (strcmp(source, target) == 0 && strcmp(config->vocab_files.source, config->vocab_files.target) != 0)
        return err_set(err, ERR_UNSUPPORTED, "%s and %s: two files with the same name cannot be packed",
                       config->vocab_files.source, config->vocab_files.target);
    return OK;
}

Status marian_folder_print(char **json, ModelFolder *folder, const Weights *weights, const ModelConfig *config,
                           Err *err)
{
    cJSON *own = NULL, *tree;
    JsonObject settings;
    Status st = read_settings(&settings, &own, folder, firefox_precision(weights), err);

    *json = NULL;
    if (st != OK) return st;
    tree = own ? own : cJSON_Duplicate(settings.node, true);
    st = tree ? name_files(tree, config, err) : err_memory(err, "settings");
    if (st == OK && !(*json = json_print(tree))) st = err_memory(err, "settings");
    cJSON_Delete(tree);
    return st;
}
