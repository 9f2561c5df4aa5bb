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

#include "adapter.h"
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

/* The number of bytes of mapped files that may stay in memory. */
#define RELEASE_BYTES ((size_t)16 << 20)

/* The largest known file is a tokenizer.json of 40 MB. */
#define MAX_FILE_BYTES ((intmax_t)256 << 20)

#define MAX_FILES ((size_t)1000)

/* --- Packing. --- */

/* A file to put into the packed model, such as a configuration or a vocabulary. */
typedef struct {
    char *name;
    MappedFile map; /* a view */
} PackFile;

/* The state while one model is packed. Its functions do nothing after the first error. */
typedef struct {
    ModelFolder *source;
    const char *folder; /* path of source */
    Precision precision;
    const char *calibration; /* NULL: that of the folder */
    const char *config;      /* the text of config.json; NULL: that of the folder */
    Model model;             /* has the configuration, and what bind_model() adds with a plan */
    Weights *weights;
    BinderPlan plan;
    LIST_OF(PackFile) files; /* sorted bytewise */
    char *text;              /* the content of the one file that is written anew; NULL: none */
    PackWriter *writer;
    Err *err;
    Status st; /* the first error */
} Packing;

/* --- The files of the folder. --- */

/* Shell patterns for files that are not packed: hidden files, weights with their index files, and documents. */
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
    ADAPTER_CONFIG,
};

static bool is_left_out(const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (fnmatch(left_out[i], name, 0) == 0) return true;
    /* A name that is not valid UTF-8 is not that of a model's file: leave it out. */
    for (size_t i = 0; i < len;) {
        uint32_t code;
        i += utf8_next(name + i, len - i, &code);
        if (code == UTF8_INVALID) return true;
    }
    return false;
}

static void append_file(Packing *p, const char *name, MappedFile map)
{
    if (p->st == OK && p->files.len == MAX_FILES)
        p->st = err_set(p->err, ERR_UNSUPPORTED, "%s: more than %zu files: is this a model's folder?", p->folder,
                        MAX_FILES);
    if (p->st != OK) return;
    LIST_PUT(&p->files, (PackFile){ .map = map });
    p->st = LIST_CHECK(&p->files, "the list of files", p->err);
    if (p->st != OK) return;
    p->files.data[p->files.len - 1].name = strdup(name);
    if (!p->files.data[p->files.len - 1].name) p->st = err_memory(p->err, "the list of files");
}

/* Inserts a file, the one at `path` or p->text if that is NULL, into the sorted list unless its name is in the list. */
static void add_file(Packing *p, const char *name, const char *path)
{
    FileView file = { 0 };
    size_t at = 0;

    if (p->st != OK) return;
    while (at < p->files.len && strcmp(p->files.data[at].name, name) < 0) at++;
    if (at < p->files.len && strcmp(p->files.data[at].name, name) == 0) return;
    if (path)
        p->st = model_folder_read_path(p->source, path, &file, p->err);
    else
        file.map = (MappedFile){ .data = (unsigned char *)p->text, .size = strlen(p->text) };
    append_file(p, name, file.map);
    if (p->st != OK) return;
    const PackFile added = p->files.data[p->files.len - 1];
    memmove(&p->files.data[at + 1], &p->files.data[at], (p->files.len - 1 - at) * sizeof added);
    p->files.data[at] = added;
}

/* Adds the regular files of the folder and links to regular files, except weights, hidden files and documents. */
static void add_folder(Packing *p)
{
    const char *const *names;
    size_t count = 0;

    if (p->st == OK) p->st = model_folder_list(p->source, &names, &count, p->err);
    for (size_t i = 0; p->st == OK && i < count; i++) {
        struct stat info;
        char *path;
        if (is_left_out(names[i])) continue;
        path = path_join(p->folder, names[i]);
        if (!path)
            p->st = err_memory(p->err, "a path");
        else if (stat(path, &info) != 0)
            p->st = err_set(p->err, ERR_IO, "%s: %s", path, strerror(errno));
        else if (S_ISREG(info.st_mode) && (intmax_t)info.st_size > MAX_FILE_BYTES)
            p->st = err_set(p->err, ERR_UNSUPPORTED,
                            "%s: too large for a vocabulary (%jd bytes): move it out of the folder", path,
                            (intmax_t)info.st_size);
        else if (S_ISREG(info.st_mode))
            add_file(p, names[i], path);
        free(path);
    }
}

