/* rows_generic.c - the row kernels for any CPU; the reference for the other levels. */
#define LANES_BYTES 16
#include "rows_emulation.h"

const Kernels rows_generic = ROWS_TABLE("scalar", rows_activate, rows_softmax, rows_attend);
const Kernels rows_generic_emulation =
    ROWS_TABLE("scalar", rows_marian_activate, rows_marian_softmax, rows_marian_attend);
