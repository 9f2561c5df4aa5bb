/* pack.c - see pack.h. */
#include "pack.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "binder.h"
#include "calibration.h"
#include "config.h"
#include "ct2_tokens.h"
#include "kernels.h"
#include "family.h"
#include "matrix_s8.h"
#include "packed.h"
#include "packed_file.h"
#include "panels.h"
#include "path.h"
#include "text.h"
#include "utf8.h"

#define CONFIG "config.json"

/* Bytes of mapped file that may stay in memory. */
#define RELEASE_BYTES ((size_t)16 << 20)

/* The largest known file is a tokenizer.json of 40 MB. */
#define MAX_FILE_BYTES ((intmax_t)256 << 20)

#define MAX_FILES ((size_t)1000)

/* --- The files of the folder: configuration, vocabularies, SentencePiece models. --- */

typedef struct {
    char **names; /* sorted bytewise */
    size_t count, cap;
} PackFiles;

/* Weights with their index files, and documents. */
static const char *const left_out[] = {
    ".*",
    "*.safetensors",
    "*.safetensors.index.json",
    "*.bin",
    "*.bin.index.json",
    "*.bin.gz",
    "*.bin.zst",
    "*.pt",
    "*.pth",
    "*.ckpt",
    "*.npz",
    "*.msgpack",
    "*.h5",
    "*.ot",
    "*.onnx",
    "*.gguf",
    "*.md",
    "LICENSE*",
};

static bool is_left_out(const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (fnmatch(left_out[i], name, 0) == 0) return true;
    /* A model's files have names in valid UTF-8. */
    for (size_t i = 0; i < len;) {
        uint32_t code;
        i += utf8_next(name + i, len - i, &code);
        if (code == UTF8_INVALID) return true;
    }
    return false;
}

static Status add_name(PackFiles *out, const char *folder, const char *name, Err *err)
{
    Status st;

    if (out->count == MAX_FILES)
        return err_set(err, ERR_UNSUPPORTED, "%s: more than %zu files: is this a model's folder?", folder, MAX_FILES);
    st = buf_grow_list(&out->names, &out->cap, out->count, 1, sizeof *out->names, "the list of files", err);
    if (st != OK) return st;
    out->names[out->count] = strdup(name);
    return out->names[out->count] ? (out->count++, OK) : err_memory(err, "the list of files");
}

/* Regular files and links to such are packed. */
static Status consider(PackFiles *out, const char *folder, const char *name, Err *err)
{
    struct stat info;
    char *path;
    Status st = OK;

    if (is_left_out(name)) return OK;
    path = path_join(folder, name);
    if (!path) return err_memory(err, "a path");
    if (stat(path, &info) != 0)
        st = err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    else if (S_ISREG(info.st_mode) && (intmax_t)info.st_size > MAX_FILE_BYTES)
        st = err_set(err, ERR_UNSUPPORTED, "%s: too large for a vocabulary (%jd bytes): move it out of the folder",
                     path, (intmax_t)info.st_size);
    else if (S_ISREG(info.st_mode))
        st = add_name(out, folder, name, err);
    free(path);
    return st;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lists the files of the folder except weights of any format, hidden files and documents. */
static Status list_folder(PackFiles *out, ModelFolder *folder, Err *err)
{
    const char *const *names;
    size_t count;
    Status st = model_folder_list(folder, &names, &count, err);

    for (size_t i = 0; st == OK && i < count; i++) st = consider(out, model_folder_path(folder), names[i], err);
    return st;
}

/* Inserts a name in order unless it is in the list. */
static Status require_name(PackFiles *files, const char *folder, const char *name, Err *err)
{
    Status st;

    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->names[i], name) == 0) return OK;
    st = add_name(files, folder, name, err);
    if (st == OK) qsort(files->names, files->count, sizeof *files->names, compare_names);
    return st;
}

/* --- Packing. --- */

/* The state while one model is packed. */
typedef struct {
    ModelFolder *source;
    const char *folder; /* path of source */
    PackType type;
    const char *calibration; /* NULL: that of the folder */
    Model model;             /* holds only the configuration and what binding leaves */
    Weights *weights;
    BinderPlan plan;
    PackFiles files;
    MappedFile *maps; /* [files.count], views */
    char *text;       /* replaces the content of the file text_name; NULL: none */
    const char *text_name;
    PackWriter *writer;
    Err *err;
} Packing;

