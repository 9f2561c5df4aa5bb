/* fuzz_npz.c - fuzzes the reader of Marian's model.npz with libFuzzer.
 * Input    If it begins with "PK", it is the file. Otherwise the first byte chooses the name of an array, and the rest
 *          is the entry: an archive is put around it.
 * Checks   Accepted tensors can be found and read, and unpacked arrays keep within the limits against bombs. The
 *          message for a rejected file is one line that begins with the file's path.
 * Options  -max_len=4096 -use_value_profile=1 */
#include "fuzz_tensors.h"

#include "readers.h"
#include "zip_support.h"

#define PATH     "dir/model.npz"
#define MAX_FILE ((size_t)4096)

static const char *const names[] = { "a.npy", "decoder_ff_logit_out_W.npy", "Wemb.npy", "special:model.yml.npy",
                                     "a_b.npz" };

static void make_file(ZipSupport *zip, const uint8_t *data, size_t size)
{
    const char *name = names[fuzz_take(&data, &size) % (sizeof names / sizeof *names)];

    zip_support_add(zip, name, data, size, 0);
    zip_support_add(zip, "folder/", "", 0, 1);
    zip_support_end(zip, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bool is_file = size >= 2 && memcmp(data, "PK", 2) == 0;
    ZipSupport *zip = is_file ? NULL : calloc(1, sizeof *zip);
    FileView file = { .path = PATH, .map = { .size = size } };
    Weights *all;
    void *bytes;
    Err err = { "" };

    if (size > MAX_FILE) goto done;
    if (zip) {
        make_file(zip, data, size);
        file.map.size = zip->size;
    }
    bytes = fuzz_copy(zip ? zip->bytes : data, file.map.size);
    file.map.data = bytes;
    require_ok(weights_new(&all, NULL, &err), &err);
    require_weights(all, marian_npz_read(all, &file, &err), &err, PATH);
    weights_free(all);
    free(bytes);
done:
    free(zip);
    return 0;
}
