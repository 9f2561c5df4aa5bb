/* binder.c - see binder.h: names, checks, copies, and matrices, which are built from stored tensors, borrowed from a
 * packed model, or collected in a plan. */
#include "binder.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "matrix_emulation.h"
#include "name_map.h"
#include "packed.h"
#include "panels_s8.h"

/* The number of bytes of a mapped file that may stay in memory after they were copied. */
#define RELEASE_BYTES ((size_t)16 << 20)

/* Appends `text`, with numbers filled in and '*' replaced by `star` unless that is NULL. Text that does not fit is
 * dropped: no tensor has such a long name. */
static size_t append_name(const Binder *b, BinderName *name, size_t at, const char *text, const char *star)
{
    while (*text && at + 24 < sizeof name->text) {
        if (*text == '{' && text[1] && strchr("ink", text[1]) && text[2] == '}') {
            const size_t number = text[1] == 'i' ? b->layer : text[1] == 'n' ? b->layer + 1 : b->linear;
            at += (size_t)snprintf(name->text + at, 24, "%zu", number);
            text += 3;
        } else if (*text == '*' && star) {
            at = append_name(b, name, at, star, NULL);
            text++;
        } else {
            name->text[at++] = *text++;
        }
    }
    name->text[at] = '\0';
    return at;
}

static BinderName tensor_name(const Binder *b, const char *part, const char *suffix)
{
    BinderName name;
    size_t at = append_name(b, &name, 0, b->prefix, NULL);

    at = append_name(b, &name, at, part, suffix);
    if (!strchr(part, '*')) append_name(b, &name, at, suffix, NULL);
    return name;
}

/* Returns the name of a matrix in a packed model: "matrices/encoder.layers.0.self.qkv" for one in a layer,
 * "matrices/encoder.table" for another one. */
static BinderName matrix_name(const Binder *b, const char *name)
{
    BinderName out;

    if (b->stack)
        snprintf(out.text, sizeof out.text, PACKED_MATRICES "%s.layers.%zu.%s", b->stack, b->layer, name);
    else
        snprintf(out.text, sizeof out.text, PACKED_MATRICES "%s", name);
    return out;
}

void *binder_allocate(Binder *b, size_t count, size_t size)
{
    void *block = b->st == OK ? arena_zeroed(b->model->arena, count, size) : NULL;

    if (b->st == OK) b->st = arena_check(b->model->arena, "the model", b->err);
    return block;
}

const Tensor *binder_find(Binder *b, const char *part, const char *suffix)
{
    BinderName name = tensor_name(b, part, suffix);
    const NameMap *map = b->model->config.name_map;
    const Tensor *stored;
    Tensor *view;

    if (b->st != OK) return NULL;
    if (!map) {
        stored = weights_find(b->weights, name.text);
        if (stored) b->used[stored - weights_at(b->weights, 0)] = true;
        return stored;
    }
    view = binder_allocate(b, 1, sizeof *view);
    stored = view ? name_map_find(map, b->weights, name.text, view) : NULL;
    if (!stored) return NULL;
    b->used[stored - weights_at(b->weights, 0)] = true;
    return view;
}

const Tensor *binder_missing(Binder *b, const char *part, const char *suffix)
{
    BinderName name = tensor_name(b, part, suffix);
    const NameMap *map = b->model->config.name_map;
    char stored[NAME_MAP_BYTES];

    if (b->st != OK) return NULL;
    if (map) name_map_stored(map, name.text, stored);
    b->st = map ? err_set(b->err, ERR_FORMAT, "%s: tensor %s is missing (%s of the model that config.json describes)",
                          weights_path(b->weights), stored, name.text)
                : err_set(b->err, ERR_FORMAT, "%s: tensor %s is missing", weights_path(b->weights), name.text);
    return NULL;
}

const Tensor *binder_find_required(Binder *b, const char *part, const char *suffix)
{
    const Tensor *t = binder_find(b, part, suffix);

    return t ? t : binder_missing(b, part, suffix);
}

