/* rows_generic.c - the row kernels for any CPU; the reference for the other levels. */
#define LANES_BYTES 16
#include "rows_emulation.h"

ROWS_TABLE(rows_generic, "scalar", );
ROWS_EMULATION_TABLE(rows_generic_emulation, "scalar", );
