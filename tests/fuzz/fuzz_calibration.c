/* fuzz_calibration.c - fuzzes the reader of calibrations with libFuzzer.
 * Input    The file, for a model with a decoder of 6 layers and 8 heads.
 * Checks   What it chooses exists in the model. A calibration that is written can be read again and is then written as
 *          the same text. The message for a rejected file is one line that begins with the file's name.
 * Options  -max_len=2048 */
#include "fuzz_support.h"

#include <math.h>

#include "calibration.h"

#define NAME "dir/dragoman-calibration.json"

static const ModelConfig config = { .decoder = { .layers = 6, .heads = 8 } };

/* Returns false for a rejected file. */
static bool read_text(Calibration *out, const char *text, size_t size)
{
    cJSON *tree = NULL;
    Err err = { "" };
    Status st = json_parse(&tree, text, size, NAME, &err);

    if (st == OK) st = calibration_read(out, (JsonObject){ tree, NAME }, &config, &err);
    if (st != OK) require_message(&err, NAME);
    cJSON_Delete(tree);
    return st == OK;
}

static void check(const Calibration *c)
{
    const AlignmentConfig *a = &c->alignment;

    require(a->layer_from_end >= 1 && a->layer_from_end <= 6, "a layer", "of the model");
    require(a->heads <= 1 && a->first_head < 8 && a->shift <= 1, "a head", "of the model");
    require(isfinite(c->agreement) && isfinite(c->confidence.bias), "finite numbers", "of a calibration");
    for (size_t i = 0; i < CALIBRATION_FEATURES; i++)
        require(isfinite(c->confidence.weights[i]), "finite numbers", "of a calibration");
    require(c->confidence.good <= c->confidence.pairs, "good pairs", "of all pairs");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_copy(data, size);
    Calibration first, second;
    Buf written = { 0 }, again = { 0 };
    Err err = { "" };

    if (read_text(&first, text, size)) {
        check(&first);
        require_ok(calibration_append(&written, &first, &config.decoder, &err), &err);
        require(read_text(&second, written.data, written.len), "it can be read", written.data);
        require_ok(calibration_append(&again, &second, &config.decoder, &err), &err);
        require(again.len == written.len && memcmp(again.data, written.data, again.len) == 0, "the same text",
                written.data);
    }
    buf_free(&written);
    buf_free(&again);
    free(text);
    return 0;
}
