/* torch_support.h - what the tests of PyTorch files share. */
#ifndef DRAGOMAN_TORCH_SUPPORT_H
#define DRAGOMAN_TORCH_SUPPORT_H

#include "test_support.h"

#include "readers.h"

#define TORCH_FOLDER GOLDEN_ROOT "/torch"
#define PATH         "dir/model.pt"
#define COMMAND      "/tmp/dragoman-was-executed" /* what hostile files would make */

/* A string literal with NULs in it, and its size. */
#define BYTES(text) text, sizeof(text) - 1

/* A tensor over storage k of six floats; the arguments are opcodes. */
#define TENSOR(offset, shape, strides)                                                                                 \
    "ctorch._utils\n_rebuild_tensor_v2\n((U\7storagectorch\nFloatStorage\nU\1kU\3cpuK\6tQ" offset shape strides        \
    "\x89NtR"
#define WHOLE TENSOR("K\0", "K\2K\3\x86", "K\3K\1\x86")

/* Reads a copy of exactly its size, so that the sanitizers see each access
 * beside it; the copy is the caller's. */
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
