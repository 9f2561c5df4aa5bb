/* matrix_s8.h - rows of f32 in and out of 8-bit panels, and products of them,
 * for matrix.c. A row of the matrix has one scale, a row of x has one, too:
 * the largest |value| / 127 (quantize() of kernels.h). */
#ifndef DRAGOMAN_MATRIX_S8_H
#define DRAGOMAN_MATRIX_S8_H

#include <stddef.h>
#include <stdint.h>

#include "kernels.h"
#include "logits_sink.h"
#include "dtype.h"
#include "panels_s8.h"
#include "team.h"

/* Rows of x are quantized in blocks that stay in the second-level cache while a matrix passes by. */
#define MATRIX_S8_BLOCK_BYTES ((size_t)256 << 10)
#define MATRIX_S8_BLOCK_ROWS  ((size_t)256)

/* Outputs whose scales and biases are computed at a time, where they depend on x (matrix_emulation.c). */
#define MATRIX_SCALES_TOGETHER ((size_t)2048)

/* Values of rows that an emulation rounds at a time. */
#define MATRIX_ROUNDED ((size_t)1 << 13)

typedef struct MatrixScratch MatrixScratch; /* its functions: matrix.h */
struct MatrixScratch {
    union {
        _Alignas(64) uint8_t x[MATRIX_S8_BLOCK_BYTES]; /* quantized rows */
        float widened[MATRIX_16BIT_MAX_K];             /* rows of a 16-bit matrix, for OpenBLAS */
    } block;
    float x_scales[MATRIX_S8_BLOCK_ROWS];
    float rounded[MATRIX_ROUNDED];
    float scales[MATRIX_SCALES_TOGETHER], biases[MATRIX_SCALES_TOGETHER];
};

/* Outputs that come in blocks, the first of which is `block`, but for its columns. */
typedef struct {
    LogitsBlock block;
    const LogitsSink *sink;
} MatrixBlocks;

/* Places row `row` of [n, k] in the panels; returns its scale. scratch[panels_s8_width(k)]. */
float matrix_s8_set_row(int8_t *panels, size_t row, size_t k, const float *values, const Kernels *kernels,
                        uint8_t *scratch);
void matrix_s8_get_row(const int8_t *panels, size_t row, size_t k, float scale, float *out);

/* Copies row `row` of panels to row `to` of others of the same k. */
void matrix_s8_copy_row(int8_t *out, size_t to, const int8_t *panels, size_t row, size_t k);

/* The same for numbers that are 8-bit already; -128 becomes -127. */
void matrix_s8_set_numbers(int8_t *panels, size_t row, size_t k, const int8_t *numbers);

/* 127 / the largest |x|, or 1 where all are 0; NaN where one is NaN. */
float matrix_s8_multiplier(const float *x, size_t count);

/* The corrections of panels_s8.h for `count` rows from the first one of a
 * panel on, rows that fill up included. */
void matrix_s8_correct(const int8_t *panels, size_t first, size_t count, size_t k, int32_t *corrections);

/* How a row x[k] becomes int8 values out[width], 128 added: round() returns what a 1 of them stands for; or 1,
 * where the scales of the product know of the multiplier. */
typedef struct {
    float (*round)(const Kernels *kernels, float multiplier, const float *x, size_t k, size_t width, uint8_t *out);
    float multiplier;
} MatrixS8Rounding;

/* As quantize() of kernels.h; the multiplier is ignored. */
float matrix_s8_round(const Kernels *kernels, float multiplier, const float *x, size_t k, size_t width, uint8_t *out);

/* The product with `product->rows` rows x[rows, k] of f32, in place of the
 * fields of x in `product`. A team, or NULL, shares `step` outputs at a time.
 * blocks: of matrix_multiply_in_blocks(), or NULL. */
void matrix_s8_multiply(Team *team, MatrixScratch *scratch, size_t step, PanelsS8Multiply *multiply,
                        const Kernels *kernels, const PanelsS8Product *product, MatrixS8Rounding rounding,
                        const float *x, const MatrixBlocks *blocks);

/* The rows of x that are multiplied at a time; with blocks there may not be more. */
size_t matrix_s8_rows_together(size_t k);

#endif
