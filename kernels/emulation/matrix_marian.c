/* matrix_marian.c - 8-bit products as Marian's programs compute them (matrix.h).
 * Source   src/tensors/cpu/intgemm_interface.h of browsermt/marian-dev; the fused
 *          multiply-adds are what compilers make of it for AVX2 and AVX-512. */
#include <stdlib.h>
#include <string.h>

#include "matrix_fields.h"

_Static_assert(MATRIX_MARIAN_BLOCK % PANEL == 0, "a block begins with a panel");

/* How many parts of x there are to be rounded. */
static size_t count_parts(const float *x_multipliers, size_t parts)
{
    for (size_t i = 1; i < parts; i++)
        if (x_multipliers[i] != x_multipliers[0]) return parts;
    return 1;
}

/* That of row `row` of the matrix. */
static float x_multiplier_of(const Matrix *matrix, size_t row)
{
    const MatrixMarian *m = &matrix->marian;

    return m->x_multipliers[row / (matrix->n / m->parts)];
}

Status matrix_follow_marian(Matrix *matrix, const float *multipliers, const float *x_multipliers, size_t parts,
                            Err *err)
{
    MatrixMarian *m = &matrix->marian;

    m->used = true;
    m->parts = count_parts(x_multipliers, parts);
    memcpy(m->x_multipliers, x_multipliers, m->parts * sizeof *x_multipliers);
    m->multipliers = calloc(matrix->n, sizeof *m->multipliers);
    m->scales = calloc(matrix->n, sizeof *m->scales);
    if (!m->multipliers || !m->scales) return err_memory(err, "a matrix");
    for (size_t i = 0; i < matrix->n; i++) {
        m->multipliers[i] = multipliers[i / (matrix->n / parts)];
        m->scales[i] = 1.0f / (x_multiplier_of(matrix, i) * m->multipliers[i]);
    }
    return OK;
}

bool matrix_follows_marian(const Matrix *matrix)
{
    return matrix->marian.used;
}

bool matrix_shares_x_multiplier(const Matrix *matrix)
{
    return matrix->marian.used && matrix->marian.x_multipliers[0] == 0;
}

float matrix_x_multiplier(const float *x, size_t count)
{
    return matrix_s8_multiplier(x, count);
}

/* What each 1 in the sum of a row of the matrix adds to the bias. */
static float shift_of(float x_multiplier, float multiplier)
{
    return -((127.0f / x_multiplier) * (127.0f / multiplier)) / 127.0f;
}

/* sum * per_one + bias: the product is exact in f64, and what it is added to is rounded
 * there far behind f32's digits. */
static float shifted_bias(int32_t sum, float per_one, float bias)
{
    return (float)((double)sum * (double)per_one + (double)bias);
}

/* Numbers of x lie with 128 added: of that 127 stay. */
void matrix_shift_x(Matrix *matrix, size_t first, float *bias)
{
    MatrixMarian *m = &matrix->marian;

    m->shifts = true;
    m->first = first;
    for (size_t i = first; i < matrix->n; i++) {
        const float x_multiplier = x_multiplier_of(matrix, i);
        matrix->own_corrections[i] /= 128;
        if (x_multiplier > 0)
            bias[i] = shifted_bias(-matrix->corrections[i], shift_of(x_multiplier, m->multipliers[i]), bias[i]);
    }
}

bool matrix_marian_reserve(Matrix *to, const Matrix *from)
{
    to->marian = (MatrixMarian){ .used = from->marian.used,
                                 .parts = 1, /* tables have one */
                                 .x_multipliers = { from->marian.x_multipliers[0] },
                                 .shifts = from->marian.shifts };
    if (!to->marian.used) return true;
    to->marian.multipliers = calloc(to->room, sizeof(float));
    to->marian.scales = calloc(to->room, sizeof(float));
    return to->marian.multipliers && to->marian.scales;
}

void matrix_marian_copy_row(Matrix *to, size_t to_row, const Matrix *from, size_t row)
{
    to->marian.multipliers[to_row] = from->marian.multipliers[row];
    to->marian.scales[to_row] = from->marian.scales[row];
}

void matrix_marian_free(Matrix *matrix)
{
    free(matrix->marian.multipliers);
    free(matrix->marian.scales);
}

/* Scales and biases of outputs [first, first + count); multipliers change seldom. */
static void fill_block(const Matrix *matrix, float x_multiplier, size_t first, size_t count, const float *bias,
                       float *scales, float *biases)
{
    const MatrixMarian *m = &matrix->marian;
    float last = 0, scale = 0, shift = 0;

    for (size_t i = 0; i < count; i++) {
        const size_t at = first + i;
        if (m->multipliers[at] != last) {
            last = m->multipliers[at];
            scale = 1.0f / (x_multiplier * last);
            shift = shift_of(x_multiplier, last);
        }
        scales[i] = scale;
        biases[i] = bias ? bias[at] : 0;
        if (m->shifts && at >= m->first) biases[i] = shifted_bias(-matrix->corrections[at], shift, biases[i]);
    }
}

/* Outputs [first, first + count) of a product; `first` is the first one of a panel. */
static PanelsS8Product outputs_of(const PanelsS8Product *product, size_t first, size_t count)
{
    PanelsS8Product p = *product;

    p.n = count;
    p.panels += panels_s8_at(first, 0, p.k);
    p.corrections += first;
    p.out += first;
    return p;
}

/* Each part of the outputs with its x_multiplier. */
static void multiply_parts(Team *team, MatrixScratch *scratch, size_t step, const Matrix *matrix,
                           const PanelsS8Product *product, const float *x, const MatrixBlocks *blocks)
{
    const MatrixMarian *m = &matrix->marian;
    const size_t count = product->n / m->parts;

    for (size_t i = 0; i < m->parts; i++) {
        PanelsS8Product p = outputs_of(product, i * count, count);
        p.scales = m->scales + i * count;
        if (p.bias) p.bias += i * count;
        matrix_s8_multiply(team, scratch, step, matrix->multiply_s8, matrix->kernels, &p, m->x_multipliers[i], x,
                           blocks);
    }
}

void matrix_marian_multiply(Team *team, MatrixScratch *scratch, size_t step, const Matrix *matrix,
                            const PanelsS8Product *product, float x_multiplier, const float *x,
                            const MatrixBlocks *blocks)
{
    PanelsS8Product all = *product;

    all.fused = true;
    if (!matrix_shares_x_multiplier(matrix)) {
        multiply_parts(team, scratch, step, matrix, &all, x, blocks);
        return;
    }
    if (x_multiplier == 0) x_multiplier = matrix_s8_multiplier(x, all.rows * all.k);
    for (size_t first = 0; first < all.n; first += MATRIX_MARIAN_BLOCK) {
        PanelsS8Product p =
            outputs_of(&all, first, all.n - first < MATRIX_MARIAN_BLOCK ? all.n - first : MATRIX_MARIAN_BLOCK);
        p.scales = scratch->scales;
        p.bias = scratch->biases;
        fill_block(matrix, x_multiplier, first, p.n, product->bias, scratch->scales, scratch->biases);
        matrix_s8_multiply(team, scratch, step, matrix->multiply_s8, matrix->kernels, &p, x_multiplier, x, NULL);
    }
}
