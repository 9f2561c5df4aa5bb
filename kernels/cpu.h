/* cpu.h - what this CPU can run, and the operating system lets it. */
#ifndef DRAGOMAN_CPU_H
#define DRAGOMAN_CPU_H

#include <stdbool.h>

#include "err.h"

/* Levels of kernels, in the order of preference. A level needs what its name
 * says and all that the kernels of its row functions need; a CPU may lack one
 * in the middle (AVX-VNNI is younger than AVX-512). */
typedef enum {
    CPU_SCALAR,
    CPU_NEON,    /* any 64-bit Arm */
    CPU_DOTPROD, /* and its dot products of 8-bit numbers */
    CPU_AVX2,
    CPU_AVXVNNI, /* AVX2 with vpdpbusd */
    CPU_AVX512,  /* F, BW, DQ, VL */
    CPU_AVX512VNNI,
    CPU_AMX, /* AVX-512 VNNI with AMX int8; the system is asked for its registers */
    CPU_LEVELS
} CpuLevel;

/* "scalar", "neon", "dotprod", "avx2", "avxvnni", "avx512", "avx512vnni", "amx" */
const char *cpu_level_name(CpuLevel level);

/* Whether this machine runs it. */
bool cpu_has(CpuLevel level);

/* Fused multiply-adds as an instruction. */
bool cpu_has_fma(void);

/* The highest level that this machine runs, or one no higher than what the
 * environment variable DRAGOMAN_CPU names, in letters of any case. */
CpuLevel cpu_level(void);

/* Checks DRAGOMAN_CPU. ERR_USAGE: it names no level, and is ignored. ERR_UNSUPPORTED: this
 * machine lacks the level, and a lower one is used. */
MUST_USE Status cpu_check_wanted(Err *err);

#endif
