/* ctranslate2.c - see readers.h.
 * An 8-bit matrix has NAME_scale [rows]; the value is number / scale. A 16-bit matrix has one scale,
 * 1000 if none is stored (global_int16_scale in CTranslate2's src/ops/quantize.cc). */
#include "readers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ct2_file.h"
#include "file_kind.h"

#define GLOBAL_SCALE 1000.0f

static const DType dtypes[CT2_TYPES] = { [CT2_F32] = DTYPE_F32,   [CT2_S8] = DTYPE_OTHER, [CT2_S16] = DTYPE_OTHER,
                                         [CT2_S32] = DTYPE_OTHER, [CT2_F16] = DTYPE_F16,  [CT2_BF16] = DTYPE_BF16 };

/* Sets the type and the scales of an 8-bit or 16-bit matrix. Other integers are not weights and stay DTYPE_OTHER. */
static Status find_scales(Weights *all, Tensor *t, const Ct2File *file, const Ct2Variable *v, Err *err)
{
    char name[512];
    const Ct2Variable *stored;
    size_t expected = v->type == CT2_S16 ? 1 : v->shape[0];

    if (v->rank != 2 || !v->count || (v->type != CT2_S8 && v->type != CT2_S16)) return OK;
    if (snprintf(name, sizeof name, "%s_scale", v->name) >= (int)sizeof name) return OK;
    stored = ct2_file_find(file, name);
    if (!stored && v->type == CT2_S8) return err_set(err, ERR_FORMAT, "%s: variable %s is missing", file->path, name);
    if (stored && (stored->type != CT2_F32 || stored->count != expected))
        return err_set(err, ERR_FORMAT, "%s: variable %s: expected %zu values of F32, found %zu of %s", file->path,
                       name, expected, stored->count, ct2_file_type_name(stored->type));
    t->dtype = v->type == CT2_S8 ? DTYPE_S8 : DTYPE_S16;
    /* scales[i] = 1 / stored[i]: a stored integer times scales[i] is the value. */
    const float whole = GLOBAL_SCALE;
    const unsigned char *data = stored ? stored->data : (const unsigned char *)&whole;
    float *scales;
    t->scale_count = stored ? stored->count : 1;
    scales = arena_alloc(all->arena, t->scale_count, sizeof *scales);
    if (!scales) return err_memory(err, "scales");
    for (size_t i = 0; i < t->scale_count; i++) {
        memcpy(scales + i, data + i * sizeof *scales, sizeof *scales);
        if (!(scales[i] > 0) || !isfinite(1 / scales[i]) || !isfinite(scales[i]))
            return err_set(err, ERR_FORMAT, "%s: variable %s: scale %zu must be positive and finite", t->file, t->name,
                           i);
        scales[i] = 1 / scales[i];
    }
    t->scales = scales;
    return OK;
}

Status ctranslate2_read(Weights *all, const FileView *file, Err *err)
{
    Ct2File own = { 0 };
    const Ct2File *parsed = &own;
    Status st;

    if (all->folder) {
        st = model_folder_ct2(all->folder, &parsed, err);
    } else {
        st = file_kind_check(&file->map, file->path, "a model.bin of CTranslate2", err);
        if (st == OK) st = ct2_file_read(&own, &file->map, file->path, err);
    }
    if (st == OK) st = weights_reserve(all, parsed->count, err);
    for (size_t i = 0; st == OK && i < parsed->count; i++) {
        const Ct2Variable *v = &parsed->variables[i];
        Tensor t = { .name = v->name,
                     .file = file->path,
                     .dtype = dtypes[v->type],
                     .dtype_name = ct2_file_type_name(v->type),
                     .rank = v->rank,
                     .count = v->count,
                     .bytes = v->bytes,
                     .data = v->data };
        memcpy(t.shape, v->shape, v->rank * sizeof *v->shape);
        st = find_scales(all, &t, parsed, v, err);
        if (st == OK) st = weights_add_tensor(all, &t, err);
    }
    ct2_file_close(&own);
    return st;
}
