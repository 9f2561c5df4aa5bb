/* listed_s8.h - int8 matmul with rows of a matrix that a list selects. A shortlist selects other rows for
 * every sentence, and a sentence has only a few rows of x. Copying the selected rows into panels
 * (panels_s8.h) for each sentence would take as long as several matmuls, so these kernels read plain rows
 * where they are, and sentences share them.
 *     out[r][j] = (float)(sum over k of x[r] * matrix[ids[j]]) * (x_scales[r] * scales[j]) + bias[j]
 * The operands and the bits of the outputs are those of panels_s8.h, except that `panels` has plain rows of
 * panels_s8_width(k) values, aligned to 64 bytes, and that `ids` selects n of them.
 * Checked  tests/unit/test_panels_s8.c, equal to panels_s8_scalar.c bit for bit. */
#ifndef DRAGOMAN_LISTED_S8_H
#define DRAGOMAN_LISTED_S8_H

#include "panels_s8.h"

/* Return the function for a level, or for the nearest lower one; and for cpu_level(). */
PanelsS8Multiply *listed_s8_at_level(CpuLevel level);
PanelsS8Multiply *listed_s8_get(void);

PanelsS8Multiply listed_s8_multiply_scalar, listed_s8_multiply_avx2, listed_s8_multiply_avxvnni,
    listed_s8_multiply_avx512vnni;

#endif
