/* fuzz_torch.c - fuzzes the reader of PyTorch files with libFuzzer.
 * Input    If the first byte is 'P', the rest is the pickle of an archive with
 *          a storage "0" of 24 bytes. If it is 'L', the rest follows the head
 *          of a file from before PyTorch 1.6. Otherwise the input is the file.
 * Checks   Accepted tensors can be found and read, and take no more memory than
 *          the file justifies. The message for a rejected file is one line that
 *          begins with the file's path. The bytes are in a block of exactly
 *          their size, so that the sanitizers detect any access outside of it.
 * Options  -max_len=4096 */
#include "fuzz_tensors.h"

#include "readers.h"
#include "zip_support.h"

#define PATH       "dir/model.pt"
#define MAX_PICKLE ((size_t)6000) /* the room in ZipSupport */

static uint8_t *make_archive(const uint8_t *data, size_t size, size_t *file_size)
{
    static const char numbers[24] = { 1, 2, 3 };
    ZipSupport *zip = calloc(1, sizeof *zip);
    uint8_t *bytes;

    require(zip != NULL, "memory", "the archive");
    zip_support_add(zip, "a/data.pkl", data, size, 0);
    zip_support_add(zip, "a/data/0", numbers, sizeof numbers, 0);
    zip_support_end(zip, 0);
    bytes = fuzz_copy(zip->bytes, zip->size);
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
    if (data[0] != 'L') return fuzz_copy(data, size);
    *file_size = sizeof head - 1 + size - 1;
    bytes = malloc(*file_size);
    require(bytes != NULL, "memory", "the file");
    memcpy(bytes, head, sizeof head - 1);
    memcpy(bytes + sizeof head - 1, data + 1, size - 1);
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Weights *all;
    FileView file = { .path = PATH };
    uint8_t *bytes;
    Err err = { "" };

    if (size < 2) return 0;
    bytes = make_file(data, size, &file.map.size);
    file.map.data = bytes;
    require_ok(weights_new(&all, NULL, &err), &err);
    require_weights(all, torch_bin_read(all, &file, &err), &err, PATH);
    require(arena_bytes(all->arena) < ((size_t)64 << 20) + 2 * size, "memory", PATH);
    weights_free(all);
    free(bytes);
    return 0;
}