/* Adds the file of this name beside the weights or, in a package, beside the weights' folder, if there is one. */
static void add_beside(Packing *p, const char *name)
{
    const char *const places[] = { model_folder_place(p->source), model_folder_package(p->source) };

    for (size_t i = 0; name && p->st == OK && i < 2 && places[i]; i++) {
        char *path = path_join(places[i], name);
        if (!path)
            p->st = err_memory(p->err, "a path");
        else if (model_folder_has_path(p->source, path))
            add_file(p, name, path);
        free(path);
    }
}

/* Lists the files to pack. Files of a package or an archive are looked up by name: those of a package are in two
 * folders, and an archive cannot be listed. Of several files with one name, the first one is packed. */
static void add_files(Packing *p)
{
    static const char *const marian_others[] = { "source.spm",     "target.spm",      "preprocess.sh",
                                                 "postprocess.sh", "model_info.json", "metadata.json" };
    const ModelConfig *config = &p->model.config;
    const char *const named[] = { config->vocab_files.source, config->vocab_files.target, config->shortlist.path };

    if (p->st != OK) return;
    if (p->calibration) add_file(p, CALIBRATION_FILE, p->calibration);
    /* A packed model has no model.bin, so config.json records CTranslate2's description of the layers. It keeps the
     * rounding of activations only if the matrices keep their stored integers. */
    if (p->st == OK && model_folder_kind(p->source) == MODEL_CTRANSLATE2) {
        RowRounding rounding = config->int8.row_rounding;
        if (p->precision != PRECISION_AUTO && !(p->precision == PRECISION_INT8 && rounding == ROWS_DOWN))
            rounding = ROWS_UNROUNDED;
        p->st = ct2_config_print(&p->text, rounding, p->source, p->err);
        add_file(p, CONFIG, NULL);
    } else if (p->st == OK && p->config) {
        p->text = strdup(p->config);
        if (!p->text) p->st = err_memory(p->err, "a configuration");
        add_file(p, CONFIG, NULL);
    }
    if (p->st == OK && named[0]) {
        /* Pack the files that the settings of a Marian model name, and all others of its folder, which it may need. */
        p->st = marian_folder_print(&p->text, p->source, p->weights, config, p->err);
        add_file(p, MARIAN_DECODER, NULL);
        for (size_t i = 0; i < sizeof named / sizeof *named; i++)
            if (named[i]) add_file(p, path_name(named[i]), named[i]);
        if (model_folder_is_directory(p->source)) add_folder(p);
        for (size_t i = 0; i < sizeof marian_others / sizeof *marian_others; i++) add_beside(p, marian_others[i]);
    } else if (!model_folder_package(p->source) && !model_folder_is_archive(p->source)) {
        add_folder(p);
    } else {
        for (const char *const *name = ct2_text_files; *name; name++) add_beside(p, *name);
        for (const Ct2SpNames *names = ct2_sp_names; names->source; names++) {
            add_beside(p, names->source);
            add_beside(p, names->target);
        }
    }
    add_beside(p, CALIBRATION_FILE);
    /* The settings that Marian stores among the weights become a file. */
    const Tensor *settings = weights_find(p->weights, MARIAN_SETTINGS);
    if (settings)
        append_file(
            p, MARIAN_SETTINGS,
            (MappedFile){ .data = settings->data, .size = strnlen((const char *)settings->data, settings->bytes) });
}

/* --- The header. --- */

/* "F32", "F16" or "BF16" */
static const char *type_name(DType type)
{
    static const char *const names[] = { [DTYPE_F32] = "F32", [DTYPE_F16] = "F16", [DTYPE_BF16] = "BF16" };

    return names[type];
}

