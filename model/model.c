/* model.c - see model.h. */
#include "model.h"

#include <stdlib.h>

#include "adapter.h"
#include "binder.h"
#include "gemm.h"
#include "matrix_emulation.h"
#include "panels.h"

/* Sets the stored type and the precision of a packed model: int8 if any matrix is int8, else bf16 if any is bf16.
 * Matrices that are too wide for it have a more precise type. ERR_USAGE if the precision is not `wanted`. */
static Status check_packed(Model *model, const char *path, Precision wanted, Err *err)
{
    static const char *const precisions[] = {
        [PRECISION_AUTO] = "auto", [PRECISION_F32] = "f32", [PRECISION_BF16] = "bf16", [PRECISION_INT8] = "int8"
    };
    static const char *const types[] = { [DTYPE_F32] = "F32, packed",
                                         [DTYPE_F16] = "F16, packed",
                                         [DTYPE_BF16] = "BF16, packed",
                                         [DTYPE_S8] = "I8, packed" };
    bool is_mixed = false, has_s8 = false, has_bf16 = false;

    for (size_t i = 0; i < model->matrices.len; i++) {
        const DType type = matrix_type(model->matrices.data[i]);
        is_mixed |= type != matrix_type(model->matrices.data[0]);
        has_s8 |= type == DTYPE_S8;
        has_bf16 |= type == DTYPE_BF16;
    }
    model->stored_type = is_mixed ? "mixed, packed" : types[matrix_type(model->matrices.data[0])];
    model->precision = has_s8 ? PRECISION_INT8 : has_bf16 ? PRECISION_BF16 : PRECISION_F32;
    if (wanted == PRECISION_AUTO || wanted == model->precision) return OK;
    return err_set(err, ERR_USAGE,
                   "%s is packed for " SETTING(PRECISION) " %s; for %s, use the folder it was packed from", path,
                   precisions[model->precision], precisions[wanted]);
}

static Status open_weights(Model *model, ModelFolder *folder, Precision asked, Err *err)
{
    const RowRounding rounding = model->config.int8.row_rounding;
    Precision precision = asked;
    bool has_8bit = false, is_packed;
    Status st = weights_open(&model->weights, folder, err);

    if (st == OK) bind_choose_names(&model->config, model->weights);
    if (st == OK) st = adapter_merge(model->weights, folder, &model->config, err);
    if (st != OK) return st;
    is_packed = weights_packed(model->weights);
    for (size_t i = 0; i < weights_count(model->weights); i++)
        has_8bit |= weights_at(model->weights, i)->dtype == DTYPE_S8;
    model->is_stored_8bit = has_8bit && (asked == PRECISION_AUTO || asked == PRECISION_INT8);
    if (model->is_stored_8bit) precision = PRECISION_INT8;
    model->precision = precision == PRECISION_AUTO ? PRECISION_F32 : precision;
    st = bind_model(model, model->weights, NULL, err);
    st = bind_fault_explain(st, folder, model->weights, err);
    /* ROWS_DOWN applies to all int8 matrices, other roundings only to weights that are used as stored. */
    if (rounding == ROWS_DOWN || asked == PRECISION_AUTO || is_packed)
        for (size_t i = 0; st == OK && i < model->matrices.len; i++)
            if (rounding != ROWS_DOWN || matrix_type(model->matrices.data[i]) == DTYPE_S8)
                st = matrix_round_x(model->matrices.data[i], rounding, err);
    st = model_folder_check(folder, st, err);
    if (is_packed) return st == OK ? check_packed(model, model_folder_path(folder), precision, err) : st;
    weights_free(model->weights);
    model->weights = NULL;
    return st;
}

Status model_check_weights(ModelFolder *folder, Err *err)
{
    return weights_check(folder, err);
}

Status model_open(Model **out, ModelFolder *folder, ModelConfig *config, Precision precision, Err *err)
{
    Model *model = calloc(1, sizeof *model);
    Status st = model ? OK : err_memory(err, "the model");

    *out = NULL;
    if (model) {
        model->config = *config;
        model->weight = 1;
    } else {
        model_config_free(config);
    }
    *config = (ModelConfig){ 0 };
    if (st == OK && !panels_get()) st = gemm_open(err);
    if (st == OK) st = open_weights(model, folder, precision, err);
    if (st == OK)
        *out = model;
    else
        model_free(model);
    return st;
}

void model_free(Model *model)
{
    while (model) {
        Model *next = model->next;
        for (size_t i = 0; i < model->matrices.len; i++) matrix_free(model->matrices.data[i]);
        free(model->matrices.data);
        position_table_free(model->positions);
        for (size_t i = 0; i < 2; i++) position_table_free(model->rotary[i]);
        arena_free(model->arena);
        arena_free(model->matrix_arena);
        weights_free(model->weights);
        model_config_free(&model->config);
        free(model);
        model = next;
    }
}

void model_append(Model *model, Model *last)
{
    while (model->next) model = model->next;
    model->next = last;
}

size_t model_count(const Model *model)
{
    size_t count = 0;

    for (; model; model = model->next) count++;
    return count;
}

const Model *model_next(const Model *model)
{
    return model->next;
}

void model_set_weight(Model *model, size_t index, float weight)
{
    while (index--) model = model->next;
    model->weight = weight;
}

size_t model_positions(const Model *model)
{
    size_t fewest = 0;

    for (; model; model = model->next) {
        const size_t own = model->config.positions.max;
        if (own && (!fewest || own < fewest)) fewest = own;
    }
    return fewest;
}

const ModelConfig *model_config(const Model *model)
{
    return &model->config;
}

ModelFacts model_facts(const Model *model)
{
    ModelFacts facts = { .precision = model->precision,
                         .stored_type = model->stored_type,
                         .warning = model->warning,
                         .weight = model->weight,
                         .table_hash = hash64_end(&model->table) };

    for (; model; model = model->next) {
        facts.parameters += model->parameters;
        facts.bytes += arena_bytes(model->arena);
        for (size_t i = 0; i < model->matrices.len; i++) facts.bytes += matrix_bytes(model->matrices.data[i]);
    }
    return facts;
}
