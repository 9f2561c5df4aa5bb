/* fuzz_safetensors.c - fuzzes the reader of safetensors files with libFuzzer.
 * Input    If the first byte is 'R', the rest is the file. Otherwise the second
 *          byte is the number of data bytes and the rest is the header; its
 *          length is added, so that mutations pass the first checks.
 * Checks   Accepted tensors can be found and read, and lie inside the file
 *          without overlap. The message for a rejected file is one line that
 *          begins with the file's path. The bytes are in a block of exactly
 *          their size, so that the sanitizers detect any access outside of it.
 * Build    make fuzz
 * Run      tests/fuzz/make_seeds corpus && build/fuzz/tests/fuzz/fuzz_safetensors
 *          -max_len=4096 -dict=tests/fuzz/safetensors.dict corpus */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readers.h"

#define PATH "dir/model.safetensors"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool promise, const char *what, const char *text)
{
    if (promise) return;
    fprintf(stderr, "broken promise: %s: %s\n", what, text);
    abort();
}

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

static void check_tensor(const Collection *all, const Tensor *t, size_t file_size)
{
    size_t product = 1;
    unsigned sum = 0;

    require(t->rank <= TENSOR_MAX_RANK && t->bytes <= file_size, "sizes", t->name);
    for (size_t i = 0; i < t->rank; i++) product *= t->shape[i];
    require(product == t->count, "the product of the shape", t->name);
    require(collection_find(all, t->name) == t, "collection_find", t->name);
    for (size_t i = 0; i < t->bytes; i++) sum += t->data[i];
    require(sum <= 255 * t->bytes, "data", t->name);
    if (t->dtype != DTYPE_OTHER) {
        float *numbers = malloc((t->count + 1) * sizeof *numbers);
        require(numbers != NULL, "memory", t->name);
        tensor_read_f32(t, 0, t->count, numbers);
        free(numbers);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Collection all = { 0 };
    FileView file = { .path = PATH };
    size_t total = 0;
    uint8_t *bytes;
    Err err = { "" };

    if (size == 0) return 0;
    bytes = make_file(data, size, &file.map.size);
    file.map.data = bytes;
    require(collection_init(&all, &err) == OK, "collection_init", err.text);
    if (safetensors_read(&all, &file, &err) != OK) {
        require(strncmp(err.text, PATH ": ", sizeof PATH + 1) == 0, "the path in the message", err.text);
        require(!strpbrk(err.text, "\n\r\x1b"), "one line", err.text);
    } else {
        for (size_t i = 0; i < all.tensor_count; i++) {
            check_tensor(&all, &all.tensors[i], file.map.size);
            total += all.tensors[i].bytes;
        }
        require(total + 8 < file.map.size, "no overlap", PATH);
    }
    collection_free(&all);
    free(bytes);
    return 0;
}
