/* matrix_marian.c - 8-bit products as Marian's programs compute them (matrix.h).
 * Source   src/tensors/cpu/intgemm_interface.h of browsermt/marian-dev; the fused
 *          multiply-adds are what compilers make of it for AVX2 and AVX-512. */
#include <stdlib.h>

#include "matrix_fields.h"

_Static_assert(MATRIX_MARIAN_BLOCK % PANEL == 0, "a block begins with a panel");

Status matrix_follow_marian(Matrix *matrix, const float *multipliers, size_t parts, float x_multiplier, Err *err)
{
    MatrixMarian *m = &matrix->marian;

    m->used = true;
    m->x_multiplier = x_multiplier;
    m->multipliers = calloc(matrix->n, sizeof *m->multipliers);
    m->scales = calloc(matrix->n, sizeof *m->scales);
    if (!m->multipliers || !m->scales) return err_memory(err, "a matrix");
    for (size_t i = 0; i < matrix->n; i++) {
        m->multipliers[i] = multipliers[i / (matrix->n / parts)];
        m->scales[i] = 1.0f / (x_multiplier * m->multipliers[i]);
    }
    return OK;
}

bool matrix_follows_marian(const Matrix *matrix)
{
    return matrix->marian.used;
}

bool matrix_shares_x_multiplier(const Matrix *matrix)
{
    return matrix->marian.used && matrix->marian.x_multiplier == 0;
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
        matrix->own_corrections[i] /= 128;
        if (m->x_multiplier > 0)
            bias[i] = shifted_bias(-matrix->corrections[i], shift_of(m->x_multiplier, m->multipliers[i]), bias[i]);
    }
}

bool matrix_marian_reserve(Matrix *to, const Matrix *from)
{
    to->marian = (MatrixMarian){ .used = from->marian.used,
                                 .x_multiplier = from->marian.x_multiplier,
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

void matrix_marian_multiply(Team *team, MatrixScratch *scratch, size_t step, const Matrix *matrix,
                            const PanelsS8Product *product, float x_multiplier, const float *x,
                            const MatrixBlocks *blocks)
{
    const bool shares = matrix->marian.x_multiplier == 0;
    PanelsS8Product p = *product;

    p.fused = true;
    p.scales = matrix->marian.scales;
    if (!shares) {
        matrix_s8_multiply(team, scratch, step, matrix->multiply_s8, matrix->kernels, &p, matrix->marian.x_multiplier,
                           x, blocks);
        return;
    }
    if (x_multiplier == 0) x_multiplier = matrix_s8_multiplier(x, p.rows * p.k);
    p.scales = scratch->scales;
    p.bias = scratch->biases;
    for (size_t first = 0; first < product->n; first += MATRIX_MARIAN_BLOCK) {
        p.n = product->n - first < MATRIX_MARIAN_BLOCK ? product->n - first : MATRIX_MARIAN_BLOCK;
        p.panels = product->panels + panels_s8_at(first, 0, p.k);
        p.corrections = product->corrections + first;
        p.out = product->out + first;
        fill_block(matrix, x_multiplier, first, p.n, product->bias, scratch->scales, scratch->biases);
        matrix_s8_multiply(team, scratch, step, matrix->multiply_s8, matrix->kernels, &p, x_multiplier, x, NULL);
    }
}
