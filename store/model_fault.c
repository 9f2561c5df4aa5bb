/* model_fault.c - see model_fault.h. */
#include "model_fault.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "file_kind.h"
#include "packed_file.h"
#include "path.h"
#include "stored_file.h"
#include "text.h"

#define A_FOLDER "a model's folder has config.json, weights (safetensors, .bin or .npz) and a tokenizer"

#define CHECKPOINT                                                                                                     \
    "has no config.json beside it: a tutorial's model needs one (docs/tutorial-models.md); convert a checkpoint of "   \
    "fairseq or OpenNMT with the converters of CTranslate2"

/* Returns whether the path looks like "ORG/NAME", the public name of a model. */
static bool is_public_name(const char *path)
{
    size_t slashes = 0;

    if (!isalnum((unsigned char)*path)) return false;
    for (const char *c = path; *c; c++) {
        if (!isalnum((unsigned char)*c) && !strchr("-_./", *c)) return false;
        slashes += *c == '/';
    }
    return slashes == 1 && path[strlen(path) - 1] != '/';
}

/* Returns whether the path looks like "https://..." or a host and a path. */
static bool is_address(const char *path)
{
    static const char *const domains[] = { ".co/", ".com/", ".io/", ".net/", ".org/" };
    const char *slash = strchr(path, '/');

    if (strstr(path, "://")) return true;
    for (size_t i = 0; slash && i < sizeof domains / sizeof *domains; i++) {
        const char *domain = strstr(path, domains[i]);
        if (domain && domain + strlen(domains[i]) == slash + 1) return true;
    }
    return false;
}

static bool first_part_exists(const char *path)
{
    char *part = strndup(path, strcspn(path, "/"));
    bool exists = part && *part && path_exists(part);

    free(part);
    return exists;
}

Status model_fault_of_missing(const char *path, Err *err)
{
    if (!first_part_exists(path) && is_address(path))
        return err_set(err, ERR_IO, "%s: is a URL, not a folder: download the model and give its folder", path);
    if (!first_part_exists(path) && is_public_name(path))
        return err_set(err, ERR_IO,
                       "%s: no such folder; if this is the name of a model, download it and give its folder", path);
    return path_fault_report(path, ENOENT, err);
}

