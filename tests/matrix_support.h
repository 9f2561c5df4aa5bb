/* matrix_support.h - numbers for matrices, and the matmuls of matrix.h with new scratch memory. */
#ifndef DRAGOMAN_MATRIX_SUPPORT_H
#define DRAGOMAN_MATRIX_SUPPORT_H

#include "matrix.h"
#include "test_support.h"

static inline void free_matrix(Matrix **matrix)
{
    matrix_free(*matrix);
}

static inline float number(size_t i)
{
    return (float)((i * 2654435761u >> 7) % 2001) / 1000.0f - 1.0f;
}

static inline void fill_numbers(float *out, size_t count, size_t first)
{
    for (size_t i = 0; i < count; i++) out[i] = number(i + first);
}

/* The numbers from `first` on, in memory of exactly their size. */
static inline float *new_numbers(size_t count, size_t first)
{
    float *numbers = support_alloc(count * sizeof *numbers);

    fill_numbers(numbers, count, first);
    return numbers;
}

static inline MatrixScratch *new_scratch(void)
{
    MatrixScratch *scratch;
    Err err;

    assert_ok(matrix_scratch_new(&scratch, &err), &err);
    return scratch;
}

static inline void multiply_by(Team *team, const Matrix *matrix, size_t rows, const float *x, const float *bias,
                               float *out)
{
    MatrixScratch *scratch = new_scratch();

    matrix_multiply(team, scratch, matrix, rows, x, bias, out);
    matrix_scratch_free(scratch);
}

static inline void multiply_alone(const Matrix *matrix, size_t rows, const float *x, const float *bias, float *out)
{
    multiply_by(NULL, matrix, rows, x, bias, out);
}

static inline void multiply_scaled(const Matrix *matrix, float x_multiplier, size_t rows, const float *x,
                                   const float *bias, float *out)
{
    MatrixScratch *scratch = new_scratch();

    matrix_multiply_scaled(NULL, scratch, matrix, x_multiplier, rows, x, bias, out);
    matrix_scratch_free(scratch);
}

static inline void multiply_in_blocks(Team *team, const Matrix *matrix, const float *x, const float *bias,
                                      const LogitsBlock *block, const LogitsSink *sink)
{
    MatrixScratch *scratch = new_scratch();

    matrix_multiply_in_blocks(team, scratch, matrix, x, bias, block, sink);
    matrix_scratch_free(scratch);
}

#endif
