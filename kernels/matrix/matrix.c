/* matrix.c - see matrix.h. */
#include "matrix.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu.h"
#include "matrix_fields.h"

_Static_assert(MATRIX_ROWS_TOGETHER == PANEL, "a panel is set at once");
_Static_assert(MATRIX_8BIT_MAX_K == PANELS_S8_MAX_K, "sums are exact so far");

/* OpenBLAS takes sizes as int. */
#define MAX_SIDE ((size_t)INT32_MAX)

static size_t padded(size_t n)
{
    return (n + PANEL - 1) / PANEL * PANEL;
}

/* Creates a matrix without memory for its elements. */
static Status new_empty(Matrix **out, size_t n, size_t k, DType type, Err *err)
{
    const size_t longest = type == DTYPE_F32 ? MAX_SIDE : type == DTYPE_S8 ? MATRIX_8BIT_MAX_K : MATRIX_16BIT_MAX_K;
    Matrix *m;

    *out = NULL;
    if (!n || !k || n > MAX_SIDE - PANEL || k > longest || n + PANEL > SIZE_MAX / 8 / (k + PANELS_S8_K))
        return err_set(err, ERR_UNSUPPORTED, "a matrix of %zu x %zu is too large", n, k);
    m = calloc(1, sizeof *m);
    if (!m) return err_set(err, ERR_MEMORY, "out of memory for a matrix of %zu x %zu", n, k);
    *m = (Matrix){ .n = n, .k = k, .type = type, .kernels = kernels_get() };
    if (type == DTYPE_S8)
        m->multiply_s8 = panels_s8_at_level(cpu_level());
    else
        m->multiply = panels_get();
    m->bytes = (m->multiply_s8 ? panels_s8_count(n, k) : m->multiply ? panels_count(n, k) : n * k) * dtype_bytes(type);
    *out = m;
    return OK;
}

static bool allocate_corrections(Matrix *m)
{
    m->corrections = m->own_corrections = calloc(padded(m->n), sizeof *m->own_corrections);
    return m->corrections != NULL;
}

/* Allocates the values. Sets the padding of the last panel, and of every 8-bit row, to zero. */
static bool allocate_values(Matrix *m, Arena *arena)
{
    m->in_arena = arena != NULL;
    m->own_values = arena ? arena_alloc(arena, m->bytes, 1) : aligned_alloc(64, (m->bytes + 63) / 64 * 64);
    m->values = m->own_values;
    if (!m->values) return false;
    if (m->multiply_s8) {
        memset(m->own_values, 0, m->bytes);
        m->scales = m->own_scales = calloc(m->n, sizeof *m->own_scales);
        m->row_scratch = malloc(panels_s8_width(m->k));
        return m->scales && m->row_scratch && allocate_corrections(m);
    }
    if (m->multiply && m->n % PANEL) {
        size_t panel = PANEL * m->k * dtype_bytes(m->type);
        memset(m->own_values + m->bytes - panel, 0, panel);
    }
    return true;
}

Status matrix_new(Matrix **out, size_t n, size_t k, DType type, Err *err)
{
    return matrix_new_in(NULL, out, n, k, type, err);
}

Status matrix_new_in(Arena *arena, Matrix **out, size_t n, size_t k, DType type, Err *err)
{
    Status st = new_empty(out, n, k, type, err);

    if (st != OK || allocate_values(*out, arena)) return st;
    matrix_free(*out);
    *out = NULL;
    return err_set(err, ERR_MEMORY, "out of memory for a matrix of %zu x %zu", n, k);
}

void matrix_free(Matrix *matrix)
{
    if (!matrix) return;
    if (!matrix->in_arena) free(matrix->own_values);
    free(matrix->own_scales);
    free(matrix->own_corrections);
    free(matrix->row_scratch);
    free(matrix->ids);
    matrix_emulation_free(matrix);
    free(matrix);
}

DType matrix_source_type(DType type)
{
    return type == DTYPE_S8 ? DTYPE_F32 : type;
}

/* Computes the corrections of rows whose values have changed. */
static void correct(Matrix *m, size_t first, size_t count)
{
    const size_t from = first / PANEL * PANEL;

    matrix_s8_correct((const int8_t *)m->own_values, from, first + count - from, m->k, m->own_corrections);
}

void matrix_set_scaled_rows_s8(Matrix *matrix, size_t first, size_t count, const int8_t *values, const float *scales)
{
    matrix_set_rows_s8(matrix, first, count, values, 1);
    memcpy(matrix->own_scales + first, scales, count * sizeof *scales);
}

void matrix_set_rows_s8(Matrix *matrix, size_t first, size_t count, const int8_t *values, float unit)
{
    for (size_t i = 0; i < count; i++) {
        matrix_s8_set_values((int8_t *)matrix->own_values, first + i, matrix->k, values + i * matrix->k);
        matrix->own_scales[first + i] = unit;
    }
    correct(matrix, first, count);
}

