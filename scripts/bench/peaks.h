/* peaks.h - loops that reach the limits of one core: multiply-add instructions
 * with all operands in registers, and reads of memory. An operation is a
 * multiplication or an addition. */
#ifndef BENCH_PEAKS_H
#define BENCH_PEAKS_H

#include <stddef.h>

#include "cpu.h"

/* A loop of about a millisecond; returns the number of operations. */
typedef double Peak(void);

/* int8 multiply-adds (AVX2 and AVX-512 without VNNI: vpmaddwd and vpaddd, on
 * values widened to 16 bits) and f32 fused multiply-adds; NULL if there is no
 * loop for this level. */
Peak *peak_s8(CpuLevel level);
Peak *peak_f32(CpuLevel level);

/* The other method of exact int8 multiply-adds, on bytes: vpsignb, vpmaddubsw,
 * vpmaddwd and vpaddd. NULL at all levels except AVX2. Which of the two is
 * faster depends on the CPU; the higher rate is the peak of the level. */
Peak *peak_s8_bytes(CpuLevel level);

/* Reads memory once; bytes is a multiple of 256, memory is aligned to 32 bytes. */
void peak_read(const void *memory, size_t bytes);

#endif
