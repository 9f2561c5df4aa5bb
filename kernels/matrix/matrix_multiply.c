/* matrix_multiply.c - the matmuls of matrix.h, their levels and their scratch memory. */
#include <assert.h>
#include <stdlib.h>

#include "cpu.h"
#include "gemm.h"
#include "matrix.h"
#include "matrix_fields.h"

/* Each thread's share of a matmul is split into about this many parts. Each part is a multiple of
 * TILE_OUTPUTS outputs, the widest tile of the kernels. */
#define PARTS_PER_THREAD ((size_t)4)
#define TILE_OUTPUTS     (8 * PANEL)

/* An 8-bit multiplication is at least this many times as fast as one in f32. */
#define S8_SPEED ((size_t)4)

Status matrix_scratch_new(MatrixScratch **out, Err *err)
{
    *out = aligned_alloc(_Alignof(MatrixScratch), sizeof **out);
    return *out ? OK : err_memory(err, "matrix multiplication");
}

void matrix_scratch_free(MatrixScratch *scratch)
{
    free(scratch);
}

const char *matrix_kernel_level(DType type)
{
    const CpuLevel level = cpu_level();

    if (type == DTYPE_S8) return cpu_level_name(level);
    if (!panels_get()) return gemm_name();
    return cpu_level_name(level >= CPU_AVX512 ? CPU_AVX512
                          : level >= CPU_AVX2 ? CPU_AVX2
                          : level >= CPU_NEON ? CPU_NEON
                                              : CPU_SCALAR);
}

/* The operands of a matmul. */
typedef struct {
    const Matrix *matrix;
    size_t rows;
    const float *x, *bias;
    float *out; /* [rows, outputs], rows `ldo` apart */
    size_t first, outputs, ldo;
    size_t step; /* outputs per part of a team's work */
} Matmul;

/* Computes `count` outputs from `first` on, which is the first output of a panel. */
static void multiply_panels(const Matmul *p, size_t first, size_t count)
{
    const Matrix *m = p->matrix;

    m->multiply(&(PanelsMatmul){ .type = m->type,
                                 .panels = m->values + panels_at(first, m->k) * dtype_bytes(m->type),
                                 .n = count,
                                 .k = m->k,
                                 .rows = p->rows,
                                 .x = p->x,
                                 .ldx = m->k,
                                 .bias = p->bias ? p->bias + first : NULL,
                                 .out = p->out + (first - p->first),
                                 .ldo = p->ldo });
}

/* Returns the number of outputs per part: whole tiles, but so few that no slow thread delays the others for long. */
static size_t part_outputs(const Team *team, size_t n)
{
    size_t even = n / (PARTS_PER_THREAD * team_threads(team));

    return (even / TILE_OUTPUTS + 1) * TILE_OUTPUTS;
}

/* Returns the operands of a matmul, without x. */
static PanelsS8Matmul s8_matmul(const Matrix *m, size_t rows, const float *bias, float *out, size_t ldo)
{
    return (PanelsS8Matmul){ .panels = (const int8_t *)m->values,
                             .scales = m->scales,
                             .corrections = m->corrections,
                             .n = m->n,
                             .k = m->k,
                             .rows = rows,
                             .bias = bias,
                             .out = out,
                             .ldo = ldo,
                             .ids = m->ids };
}

static void multiply_s8(Team *team, MatrixScratch *scratch, const Matrix *m, float x_multiplier, size_t rows,
                        const float *x, const float *bias, const MatrixBlocks *blocks, float *out)
{
    const PanelsS8Matmul matmul = s8_matmul(m, rows, bias, out, blocks ? blocks->block.stride : m->n);

    if (m->emulation)
        matrix_emulation_multiply(team, scratch, part_outputs(team, matmul.ldo), m, &matmul, x_multiplier, x, blocks);
    else
        matrix_s8_multiply(team, scratch, part_outputs(team, matmul.ldo), m->multiply_s8, m->kernels, &matmul,
                           (MatrixS8Rounding){ matrix_s8_round, 0 }, x, blocks);
}