void matrix_set_rows(Matrix *matrix, size_t first, size_t count, const void *values)
{
    const size_t k = matrix->k, width = dtype_bytes(matrix->type), row_bytes = k * width;
    const unsigned char *from = values;

    if (matrix->multiply_s8) {
        for (size_t i = 0; i < count; i++)
            matrix->own_scales[first + i] =
                matrix_s8_set_row((int8_t *)matrix->own_values, first + i, k, (const float *)values + i * k,
                                  matrix->kernels, matrix->row_scratch);
        correct(matrix, first, count);
        return;
    }
    if (!matrix->multiply) {
        memcpy(matrix->own_values + first * row_bytes, values, count * row_bytes);
        return;
    }
    for (size_t step; count; first += step, count -= step, from += step * row_bytes) {
        unsigned char *to = matrix->own_values + panels_at(first, k) * width;
        step = first % PANEL == 0 && count >= PANEL ? PANEL : 1;
        if (step == PANEL)
            panels_fill(matrix->type, to, from, PANEL, k);
        else
            for (size_t i = 0; i < k; i++) memcpy(to + i * PANEL * width, from + i * width, width);
    }
}

void matrix_get_row(const Matrix *matrix, size_t row, float *out)
{
    const size_t k = matrix->k, width = dtype_bytes(matrix->type);

    if (matrix->multiply_s8) {
        const int8_t *four = (const int8_t *)matrix->values + panels_s8_at(row, 0, k);
        const float scale = matrix->scales[row];
        for (size_t i = 0; i < k; i += PANELS_S8_FOUR, four += PANEL * PANELS_S8_FOUR)
            for (size_t j = 0; j < PANELS_S8_FOUR && i + j < k; j++) out[i + j] = (float)four[j] * scale;
    } else if (matrix->multiply) {
        const unsigned char *from = matrix->values + panels_at(row, k) * width;
        for (size_t i = 0; i < k; i++) out[i] = element_at(matrix->type, from, i * PANEL);
    } else {
        matrix->kernels->widen(matrix->type, matrix->values + row * k * width, k, out);
    }
}

size_t matrix_n(const Matrix *matrix)
{
    return matrix->n;
}

size_t matrix_k(const Matrix *matrix)
{
    return matrix->k;
}

size_t matrix_bytes(const Matrix *matrix)
{
    size_t scales =
        matrix->multiply_s8 ? matrix->n * sizeof *matrix->scales + padded(matrix->n) * sizeof *matrix->corrections : 0;

    return matrix->bytes + scales;
}

DType matrix_type(const Matrix *matrix)
{
    return matrix->type;
}

void matrix_parts(const Matrix *matrix, MatrixParts *out)
{
    *out = (MatrixParts){ .values = matrix->multiply || matrix->multiply_s8 ? matrix->values : NULL,
                          .bytes = matrix->bytes,
                          .scales = matrix->scales,
                          .corrections = matrix->corrections };
}

/* Copies panels to plain rows, for OpenBLAS. */
static bool copy_from_panels(Matrix *m, const unsigned char *panels)
{
    const size_t width = dtype_bytes(m->type);

    if (!allocate_values(m, NULL)) return false;
    for (size_t row = 0; row < m->n; row++)
        for (size_t i = 0; i < m->k; i++)
            memcpy(m->own_values + (row * m->k + i) * width, panels + (panels_at(row, m->k) + i * PANEL) * width,
                   width);
    return true;
}

static bool borrow_parts(Matrix *m, const MatrixParts *parts)
{
    if (!m->multiply && !m->multiply_s8) return copy_from_panels(m, parts->values);
    m->values = parts->values;
    if (!m->multiply_s8) return true;
    m->scales = parts->scales;
    m->corrections = parts->corrections;
    if (m->corrections) return true;
    if (!allocate_corrections(m)) return false;
    matrix_s8_correct((const int8_t *)m->values, 0, m->n, m->k, m->own_corrections);
    return true;
}

Status matrix_borrow(Matrix **out, size_t n, size_t k, DType type, const MatrixParts *parts, Err *err)
{
    Status st = new_empty(out, n, k, type, err);
    size_t expected;

    if (st != OK) return st;
    expected = type == DTYPE_S8 ? panels_s8_count(n, k) : panels_count(n, k) * dtype_bytes(type);
    if (parts->bytes != expected || (type == DTYPE_S8 && !parts->scales))
        st = err_set(err, ERR_FORMAT, "a matrix of %zu x %zu has %zu bytes, expected %zu%s", n, k, parts->bytes,
                     expected, type == DTYPE_S8 && !parts->scales ? " and scales" : "");
    else if (!borrow_parts(*out, parts))
        st = err_set(err, ERR_MEMORY, "out of memory for a matrix of %zu x %zu", n, k);
    if (st == OK) return OK;
    matrix_free(*out);
    *out = NULL;
    return st;
}

