/* matrix_product.c - what computes products, and their scratch memory, for matrix.h. */
#include <stdlib.h>

#include "cpu.h"
#include "gemm.h"
#include "matrix.h"
#include "matrix_s8.h"
#include "panels.h"

Status matrix_scratch_new(MatrixScratch **out, Err *err)
{
    *out = aligned_alloc(_Alignof(MatrixScratch), sizeof **out);
    return *out ? OK : err_memory(err, "the products");
}

void matrix_scratch_free(MatrixScratch *scratch)
{
    free(scratch);
}

const char *matrix_product_name(NumberType type)
{
    static const char *const f32_names[CPU_LEVELS] = {
        [CPU_SCALAR] = "panels, scalar",     [CPU_NEON] = "panels, neon",    [CPU_DOTPROD] = "panels, neon",
        [CPU_AVX2] = "panels, avx2",         [CPU_AVXVNNI] = "panels, avx2", [CPU_AVX512] = "panels, avx512",
        [CPU_AVX512VNNI] = "panels, avx512", [CPU_AMX] = "panels, avx512",
    };
    static const char *const s8_names[CPU_LEVELS] = {
        [CPU_SCALAR] = "8-bit panels, scalar",         [CPU_NEON] = "8-bit panels, neon",
        [CPU_DOTPROD] = "8-bit panels, dotprod",       [CPU_AVX2] = "8-bit panels, avx2",
        [CPU_AVXVNNI] = "8-bit panels, avxvnni",       [CPU_AVX512] = "8-bit panels, avx512",
        [CPU_AVX512VNNI] = "8-bit panels, avx512vnni", [CPU_AMX] = "8-bit panels, amx",
    };

    if (type == NUMBER_S8) return s8_names[cpu_level()];
    return panels_get() ? f32_names[cpu_level()] : gemm_name();
}
