/* rows_tables.h - the table of row kernels of each CPU level. */
#ifndef DRAGOMAN_ROWS_TABLES_H
#define DRAGOMAN_ROWS_TABLES_H

#include "kernels.h"

extern const Kernels rows_generic;
#if defined(__x86_64__)
extern const Kernels rows_avx2;
extern const Kernels rows_avx512;
#endif

#endif
