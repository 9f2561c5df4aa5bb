/* pack.c - see pack.h. */
#include "pack.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bind.h"
#include "calibration.h"
#include "config_reader.h"
#include "ct2_config.h"
#include "ct2_tokens.h"
#include "marian_folder.h"
#include "pack_files.h"
#include "pack_matrix.h"
#include "pack_writer.h"
#include "packed.h"
#include "packed_file.h"
#include "path.h"
#include "text.h"

#define CONFIG "config.json"

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

/* Rejects names that a packed model uses itself. */
static Status check_name(const Packing *p, const Tensor *t)
{
    static const char *const taken[] = { PACKED_FILES, PACKED_MATRICES, PACKED_PADS, "dragoman.", "__metadata__" };

    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (text_begins_with(t->name, taken[i]))
            return err_set(p->err, ERR_UNSUPPORTED, "%s: tensor %s: packed models reserve this name", t->file, t->name);
    return OK;
}

/* Adds the settings that Marian stores among the weights, as a file. */
static Status add_settings(Packing *p, const Tensor *settings)
{
    const size_t size = strnlen((const char *)settings->data, settings->bytes);
    Status st = pack_files_add(&p->files, p->folder, MARIAN_SETTINGS, p->err);

    if (st == OK) p->maps[p->files.count - 1] = (MappedFile){ .data = settings->data, .size = size };
    return st;
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
    return st == OK ? pack_files_require(&p->files, p->folder, CONFIG, p->err) : st;
}

/* Returns the path of a Marian file that model_config_read() found in any folder; NULL if none has that name. */
static const char *find_marian(const Packing *p, const char *name)
{
    const ModelConfig *config = &p->model.config;
    const char *const paths[] = { config->vocab_files.source, config->vocab_files.target, config->shortlist.path };

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (paths[i] && strcmp(path_name(paths[i]), name) == 0) return paths[i];
    return NULL;
}

/* Finds the path of the file with this name: beside the weights, or beside the folder in a package. NULL if it does
 * not exist. */
static Status find_beside(char **out, const Packing *p, const char *name)
{
    const bool is_given = p->calibration && strcmp(name, CALIBRATION_FILE) == 0;
    const char *known = is_given ? p->calibration : find_marian(p, name), *package = model_folder_package(p->source);
    char *path = known ? strdup(known) : path_join(model_folder_place(p->source), name);

    *out = NULL;
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

    if (path) st = pack_files_require(&p->files, p->folder, name, p->err);
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
    if (st == OK && model_folder_is_directory(p->source)) st = pack_files_list(&p->files, p->source, p->err);
    for (size_t i = 0; st == OK && i < sizeof others / sizeof *others; i++) st = add_beside(p, others[i]);
    for (size_t i = 0; st == OK && i < sizeof paths / sizeof *paths; i++)
        if (paths[i]) st = pack_files_require(&p->files, p->folder, path_name(paths[i]), p->err);
    return st == OK ? pack_files_require(&p->files, p->folder, MARIAN_DECODER, p->err) : st;
}

/* The files of a package are in two folders, and those of an archive cannot be listed. */
static Status list_files(Packing *p)
{
    Status st = OK;

    if (p->model.config.vocab_files.source) return list_marian(p);
    if (!model_folder_package(p->source) && !model_folder_is_archive(p->source))
        return pack_files_list(&p->files, p->source, p->err);
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
    return st == OK && settings ? add_settings(p, settings) : st;
}

static Status describe_file(const Packing *p, size_t index)
{
    Buf name = { 0 };
    Status st = buf_append_format(&name, p->err, PACKED_FILES "%s", p->files.names[index]);

    if (st == OK) st = pack_writer_describe(p->writer, name.data, "U8", 1, 1, &p->maps[index].size, p->err);
    buf_free(&name);
    return st;
}

static Status describe_other(const Packing *p, const Tensor *t)
{
    const DType type = tensor_compute_dtype(t);
    const bool wide = t->dtype == DTYPE_F64;
    Status st = check_name(p, t);

    if (st != OK) return st;
    return pack_writer_describe(p->writer, t->name, wide ? "F64" : pack_matrix_type_name(type),
                                wide ? 8 : dtype_bytes(type), t->rank, t->shape, p->err);
}

static Status describe_all(const Packing *p)
{
    const MatrixPacking matrices = { p->weights, p->writer, p->err };
    Status st = OK;

    for (size_t i = 0; st == OK && i < p->files.count; i++) st = describe_file(p, i);
    for (size_t i = 0; st == OK && i < p->plan.other_count; i++) st = describe_other(p, p->plan.others[i]);
    for (size_t i = 0; st == OK && i < p->plan.matrix_count; i++) {
        const StoredMatrix *m = &p->plan.matrices[i];
        st = pack_matrix_describe(&matrices, m, packed_type(p->type, m));
    }
    return st;
}

static Status write_all(const Packing *p)
{
    const MatrixPacking matrices = { p->weights, p->writer, p->err };
    Status st = OK;

    for (size_t i = 0; st == OK && i < p->files.count; i++)
        st = pack_writer_write(p->writer, p->maps[i].data, p->maps[i].size, p->err);
    for (size_t i = 0; st == OK && i < p->plan.other_count; i++)
        st = pack_writer_write(p->writer, p->plan.others[i]->data, p->plan.others[i]->bytes, p->err);
    for (size_t i = 0; st == OK && i < p->plan.matrix_count; i++) {
        const StoredMatrix *m = &p->plan.matrices[i];
        st = pack_matrix_write(&matrices, m, packed_type(p->type, m));
    }
    return st == OK ? pack_writer_finish(p->writer, p->err) : st;
}

static void packing_free(Packing *p)
{
    pack_writer_free(p->writer);
    free(p->maps);
    cJSON_free(p->text);
    pack_files_free(&p->files);
    free(p->plan.matrices);
    free(p->plan.others);
    weights_free(p->weights);
    free(p->model.matrices);
    arena_free(p->model.arena);
    arena_free(p->model.matrix_arena);
    model_config_free(&p->model.config);
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
    if (st == OK) st = write_all(&p);
    if (st == OK && warnings && p.model.warning) st = buf_append_format(warnings, err, "%s\n", p.model.warning);
    packing_free(&p);
    return st;
}

Status model_verify(const char *path, size_t *tensors, Err *err)
{
    *tensors = 0;
    if (path_is_directory(path))
        return err_set(err, ERR_USAGE, "%s: is a folder: only packed models have checksums", path);
    return packed_verify(path, tensors, err);
}
