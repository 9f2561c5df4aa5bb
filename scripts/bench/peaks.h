/* peaks.h - what one core does at most: product instructions with everything
 * in registers, and reads of memory. An operation is a multiplication or an
 * addition. */
#ifndef BENCH_PEAKS_H
#define BENCH_PEAKS_H

#include <stddef.h>

#include "cpu.h"

/* A loop of a millisecond or so; returns the operations done. */
typedef double Peak(void);

/* Of 8-bit products (AVX2 and AVX-512 without VNNI: vpmaddwd with vpaddd) and
 * of f32 fused multiply-adds; NULL: this level has none here. */
Peak *peak_s8(CpuLevel level);
Peak *peak_f32(CpuLevel level);

/* Reads memory once; bytes is a multiple of 256, memory aligned to 32. */
void peak_read(const void *memory, size_t bytes);

#endif
