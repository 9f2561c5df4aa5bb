/* name_map.c - see name_map.h. The presets follow the tutorials' own code:
 *   annotated        The Annotated Transformer (harvardnlp/annotated-transformer)
 *   q_linear         "How to code The Transformer" (SamLynnEvans/Transformer)
 *   nn.Transformer   "Language Translation with nn.Transformer" (pytorch/tutorials)
 *   fc_q             "Attention is All You Need" (bentrevett/pytorch-seq2seq)
 *   w_concat         hyunwoongko/transformer
 *   w_qs             jadore801120/attention-is-all-you-need-pytorch */
#include "name_map.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "text.h"

/* --- The presets. --- */

#define ENCODER "encoder.layers.{i}"
#define DECODER "decoder.layers.{i}"

/* clang-format off */
#define ENDS(source, target, source_positions, target_positions, output)                                               \
    { "source_embedding", source }, { "target_embedding", target }, { "source_positions", source_positions },          \
    { "target_positions", target_positions }, { "output", output }

/* The names of the sublayers of a layer. `attention` is one of the macros below. */
#define ENCODER_LAYER(layer, attention, self, self_norm, in, out, ffn_norm)                                            \
    attention(ENCODER ".self", layer self), { ENCODER ".self.norm", layer self_norm },                                 \
    { ENCODER ".ffn.in", layer in }, { ENCODER ".ffn.out", layer out }, { ENCODER ".ffn.norm", layer ffn_norm }
#define DECODER_LAYER(layer, attention, self, self_norm, cross, cross_norm, in, out, ffn_norm)                         \
    attention(DECODER ".self", layer self), { DECODER ".self.norm", layer self_norm },                                 \
    attention(DECODER ".cross", layer cross), { DECODER ".cross.norm", layer cross_norm },                             \
    { DECODER ".ffn.in", layer in }, { DECODER ".ffn.out", layer out }, { DECODER ".ffn.norm", layer ffn_norm }

/* The names of the four linear layers of an attention, and of the weights of its score function. */
#define ATTENTION(ours, module, q, k, v, o)                                                                            \
    { ours ".query", module q }, { ours ".key", module k }, { ours ".value", module v }, { ours ".output", module o }, \
    { ours ".score", module ".score" }
#define LINEARS(ours, module)  ATTENTION(ours, module, ".linears.0", ".linears.1", ".linears.2", ".linears.3")
#define Q_LINEAR(ours, module) ATTENTION(ours, module, ".q_linear", ".k_linear", ".v_linear", ".out")
#define FC_Q(ours, module)     ATTENTION(ours, module, ".fc_q", ".fc_k", ".fc_v", ".fc_o")
#define W_CONCAT(ours, module) ATTENTION(ours, module, ".w_q", ".w_k", ".w_v", ".w_concat")
#define W_QS(ours, module)     ATTENTION(ours, module, ".w_qs", ".w_ks", ".w_vs", ".fc")
/* PyTorch's own module, nn.MultiheadAttention, stores query, key and value as one matrix. */
#define IN_PROJ(ours, module)                                                                                          \
    { ours ".query.weight", module ".in_proj_weight[0/3]" }, { ours ".query.bias", module ".in_proj_bias[0/3]" },      \
    { ours ".key.weight", module ".in_proj_weight[1/3]" }, { ours ".key.bias", module ".in_proj_bias[1/3]" },          \
    { ours ".value.weight", module ".in_proj_weight[2/3]" }, { ours ".value.bias", module ".in_proj_bias[2/3]" },      \
    { ours ".output", module ".out_proj" }, { ours ".score", module ".score" }

static const NamePair annotated[] = {
    ENDS("src_embed.0.lut", "tgt_embed.0.lut", "src_embed.1.pe", "tgt_embed.1.pe", "generator.proj"),
    ENCODER_LAYER(ENCODER, LINEARS, ".self_attn", ".sublayer.0.norm",
                  ".feed_forward.w_1", ".feed_forward.w_2", ".sublayer.1.norm"),
    DECODER_LAYER(DECODER, LINEARS, ".self_attn", ".sublayer.0.norm", ".src_attn", ".sublayer.1.norm",
                  ".feed_forward.w_1", ".feed_forward.w_2", ".sublayer.2.norm"),
    { NULL, NULL },
};

