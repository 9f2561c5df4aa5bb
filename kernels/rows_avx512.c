/* rows_avx512.c - the row kernels with 512-bit registers.
 * Checked   tests/unit/test_kernels.c, equal to rows_generic.c bit for bit. */
#define LANES_BYTES 64
#include "rows.h"

#if defined(__x86_64__)
ROWS_TABLE(rows_avx512, "avx512", __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))));
#endif
