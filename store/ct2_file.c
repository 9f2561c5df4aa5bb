/* ct2_file.c - see ct2_file.h.
 * Layout   u32 version; from 2 on: text specification, u32 revision; u32 count of variables: text
 *          name, u8 rank, u32 sides, then from 4 on u8 type, u32 bytes, before that u8 width, u32
 *          elements; the values. From 3 on u32 count of aliases: text alias, text name. A text is
 *          u16 length and bytes, of which the last is a NUL. All little-endian.
 * Source   Model::load() in CTranslate2's src/models/model.cc, _serialize() in its
 *          python/ctranslate2/specs/model_spec.py. */
#include "ct2_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "bytes.h"

#define LAST_VERSION  6
#define LAST_REVISION 7

/* The minimum sizes of a variable and of an alias. */
#define LEAST_VARIABLE ((size_t)9)
#define LEAST_ALIAS    ((size_t)6)

static const struct {
    const char *name;
    size_t bytes;
} types[CT2_TYPES] = {
    [CT2_F32] = { "F32", 4 }, [CT2_S8] = { "I8", 1 },   [CT2_S16] = { "I16", 2 },
    [CT2_S32] = { "I32", 4 }, [CT2_F16] = { "F16", 2 }, [CT2_BF16] = { "BF16", 2 },
};

/* The specifications that dragoman supports, and other known ones. */
static const char *const transformers[] = { "", "TransformerBase", "TransformerBig", "TransformerSpec" };
static const struct {
    const char *spec, *what;
} others[] = {
    { "TransformerDecoderSpec", "a language model" }, { "TransformerEncoderSpec", "an encoder alone" },
    { "WhisperSpec", "speech recognition" },          { "Wav2Vec2Spec", "speech recognition" },
    { "Wav2Vec2BertSpec", "speech recognition" },
};

/* The state of the reader. */
typedef struct {
    Ct2File *file;
    ByteReader bytes;
    const char *entry; /* the current entry, for messages */
    Err *err;
} Reader;

const char *ct2_file_type_name(Ct2Type type)
{
    return types[type].name;
}

static Status cut_off(const Reader *r)
{
    return err_set(r->err, ERR_FORMAT, "%s: %s: cut off at byte %zu (is the download complete?)", r->file->path,
                   r->entry, r->file->map->size);
}

/* Takes a number of `width` <= 4 bytes. */
static Status take_number(Reader *r, size_t width, uint32_t *out)
{
    uint64_t number;
    bool taken = bytes_take_number(&r->bytes, width, &number);

    *out = (uint32_t)number;
    return taken ? OK : cut_off(r);
}

/* *out is a view of the file, where it ends in a NUL. */
static Status take_text(Reader *r, const char **out)
{
    const unsigned char *text;
    uint32_t size;
    Status st = take_number(r, 2, &size);

    if (st != OK) return st;
    if (!bytes_take(&r->bytes, size, &text)) return cut_off(r);
    *out = (const char *)text;
    if (size == 0 || (*out)[size - 1] || strlen(*out) != size - 1)
        return err_set(r->err, ERR_FORMAT, "%s: %s: byte %zu: invalid name: no NUL at its end", r->file->path, r->entry,
                       r->bytes.at - size);
    return OK;
}

/* Reads the version and the specification, and checks that they are supported. */
static Status read_head(Reader *r)
{
    uint32_t number = 0;
    Status st = take_number(r, 4, &number);

    if (st != OK) return st;
    r->file->version = number;
    r->file->revision = 1;
    r->file->spec = "";
    if (number < 1 || number > LAST_VERSION)
        return err_set(r->err, ERR_UNSUPPORTED,
                       "%s: version %u of CTranslate2's format is not supported; expected 1 to %d", r->file->path,
                       number, LAST_VERSION);
    if (number == 1) return OK;
    st = take_text(r, &r->file->spec);
    if (st == OK) st = take_number(r, 4, &number);
    r->file->revision = number;
    if (st != OK) return st;
    for (size_t i = 0; i < sizeof transformers / sizeof *transformers; i++) {
        if (strcmp(r->file->spec, transformers[i]) != 0) continue;
        if (number <= LAST_REVISION) return OK;
        return err_set(r->err, ERR_UNSUPPORTED, "%s: revision %u of %s is not supported; expected 1 to %d",
                       r->file->path, number, transformers[i], LAST_REVISION);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(r->file->spec, others[i].spec) == 0)
            return err_set(r->err, ERR_UNSUPPORTED, "%s: %s (%s) is not a translation model", r->file->path,
                           others[i].spec, others[i].what);
    return err_set(r->err, ERR_UNSUPPORTED, "%s: CTranslate2's \"%.60s\" is not supported; expected TransformerSpec",
                   r->file->path, r->file->spec);
}

