/* matrix_s8.h - conversion between rows of f32 and 8-bit panels, and int8 matmul. Each
 * row of the matrix and each row of x has one scale: the largest |value| / 127 (quantize() in
 * kernels.h). */
#ifndef DRAGOMAN_MATRIX_S8_H
#define DRAGOMAN_MATRIX_S8_H

#include <stddef.h>
#include <stdint.h>

#include "dtype.h"
#include "kernels.h"
#include "panels_s8.h"
#include "team.h"

/* Rows of x are quantized in blocks that stay in the second-level cache while the matrix is read. */
#define MATRIX_S8_BLOCK_BYTES ((size_t)256 << 10)
#define MATRIX_S8_BLOCK_ROWS  ((size_t)256)

/* The number of outputs whose scales and biases are computed at a time if they depend on x (matrix_emulation.c). */
#define MATRIX_SCALES_TOGETHER ((size_t)2048)

/* The number of values that an emulation rounds at a time. */
#define MATRIX_ROUNDED ((size_t)1 << 13)

typedef struct MatrixScratch MatrixScratch; /* its functions: matrix.h */
struct MatrixScratch {
    union {
        _Alignas(64) uint8_t x[MATRIX_S8_BLOCK_BYTES]; /* quantized rows */
        float widened[MATRIX_16BIT_MAX_K];             /* widened rows of a 16-bit matrix, for OpenBLAS */
    } block;
    _Alignas(64) uint16_t wide_x[MATRIX_S8_BLOCK_BYTES]; /* the same rows, widened; not used at most CPU levels */
    float x_scales[MATRIX_S8_BLOCK_ROWS];
    float rounded[MATRIX_ROUNDED];
    float scales[MATRIX_SCALES_TOGETHER], biases[MATRIX_SCALES_TOGETHER];
};

/* Outputs that are passed to a sink in blocks. `block` is the first block; its columns are not set. */
typedef struct {
    LogitsBlock block;
    const LogitsSink *sink;
} MatrixBlocks;

/* Quantizes row `row` of [n, k] into the panels and returns its scale. scratch[panels_s8_width(k)]. */
float matrix_s8_set_row(int8_t *panels, size_t row, size_t k, const float *values, const Kernels *kernels,
                        uint8_t *scratch);

/* Sets a row from values that are already int8; -128 becomes -127. */
void matrix_s8_set_values(int8_t *panels, size_t row, size_t k, const int8_t *values);

/* Computes the corrections (panels_s8.h) of `count` rows, padding included. `first` is the first row of a panel. */
void matrix_s8_correct(const int8_t *panels, size_t first, size_t count, size_t k, int32_t *corrections);

/* How a row x[k] becomes int8 values out[width], with 128 added. round() returns the scale, the value of one unit; it
 * returns 1 if the scales of the matmul include the multiplier. */
typedef struct {
    float (*round)(const Kernels *kernels, float multiplier, const float *x, size_t k, size_t width, uint8_t *out);
    float multiplier;
} MatrixS8Rounding;

/* Calls quantize() of kernels.h; the multiplier is ignored. */
float matrix_s8_round(const Kernels *kernels, float multiplier, const float *x, size_t k, size_t width, uint8_t *out);

/* Multiplies `matmul->rows` f32 rows x[rows, k] and sets the x fields of `matmul` itself. The team, if there is one,
 * shares the work, `step` outputs per part. blocks comes from matrix_multiply_in_blocks() or is NULL. */
void matrix_s8_multiply(Team *team, MatrixScratch *scratch, size_t step, PanelsS8Multiply *multiply,
                        const Kernels *kernels, const PanelsS8Matmul *matmul, MatrixS8Rounding rounding, const float *x,
                        const MatrixBlocks *blocks);

/* Returns how many rows of x are multiplied at a time; a matmul in blocks has at most that many. */
size_t matrix_s8_rows_together(size_t k);

#endif
