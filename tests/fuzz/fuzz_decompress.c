/* fuzz_decompress.c - fuzzes the decompression of files with libFuzzer.
 * Input    The file. Its first bytes decide whether it is called .gz or .zst.
 * Checks   The content keeps within the limits against bombs and is the same when it is decompressed again. The message
 *          for a rejected file is one line that begins with the file's path.
 * Options  -max_len=4096 */
#include "fuzz_support.h"

#include "stored_file.h"

static bool decompress(MappedFile *out, void *bytes, size_t size, const char *path)
{
    const size_t most = (size_t)16 << 20;
    Err err = { "" };

    *out = (MappedFile){ .data = bytes, .size = size };
    if (stored_file_decompress(out, path, &err) != OK) {
        require(out->data == bytes && out->size == size, "the file is unchanged after a failure", err.text);
        require_message(&err, path);
        return false;
    }
    if (out->data != bytes) require(out->size && out->size <= (20 * size < most ? most : 20 * size), "memory", path);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = size && *data == 0x28 ? "dir/shortlist.zst" : "dir/shortlist.gz";
    void *bytes = fuzz_copy(data, size);
    MappedFile once, again;

    if (decompress(&once, bytes, size, path)) {
        require(decompress(&again, bytes, size, path), "no failure", "the second time");
        require(once.size == again.size && (!once.size || memcmp(once.data, again.data, once.size) == 0), "the same",
                "content");
        mapped_file_close(&again);
    }
    mapped_file_close(&once);
    free(bytes);
    return 0;
}
