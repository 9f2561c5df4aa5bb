/* marian_folder.c - see family.h. A model contains the options of the training program, marian; decoder.yml has those
 * of marian-decoder. Names and defaults are Marian's. Options that are neither read nor rejected affect only speed and
 * memory. Embeddings are scaled by sqrt(d), positions are Tensor2Tensor's from 0 on, and the decoder's start token has
 * an embedding of zeros. Letters of transformer-preprocess and transformer-postprocess: d is dropout, used only in
 * training; n a LayerNorm, r an RMS norm, a adds the sublayer's input, h a highway.
 * Source: src/models/transformer.h of marian-nmt/marian-dev. */
#include "family.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "path.h"
#include "text.h"
#include "tree_file.h"
#include "weights.h"

#define DEFAULT_BEAMS  12
#define DEFAULT_FACTOR 3

/* --- The family. --- */

/* The epsilon of the norms. Marian uses 1e-9 or 1e-6, depending on the version. */
#define NORM_EPS 1e-6f

/* Computed positions have no natural limit; these numbers limit their memory. */
#define MAX_SOURCE    512
#define MAX_POSITIONS 2048

/* The names of the norms and the highway around a sublayer. */
#define AROUND(before, after)                                                                                          \
    {                                                                                                                  \
        before "_*_pre", after "_*", after "_*h"                                                                       \
    }

#define ATTENTION(kind)                                                                                                \
    {                                                                                                                  \
        .query = kind "_*q", .key = kind "_*k", .value = kind "_*v", .output = kind "_*o",                             \
        .around = AROUND(kind "_Wo", kind "_Wo")                                                                       \
    }
#define STACK(name)                                                                                                    \
    .positions = { "Wpos" }, .embedding_norm = name "_emb_*_pre",                                                      \
    .top = { .norm = name "_top_*", .highway = name "_top_*h" }, .layer = name "_l{n}_", .self = ATTENTION("self"),    \
    .ffn_in = "ffn_*{k}", .ffn_out = "ffn_*{k}", .ffn_around = AROUND("ffn_ffn", "ffn_ffn")
#define NAMES(scale, shift)                                                                                            \
    {                                                                                                                  \
        .shared_embeddings = { "Wemb" }, .encoder = { STACK("encoder"), .embeddings = { "encoder_Wemb" } },            \
        .decoder = { STACK("decoder"),                                                                                 \
                     .embeddings = { "decoder_Wemb" },                                                                 \
                     .cross = ATTENTION("context"),                                                                    \
                     .ssru_in = "rnn_*",                                                                               \
                     .ssru_gate = "rnn_*f",                                                                            \
                     .ssru_out = "rnn_*o",                                                                             \
                     .ssru_around = AROUND("rnn", "rnn_ffn"),                                                          \
                     .aan_linear = "aan_*{k}",                                                                         \
                     .aan_gate = "aan_*f",                                                                             \
                     .aan_input_gate = "aan_*i",                                                                       \
                     .aan_around = AROUND("aan_ffn", "aan_ffn") },                                                     \
        .output = "decoder_ff_logit_out_Wt", .output_bias = "decoder_ff_logit_out_b", .weight = "W", .bias = "b",      \
        .norm_scale = scale, .norm_shift = shift                                                                       \
    }

static const TensorNames layer_norm_names = NAMES("ln_scale", "ln_bias");
static const TensorNames rms_norm_names = NAMES("rms_scale", "rms_bias");

