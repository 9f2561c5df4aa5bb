/* fuzz_config.c - fuzzes the readers of config.json, of all families, and of generation_config.json with libFuzzer.
 * Input    config.json, up to the first byte 0x01, and generation_config.json. Without that byte there is no
 *          generation_config.json.
 * Checks   An accepted configuration has stacks and ids that fit each other. The message for a rejected one is one line
 *          that begins with the path of the folder or of a file in it.
 * Options  -max_len=6000 */
#include "fuzz_folder.h"

#include <math.h>

#include "config.h"

#define CONFIG     "config.json"
#define GENERATION "generation_config.json"

static void require_id(int32_t id, const ModelConfig *config, const char *what)
{
    require(id < 0 || (size_t)id < config->decoder.vocab, "an id of the vocabulary", what);
}

static void check_stack(const StackConfig *stack, const char *which)
{
    require(stack->heads > 0 && stack->head_size > 0 && stack->vocab > 0, "sizes", which);
    require(stack->vocab <= INT32_MAX && stack->heads <= SIZE_MAX / stack->head_size, "sizes that do not overflow",
            which);
}

static void check_search(const ModelConfig *config)
{
    const SearchParams *search = &config->search;

    require(search->beams > 0, "a beam", "of the search");
    require(isfinite(search->length_penalty), "a finite number", "length_penalty");
    require_id(search->start, config, "decoder_start_token_id");
    require_id(search->forced_bos, config, "forced_bos_token_id");
    for (size_t i = 0; i < search->eos.len; i++) require_id(search->eos.data[i], config, "eos_token_id");
    for (size_t i = 0; i < search->suppress.len; i++) require_id(search->suppress.data[i], config, "suppress_tokens");
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

    if (!folder) folder = fuzz_folder_new();
    fuzz_folder_write(folder, CONFIG, data, length);
    fuzz_folder_remove(folder, GENERATION);
    if (divider) fuzz_folder_write(folder, GENERATION, divider + 1, size - length - 1);
    st = model_folder_open(&files, folder, &err);
    if (st == OK) st = model_config_read(&config, files, NULL, &err);
    if (st == OK) {
        check_stack(&config.encoder, "of the encoder");
        check_stack(&config.decoder, "of the decoder");
        check_search(&config);
    } else {
        fuzz_folder_require_message(&err, folder);
    }
    model_config_free(&config);
    model_folder_close(files);
    return 0;
}
