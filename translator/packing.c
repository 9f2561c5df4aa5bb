/* packing.c - packs and verifies models: see translator.h. */
#include <stdlib.h>

#include "ensemble.h"
#include "loaded_model.h"
#include "pack.h"
#include "path.h"
#include "translator.h"

/* Everything but the weights is opened first, so that only a usable model is packed. The calibration that is about
 * to be packed must belong to the model, which only a model with weights can tell. */
Status translator_pack(const DragomanOptions *options, int fd, const char *name, Buf *warnings, Err *err)
{
    static const PackType types[] = { [DRAGOMAN_AUTO] = PACK_AS_STORED,
                                      [DRAGOMAN_F32] = PACK_F32,
                                      [DRAGOMAN_BF16] = PACK_BF16,
                                      [DRAGOMAN_INT8] = PACK_INT8 };
    DragomanOptions own = option_fields_default();
    LoadedModel loaded = { 0 }, weighted = { 0 };
    Status st;

    own.model = options->model;
    own.find_model = options->find_model;
    own.calibration = options->calibration;
    st = loaded_model_read_head(&loaded, &own, err);
    if (st == OK && loaded.paths[path_first(loaded.paths)])
        st = err_set(
            err, ERR_USAGE,
            "%s: an ensemble cannot be packed; pack each of its models and name the packed files in the ensemble",
            own.model);
    if (st == OK && loaded.calibration.path) {
        st = loaded_model_read_head(&weighted, &own, err);
        if (st == OK) st = loaded_model_read_weights(&weighted, err);
        if (st == OK) st = loaded_calibration_check(&weighted.calibration, weighted.model, weighted.tokenizer, err);
        loaded_model_close(&weighted);
    }
    if (st == OK)
        st = model_pack(loaded.files, types[options->precision], options->calibration, fd, name, warnings, err);
    loaded_model_close(&loaded);
    return st;
}

Status translator_verify(const DragomanOptions *options, size_t *tensors, Err *err)
{
    char *path;
    Status st = option_fields_check_model(options, err);

    if (st != OK) return st;
    if (ensemble_is(options))
        return err_set(err, ERR_USAGE, "%s: an ensemble cannot be verified; verify each of its models", options->model);
    st = ensemble_model_path(&path, options, err);
    if (st == OK) st = model_verify(path, tensors, err);
    free(path);
    return st;
}