static const NamePair q_linear[] = {
    ENDS("encoder.embed.embed", "decoder.embed.embed", "encoder.pe.pe", "decoder.pe.pe", "out"),
    ENCODER_LAYER(ENCODER, Q_LINEAR, ".attn", ".norm_1", ".ff.linear_1", ".ff.linear_2", ".norm_2"),
    DECODER_LAYER(DECODER, Q_LINEAR, ".attn_1", ".norm_1", ".attn_2", ".norm_2",
                  ".ff.linear_1", ".ff.linear_2", ".norm_3"),
    { NULL, NULL },
};

static const NamePair nn_transformer[] = {
    ENDS("src_tok_emb.embedding", "tgt_tok_emb.embedding", "positional_encoding.pos_embedding",
         "positional_encoding.pos_embedding", "generator"),
    { "encoder", "transformer.encoder" },
    { "decoder", "transformer.decoder" },
    ENCODER_LAYER("transformer." ENCODER, IN_PROJ, ".self_attn", ".norm1", ".linear1", ".linear2", ".norm2"),
    DECODER_LAYER("transformer." DECODER, IN_PROJ, ".self_attn", ".norm1", ".multihead_attn", ".norm2",
                  ".linear1", ".linear2", ".norm3"),
    { NULL, NULL },
};

static const NamePair fc_q[] = {
    ENDS("encoder.tok_embedding", "decoder.tok_embedding", "encoder.pos_embedding.weight",
         "decoder.pos_embedding.weight", "decoder.fc_out"),
    ENCODER_LAYER(ENCODER, FC_Q, ".self_attention", ".self_attn_layer_norm",
                  ".positionwise_feedforward.fc_1", ".positionwise_feedforward.fc_2", ".ff_layer_norm"),
    DECODER_LAYER(DECODER, FC_Q, ".self_attention", ".self_attn_layer_norm", ".encoder_attention",
                  ".enc_attn_layer_norm", ".positionwise_feedforward.fc_1", ".positionwise_feedforward.fc_2",
                  ".ff_layer_norm"),
    { NULL, NULL },
};

static const NamePair w_concat[] = {
    ENDS("encoder.emb.tok_emb", "decoder.emb.tok_emb", "encoder.emb.pos_emb.encoding", "decoder.emb.pos_emb.encoding",
         "decoder.linear"),
    ENCODER_LAYER(ENCODER, W_CONCAT, ".attention", ".norm1", ".ffn.linear1", ".ffn.linear2", ".norm2"),
    DECODER_LAYER(DECODER, W_CONCAT, ".self_attention", ".norm1", ".enc_dec_attention", ".norm2",
                  ".ffn.linear1", ".ffn.linear2", ".norm3"),
    { NULL, NULL },
};

/* Some versions of the tutorial use the same norm for the embedded tokens and after the last layer. */
static const NamePair w_qs[] = {
    ENDS("encoder.src_word_emb", "decoder.trg_word_emb", "encoder.position_enc.pos_table",
         "decoder.position_enc.pos_table", "trg_word_prj"),
    { "encoder.embedding_norm", "encoder.layer_norm" },
    { "decoder.embedding_norm", "decoder.layer_norm" },
    { "encoder.norm", "encoder.layer_norm" },
    { "decoder.norm", "decoder.layer_norm" },
    ENCODER_LAYER("encoder.layer_stack.{i}", W_QS, ".slf_attn", ".slf_attn.layer_norm",
                  ".pos_ffn.w_1", ".pos_ffn.w_2", ".pos_ffn.layer_norm"),
    DECODER_LAYER("decoder.layer_stack.{i}", W_QS, ".slf_attn", ".slf_attn.layer_norm", ".enc_attn",
                  ".enc_attn.layer_norm", ".pos_ffn.w_1", ".pos_ffn.w_2", ".pos_ffn.layer_norm"),
    { NULL, NULL },
};
/* clang-format on */

