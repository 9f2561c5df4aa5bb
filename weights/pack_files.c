/* pack_files.c - see pack_files.h. */
#include "pack_files.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "buf.h"
#include "path.h"
#include "utf8.h"

/* The largest known file is a tokenizer.json of 40 MB. */
#define MAX_FILE_BYTES ((intmax_t)256 << 20)

#define MAX_FILES ((size_t)1000)

/* Weights with their index files, and documents. */
static const char *const LEFT_OUT[] = {
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

    for (size_t i = 0; i < sizeof LEFT_OUT / sizeof *LEFT_OUT; i++)
        if (fnmatch(LEFT_OUT[i], name, 0) == 0) return true;
    /* A model's files have names in valid UTF-8. */
    for (size_t i = 0; i < len;) {
        uint32_t code;
        i += utf8_next(name + i, len - i, &code);
        if (code == UTF8_INVALID) return true;
    }
    return false;
}

Status pack_files_add(PackFiles *out, const char *folder, const char *name, Err *err)
{
    Status st;

    if (out->count == MAX_FILES)
        return err_set(err, ERR_UNSUPPORTED, "%s: more than %zu files: is this a model's folder?", folder, MAX_FILES);
    st = buf_grow_list(&out->names, &out->cap, out->count, 1, sizeof *out->names, "the list of files", err);
    if (st != OK) return st;
    out->names[out->count] = strdup(name);
    return out->names[out->count] ? (out->count++, OK) : err_memory(err, "the list of files");
}

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
        st = pack_files_add(out, folder, name, err);
    free(path);
    return st;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

Status pack_files_list(PackFiles *out, ModelFolder *folder, Err *err)
{
    const char *const *names;
    size_t count;
    Status st = model_folder_list(folder, &names, &count, err);

    for (size_t i = 0; st == OK && i < count; i++) st = consider(out, model_folder_path(folder), names[i], err);
    return st;
}

Status pack_files_require(PackFiles *files, const char *folder, const char *name, Err *err)
{
    Status st;

    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->names[i], name) == 0) return OK;
    st = pack_files_add(files, folder, name, err);
    if (st == OK) qsort(files->names, files->count, sizeof *files->names, compare_names);
    return st;
}

void pack_files_free(PackFiles *files)
{
    for (size_t i = 0; i < files->count; i++) free(files->names[i]);
    free(files->names);
    *files = (PackFiles){ 0 };
}
