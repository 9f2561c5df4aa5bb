/* pack_matrix.c - see pack_matrix.h. */
#include "pack_matrix.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bind_matrix.h"
#include "kernels.h"
#include "matrix_s8.h"
#include "packed.h"
#include "panels.h"

/* Bytes of mapped file that may stay in memory. */
#define RELEASE_BYTES ((size_t)16 << 20)

const char *pack_matrix_type_name(DType type)
{
    static const char *const names[] = { [DTYPE_F32] = "F32", [DTYPE_F16] = "F16", [DTYPE_BF16] = "BF16" };

    return names[type];
}

/* Describes a tensor that belongs to an int8 matrix. */
static Status describe_part(const MatrixPacking *p, const StoredMatrix *m, const char *suffix, const char *type,
                            size_t count)
{
    char name[sizeof m->name + 16];

    snprintf(name, sizeof name, "%s%s", m->name.text, suffix);
    return pack_writer_describe(p->writer, name, type, 4, 1, &count, p->err);
}

static Status describe_multipliers(const MatrixPacking *p, const StoredMatrix *m)
{
    const Binder b = { .weights = p->weights, .err = p->err };
    char name[sizeof m->name + 16];
    PackedMultipliers all;
    Status st = bind_matrix_pack_multipliers(&b, &all, m);

    snprintf(name, sizeof name, "%s" PACKED_MULTIPLIER, m->name.text);
    return st == OK ? pack_writer_describe(p->writer, name, "F32", 4, all.rank, all.shape, p->err) : st;
}

Status pack_matrix_describe(const MatrixPacking *p, const StoredMatrix *m, DType type)
{
    const size_t panels = (m->n + PANEL - 1) / PANEL, shape[3] = { panels, m->k, PANEL };
    const size_t s8_shape[4] = { panels, panels_s8_width(m->k) / PANELS_S8_FOUR, PANEL, PANELS_S8_FOUR };
    Status st;

    if (type != DTYPE_S8)
        return pack_writer_describe(p->writer, m->name.text, pack_matrix_type_name(type), dtype_bytes(type), 3, shape,
                                    p->err);
    st = pack_writer_describe(p->writer, m->name.text, "I8", 1, 4, s8_shape, p->err);
    if (st == OK) st = describe_part(p, m, PACKED_SCALES, "F32", m->n);
    if (st == OK) st = describe_part(p, m, PACKED_CORRECTIONS, "I32", panels * PANEL);
    return st == OK && bind_matrix_is_marian(m) ? describe_multipliers(p, m) : st;
}

/* A panel of a matrix, and, for int8, the scales and corrections of all panels. */
typedef struct {
    const StoredMatrix *matrix;
    DType type;
    float *row;           /* [k], or more elements of a smaller type */
    uint8_t *row_scratch; /* [panels_s8_width(k)], for int8 */
    void *rows;           /* [PANEL, k] of matrix_source_type() */
    void *panel;          /* in the layout of the file */
    size_t panel_bytes;
    float *scales;        /* [n] */
    int32_t *corrections; /* [n rounded up to PANEL] */
} Panels;

static Status panels_allocate(Panels *a, const StoredMatrix *m, DType type, Err *err)
{
    const bool s8 = type == DTYPE_S8;
    const size_t count = s8 ? panels_s8_count(PANEL, m->k) : panels_count(PANEL, m->k);

    *a = (Panels){ .matrix = m, .type = type, .panel_bytes = count * dtype_bytes(type) };
    a->row = calloc(m->k, sizeof *a->row);
    a->row_scratch = calloc(panels_s8_width(m->k), 1);
    a->rows = calloc(PANEL, m->k * sizeof(float));
    a->panel = aligned_alloc(64, (a->panel_bytes + 63) / 64 * 64);
    a->scales = s8 ? calloc(m->n, sizeof *a->scales) : NULL;
    a->corrections = s8 ? calloc(panels_count(m->n, 1), sizeof *a->corrections) : NULL;
    if (a->row && a->row_scratch && a->rows && a->panel && (!s8 || (a->scales && a->corrections))) return OK;
    return err_memory(err, "rows of a matrix");
}