static const NamePreset presets[] = {
    { "annotated", annotated, ".a_2", ".b_2", true, NORM_STD, 1e-6f, true, false, "interleaved", 5000, true, true },
    { "q_linear", q_linear, ".alpha", ".bias", true, NORM_STD, 1e-6f, true, false, "two_exponent", 200, true, true },
    { "nn.Transformer", nn_transformer, ".weight", ".bias", false, NORM_LAYER, 1e-5f, true, false, "interleaved", 5000,
      true, true },
    { "fc_q", fc_q, ".weight", ".bias", false, NORM_LAYER, 1e-5f, false, false, "learned", 100, true, true },
    { "w_concat", w_concat, ".gamma", ".beta", false, NORM_LAYER, 1e-12f, false, false, "interleaved", 256, false,
      true },
    { "w_qs", w_qs, ".weight", ".bias", false, NORM_LAYER, 1e-6f, false, true, "interleaved", 200, false, false },
};

const NamePreset *name_preset_read(JsonReader *r)
{
    const size_t count = sizeof presets / sizeof *presets;
    const char *name = "annotated";
    Buf known = { 0 };

    json_read_string(r, "names", &name);
    for (size_t i = 0; i < count; i++)
        if (strcmp(presets[i].name, name) == 0) return &presets[i];
    if (r->st != OK) return NULL;
    for (size_t i = 0; i < count; i++) buf_put_format(&known, "%s\"%s\"", i ? ", " : "", presets[i].name);
    r->st = buf_check(&known, r->err);
    if (r->st == OK) json_fault(r, ERR_FORMAT, "names is \"%.100s\"; it must be one of %s", name, known.data);
    buf_free(&known);
    return NULL;
}

/* --- The map. --- */

struct NameMap {
    const NamePreset *preset;
    cJSON *config; /* a copy of config.json; owns the strings of the other fields */
    const char *prefix;
    NamePair *pairs;      /* of weight_map; ends with a pair whose `ours` is NULL */
    const cJSON *ignored; /* the list ignore_tensors; NULL: none */
};

/* Matches `pattern` with the beginning of `name` up to a dot or the end. Returns the number of matching bytes; 0: no
 * match. Sets *layer to the layer number in the name, where the pattern has {i}. */
static size_t match(const char *pattern, const char *name, const char **layer)
{
    const char *at = name;

    while (*pattern) {
        if (text_begins_with(pattern, "{i}")) {
            if (!isdigit((unsigned char)*at)) return 0;
            *layer = at;
            while (isdigit((unsigned char)*at)) at++;
            pattern += 3;
        } else if (*pattern++ != *at++) {
            return 0;
        }
    }
    return *at == '\0' || *at == '.' ? (size_t)(at - name) : 0;
}

/* True when `part` equals `whole`, or the part of `whole` before one of its dots. */
static bool begins(const char *part, const char *whole)
{
    size_t len = strlen(part);

    return text_begins_with(whole, part) && (whole[len] == '\0' || whole[len] == '.');
}

/* True when `key` is the name of a weight that a model may have, or the beginning of such a name. The names are those
 * of the preset w_qs, which lacks the last parts (".weight") and the names of activations. */
static bool is_name_of_ours(const char *key)
{
    static const struct {
        const char *end, *last[4];
    } kinds[] = { { "_positions", { "" } },
                  { "_embedding", { ".weight" } },
                  { ".score", { ".w", ".v", ".wp", ".vp" } },
                  { "", { ".weight", ".bias" } } };
    char name[128];

    for (const NamePair *pair = w_qs; pair->ours; pair++) {
        size_t kind = 0;
        while (!text_ends_with(pair->ours, kinds[kind].end)) kind++;
        for (size_t i = 0; i < 4 && kinds[kind].last[i]; i++) {
            snprintf(name, sizeof name, "%s%s", pair->ours, kinds[kind].last[i]);
            if (begins(key, name)) return true;
        }
    }
    return begins(key, ENCODER ".ffn.activation.weight") || begins(key, DECODER ".ffn.activation.weight");
}

