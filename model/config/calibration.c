/* calibration.c - see calibration.h. */
#include "calibration.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VERSION     1
#define HASH_DIGITS 16

static const char *const feature_names[CALIBRATION_FEATURES] = { "mean", "minimum", "deviation", "margin", "entropy" };

static Status get_object(JsonObject *out, JsonObject json, const char *key, Err *err)
{
    *out = (JsonObject){ json_member(json, key), json.file };
    if (cJSON_IsObject(out->node)) return OK;
    return err_set(err, ERR_FORMAT, "%s: %s must be an object", json.file, key);
}

static Status get_real(JsonObject json, const char *key, double *out, Err *err)
{
    const cJSON *node = json_member(json, key);

    if (!cJSON_IsNumber(node) || !isfinite(node->valuedouble))
        return err_set(err, ERR_FORMAT, "%s: %s must be a finite number", json.file, key);
    *out = node->valuedouble;
    return OK;
}

static Status require_size(JsonObject json, const char *key, size_t most, size_t *out, Err *err)
{
    Status st = json_require(json, key, err);

    return st == OK ? json_get_size(json, key, 0, most, out, err) : st;
}

static Status read_version(JsonObject json, Err *err)
{
    size_t version = 0;
    Status st = require_size(json, "dragoman_calibration", SIZE_MAX, &version, err);

    if (st != OK || version == VERSION) return st;
    return err_set(err, ERR_UNSUPPORTED, "%s: dragoman_calibration is %zu; this program reads version %d", json.file,
                   version, VERSION);
}

static Status read_hash(JsonObject json, uint64_t *out, Err *err)
{
    const char *text = cJSON_GetStringValue(json_member(json, "model"));

    if (!text || strlen(text) != HASH_DIGITS || strspn(text, "0123456789abcdef") != HASH_DIGITS)
        return err_set(err, ERR_FORMAT, "%s: model must be a string of %d hexadecimal digits", json.file, HASH_DIGITS);
    *out = strtoull(text, NULL, 16);
    return OK;
}

/* "head": null stands for the mean of all heads. */
static Status read_alignment(Calibration *out, JsonObject json, const StackConfig *decoder, Err *err)
{
    const size_t last_layer = decoder->layers ? decoder->layers - 1 : 0, last_head = decoder->heads - 1;
    AlignmentConfig *alignment = &out->alignment;
    size_t layer = 0;
    JsonObject object;
    Status st = get_object(&object, json, "alignment", err);

    *alignment = (AlignmentConfig){ 0 };
    if (st == OK) st = require_size(object, "layer", last_layer, &layer, err);
    if (st == OK) st = json_get_size(object, "head", 0, last_head, &alignment->first_head, err);
    if (st == OK) st = require_size(object, "shift", 1, &alignment->shift, err);
    if (st == OK) st = get_real(object, "agreement", &out->agreement, err);
    if (st == OK) st = require_size(object, "pairs", SIZE_MAX, &out->pairs, err);
    if (st != OK) return st;
    alignment->layer_from_end = decoder->layers - layer;
    alignment->heads = json_member(object, "head") ? 1 : 0;
    return OK;
}

Status calibration_read(Calibration *out, JsonObject json, const ModelConfig *config, Err *err)
{
    Status st = read_version(json, err);

    *out = (Calibration){ 0 };
    if (st == OK) st = read_hash(json, &out->model, err);
    if (st == OK) st = read_alignment(out, json, &config->decoder, err);
    if (st != OK) return st;
    ConfidenceFit *fit = &out->confidence;
    JsonObject object, weights;
    out->has_confidence = json_member(json, "confidence");
    if (!out->has_confidence) return OK;
    st = get_object(&object, json, "confidence", err);
    if (st == OK) st = get_object(&weights, object, "weights", err);
    for (size_t i = 0; st == OK && i < CALIBRATION_FEATURES; i++)
        st = get_real(weights, feature_names[i], &fit->weights[i], err);
    if (st == OK) st = get_real(object, "bias", &fit->bias, err);
    if (st == OK) st = require_size(object, "pairs", SIZE_MAX, &fit->pairs, err);
    return st == OK ? require_size(object, "good", fit->pairs, &fit->good, err) : st;
}

Status calibration_append(Buf *out, const Calibration *calibration, const StackConfig *decoder, Err *err)
{
    const AlignmentConfig *a = &calibration->alignment;
    const ConfidenceFit *fit = &calibration->confidence;

    buf_put_format(out, "{\n  \"dragoman_calibration\": %d,\n  \"model\": \"%0*" PRIx64 "\",\n", VERSION, HASH_DIGITS,
                   calibration->model);
    buf_put_format(out, "  \"alignment\": {\"layer\": %zu, \"head\": ", decoder->layers - a->layer_from_end);
    if (a->heads)
        buf_put_format(out, "%zu", a->first_head);
    else
        buf_put_text(out, "null");
    buf_put_format(out, ", \"shift\": %zu, \"agreement\": %.4f, \"pairs\": %zu},\n", a->shift, calibration->agreement,
                   calibration->pairs);
    if (calibration->has_confidence) {
        buf_put_text(out, "  \"confidence\": {\"weights\": {");
        for (size_t i = 0; i < CALIBRATION_FEATURES; i++)
            buf_put_format(out, "%s\"%s\": %.6g", i ? ", " : "", feature_names[i], fit->weights[i]);
        buf_put_format(out, "}, \"bias\": %.6g, \"pairs\": %zu, \"good\": %zu}\n", fit->bias, fit->pairs, fit->good);
    } else {
        buf_put_text(out, "  \"confidence\": null\n");
    }
    buf_put_text(out, "}\n");
    return buf_check(out, err);
}