/* Rejects options that change the arithmetic in unsupported ways. */
static void refuse_others(JsonReader *r)
{
    static const char *const off[] = { "transformer-pool", "ulr", "right-left" };
    static const struct {
        const char *key, *only;
    } fixed[] = { { "type", "transformer" }, { "transformer-attention-mask", "default" } };
    const cJSON *lemma = json_member(r->json, "lemma-dim-emb");

    if (r->st == OK) r->st = json_require(r->json, "type", r->err);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        const char *value = fixed[i].only;
        json_read_string(r, fixed[i].key, &value);
        if (strcmp(value, fixed[i].only) != 0)
            json_fault(r, ERR_UNSUPPORTED, "%s \"%s\" is not supported: only \"%s\" is", fixed[i].key, value,
                       fixed[i].only);
    }
    for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
        bool on = false;
        json_read_bool(r, off[i], &on);
        if (on) json_fault(r, ERR_UNSUPPORTED, "%s is not supported", off[i]);
    }
    if (lemma && !(cJSON_IsNumber(lemma) && lemma->valuedouble == 0))
        json_fault(r, ERR_UNSUPPORTED, "lemma-dim-emb: factored vocabularies are not supported");
}

/* True when the version of Marian that wrote the model ("v1.9.56; ...") is at least major.minor.patch. */
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

static void read_shapes(ModelConfig *config, JsonReader *r)
{
    StackConfig *encoder = &config->encoder, *decoder = &config->decoder;
    const cJSON *list = json_member(r->json, "dim-vocabs"); /* [source, target] */
    int64_t sizes[2];

    family_read_size(r, "dim-emb", FAMILY_MAX_SIDE, &config->d_model);
    family_read_size(r, "enc-depth", FAMILY_MAX_LAYERS, &encoder->layers);
    family_read_size(r, "dec-depth", FAMILY_MAX_LAYERS, &decoder->layers);
    family_read_size(r, "transformer-heads", FAMILY_MAX_SIDE, &encoder->heads);
    family_read_size(r, "transformer-dim-ffn", FAMILY_MAX_SIDE, &encoder->ffn);
    encoder->ffn_depth = 2;
    json_read_size(r, "transformer-ffn-depth", 1, FAMILY_MAX_LAYERS, &encoder->ffn_depth);
    /* The feed-forward of the decoder may have other sizes; 0: those of the encoder. */
    json_read_size(r, "transformer-decoder-dim-ffn", 0, FAMILY_MAX_SIDE, &decoder->ffn);
    json_read_size(r, "transformer-decoder-ffn-depth", 0, FAMILY_MAX_LAYERS, &decoder->ffn_depth);
    if (!decoder->ffn) decoder->ffn = encoder->ffn;
    if (!decoder->ffn_depth) decoder->ffn_depth = encoder->ffn_depth;
    if (r->st != OK) return;
    if (config->d_model % encoder->heads) {
        json_fault(r, ERR_FORMAT, "dim-emb (%zu) is not a multiple of the %zu heads", config->d_model, encoder->heads);
        return;
    }
    encoder->head_size = decoder->head_size = config->d_model / encoder->heads;
    decoder->heads = encoder->heads;
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != 2 ||
        !json_to_int64(list->child, 1, FAMILY_MAX_VOCAB, &sizes[0]) ||
        !json_to_int64(list->child->next, 1, FAMILY_MAX_VOCAB, &sizes[1])) {
        json_fault(r, ERR_FORMAT, "dim-vocabs must be a list of two sizes, at most %d each", FAMILY_MAX_VOCAB);
        return;
    }
    encoder->vocab = (size_t)sizes[0];
    decoder->vocab = (size_t)sizes[1];
}

/* The steps of an option's letters other than d. n and r are both STEP_NORM; the flags say which of them occurs. */
typedef struct {
    SublayerSteps steps;
    bool n, r;
} Letters;

