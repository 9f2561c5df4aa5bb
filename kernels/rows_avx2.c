/* rows_avx2.c - the row kernels with 256-bit registers.
 * Checked   tests/unit/test_kernels.c, equal to rows_generic.c bit for bit. */
#define LANES_BYTES 32
#include "rows.h"

#if defined(__x86_64__)
ROWS_TABLE(rows_avx2, "avx2", __attribute__((target("avx2"))));
#endif
