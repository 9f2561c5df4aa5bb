/* rows_avx512.c - the row kernels with 512-bit registers.
 * Checked   tests/unit/test_kernels.c, equal to rows_generic.c bit for bit. */
#if defined(__x86_64__)
#define LANES_BYTES  64
#define LANES_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#include "rows_emulation.h"

const Kernels rows_avx512 = ROWS_TABLE("avx512", rows_activate, rows_softmax, rows_attend);
const Kernels rows_avx512_emulation =
    ROWS_TABLE("avx512", rows_marian_activate, rows_marian_softmax, rows_marian_attend);
#endif