static void read_weight_map(NameMap *map, JsonReader *r)
{
    const cJSON *object = json_member(r->json, "weight_map");
    size_t count = 0;

    if (!object) return;
    if (!cJSON_IsObject(object)) json_fault(r, ERR_FORMAT, "weight_map must be an object");
    if (r->st != OK) return;
    map->pairs = calloc((size_t)cJSON_GetArraySize(object) + 1, sizeof *map->pairs);
    if (!map->pairs) r->st = err_memory(r->err, "the names of tensors");
    for (const cJSON *item = object->child; r->st == OK && item; item = item->next) {
        if (!cJSON_IsString(item))
            json_fault(r, ERR_FORMAT, "weight_map: %.200s: must be a string", item->string);
        else if (!is_name_of_ours(item->string))
            json_fault(r, ERR_FORMAT,
                       "weight_map: %.200s is not the name of a weight (docs/tutorial-models.md lists them)",
                       item->string);
        map->pairs[count++] = (NamePair){ item->string, item->valuestring };
    }
}

NameMap *name_map_new(const NamePreset *preset, JsonReader *r)
{
    NameMap *map = r->st == OK ? calloc(1, sizeof *map) : NULL;
    JsonReader own = *r;
    const cJSON *item;

    if (r->st != OK) return NULL;
    if (map) map->config = cJSON_Duplicate(r->json.node, true);
    if (!map || !map->config) {
        free(map);
        r->st = err_memory(r->err, "the names of tensors");
        return NULL;
    }
    own.json.node = map->config;
    map->preset = preset;
    map->prefix = "";
    json_read_string(&own, "prefix", &map->prefix);
    read_weight_map(map, &own);
    map->ignored = json_member(own.json, "ignore_tensors");
    if (map->ignored && !cJSON_IsArray(map->ignored))
        json_fault(&own, ERR_FORMAT, "ignore_tensors must be a list of names");
    cJSON_ArrayForEach(item, map->ignored)
    {
        if (!cJSON_IsString(item)) json_fault(&own, ERR_FORMAT, "ignore_tensors must be a list of names");
    }
    r->st = own.st;
    if (r->st == OK) return map;
    name_map_free(map);
    return NULL;
}

void name_map_free(NameMap *map)
{
    if (!map) return;
    free(map->pairs);
    cJSON_Delete(map->config);
    free(map);
}

/* A name in the file. */
typedef struct {
    char text[NAME_MAP_BYTES];
    size_t len;         /* at least NAME_MAP_BYTES: too long */
    size_t part, parts; /* the tensor is this one of `parts` equal parts of the rows; parts is 1: all rows */
} StoredName;

static void append(StoredName *name, const char *text, size_t len)
{
    if (len < NAME_MAP_BYTES && name->len + len < NAME_MAP_BYTES) {
        memcpy(name->text + name->len, text, len);
        name->text[name->len + len] = '\0';
        name->len += len;
    } else {
        name->len = NAME_MAP_BYTES;
    }
}

/* Reads a number of up to four digits that is followed by `mark`, and moves *at past the mark. Returns -1 if there is
 * no such number. */
static int take_number(const char **at, char mark)
{
    size_t digits = strspn(*at, "0123456789");
    int number = 0;

    if (!digits || digits > 4 || (*at)[digits] != mark) return -1;
    for (size_t i = 0; i < digits; i++) number = number * 10 + ((*at)[i] - '0');
    *at += digits + 1;
    return number;
}

/* Returns the pair that matches the longest beginning of the name, the last one of several; NULL if none matches. */
static const NamePair *best_pair(const NamePair *pairs, const char *ours, size_t *len, const char **layer)
{
    const NamePair *best = NULL;

    *len = 0;
    for (; pairs && pairs->ours; pairs++) {
        const char *number = NULL;
        size_t matched = match(pairs->ours, ours, &number);
        if (matched == 0 || matched < *len) continue;
        best = pairs;
        *len = matched;
        *layer = number;
    }
    return best;
}

/* Tutorials name the scale and the shift of a norm differently. The preset's name is tried first, in the place of "",
 * then the other names. */