/* --- Products with gathered matrices.
 * A sentence's shortlist lists a few percent of the rows of the output layer, and every step reads all of them. The
 * listed rows of all sentences in flight are larger than a second-level cache, but many are in several lists. So all
 * sentences multiply the rows of one range of ids before those of the next range: all but the first sentence that
 * lists a row read it from the cache. */

/* The number of bytes of rows that a product multiplies in one range on average. */
#define RANGE_BYTES ((size_t)16 << 10)

size_t matrix_gathered_rows(const Matrix *matrix)
{
    return matrix->ids ? matrix_block_rows(matrix) : 0;
}

/* Returns the length of the ranges of ids. */
static size_t range_length(const GatheredMatmul *products, size_t count)
{
    const size_t width = panels_s8_width(products->matrix->k);
    const size_t per_range = RANGE_BYTES / width > PANEL ? RANGE_BYTES / width : PANEL;
    size_t listed = 1, last = 0; /* at least 1, because it is a divisor */

    for (size_t i = 0; i < count; i++) {
        const Matrix *m = products[i].matrix;
        const size_t largest = (size_t)m->ids[m->n - 1];
        listed += m->n;
        last = largest > last ? largest : last;
    }
    return (last + 1) * per_range * count / listed + 1;
}

/* Whole panels of outputs are multiplied: those whose first id is in the range. */
void matrix_multiply_gathered(MatrixScratch *scratch, const GatheredMatmul *products, size_t count, const float *x)
{
    const size_t k = products->matrix->k, width = panels_s8_width(k), ldx = panels_s8_stride(k);
    const size_t range = range_length(products, count);
    PanelsS8Matmul left[MATRIX_MOST_GATHERED];
    size_t running = count, row = 0;

    for (size_t i = 0; i < count; i++) {
        const Matrix *m = products[i].matrix;
        MatrixS8Rounding rounding = { matrix_s8_round, 0 };
        left[i] = s8_matmul(m, products[i].rows, products[i].bias, products[i].out, m->n);
        if (m->emulation) rounding = matrix_emulation_set(m, &left[i]);
        left[i].x = scratch->block.x + row * ldx;
        left[i].ldx = ldx;
        left[i].x_scales = scratch->x_scales + row;
        for (size_t r = 0; r < products[i].rows; r++, row++)
            scratch->x_scales[row] =
                rounding.round(m->kernels, rounding.multiplier, x + row * k, k, width, scratch->block.x + row * ldx);
    }
    for (size_t end = range; running; end += range)
        for (size_t i = 0; i < count; i++) {
            PanelsS8Matmul part = left[i];
            size_t outputs = 0;
            while (outputs < part.n && (size_t)part.ids[outputs] < end) outputs += PANEL;
            if (!outputs) continue;
            if (outputs < part.n) {
                left[i] = panels_s8_outputs(&part, outputs, part.n);
                left[i].out += outputs;
                part.n = outputs;
            } else {
                left[i].n = 0;
                running--;
            }
            products[i].matrix->multiply_s8(&part);
        }
}

/* Multiplies plain rows with OpenBLAS. Widens as many 16-bit rows at a time as fit into the scratch memory, which stays
 * in the second-level cache. */
static void multiply_plain(MatrixScratch *scratch, const Matrix *matrix, size_t rows, const float *x, const float *bias,
                           float *out)
{
    const size_t n = matrix->n, k = matrix->k, row_bytes = k * dtype_bytes(matrix->type);
    const bool is_f32 = matrix->type == DTYPE_F32;
    const size_t step = is_f32 ? n : MATRIX_16BIT_MAX_K / k;

    for (size_t at = 0; at < n; at += step) {
        const size_t count = n - at < step ? n - at : step;
        const unsigned char *values = matrix->values + at * row_bytes;
        if (!is_f32) matrix->kernels->widen(matrix->type, values, count * k, scratch->block.widened);
        gemm_multiply(count, k, is_f32 ? (const float *)(const void *)values : scratch->block.widened, rows, x,
                      bias ? bias + at : NULL, out + at, n);
    }
}