/* --- Matrices: entries in the header, and panels of PANEL rows. --- */

/* "F32", "F16" or "BF16" */
static const char *type_name(DType type)
{
    static const char *const names[] = { [DTYPE_F32] = "F32", [DTYPE_F16] = "F16", [DTYPE_BF16] = "BF16" };

    return names[type];
}

/* Describes a tensor that belongs to an int8 matrix. */
static Status describe_part(const Packing *p, const StoredMatrix *m, const char *suffix, const char *type, size_t count)
{
    char name[sizeof m->name + 16];

    snprintf(name, sizeof name, "%s%s", m->name.text, suffix);
    return pack_writer_describe(p->writer, name, type, 4, 1, &count, p->err);
}

static Status describe_matrix(const Packing *p, const StoredMatrix *m, DType type)
{
    const size_t panels = (m->n + PANEL - 1) / PANEL, shape[3] = { panels, m->k, PANEL };
    const size_t s8_shape[4] = { panels, panels_s8_width(m->k) / PANELS_S8_FOUR, PANEL, PANELS_S8_FOUR };
    char name[sizeof m->name + 16];
    PackedMultipliers all;
    Status st;

    if (type != DTYPE_S8)
        return pack_writer_describe(p->writer, m->name.text, type_name(type), dtype_bytes(type), 3, shape, p->err);
    st = pack_writer_describe(p->writer, m->name.text, "I8", 1, 4, s8_shape, p->err);
    if (st == OK) st = describe_part(p, m, PACKED_SCALES, "F32", m->n);
    if (st == OK) st = describe_part(p, m, PACKED_CORRECTIONS, "I32", panels * PANEL);
    if (st != OK || !bind_matrix_is_marian(m)) return st;
    st = bind_matrix_pack_multipliers(p->weights, &all, m, p->err);
    snprintf(name, sizeof name, "%s" PACKED_MULTIPLIER, m->name.text);
    return st == OK ? pack_writer_describe(p->writer, name, "F32", 4, all.rank, all.shape, p->err) : st;
}

/* A panel of a matrix, and, for int8, the scales and corrections of all panels. */
typedef struct {
    const StoredMatrix *matrix;
    DType type;
    float *row;           /* [k], or more elements of a smaller type */
    uint8_t *row_scratch; /* [panels_s8_width(k)], for int8 */
    void *rows;           /* [PANEL, k] of matrix_source_type() */
    void *panel;          /* in the layout of the file */
    size_t panel_bytes;
    float *scales;        /* [n] */
    int32_t *corrections; /* [n rounded up to PANEL] */
} Panels;

static Status panels_allocate(Panels *a, const StoredMatrix *m, DType type, Err *err)
{
    const bool s8 = type == DTYPE_S8;
    const size_t count = s8 ? panels_s8_count(PANEL, m->k) : panels_count(PANEL, m->k);

    *a = (Panels){ .matrix = m, .type = type, .panel_bytes = count * dtype_bytes(type) };
    a->row = calloc(m->k, sizeof *a->row);
    a->row_scratch = calloc(panels_s8_width(m->k), 1);
    a->rows = calloc(PANEL, m->k * sizeof(float));
    a->panel = aligned_alloc(64, (a->panel_bytes + 63) / 64 * 64);
    a->scales = s8 ? calloc(m->n, sizeof *a->scales) : NULL;
    a->corrections = s8 ? calloc(panels_count(m->n, 1), sizeof *a->corrections) : NULL;
    if (a->row && a->row_scratch && a->rows && a->panel && (!s8 || (a->scales && a->corrections))) return OK;
    return err_memory(err, "rows of a matrix");
}

/* Reads rows; those of int8 matrices go into their panel. */
static Status read_rows(const Packing *p, const Panels *a, size_t first, size_t count)
{
    const StoredMatrix *m = a->matrix;
    const size_t part_rows = m->n / m->count;
    Status st = OK;

    for (size_t i = 0; st == OK && i < count; i++) {
        const size_t row = first + i, part_row = row % part_rows;
        const Tensor *t = m->parts[row / part_rows];
        const DType type = bind_matrix_is_s8(t, a->type) ? DTYPE_S8 : matrix_source_type(a->type);
        st = bind_matrix_read(t, part_row * m->k, m->k, type, a->row, p->err);
        if (st != OK) break;
        if (type == DTYPE_S8) {
            matrix_s8_set_values(a->panel, row % PANEL, m->k, (const int8_t *)(const void *)a->row);
            a->scales[row] = bind_matrix_scale(t, part_row);
        } else if (a->type == DTYPE_S8) {
            a->scales[row] = matrix_s8_set_row(a->panel, row % PANEL, m->k, a->row, kernels_get(), a->row_scratch);
        } else {
            memcpy((unsigned char *)a->rows + i * m->k * dtype_bytes(type), a->row, m->k * dtype_bytes(type));
        }
    }
    return st;
}

