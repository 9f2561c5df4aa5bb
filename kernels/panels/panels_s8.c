/* panels_s8.c - selects the kernel; see panels_s8.h. */
#include "panels_s8.h"

PanelsS8Multiply *panels_s8_at_level(CpuLevel level)
{
#if defined(__x86_64__)
    static PanelsS8Multiply *const levels[CPU_LEVELS] = {
        [CPU_SCALAR] = panels_s8_multiply_scalar,         [CPU_AVX2] = panels_s8_multiply_avx2,
        [CPU_AVXVNNI] = panels_s8_multiply_avxvnni,       [CPU_AVX512] = panels_s8_multiply_avx512,
        [CPU_AVX512VNNI] = panels_s8_multiply_avx512vnni, [CPU_AMX] = panels_s8_multiply_amx,
    };
    return levels[level];
#elif defined(__aarch64__)
    return level == CPU_DOTPROD ? panels_s8_multiply_dotprod
           : level == CPU_NEON  ? panels_s8_multiply_neon
                                : panels_s8_multiply_scalar;
#else
    (void)level;
    return panels_s8_multiply_scalar;
#endif
}

PanelsS8Multiply *panels_s8_get(void)
{
    return panels_s8_at_level(cpu_level());
}