static void replace(char *name, const char *from, const char *to)
{
    char *at = strstr(name, from);
    size_t from_size = strlen(from), to_size = strlen(to);

    if (!at) return;
    memmove(at + to_size, at + from_size, strlen(at + from_size) + 1);
    memcpy(at, to, to_size);
}

/* Copies a text and leaves room for `extra` more bytes. */
static char *copy_text(Reader *r, const char *text, size_t extra)
{
    size_t size = strlen(text) + 1;
    char *copy = arena_alloc(r->file->arena, size + extra, 1);

    return copy ? memcpy(copy, text, size) : NULL;
}

/* Revision 1 uses names of OpenNMT-tf (map_v1_variable_name() in CTranslate2's src/models/transformer.cc). */
static Status rename_first_revision(Reader *r, Ct2Variable *v)
{
    static const char *const pairs[][2] = { { "transformer/", "" },
                                            { ":0", "" },
                                            { "w_embs", "embeddings/weight" },
                                            { "kernel", "weight" },
                                            { "LayerNorm", "layer_norm" },
                                            { "dense", "projection" },
                                            { "conv1d_", "linear_" },
                                            { "conv1d", "linear_0" } };
    char *name = copy_text(r, v->name, 64); /* more than the pairs add */

    if (!name) return err_memory(r->err, "the names of variables");
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) replace(name, pairs[i][0], pairs[i][1]);
    if (strstr(name, "encoder")) {
        replace(name, "multi_head", "self_attention");
    } else if (strstr(name, "masked_multi_head")) {
        replace(name, "masked_multi_head", "self_attention");
    } else {
        replace(name, "multi_head", "attention");
    }
    v->name = name;
    return OK;
}

static Status add(Reader *r, const Ct2Variable *v)
{
    Ct2File *file = r->file;
    bool added;
    Status st = str_map_add(file->names, v->name, strlen(v->name), (int32_t)file->count, &added, r->err);

    if (st == OK && !added) st = err_set(r->err, ERR_FORMAT, "%s: variable %s appears twice", file->path, v->name);
    if (st != OK) return st;
    st = buf_grow_list(&file->variables, &file->cap, file->count, 1, sizeof *v, "the list of variables", r->err);
    if (st == OK) file->variables[file->count++] = *v;
    return st;
}

static Status read_variable(Reader *r)
{
    Ct2Variable v = { .name = "", .count = 1 };
    uint32_t rank, side, code, size;
    Status st = take_text(r, &v.name);

    if (st != OK) return st;
    r->entry = v.name;
    st = take_number(r, 1, &rank);
    if (st != OK) return st;
    if (rank > CT2_MAX_RANK)
        return err_set(r->err, ERR_FORMAT, "%s: variable %s: %u dimensions, at most %d", r->file->path, v.name, rank,
                       CT2_MAX_RANK);
    v.rank = rank;
    for (size_t i = 0; i < rank; i++) {
        st = take_number(r, 4, &side);
        if (st != OK) return st;
        v.shape[i] = side;
        if (side && v.count > r->file->map->size / side)
            return err_set(r->err, ERR_FORMAT, "%s: variable %s: the shape is larger than the file", r->file->path,
                           v.name);
        v.count *= side;
    }

    /* The type; old files have only its width. */
    st = take_number(r, 1, &code);
    if (st == OK) st = take_number(r, 4, &size);
    if (st != OK) return st;
    if (r->file->version < 4) {
        v.type = code == 4 ? CT2_F32 : code == 2 ? CT2_S16 : code == 1 ? CT2_S8 : CT2_TYPES;
        v.bytes = (size_t)size * code;
    } else {
        v.type = code < CT2_TYPES ? (Ct2Type)code : CT2_TYPES;
        v.bytes = size;
    }
    if (v.type == CT2_TYPES)
        return err_set(r->err, ERR_FORMAT, "%s: variable %s: unknown type %u", r->file->path, v.name, code);
    if (v.bytes != v.count * types[v.type].bytes)
        return err_set(r->err, ERR_FORMAT, "%s: variable %s: %zu bytes, but its shape and type %s need %zu",
                       r->file->path, v.name, v.bytes, types[v.type].name, v.count * types[v.type].bytes);
    if (!bytes_take(&r->bytes, v.bytes, &v.data)) return cut_off(r);
    if (r->file->revision == 1) st = rename_first_revision(r, &v);
    return st == OK ? add(r, &v) : st;
}

