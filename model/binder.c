/* binder.c - see binder.h. */
#include "binder.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "name_map.h"

/* Pages of a file that may be in memory beside the copy made from them. */
#define RELEASE_BYTES ((size_t)16 << 20)

/* Appends `text` with each {i} as the layer's number. What does not fit is
 * left out: no tensor has such a name. */
static size_t append_name(BinderName *name, size_t at, const char *text, size_t layer)
{
    while (*text && at + 24 < sizeof name->text) {
        if (strncmp(text, "{i}", 3) == 0) {
            at += (size_t)snprintf(name->text + at, 24, "%zu", layer);
            text += 3;
        } else {
            name->text[at++] = *text++;
        }
    }
    name->text[at] = '\0';
    return at;
}

BinderName binder_name(const Binder *b, const char *part, const char *suffix)
{
    BinderName name;
    size_t at = append_name(&name, 0, b->prefix, b->layer);

    at = append_name(&name, at, part, b->layer);
    append_name(&name, at, suffix, b->layer);
    return name;
}

void *binder_allocate(Binder *b, size_t count, size_t size, Status *st)
{
    void *block = arena_alloc(b->model->arena, count, size);

    if (!block) *st = err_memory(b->err, "the model");
    return block ? memset(block, 0, count * size) : NULL;
}

const Tensor *binder_find(const Binder *b, const char *part, const char *suffix)
{
    BinderName name = binder_name(b, part, suffix);
    const NameMap *map = b->model->config.name_map;
    const Tensor *stored;
    Tensor *view;

    if (!map) return weights_find(b->weights, name.text);
    view = arena_alloc(b->model->arena, 1, sizeof *view);
    stored = view ? name_map_find(map, b->weights, name.text, view) : NULL;
    if (!stored) return NULL;
    b->used[stored - weights_at(b->weights, 0)] = true;
    return view;
}

Status binder_missing(const Binder *b, const char *part, const char *suffix)
{
    BinderName name = binder_name(b, part, suffix);
    const NameMap *map = b->model->config.name_map;
    Buf stored = { 0 };
    Status st = OK;

    if (!map) return err_set(b->err, ERR_FORMAT, "%s: tensor %s is missing", weights_path(b->weights), name.text);
    st = name_map_stored(map, name.text, &stored, b->err);
    if (st == OK)
        st = err_set(b->err, ERR_FORMAT, "%s: tensor %s is missing (%s of the model that config.json describes)",
                     weights_path(b->weights), stored.data, name.text);
    buf_free(&stored);
    return st;
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

Status binder_check(const Binder *b, const Tensor *t, size_t rank, const size_t *shape)
{
    char found[160], expected[160];

    if (t->dtype == DTYPE_OTHER)
        return err_set(b->err, ERR_UNSUPPORTED, "%s: tensor %s: type %s, expected F32, F16, BF16 or F64", t->file,
                       t->name, t->dtype_name);
    if (t->rank == rank && memcmp(t->shape, shape, rank * sizeof *shape) == 0) return OK;
    return err_set(b->err, ERR_FORMAT, "%s: tensor %s: shape %s, expected %s", t->file, t->name,
                   shape_text(found, t->rank, t->shape), shape_text(expected, rank, shape));
}

Status binder_expect(const Binder *b, const Tensor **out, const char *part, const char *suffix, size_t rank,
                     const size_t *shape)
{
    *out = binder_find(b, part, suffix);
    return *out ? binder_check(b, *out, rank, shape) : binder_missing(b, part, suffix);
}

static const char *type_name(DType type)
{
    static const char *const names[] = {
        [DTYPE_F32] = "F32", [DTYPE_F16] = "F16", [DTYPE_BF16] = "BF16", [DTYPE_F64] = "F64", [DTYPE_OTHER] = "other"
    };

    return names[type];
}

void binder_note(Binder *b, const Tensor *t)
{
    Model *model = b->model;

    model->parameters += t->count;
    if (!model->stored_type)
        model->stored_type = type_name(t->dtype);
    else if (strcmp(model->stored_type, t->dtype_name) != 0)
        model->stored_type = "mixed";
}

/* Names the first of the values at element `first` and behind that is not
 * finite, if there is one: no trained model holds it. Such a value has all its
 * exponent bits set. */
static Status check_finite(const Binder *b, const Tensor *t, size_t first, const float *values, size_t count)
{
    uint32_t worst = 0;
    size_t at = 0;

    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, values + i, sizeof bits);
        bits &= 0x7f800000u;
        worst = bits > worst ? bits : worst;
    }
    if (worst < 0x7f800000u) return OK;
    while (isfinite(values[at])) at++;
    return err_set(b->err, ERR_FORMAT, "%s: tensor %s: holds NaN or infinity at element %zu", t->file, t->name,
                   first + at);
}

