/* rows_tables.h - the table of row kernels of each CPU level. */
#ifndef DRAGOMAN_ROWS_TABLES_H
#define DRAGOMAN_ROWS_TABLES_H

#include "kernels.h"

extern const Kernels rows_generic, rows_generic_emulation;
#if defined(__x86_64__)
extern const Kernels rows_avx2, rows_avx2_emulation;
extern const Kernels rows_avx512, rows_avx512_emulation;
#endif

#endif