/* Writes the matrix panel by panel. */
static Status write_panels(const Packing *p, const Panels *a)
{
    const StoredMatrix *m = a->matrix;
    size_t unreleased = 0;
    Status st = OK;

    for (size_t first = 0; st == OK && first < m->n; first += PANEL) {
        size_t count = m->n - first < PANEL ? m->n - first : PANEL;
        if (a->type == DTYPE_S8) memset(a->panel, 0, a->panel_bytes);
        st = read_rows(p, a, first, count);
        if (st != OK) break;
        if (a->type == DTYPE_S8)
            matrix_s8_correct(a->panel, 0, count, m->k, a->corrections + first);
        else
            panels_fill(a->type, a->panel, a->rows, count, m->k);
        st = pack_writer_write(p->writer, a->panel, a->panel_bytes, p->err);
        unreleased += count * m->k * sizeof(float);
        if (unreleased < RELEASE_BYTES && first + PANEL < m->n) continue;
        for (size_t i = 0; i < m->count; i++) weights_release(p->weights, m->parts[i]);
        unreleased = 0;
    }
    return st;
}

/* --- Files and other tensors. --- */

static DType packed_type(PackType wanted, const StoredMatrix *m)
{
    DType type = m->parts[0]->dtype == DTYPE_S8 ? DTYPE_S8 : tensor_compute_dtype(m->parts[0]);

    if (wanted == PACK_INT8) return m->k <= MATRIX_8BIT_MAX_K ? DTYPE_S8 : DTYPE_F32;
    if (m->k > MATRIX_16BIT_MAX_K || wanted == PACK_F32) return DTYPE_F32;
    if (wanted == PACK_BF16) return DTYPE_BF16;
    for (size_t i = 1; i < m->count; i++)
        if ((m->parts[i]->dtype == DTYPE_S8 ? DTYPE_S8 : tensor_compute_dtype(m->parts[i])) != type) return DTYPE_F32;
    return type;
}

/* A packed model has no model.bin, so config.json records CTranslate2's description of the layers. Rounding of
 * activations is kept only where the int8 values are kept. */
static Status describe_layers(Packing *p)
{
    Ct2Record record = { 0 };
    RowRounding *rounding = &record.config.int8.row_rounding;
    Status st;

    if (model_folder_kind(p->source) != MODEL_CTRANSLATE2) return OK;
    st = ct2_config_read(&record, p->source, p->err);
    if (p->type != PACK_AS_STORED && !(p->type == PACK_INT8 && *rounding == ROWS_DOWN)) *rounding = ROWS_UNROUNDED;
    if (st == OK) st = ct2_record_print(&p->text, &record, p->source, p->err);
    p->text_name = CONFIG;
    return st == OK ? require_name(&p->files, p->folder, CONFIG, p->err) : st;
}

/* Finds the path of the file with this name: beside the weights, or beside the folder in a package. NULL if it does
 * not exist. */
static Status find_beside(char **out, const Packing *p, const char *name)
{
    const ModelConfig *config = &p->model.config;
    /* Marian files that model_config_read() found in any folder. */
    const char *const paths[] = { config->vocab_files.source, config->vocab_files.target, config->shortlist.path };
    const bool is_given = p->calibration && strcmp(name, CALIBRATION_FILE) == 0;
    const char *known = is_given ? p->calibration : NULL, *package = model_folder_package(p->source);
    char *path;

    *out = NULL;
    for (size_t i = 0; !known && i < sizeof paths / sizeof *paths; i++)
        if (paths[i] && strcmp(path_name(paths[i]), name) == 0) known = paths[i];
    path = known ? strdup(known) : path_join(model_folder_place(p->source), name);
    if (path && !is_given && package && !model_folder_has_path(p->source, path)) {
        free(path);
        path = path_join(package, name);
    }
    if (!path) return err_memory(p->err, "a path");
    if (is_given || model_folder_has_path(p->source, path))
        *out = path;
    else
        free(path);
    return OK;
}

