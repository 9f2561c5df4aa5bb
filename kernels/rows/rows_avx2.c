/* rows_avx2.c - the row kernels with 256-bit registers.
 * Checked   tests/unit/test_kernels.c, equal to rows_generic.c bit for bit. */
#if defined(__x86_64__)
#define LANES_BYTES  32
#define LANES_TARGET __attribute__((target("avx2,fma")))
#include "rows_emulation.h"

const Kernels rows_avx2 = ROWS_TABLE("avx2", rows_activate, rows_softmax, rows_attend);
const Kernels rows_avx2_emulation = ROWS_TABLE("avx2", rows_marian_activate, rows_marian_softmax, rows_marian_attend);
#endif
