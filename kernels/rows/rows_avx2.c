/* rows_avx2.c - the row kernels with 256-bit registers.
 * Checked   tests/unit/test_kernels.c, equal to rows_generic.c bit for bit. */
#if defined(__x86_64__)
#define LANES_BYTES  32
#define LANES_TARGET __attribute__((target("avx2,fma")))
#include "rows_emulation.h"

ROWS_TABLE(rows_avx2, "avx2", LANES_TARGET);
ROWS_EMULATION_TABLE(rows_avx2_emulation, "avx2", LANES_TARGET);
#endif
