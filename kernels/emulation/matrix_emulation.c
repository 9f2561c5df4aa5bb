/* matrix_emulation.c - see matrix_emulation.h.
 * Source   src/tensors/cpu/intgemm_interface.h of browsermt/marian-dev, with the fused
 *          multiply-adds that compilers generate for it on AVX2 and AVX-512. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "matrix_emulation.h"
#include "matrix_fields.h"

_Static_assert(MATRIX_SCALES_TOGETHER % PANEL == 0, "a block begins with a panel");

/* The largest multiplier of x. A row that would need a larger one is quantized to zeros. */
#define LARGEST 127e36f

struct MatrixEmulation {
    RowRounding rounding; /* set by matrix_round_x(); the other fields are used only if it is ROWS_UNROUNDED */
    size_t parts;         /* parts of x with separate quantization; 1 if all have the same x_multiplier */
    float x_multipliers[MATRIX_MAX_PARTS]; /* 0: computed from all rows of a call */
    float *multipliers;                    /* [n], multipliers of the rows of the matrix */
    float *scales;                         /* [n], 1 / (x_multiplier * multipliers) unless x_multiplier is 0 */
    bool shifts;                           /* whether 127 is added to values of x for some outputs */
    size_t first;                          /* the first of these outputs */
    int32_t *signed_corrections;           /* [n rounded up to PANEL], see panels_s8.h */
};

static MatrixEmulation *new_emulation(size_t n)
{
    MatrixEmulation *m = calloc(1, sizeof *m);

    if (!m) return NULL;
    m->parts = 1;
    m->multipliers = calloc(n, sizeof *m->multipliers);
    m->scales = calloc(n, sizeof *m->scales);
    m->signed_corrections = calloc(panels_count(n, 1), sizeof *m->signed_corrections);
    if (m->multipliers && m->scales && m->signed_corrections) return m;
    free(m->multipliers);
    free(m->scales);
    free(m->signed_corrections);
    free(m);
    return NULL;
}

/* Compares bit patterns: those of positive floats have the same order as the values. */
float matrix_x_multiplier(const float *x, size_t count)
{
    uint32_t largest = 0;
    float value;

    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, x + i, sizeof bits);
        bits &= 0x7fffffffu;
        largest = bits > largest ? bits : largest;
    }
    memcpy(&value, &largest, sizeof value);
    return value == 0 ? 1 : 127.0f / value;
}

/* Like quantize() of kernels.h, but rounds towards minus infinity, because CTranslate2 adds 128 and then truncates.
 * Compilers fuse the multiplication and the addition, so the sum is rounded to f32 once. In double the product is
 * exact. */
static float round_down(const Kernels *kernels, float multiplier, const float *x, size_t k, size_t width, uint8_t *out)
{
    const float scale = matrix_x_multiplier(x, k);

    (void)kernels;
    (void)multiplier;
    memset(out, 128, width);
    if (scale > LARGEST) return 0;
    for (size_t i = 0; i < k; i++) {
        const float v = (float)((double)x[i] * (double)scale + 128.0);
        out[i] = (uint8_t)(int32_t)(v > 0 ? v < 255.0f ? v : 255.0f : 0.0f);
    }
    return 1.0f / scale;
}

static float round_by(const Kernels *kernels, float multiplier, const float *x, size_t k, size_t width, uint8_t *out)
{
    kernels->quantize_by(multiplier, x, k, width, out);
    return 1;
}

Status matrix_round_x(Matrix *matrix, RowRounding rounding, Err *err)
{
    if (rounding == ROWS_UNROUNDED || matrix->emulation) return OK;
    matrix->emulation = calloc(1, sizeof *matrix->emulation);
    if (!matrix->emulation) return err_memory(err, "a matrix");
    *matrix->emulation = (MatrixEmulation){ .rounding = rounding, .parts = 1 };
    return OK;
}

bool matrix_emulation_rounds(const Matrix *matrix)
{
    const RowRounding rounding = matrix->emulation->rounding;

    return rounding == ROWS_TO_THOUSANDTHS || rounding == ROWS_TRUNCATED_TO_THOUSANDTHS;
}

void matrix_emulation_round(const Matrix *matrix, const float *x, size_t count, float *out)
{
    for (size_t i = 0; i < count; i++) {
        float v = x[i] * 1000.0f;
        v = matrix->emulation->rounding == ROWS_TO_THOUSANDTHS ? nearbyintf(v) : truncf(v);
        v = v < 32767.0f ? v : 32767.0f;
        out[i] = (v > -32768.0f ? v : -32768.0f) / 1000.0f;
    }
}

/* Returns the x_multiplier of row `row` of the matrix. */
static float x_multiplier_of(const Matrix *matrix, size_t row)
{
    const MatrixEmulation *m = matrix->emulation;

    return m->x_multipliers[row / (matrix->n / m->parts)];
}

Status matrix_emulate_marian(Matrix *matrix, const float *multipliers, const float *x_multipliers, size_t parts,
                             Err *err)
{
    MatrixEmulation *m = new_emulation(matrix->n);

    if (!m) return err_memory(err, "a matrix");
    matrix->emulation = m;
    for (size_t i = 1; i < parts; i++) /* x is quantized for each part if their multipliers differ */
        if (x_multipliers[i] != x_multipliers[0]) m->parts = parts;
    memcpy(m->x_multipliers, x_multipliers, m->parts * sizeof *x_multipliers);
    for (size_t i = 0; i < matrix->n; i++) {
        m->multipliers[i] = multipliers[i / (matrix->n / parts)];
        m->scales[i] = 1.0f / (x_multiplier_of(matrix, i) * m->multipliers[i]);
    }
    return OK;
}

