/* kernel_timer.c - measures the int8 matmul kernels (panels_s8.h) against the limits of the CPU.
 *     make bench-kernels       or       build/scripts/bench/kernel_timer [LEVEL]...
 * For each CPU level of this machine, multiplies 1 to 64 rows with matrices of
 * an OPUS-MT-sized model. An operation is a multiplication or an addition.
 * "of peak" compares with the peak of the level's multiply-add instructions
 * (peaks.h; the faster of two methods), "of memory" with the bandwidth of one core reading COLD_BYTES.
 * The matrices "from memory" rotate through COLD_BYTES, so that none is in a
 * cache. Figures are medians, for one thread. Peak, bandwidth and matmul are
 * measured in turn, so that load from other programs affects all alike. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "panels_s8.h"
#include "peaks.h"

#define COLD_BYTES ((size_t)256 << 20)
#define ROUNDS     15

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *times, size_t count)
{
    qsort(times, count, sizeof *times, compare);
    return times[count / 2];
}

static void *allocate(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);

    if (!memory) {
        fprintf(stderr, "kernel_timer: out of memory\n");
        exit(1);
    }
    return memory;
}

/* A matmul, and matrices of its shape, one after the other in memory. */
typedef struct {
    PanelsS8Matmul matmul;
    size_t bytes, count; /* bytes per matrix; number of matrices */
} Case;

static void multiply_turn(const Case *c, PanelsS8Multiply *multiply, const int8_t *memory, size_t turn)
{
    PanelsS8Matmul matmul = c->matmul;

    matmul.panels = memory + turn % c->count * c->bytes;
    multiply(&matmul);
}

/* Calls per measurement, so that it takes at least `least` seconds. */
static size_t calls_for(const Case *c, PanelsS8Multiply *multiply, const int8_t *memory, double least)
{
    double from = now();

    multiply_turn(c, multiply, memory, 0);
    return (size_t)(least / (now() - from)) + 1;
}

/* Seconds per operation of the loop; infinite without one. */
static double peak_time(Peak *peak)
{
    double from = now();
    double done = peak ? peak() : 0;

    return done > 0 ? (now() - from) / done : INFINITY;
}

static void run_case(CpuLevel level, size_t n, size_t k, size_t rows, const int8_t *memory, bool cold)
{
    static size_t turn = 0;
    PanelsS8Multiply *multiply = panels_s8_at_level(level);
    const size_t ldx = panels_s8_stride(k), padded = (n + PANEL - 1) / PANEL * PANEL;
    float *scales = allocate(padded * sizeof *scales), *out = allocate(rows * n * sizeof *out);
    float *x_scales = allocate(rows * sizeof *x_scales);
    int32_t *corrections = allocate(padded * sizeof *corrections);
    uint8_t *x = allocate(rows * ldx);
    uint16_t *wide_x = allocate(rows * ldx * sizeof *wide_x);
    Case c = { .matmul = { .panels = memory,
                           .scales = scales,
                           .corrections = corrections,
                           .n = n,
                           .k = k,
                           .rows = rows,
                           .x = x,
                           .ldx = ldx,
                           .wide_x = wide_x,
                           .x_scales = x_scales,
                           .bias = scales,
                           .out = out,
                           .ldo = n },
               .bytes = panels_s8_count(n, k),
               .count = 1 };
    double times[ROUNDS], peaks[ROUNDS], reads[ROUNDS], ops = 2.0 * (double)(rows * n * k), rate, bytes;
    size_t calls;

    for (size_t i = 0; i < padded; i++) scales[i] = 0.01f, corrections[i] = 0;
    for (size_t i = 0; i < rows; i++) x_scales[i] = 0.01f;
    for (size_t i = 0; i < rows * ldx; i++) wide_x[i] = x[i] = (uint8_t)(i * 37);
    if (cold) c.count = COLD_BYTES / c.bytes;
    calls = calls_for(&c, multiply, memory, 0.004);
    for (size_t round = 0; round < ROUNDS; round++) {
        double from;
        peaks[round] = fmin(peak_time(peak_s8(level)), peak_time(peak_s8_bytes(level)));
        from = now();
        if (cold) peak_read(memory, COLD_BYTES);
        reads[round] = now() - from;
        from = now();
        for (size_t i = 0; i < calls; i++) multiply_turn(&c, multiply, memory, turn++);
        times[round] = (now() - from) / (double)calls;
    }
    rate = ops / median(times, ROUNDS);
    bytes = (double)c.bytes / median(times, ROUNDS);
    printf("%-10s %5zu x %5zu %4zu rows %8.1f GOP/s", cpu_level_name(level), n, k, rows, rate / 1e9);
    if (isfinite(median(peaks, ROUNDS)))
        printf(" %4.0f %% of peak %6.0f", 100 * rate * median(peaks, ROUNDS), 1e-9 / median(peaks, ROUNDS));
    if (cold)
        printf("  %5.1f GB/s %4.0f %% of memory %5.1f", bytes / 1e9,
               100 * bytes * median(reads, ROUNDS) / (double)COLD_BYTES,
               (double)COLD_BYTES / median(reads, ROUNDS) / 1e9);
    printf("\n");
    free(scales);
    free(x_scales);
    free(corrections);
    free(out);
    free(x);
    free(wide_x);
}

static bool is_wanted(CpuLevel level, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], cpu_level_name(level)) == 0) return true;
    return argc == 1;
}

int main(int argc, char **argv)
{
    static const size_t shapes[][2] = { { 1536, 512 }, { 2048, 512 }, { 512, 2048 } };
    static const size_t rows[] = { 1, 2, 3, 4, 6, 8, 16, 32, 64 };
    int8_t *memory = allocate(COLD_BYTES);

    for (size_t i = 0; i < COLD_BYTES; i++) memory[i] = (int8_t)(i * 2654435761u >> 11);
    for (int level = CPU_LEVELS - 1; level >= 0; level--) {
        if (!cpu_has((CpuLevel)level) || !is_wanted((CpuLevel)level, argc, argv)) continue;
        printf("matrices from memory\n");
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            run_case((CpuLevel)level, shapes[1][0], shapes[1][1], rows[r], memory, true);
        printf("one matrix, from the caches\n");
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (size_t r = 0; r < sizeof rows / sizeof *rows; r += 4)
                run_case((CpuLevel)level, shapes[s][0], shapes[s][1], rows[r], memory, false);
    }
    free(memory);
    return 0;
}
