/* ct2_file.c - see ct2_file.h.
 * Layout   Numbers are little-endian. A text is its length (u16) and its bytes; the last byte is a NUL.
 *              u32 version; since version 2: text specification, u32 revision
 *              u32 number of variables, then for each variable:
 *                text name, u8 rank, the u32 sizes of its dimensions,
 *                before version 4: u8 bytes per value, u32 number of values; since then: u8 type, u32 bytes,
 *                the values
 *              since version 3: u32 number of aliases, then for each alias: text alias, text name
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

/* The specifications that dragoman supports, then other known ones, which are refused. */
static const char *const transformers[] = { "", "TransformerBase", "TransformerBig", "TransformerSpec" };
static const struct {
    const char *spec, *what;
} others[] = {
    { "TransformerDecoderSpec", "a language model" }, { "TransformerEncoderSpec", "an encoder alone" },
    { "WhisperSpec", "speech recognition" },          { "Wav2Vec2Spec", "speech recognition" },
    { "Wav2Vec2BertSpec", "speech recognition" },
};

/* The state of the reader. Sticky: after a fault, numbers are 0 and texts are empty. */
typedef struct {
    Ct2File *file;
    ByteReader bytes;
    const char *entry; /* the current entry, for messages */
    Status st;
    Err *err;
} Reader;

const char *ct2_file_type_name(Ct2Type type)
{
    return types[type].name;
}

static void cut_off(Reader *r)
{
    if (r->st != OK) return;
    r->st = err_set(r->err, ERR_FORMAT, "%s: %s: cut off at byte %zu (is the download complete?)", r->file->path,
                    r->entry, r->file->map->size);
}

/* Takes a number of `width` <= 4 bytes. */
static uint32_t take_number(Reader *r, size_t width)
{
    uint64_t number = 0;

    if (r->st == OK && !bytes_take_number(&r->bytes, width, &number)) cut_off(r);
    return (uint32_t)number;
}

/* Takes a text and returns it as a view of the file. It must end in a NUL. */
static const char *take_text(Reader *r)
{
    const uint32_t size = take_number(r, 2);
    const unsigned char *bytes = NULL;
    const char *text;

    if (r->st != OK) return "";
    if (!bytes_take(&r->bytes, size, &bytes)) {
        cut_off(r);
        return "";
    }
    text = (const char *)bytes;
    if (size && !text[size - 1] && strlen(text) == size - 1) return text;
    r->st = err_set(r->err, ERR_FORMAT, "%s: %s: byte %zu: invalid name: no NUL at its end", r->file->path, r->entry,
                    r->bytes.at - size);
    return "";
}

/* Reads the version and the specification, and checks that they are supported. */
static Status read_head(Reader *r)
{
    const char *path = r->file->path, *spec;
    const uint32_t version = take_number(r, 4);
    uint32_t revision;

    if (r->st != OK) return r->st;
    r->file->version = version;
    r->file->revision = 1;
    r->file->spec = "";
    if (version < 1 || version > LAST_VERSION)
        return err_set(r->err, ERR_UNSUPPORTED,
                       "%s: version %u of CTranslate2's format is not supported; expected 1 to %d", path, version,
                       LAST_VERSION);
    if (version == 1) return OK;
    r->file->spec = spec = take_text(r);
    r->file->revision = revision = take_number(r, 4);
    if (r->st != OK) return r->st;
    for (size_t i = 0; i < sizeof transformers / sizeof *transformers; i++) {
        if (strcmp(spec, transformers[i]) != 0) continue;
        if (revision <= LAST_REVISION) return OK;
        return err_set(r->err, ERR_UNSUPPORTED, "%s: revision %u of %s is not supported; expected 1 to %d", path,
                       revision, spec, LAST_REVISION);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(spec, others[i].spec) == 0)
            return err_set(r->err, ERR_UNSUPPORTED, "%s: %s (%s) is not a translation model", path, spec,
                           others[i].what);
    return err_set(r->err, ERR_UNSUPPORTED, "%s: CTranslate2's \"%.60s\" is not supported; expected TransformerSpec",
                   path, spec);
}

static void replace(char *name, const char *from, const char *to)
{
    char *at = strstr(name, from);
    size_t from_size = strlen(from), to_size = strlen(to);

    if (!at) return;
    memmove(at + to_size, at + from_size, strlen(at + from_size) + 1);
    memcpy(at, to, to_size);
}

