/* fuzz_torch.c - fuzzes the reader of PyTorch files with libFuzzer.
 * Input    If the first byte is 'P', the rest is the pickle of an archive with
 *          a storage "0" of 24 bytes. If it is 'L', the rest follows the head
 *          of a file from before PyTorch 1.6. Otherwise the input is the file.
 * Checks   Accepted tensors can be found and read, and take no more memory than
 *          the file justifies. The message for a rejected file is one line that
 *          begins with the file's path. The bytes are in a block of exactly
 *          their size, so that the sanitizers detect any access outside of it.
 * Build    make fuzz
 * Run      tests/fuzz/make_torch_seeds corpus && build/fuzz/tests/fuzz/fuzz_torch
 *          -max_len=4096 -dict=tests/fuzz/torch.dict corpus */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readers.h"
#include "zip_support.h"

#define PATH       "dir/model.pt"
#define MAX_PICKLE ((size_t)6000) /* the room in ZipSupport */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool promise, const char *what, const char *text)
{
    if (promise) return;
    fprintf(stderr, "broken promise: %s: %s\n", what, text);
    abort();
}

static uint8_t *copy_of(const void *bytes, size_t size)
{
    uint8_t *copy = malloc(size + !size);

    require(copy != NULL, "memory", "the file");
    memcpy(copy, bytes, size);
    return copy;
}

static uint8_t *make_archive(const uint8_t *data, size_t size, size_t *file_size)
{
    static const char numbers[24] = { 1, 2, 3 };
    ZipSupport *zip = calloc(1, sizeof *zip);
    uint8_t *bytes;

    require(zip != NULL, "memory", "the archive");
    zip_support_add(zip, "a/data.pkl", data, size, 0);
    zip_support_add(zip, "a/data/0", numbers, sizeof numbers, 0);
    zip_support_end(zip, 0);
    bytes = copy_of(zip->bytes, zip->size);
    *file_size = zip->size;
    free(zip);
    return bytes;
}

/* Builds the file from the input. The caller frees it. */
static uint8_t *make_file(const uint8_t *data, size_t size, size_t *file_size)
{
    static const char head[] = "\x80\2\x8a\12\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\2M\xe9\3."
                               "\x80\2}X\15\0\0\0little_endian\x88s.";
    uint8_t *bytes;

    if (data[0] == 'P' && data[1] != 'K' && size - 1 <= MAX_PICKLE) return make_archive(data + 1, size - 1, file_size);
    *file_size = size;
    if (data[0] != 'L') return copy_of(data, size);
    *file_size = sizeof head - 1 + size - 1;
    bytes = malloc(*file_size);
    require(bytes != NULL, "memory", "the file");
    memcpy(bytes, head, sizeof head - 1);
    memcpy(bytes + sizeof head - 1, data + 1, size - 1);
    return bytes;
}

static void check_tensor(const Collection *all, const Tensor *t)
{
    size_t product = 1;
    unsigned long sum = 0;

    require(t->rank <= TENSOR_MAX_RANK, "rank", t->name);
    for (size_t i = 0; i < t->rank; i++) product *= t->shape[i];
    require(product == t->count, "the product of the shape", t->name);
    require(collection_find(all, t->name) == t, "collection_find", t->name);
    for (size_t i = 0; i < t->bytes; i++) sum += t->data[i];
    require(sum <= 255 * t->bytes, "data", t->name);
    if (t->dtype != DTYPE_OTHER && t->count < 1 << 20) {
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
    uint8_t *bytes;
    Err err = { "" };

    if (size < 2) return 0;
    bytes = make_file(data, size, &file.map.size);
    file.map.data = bytes;
    require(collection_init(&all, &err) == OK, "collection_init", err.text);
    if (torch_bin_read(&all, &file, &err) != OK) {
        require(strncmp(err.text, PATH ": ", sizeof PATH + 1) == 0, "the path in the message", err.text);
        require(!strpbrk(err.text, "\n\r\x1b"), "one line", err.text);
    } else {
        for (size_t i = 0; i < all.tensor_count; i++) check_tensor(&all, &all.tensors[i]);
    }
    require(arena_bytes(all.arena) < ((size_t)64 << 20) + 2 * size, "memory", PATH);
    collection_free(&all);
    free(bytes);
    return 0;
}
