/* collection.c - the tensors that the readers of weight files find: see readers.h. */
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "c_locale.h"
#include "readers.h"
#include "stored_file.h"

Status collection_init(Collection *all, Err *err)
{
    Status st = arena_new(&all->arena, err);

    return st == OK ? str_map_new(&all->names, err) : st;
}

void collection_free(Collection *all)
{
    for (size_t i = 0; i < all->file_count; i++) mapped_file_close(&all->files[i].map);
    free(all->files);
    free(all->tensors);
    str_map_free(all->names);
    arena_free(all->arena);
    model_folder_close(all->folder);
    *all = (Collection){ 0 };
}

/* Copies the text to the arena. */
static char *keep_text(Collection *all, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = arena_alloc(all->arena, size, 1);

    return copy ? memcpy(copy, text, size) : NULL;
}

static Status make_room(Collection *all, Err *err)
{
    FileView *files = realloc(all->files, (all->file_count + 1) * sizeof *files);

    if (!files) return err_memory(err, "the list of weight files");
    all->files = files;
    return OK;
}

Status collection_add_file(Collection *all, const char *path, FileView *out, Err *err)
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

Status collection_add_pages(Collection *all, const char *path, MappedFile *pages, Err *err)
{
    Status st = make_room(all, err);

    if (st == OK)
        all->files[all->file_count++] = (FileView){ path, *pages };
    else
        mapped_file_close(pages);
    return st;
}

Status collection_reserve(Collection *all, size_t more, Err *err)
{
    Tensor *tensors;
    size_t cap;

    if (more <= all->tensor_cap - all->tensor_count) return OK;
    if (more > INT32_MAX - all->tensor_count) return err_set(err, ERR_FORMAT, "more than %d tensors", INT32_MAX);
    cap = all->tensor_count + more;
    tensors = realloc(all->tensors, cap * sizeof *tensors);
    if (!tensors) return err_memory(err, "the list of tensors");
    all->tensors = tensors;
    all->tensor_cap = cap;
    return OK;
}

Status collection_add_tensor(Collection *all, const Tensor *tensor, Err *err)
{
    size_t len = strlen(tensor->name), index = all->tensor_count;
    Tensor *kept;
    bool added;
    Status st = collection_reserve(all, 1, err);

    if (st == OK) st = str_map_add(all->names, tensor->name, len, (int32_t)index, &added, err);
    if (st != OK) return st;
    if (!added) {
        const char *other = collection_find(all, tensor->name)->file;
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

const Tensor *collection_find(const Collection *all, const char *name)
{
    int32_t index = str_map_get(all->names, name, strlen(name), -1);

    return index < 0 ? NULL : &all->tensors[index];
}

Status collection_fault(const Tensor *tensor, Err *err, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    c_locale_vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return err_set(err, ERR_FORMAT, "%s: tensor %.200s: %s", tensor->file, tensor->name, text);
}