static Letters read_letters(JsonReader *r, const char *key, const char *known, size_t most)
{
    Letters out = { { STEP_END }, false, false };
    const char *letters = "";
    size_t count = 0;

    json_read_string(r, key, &letters);
    for (; r->st == OK && *letters; letters++) {
        if (*letters == 'd') continue;
        if (!strchr(known, *letters)) {
            json_fault(r, ERR_UNSUPPORTED, "%s: '%c' is not supported; the supported letters are d%s", key, *letters,
                       known);
        } else if (count == most) {
            json_fault(r, ERR_UNSUPPORTED, "%s has more than %zu letters besides d", key, most);
        } else {
            out.n |= *letters == 'n';
            out.r |= *letters == 'r';
            out.steps[count++] = *letters == 'a' ? STEP_ADD : *letters == 'h' ? STEP_HIGHWAY : STEP_NORM;
        }
    }
    return out;
}

static void read_norms(ModelConfig *config, JsonReader *r)
{
    const Letters before = read_letters(r, "transformer-preprocess", "nr", 1);
    const Letters after = read_letters(r, "transformer-postprocess", "anrh", SUBLAYER_MAX_STEPS);
    const Letters embedding = read_letters(r, "transformer-postprocess-emb", "nr", 1);
    const Letters top = read_letters(r, "transformer-postprocess-top", "anrh", SUBLAYER_MAX_STEPS);
    const bool n = before.n || after.n || embedding.n || top.n, rms = before.r || after.r || embedding.r || top.r;

    if (n && rms)
        json_fault(r, ERR_UNSUPPORTED,
                   "mixing n and r in transformer-preprocess and transformer-postprocess is not supported");
    config->norm.kind = rms ? NORM_RMS : NORM_FUSED;
    config->names = rms ? &rms_norm_names : &layer_norm_names;
    config->sublayer.pre_norm = *before.steps != STEP_END;
    memcpy(config->sublayer.after, after.steps, sizeof after.steps);
    memcpy(config->sublayer.after_stack, top.steps, sizeof top.steps);
    config->embedding.has_layernorm = *embedding.steps != STEP_END;
    /* Since Marian 1.11.0, the encoder's self-attention computes keys and values from normalized inputs. The decoder's
     * does so only for the first position, which attends to itself. */
    config->encoder.norm_query_only = config->sublayer.pre_norm && !is_since(r->json, 1, 11, 0);
    config->decoder.norm_query_only = config->sublayer.pre_norm;
    config->attention.norm_first_key = config->sublayer.pre_norm && is_since(r->json, 1, 11, 0);
}

/* transformer-tied-layers: for each layer the number, from 1, of the layer whose weights it uses. An empty list
 * ties nothing. */
static void read_tied_layers(ModelConfig *config, JsonReader *r)
{
    const cJSON *list = json_member(r->json, "transformer-tied-layers"), *item;
    const size_t layers = config->decoder.layers;
    size_t *tied = NULL, count = 0;

    if (r->st != OK || !list || (cJSON_IsArray(list) && !list->child)) return;
    if (!cJSON_IsArray(list) || (size_t)cJSON_GetArraySize(list) != layers) {
        json_fault(r, ERR_FORMAT, "transformer-tied-layers must have one number for each of the dec-depth layers");
        return;
    }
    config->decoder_layer.tied = tied = calloc(layers, sizeof *tied);
    if (!tied) r->st = err_memory(r->err, "the model's settings");
    for (item = list->child; tied && item; item = item->next) {
        int64_t number = 1;
        if (!json_to_int64(item, 1, FAMILY_MAX_LAYERS, &number))
            json_fault(r, ERR_FORMAT, "transformer-tied-layers must hold numbers from 1 to %d", FAMILY_MAX_LAYERS);
        tied[count++] = (size_t)number - 1;
    }
}

/* Before 1.12.3, Marian's gelu was x * sigmoid(1.702 x). */
static void read_activation(JsonReader *r, const char *key, Activation *out)
{
    const char *name = "swish";

    json_read_string(r, key, &name);
    if (strcmp(name, "gelu") == 0 && !is_since(r->json, 1, 12, 3)) name = "quick_gelu";
    family_find_activation(r, key, name, out);
}