/* "[2, 3]" */
static const char *shape_text(char out[160], size_t rank, const size_t *shape)
{
    size_t at = (size_t)snprintf(out, 160, "[");

    for (size_t i = 0; i < rank && at < 130; i++)
        at += (size_t)snprintf(out + at, 160 - at, "%s%zu", i ? ", " : "", shape[i]);
    snprintf(out + at, 160 - at, "]");
    return out;
}

static Status refuse_type(const Binder *b, const Tensor *t)
{
    return err_set(b->err, ERR_UNSUPPORTED, "%s: tensor %s: type %s, expected F32, F16, BF16 or F64", t->file, t->name,
                   t->dtype_name);
}

void binder_check(Binder *b, const Tensor *t, size_t rank, const size_t *shape)
{
    char found[160], expected[160];

    if (b->st != OK) return;
    if (t->dtype == DTYPE_OTHER)
        b->st = refuse_type(b, t);
    else if (t->rank != rank || memcmp(t->shape, shape, rank * sizeof *shape) != 0)
        b->st = err_set(b->err, ERR_FORMAT, "%s: tensor %s: shape %s, expected %s", t->file, t->name,
                        shape_text(found, t->rank, t->shape), shape_text(expected, rank, shape));
}

const Tensor *binder_expect(Binder *b, const char *part, const char *suffix, size_t rank, const size_t *shape)
{
    const Tensor *t = binder_find_required(b, part, suffix);

    if (t) binder_check(b, t, rank, shape);
    return b->st == OK ? t : NULL;
}

/* Includes a tensor in the statistics of `dragoman info`. */
static void note(Model *model, const Tensor *t)
{
    static const char *const names[] = {
        [DTYPE_F32] = "F32", [DTYPE_F16] = "F16", [DTYPE_BF16] = "BF16",  [DTYPE_F64] = "F64",
        [DTYPE_S8] = "I8",   [DTYPE_S16] = "I16", [DTYPE_OTHER] = "other"
    };

    model->parameters += t->count;
    if (!model->stored_type)
        model->stored_type = names[t->dtype];
    else if (strcmp(model->stored_type, t->dtype_name) != 0)
        model->stored_type = "mixed";
}

/* Includes a tensor that a layer uses in ModelFacts.table_hash. `name` is its name in a packed model. */
static void add_to_hash(Hash64 *hash, const char *name, size_t rank, const size_t *shape)
{
    hash64_add(hash, name, strlen(name) + 1);
    hash64_add_number(hash, rank);
    for (size_t i = 0; i < rank; i++) hash64_add_number(hash, shape[i]);
}

static Status read_f32(const Tensor *t, size_t first, size_t count, float *out, Err *err)
{
    size_t at = 0;

    tensor_read_f32(t, first, count, out);
    if (values_are_finite(out, count)) return OK;
    while (isfinite(out[at])) at++;
    return err_set(err, ERR_FORMAT, "%s: tensor %s: holds NaN or infinity at element %zu", t->file, t->name,
                   first + at);
}

void binder_read(Binder *b, const Tensor *t, size_t first, size_t count, float *out, bool counts)
{
    BinderPlan *p = b->plan;
    size_t i = 0;

    if (b->st != OK) return;
    if (t->dtype == DTYPE_S8 || t->dtype == DTYPE_S16) { /* only matrices may have these types */
        b->st = refuse_type(b, t);
        return;
    }
    if (p) { /* add the stored tensor, not a view of it */
        const Tensor *stored = weights_find(b->weights, t->name);
        while (i < p->others.len && p->others.data[i] != stored) i++;
        if (i == p->others.len) LIST_PUT(&p->others, stored);
        b->st = LIST_CHECK(&p->others, "the list of tensors", b->err);
    }
    add_to_hash(&b->model->table, t->name, t->rank, t->shape);
    if (b->st == OK) b->st = read_f32(t, first, count, out, b->err);
    if (counts) note(b->model, t);
}

void binder_read_vector(Binder *b, float *out, const char *part, const char *suffix, size_t count)
{
    const Tensor *t = binder_expect(b, part, suffix, 1, &count);

    if (t) binder_read(b, t, 0, count, out, true);
}

/* --- Matrices. --- */

