/* torch_support.h - builds and reads PyTorch files for tests. */
#ifndef DRAGOMAN_TORCH_SUPPORT_H
#define DRAGOMAN_TORCH_SUPPORT_H

#include "test_support.h"

#include "readers.h"

#define TORCH_FOLDER GOLDEN_ROOT "/torch"
#define PATH         "dir/model.pt"
#define COMMAND      "/tmp/dragoman-was-executed" /* the file that hostile pickles would create */

/* A string literal that contains NULs, and its size. */
#define BYTES(text) text, sizeof(text) - 1

/* The pickle of a tensor in storage "k" with six floats; the arguments are opcodes. */
#define TENSOR(offset, shape, strides)                                                                                 \
    "ctorch._utils\n_rebuild_tensor_v2\n((U\7storagectorch\nFloatStorage\nU\1kU\3cpuK\6tQ" offset shape strides        \
    "\x89NtR"
#define WHOLE TENSOR("K\0", "K\2K\3\x86", "K\3K\1\x86")

/* Reads from a copy of exactly this size, so that the sanitizers detect any
 * access outside of it. The caller frees the copy. */
static inline Status torch_support_read(Collection *all, unsigned char **copy, const void *bytes, size_t size, Err *err)
{
    FileView file = { .path = PATH };

    *copy = malloc(size + !size);
    assert_non_null(*copy);
    memcpy(*copy, bytes, size);
    file.map = (MappedFile){ .data = *copy, .size = size };
    *all = (Collection){ 0 };
    assert_ok(collection_init(all, err), err);
    return torch_bin_read(all, &file, err);
}

#endif