static void read_decoder_kind(ModelConfig *config, JsonReader *r)
{
    const char *kind = "self-attention", *cell = "ssru";
    AanConfig *aan = &config->decoder_layer.aan;

    json_read_string(r, "transformer-decoder-autoreg", &kind);
    json_read_string(r, "dec-cell", &cell);
    json_read_bool(r, "transformer-no-projection", &config->attention.no_output_projection);
    if (strcmp(kind, "average-attention") == 0) {
        bool no_gate = false;
        config->decoder_layer.kind = DECODER_AAN;
        json_read_bool(r, "transformer-aan-nogate", &no_gate);
        *aan = (AanConfig){ .width = 2048, .depth = 2, .has_gate = !no_gate };
        json_read_size(r, "transformer-dim-aan", 1, FAMILY_MAX_SIDE, &aan->width);
        json_read_size(r, "transformer-aan-depth", 1, FAMILY_MAX_LAYERS, &aan->depth);
        if (aan->depth == 1) aan->width = 0; /* no layer has this width */
        read_activation(r, "transformer-aan-activation", &aan->activation);
    } else if (strcmp(kind, "rnn") == 0 && strcmp(cell, "ssru") == 0) {
        config->decoder_layer.kind = DECODER_SSRU;
        json_read_bool(r, "transformer-rnn-projection", &config->decoder_layer.ssru_projection);
    } else if (r->st == OK && strcmp(kind, "self-attention") != 0) {
        json_fault(r, ERR_UNSUPPORTED,
                   "transformer-decoder-autoreg \"%s\" (dec-cell \"%s\") is not supported; use "
                   "\"self-attention\", \"average-attention\", or \"rnn\" with \"ssru\"",
                   kind, cell);
    }
}

/* Reads the number, from 1, of the decoder layer that Marian trained to align. As in Marian, a layer that does not
 * exist is an error only when alignments are asked for. */
static void read_alignment(ModelConfig *config, JsonReader *r)
{
    const char *key = "transformer-guided-alignment-layer", *word;
    const cJSON *node = json_member(r->json, key);
    const size_t layers = config->decoder.layers;
    int64_t layer = 0;

    if (!node || ((word = cJSON_GetStringValue(node)) && strcmp(word, "last") == 0)) return;
    if (!json_to_int64(node, 0, FAMILY_MAX_LAYERS, &layer))
        json_fault(r, ERR_FORMAT, "%s must be \"last\" or a number from 1 to %d", key, FAMILY_MAX_LAYERS);
    config->alignment.layer_from_end = layer > 0 && (size_t)layer <= layers ? layers - (size_t)layer + 1 : 0;
}

