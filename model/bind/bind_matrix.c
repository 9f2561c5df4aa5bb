/* bind_matrix.c - see binder.h. */
#include "binder.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "matrix_emulation.h"
#include "packed.h"
#include "panels_s8.h"

/* Bytes of mapped file that may stay in memory beside their copy. */
#define RELEASE_BYTES ((size_t)16 << 20)

static Status keep(Binder *b, Matrix **out, Status st)
{
    Model *model = b->model;

    if (st != OK) return st;
    st = buf_grow_list(&model->matrices, &model->matrix_cap, model->matrix_count, 1, sizeof(Matrix *), "the model",
                       b->err);
    if (st == OK) {
        model->matrices[model->matrix_count++] = *out;
    } else {
        matrix_free(*out);
        *out = NULL;
    }
    return st;
}

/* Returns the one element type in which a matrix holds all its parts. */
static DType common_type(const Binder *b, const StoredMatrix *stored)
{
    const DType type = tensor_compute_dtype(stored->parts[0]);
    const size_t k = stored->k;

    if (b->model->precision == PRECISION_INT8) return k <= MATRIX_8BIT_MAX_K ? DTYPE_S8 : DTYPE_F32;
    if (b->model->precision == PRECISION_BF16) return k <= MATRIX_16BIT_MAX_K ? DTYPE_BF16 : DTYPE_F32;
    if (type == DTYPE_S8) return DTYPE_F32;
    for (size_t i = 0; i < stored->count; i++)
        if (!b->keeps_16bit || tensor_compute_dtype(stored->parts[i]) != type || k > MATRIX_16BIT_MAX_K)
            return DTYPE_F32;
    return type;
}

static Status check_finite_16bit(const Binder *b, const Tensor *t, size_t first, const uint16_t *values, size_t count)
{
    const uint16_t exponent = t->dtype == DTYPE_F16 ? 0x7c00 : 0x7f80;
    uint16_t worst = 0;
    size_t at = 0;

    for (size_t i = 0; i < count; i++) {
        uint16_t bits = values[i] & exponent;
        worst = bits > worst ? bits : worst;
    }
    if (worst < exponent) return OK;
    while ((values[at] & exponent) < exponent) at++;
    return err_set(b->err, ERR_FORMAT, "%s: tensor %s: holds NaN or infinity at element %zu", t->file, t->name,
                   first + at);
}

/* Rounds `count` f32 values in place. */
static void round_to_bf16(void *values, size_t count)
{
    const float *from = values;
    uint16_t *to = values;

    for (size_t i = 0; i < count; i++) {
        uint16_t rounded = dtype_f32_to_bf16(from[i]);
        memcpy(to + i, &rounded, sizeof rounded);
    }
}

Status bind_matrix_read(const Binder *b, const Tensor *t, size_t first, size_t count, DType type, void *out)
{
    Status st;

    if (type == DTYPE_S8) {
        tensor_copy(t, first, count, out);
        return OK;
    }
    if (type == tensor_compute_dtype(t) && type != DTYPE_F32) {
        tensor_copy(t, first, count, out);
        return check_finite_16bit(b, t, first, out, count);
    }
    st = binder_read_f32(b, t, first, count, out);
    if (st == OK && type == DTYPE_BF16) round_to_bf16(out, count);
    return st;
}

bool bind_matrix_is_s8(const Tensor *t, DType type)
{
    return type == DTYPE_S8 && t->dtype == DTYPE_S8;
}

float bind_matrix_scale(const Tensor *t, size_t row)
{
    return t->scales ? t->scales[row] : t->unit;
}

/* Stores rows of int8 values as they are, or lets the matrix quantize rows. */
static Status take_rows(const Binder *b, Matrix *out, size_t first, size_t count, const Tensor *t, size_t row,
                        void *values)
{
    const DType type = matrix_source_type(matrix_type(out));
    const size_t k = matrix_k(out);
    Status st;

    if (bind_matrix_is_s8(t, matrix_type(out))) {
        tensor_copy(t, row * k, count * k, values);
        if (t->scales)
            matrix_set_scaled_rows_s8(out, first, count, values, t->scales + row);
        else
            matrix_set_rows_s8(out, first, count, values, t->unit);
        return OK;
    }
    st = bind_matrix_read(b, t, row * k, count * k, type, values);
    if (st == OK) matrix_set_rows(out, first, count, values);
    return st;
}

