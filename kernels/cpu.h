/* cpu.h - the instruction sets that the CPU and the operating system support. */
#ifndef DRAGOMAN_CPU_H
#define DRAGOMAN_CPU_H

#include <stdbool.h>

#include "err.h"

/* Levels of kernels, in order of preference. A level requires the instructions in its name and those of the row kernels
 * that it uses. A CPU may lack a level between two that it has: AVX-VNNI is more recent than AVX-512. */
typedef enum {
    CPU_SCALAR,
    CPU_NEON,    /* any 64-bit Arm */
    CPU_DOTPROD, /* NEON and the dot-product instructions for int8 */
    CPU_AVX2,
    CPU_AVXVNNI, /* AVX2 with vpdpbusd */
    CPU_AVX512,  /* F, BW, DQ, VL */
    CPU_AVX512VNNI,
    CPU_AMX, /* AVX-512 VNNI and AMX int8; needs the system's permission to use tile registers */
    CPU_LEVELS
} CpuLevel;

/* Returns "scalar", "neon", "dotprod", "avx2", "avxvnni", "avx512", "avx512vnni" or "amx". */
const char *cpu_level_name(CpuLevel level);

/* Returns whether this machine supports the level. */
bool cpu_has(CpuLevel level);

/* Returns whether the CPU has fused multiply-add instructions. */
bool cpu_has_fma(void);

/* Returns the highest level that this machine supports and that is not above the level named by the environment
 * variable DRAGOMAN_CPU (case-insensitive). */
CpuLevel cpu_level(void);

/* Checks DRAGOMAN_CPU. ERR_USAGE: it names no level, so it is ignored. ERR_UNSUPPORTED: this machine lacks the level,
 * so a lower one is used. */
MUST_USE Status cpu_check_wanted(Err *err);

#endif