/* Returns whether the folder has a file that marks a model's folder. */
static bool is_model_folder(const char *folder)
{
    static const char *const names[] = { "config.json", "model.bin", "decoder.yml", "model.npz" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (path_has(folder, names[i])) return true;
    return false;
}

/* Returns whether the name is that of a configuration or vocabulary. */
static bool may_be_text(const char *path)
{
    static const char *const endings[] = { ".json", ".txt", ".yml", ".yaml" };

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (text_ends_with(path, endings[i])) return true;
    return false;
}

static Status refuse_file(const MappedFile *file, const char *path, const char *folder, Err *err)
{
    Status st = may_be_text(path) && is_model_folder(folder) ? OK : file_kind_check(file, path, "a model", err);

    if (st == OK && is_model_folder(folder) && !file_kind_by_name(path))
        return err_set(err, ERR_FORMAT, "%s: is only one file of a model: give the folder %s", path, folder);
    if (st == OK) st = file_kind_check_foreign(file, path, err);
    return st == OK ? err_set(err, ERR_FORMAT, "%s: is neither a model's folder nor a packed model; " A_FOLDER, path)
                    : st;
}

Status model_fault_of_file(const char *path, Err *err)
{
    char *folder = path_folder(path);
    MappedFile file = { 0 };
    Status st = folder ? stored_file_open(&file, path, err) : err_memory(err, "a path");

    if (st == OK) st = refuse_file(&file, path, folder, err);
    mapped_file_close(&file);
    free(folder);
    return st;
}

/* Files that identify a kind of folder; the message names the first one that exists. */
static const struct {
    const char *pattern, *what;
} signs[] = {
    { "adapter_config.json",
      "belongs to an adapter (LoRA): merge the adapter into its model and give the folder of the result" },
    { "*.gguf", "is a GGUF file; dragoman reads safetensors, .bin and .npz" },
    { "ggml*.bin", "is a GGML file; dragoman reads safetensors, .bin and .npz" },
    { "*.safetensors", "has no config.json beside it: download config.json, too" },
    { "pytorch_model*.bin", "has no config.json beside it: download config.json, too" },
    { "model.bin", "has no config.json beside it: download config.json, too" },
    { "*.onnx", "is an ONNX model; dragoman reads safetensors, .bin and .npz" },
    { "onnx", "is for ONNX models; dragoman reads safetensors, .bin and .npz" },
    { "*.h5", "is an HDF5 file (TensorFlow, Keras); dragoman reads safetensors, .bin and .npz" },
    { "*.msgpack", "is a Flax model; dragoman reads safetensors, .bin and .npz" },
    { "saved_model.pb", "is a TensorFlow model; dragoman reads safetensors, .bin and .npz" },
    { "*.tflite", "is a TensorFlow Lite model; dragoman reads safetensors, .bin and .npz" },
    { "*.argosmodel", "is a package of Argos Translate: give this file" },
    { "models--*", "is one of several models here: give the folder of one" },
    { "*.pt", CHECKPOINT },
    { "*.pth", CHECKPOINT },
    { "*.ckpt", CHECKPOINT },
    { "*.ot", "is a model of rust-bert; dragoman reads safetensors, .bin and .npz" },
    { "tokenizer.json", "exists, but config.json and weights are missing" },
    { "tokenizer_config.json", "exists, but config.json and weights are missing" },
    { "*.spm", "exists, but config.json and weights are missing" },
    { "*.model", "exists, but config.json and weights are missing" },
    { "vocab*", "exists, but config.json and weights are missing" },
};
#define SIGNS (sizeof signs / sizeof *signs)

static size_t rank_of(const char *name)
{
    size_t rank = 0;

    while (rank < SIGNS && fnmatch(signs[rank].pattern, name, FNM_PERIOD) != 0) rank++;
    return rank;
}

/* Returns whether the subfolder `name` has a config.json. */
static bool holds_model(const char *folder, const char *name)
{
    char *inside = path_join(folder, name);
    bool holds = inside && *name != '.' && path_has(inside, "config.json") && path_is_directory(inside);

    free(inside);
    return holds;
}

/* The content of a folder: the best match in `signs`, and a subfolder that is a model. */
typedef struct {
    size_t rank;
    Buf sign, model; /* names; empty if there are none */
    bool empty;
} Content;

static Status keep_first(Buf *kept, const char *name, Err *err)
{
    if (kept->len && strcmp(kept->data, name) <= 0) return OK;
    buf_clear(kept);
    return buf_append_text(kept, name, err);
}

static Status look_at(Content *content, const char *folder, const char *name, Err *err)
{
    size_t rank = rank_of(name);
    Status st = OK;

    content->empty = content->empty && *name == '.';
    if (holds_model(folder, name)) st = keep_first(&content->model, name, err);
    if (rank > content->rank || rank == SIGNS) return st;
    if (rank < content->rank) buf_clear(&content->sign);
    content->rank = rank;
    return st == OK ? keep_first(&content->sign, name, err) : st;
}

static Status look_into(Content *content, const char *folder, Err *err)
{
    DIR *dir = opendir(folder);
    const char *entry;
    Status st = OK;

    *content = (Content){ .rank = SIGNS, .empty = true };
    if (!dir) return path_fault_report(folder, errno, err);
    while (st == OK && (st = path_read_entry(&entry, dir, folder, err)) == OK && entry)
        st = look_at(content, folder, entry, err);
    closedir(dir);
    return st;
}

/* Weights that are a packed model, a Git LFS pointer or a web page are a better explanation than missing files. */
static Status check_sign(const Content *content, const char *folder, Err *err)
{
    char *path = path_join(folder, content->sign.data);
    MappedFile file = { 0 };
    Status st = !path ? err_memory(err, "a path") : path_is_directory(path) ? OK : stored_file_open(&file, path, err);

    if (st == OK && file.size && fnmatch("*.json", path, 0) != 0 && fnmatch("*vocab*", path, 0) != 0)
        st = file_kind_check(&file, path, "a model", err);
    if (st == OK && packed_file_is(&file))
        st = err_set(err, ERR_IO, "%s: not a model: %s is a packed model: give this file; " A_FOLDER, folder,
                     content->sign.data);
    mapped_file_close(&file);
    free(path);
    return st;
}

static Status report(const Content *content, const char *folder, Err *err)
{
    Status st;

    if (content->empty) return err_set(err, ERR_IO, "%s: is an empty folder; " A_FOLDER, folder);
    if (content->rank < SIGNS) {
        st = check_sign(content, folder, err);
        if (st != OK) return st;
        return err_set(err, ERR_IO, "%s: not a model: %s %s; " A_FOLDER, folder, content->sign.data,
                       signs[content->rank].what);
    }
    if (content->model.len)
        return err_set(err, ERR_IO, "%s: not a model: did you mean the folder %s in it? " A_FOLDER, folder,
                       content->model.data);
    return err_set(err, ERR_IO, "%s: not a model: config.json is missing; " A_FOLDER, folder);
}

Status model_fault_of_folder(const char *folder, Err *err)
{
    Content content;
    Status st = look_into(&content, folder, err);

    if (st == OK) st = report(&content, folder, err);
    buf_free(&content.sign);
    buf_free(&content.model);
    return st;
}
