/* fuzz_marian_bin.c - fuzzes the reader of Marian's binary files with libFuzzer.
 * Input    The file.
 * Checks   Accepted tensors can be found and read, and are inside the file. The message for a rejected file is one line
 *          that begins with the file's path.
 * Options  -max_len=4096 -use_value_profile=1 */
#include "fuzz_tensors.h"

#include "readers.h"

#define PATH "dir/model.bin"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    void *bytes = fuzz_copy(data, size);
    const FileView file = { .path = PATH, .map = { .data = bytes, .size = size } };
    Weights *all;
    Err err = { "" };
    Status st;

    require_ok(weights_new(&all, NULL, &err), &err);
    st = marian_bin_read(all, &file, &err);
    require_weights(all, st, &err, PATH);
    for (size_t i = 0; st == OK && i < all->tensor_count; i++)
        require(all->tensors[i].bytes <= size, "inside the file", all->tensors[i].name);
    weights_free(all);
    free(bytes);
    return 0;
}