static DType packed_type(Precision wanted, const StoredMatrix *m)
{
    DType type = m->parts[0]->dtype == DTYPE_S8 ? DTYPE_S8 : tensor_compute_dtype(m->parts[0]);

    if (wanted == PRECISION_INT8) return m->k <= MATRIX_8BIT_MAX_K ? DTYPE_S8 : DTYPE_F32;
    if (m->k > MATRIX_16BIT_MAX_K || wanted == PRECISION_F32) return DTYPE_F32;
    if (wanted == PRECISION_BF16) return DTYPE_BF16;
    for (size_t i = 1; i < m->count; i++)
        if ((m->parts[i]->dtype == DTYPE_S8 ? DTYPE_S8 : tensor_compute_dtype(m->parts[i])) != type) return DTYPE_F32;
    return type;
}

/* Describes a tensor that belongs to an int8 matrix. */
static void describe_part(Packing *p, const StoredMatrix *m, const char *suffix, const char *type, size_t rank,
                          const size_t *shape)
{
    char name[sizeof m->name + 16];

    snprintf(name, sizeof name, "%s%s", m->name.text, suffix);
    pack_writer_describe(p->writer, name, type, 4, rank, shape);
}

static void describe_matrix(Packing *p, const StoredMatrix *m)
{
    const DType type = packed_type(p->precision, m);
    const size_t panels = (m->n + PANEL - 1) / PANEL, padded = panels * PANEL, shape[3] = { panels, m->k, PANEL };
    const size_t s8_shape[4] = { panels, panels_s8_width(m->k) / PANELS_S8_FOUR, PANEL, PANELS_S8_FOUR };
    PackedMultipliers all;

    if (type != DTYPE_S8) {
        pack_writer_describe(p->writer, m->name.text, type_name(type), dtype_bytes(type), 3, shape);
        return;
    }
    pack_writer_describe(p->writer, m->name.text, "I8", 1, 4, s8_shape);
    describe_part(p, m, PACKED_SCALES, "F32", 1, &m->n);
    describe_part(p, m, PACKED_CORRECTIONS, "I32", 1, &padded);
    p->st = pack_writer_check(p->writer);
    if (p->st != OK || !bind_is_marian(m->parts[0])) return;
    p->st = bind_matrix_pack_multipliers(p->weights, &all, m, p->err);
    if (p->st == OK) describe_part(p, m, PACKED_MULTIPLIER, "F32", all.rank, all.shape);
}

static void describe_all(Packing *p)
{
    /* Packed models use these prefixes for their own entries, so no name of a tensor may begin with them. */
    static const char *const taken[] = { PACKED_FILES, PACKED_MATRICES, PACKED_PADS, "dragoman.", "__metadata__" };
    Buf name = { 0 };

    for (size_t i = 0; p->st == OK && i < p->files.len; i++) {
        buf_clear(&name);
        buf_put_format(&name, PACKED_FILES "%s", p->files.data[i].name);
        p->st = buf_check(&name, p->err);
        if (p->st == OK) pack_writer_describe(p->writer, name.data, "U8", 1, 1, &p->files.data[i].map.size);
        if (p->st == OK) p->st = pack_writer_check(p->writer);
    }
    buf_free(&name);
    for (size_t i = 0; p->st == OK && i < p->plan.others.len; i++) {
        const Tensor *t = p->plan.others.data[i];
        const DType type = tensor_compute_dtype(t);
        const bool wide = t->dtype == DTYPE_F64;
        for (size_t j = 0; p->st == OK && j < sizeof taken / sizeof *taken; j++)
            if (text_begins_with(t->name, taken[j]))
                p->st = err_set(p->err, ERR_UNSUPPORTED, "%s: tensor %s: packed models reserve this name", t->file,
                                t->name);
        if (p->st == OK)
            pack_writer_describe(p->writer, t->name, wide ? "F64" : type_name(type), wide ? 8 : dtype_bytes(type),
                                 t->rank, t->shape);
        if (p->st == OK) p->st = pack_writer_check(p->writer);
    }
    for (size_t i = 0; p->st == OK && i < p->plan.matrices.len; i++) describe_matrix(p, &p->plan.matrices.data[i]);
    if (p->st == OK) p->st = pack_writer_check(p->writer);
}

