/* name_map.c - see name_map.h. */
#include "name_map.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

/* Upper limit on the length of a tensor name. */
#define NAME_BYTES 400

struct NameMap {
    const NamePreset *preset;
    char *prefix;
    NamePair *pairs; /* [count], of weight_map; their strings are owned */
    size_t count;
    char **ignored; /* [ignored_count] */
    size_t ignored_count;
};

/* All names that a model may have, to check the keys of weight_map. */
static const char *const all_names[] = {
    "source_embedding.weight",
    "target_embedding.weight",
    "source_positions",
    "target_positions",
    "encoder.embedding_norm.weight",
    "encoder.embedding_norm.bias",
    "decoder.embedding_norm.weight",
    "decoder.embedding_norm.bias",
    "encoder.norm.weight",
    "encoder.norm.bias",
    "decoder.norm.weight",
    "decoder.norm.bias",
    "output.weight",
    "output.bias",
};
static const char *const all_sublayers[] = { "encoder.layers.{i}.self", "encoder.layers.{i}.ffn",
                                             "decoder.layers.{i}.self", "decoder.layers.{i}.cross",
                                             "decoder.layers.{i}.ffn" };
static const char *const all_parts[] = {
    "query.weight", "query.bias",  "key.weight", "key.bias", "value.weight",      "value.bias", "output.weight",
    "output.bias",  "norm.weight", "norm.bias",  "score.w",  "score.v",           "score.wp",   "score.vp",
    "in.weight",    "in.bias",     "out.weight", "out.bias", "activation.weight",
};

/* Returns how many bytes of `name` `pattern` covers, up to the end of a part of the name; 0 if it does not
 * match. *layer is set to the layer number in the name. */
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

/* True when `part` equals `whole`, or its beginning up to a dot. */
static bool begins(const char *part, const char *whole)
{
    size_t len = strlen(part);

    return text_begins_with(whole, part) && (whole[len] == '\0' || whole[len] == '.');
}

static bool is_name_of_ours(const char *key)
{
    char name[128];

    for (size_t i = 0; i < sizeof all_names / sizeof *all_names; i++)
        if (begins(key, all_names[i])) return true;
    for (size_t i = 0; i < sizeof all_sublayers / sizeof *all_sublayers; i++)
        for (size_t j = 0; j < sizeof all_parts / sizeof *all_parts; j++) {
            bool feed_forward = strstr(all_sublayers[i], ".ffn") != NULL;
            bool of_both = text_begins_with(all_parts[j], "norm");
            bool of_ffn = text_begins_with(all_parts[j], "in") || text_begins_with(all_parts[j], "out.") ||
                          text_begins_with(all_parts[j], "activation");
            if (!of_both && of_ffn != feed_forward) continue;
            snprintf(name, sizeof name, "%s.%s", all_sublayers[i], all_parts[j]);
            if (begins(key, name)) return true;
        }
    return false;
}

static Status copy_string(char **out, const char *text, Err *err)
{
    *out = strdup(text);
    return *out ? OK : err_memory(err, "the names of tensors");
}

static Status read_weight_map(NameMap *map, JsonObject json, Err *err)
{
    const cJSON *object = json_member(json, "weight_map");
    size_t count = 0;
    Status st = OK;

    if (!object) return OK;
    if (!cJSON_IsObject(object)) return err_set(err, ERR_FORMAT, "%s: weight_map must be an object", json.file);
    for (const cJSON *item = object->child; item; item = item->next) count++;
    map->pairs = calloc(count + 1, sizeof *map->pairs);
    if (!map->pairs) return err_memory(err, "the names of tensors");
    for (const cJSON *item = object->child; st == OK && item; item = item->next) {
        NamePair *pair = &map->pairs[map->count];
        char *ours, *theirs;
        if (!cJSON_IsString(item))
            return err_set(err, ERR_FORMAT, "%s: weight_map: %.200s: must be a string", json.file, item->string);
        if (!is_name_of_ours(item->string))
            return err_set(err, ERR_FORMAT,
                           "%s: weight_map: %.200s is not the name of a weight (docs/tutorial-models.md lists them)",
                           json.file, item->string);
        st = copy_string(&ours, item->string, err);
        if (st != OK) return st;
        pair->ours = ours;
        map->count++;
        st = copy_string(&theirs, item->valuestring, err);
        pair->theirs = theirs;
    }
    return st;
}

