/* rows_generic.c - the row kernels for any CPU; the meaning of the others. */
#include "rows.h"

ROWS_TABLE(rows_generic, "scalar", );