/* --- Matrices: panels of PANEL rows. --- */

/* A panel of a matrix, and, for int8, the scales and corrections of all panels. */
typedef struct {
    const StoredMatrix *matrix;
    DType type;
    float *row;           /* one row: [k] of f32, or of a smaller type in the same memory */
    uint8_t *row_scratch; /* [panels_s8_width(k)], for int8 */
    void *rows;           /* [PANEL, k] of matrix_source_type() */
    void *panel;          /* in the layout of the file */
    size_t panel_bytes;
    float *scales;        /* [n] */
    int32_t *corrections; /* [n rounded up to PANEL] */
} Panels;

/* Reads rows into `rows`, or, for int8 matrices, into the panel. */
static Status read_rows(const Panels *a, size_t first, size_t count, Err *err)
{
    const StoredMatrix *m = a->matrix;
    const size_t part_rows = m->n / m->count;
    Status st = OK;

    for (size_t i = 0; st == OK && i < count; i++) {
        const size_t row = first + i, part_row = row % part_rows;
        const Tensor *t = m->parts[row / part_rows];
        const bool is_s8 = a->type == DTYPE_S8 && t->dtype == DTYPE_S8;
        const DType type = is_s8 ? DTYPE_S8 : matrix_source_type(a->type);
        st = bind_matrix_read(t, part_row * m->k, m->k, type, a->row, err);
        if (st != OK) break;
        if (is_s8) {
            matrix_s8_set_values(a->panel, row % PANEL, m->k, (const int8_t *)(const void *)a->row);
            a->scales[row] = t->scales ? t->scales[part_row] : t->unit;
        } else if (a->type == DTYPE_S8) {
            a->scales[row] = matrix_s8_set_row(a->panel, row % PANEL, m->k, a->row, kernels_get(), a->row_scratch);
        } else {
            memcpy((unsigned char *)a->rows + i * m->k * dtype_bytes(type), a->row, m->k * dtype_bytes(type));
        }
    }
    return st;
}

/* Writes the panels one by one. */
static void write_panels(Packing *p, const Panels *a)
{
    const StoredMatrix *m = a->matrix;
    size_t unreleased = 0;

    for (size_t first = 0; p->st == OK && first < m->n; first += PANEL) {
        size_t count = m->n - first < PANEL ? m->n - first : PANEL;
        if (a->type == DTYPE_S8) memset(a->panel, 0, a->panel_bytes);
        p->st = read_rows(a, first, count, p->err);
        if (p->st != OK) return;
        if (a->type == DTYPE_S8)
            matrix_s8_correct(a->panel, 0, count, m->k, a->corrections + first);
        else
            panels_fill(a->type, a->panel, a->rows, count, m->k);
        pack_writer_write(p->writer, a->panel, a->panel_bytes);
        p->st = pack_writer_check(p->writer);
        unreleased += count * m->k * sizeof(float);
        if (unreleased < RELEASE_BYTES && first + PANEL < m->n) continue;
        for (size_t i = 0; i < m->count; i++) weights_release(p->weights, m->parts[i]);
        unreleased = 0;
    }
}

static void write_matrix(Packing *p, const StoredMatrix *m)
{
    const DType type = packed_type(p->precision, m);
    const bool s8 = type == DTYPE_S8;
    const size_t corrections = panels_count(m->n, 1);
    const size_t count = s8 ? panels_s8_count(PANEL, m->k) : panels_count(PANEL, m->k);
    Panels a = { .matrix = m, .type = type, .panel_bytes = count * dtype_bytes(type) };
    PackedMultipliers multipliers;
    Arena *arena;

    p->st = pack_writer_check(p->writer); /* an earlier error of the writer must keep its message */
    if (p->st != OK) return;
    p->st = arena_new(&arena, p->err);
    if (p->st != OK) return;
    a.row = arena_zeroed(arena, m->k, sizeof *a.row);
    a.row_scratch = arena_zeroed(arena, panels_s8_width(m->k), 1);
    a.rows = arena_zeroed(arena, PANEL, m->k * sizeof(float));
    a.panel = arena_alloc(arena, a.panel_bytes, 1);
    if (s8) a.scales = arena_zeroed(arena, m->n, sizeof *a.scales);
    if (s8) a.corrections = arena_zeroed(arena, corrections, sizeof *a.corrections);
    p->st = arena_check(arena, "rows of a matrix", p->err);
    write_panels(p, &a);
    if (p->st == OK && s8) {
        pack_writer_write(p->writer, a.scales, m->n * sizeof *a.scales);
        pack_writer_write(p->writer, a.corrections, corrections * sizeof *a.corrections);
        if (bind_is_marian(m->parts[0])) {
            p->st = bind_matrix_pack_multipliers(p->weights, &multipliers, m, p->err);
            if (p->st == OK)
                pack_writer_write(p->writer, multipliers.values, multipliers.count * sizeof *multipliers.values);
        }
    }
    arena_free(arena);
}