/* --- Gathered rows. --- */

/* Gathered matrices allocate memory for a multiple of this many rows. */
#define CAPACITY_STEP ((size_t)256)

struct MatrixRows {
    const Matrix *from;
    int8_t *values; /* [n, panels_s8_width(k)]; rows not in `copied` are unset; NULL unless from->type is DTYPE_S8 */
    bool *copied;   /* [n]; NULL like values */
};

/* `values` has room for all rows, but the system provides memory only for pages that are written. */
Status matrix_rows_new(MatrixRows **out, const Matrix *from, Err *err)
{
    MatrixRows *rows = calloc(1, sizeof *rows);

    *out = rows;
    if (!rows) return err_memory(err, "the output layer");
    rows->from = from;
    if (!from->multiply_s8) return OK;
    rows->values = aligned_alloc(PANELS_S8_K, from->n * panels_s8_width(from->k));
    rows->copied = calloc(from->n, sizeof *rows->copied);
    if (rows->values && rows->copied) return OK;
    matrix_rows_free(rows);
    *out = NULL;
    return err_memory(err, "the output layer");
}

void matrix_rows_free(MatrixRows *rows)
{
    if (!rows) return;
    free(rows->values);
    free(rows->copied);
    free(rows);
}

/* Creates an 8-bit matrix that lists indices of rows instead of containing the rows. */
static Status new_list(Matrix **out, const MatrixRows *rows, size_t capacity, Err *err)
{
    Matrix *m = *out = calloc(1, sizeof *m);

    if (!m) return err_memory(err, "the output layer");
    *m = (Matrix){ .k = rows->from->k,
                   .type = rows->from->type,
                   .multiply_s8 = listed_s8_at_level(cpu_level()),
                   .kernels = rows->from->kernels,
                   .values = (const unsigned char *)rows->values };
    m->ids = calloc(capacity, sizeof *m->ids);
    m->scales = m->own_scales = calloc(capacity, sizeof *m->own_scales);
    m->corrections = m->own_corrections = calloc(capacity, sizeof *m->own_corrections);
    return m->ids && m->scales && m->corrections ? OK : err_memory(err, "the output layer");
}

static Status reserve(Matrix **out, const MatrixRows *rows, size_t count, Err *err)
{
    const size_t capacity = (count + CAPACITY_STEP - 1) / CAPACITY_STEP * CAPACITY_STEP;
    Status st;

    if (*out && (*out)->capacity >= count) return OK;
    matrix_free(*out);
    *out = NULL;
    st = rows->values ? new_list(out, rows, capacity, err)
                      : matrix_new(out, capacity, rows->from->k, rows->from->type, err);
    if (st != OK) return st;
    if (!rows->values) memset((*out)->own_values, 0, (*out)->bytes);
    (*out)->capacity = capacity;
    if (matrix_emulation_reserve(*out, rows->from)) return OK;
    (*out)->capacity = 0; /* a later call allocates again */
    return err_memory(err, "the output layer");
}

Status matrix_gather(Matrix **out, MatrixRows *rows, const int32_t *ids, size_t count, Err *err)
{
    const Matrix *from = rows->from;
    const size_t k = from->k, width = dtype_bytes(from->type);
    const size_t step = PANEL * width; /* distance between the elements of a row in a panel */
    Status st = reserve(out, rows, count, err);
    Matrix *m = *out;

    if (st != OK) return st;
    m->n = count;
    for (size_t to = 0; rows->values && to < count; to++) { /* lists the rows */
        const size_t id = (size_t)ids[to], padded_k = panels_s8_width(k);
        const int8_t *in = (const int8_t *)from->values + panels_s8_at(id, 0, k);
        for (size_t i = 0; !rows->copied[id] && i < padded_k; i += PANELS_S8_FOUR)
            memcpy(rows->values + id * padded_k + i, in + i * PANEL, PANELS_S8_FOUR);
        rows->copied[id] = true;
        m->ids[to] = (int32_t)id;
        m->own_scales[to] = from->scales[id];
        m->own_corrections[to] = from->corrections[id];
        if (from->emulation) matrix_emulation_copy_row(m, to, from, id);
    }
    for (size_t to = 0; !rows->values && to < count; to++) { /* copies the rows */
        const size_t id = (size_t)ids[to];
        const unsigned char *in = from->values + (from->multiply ? panels_at(id, k) : id * k) * width;
        unsigned char *copy = m->own_values + (from->multiply ? panels_at(to, k) : to * k) * width;
        if (!from->multiply) memcpy(copy, in, k * width);
        for (size_t i = 0; from->multiply && i < k; i++) memcpy(copy + i * step, in + i * step, width);
    }
    return OK;
}

bool matrix_is_exact(void)
{
    return panels_get() != NULL;
}