/* Reads rows [first, first + rows) of the matrix, in whole panels where possible. */
static Status read_rows(const Binder *b, Matrix *out, size_t first, size_t rows, const Tensor *t)
{
    const size_t k = matrix_k(out);
    void *values = calloc(MATRIX_ROWS_TOGETHER, k * sizeof(float));
    size_t unreleased = 0, count;
    Status st = values ? OK : err_memory(b->err, "the model");

    for (size_t r = 0; st == OK && r < rows; r += count) {
        count = MATRIX_ROWS_TOGETHER - (first + r) % MATRIX_ROWS_TOGETHER;
        if (count > rows - r) count = rows - r;
        st = take_rows(b, out, first + r, count, t, r, values);
        unreleased += count * k * dtype_bytes(tensor_compute_dtype(t));
        if (unreleased < RELEASE_BYTES && r + count < rows) continue;
        weights_release(b->weights, t);
        unreleased = 0;
    }
    free(values);
    return st;
}

/* Finds the multiplier of activations that a file stores for an int8 matrix: TENSOR "_QuantMultA", one number.
 * *out is 0 if there is none. */
static Status find_multiplier(const Binder *b, const Tensor *t, float *out)
{
    char name[sizeof(BinderName) + 16];
    const Tensor *m;

    *out = 0;
    snprintf(name, sizeof name, "%s_QuantMultA", t->name);
    m = weights_find(b->weights, name);
    if (!m) return OK;
    if (m->count == 1 && m->dtype != DTYPE_OTHER) tensor_read_f32(m, 0, 1, out);
    if (*out > 0 && isfinite(*out) && isfinite(1 / *out)) return OK;
    return err_set(b->err, ERR_FORMAT, "%s: tensor %s: must be a single number above 0", m->file, m->name);
}

static bool is_marian(const Tensor *t)
{
    return t->dtype == DTYPE_S8 && !t->scales;
}

bool bind_matrix_is_marian(const StoredMatrix *stored)
{
    return is_marian(stored->parts[0]);
}

bool bind_matrix_is_apart(const Binder *b, const char *key)
{
    const char *suffix = b->model->config.names->weight;
    float multiplier = 1;
    const Tensor *t;

    if (weights_packed(b->weights)) return weights_find(b->weights, binder_matrix_name(b, "self.query").text) != NULL;
    t = key ? binder_find(b, key, suffix ? suffix : ".weight") : NULL;
    if (!t || !is_marian(t)) return false;
    return find_multiplier(b, t, &multiplier) == OK && multiplier == 0;
}

/* Finds, for each part, the factor of activations before they are rounded. It is 0 if it depends on the largest
 * activation of all rows of a sentence; then it must be 0 for all parts. Parts with different multipliers are separate
 * matmuls, so each needs whole panels. */
static Status find_multipliers(const Binder *b, float x[MATRIX_MAX_PARTS], const StoredMatrix *stored)
{
    const bool has_whole_panels = stored->n / stored->count % MATRIX_ROWS_TOGETHER == 0;
    Status st = OK;

    for (size_t i = 0; st == OK && i < stored->count; i++) {
        st = find_multiplier(b, stored->parts[i], &x[i]);
        if (st != OK || x[0] == x[i] || (x[0] > 0 && x[i] > 0 && has_whole_panels)) continue;
        st =
            err_set(b->err, ERR_UNSUPPORTED,
                    "%s: tensors %s_QuantMultA and %s_QuantMultA differ (%g, %g): both must be above 0, and the number "
                    "of columns of each matrix must be a multiple of %zu",
                    stored->parts[0]->file, stored->parts[0]->name, stored->parts[i]->name, (double)x[0], (double)x[i],
                    MATRIX_ROWS_TOGETHER);
    }
    return st;
}