static Status add_beside(Packing *p, const char *name)
{
    char *path = NULL;
    Status st = name ? find_beside(&path, p, name) : OK;

    if (path) st = require_name(&p->files, p->folder, name, p->err);
    free(path);
    return st;
}

/* The settings name the files of a Marian model; the folder may have more files that it needs. */
static Status list_marian(Packing *p)
{
    static const char *const others[] = { "source.spm",     "target.spm",      "preprocess.sh",
                                          "postprocess.sh", "model_info.json", "metadata.json" };
    const ModelConfig *config = &p->model.config;
    const char *const paths[] = { config->vocab_files.source, config->vocab_files.target, config->shortlist.path };
    Status st = marian_folder_print(&p->text, p->source, p->weights, config, p->err);

    p->text_name = MARIAN_DECODER;
    if (st == OK && model_folder_is_directory(p->source)) st = list_folder(&p->files, p->source, p->err);
    for (size_t i = 0; st == OK && i < sizeof others / sizeof *others; i++) st = add_beside(p, others[i]);
    for (size_t i = 0; st == OK && i < sizeof paths / sizeof *paths; i++)
        if (paths[i]) st = require_name(&p->files, p->folder, path_name(paths[i]), p->err);
    return st == OK ? require_name(&p->files, p->folder, MARIAN_DECODER, p->err) : st;
}

/* The files of a package are in two folders, and those of an archive cannot be listed. */
static Status list_files(Packing *p)
{
    Status st = OK;

    if (p->model.config.vocab_files.source) return list_marian(p);
    if (!model_folder_package(p->source) && !model_folder_is_archive(p->source))
        return list_folder(&p->files, p->source, p->err);
    for (const char *const *name = ct2_text_files; st == OK && *name; name++) st = add_beside(p, *name);
    for (const Ct2SpNames *names = ct2_sp_names; st == OK && names->source; names++) {
        st = add_beside(p, names->source);
        if (st == OK) st = add_beside(p, names->target);
    }
    return st;
}

static Status map_files(Packing *p)
{
    const Tensor *settings = weights_find(p->weights, MARIAN_SETTINGS);
    Status st = list_files(p);

    if (st == OK) st = add_beside(p, CALIBRATION_FILE);
    if (st == OK) st = describe_layers(p);
    if (st != OK) return st;
    p->maps = calloc(p->files.count + 2, sizeof *p->maps);
    if (!p->maps) return err_memory(p->err, "the list of files");
    for (size_t i = 0; st == OK && i < p->files.count; i++) {
        FileView file = { 0 };
        char *path;
        if (p->text && strcmp(p->files.names[i], p->text_name) == 0) {
            p->maps[i] = (MappedFile){ .data = (unsigned char *)p->text, .size = strlen(p->text) };
            continue;
        }
        st = find_beside(&path, p, p->files.names[i]);
        if (st == OK && !path)
            st = err_set(p->err, ERR_IO, "%s/%s: %s", p->folder, p->files.names[i], strerror(ENOENT));
        if (st == OK) st = model_folder_read_path(p->source, path, &file, p->err);
        p->maps[i] = file.map;
        free(path);
    }
    if (st != OK || !settings) return st;
    /* The settings that Marian stores among the weights become a file. */
    st = add_name(&p->files, p->folder, MARIAN_SETTINGS, p->err);
    if (st == OK)
        p->maps[p->files.count - 1] =
            (MappedFile){ .data = settings->data, .size = strnlen((const char *)settings->data, settings->bytes) };
    return st;
}

/* Rejects names that a packed model uses itself. */
static Status describe_other(const Packing *p, const Tensor *t)
{
    static const char *const taken[] = { PACKED_FILES, PACKED_MATRICES, PACKED_PADS, "dragoman.", "__metadata__" };
    const DType type = tensor_compute_dtype(t);
    const bool wide = t->dtype == DTYPE_F64;

    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (text_begins_with(t->name, taken[i]))
            return err_set(p->err, ERR_UNSUPPORTED, "%s: tensor %s: packed models reserve this name", t->file, t->name);
    return pack_writer_describe(p->writer, t->name, wide ? "F64" : type_name(type), wide ? 8 : dtype_bytes(type),
                                t->rank, t->shape, p->err);
}