/* Copies a text to the arena, with room for `extra` more bytes after it. */
static char *copy_text(Reader *r, const char *text, size_t extra)
{
    size_t size = strlen(text) + 1;
    char *copy = arena_alloc(r->file->arena, size + extra, 1);

    return copy ? memcpy(copy, text, size) : NULL;
}

/* Converts OpenNMT-tf's names in revision 1 (map_v1_variable_name() in CTranslate2's src/models/transformer.cc). */
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
    char *name = copy_text(r, v->name, 64); /* the replacements add fewer bytes */

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
    Ct2Variable v = { .name = take_text(r), .count = 1 };
    const char *path = r->file->path;
    uint32_t code, size;

    r->entry = v.name;
    v.rank = take_number(r, 1);
    if (v.rank > CT2_MAX_RANK)
        return err_set(r->err, ERR_FORMAT, "%s: variable %s: %zu dimensions, at most %d", path, v.name, v.rank,
                       CT2_MAX_RANK);
    for (size_t i = 0; i < v.rank; i++) {
        const uint32_t side = take_number(r, 4);
        v.shape[i] = side;
        if (side && v.count > r->file->map->size / side)
            return err_set(r->err, ERR_FORMAT, "%s: variable %s: the shape is larger than the file", path, v.name);
        v.count *= side;
    }

    /* `code` is the type. Before version 4, it is only the number of bytes per value. */
    code = take_number(r, 1);
    size = take_number(r, 4);
    if (r->st != OK) return r->st;
    if (r->file->version < 4) {
        v.type = code == 4 ? CT2_F32 : code == 2 ? CT2_S16 : code == 1 ? CT2_S8 : CT2_TYPES;
        v.bytes = (size_t)size * code;
    } else {
        v.type = code < CT2_TYPES ? (Ct2Type)code : CT2_TYPES;
        v.bytes = size;
    }
    if (v.type == CT2_TYPES) return err_set(r->err, ERR_FORMAT, "%s: variable %s: unknown type %u", path, v.name, code);
    if (v.bytes != v.count * types[v.type].bytes)
        return err_set(r->err, ERR_FORMAT, "%s: variable %s: %zu bytes, but its shape and type %s need %zu", path,
                       v.name, v.bytes, types[v.type].name, v.count * types[v.type].bytes);
    if (!bytes_take(&r->bytes, v.bytes, &v.data)) cut_off(r);
    if (r->st == OK && r->file->revision == 1) r->st = rename_first_revision(r, &v);
    return r->st == OK ? add(r, &v) : r->st;
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

/* Reads an alias of a variable. If the variable has a scale, adds an alias of the scale as well. */
static Status read_alias(Reader *r)
{
    const char *alias = take_text(r), *name = take_text(r);
    char *alias_scale, *scale;
    Status st = r->st == OK ? add_alias(r, alias, name) : r->st;

    if (st != OK) return st;
    alias_scale = copy_text(r, alias, sizeof SCALE);
    scale = copy_text(r, name, sizeof SCALE);
    if (!alias_scale || !scale) return err_memory(r->err, "the names of variables");
    strcat(alias_scale, SCALE);
    strcat(scale, SCALE);
    if (!ct2_file_find(r->file, scale) || ct2_file_find(r->file, alias_scale)) return OK;
    return add_alias(r, alias_scale, scale);
}

/* Reads the number of entries, each of at least `least` bytes, and the entries. */
static void read_entries(Reader *r, size_t least, Status (*read)(Reader *r))
{
    const uint32_t count = take_number(r, 4);

    if (count > bytes_left(&r->bytes) / least) cut_off(r);
    for (uint32_t i = 0; r->st == OK && i < count; i++) r->st = read(r);
}

Status ct2_file_read(Ct2File *out, const MappedFile *map, const char *path, Err *err)
{
    Reader r = { .file = out, .bytes = { .data = map->data, .size = map->size }, .entry = "the head", .err = err };

    *out = (Ct2File){ .path = path, .map = map };
    r.st = str_map_new(&out->names, err);
    if (r.st == OK) r.st = arena_new(&out->arena, err);
    if (r.st == OK) r.st = read_head(&r);
    read_entries(&r, LEAST_VARIABLE, read_variable);
    r.entry = "the aliases";
    if (out->version >= 3) read_entries(&r, LEAST_ALIAS, read_alias);
    return r.st;
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

/* Refuses 16-bit floats: no attribute of a model has this type. */
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

/* A file begins with u32 version and a text of printable characters: the specification. In version 1, the count of
 * variables is before the first text, which is the name of a variable. */
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