/* A multiplier that all parts share is stored once. */
Status bind_matrix_pack_multipliers(const Binder *b, PackedMultipliers *out, const StoredMatrix *stored)
{
    Status st = find_multipliers(b, out->values, stored);
    bool differ = false;

    for (size_t i = 1; st == OK && i < stored->count; i++) differ = differ || out->values[i] != out->values[0];
    out->count = differ ? stored->count : 1;
    for (size_t i = 0; st == OK && i < stored->count; i++) out->values[out->count++] = stored->parts[i]->multiplier;
    out->rank = differ ? 2 : 1;
    out->shape[0] = differ ? 2 : out->count;
    out->shape[1] = stored->count;
    return st;
}

static Status bind_stored(Binder *b, Matrix **out, const StoredMatrix *stored)
{
    const size_t rows = stored->n / stored->count;
    const Tensor *first = stored->parts[0];
    BinderPlan *plan = b->plan;
    float multipliers[MATRIX_MAX_PARTS], x_multipliers[MATRIX_MAX_PARTS];
    Status st;

    /* Marian's int8 values need its matmul, which other values do not have. */
    for (size_t i = 1; i < stored->count; i++) {
        const Tensor *t = stored->parts[i];
        if (is_marian(t) == is_marian(first)) continue;
        return err_set(b->err, ERR_UNSUPPORTED, "%s: tensors %s and %s: both must be int8, or neither", t->file,
                       first->name, t->name);
    }
    if (plan) {
        st = buf_grow_list(&plan->matrices, &plan->matrix_cap, plan->matrix_count, 1, sizeof *stored,
                           "the list of matrices", b->err);
        if (st == OK) plan->matrices[plan->matrix_count++] = *stored;
        return st;
    }
    st = keep(b, out, matrix_new_in(b->model->matrix_arena, out, stored->n, stored->k, common_type(b, stored), b->err));
    for (size_t i = 0; st == OK && i < stored->count; i++) st = read_rows(b, *out, i * rows, rows, stored->parts[i]);
    if (st != OK || matrix_type(*out) != DTYPE_S8 || !is_marian(first)) return st;
    st = find_multipliers(b, x_multipliers, stored);
    for (size_t i = 0; i < stored->count; i++) multipliers[i] = stored->parts[i]->multiplier;
    return st == OK ? matrix_emulate_marian(*out, multipliers, x_multipliers, stored->count, b->err) : st;
}

/* Finds a tensor of a packed model, and checks its type name and shape. */
static Status find_packed(const Binder *b, const Tensor **out, const char *name, const char *suffix, const char *type,
                          size_t rank, const size_t *shape)
{
    char whole[sizeof(BinderName) + 16];
    Tensor copy;

    snprintf(whole, sizeof whole, "%s%s", name, suffix);
    *out = weights_find(b->weights, whole);
    if (!*out) return err_set(b->err, ERR_FORMAT, "%s: tensor %s is missing", weights_path(b->weights), whole);
    copy = **out;
    if (type && strcmp(copy.dtype_name, type) != 0)
        return err_set(b->err, ERR_FORMAT, "%s: tensor %s: type %s, expected %s", copy.file, whole, copy.dtype_name,
                       type);
    if (type) copy.dtype = DTYPE_F32; /* allow any type name: only the shape must be checked */
    return binder_check(b, &copy, rank, shape);
}