/* Adds a new matrix to the matrices of the model, unless `st`, the result of making it, is an error. */
static void keep(Binder *b, Matrix **out, Status st)
{
    Model *model = b->model;

    b->st = st;
    if (b->st != OK) return;
    LIST_PUT(&model->matrices, *out);
    b->st = LIST_CHECK(&model->matrices, "the model", b->err);
    if (b->st == OK) return;
    matrix_free(*out);
    *out = NULL;
}

/* Returns the element type of a matrix, which is the same for all its parts. */
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

static Status check_finite_16bit(const Tensor *t, size_t first, const uint16_t *values, size_t count, Err *err)
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
    return err_set(err, ERR_FORMAT, "%s: tensor %s: holds NaN or infinity at element %zu", t->file, t->name,
                   first + at);
}

Status bind_matrix_read(const Tensor *t, size_t first, size_t count, DType type, void *out, Err *err)
{
    const float *values = out;
    uint16_t *rounded = out;
    Status st;

    if (type == DTYPE_S8) {
        tensor_copy(t, first, count, out);
        return OK;
    }
    if (type == tensor_compute_dtype(t) && type != DTYPE_F32) {
        tensor_copy(t, first, count, out);
        return check_finite_16bit(t, first, out, count, err);
    }
    st = read_f32(t, first, count, out, err);
    if (st != OK || type != DTYPE_BF16) return st;
    for (size_t i = 0; i < count; i++) { /* in place */
        const uint16_t value = dtype_f32_to_bf16(values[i]);
        memcpy(rounded + i, &value, sizeof value);
    }
    return OK;
}

/* Reads the tensor into rows [first, first + rows) of the matrix, in whole panels where possible. An int8 matrix takes
 * int8 values as they are and quantizes others. */