static void multiply_part(void *context, size_t part, size_t thread)
{
    const Matmul *p = context;
    size_t at = part * p->step, left = p->outputs - at;

    (void)thread;
    multiply_panels(p, p->first + at, left < p->step ? left : p->step);
}

static void multiply_rows(Team *team, MatrixScratch *scratch, const Matrix *matrix, size_t rows, const float *x,
                          const float *bias, float *out)
{
    const size_t work = rows * matrix->n * matrix->k;
    Team *by = matrix->multiply ? team_for(team, work) : NULL;
    Matmul p = { matrix, rows, x, bias, out, 0, matrix->n, matrix->n, part_outputs(by, matrix->n) };

    if (matrix->multiply_s8)
        multiply_s8(team_for(team, work / S8_SPEED), scratch, matrix, 0, rows, x, bias, NULL, out);
    else if (by)
        team_run(by, (matrix->n + p.step - 1) / p.step, multiply_part, &p);
    else if (matrix->multiply)
        multiply_panels(&p, 0, matrix->n);
    else
        multiply_plain(scratch, matrix, rows, x, bias, out);
}

void matrix_multiply(Team *team, MatrixScratch *scratch, const Matrix *matrix, size_t rows, const float *x,
                     const float *bias, float *out)
{
    const size_t n = matrix->n, k = matrix->k;

    if (!rows) return;
    if (!matrix->emulation || !matrix_emulation_rounds(matrix) || k > MATRIX_ROUNDED) {
        multiply_rows(team, scratch, matrix, rows, x, bias, out);
        return;
    }
    /* Rounds rows first, as many at a time as fit into the scratch memory. A row that does not fit is not rounded. */
    const size_t most = MATRIX_ROUNDED / k;
    for (size_t at = 0, count; at < rows; at += count) {
        count = rows - at < most ? rows - at : most;
        matrix_emulation_round(matrix, x + at * k, count * k, scratch->rounded);
        multiply_rows(team, scratch, matrix, count, scratch->rounded, bias, out + at * n);
    }
}

size_t matrix_block_rows(const Matrix *matrix)
{
    if (!matrix->multiply && !matrix->multiply_s8) return 0;
    if (matrix->emulation && !matrix_emulation_has_blocks(matrix)) return 0;
    return matrix->multiply_s8 ? matrix_s8_rows_together(matrix->k) : SIZE_MAX;
}

void matrix_multiply_in_blocks(Team *team, MatrixScratch *scratch, const Matrix *matrix, const float *x,
                               const float *bias, const LogitsBlock *block, const LogitsSink *sink)
{
    const size_t n = matrix->n, columns = block->stride, work = block->rows * columns * matrix->k;
    Team *by = team_for(team, matrix->multiply_s8 ? work / S8_SPEED : work);

    assert(block->rows <= matrix_block_rows(matrix) && columns % TILE_OUTPUTS == 0);
    if (matrix->multiply_s8) {
        const MatrixBlocks blocks = { *block, sink };
        multiply_s8(by, scratch, matrix, 0, block->rows, x, bias, &blocks, block->logits);
        return;
    }
    Matmul p = { matrix, block->rows, x, bias, block->logits, 0, 0, columns, part_outputs(by, columns) };
    LogitsBlock taken = *block;
    for (; p.first < n; p.first += columns) {
        p.outputs = n - p.first < columns ? n - p.first : columns;
        if (by)
            team_run(by, (p.outputs + p.step - 1) / p.step, multiply_part, &p);
        else
            multiply_panels(&p, p.first, p.outputs);
        taken.first = p.first;
        taken.count = p.outputs;
        sink->take(sink->context, &taken);
    }
}

void matrix_multiply_scaled(Team *team, MatrixScratch *scratch, const Matrix *matrix, float x_multiplier, size_t rows,
                            const float *x, const float *bias, float *out)
{
    if (rows)
        multiply_s8(team_for(team, rows * matrix->n * matrix->k / S8_SPEED), scratch, matrix, x_multiplier, rows, x,
                    bias, NULL, out);
}
