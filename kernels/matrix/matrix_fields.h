/* matrix_fields.h - what a Matrix consists of, for matrix.c and matrix_marian.c. */
#ifndef DRAGOMAN_MATRIX_FIELDS_H
#define DRAGOMAN_MATRIX_FIELDS_H

#include "kernels.h"
#include "matrix.h"
#include "matrix_s8.h"
#include "panels.h"

/* Of matrix_follow_marian(), in 8 bits; {0} for other matrices. */
typedef struct {
    bool used;
    size_t parts; /* that x is rounded for, each by itself; 1 where all have the same x_multiplier */
    float x_multipliers[MATRIX_MAX_PARTS]; /* 0: that of all rows of a product */
    float *multipliers;                    /* [n], what the rows of the matrix were multiplied with */
    float *scales;                         /* [n], 1 / (x_multiplier * multipliers), unless that is 0 */
    bool shifts;                           /* 127 is added to numbers of x, for the outputs */
    size_t first;                          /* from this one on */
} MatrixMarian;

struct Matrix {
    size_t n, k;
    size_t room; /* of a gathered one: rows that its memory is for */
    NumberType type;
    PanelsMultiply *multiply; /* NULL: 8-bit panels, or plain rows multiplied by OpenBLAS */
    PanelsS8Multiply *multiply_s8;
    const Kernels *kernels;
    size_t bytes;                 /* of the numbers */
    const unsigned char *numbers; /* aligned to 64 bytes */
    const float *scales;          /* [n]; 8 bits */
    const int32_t *corrections;   /* [n rounded up to PANEL]; 8 bits */
    MatrixMarian marian;
    bool rounds_x_down; /* 8 bits */
    /* The same, as far as they are not borrowed. */
    unsigned char *own_numbers;
    bool in_arena;
    float *own_scales;
    int32_t *own_corrections;
    uint8_t *row_scratch; /* [panels_s8_width(k)], for rows that are set; 8 bits */
};

/* For matrix.c: `to` gets room for the fields of `from`, and row `to_row` those of a
 * row of it. */
MUST_USE bool matrix_marian_reserve(Matrix *to, const Matrix *from);
void matrix_marian_copy_row(Matrix *to, size_t to_row, const Matrix *from, size_t row);
void matrix_marian_free(Matrix *matrix);
/* matrix_multiply_by() of such a matrix; the fields of `product` but for scales, bias
 * and x are set. blocks: NULL where an x_multiplier is shared. */
void matrix_marian_multiply(Team *team, MatrixScratch *scratch, size_t step, const Matrix *matrix,
                            const PanelsS8Product *product, float x_multiplier, const float *x,
                            const MatrixBlocks *blocks);

#endif
