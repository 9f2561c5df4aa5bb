/* matrix.c - see matrix.h. */
#include "matrix.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gemm.h"
#include "kernels.h"
#include "panels.h"

/* A team's share of a product comes in about so many parts, each of a multiple
 * of so many outputs: the widest tile of the kernels. */
#define PARTS_PER_MEMBER ((size_t)4)
#define TILE_OUTPUTS     (8 * PANEL)

struct Matrix {
    size_t n, k;
    NumberType type;
    PanelsMultiply *multiply; /* NULL: plain rows, multiplied by OpenBLAS */
    const Kernels *kernels;   /* for widening */
    size_t bytes;
    unsigned char *numbers; /* aligned to 64 bytes */
};

/* Widened numbers: 256 kB of the stack, which stay in the second-level cache. */
#define BLOCK MATRIX_16BIT_MAX_K

_Static_assert(MATRIX_ROWS_TOGETHER == PANEL, "a panel is set at once");

/* OpenBLAS counts in int. */
#define MAX_SIDE ((size_t)INT32_MAX)

static bool is_possible(size_t n, size_t k, NumberType type)
{
    if (!n || !k || n > MAX_SIDE - PANEL || k > MAX_SIDE || n + PANEL > SIZE_MAX / 8 / k) return false;
    return type == NUMBER_F32 || k <= MATRIX_16BIT_MAX_K;
}

Status matrix_new(Matrix **out, size_t n, size_t k, NumberType type, Err *err)
{
    Matrix *m = NULL;

    *out = NULL;
    if (!is_possible(n, k, type))
        return err_set(err, ERR_UNSUPPORTED, "a matrix of %zu x %zu is beyond what dragoman computes with", n, k);
    m = calloc(1, sizeof *m);
    if (m) {
        *m = (Matrix){ .n = n, .k = k, .type = type, .multiply = panels_get(), .kernels = kernels_get() };
        m->bytes = (m->multiply ? panels_count(n, k) : n * k) * number_bytes(type);
        m->numbers = aligned_alloc(64, (m->bytes + 63) / 64 * 64);
    }
    if (!m || !m->numbers) {
        free(m);
        return err_set(err, ERR_MEMORY, "out of memory for a matrix of %zu x %zu", n, k);
    }
    /* what fills up the last panel */
    if (m->multiply && n % PANEL)
        memset(m->numbers + (n - n % PANEL) * k * number_bytes(type), 0, PANEL * k * number_bytes(type));
    *out = m;
    return OK;
}

void matrix_free(Matrix *matrix)
{
    if (!matrix) return;
    free(matrix->numbers);
    free(matrix);
}

/* panel[i][j] = rows[j][i] for a whole panel. */
static void set_panel(NumberType type, void *panel, const void *rows, size_t k)
{
    const uint32_t *from32 = rows;
    const uint16_t *from16 = rows;
    uint32_t *to32 = panel;
    uint16_t *to16 = panel;

    if (type == NUMBER_F32)
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < PANEL; j++) to32[i * PANEL + j] = from32[j * k + i];
    else
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < PANEL; j++) to16[i * PANEL + j] = from16[j * k + i];
}

static void set_row(const Matrix *m, size_t row, const unsigned char *numbers)
{
    const size_t width = number_bytes(m->type);
    unsigned char *to = m->numbers + panels_at(row, m->k) * width;

    for (size_t i = 0; i < m->k; i++) memcpy(to + i * PANEL * width, numbers + i * width, width);
}

void matrix_set_rows(Matrix *matrix, size_t first, size_t count, const void *numbers)
{
    const size_t row_bytes = matrix->k * number_bytes(matrix->type);
    const unsigned char *from = numbers;

    if (!matrix->multiply) {
        memcpy(matrix->numbers + first * row_bytes, numbers, count * row_bytes);
        return;
    }
    while (count) {
        size_t step = first % PANEL == 0 && count >= PANEL ? PANEL : 1;
        if (step == PANEL)
            set_panel(matrix->type, matrix->numbers + first * row_bytes, from, matrix->k);
        else
            set_row(matrix, first, from);
        first += step;
        count -= step;
        from += step * row_bytes;
    }
}