static Status find_parts(const Binder *b, MatrixParts *out, DType *type, const StoredMatrix *stored)
{
    const size_t panels = (stored->n + PANEL - 1) / PANEL, n = panels * PANEL;
    const size_t shape[3] = { panels, stored->k, PANEL };
    const size_t s8_shape[4] = { panels, panels_s8_width(stored->k) / PANELS_S8_FOUR, PANEL, PANELS_S8_FOUR };
    const char *name = stored->name.text;
    const Tensor *values = weights_find(b->weights, name), *scales, *corrections;
    const bool s8 = values && strcmp(values->dtype_name, "I8") == 0;
    Status st =
        s8 ? find_packed(b, &values, name, "", "I8", 4, s8_shape) : find_packed(b, &values, name, "", NULL, 3, shape);

    if (st == OK && values->dtype == DTYPE_F64)
        st = err_set(b->err, ERR_UNSUPPORTED, "%s: tensor %s: type F64, expected F32, F16, BF16 or I8", values->file,
                     name);
    if (st != OK) return st;
    *type = s8 ? DTYPE_S8 : tensor_compute_dtype(values);
    *out = (MatrixParts){ .values = values->data, .bytes = values->bytes };
    if (!s8) return OK;
    st = find_packed(b, &scales, name, PACKED_SCALES, "F32", 1, &stored->n);
    if (st == OK) st = find_packed(b, &corrections, name, PACKED_CORRECTIONS, "I32", 1, &n);
    if (st != OK) return st;
    out->scales = (const float *)(const void *)scales->data;
    out->corrections = (const int32_t *)(const void *)corrections->data;
    return OK;
}

/* Marian int8: reads the multipliers of the activations and of the parts: [2, parts] if the parts differ in that of
 * the activations, else [1 + parts]. */
static Status follow_packed(const Binder *b, Matrix *matrix, const Tensor *t)
{
    const bool differ = t->rank == 2 && t->shape[0] == 2;
    const size_t parts = differ ? t->count / 2 : t->count - 1, of_x = t->count - parts;
    float all[2 * MATRIX_MAX_PARTS] = { 0 }, x[MATRIX_MAX_PARTS] = { 0 };
    bool right = t->dtype == DTYPE_F32 && t->count > 1 && parts <= MATRIX_MAX_PARTS && matrix_n(matrix) % parts == 0;

    if (right && differ) right = matrix_n(matrix) / parts % MATRIX_ROWS_TOGETHER == 0;
    if (right) tensor_read_f32(t, 0, t->count, all);
    for (size_t i = 0; right && i < t->count; i++)
        right = all[i] > 0 ? isfinite(all[i]) && isfinite(1 / all[i]) : !differ && i == 0 && all[i] == 0;
    for (size_t i = 0; right && i < parts; i++) x[i] = all[differ ? i : 0];
    if (right) return matrix_emulate_marian(matrix, all + of_x, x, parts, b->err);
    return err_set(b->err, ERR_FORMAT,
                   "%s: tensor %s: must have the shape [1 + parts] or [2, parts], at most %zu parts, and finite F32 "
                   "values above 0",
                   t->file, t->name, MATRIX_MAX_PARTS);
}

static Status bind_packed(Binder *b, Matrix **out, const StoredMatrix *stored)
{
    MatrixParts parts, held;
    DType type;
    char whole[sizeof(BinderName) + 16];
    const Tensor *marian;
    Status st = find_parts(b, &parts, &type, stored);

    *out = NULL;
    snprintf(whole, sizeof whole, "%s" PACKED_MULTIPLIER, stored->name.text);
    marian = weights_find(b->weights, whole);
    if (marian) parts.corrections = NULL; /* they may change, so the matrix computes its own */
    if (st == OK) st = keep(b, out, matrix_borrow(out, stored->n, stored->k, type, &parts, b->err));
    if (st == OK && marian && type == DTYPE_S8) st = follow_packed(b, *out, marian);
    if (st != OK) return st;
    b->model->is_stored_8bit |= marian != NULL;
    matrix_parts(*out, &held);
    if (held.values != parts.values) weights_release(b->weights, weights_find(b->weights, stored->name.text));
    b->model->parameters += stored->n * stored->k;
    return OK;
}

Status bind_matrix(Binder *b, Matrix **out, const StoredMatrix *stored)
{
    return weights_packed(b->weights) ? bind_packed(b, out, stored) : bind_stored(b, out, stored);
}
