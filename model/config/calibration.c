/* calibration.c - see calibration.h. */
#include "calibration.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VERSION     1
#define HASH_DIGITS 16

static const char *const feature_names[CALIBRATION_FEATURES] = { "mean", "minimum", "deviation", "margin", "entropy" };

/* Makes `r` read the members of the object `key` of `parent`. */
static void read_object(JsonReader *r, const cJSON *parent, const char *key)
{
    r->json.node = json_member((JsonObject){ parent, r->json.file }, key);
    if (!cJSON_IsObject(r->json.node)) json_fault(r, ERR_FORMAT, "%s must be an object", key);
}

static void read_real(JsonReader *r, const char *key, double *out)
{
    const cJSON *node = json_member(r->json, key);

    if (r->st != OK) return;
    if (cJSON_IsNumber(node) && isfinite(node->valuedouble))
        *out = node->valuedouble;
    else
        json_fault(r, ERR_FORMAT, "%s must be a finite number", key);
}

Status calibration_read(Calibration *out, JsonObject json, const ModelConfig *config, Err *err)
{
    const StackConfig *decoder = &config->decoder;
    const char *hash = cJSON_GetStringValue(json_member(json, "model"));
    AlignmentConfig *alignment = &out->alignment;
    ConfidenceFit *fit = &out->confidence;
    size_t version = 0, layer = 0;
    JsonReader r = { json, err, OK };

    *out = (Calibration){ 0 };
    json_read_required_size(&r, "dragoman_calibration", 0, SIZE_MAX, &version);
    if (r.st != OK) return r.st;
    if (version != VERSION)
        return err_set(err, ERR_UNSUPPORTED, "%s: dragoman_calibration is %zu; this program reads version %d",
                       json.file, version, VERSION);
    if (!hash || strlen(hash) != HASH_DIGITS || strspn(hash, "0123456789abcdef") != HASH_DIGITS)
        return err_set(err, ERR_FORMAT, "%s: model must be a string of %d hexadecimal digits", json.file, HASH_DIGITS);
    out->model = strtoull(hash, NULL, 16);

    read_object(&r, json.node, "alignment");
    json_read_required_size(&r, "layer", 0, decoder->layers ? decoder->layers - 1 : 0, &layer);
    json_read_size(&r, "head", 0, decoder->heads - 1, &alignment->first_head);
    json_read_required_size(&r, "shift", 0, 1, &alignment->shift);
    read_real(&r, "agreement", &out->agreement);
    json_read_required_size(&r, "pairs", 0, SIZE_MAX, &out->pairs);
    alignment->layer_from_end = decoder->layers - layer;
    alignment->heads = json_member(r.json, "head") ? 1 : 0; /* null stands for the mean of all heads */

    out->has_confidence = json_member(json, "confidence");
    if (r.st != OK || !out->has_confidence) return r.st;
    read_object(&r, json.node, "confidence");
    const cJSON *confidence = r.json.node;
    read_object(&r, confidence, "weights");
    for (size_t i = 0; i < CALIBRATION_FEATURES; i++) read_real(&r, feature_names[i], &fit->weights[i]);
    r.json.node = confidence;
    read_real(&r, "bias", &fit->bias);
    json_read_required_size(&r, "pairs", 0, SIZE_MAX, &fit->pairs);
    json_read_required_size(&r, "good", 0, fit->pairs, &fit->good);
    return r.st;
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