static void read_config(ModelConfig *config, JsonReader *r)
{
    PositionConfig *positions = &config->positions;
    bool learned = false, none = false, all = false, source = false, output = false, no_bias = false;

    refuse_others(r);
    read_shapes(config, r);
    read_norms(config, r);
    read_tied_layers(config, r);
    read_alignment(config, r);
    read_decoder_kind(config, r);
    read_activation(r, "transformer-ffn-activation", &config->ffn.activation);
    /* Learned positions are stored only in models that another program trained: Marian ignores
     * transformer-train-position-embeddings in models of type "transformer". */
    json_read_bool(r, "transformer-train-position-embeddings", &learned);
    json_read_bool(r, "transformer-disable-position-embeddings", &none);
    positions->kind = none ? POSITIONS_NONE : learned ? POSITIONS_LEARNED : POSITIONS_TENSOR2TENSOR;
    positions->max_is_guess = positions->kind == POSITIONS_LEARNED;
    positions->fallback_scale = (float)sqrt((double)config->d_model);
    config->embedding.scale = positions->kind == POSITIONS_TENSOR2TENSOR ? positions->fallback_scale : 1;

    json_read_bool(r, "tied-embeddings-all", &all);
    json_read_bool(r, "tied-embeddings-src", &source);
    json_read_bool(r, "tied-embeddings", &output);
    json_read_bool(r, "output-omit-bias", &no_bias);
    config->embedding.shared = all || source;
    config->output.tied = all || output;
    config->output.use_bias = !no_bias;
    if (config->embedding.shared && config->encoder.vocab != config->decoder.vocab)
        json_fault(r, ERR_FORMAT, "the embeddings are shared, but dim-vocabs are %zu and %zu", config->encoder.vocab,
                   config->decoder.vocab);
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

/* If weights are int8, as in Firefox's student models, returns the gemm-precision of Firefox for them; else NULL. */
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

/* Reads the settings in the model. Sets *precision to firefox_precision(), unless the model is packed. */
static Status read_model(ModelConfig *out, const char **precision, ModelFolder *folder, Err *err)
{
    Weights *weights = NULL;
    const Tensor *t;
    cJSON *tree = NULL;
    JsonReader r = { .err = err };
    Buf name = { 0 };

    if (model_folder_is_packed(folder)) {
        buf_put_format(&name, "%s/" MARIAN_SETTINGS, model_folder_path(folder));
        r.st = buf_check(&name, err);
        if (r.st == OK) r.st = model_folder_yaml_path(folder, name.data, &r.json, err);
    } else {
        r.st = weights_open(&weights, folder, err);
        if (r.st != OK) return r.st;
        t = weights_find(weights, MARIAN_SETTINGS);
        buf_put_format(&name, "%s: " MARIAN_SETTINGS, weights_path(weights));
        r.st = buf_check(&name, err);
        if (r.st == OK && (!t || !t->bytes))
            r.st = err_set(err, ERR_FORMAT, "%s is missing; it holds the settings of the model", name.data);
        /* The settings end with a NUL. */
        if (r.st == OK)
            r.st = yaml_tree_parse(&tree, (const char *)t->data, strnlen((const char *)t->data, t->bytes), name.data,
                                   NULL, err);
        r.json = (JsonObject){ tree, name.data };
        *precision = firefox_precision(weights);
    }
    if (r.st == OK) read_config(out, &r);
    cJSON_Delete(tree);
    buf_free(&name);
    weights_free(weights);
    return r.st;
}

/* Looks for a file that the settings name. Models are moved together with their files, so it is first sought beside
 * the model, with and without the folders in its name, and then under the name itself. */
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

static Status set_vocabs(VocabFiles *out, ModelFolder *folder, const char *source, const char *target, Err *err)
{
    Status st = set_path(&out->source, folder, source, err);

    return st == OK ? set_path(&out->target, folder, target, err) : st;
}

/* Chooses the vocabularies: those that decoder.yml names, if both exist; else, because the folder may have been moved,
 * those with the usual names. */
static Status find_vocabs(VocabFiles *out, ModelFolder *folder, JsonObject json, Err *err)
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
    const cJSON *list = json_member(json, "vocabs"), *first = cJSON_IsArray(list) ? list->child : NULL;
    const char *source = cJSON_GetStringValue(first), *target = first ? cJSON_GetStringValue(first->next) : NULL;
    Status st;

    if (source && target) {
        st = set_vocabs(out, folder, source, target, err);
        if (st != OK || (model_folder_has_path(folder, out->source) && model_folder_has_path(folder, out->target)))
            return st;
        free(out->source);
        free(out->target);
        *out = (VocabFiles){ 0 };
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        const char *found = model_folder_match(folder, usual[i].source);
        const char *other = model_folder_match(folder, usual[i].target);
        if (found && other) return set_vocabs(out, folder, found, other, err);
    }
    if (source)
        return err_set(
            err, ERR_IO,
            "%s: some of its vocabs (%s, ...) do not exist; name them with " SETTING(VOCABS) " SOURCE,TARGET",
            json.file, source);
    return err_set(err, ERR_IO, "%s: no vocabulary found; name it with " SETTING(VOCABS) " SOURCE,TARGET",
                   model_folder_place(folder));
}