static Status read_ignored(NameMap *map, JsonObject json, Err *err)
{
    const cJSON *list = json_member(json, "ignore_tensors"), *item;
    Status st = OK;

    if (!list) return OK;
    if (!cJSON_IsArray(list)) return err_set(err, ERR_FORMAT, "%s: ignore_tensors must be a list of names", json.file);
    map->ignored = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *map->ignored);
    if (!map->ignored) return err_memory(err, "the names of tensors");
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsString(item))
            return err_set(err, ERR_FORMAT, "%s: ignore_tensors must be a list of names", json.file);
        st = copy_string(&map->ignored[map->ignored_count], item->valuestring, err);
        if (st != OK) return st;
        map->ignored_count++;
    }
    return st;
}

Status name_map_new(NameMap **out, const NamePreset *preset, JsonObject json, Err *err)
{
    NameMap *map = calloc(1, sizeof *map);
    const char *prefix = "";
    Status st = map ? json_get_string(json, "prefix", &prefix, err) : err_memory(err, "the names of tensors");

    *out = NULL;
    if (st == OK) map->preset = preset;
    if (st == OK) st = copy_string(&map->prefix, prefix, err);
    if (st == OK) st = read_weight_map(map, json, err);
    if (st == OK) st = read_ignored(map, json, err);
    if (st == OK)
        *out = map;
    else
        name_map_free(map);
    return st;
}

void name_map_free(NameMap *map)
{
    if (!map) return;
    for (size_t i = 0; i < map->count; i++) {
        free((char *)map->pairs[i].ours);
        free((char *)map->pairs[i].theirs);
    }
    for (size_t i = 0; i < map->ignored_count; i++) free(map->ignored[i]);
    free(map->ignored);
    free(map->pairs);
    free(map->prefix);
    free(map);
}

/* A name in the file. */
typedef struct {
    char text[NAME_BYTES];
    size_t len;         /* at least NAME_BYTES: too long */
    size_t part, parts; /* which part of its rows; parts is 1 for all rows */
} StoredName;

static void append(StoredName *name, const char *text, size_t len)
{
    if (len < NAME_BYTES && name->len + len < NAME_BYTES) {
        memcpy(name->text + name->len, text, len);
        name->text[name->len + len] = '\0';
        name->len += len;
    } else {
        name->len = NAME_BYTES;
    }
}

/* Reads a number of up to four digits at *at that ends with `mark`, and moves *at after the mark; -1 if there is
 * none. */
static int take_number(const char **at, char mark)
{
    size_t digits = strspn(*at, "0123456789");
    int number = 0;

    if (!digits || digits > 4 || (*at)[digits] != mark) return -1;
    for (size_t i = 0; i < digits; i++) number = number * 10 + ((*at)[i] - '0');
    *at += digits + 1;
    return number;
}

/* Removes "[k/n]" from the name, unless it is too long, and stores k and n. */
static void split_part(StoredName *name)
{
    char *bracket = strrchr(name->text, '[');
    const char *at = bracket ? bracket + 1 : "";
    int part = take_number(&at, '/'), parts = part < 0 ? -1 : take_number(&at, ']');

    name->parts = 1;
    if (part >= parts || name->len >= NAME_BYTES) return;
    name->len -= (size_t)(at - bracket);
    memmove(bracket, at, strlen(at) + 1);
    name->part = (size_t)part;
    name->parts = (size_t)parts;
}

/* Composes prefix + theirs with {i} filled in + rest. */
static StoredName spell(const NameMap *map, const char *theirs, const char *layer, const char *rest)
{
    StoredName name = { .len = 0 };
    const char *mark;

    append(&name, map->prefix, strlen(map->prefix));
    while (layer && (mark = strstr(theirs, "{i}"))) {
        append(&name, theirs, (size_t)(mark - theirs));
        append(&name, layer, strspn(layer, "0123456789"));
        theirs = mark + 3;
    }
    append(&name, theirs, strlen(theirs));
    append(&name, rest, strlen(rest));
    split_part(&name);
    return name;
}