static Status describe_all(const Packing *p)
{
    Buf name = { 0 };
    Status st = OK;

    for (size_t i = 0; st == OK && i < p->files.count; i++) {
        buf_clear(&name);
        buf_put_format(&name, PACKED_FILES "%s", p->files.names[i]);
        st = buf_check(&name, p->err);
        if (st == OK) st = pack_writer_describe(p->writer, name.data, "U8", 1, 1, &p->maps[i].size, p->err);
    }
    buf_free(&name);
    for (size_t i = 0; st == OK && i < p->plan.other_count; i++) st = describe_other(p, p->plan.others[i]);
    for (size_t i = 0; st == OK && i < p->plan.matrix_count; i++) {
        const StoredMatrix *m = &p->plan.matrices[i];
        st = describe_matrix(p, m, packed_type(p->type, m));
    }
    return st;
}

Status model_pack(ModelFolder *folder, PackType type, const char *calibration, int fd, const char *name, Buf *warnings,
                  Err *err)
{
    const char *path = model_folder_path(folder);
    Packing p = { .source = folder, .folder = path, .type = type, .calibration = calibration, .err = err };
    Status st;

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    return err_set(err, ERR_UNSUPPORTED, "%s: models can be packed only on little-endian machines", name);
#endif
    if (model_folder_is_packed(folder)) return err_set(err, ERR_USAGE, "%s: is already packed", path);
    st = model_config_read(&p.model.config, folder, NULL, err);
    if (st == OK) st = weights_open(&p.weights, folder, err);
    if (st == OK) st = bind_fault_explain(bind_model(&p.model, p.weights, &p.plan, err), folder, p.weights, err);
    if (st == OK) st = map_files(&p);
    if (st == OK) st = pack_writer_new(&p.writer, fd, name, err);
    if (st == OK) st = describe_all(&p);
    st = model_folder_check(folder, st, err);
    if (st == OK) {
        for (size_t i = 0; st == OK && i < p.files.count; i++)
            st = pack_writer_write(p.writer, p.maps[i].data, p.maps[i].size, p.err);
        for (size_t i = 0; st == OK && i < p.plan.other_count; i++)
            st = pack_writer_write(p.writer, p.plan.others[i]->data, p.plan.others[i]->bytes, p.err);
        for (size_t i = 0; st == OK && i < p.plan.matrix_count; i++) {
            const StoredMatrix *m = &p.plan.matrices[i];
            PackedMultipliers multipliers;
            Panels a;
            st = panels_allocate(&a, m, packed_type(p.type, m), p.err);
            if (st == OK) st = write_panels(&p, &a);
            if (st == OK && a.scales) st = pack_writer_write(p.writer, a.scales, m->n * sizeof *a.scales, p.err);
            if (st == OK && a.corrections)
                st = pack_writer_write(p.writer, a.corrections, panels_count(m->n, 1) * sizeof *a.corrections, p.err);
            if (st == OK && a.scales && bind_matrix_is_marian(m)) {
                st = bind_matrix_pack_multipliers(p.weights, &multipliers, m, err);
                if (st == OK)
                    st = pack_writer_write(p.writer, multipliers.values, multipliers.count * sizeof(float), p.err);
            }
            free(a.row);
            free(a.row_scratch);
            free(a.rows);
            free(a.panel);
            free(a.scales);
            free(a.corrections);
        }
        if (st == OK) st = pack_writer_finish(p.writer, p.err);
    }
    if (st == OK && warnings && p.model.warning) {
        buf_put_format(warnings, "%s\n", p.model.warning);
        st = buf_check(warnings, err);
    }
    pack_writer_free(p.writer);
    free(p.maps);
    cJSON_free(p.text);
    for (size_t i = 0; i < p.files.count; i++) free(p.files.names[i]);
    free(p.files.names);
    p.files = (PackFiles){ 0 };
    free(p.plan.matrices);
    free(p.plan.others);
    weights_free(p.weights);
    free(p.model.matrices);
    arena_free(p.model.arena);
    arena_free(p.model.matrix_arena);
    model_config_free(&p.model.config);
    return st;
}

Status model_verify(const char *path, size_t *tensors, Err *err)
{
    *tensors = 0;
    if (path_is_directory(path))
        return err_set(err, ERR_USAGE, "%s: is a folder: only packed models have checksums", path);
    return packed_verify(path, tensors, err);
}