/* Reads the settings of student models: the variant of int8 matmuls, and the shortlist if its file exists, FILE or
 * [FILE, first, best]. Values that are not numbers, which may follow a binary FILE, are ignored. */
static Status read_students(ModelConfig *config, ModelFolder *folder, JsonObject json, Err *err)
{
    const cJSON *list = json_member(json, "shortlist"), *file = cJSON_IsArray(list) ? list->child : list;
    const cJSON *first = cJSON_IsArray(list) && file ? file->next : NULL, *best = first ? first->next : NULL;
    const char *precision = "";
    JsonReader r = { .json = json, .err = err };
    Status st;

    json_read_string(&r, "gemm-precision", &precision);
    if (text_begins_with(precision, "int8shift"))
        config->int8.shift = strstr(precision, "All") ? SHIFT_ALL : SHIFT_WITH_BIAS;
    if (cJSON_IsNumber(first) && cJSON_IsNumber(best)) {
        config->shortlist.has_limits = true;
        config->shortlist.first = first->valueint > 0 ? first->valueint : 0;
        config->shortlist.best = best->valueint > 0 ? best->valueint : 0;
    }
    if (r.st != OK || !cJSON_IsString(file)) return r.st;
    st = set_path(&config->shortlist.path, folder, file->valuestring, err);
    if (st != OK || model_folder_has_path(folder, config->shortlist.path)) return st;
    free(config->shortlist.path);
    config->shortlist.path = NULL;
    return OK;
}

/* Reads the decoder's settings from a file, preferably one that is named after the model. Without a file, *own is set
 * to defaults: the folder's shortlist and, if `precision` is given, Firefox's settings for student models. */
static Status read_settings(JsonObject *out, cJSON **own, ModelFolder *folder, const char *precision, Err *err)
{
    static const char *const lists[] = { "lex*.s2t.bin", "lex*.s2t.bin.gz", "lex*.s2t.bin.zst" };
    const char *const *name = model_folder_settings;
    const char *shortlist = NULL;
    Buf path = { 0 };
    bool done;
    Status st;

    buf_put_format(&path, "%s.decoder.yml", model_folder_path(folder));
    st = buf_check(&path, err);
    *out = (JsonObject){ NULL, "" };
    while (st == OK && *name && !model_folder_has_path(folder, path.data)) {
        buf_clear(&path);
        buf_put_format(&path, "%s/%s", model_folder_place(folder), *name++);
        st = buf_check(&path, err);
    }
    if (st == OK && model_folder_has_path(folder, path.data)) st = model_folder_yaml_path(folder, path.data, out, err);
    buf_free(&path);
    if (st != OK || out->node) return st;

    for (size_t i = 0; !shortlist && i < sizeof lists / sizeof *lists; i++)
        shortlist = model_folder_match(folder, lists[i]);
    out->node = *own = cJSON_CreateObject();
    done = *own && (!shortlist || cJSON_AddStringToObject(*own, "shortlist", shortlist));
    if (precision)
        done = done && cJSON_AddNumberToObject(*own, "beam-size", 1) && cJSON_AddNumberToObject(*own, "normalize", 1) &&
               cJSON_AddNumberToObject(*own, "max-length-factor", 2) &&
               cJSON_AddStringToObject(*own, "gemm-precision", precision);
    return done ? OK : err_memory(err, "settings");
}

