/* peaks.c - loops of multiply-add instructions and reads (peaks.h). */
#include "peaks.h"

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>

#define PEAK_STEPS 100000

/* Twelve independent sums in registers 2 to 13, more than latency times
 * throughput on any CPU. In assembler, because compilers spill the sums. */
#define TWELVE(instruction)                                                                                            \
    instruction(2) instruction(3) instruction(4) instruction(5) instruction(6) instruction(7) instruction(8)           \
        instruction(9) instruction(10) instruction(11) instruction(12) instruction(13)

#define ZERO(sum)      "vpxor %%xmm" #sum ", %%xmm" #sum ", %%xmm" #sum "\n\t"
#define DOT_512(sum)   "vpdpbusd %%zmm0, %%zmm1, %%zmm" #sum "\n\t"
#define DOT_256(sum)   "%{vex%} vpdpbusd %%ymm0, %%ymm1, %%ymm" #sum "\n\t"
#define PAIRS_512(sum) "vpmaddwd %%zmm0, %%zmm1, %%zmm14\n\tvpaddd %%zmm14, %%zmm" #sum ", %%zmm" #sum "\n\t"
#define PAIRS_256(sum) "vpmaddwd %%ymm0, %%ymm1, %%ymm14\n\tvpaddd %%ymm14, %%ymm" #sum ", %%ymm" #sum "\n\t"
#define BYTES_256(sum)                                                                                                 \
    "vpsignb %%ymm0, %%ymm1, %%ymm14\n\tvpmaddubsw %%ymm14, %%ymm1, %%ymm14\n\t"                                       \
    "vpmaddwd %%ymm0, %%ymm14, %%ymm14\n\tvpaddd %%ymm14, %%ymm" #sum ", %%ymm" #sum "\n\t"
#define FMA_512(sum) "vfmadd231ps %%zmm0, %%zmm1, %%zmm" #sum "\n\t"
#define FMA_256(sum) "vfmadd231ps %%ymm0, %%ymm1, %%ymm" #sum "\n\t"

/* Defines a Peak; each instruction does `count` multiplications. */
#define PEAK_LOOP(name, instruction, count)                                                                            \
    static double name(void)                                                                                           \
    {                                                                                                                  \
        size_t steps = PEAK_STEPS;                                                                                     \
                                                                                                                       \
        __asm__ volatile(ZERO(0) ZERO(1) TWELVE(ZERO) "1:\n\t" TWELVE(instruction) "dec %0\n\tjnz 1b\n\tvzeroupper"    \
                         : "+r"(steps)                                                                                 \
                         :                                                                                             \
                         : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",       \
                           "xmm10", "xmm11", "xmm12", "xmm13", "xmm14");                                               \
        return 2.0 * 12 * (count)*PEAK_STEPS;                                                                          \
    }

PEAK_LOOP(s8_avx512vnni, DOT_512, 64)
PEAK_LOOP(s8_avxvnni, DOT_256, 32)
PEAK_LOOP(s8_avx512, PAIRS_512, 32)
PEAK_LOOP(s8_avx2, PAIRS_256, 16)
PEAK_LOOP(s8_bytes_avx2, BYTES_256, 32)
PEAK_LOOP(f32_avx512, FMA_512, 16)
PEAK_LOOP(f32_avx2, FMA_256, 8)

__attribute__((target("amx-tile,amx-int8"))) static double s8_amx(void)
{
    unsigned char shapes[64] = { 1 };

    for (int i = 0; i < 8; i++) {
        shapes[16 + 2 * i] = 64;
        shapes[48 + i] = 16;
    }
    __asm__ volatile("" : : "r"(shapes) : "memory");
    _tile_loadconfig(shapes);
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    _tile_zero(4);
    _tile_zero(5);
    _tile_zero(6);
    _tile_zero(7);
    for (int step = 0; step < PEAK_STEPS / 8; step++) {
        _tile_dpbusd(0, 4, 6);
        _tile_dpbusd(1, 4, 7);
        _tile_dpbusd(2, 5, 6);
        _tile_dpbusd(3, 5, 7);
    }
    _tile_release();
    return 4.0 * 16 * 16 * 64 * 2 * (PEAK_STEPS / 8);
}

__attribute__((target("avx2"))) static void read_all(const unsigned char *memory, size_t bytes)
{
    __m256i sum[8];

    for (int i = 0; i < 8; i++) sum[i] = _mm256_setzero_si256();
    for (size_t at = 0; at < bytes; at += 256)
#pragma GCC unroll 8
        for (size_t i = 0; i < 8; i++)
            sum[i] = _mm256_xor_si256(sum[i], _mm256_load_si256((const void *)(memory + at + 32 * i)));
    for (int i = 0; i < 8; i++) __asm__ volatile("" : : "x"(sum[i]));
}
#else
static void read_all(const unsigned char *memory, size_t bytes)
{
    uint64_t sum = 0, word;

    for (size_t at = 0; at < bytes; at += sizeof word) {
        memcpy(&word, memory + at, sizeof word);
        sum ^= word;
    }
    __asm__ volatile("" : : "r"(sum));
}
#endif

void peak_read(const void *memory, size_t bytes)
{
    read_all(memory, bytes);
}

Peak *peak_s8(CpuLevel level)
{
#if defined(__x86_64__)
    static Peak *const peaks[CPU_LEVELS] = { [CPU_AVX2] = s8_avx2,
                                             [CPU_AVXVNNI] = s8_avxvnni,
                                             [CPU_AVX512] = s8_avx512,
                                             [CPU_AVX512VNNI] = s8_avx512vnni,
                                             [CPU_AMX] = s8_amx };
    return peaks[level];
#else
    (void)level;
    return NULL;
#endif
}

Peak *peak_s8_bytes(CpuLevel level)
{
#if defined(__x86_64__)
    if (level == CPU_AVX2) return s8_bytes_avx2;
#else
    (void)level;
#endif
    return NULL;
}

Peak *peak_f32(CpuLevel level)
{
#if defined(__x86_64__)
    static Peak *const peaks[CPU_LEVELS] = { [CPU_AVX2] = f32_avx2,
                                             [CPU_AVXVNNI] = f32_avx2,
                                             [CPU_AVX512] = f32_avx512,
                                             [CPU_AVX512VNNI] = f32_avx512,
                                             [CPU_AMX] = f32_avx512 };
    return peaks[level];
#else
    (void)level;
    return NULL;
#endif
}
