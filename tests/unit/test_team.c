/* test_team.c - tests of kernels/team.c: every part is computed once, by threads that are awake when
 * needed and asleep otherwise. */
#include "test_support.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "team.h"

#define HANG_SECONDS 240
#define PARTS        1000

static Team *team_of(size_t threads)
{
    Team *team;
    Err err = { "" };

    assert_ok(team_new(&team, threads, 0, &err), &err);
    assert_int_equal(team_threads(team), threads);
    return team;
}

static void sleep_ms(long milliseconds)
{
    struct timespec time = { milliseconds / 1000, milliseconds % 1000 * 1000000 };

    nanosleep(&time, NULL);
}

/* A job whose counters are not atomic: the team must order the accesses. */
typedef struct {
    size_t round, threads;
    size_t done[PARTS];         /* the last round in which each part was computed */
    size_t inside[TEAM_MAX];    /* scratch memory of each thread */
    atomic_size_t calls, wrong; /* asserts must run in the main thread */
} Count;

static void count_part(void *context, size_t part, size_t thread)
{
    Count *count = context;

    count->calls++;
    if (thread >= count->threads || count->done[part] + 1 != count->round) {
        count->wrong++;
        return;
    }
    if (count->inside[thread]++) count->wrong++;
    count->done[part]++;
    if (--count->inside[thread]) count->wrong++;
}

static void count_rounds(Team *team, size_t parts, size_t rounds)
{
    Count count = { .threads = team_threads(team) };

    while (count.round < rounds) {
        count.round++;
        team_run(team, parts, count_part, &count);
        assert_int_equal(count.calls, count.round * parts);
        for (size_t i = 0; i < parts; i++) assert_int_equal(count.done[i], count.round);
    }
    assert_int_equal(count.wrong, 0);
}

TEST(computes_every_part_once_per_job)
{
    static const size_t threads[] = { 1, 2, 3, 5, TEAM_MAX }, parts[] = { 0, 1, 2, 3, 7, 16, 17, PARTS };

    for (size_t m = 0; m < COUNT(threads); m++) {
        Team *team = team_of(threads[m]);
        for (size_t p = 0; p < COUNT(parts); p++) count_rounds(team, parts[p], 100);
        team_free(team);
    }
}

TEST(two_threads_stay_in_step_over_many_jobs)
{
    Team *team = team_of(2);

    count_rounds(team, 2, 50000);
    count_rounds(team, 5, 20000);
    team_free(team);
}

TEST(keeps_jobs_of_different_sizes_apart)
{
    Team *team = team_of(3);

    for (size_t i = 0; i < 5000; i++) count_rounds(team, i % 23, 1);
    team_free(team);
}

TEST(caller_computes_all_parts_without_a_team)
{
    count_rounds(NULL, 10, 3);
    assert_int_equal(team_threads(NULL), 1);
    assert_null(team_for(NULL, SIZE_MAX));
    team_free(NULL);
}

TEST(does_not_share_little_work)
{
    Team *team;
    Err err = { "" };

    assert_ok(team_new(&team, 2, 1000, &err), &err);
    assert_null(team_for(team, 999));
    assert_ptr_equal(team_for(team, 1000), team);
    team_free(team);
}

/* Parts that wait for each other: they end only if that many threads run them. */
static void meet(void *context, size_t part, size_t thread)
{
    atomic_size_t *here = context;

    (void)part;
    (void)thread;
    ++*here;
    while (*here % 3) sleep_ms(1);
}

TEST(all_threads_work_at_once_awake_or_asleep)
{
    Team *team = team_of(3);
    atomic_size_t here = 0;

    for (size_t i = 1; i <= 20; i++) {
        team_run(team, 3, meet, &here);
        assert_int_equal(here, 3 * i);
        if (i % 2) sleep_ms(5);
    }
    team_free(team);
}

static void sleep_part(void *context, size_t part, size_t thread)
{
    (void)context;
    (void)thread;
    sleep_ms(part ? 10 : 0);
}

TEST(the_caller_waits_for_a_slow_part)
{
    Team *team = team_of(2);
    Count count = { .threads = 2 };

    for (size_t i = 0; i < 5; i++) {
        struct timespec before, after;
        clock_gettime(CLOCK_MONOTONIC, &before);
        team_run(team, 2, sleep_part, NULL);
        clock_gettime(CLOCK_MONOTONIC, &after);
        assert_true((after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec >= 9000000);
        count.round++;
        team_run(team, PARTS, count_part, &count);
        assert_int_equal(count.wrong, 0);
    }
    team_free(team);
}

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

TEST(helpers_sleep_between_sentences)
{
    Team *team = team_of(4);
    double before;

    count_rounds(team, 100, 10);
    sleep_ms(20);
    before = cpu_seconds();
    sleep_ms(300);
    assert_true(cpu_seconds() - before < 0.05);
    team_free(team);
}

TEST(teams_start_and_stop_idle_or_used)
{
    for (size_t i = 0; i < 200; i++) {
        Team *team = team_of(1 + i % 5);
        if (i % 3) count_rounds(team, i % 7, 1 + i % 2);
        if (i % 20 == 0) sleep_ms(1);
        team_free(team);
    }
}

static int set_up(__attribute__((unused)) void **state)
{
    alarm(HANG_SECONDS);
    return 0;
}

TESTS_WITH(test_team, set_up, NULL);