Status marian_folder_read(ModelConfig *out, ModelFolder *folder, const char *vocabs, Err *err)
{
    SearchParams *search = &out->search;
    const char *precision = NULL;
    bool allow_unk = false;
    cJSON *own = NULL;
    JsonReader r = { .err = err };

    family_set_defaults(out, &marian_nmt_family);
    r.st = read_model(out, &precision, folder, err);
    if (r.st == OK) r.st = read_settings(&r.json, &own, folder, precision, err);
    *search = (SearchParams){ .rules = search_rules_marian,
                              .beams = DEFAULT_BEAMS,
                              .n_best = 1,
                              .max_length = out->positions.max,
                              .length_factor = DEFAULT_FACTOR,
                              .repetition_penalty = 1,
                              .encoder_repetition_penalty = 1,
                              .start = out->defaults.start,
                              .forced_bos = -1 };
    if (r.st == OK) r.st = ids_append(&search->eos, out->defaults.eos, err);
    json_read_size(&r, "beam-size", 1, FAMILY_MAX_BEAMS, &search->beams);
    json_read_float(&r, "normalize", -100, 100, &search->length_penalty);
    json_read_float(&r, "word-penalty", -1000, 1000, &search->word_penalty);
    json_read_float(&r, "max-length-factor", 0.01, 1000, &search->length_factor);
    json_read_bool(&r, "allow-unk", &allow_unk);
    search->allow_unk = allow_unk;
    if (r.st == OK) r.st = read_students(out, folder, r.json, err);
    if (r.st == OK && vocabs) {
        const char *comma = strchr(vocabs, ',');
        if (!*vocabs || *vocabs == ',' || (comma && !comma[1]))
            r.st =
                err_set(err, ERR_USAGE,
                        SETTING(VOCABS) " %s: a file name is empty; give SOURCE,TARGET or one file for both", vocabs);
        else if (!(out->vocab_files.source = strndup(vocabs, comma ? (size_t)(comma - vocabs) : strlen(vocabs))) ||
                 !(out->vocab_files.target = strdup(comma ? comma + 1 : vocabs)))
            r.st = err_memory(err, "a path");
    } else if (r.st == OK) {
        r.st = find_vocabs(&out->vocab_files, folder, r.json, err);
    }
    cJSON_Delete(own);
    return r.st;
}

/* Adds an item to a list. Returns false when out of memory. */
static bool add_item(cJSON *list, cJSON *item)
{
    if (cJSON_AddItemToArray(list, item)) return true;
    cJSON_Delete(item);
    return false;
}

Status marian_folder_print(char **json, ModelFolder *folder, const Weights *weights, const ModelConfig *config,
                           Err *err)
{
    const ShortlistConfig *shortlist = &config->shortlist;
    const VocabFiles *files = &config->vocab_files;
    const char *source = path_name(files->source), *target = path_name(files->target);
    cJSON *own = NULL, *tree, *list = NULL;
    JsonObject settings;
    bool done = true;
    Status st = read_settings(&settings, &own, folder, firefox_precision(weights), err);

    *json = NULL;
    if (st != OK) {
        cJSON_Delete(own);
        return st;
    }
    tree = own ? own : cJSON_Duplicate(settings.node, true);
    /* Write the names of the packed files, without folders. */
    cJSON_DeleteItemFromObjectCaseSensitive(tree, "shortlist");
    st = json_put(tree, "vocabs", cJSON_CreateStringArray((const char *const[]){ source, target }, 2), err);
    if (st == OK && shortlist->path) {
        list = cJSON_CreateArray();
        done = add_item(list, cJSON_CreateString(path_name(shortlist->path)));
        if (shortlist->has_limits)
            done = done && add_item(list, cJSON_CreateNumber((double)shortlist->first)) &&
                   add_item(list, cJSON_CreateNumber((double)shortlist->best));
        st = json_put(tree, "shortlist", list, err);
    }
    if (st == OK && !done) st = err_memory(err, "settings");
    if (st == OK && strcmp(source, target) == 0 && strcmp(files->source, files->target) != 0)
        st = err_set(err, ERR_UNSUPPORTED, "%s and %s: two files with the same name cannot be packed", files->source,
                     files->target);
    if (st == OK && !(*json = json_print(tree))) st = err_memory(err, "settings");
    cJSON_Delete(tree);
    return st;
}