void matrix_get_row(const Matrix *matrix, size_t row, float *out)
{
    const size_t k = matrix->k, width = number_bytes(matrix->type);

    if (matrix->multiply) {
        const unsigned char *from = matrix->numbers + panels_at(row, k) * width;
        for (size_t i = 0; i < k; i++) out[i] = number_at(matrix->type, from, i * PANEL);
    } else {
        matrix->kernels->widen(matrix->type, matrix->numbers + row * k * width, k, out);
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
    return matrix->bytes;
}

NumberType matrix_type(const Matrix *matrix)
{
    return matrix->type;
}

/* As many plain rows as fit into BLOCK are widened and multiplied at a time. */
static void multiply_16bit(const Matrix *matrix, size_t rows, const float *x, const float *bias, float *out)
{
    const size_t n = matrix->n, k = matrix->k, step = BLOCK / k, row_bytes = k * number_bytes(matrix->type);
    float block[BLOCK];

    for (size_t at = 0; at < n; at += step) {
        size_t count = n - at < step ? n - at : step;
        matrix->kernels->widen(matrix->type, matrix->numbers + at * row_bytes, count * k, block);
        gemm_multiply(count, k, block, rows, x, bias ? bias + at : NULL, out + at, n);
    }
}

/* A product's operands. */
typedef struct {
    const Matrix *matrix;
    size_t rows;
    const float *x, *bias;
    float *out;
    size_t step; /* outputs in a part of a team's work */
} Product;

/* The outputs from `first`, the first one of a panel, on. */
static void multiply_panels(const Product *p, size_t first, size_t count)
{
    const Matrix *m = p->matrix;

    m->multiply(&(PanelsProduct){ .type = m->type,
                                  .panels = m->numbers + panels_at(first, m->k) * number_bytes(m->type),
                                  .n = count,
                                  .k = m->k,
                                  .rows = p->rows,
                                  .x = p->x,
                                  .ldx = m->k,
                                  .bias = p->bias ? p->bias + first : NULL,
                                  .out = p->out + first,
                                  .ldo = m->n });
}

void matrix_multiply(const Matrix *matrix, size_t rows, const float *x, const float *bias, float *out)
{
    if (!rows) return;
    if (matrix->multiply)
        multiply_panels(&(Product){ matrix, rows, x, bias, out, 0 }, 0, matrix->n);
    else if (matrix->type == NUMBER_F32)
        gemm_multiply(matrix->n, matrix->k, (const float *)(const void *)matrix->numbers, rows, x, bias, out,
                      matrix->n);
    else
        multiply_16bit(matrix, rows, x, bias, out);
}

static void multiply_part(void *context, size_t part, size_t member)
{
    const Product *p = context;
    size_t first = part * p->step, left = p->matrix->n - first;

    (void)member;
    multiply_panels(p, first, left < p->step ? left : p->step);
}

/* Enough parts for members that come late or are slow, in whole tiles. */
static size_t part_outputs(const Team *team, size_t n)
{
    size_t even = n / (PARTS_PER_MEMBER * team_members(team));

    return (even / TILE_OUTPUTS + 1) * TILE_OUTPUTS;
}

void matrix_multiply_by(Team *team, const Matrix *matrix, size_t rows, const float *x, const float *bias, float *out)
{
    Team *by = matrix->multiply ? team_for(team, rows * matrix->n * matrix->k) : NULL;
    Product p = { matrix, rows, x, bias, out, part_outputs(by, matrix->n) };

    if (by)
        team_run(by, (matrix->n + p.step - 1) / p.step, multiply_part, &p);
    else
        matrix_multiply(matrix, rows, x, bias, out);
}

const char *matrix_product_name(void)
{
    PanelsMultiply *multiply = panels_get();

    if (!multiply) return gemm_name();
    if (multiply == panels_multiply_scalar) return "panels, scalar";
    return strcmp(kernels_get()->level, "avx512") == 0 ? "panels, avx512" : "panels, avx2";
}

bool matrix_is_exact(void)
{
    return panels_get() != NULL;
}
