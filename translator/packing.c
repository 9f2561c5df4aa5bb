/* packing.c - dragoman_pack() and dragoman_verify() of dragoman.h. */
#include "dragoman.h"
#include "ensemble.h"
#include "opening.h"
#include "pack.h"

/* All but the weights of the folder is opened first, so that only what can be
 * opened is packed. */
Status dragoman_pack(const char *model, DragomanPrecision precision, int fd, const char *name, Buf *warnings, Err *err)
{
    static const PackType types[] = { [DRAGOMAN_AUTO] = PACK_AS_STORED,
                                      [DRAGOMAN_F32] = PACK_F32,
                                      [DRAGOMAN_BF16] = PACK_BF16,
                                      [DRAGOMAN_INT8] = PACK_INT8 };
    DragomanOptions options = dragoman_default_options();
    Opening opening;
    Status st;

    options.model = model;
    if (ensemble_is(&options))
        return err_set(err, ERR_USAGE, "%s: pack each model of an ensemble by itself; packed models make one, too",
                       model);
    st = opening_read_head(&opening, &options, err);
    if (st == OK) st = model_pack(opening.folder, types[precision], fd, name, warnings, err);
    opening_close(&opening);
    return st;
}

Status dragoman_verify(const char *model, size_t *tensors, Err *err)
{
    const DragomanOptions options = { .model = model };

    if (ensemble_is(&options)) return err_set(err, ERR_USAGE, "%s: verify each model of an ensemble by itself", model);
    return model_verify(model, tensors, err);
}
