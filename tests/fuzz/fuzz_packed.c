/* fuzz_packed.c - fuzzes the reader of packed models with libFuzzer.
 * Input    A byte of flags, then the file. Flags: 1 its checksums are made right, if it has them in their places.
 * Checks   Accepted tensors can be found and read; the files inside have the bytes of their tensors. The message for a
 *          rejected file is one line that begins with the file's path. What dragoman verifies it also opens.
 * Options  -max_len=8192 -use_value_profile=1 */
#define _GNU_SOURCE /* memmem() */
#include "fuzz_tensors.h"

#include "fuzz_checksums.h"
#include "fuzz_folder.h"
#include "packed.h"
#include "packed_file.h"
#include "readers.h"
#include "stored_file.h"
#include "text.h"

#define NAME "model.safetensors"

/* Compares the file inside with the tensor that has its bytes. */
static void check_file(const FileView *file, const Tensor *t)
{
    const char *name = t->name + strlen(PACKED_FILES);
    MappedFile inside;
    size_t offset, size;
    bool found;
    Err err = { "" };

    require(packed_file_find(&found, &file->map, name, &offset, &size) == OK, "memory", name);
    if (found) require(offset <= file->map.size && size <= file->map.size - offset, "inside the file", name);
    if (stored_file_open_inside(&inside, &file->map, file->path, name, &err) != OK)
        fuzz_folder_require_message(&err, file->path);
    else if (!inside.is_copy)
        require(inside.size == t->bytes && (!t->bytes || memcmp(inside.data, t->data, t->bytes) == 0), "the bytes",
                name);
    mapped_file_close(&inside);
}

static void check_in_memory(const FileView *file)
{
    Weights *all;
    uint64_t hash;
    bool found;
    Err err = { "" };
    Status st = packed_file_check(&file->map, file->path, &err);

    require(st != OK || packed_file_is(&file->map), "a packed file", "is recognized");
    require(packed_file_checksum(&found, &file->map, "a", &hash) == OK, "memory", "a checksum");
    require_ok(weights_new(&all, NULL, &err), &err);
    if (st == OK) st = safetensors_read(all, file, &err);
    require_weights(all, st, &err, file->path);
    for (size_t i = 0; st == OK && i < all->tensor_count; i++)
        if (text_begins_with(all->tensors[i].name, PACKED_FILES)) check_file(file, &all->tensors[i]);
    weights_free(all);
}

static void check_as_file(const FileView *file, const char *folder)
{
    Weights *all;
    FileView mapped;
    size_t count;
    Err err = { "" }, fault = { "" };
    Status st;

    fuzz_folder_write(folder, NAME, file->map.data, file->map.size);
    require_ok(weights_new(&all, NULL, &err), &err);
    require_ok(weights_add_file(all, file->path, &mapped, &err), &err);
    st = packed_read(all, &mapped, &err);
    require_weights(all, st, &err, file->path);
    if (packed_verify(file->path, &count, &fault) == OK)
        require_ok(st, &err);
    else
        require_message(&fault, file->path);
    weights_free(all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *folder, *path;
    const uint8_t flags = fuzz_take(&data, &size);
    unsigned char *bytes = fuzz_copy(data, size);
    FileView file = { .map = { .data = bytes, .size = size } };

    if (!folder) {
        folder = fuzz_folder_new();
        path = fuzz_folder_path(folder, NAME);
    }
    file.path = path;
    if (flags & 1) fuzz_checksums_mend(bytes, size);
    check_in_memory(&file);
    check_as_file(&file, folder);
    free(bytes);
    return 0;
}