bool matrix_emulates_marian(const Matrix *matrix)
{
    return matrix->emulation && matrix->emulation->rounding == ROWS_UNROUNDED;
}

bool matrix_shares_x_multiplier(const Matrix *matrix)
{
    return matrix_emulates_marian(matrix) && matrix->emulation->x_multipliers[0] == 0;
}

/* Returns what is added to the bias for each unit in the sum of a row of the matrix. */
static float shift_of(float x_multiplier, float multiplier)
{
    return -((127.0f / x_multiplier) * (127.0f / multiplier)) / 127.0f;
}

/* sum * per_one + bias, rounded to f32 once: in f64 the product is exact and the sum has many more
 * digits than an f32. */
static float shifted_bias(int32_t sum, float per_one, float bias)
{
    return (float)((double)sum * (double)per_one + (double)bias);
}

/* The stored values of x already have 128 added. To keep 127 of that, the correction of each row becomes -1 times its
 * sum instead of -128 times. */
void matrix_shift_x(Matrix *matrix, size_t first, float *bias)
{
    MatrixEmulation *m = matrix->emulation;

    m->shifts = true;
    m->first = first;
    for (size_t i = first; i < matrix->n; i++) {
        const float x_multiplier = x_multiplier_of(matrix, i);
        matrix->own_corrections[i] /= 128;
        m->signed_corrections[i] = -127 * matrix->corrections[i];
        if (x_multiplier > 0)
            bias[i] = shifted_bias(-matrix->corrections[i], shift_of(x_multiplier, m->multipliers[i]), bias[i]);
    }
}

bool matrix_emulation_has_blocks(const Matrix *matrix)
{
    return !matrix_shares_x_multiplier(matrix) && matrix->emulation->parts == 1 && !matrix_emulation_rounds(matrix);
}

/* Only embedding matrices are gathered, and they have one part. */
bool matrix_emulation_reserve(Matrix *to, const Matrix *from)
{
    if (!from->emulation) return true;
    to->emulation = new_emulation(to->capacity);
    if (!to->emulation) return false;
    to->emulation->rounding = from->emulation->rounding;
    to->emulation->x_multipliers[0] = from->emulation->x_multipliers[0];
    to->emulation->shifts = from->emulation->shifts;
    return true;
}

void matrix_emulation_copy_row(Matrix *to, size_t to_row, const Matrix *from, size_t row)
{
    if (!matrix_emulates_marian(from)) return;
    to->emulation->multipliers[to_row] = from->emulation->multipliers[row];
    to->emulation->scales[to_row] = from->emulation->scales[row];
    to->emulation->signed_corrections[to_row] = from->emulation->signed_corrections[row];
}

void matrix_emulation_free(Matrix *matrix)
{
    if (!matrix->emulation) return;
    free(matrix->emulation->multipliers);
    free(matrix->emulation->scales);
    free(matrix->emulation->signed_corrections);
    free(matrix->emulation);
}

/* Computes scales and biases of outputs [first, first + count). Neighbouring outputs mostly have the same multiplier,
 * so its scale is computed once. */
static void fill_block(const Matrix *matrix, float x_multiplier, size_t first, size_t count, const float *bias,
                       float *scales, float *biases)
{
    const MatrixEmulation *m = matrix->emulation;
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

MatrixS8Rounding matrix_emulation_set(const Matrix *matrix, PanelsS8Matmul *matmul)
{
    const MatrixEmulation *m = matrix->emulation;

    if (!matrix_emulates_marian(matrix))
        return (MatrixS8Rounding){ m->rounding == ROWS_DOWN ? round_down : matrix_s8_round, 0 };
    if (m->shifts) matmul->signed_corrections = m->signed_corrections;
    matmul->fused = true;
    matmul->scales = m->scales;
    return (MatrixS8Rounding){ round_by, m->x_multipliers[0] };
}

void matrix_emulation_multiply(Team *team, MatrixScratch *scratch, size_t step, const Matrix *matrix,
                               const PanelsS8Matmul *matmul, float x_multiplier, const float *x,
                               const MatrixBlocks *blocks)
{
    const MatrixEmulation *m = matrix->emulation;
    PanelsS8Matmul all = *matmul;
    MatrixS8Rounding rounding = matrix_emulation_set(matrix, &all);

    if (!matrix_shares_x_multiplier(matrix)) { /* each part of the outputs has a separate x_multiplier */
        const size_t count = all.n / m->parts;
        for (size_t i = 0; i < m->parts; i++) {
            PanelsS8Matmul p = panels_s8_outputs(&all, i * count, count);
            p.out += i * count;
            rounding.multiplier = m->x_multipliers[i];
            matrix_s8_multiply(team, scratch, step, matrix->multiply_s8, matrix->kernels, &p, rounding, x, blocks);
        }
        return;
    }
    if (x_multiplier == 0) x_multiplier = matrix_x_multiplier(x, all.rows * all.k);
    rounding.multiplier = x_multiplier;
    for (size_t first = 0; first < all.n; first += MATRIX_SCALES_TOGETHER) {
        PanelsS8Matmul p = panels_s8_outputs(&all, first, MATRIX_SCALES_TOGETHER);
        p.out += first;
        p.scales = scratch->scales;
        p.bias = scratch->biases;
        fill_block(matrix, x_multiplier, first, p.n, matmul->bias, scratch->scales, scratch->biases);
        matrix_s8_multiply(team, scratch, step, matrix->multiply_s8, matrix->kernels, &p, rounding, x, NULL);
    }
}