#define SCALE "_scale"

static Status add_alias(Reader *r, const char *alias, const char *name)
{
    const Ct2Variable *original = ct2_file_find(r->file, name);
    Ct2Variable v;

    if (!original)
        return err_set(r->err, ERR_FORMAT, "%s: alias %s refers to %s, which is missing", r->file->path, alias, name);
    v = *original;
    v.name = alias;
    return add(r, &v);
}

/* Reads an alias. If the original has a scale, that gets an alias as well. */
static Status read_alias(Reader *r)
{
    const char *alias, *name;
    char *alias_scale, *scale;
    Status st = take_text(r, &alias);

    if (st == OK) st = take_text(r, &name);
    if (st == OK) st = add_alias(r, alias, name);
    if (st != OK) return st;
    alias_scale = copy_text(r, alias, sizeof SCALE);
    scale = copy_text(r, name, sizeof SCALE);
    if (!alias_scale || !scale) return err_memory(r->err, "the names of variables");
    strcat(alias_scale, SCALE);
    strcat(scale, SCALE);
    if (!ct2_file_find(r->file, scale) || ct2_file_find(r->file, alias_scale)) return OK;
    return add_alias(r, alias_scale, scale);
}

/* Reads the count of entries, each of at least `least` bytes. */
static Status read_count(Reader *r, size_t least, uint32_t *count)
{
    Status st = take_number(r, 4, count);

    if (st != OK || *count <= bytes_left(&r->bytes) / least) return st;
    return cut_off(r);
}

Status ct2_file_read(Ct2File *out, const MappedFile *map, const char *path, Err *err)
{
    Reader r = { .file = out, .bytes = { .data = map->data, .size = map->size }, .entry = "the head", .err = err };
    uint32_t count = 0;
    Status st;

    *out = (Ct2File){ .path = path, .map = map };
    st = str_map_new(&out->names, err);
    if (st == OK) st = arena_new(&out->arena, err);
    if (st == OK) st = read_head(&r);
    if (st == OK) st = read_count(&r, LEAST_VARIABLE, &count);
    for (uint32_t i = 0; st == OK && i < count; i++) st = read_variable(&r);
    r.entry = "the aliases";
    count = 0;
    if (st == OK && out->version >= 3) st = read_count(&r, LEAST_ALIAS, &count);
    for (uint32_t i = 0; st == OK && i < count; i++) st = read_alias(&r);
    return st;
}

void ct2_file_close(Ct2File *file)
{
    free(file->variables);
    str_map_free(file->names);
    arena_free(file->arena);
    *file = (Ct2File){ 0 };
}

const Ct2Variable *ct2_file_find(const Ct2File *file, const char *name)
{
    int32_t index = str_map_get(file->names, name, strlen(name), -1);

    return index < 0 ? NULL : &file->variables[index];
}

/* Attributes are never 16-bit floats. */
Status ct2_file_number(const Ct2File *file, const char *name, double *out, Err *err)
{
    const Ct2Variable *v = ct2_file_find(file, name);
    uint64_t bits;
    double value;

    if (!v) return OK;
    if (v->count != 1 || v->type == CT2_F16 || v->type == CT2_BF16)
        return err_set(err, ERR_FORMAT, "%s: variable %s: expected one number, found %zu of type %s", file->path, name,
                       v->count, types[v->type].name);
    bits = bytes_number(v->data, types[v->type].bytes);
    value = v->type == CT2_S8    ? (int8_t)bits
            : v->type == CT2_S16 ? (int16_t)bits
            : v->type == CT2_S32 ? (int32_t)bits
                                 : (double)bytes_float(v->data);
    if (!isfinite(value)) return err_set(err, ERR_FORMAT, "%s: variable %s is not finite", file->path, name);
    *out = value;
    return OK;
}

/* u32 version, then the length of a specification's name, which must match the letters after it;
 * version 1 has the count of variables and a name instead. */
bool ct2_file_is(const MappedFile *map)
{
    const unsigned char *b = map->data;
    bool is = false;

    if (map->size > 16 && b[0] >= 1 && b[0] <= 99 && !b[1] && !b[2] && !b[3]) {
        size_t at = b[0] == 1 ? 8 : 4, size = b[at] + 256u * b[at + 1];
        const unsigned char *text = b + at + 2;
        is = size > 1 && size < 512 && size < map->size - at - 2 && !text[size - 1];
        for (size_t i = 0; is && i + 1 < size; i++) is = text[i] > ' ' && text[i] < 127;
    }
    return is;
}
