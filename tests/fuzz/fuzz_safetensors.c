/* fuzz_safetensors.c - fuzzes the reader of safetensors files with libFuzzer.
 * Input    If the first byte is 'R', the rest is the file. Otherwise the second
 *          byte is the number of data bytes and the rest is the header; its
 *          length is added, so that mutations pass the first checks.
 * Checks   Accepted tensors can be found and read, and lie inside the file
 *          without overlap. The message for a rejected file is one line that
 *          begins with the file's path. The bytes are in a block of exactly
 *          their size, so that the sanitizers detect any access outside of it.
 * Options  -max_len=4096 */
#include "fuzz_tensors.h"

#include "readers.h"

#define PATH "dir/model.safetensors"

/* Builds the file from the input. The caller frees it. */
static uint8_t *make_file(const uint8_t *data, size_t size, size_t *file_size)
{
    bool raw = data[0] == 'R' || size < 2;
    uint64_t length = size - 2;
    uint8_t *bytes;

    *file_size = raw ? size - 1 : 8 + size - 2 + data[1];
    bytes = calloc(*file_size ? *file_size : 1, 1);
    require(bytes != NULL, "memory", "the file");
    if (raw) {
        memcpy(bytes, data + 1, size - 1);
        return bytes;
    }
    for (size_t i = 0; i < 8; i++) bytes[i] = (uint8_t)(length >> 8 * i);
    memcpy(bytes + 8, data + 2, size - 2);
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Weights *all;
    FileView file = { .path = PATH };
    size_t total = 0;
    uint8_t *bytes;
    Err err = { "" };
    Status st;

    if (size == 0) return 0;
    bytes = make_file(data, size, &file.map.size);
    file.map.data = bytes;
    require_ok(weights_new(&all, NULL, &err), &err);
    st = safetensors_read(all, &file, &err);
    require_weights(all, st, &err, PATH);
    for (size_t i = 0; st == OK && i < all->tensor_count; i++) total += all->tensors[i].bytes;
    require(st != OK || total + 8 < file.map.size, "no overlap", PATH);
    weights_free(all);
    free(bytes);
    return 0;
}
