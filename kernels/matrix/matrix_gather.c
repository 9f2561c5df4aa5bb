/* matrix_gather.c - matrix_gather() of matrix.h. */
#include <stdlib.h>
#include <string.h>

#include "listed_s8.h"
#include "matrix.h"
#include "matrix_fields.h"

/* Gathered matrices allocate memory for a multiple of this many rows. */
#define CAPACITY_STEP ((size_t)256)

struct MatrixRows {
    const Matrix *from;
    int8_t *values; /* [n, panels_s8_width(k)], set where `copied` is; NULL unless from->type is DTYPE_S8 */
    bool *copied;   /* [n]; NULL like values */
};

/* `values` has room for all rows, but the system provides only the pages that are written to. */
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

/* Lists row `id` as row `to` of m. */
static void list_row(Matrix *m, size_t to, MatrixRows *rows, size_t id)
{
    const Matrix *from = rows->from;

    if (!rows->copied[id])
        matrix_s8_copy_row((const int8_t *)from->values, id, from->k, rows->values + id * panels_s8_width(from->k));
    rows->copied[id] = true;
    m->ids[to] = (int32_t)id;
    m->own_scales[to] = from->scales[id];
    m->own_corrections[to] = from->corrections[id];
    if (from->emulation) matrix_emulation_copy_row(m, to, from, id);
}

/* Copies row `row` of `from` to row `to` of m. */
static void copy_row(Matrix *m, size_t to, const Matrix *from, size_t row)
{
    const size_t k = m->k, width = dtype_bytes(m->type);

    if (m->multiply) {
        unsigned char *out = m->own_values + panels_at(to, k) * width;
        const unsigned char *in = from->values + panels_at(row, k) * width;
        for (size_t i = 0; i < k; i++) memcpy(out + i * PANEL * width, in + i * PANEL * width, width);
    } else {
        memcpy(m->own_values + to * k * width, from->values + row * k * width, k * width);
    }
}

/* Creates an 8-bit matrix that lists rows. */
static Status new_list(Matrix **out, const MatrixRows *rows, size_t capacity, Err *err)
{
    Matrix *m = *out = calloc(1, sizeof *m);

    if (!m) return err_memory(err, "the output layer");
    *m = (Matrix){ .k = rows->from->k,
                   .type = rows->from->type,
                   .multiply_s8 = listed_s8_get(),
                   .kernels = rows->from->kernels,
                   .values = (const unsigned char *)rows->values };
    m->ids = calloc(capacity, sizeof *m->ids);
    m->scales = m->own_scales = calloc(capacity, sizeof *m->own_scales);
    m->corrections = m->own_corrections = calloc(capacity, sizeof *m->own_corrections);
    return m->ids && m->scales && m->corrections ? OK : err_memory(err, "the output layer");
}

static Status new_copy(Matrix **out, const MatrixRows *rows, size_t capacity, Err *err)
{
    Status st = matrix_new(out, capacity, rows->from->k, rows->from->type, err);

    if (st == OK) memset((*out)->own_values, 0, (*out)->bytes);
    return st;
}

static Status reserve(Matrix **out, const MatrixRows *rows, size_t count, Err *err)
{
    const size_t capacity = (count + CAPACITY_STEP - 1) / CAPACITY_STEP * CAPACITY_STEP;
    Status st;

    if (*out && (*out)->capacity >= count) return OK;
    matrix_free(*out);
    *out = NULL;
    st = rows->values ? new_list(out, rows, capacity, err) : new_copy(out, rows, capacity, err);
    if (st != OK) return st;
    (*out)->capacity = capacity;
    if (matrix_emulation_reserve(*out, rows->from)) return OK;
    (*out)->capacity = 0; /* so that a later call starts again */
    return err_memory(err, "the output layer");
}

Status matrix_gather(Matrix **out, MatrixRows *rows, const int32_t *ids, size_t count, Err *err)
{
    Status st = reserve(out, rows, count, err);

    if (st != OK) return st;
    (*out)->n = count;
    for (size_t i = 0; i < count; i++)
        if (rows->values)
            list_row(*out, i, rows, (size_t)ids[i]);
        else
            copy_row(*out, i, rows->from, (size_t)ids[i]);
    return OK;
}
