/* weights.c - the tensors of a model: see weights.h, and readers.h for what the readers add to them. */
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "c_locale.h"
#include "readers.h"
#include "stored_file.h"

Status weights_new(Weights **out, ModelFolder *folder, Err *err)
{
    Weights *all = calloc(1, sizeof *all);
    Status st = all ? arena_new(&all->arena, err) : err_memory(err, "the weights");

    if (st == OK) st = str_map_new(&all->names, err);
    if (st == OK && folder) all->folder = model_folder_share(folder);
    *out = all;
    if (st == OK) return OK;
    weights_free(all);
    *out = NULL;
    return st;
}

void weights_free(Weights *weights)
{
    if (!weights) return;
    weights_free(weights->adapters);
    for (size_t i = 0; i < weights->file_count; i++) mapped_file_close(&weights->files[i].map);
    free(weights->files);
    free(weights->tensors);
    str_map_free(weights->names);
    arena_free(weights->arena);
    model_folder_close(weights->folder);
    free(weights);
}

/* Copies the text to the arena. */
static char *keep_text(Weights *all, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = arena_alloc(all->arena, size, 1);

    return copy ? memcpy(copy, text, size) : NULL;
}

static Status make_room(Weights *all, Err *err)
{
    return buf_grow_list(&all->files, &all->file_cap, all->file_count, 1, sizeof *all->files,
                         "the list of weight files", err);
}

Status weights_add_file(Weights *all, const char *path, FileView *out, Err *err)
{
    Status st = make_room(all, err);

    if (st == OK && all->folder) {
        st = model_folder_read_path(all->folder, path, out, err);
    } else if (st == OK) {
        out->path = keep_text(all, path);
        st = out->path ? stored_file_open(&out->map, path, err) : err_memory(err, "a path");
    }
    if (st == OK) all->files[all->file_count++] = *out;
    return st;
}

Status weights_add_pages(Weights *all, const char *path, MappedFile *pages, Err *err)
{
    Status st = make_room(all, err);

    if (st == OK)
        all->files[all->file_count++] = (FileView){ path, *pages };
    else
        mapped_file_close(pages);
    return st;
}

Status weights_reserve(Weights *all, size_t more, Err *err)
{
    if (more > INT32_MAX - all->tensor_count) return err_set(err, ERR_FORMAT, "more than %d tensors", INT32_MAX);
    return buf_grow_list(&all->tensors, &all->tensor_cap, all->tensor_count, more, sizeof *all->tensors,
                         "the list of tensors", err);
}

Status weights_add_tensor(Weights *all, const Tensor *tensor, Err *err)
{
    size_t len = strlen(tensor->name), index = all->tensor_count;
    Tensor *kept;
    bool added;
    Status st = weights_reserve(all, 1, err);

    if (st == OK) st = str_map_add(all->names, tensor->name, len, (int32_t)index, &added, err);
    if (st != OK) return st;
    if (!added) {
        const char *other = weights_find(all, tensor->name)->file;
        if (strcmp(other, tensor->file) == 0)
            return err_set(err, ERR_FORMAT, "%s: tensor %s: appears twice", tensor->file, tensor->name);
        return err_set(err, ERR_FORMAT, "%s: tensor %s is also in %s", tensor->file, tensor->name, other);
    }
    kept = &all->tensors[index];
    *kept = *tensor;
    kept->name = keep_text(all, tensor->name);
    kept->kernels = kernels_get();
    if (!kept->name) return err_memory(err, "the name of a tensor");
    all->tensor_count++;
    return OK;
}

const Tensor *weights_find(const Weights *weights, const char *name)
{
    int32_t index = str_map_get(weights->names, name, strlen(name), -1);

    return index < 0 ? NULL : &weights->tensors[index];
}

Status weights_fault(const Tensor *tensor, Err *err, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    c_locale_vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return err_set(err, ERR_FORMAT, "%s: tensor %.200s: %s", tensor->file, tensor->name, text);
}

bool weights_packed(const Weights *weights)
{
    return weights->packed;
}

size_t weights_count(const Weights *weights)
{
    return weights->tensor_count;
}

const Tensor *weights_at(const Weights *weights, size_t index)
{
    return &weights->tensors[index];
}

const char *weights_path(const Weights *weights)
{
    return weights->path;
}

void weights_release(const Weights *weights, const Tensor *tensor)
{
    const uintptr_t data = (uintptr_t)tensor->data;

    for (size_t i = 0; i < weights->file_count; i++) {
        const FileView *file = &weights->files[i];
        if (file->path != tensor->file) continue;
        /* A tensor that had to be rearranged has its own memory, outside the file. */
        if (data >= (uintptr_t)file->map.data && data - (uintptr_t)file->map.data <= file->map.size)
            mapped_file_release(&file->map, (size_t)(tensor->data - file->map.data), tensor->bytes);
        return;
    }
}
