/* loaded_calibration.c - see loaded_calibration.h. */
#include "loaded_calibration.h"

#include <stdlib.h>
#include <string.h>

#include "model_hash.h"
#include "path.h"

/* *out is NULL if there is no file. */
static Status find(char **out, ModelFolder *folder, const char *path, Err *err)
{
    *out = path ? strdup(path) : path_join(model_folder_place(folder), CALIBRATION_FILE);
    if (!*out) return err_memory(err, "a path");
    if (path || model_folder_has_path(folder, *out)) return OK;
    free(*out);
    *out = NULL;
    return OK;
}

Status loaded_calibration_read(LoadedCalibration *out, ModelFolder *folder, const char *path, ModelConfig *config,
                               Err *err)
{
    JsonObject json;
    Status st;

    *out = (LoadedCalibration){ 0 };
    st = find(&out->path, folder, path, err);
    if (st != OK || !out->path) return st;
    st = model_folder_json_path(folder, out->path, &json, err);
    if (st == OK) st = calibration_read(&out->values, json, config, err);
    if (st == OK) config->alignment = out->values.alignment;
    return st;
}

void loaded_calibration_free(LoadedCalibration *calibration)
{
    free(calibration->path);
    *calibration = (LoadedCalibration){ 0 };
}

Status loaded_calibration_check(const LoadedCalibration *calibration, const Model *model, const Tokenizer *tokenizer,
                                Err *err)
{
    if (!calibration->path || calibration->values.model == model_hash(model, tokenizer)) return OK;
    return err_set(err, ERR_USAGE, "%s: was made for another model; make a new one with 'dragoman calibrate'",
                   calibration->path);
}

const ConfidenceFit *loaded_calibration_fit(const LoadedCalibration *calibration)
{
    return calibration->path && calibration->values.has_confidence ? &calibration->values.confidence : NULL;
}
