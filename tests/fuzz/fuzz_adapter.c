/* fuzz_adapter.c - fuzzes the reader of LoRA adapters with libFuzzer.
 * Input    adapter_config.json, up to the first byte 0x01, and the header of adapter_model.safetensors, which has 256
 *          bytes of data.
 * Checks   All values of a merged model can be read. The message for a rejected adapter is one line that begins with
 *          the path of its folder.
 * Options  -max_len=2048 */
#include "fuzz_folder.h"

#include <sys/stat.h>

#include "adapter.h"

#define DATA_BYTES ((size_t)256)

static void write_weights(const char *folder, const char *name, const char *header, size_t length)
{
    const size_t size = 8 + length + DATA_BYTES;
    char *bytes = calloc(size, 1);

    require(bytes != NULL, "memory", name);
    for (size_t i = 0; i < 8; i++) bytes[i] = (char)((uint64_t)length >> 8 * i);
    memcpy(bytes + 8, header, length);
    for (size_t i = 8 + length; i < size; i++) bytes[i] = (char)(i & 63);
    fuzz_folder_write(folder, name, bytes, size);
    free(bytes);
}

static char *make_folder(char **base)
{
    static const char header[] = "{\"model.shared.weight\":{\"dtype\":\"F32\",\"shape\":[6,4],\"data_offsets\":[0,96]},"
                                 "\"q.weight\":{\"dtype\":\"F16\",\"shape\":[8,4],\"data_offsets\":[96,160]},"
                                 "\"q.bias\":{\"dtype\":\"BF16\",\"shape\":[8],\"data_offsets\":[160,176]},"
                                 "\"rest\":{\"dtype\":\"F32\",\"shape\":[20],\"data_offsets\":[176,256]}}";
    static const char config[] =
        "{\"model_type\":\"marian\",\"d_model\":4,\"vocab_size\":6,\"encoder_attention_heads\":2,"
        "\"decoder_attention_heads\":2,\"encoder_layers\":1,\"decoder_layers\":1,"
        "\"encoder_ffn_dim\":8,\"decoder_ffn_dim\":8,\"activation_function\":\"relu\","
        "\"eos_token_id\":0,\"pad_token_id\":5,\"decoder_start_token_id\":5}";
    char *above = fuzz_folder_new(), *folder = fuzz_folder_path(above, "adapter");

    *base = fuzz_folder_path(above, "base");
    require(mkdir(folder, 0700) == 0 && mkdir(*base, 0700) == 0, "folders", above);
    fuzz_folder_write(*base, "config.json", config, sizeof config - 1);
    write_weights(*base, "model.safetensors", header, sizeof header - 1);
    free(above);
    return folder;
}

static void read_all(const Weights *weights)
{
    for (size_t i = 0; i < weights_count(weights); i++) {
        const Tensor *t = weights_at(weights, i);
        float values[64];
        for (size_t at = 0; at < t->count; at += 64)
            tensor_read_f32(t, at, t->count - at < 64 ? t->count - at : 64, values);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *folder, *base;
    const uint8_t *divider = fuzz_divider(data, size);
    const size_t length = divider ? (size_t)(divider - data) : size;
    ModelFolder *files = NULL;
    ModelConfig config = { 0 };
    Weights *weights = NULL;
    Err err = { "" };
    char *path;
    Status st;

    if (!folder) folder = make_folder(&base);
    path = malloc(strlen(base) + strlen(folder) + 2);
    require(path != NULL, "memory", "a path");
    (void)sprintf(path, "%s+%s", base, folder);
    fuzz_folder_write(folder, "adapter_config.json", data, length);
    write_weights(folder, "adapter_model.safetensors", divider ? (const char *)divider + 1 : "{}",
                  divider ? size - length - 1 : 2);
    st = model_folder_open(&files, path, &err);
    if (st == OK) st = model_config_read(&config, files, NULL, &err);
    if (st == OK) st = weights_open(&weights, files, &err);
    require_ok(st, &err);
    st = adapter_merge(weights, files, &config, &err);
    if (st == OK)
        read_all(weights);
    else
        fuzz_folder_require_message(&err, folder);
    weights_free(weights);
    model_config_free(&config);
    model_folder_close(files);
    free(path);
    return 0;
}