/* Writes a tensor that is not a matrix, with the change that an adapter makes to it. */
static void write_other(Packing *p, const Tensor *t)
{
    unsigned char block[4096];
    size_t part;

    if (!t->merge) {
        pack_writer_write(p->writer, t->data, t->bytes);
        return;
    }
    for (size_t done = 0; done < t->count; done += part) {
        const size_t width = dtype_bytes(t->dtype);
        part = t->count - done < sizeof block / width ? t->count - done : sizeof block / width;
        tensor_copy(t, done, part, block);
        pack_writer_write(p->writer, block, part * width);
    }
}

/* --- The whole. --- */

Status model_pack(ModelFolder *folder, Precision precision, const char *calibration, const char *config, int fd,
                  const char *name, Buf *warnings, Err *err)
{
    const char *path = model_folder_path(folder);
    Packing p = { folder, path, precision, calibration, config, .err = err };

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    return err_set(err, ERR_UNSUPPORTED, "%s: models can be packed only on little-endian machines", name);
#endif
    if (model_folder_is_packed(folder)) return err_set(err, ERR_USAGE, "%s is already packed", path);
    p.st = model_config_read(&p.model.config, folder, NULL, err);
    if (p.st == OK) p.st = weights_open(&p.weights, folder, err);
    if (p.st == OK) bind_choose_names(&p.model.config, p.weights);
    if (p.st == OK) p.st = adapter_merge(p.weights, folder, &p.model.config, err);
    if (p.st == OK) p.st = bind_fault_explain(bind_model(&p.model, p.weights, &p.plan, err), folder, p.weights, err);
    add_files(&p);
    if (p.st == OK) p.st = pack_writer_new(&p.writer, fd, name, err);
    if (p.st == OK) describe_all(&p);
    p.st = model_folder_check(folder, p.st, err);

    for (size_t i = 0; p.st == OK && i < p.files.len; i++)
        pack_writer_write(p.writer, p.files.data[i].map.data, p.files.data[i].map.size);
    for (size_t i = 0; p.st == OK && i < p.plan.others.len; i++) write_other(&p, p.plan.others.data[i]);
    for (size_t i = 0; p.st == OK && i < p.plan.matrices.len; i++) write_matrix(&p, &p.plan.matrices.data[i]);
    if (p.st == OK) p.st = pack_writer_finish(p.writer);
    if (p.st == OK && warnings && p.model.warning) {
        buf_put_format(warnings, "%s\n", p.model.warning);
        p.st = buf_check(warnings, err);
    }

    pack_writer_free(p.writer);
    cJSON_free(p.text);
    for (size_t i = 0; i < p.files.len; i++) free(p.files.data[i].name);
    free(p.files.data);
    free(p.plan.matrices.data);
    free(p.plan.others.data);
    weights_free(p.weights);
    free(p.model.matrices.data);
    arena_free(p.model.arena);
    arena_free(p.model.matrix_arena);
    model_config_free(&p.model.config);
    return p.st;
}

Status model_verify(const char *path, size_t *tensors, Err *err)
{
    *tensors = 0;
    if (path_is_directory(path))
        return err_set(err, ERR_USAGE, "%s is a folder: only packed models have checksums", path);
    return packed_verify(path, tensors, err);
}
