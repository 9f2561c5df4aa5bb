/* fuzz_shards.c - fuzzes the reader of model.safetensors.index.json with libFuzzer.
 * Input    The index of a folder with the shards one.safetensors, which has the tensor a, and two.safetensors, which
 *          has b and c. The folder above has a file outside.safetensors.
 * Checks   Accepted tensors can be found and read, and belong to the file that the index names; no file outside of the
 *          folder is read. The message for a rejected folder is one line that begins with its path.
 * Options  -max_len=2048 */
#include "fuzz_folder.h"

#include <sys/stat.h>

#include "json.h"
#include "path.h"
#include "weights.h"

#define INDEX "model.safetensors.index.json"

/* Writes a file of safetensors with a header and `size` zeros. */
static void write_shard(const char *folder, const char *name, const char *header, size_t size)
{
    char bytes[512] = "";
    const size_t length = strlen(header);

    bytes[0] = (char)(length & 255);
    memcpy(bytes + 8, header, length);
    fuzz_folder_write(folder, name, bytes, 8 + length + size);
}

static char *make_folder(void)
{
    char *above = fuzz_folder_new(), *folder = fuzz_folder_path(above, "model");

    require(mkdir(folder, 0700) == 0, "a folder", folder);
    write_shard(above, "outside.safetensors", "{\"o\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", 4);
    write_shard(folder, "one.safetensors", "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8);
    write_shard(folder, "two.safetensors",
                "{\"b\":{\"dtype\":\"F16\",\"shape\":[2,1],\"data_offsets\":[0,4]},"
                "\"c\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[4,12]}}",
                12);
    free(above);
    return folder;
}

static void check_tensors(const Weights *weights, const char *index, size_t size)
{
    cJSON *tree;
    const cJSON *item;
    Err err = { "" };

    require_ok(json_parse(&tree, index, size, INDEX, &err), &err);
    cJSON_ArrayForEach(item, json_member((JsonObject){ tree, INDEX }, "weight_map"))
    {
        const Tensor *t = weights_find(weights, item->string);
        require(t && strcmp(path_name(t->file), item->valuestring) == 0, "the file of the tensor", item->string);
    }
    require(weights_count(weights) <= 3 && !weights_find(weights, "o"), "no tensor", "from outside");
    cJSON_Delete(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *folder;
    char *index = fuzz_copy(data, size);
    ModelFolder *files = NULL;
    Weights *weights = NULL;
    Err err = { "" };
    Status st;

    if (!folder) folder = make_folder();
    fuzz_folder_write(folder, INDEX, index, size);
    st = model_folder_open(&files, folder, &err);
    if (st == OK) st = weights_open(&weights, files, &err);
    if (st == OK)
        check_tensors(weights, index, size);
    else
        fuzz_folder_require_message(&err, folder);
    weights_free(weights);
    model_folder_close(files);
    free(index);
    return 0;
}
