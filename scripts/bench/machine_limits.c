/* machine_limits.c - measures the limits of this machine.
 *     machine_limits THREADS BYTES
 * prints one line of JSON, medians of ROUNDS rounds:
 *   reads    bytes per second that THREADS threads read together. Each reads
 *            its own part of BYTES repeatedly, as the decoder reads its weights.
 *   level    the best CPU level, at most the one named by DRAGOMAN_CPU
 *   s8, f32  operations per second of the level's multiply-add instructions; 0
 *            where peaks.h has no loop for it. Where there are two methods for
 *            int8, s8 is the higher rate
 *   s8_words, s8_bytes  the rates of the two methods: peak_s8(), peak_s8_bytes(). */
#define _GNU_SOURCE /* for MADV_HUGEPAGE, so that page walks do not slow down the reads */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "peaks.h"

#define ROUNDS       9
#define MOST_THREADS 256
#define MOST_BYTES   ((size_t)1 << 34)
#define LEAST_BYTES  ((size_t)256 << 20) /* read per round and thread, at least */
#define PAGE         ((size_t)2 << 20)   /* size of a huge page */
#define PEAK_RUNS    8                   /* per round */

typedef enum { READS, MATMUL_S8, MATMUL_S8_BYTES, MATMUL_F32, WORKS } Work;

typedef struct {
    Work work;
    Peak *peak;
    const unsigned char *memory; /* [bytes] */
    size_t bytes;
    pthread_barrier_t *start;
    double amount, seconds; /* bytes or operations in this round, and their time */
} Job;

/* CPU time of the thread, because other programs disturb it less. */
static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void *run_job(void *argument)
{
    Job *job = argument;
    double from;

    job->amount = 0;
    pthread_barrier_wait(job->start);
    from = now();
    if (job->work == READS) {
        while (job->amount < (double)LEAST_BYTES) {
            peak_read(job->memory, job->bytes);
            job->amount += (double)job->bytes;
        }
    } else if (job->peak) {
        for (int i = 0; i < PEAK_RUNS; i++) job->amount += job->peak();
    }
    job->seconds = now() - from;
    return NULL;
}

/* Runs all threads at once and returns the sum of their rates. */
static double run_round(Job *jobs, size_t threads)
{
    pthread_t ids[MOST_THREADS];
    double rate = 0;

    for (size_t i = 0; i < threads; i++) {
        if (pthread_create(&ids[i], NULL, run_job, &jobs[i]) != 0) {
            fprintf(stderr, "machine_limits: cannot start a thread\n");
            exit(1);
        }
    }
    for (size_t i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        rate += jobs[i].amount / jobs[i].seconds;
    }
    return rate;
}

static void measure(double rates[WORKS], const unsigned char *memory, size_t threads, size_t bytes)
{
    const CpuLevel level = cpu_level();
    Peak *const peaks[WORKS] = { NULL, peak_s8(level), peak_s8_bytes(level), peak_f32(level) };
    static Job jobs[MOST_THREADS];
    double times[WORKS][ROUNDS];
    pthread_barrier_t start;

    pthread_barrier_init(&start, NULL, (unsigned)threads);
    for (size_t round = 0; round < ROUNDS; round++) {
        for (int work = 0; work < WORKS; work++) {
            for (size_t i = 0; i < threads; i++) {
                jobs[i] = (Job){ .work = (Work)work,
                                 .peak = peaks[work],
                                 .memory = memory + i * bytes,
                                 .bytes = bytes,
                                 .start = &start };
            }
            times[work][round] = run_round(jobs, threads);
        }
    }
    pthread_barrier_destroy(&start);
    for (int work = 0; work < WORKS; work++) {
        qsort(times[work], ROUNDS, sizeof(double), compare);
        rates[work] = times[work][ROUNDS / 2];
    }
}

static void print_rates(const double rates[WORKS], size_t threads)
{
    const double words = rates[MATMUL_S8], bytes = rates[MATMUL_S8_BYTES];

    printf("{\"level\": \"%s\", \"threads\": %zu, \"reads\": %.0f, \"f32\": %.0f, ", cpu_level_name(cpu_level()),
           threads, rates[READS], rates[MATMUL_F32]);
    printf("\"s8\": %.0f, \"s8_words\": %.0f, \"s8_bytes\": %.0f}\n", words > bytes ? words : bytes, words, bytes);
}

static size_t number(const char *text, size_t most)
{
    char *end;
    unsigned long long value;

    errno = 0;
    value = strtoull(text, &end, 10);
    if (errno != 0 || *end || value < 1 || value > most) {
        fprintf(stderr, "machine_limits: %s: not a number from 1 to %zu\n", text, most);
        exit(2);
    }
    return (size_t)value;
}

int main(int argc, char **argv)
{
    size_t threads, part;
    double rates[WORKS];
    void *memory;

    if (argc != 3) {
        fprintf(stderr, "usage: machine_limits THREADS BYTES\n");
        return 2;
    }
    threads = number(argv[1], MOST_THREADS);
    part = (number(argv[2], MOST_BYTES) / threads + 4095) / 4096 * 4096;
    memory = aligned_alloc(PAGE, (threads * part + PAGE - 1) / PAGE * PAGE);
    if (!memory) {
        fprintf(stderr, "machine_limits: out of memory\n");
        return 1;
    }
    (void)madvise(memory, threads * part, MADV_HUGEPAGE);
    memset(memory, 1, threads * part);
    measure(rates, memory, threads, part);
    print_rates(rates, threads);
    free(memory);
    return 0;
}