static Status read_rows(const Binder *b, Matrix *out, size_t first, size_t rows, const Tensor *t)
{
    const size_t k = matrix_k(out);
    const DType type = matrix_source_type(matrix_type(out));
    void *values = calloc(MATRIX_ROWS_TOGETHER, k * sizeof(float));
    size_t unreleased = 0, count;
    Status st = values ? OK : err_memory(b->err, "the model");

    for (size_t r = 0; st == OK && r < rows; r += count) {
        const size_t row = first + r;
        count = MATRIX_ROWS_TOGETHER - row % MATRIX_ROWS_TOGETHER;
        if (count > rows - r) count = rows - r;
        if (matrix_type(out) == DTYPE_S8 && t->dtype == DTYPE_S8) {
            tensor_copy(t, r * k, count * k, values);
            if (t->scales)
                matrix_set_scaled_rows_s8(out, row, count, values, t->scales + r);
            else
                matrix_set_rows_s8(out, row, count, values, t->unit);
        } else {
            st = bind_matrix_read(t, r * k, count * k, type, values, b->err);
            if (st == OK) matrix_set_rows(out, row, count, values);
        }
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
static Status find_multiplier(const Weights *weights, const Tensor *t, float *out, Err *err)
{
    char name[sizeof(BinderName) + 16];
    const Tensor *m;

    *out = 0;
    snprintf(name, sizeof name, "%s_QuantMultA", t->name);
    m = weights_find(weights, name);
    if (!m) return OK;
    if (m->count == 1 && m->dtype != DTYPE_OTHER) tensor_read_f32(m, 0, 1, out);
    if (*out > 0 && isfinite(*out) && isfinite(1 / *out)) return OK;
    return err_set(err, ERR_FORMAT, "%s: tensor %s: must be a single number above 0", m->file, m->name);
}

bool bind_matrix_is_apart(Binder *b, const char *key, const char *suffix)
{
    float multiplier = 1;
    const Tensor *t;

    if (weights_packed(b->weights)) return key && weights_find(b->weights, matrix_name(b, "self.query").text) != NULL;
    t = key ? binder_find(b, key, suffix) : NULL;
    if (!t || !bind_is_marian(t)) return false;
    return find_multiplier(b->weights, t, &multiplier, b->err) == OK && multiplier == 0;
}

/* Finds, for each part, the multiplier of activations before rounding. 0 means that it depends on the largest
 * activation in all rows of a sentence; then it must be 0 for all parts. Parts with different multipliers are separate
 * matmuls, so each needs whole panels. */
static Status find_multipliers(const Weights *weights, float x[MATRIX_MAX_PARTS], const StoredMatrix *stored, Err *err)
{
    const bool has_whole_panels = stored->n / stored->count % MATRIX_ROWS_TOGETHER == 0;
    Status st = OK;

    for (size_t i = 0; st == OK && i < stored->count; i++) {
        st = find_multiplier(weights, stored->parts[i], &x[i], err);
        if (st != OK || x[0] == x[i] || (x[0] > 0 && x[i] > 0 && has_whole_panels)) continue;
        st =
            err_set(err, ERR_UNSUPPORTED,
                    "%s: tensors %s_QuantMultA and %s_QuantMultA differ (%g, %g): both must be above 0, and the number "
                    "of columns of each matrix must be a multiple of %zu",
                    stored->parts[0]->file, stored->parts[0]->name, stored->parts[i]->name, (double)x[0], (double)x[i],
                    MATRIX_ROWS_TOGETHER);
    }
    return st;
}

/* If all parts have the same multiplier of activations, it is stored once. */
Status bind_matrix_pack_multipliers(const Weights *weights, PackedMultipliers *out, const StoredMatrix *stored,
                                    Err *err)
{
    Status st = find_multipliers(weights, out->values, stored, err);
    bool differ = false;

    for (size_t i = 1; st == OK && i < stored->count; i++) differ = differ || out->values[i] != out->values[0];
    out->count = differ ? stored->count : 1;
    for (size_t i = 0; st == OK && i < stored->count; i++) out->values[out->count++] = stored->parts[i]->multiplier;
    out->rank = differ ? 2 : 1;
    out->shape[0] = differ ? 2 : out->count;
    out->shape[1] = stored->count;
    return st;
}

static void bind_stored(Binder *b, Matrix **out, const StoredMatrix *stored)
{
    const Tensor *first = stored->parts[0];
    BinderPlan *plan = b->plan;
    float multipliers[MATRIX_MAX_PARTS], x_multipliers[MATRIX_MAX_PARTS];

    /* Marian's int8 values need Marian's matmul, so they cannot be mixed with other values. */
    for (size_t i = 1; b->st == OK && i < stored->count; i++) {
        const Tensor *t = stored->parts[i];
        if (bind_is_marian(t) != bind_is_marian(first))
            b->st = err_set(b->err, ERR_UNSUPPORTED, "%s: tensors %s and %s: both must be int8, or neither", t->file,
                            first->name, t->name);
    }
    if (b->st == OK && plan) {
        LIST_PUT(&plan->matrices, *stored);
        b->st = LIST_CHECK(&plan->matrices, "the list of matrices", b->err);
        return;
    }
    if (b->st != OK) return;
    keep(b, out, matrix_new_in(b->model->matrix_arena, out, stored->n, stored->k, common_type(b, stored), b->err));
    for (size_t i = 0; b->st == OK && i < stored->count; i++) {
        const size_t rows = stored->n / stored->count;
        b->st = read_rows(b, *out, i * rows, rows, stored->parts[i]);
    }
    if (b->st != OK || matrix_type(*out) != DTYPE_S8 || !bind_is_marian(first)) return;
    b->st = find_multipliers(b->weights, x_multipliers, stored, b->err);
    for (size_t i = 0; i < stored->count; i++) multipliers[i] = stored->parts[i]->multiplier;
    if (b->st == OK) b->st = matrix_emulate_marian(*out, multipliers, x_multipliers, stored->count, b->err);
}

/* Finds a tensor of a packed model, and checks its shape and its type name (NULL: any). NULL after an error. */
static const Tensor *find_packed(Binder *b, const char *name, const char *suffix, const char *type, size_t rank,
                                 const size_t *shape)
{
    char whole[sizeof(BinderName) + 16];
    const Tensor *t;
    Tensor copy;

    snprintf(whole, sizeof whole, "%s%s", name, suffix);
    t = weights_find(b->weights, whole);
    if (b->st == OK && !t)
        b->st = err_set(b->err, ERR_FORMAT, "%s: tensor %s is missing", weights_path(b->weights), whole);
    if (b->st != OK) return NULL;
    copy = *t;
    if (type && strcmp(copy.dtype_name, type) != 0)
        b->st =
            err_set(b->err, ERR_FORMAT, "%s: tensor %s: type %s, expected %s", copy.file, whole, copy.dtype_name, type);
    if (type) copy.dtype = DTYPE_F32; /* the type name has been checked; check only the shape */
    binder_check(b, &copy, rank, shape);
    return b->st == OK ? t : NULL;
}

/* Applies the multipliers of a matrix with Marian's int8 values. Their tensor is [2, parts]: a row for the activations
 * and one for the parts; or [1 + parts] if all parts have the same multiplier of activations. */
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

static void bind_packed(Binder *b, Matrix **out, const StoredMatrix *stored)
{
    const size_t panels = (stored->n + PANEL - 1) / PANEL, n = panels * PANEL;
    const size_t shape[3] = { panels, stored->k, PANEL };
    const size_t s8_shape[4] = { panels, panels_s8_width(stored->k) / PANELS_S8_FOUR, PANEL, PANELS_S8_FOUR };
    const char *name = stored->name.text;
    const Tensor *values = weights_find(b->weights, name), *scales, *corrections, *marian;
    const bool s8 = values && strcmp(values->dtype_name, "I8") == 0;
    MatrixParts parts = { 0 }, held;
    char multiplier[sizeof(BinderName) + 16];
    DType type = DTYPE_S8;

    *out = NULL;
    values = s8 ? find_packed(b, name, "", "I8", 4, s8_shape) : find_packed(b, name, "", NULL, 3, shape);
    if (b->st == OK && values->dtype == DTYPE_F64)
        b->st = err_set(b->err, ERR_UNSUPPORTED, "%s: tensor %s: type F64, expected F32, F16, BF16 or I8", values->file,
                        name);
    if (b->st != OK) return;
    parts = (MatrixParts){ .values = values->data, .bytes = values->bytes };
    if (s8) {
        scales = find_packed(b, name, PACKED_SCALES, "F32", 1, &stored->n);
        corrections = find_packed(b, name, PACKED_CORRECTIONS, "I32", 1, &n);
        if (b->st != OK) return;
        parts.scales = (const float *)(const void *)scales->data;
        parts.corrections = (const int32_t *)(const void *)corrections->data;
    } else {
        type = tensor_compute_dtype(values);
    }
    snprintf(multiplier, sizeof multiplier, "%s" PACKED_MULTIPLIER, name);
    marian = weights_find(b->weights, multiplier);
    if (marian) parts.corrections = NULL; /* matrix_shift_x() may change them, so the matrix gets its own */
    keep(b, out, matrix_borrow(out, stored->n, stored->k, type, &parts, b->err));
    if (b->st == OK && marian && type == DTYPE_S8) b->st = follow_packed(b, *out, marian);
    if (b->st != OK) return;
    b->model->is_stored_8bit |= marian != NULL;
    matrix_parts(*out, &held);
    if (held.values != parts.values) weights_release(b->weights, values);
    b->model->parameters += stored->n * stored->k;
}

void bind_matrix(Binder *b, Matrix **out, const char *packed, size_t n, size_t k, const char *const *names,
                 const char *suffix, size_t count)
{
    const size_t shape[2] = { n, k };
    StoredMatrix stored = { .name = matrix_name(b, packed), .n = count * n, .k = k, .count = count };

    if (b->st != OK) return;
    add_to_hash(&b->model->table, stored.name.text, 2, (const size_t[]){ stored.n, k });
    if (weights_packed(b->weights)) {
        bind_packed(b, out, &stored);
        return;
    }
    for (size_t i = 0; i < count; i++) stored.parts[i] = binder_expect(b, names[i], suffix, 2, shape);
    bind_stored(b, out, &stored);
    for (size_t i = 0; b->st == OK && i < count; i++) note(b->model, stored.parts[i]);
}