static void panels_free(Panels *a)
{
    free(a->row);
    free(a->row_scratch);
    free(a->rows);
    free(a->panel);
    free(a->scales);
    free(a->corrections);
}

/* Puts row `row` of an int8 matrix, which has been read into a->row, into its panel. */
static void place_s8_row(const Panels *a, const Tensor *t, size_t row, size_t part_row)
{
    const size_t k = a->matrix->k;

    if (bind_matrix_is_s8(t, a->type)) {
        matrix_s8_set_values(a->panel, row % PANEL, k, (const int8_t *)(const void *)a->row);
        a->scales[row] = bind_matrix_scale(t, part_row);
    } else {
        a->scales[row] = matrix_s8_set_row(a->panel, row % PANEL, k, a->row, kernels_get(), a->row_scratch);
    }
}

static Status read_rows(const MatrixPacking *p, const Panels *a, size_t first, size_t count)
{
    const Binder b = { .weights = p->weights, .err = p->err };
    const StoredMatrix *m = a->matrix;
    const size_t part_rows = m->n / m->count;
    Status st = OK;

    for (size_t i = 0; st == OK && i < count; i++) {
        const size_t row = first + i, part_row = row % part_rows;
        const Tensor *t = m->parts[row / part_rows];
        const DType type = bind_matrix_is_s8(t, a->type) ? DTYPE_S8 : matrix_source_type(a->type);
        st = bind_matrix_read(&b, t, part_row * m->k, m->k, type, a->row);
        if (st != OK) break;
        if (a->type == DTYPE_S8)
            place_s8_row(a, t, row, part_row);
        else
            memcpy((unsigned char *)a->rows + i * m->k * dtype_bytes(type), a->row, m->k * dtype_bytes(type));
    }
    return st;
}

/* Computes the panel of `count` rows from `first` on. */
static Status fill_panel(const MatrixPacking *p, const Panels *a, size_t first, size_t count)
{
    const size_t k = a->matrix->k;
    Status st;

    if (a->type == DTYPE_S8) memset(a->panel, 0, a->panel_bytes);
    st = read_rows(p, a, first, count);
    if (st != OK) return st;
    if (a->type == DTYPE_S8)
        matrix_s8_correct(a->panel, 0, count, k, a->corrections + first);
    else
        panels_fill(a->type, a->panel, a->rows, count, k);
    return OK;
}

/* Writes the matrix panel by panel. */
static Status write_panels(const MatrixPacking *p, const Panels *a)
{
    const StoredMatrix *m = a->matrix;
    size_t unreleased = 0;
    Status st = OK;

    for (size_t first = 0; st == OK && first < m->n; first += PANEL) {
        size_t count = m->n - first < PANEL ? m->n - first : PANEL;
        st = fill_panel(p, a, first, count);
        if (st != OK) break;
        st = pack_writer_write(p->writer, a->panel, a->panel_bytes, p->err);
        unreleased += count * m->k * sizeof(float);
        if (unreleased < RELEASE_BYTES && first + PANEL < m->n) continue;
        for (size_t i = 0; i < m->count; i++) weights_release(p->weights, m->parts[i]);
        unreleased = 0;
    }
    return st;
}

Status pack_matrix_write(const MatrixPacking *p, const StoredMatrix *m, DType type)
{
    const Binder b = { .weights = p->weights, .err = p->err };
    PackedMultipliers multipliers;
    Panels a;
    Status st = panels_allocate(&a, m, type, p->err);

    if (st == OK) st = write_panels(p, &a);
    if (st == OK && a.scales) st = pack_writer_write(p->writer, a.scales, m->n * sizeof *a.scales, p->err);
    if (st == OK && a.corrections)
        st = pack_writer_write(p->writer, a.corrections, panels_count(m->n, 1) * sizeof *a.corrections, p->err);
    if (st == OK && a.scales && bind_matrix_is_marian(m)) {
        st = bind_matrix_pack_multipliers(&b, &multipliers, m);
        if (st == OK) st = pack_writer_write(p->writer, multipliers.values, multipliers.count * sizeof(float), p->err);
    }
    panels_free(&a);
    return st;
}
