/* fuzz_marian_settings.c - fuzzes the readers of the settings inside Marian's weights, and of decoder.yml, with
 * libFuzzer.
 * Input    The settings (special:model.yml), up to the first byte 0x01, and decoder.yml. Without that byte there is no
 *          decoder.yml.
 * Checks   An accepted configuration has stacks and ids that fit each other. The message for a rejected one is one line
 *          that begins with the path of the folder or of a file in it.
 * Options  -max_len=3000 */
#include "fuzz_folder.h"

#include "config.h"
#include "zip_support.h"

#define WEIGHTS "model.npz"
#define DECODER "decoder.yml"

/* Writes an archive with one array of bytes. */
static void write_weights(const char *folder, const uint8_t *settings, size_t size)
{
    ZipSupport *zip = calloc(1, sizeof *zip);
    char *array = calloc(1, size + 256);
    int head;

    require(zip && array, "memory", "the weights");
    head = snprintf(array + 10, 200, "{'descr': '|i1', 'fortran_order': False, 'shape': (%zu,), }\n", size);
    memcpy(array, "\x93NUMPY\1\0", 8);
    array[8] = (char)head;
    if (size) memcpy(array + 10 + head, settings, size);
    zip_support_add(zip, "special:model.yml.npy", array, 10 + (size_t)head + size, 0);
    zip_support_end(zip, 0);
    fuzz_folder_write(folder, WEIGHTS, zip->bytes, zip->size);
    free(array);
    free(zip);
}

static void check(const ModelConfig *config)
{
    const SearchParams *search = &config->search;

    require(config->encoder.heads > 0 && config->encoder.vocab > 0, "sizes", "of the encoder");
    require(config->decoder.heads > 0 && config->decoder.vocab > 0, "sizes", "of the decoder");
    require(search->beams > 0 && search->n_best > 0 && search->n_best <= search->beams, "a beam size", "of the search");
    for (size_t i = 0; i < search->eos.len; i++)
        require(search->eos.data[i] >= 0 && (size_t)search->eos.data[i] < config->decoder.vocab, "an id", "of the end");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *folder;
    const uint8_t *divider = fuzz_divider(data, size);
    const size_t length = divider ? (size_t)(divider - data) : size;
    ModelFolder *files = NULL;
    ModelConfig config = { 0 };
    Err err = { "" };
    Status st;

    if (size > 4000) return 0; /* the room in ZipSupport */
    if (!folder) folder = fuzz_folder_new();
    write_weights(folder, data, length);
    fuzz_folder_remove(folder, DECODER);
    if (divider) fuzz_folder_write(folder, DECODER, divider + 1, size - length - 1);
    st = model_folder_open(&files, folder, &err);
    if (st == OK) st = model_config_read(&config, files, NULL, &err);
    if (st == OK)
        check(&config);
    else
        fuzz_folder_require_message(&err, folder);
    model_config_free(&config);
    model_folder_close(files);
    return 0;
}