static const char *const norm_scales[] = { "", ".weight", ".a_2", ".alpha", ".gamma", NULL };
static const char *const norm_shifts[] = { "", ".bias", ".b_2", ".beta", NULL };

/* Returns the name in the file for a name of dragoman. A norm may have one of several names: number 0 is the preset's,
 * and numbers from 1 on are in norm_scales or norm_shifts. The length is 0 if there is no such number. */
static StoredName stored_name(const NameMap *map, const char *ours, size_t number)
{
    StoredName name = { .parts = 1 };
    const char *layer = NULL, *theirs = "", *leaf = "", *mark, *rest, *dot;
    size_t matched, rest_len;
    const NamePair *pair = best_pair(map->pairs, ours, &matched, &layer);

    if (!pair) pair = best_pair(map->preset->pairs, ours, &matched, &layer);
    if (pair) theirs = pair->theirs;
    rest = ours + matched;
    rest_len = strlen(rest);
    dot = strrchr(rest, '.');
    if (dot && (text_ends_with(ours, "norm.weight") || text_ends_with(ours, "norm.bias"))) {
        const bool is_scale = strcmp(dot, ".weight") == 0;
        leaf = is_scale ? map->preset->norm_scale : map->preset->norm_shift;
        if (number) leaf = (is_scale ? norm_scales : norm_shifts)[number];
        if (!leaf) return name;
        rest_len = (size_t)(dot - rest);
    } else if (number) {
        return name;
    }
    /* Compose prefix + theirs with {i} filled in + rest + leaf. */
    append(&name, map->prefix, strlen(map->prefix));
    while (layer && (mark = strstr(theirs, "{i}"))) {
        append(&name, theirs, (size_t)(mark - theirs));
        append(&name, layer, strspn(layer, "0123456789"));
        theirs = mark + 3;
    }
    append(&name, theirs, strlen(theirs));
    append(&name, rest, rest_len);
    append(&name, leaf, strlen(leaf));
    /* Remove "[k/n]" from the name, unless it is too long, and store k and n. */
    char *bracket = strrchr(name.text, '[');
    const char *at = bracket ? bracket + 1 : "";
    const int part = take_number(&at, '/'), parts = part < 0 ? -1 : take_number(&at, ']');
    if (part >= parts || name.len >= NAME_MAP_BYTES) return name;
    name.len -= (size_t)(at - bracket);
    memmove(bracket, at, strlen(at) + 1);
    name.part = (size_t)part;
    name.parts = (size_t)parts;
    return name;
}

const Tensor *name_map_find(const NameMap *map, const Weights *weights, const char *ours, Tensor *view)
{
    const Tensor *t = NULL;
    StoredName name;

    for (size_t i = 0; !t; i++) {
        name = stored_name(map, ours, i);
        if (!name.len) return NULL;
        if (name.len < NAME_MAP_BYTES) t = weights_find(weights, name.text);
    }
    *view = *t;
    /* Reduce *view to its part of the rows. */
    if (name.parts > 1 && view->rank && view->shape[0] % name.parts == 0) {
        view->shape[0] /= name.parts;
        view->count /= name.parts;
        view->bytes /= name.parts;
        view->data += name.part * view->bytes;
    }
    /* Remove a dimension of size 1: [1, n, d] and [n, 1, d] -> [n, d]; [n, k, 1] -> [n, k]. */
    if (!strstr(ours, ".score.")) {
        for (size_t i = 0; view->rank == 3 && i < 3; i++)
            if (view->shape[i] == 1) {
                for (size_t j = i; j < 2; j++) view->shape[j] = view->shape[j + 1];
                view->rank = 2;
            }
    }
    return t;
}

void name_map_stored(const NameMap *map, const char *ours, char *out)
{
    const StoredName name = stored_name(map, ours, 0);

    memcpy(out, name.text, sizeof name.text);
}

bool name_map_ignores(const NameMap *map, const char *stored)
{
    const cJSON *item = map->ignored ? map->ignored->child : NULL;

    while (item && !begins(item->valuestring, stored)) item = item->next;
    return item != NULL;
}