static Status check_finite_16bit(const Binder *b, const Tensor *t, size_t first, const uint16_t *numbers, size_t count)
{
    const uint16_t exponent = t->dtype == DTYPE_F16 ? 0x7c00 : 0x7f80;
    uint16_t worst = 0;
    size_t at = 0;

    for (size_t i = 0; i < count; i++) {
        uint16_t bits = numbers[i] & exponent;
        worst = bits > worst ? bits : worst;
    }
    if (worst < exponent) return OK;
    while ((numbers[at] & exponent) < exponent) at++;
    return err_set(b->err, ERR_FORMAT, "%s: tensor %s: holds NaN or infinity at element %zu", t->file, t->name,
                   first + at);
}

Status binder_read(const Binder *b, const Tensor *t, size_t first, size_t count, float *out)
{
    tensor_read_f32(t, first, count, out);
    return check_finite(b, t, first, out, count);
}

Status binder_read_vector(Binder *b, float *out, const char *part, const char *suffix, size_t count)
{
    const Tensor *t;
    Status st = binder_expect(b, &t, part, suffix, 1, &count);

    if (st == OK) st = binder_read(b, t, 0, count, out);
    if (st == OK) binder_note(b, t);
    return st;
}

NumberType binder_matrix_type(const Binder *b, const Tensor *const *parts, size_t count)
{
    NumberType type = tensor_number_type(parts[0]);
    const size_t k = parts[0]->shape[1];

    if (b->precision == PRECISION_INT8) return k <= MATRIX_8BIT_MAX_K ? NUMBER_S8 : NUMBER_F32;
    if (b->precision == PRECISION_BF16) return k <= MATRIX_16BIT_MAX_K ? NUMBER_BF16 : NUMBER_F32;
    for (size_t i = 0; i < count; i++)
        if (!b->keeps_16bit || tensor_number_type(parts[i]) != type || k > MATRIX_16BIT_MAX_K) return NUMBER_F32;
    return type;
}

Status binder_new_matrix(Binder *b, Matrix **out, size_t n, size_t k, NumberType type)
{
    Model *model = b->model;
    Status st = matrix_new(out, n, k, type, b->err);

    if (st == OK && model->matrix_count == model->matrix_cap) {
        matrix_free(*out);
        *out = NULL;
        return err_set(b->err, ERR_MEMORY, "too many matrices");
    }
    if (st == OK) model->matrices[model->matrix_count++] = *out;
    return st;
}

/* Rounds `count` f32 numbers in place. The largest values become infinity,
 * which no weight comes near. */
static void round_to_bf16(void *numbers, size_t count)
{
    const float *from = numbers;
    uint16_t *to = numbers;

    for (size_t i = 0; i < count; i++) {
        uint16_t rounded = number_to_bf16(from[i]);
        memcpy(to + i, &rounded, sizeof rounded);
    }
}

/* Numbers [first, first + count) in the type that the matrix takes, which is
 * f32, the stored one, or bf16. `out` has room for f32. */
static Status read_numbers(const Binder *b, const Tensor *t, size_t first, size_t count, NumberType type, void *out)
{
    Status st;

    if (type == tensor_number_type(t) && type != NUMBER_F32) {
        tensor_copy(t, first, count, out);
        return check_finite_16bit(b, t, first, out, count);
    }
    st = binder_read(b, t, first, count, out);
    if (st == OK && type == NUMBER_BF16) round_to_bf16(out, count);
    return st;
}

/* Whole panels at a time, where the rows fall so. */
Status binder_read_rows(Binder *b, Matrix *out, size_t first, size_t rows, const Tensor *t)
{
    const size_t k = matrix_k(out);
    const NumberType type = matrix_source_type(matrix_type(out));
    void *numbers = calloc(MATRIX_ROWS_TOGETHER, k * sizeof(float));
    size_t unreleased = 0, count;
    Status st = numbers ? OK : err_memory(b->err, "the model");

    for (size_t r = 0; st == OK && r < rows; r += count) {
        count = MATRIX_ROWS_TOGETHER - (first + r) % MATRIX_ROWS_TOGETHER;
        if (count > rows - r) count = rows - r;
        st = read_numbers(b, t, r * k, count * k, type, numbers);
        if (st == OK) matrix_set_rows(out, first + r, count, numbers);
        unreleased += count * k * number_bytes(tensor_number_type(t));
        if (unreleased < RELEASE_BYTES && r + count < rows) continue;
        weights_release(b->weights, t);
        unreleased = 0;
    }
    free(numbers);
    return st;
}
