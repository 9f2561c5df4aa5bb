/* fuzz_ct2_file.c - fuzzes the readers of CTranslate2's model.bin with libFuzzer.
 * Input    The file.
 * Checks   The values of all variables are inside the file, have the size that their type and shape need, and are found
 *          by their names; so are the tensors that they become. The message for a rejected file is one line that
 *          begins with the file's path.
 * Options  -max_len=4096 -use_value_profile=1 */
#include "fuzz_tensors.h"

#include <math.h>

#include "ct2_file.h"
#include "readers.h"

#define PATH "dir/model.bin"

static void check_variable(const Ct2File *file, const Ct2Variable *v)
{
    static const size_t widths[CT2_TYPES] = {
        [CT2_F32] = 4, [CT2_S8] = 1, [CT2_S16] = 2, [CT2_S32] = 4, [CT2_F16] = 2, [CT2_BF16] = 2
    };
    size_t count = 1;
    double number = 1;
    Err err = { "" };

    for (size_t i = 0; i < v->rank; i++) count *= v->shape[i];
    require(v->rank <= CT2_MAX_RANK && count == v->count, "the product of the shape", v->name);
    require(v->bytes == v->count * widths[v->type], "the size in bytes", v->name);
    require(v->data >= file->map->data && v->bytes <= file->map->size - (size_t)(v->data - file->map->data),
            "inside the file", v->name);
    require(ct2_file_find(file, v->name) == v, "the variable is found", v->name);
    if (ct2_file_number(file, v->name, &number, &err) == OK)
        require(isfinite(number), "a finite number", v->name);
    else
        require_message(&err, PATH);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    void *bytes = fuzz_copy(data, size);
    const FileView file = { .path = PATH, .map = { .data = bytes, .size = size } };
    Weights *all;
    Ct2File read = { 0 };
    Err err = { "" };

    (void)ct2_file_is(&file.map);
    if (ct2_file_read(&read, &file.map, PATH, &err) == OK)
        for (size_t i = 0; i < read.count; i++) check_variable(&read, &read.variables[i]);
    else
        require_message(&err, PATH);
    ct2_file_close(&read);
    require_ok(weights_new(&all, NULL, &err), &err);
    require_weights(all, ctranslate2_read(all, &file, &err), &err, PATH);
    weights_free(all);
    free(bytes);
    return 0;
}