/* Returns the pair that covers most of the name, the last one of equal pairs; NULL if none does. */
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

/* Self-written norms name their scale and shift differently: the preset's name is tried first, then
 * these. */
static const char *const norm_scales[] = { ".weight", ".a_2", ".alpha", ".gamma", NULL };
static const char *const norm_shifts[] = { ".bias", ".b_2", ".beta", NULL };

/* One of dragoman's names, partly translated: theirs + rest. The end of `rest` may have other names as
 * well. */
typedef struct {
    const char *theirs, *layer;
    char rest[NAME_BYTES];
    const char *first;         /* NULL: `rest` is complete */
    const char *const *others; /* ends with NULL */
} Spelling;

static Spelling spell_pair(const NameMap *map, const char *ours)
{
    Spelling spelling = { .theirs = "" };
    size_t len;
    const NamePair *pair = best_pair(map->pairs, ours, &len, &spelling.layer);
    char *leaf;

    if (!pair) pair = best_pair(map->preset->pairs, ours, &len, &spelling.layer);
    if (pair) spelling.theirs = pair->theirs;
    snprintf(spelling.rest, sizeof spelling.rest, "%s", ours + len);
    leaf = strrchr(spelling.rest, '.');
    if (!leaf || !(text_ends_with(ours, "norm.weight") || text_ends_with(ours, "norm.bias"))) return spelling;
    spelling.first = strcmp(leaf, ".weight") == 0 ? map->preset->norm_scale : map->preset->norm_shift;
    spelling.others = strcmp(leaf, ".weight") == 0 ? norm_scales : norm_shifts;
    *leaf = '\0';
    return spelling;
}

static StoredName stored_name(const NameMap *map, const Spelling *spelling, const char *leaf)
{
    char rest[NAME_BYTES + 16];

    snprintf(rest, sizeof rest, "%s%s", spelling->rest, leaf ? leaf : "");
    return spell(map, spelling->theirs, spelling->layer, rest);
}

/* Reduces *view to the rows of part [part/parts). */
static void take_part(Tensor *view, const StoredName *name)
{
    if (name->parts <= 1 || view->rank == 0 || view->shape[0] % name->parts) return;
    view->shape[0] /= name->parts;
    view->count /= name->parts;
    view->bytes /= name->parts;
    view->data += name->part * view->bytes;
}

/* [1, n, d] and [n, 1, d] -> [n, d]; [n, k, 1] -> [n, k] */
static void drop_side(Tensor *view)
{
    for (size_t i = 0; view->rank == 3 && i < 3; i++)
        if (view->shape[i] == 1) {
            for (size_t j = i; j < 2; j++) view->shape[j] = view->shape[j + 1];
            view->rank = 2;
        }
}

const Tensor *name_map_find(const NameMap *map, const Weights *weights, const char *ours, Tensor *view)
{
    Spelling spelling = spell_pair(map, ours);
    StoredName name = stored_name(map, &spelling, spelling.first);
    const Tensor *t = name.len < NAME_BYTES ? weights_find(weights, name.text) : NULL;

    for (const char *const *leaf = spelling.others; !t && leaf && *leaf; leaf++) {
        name = stored_name(map, &spelling, *leaf);
        if (name.len < NAME_BYTES) t = weights_find(weights, name.text);
    }
    if (!t) return NULL;
    *view = *t;
    take_part(view, &name);
    if (!strstr(ours, ".score.")) drop_side(view);
    return t;
}

Status name_map_stored(const NameMap *map, const char *ours, Buf *out, Err *err)
{
    Spelling spelling = spell_pair(map, ours);
    StoredName name = stored_name(map, &spelling, spelling.first);

    return buf_append_text(out, name.text, err);
}

bool name_map_ignores(const NameMap *map, const char *stored)
{
    for (size_t i = 0; i < map->ignored_count; i++)
        if (begins(map->ignored[i], stored)) return true;
    return false;
}
