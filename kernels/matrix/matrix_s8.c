/* matrix_s8.c - see matrix_s8.h. */
#include "matrix_s8.h"

#include <string.h>

_Static_assert(2 * (PANELS_S8_MAX_K + 1) <= MATRIX_S8_BLOCK_BYTES, "the longest row fits");

float matrix_s8_set_row(int8_t *panels, size_t row, size_t k, const float *values, const Kernels *kernels,
                        uint8_t *scratch)
{
    const size_t width = panels_s8_width(k);
    int8_t *to = panels + panels_s8_at(row, 0, k);
    float scale = kernels->quantize(values, k, width, scratch);

    for (size_t i = 0; i < width; i++) {
        scratch[i] ^= 0x80; /* subtracts 128 */
        if (i % PANELS_S8_FOUR == PANELS_S8_FOUR - 1)
            memcpy(to + (i - i % PANELS_S8_FOUR) * PANEL, scratch + i - i % PANELS_S8_FOUR, PANELS_S8_FOUR);
    }
    return scale;
}

void matrix_s8_set_values(int8_t *panels, size_t row, size_t k, const int8_t *values)
{
    int8_t *to = panels + panels_s8_at(row, 0, k);

    for (size_t i = 0; i < k; i++)
        to[(i - i % PANELS_S8_FOUR) * PANEL + i % PANELS_S8_FOUR] = values[i] < -127 ? -127 : values[i];
}

void matrix_s8_correct(const int8_t *panels, size_t first, size_t count, size_t k, int32_t *corrections)
{
    const size_t width = panels_s8_width(k);

    for (size_t row = first; row < first + count; row += PANEL) {
        const int8_t *from = panels + row * width;
        int32_t sums[PANEL] = { 0 };
        for (size_t i = 0; i < width; i += PANELS_S8_FOUR, from += PANEL * PANELS_S8_FOUR)
            for (size_t j = 0; j < PANEL; j++)
                sums[j] += from[4 * j] + from[4 * j + 1] + from[4 * j + 2] + from[4 * j + 3];
        for (size_t j = 0; j < PANEL; j++) corrections[row + j] = (int32_t)(-128 * (int64_t)sums[j]);
    }
}

/* The matmul of one block, shared by a team. */
typedef struct {
    PanelsS8Multiply *multiply;
    PanelsS8Matmul matmul;
    size_t step;
} Shared;

static void multiply_part(void *context, size_t part, size_t thread)
{
    const Shared *s = context;
    PanelsS8Matmul p = panels_s8_outputs(&s->matmul, part * s->step, s->step);

    (void)thread;
    p.out += part * s->step;
    s->multiply(&p);
}

static void multiply_shared(Team *team, Shared *shared)
{
    if (team)
        team_run(team, (shared->matmul.n + shared->step - 1) / shared->step, multiply_part, shared);
    else
        shared->multiply(&shared->matmul);
}

static void multiply_blocks(Team *team, const Shared *shared, const MatrixBlocks *blocks)
{
    LogitsBlock taken = blocks->block;

    for (taken.first = 0; taken.first < shared->matmul.n; taken.first += taken.stride) {
        Shared block = *shared;
        block.matmul = panels_s8_outputs(&shared->matmul, taken.first, taken.stride);
        multiply_shared(team, &block);
        taken.count = block.matmul.n;
        blocks->sink->take(blocks->sink->context, &taken);
    }
}

float matrix_s8_round(const Kernels *kernels, float multiplier, const float *x, size_t k, size_t width, uint8_t *out)
{
    (void)multiplier;
    return kernels->quantize(x, k, width, out);
}

size_t matrix_s8_rows_together(size_t k)
{
    const size_t most = MATRIX_S8_BLOCK_BYTES / panels_s8_stride(k);

    return most < MATRIX_S8_BLOCK_ROWS ? most : MATRIX_S8_BLOCK_ROWS;
}

void matrix_s8_multiply(Team *team, MatrixScratch *scratch, size_t step, PanelsS8Multiply *multiply,
                        const Kernels *kernels, const PanelsS8Matmul *matmul, MatrixS8Rounding rounding, const float *x,
                        const MatrixBlocks *blocks)
{
    const size_t k = matmul->k, width = panels_s8_width(k), ldx = panels_s8_stride(k);
    const size_t most = matrix_s8_rows_together(k);
    PanelsS8Widen *widen = panels_s8_widen_for(multiply);
    Shared shared = { multiply, *matmul, step };
    uint8_t *block = scratch->block.x;

    shared.matmul.x = block;
    shared.matmul.wide_x = widen ? scratch->wide_x : NULL;
    shared.matmul.ldx = ldx;
    shared.matmul.x_scales = scratch->x_scales;
    for (size_t row = 0; row < matmul->rows; row += most) {
        shared.matmul.rows = matmul->rows - row < most ? matmul->rows - row : most;
        shared.matmul.out = matmul->out + row * matmul->ldo;
        for (size_t r = 0; r < shared.matmul.rows; r++) {
            scratch->x_scales[r] =
                rounding.round(kernels, rounding.multiplier, x + (row + r) * k, k, width, block + r * ldx);
            if (widen && shared.matmul.rows > 1) widen(block + r * ldx, width, scratch->wide_x + r * ldx);
        }
        if (blocks)
            multiply_blocks(team, &shared, blocks);
        else
            multiply_shared(team, &shared);
    }
}
