/* team.c - see team.h.
 *
 * `round` is incremented twice per job: it is odd while a job is open. A helper increments `inside` and then reads
 * `round`; the caller closes the job and then reads `inside`. All these operations are sequentially consistent, so
 * either the helper sees that the job is closed and touches nothing, or the caller sees the helper and waits until it
 * has left. All parts are taken before the caller closes the job, and a thread finishes its parts before it leaves. So
 * when `inside` is zero, the job is done and its fields may be written again.
 *
 * Sleeping uses the same protocol. A helper increments `sleeping` and reads `round` before it sleeps; the caller opens
 * the job and then reads `sleeping`. The caller sets `waiting` and reads `inside`; a helper leaves and then reads
 * `waiting`. */
#include "team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "thread.h"

/* How long a thread spins before it sleeps: longer than the pause between two matmuls, too short for
 * users to notice. */
#define SPIN_SECONDS 50e-6

/* The number of times that the condition is checked between two reads of the clock. */
#define CHECKS 32

/* The parts of one thread: parts [next, end) have not been taken. Each share has its own cache line. */
typedef struct {
    _Alignas(64) atomic_size_t next;
    size_t end;
} Share;

typedef struct {
    Team *team;
    size_t thread;
    pthread_t handle;
} Helper;

struct Team { /* NOLINT(clang-analyzer-optin.performance.Padding): threads write to separate lines */
    size_t threads, least, started;
    TeamJob *job; /* written only while no job is open */
    void *context;
    Share shares[TEAM_MAX];
    _Alignas(64) atomic_uint round;
    atomic_bool stopping;
    _Alignas(64) atomic_uint inside; /* number of helpers in the job */
    atomic_uint sleeping;            /* number of helpers that sleep */
    atomic_bool waiting;             /* whether the caller sleeps */
    pthread_mutex_t lock;
    pthread_cond_t opened, left;
    Helper helpers[TEAM_MAX];
};

static inline void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* The condition that a thread waits for. `seen` is the last job that a helper took part in. */
typedef bool Condition(Team *team, unsigned seen);

static bool has_job(Team *team, unsigned seen)
{
    unsigned round = atomic_load(&team->round);

    return (round % 2 && round != seen) || atomic_load(&team->stopping);
}

static bool is_left(Team *team, unsigned seen)
{
    (void)seen;
    return atomic_load(&team->inside) == 0;
}

static bool spin(Team *team, Condition *condition, unsigned seen)
{
    double end;

    if (condition(team, seen)) return true;
    end = clock_seconds() + SPIN_SECONDS;
    do {
        for (int i = 0; i < CHECKS; i++) {
            relax();
            if (condition(team, seen)) return true;
        }
    } while (clock_seconds() < end);
    return false;
}

/* Takes and computes parts: first those of the thread's own share, then those of other threads. */
static void take_parts(Team *team, size_t thread)
{
    for (size_t i = 0; i < team->threads; i++) {
        Share *share = &team->shares[(thread + i) % team->threads];
        const size_t end = share->end;
        size_t part;
        while ((part = atomic_fetch_add(&share->next, 1)) < end) team->job(team->context, part, thread);
    }
}

/* Sleeps until woken up. The job may then be over; the caller does not wait for this thread. */
static void sleep_once(Team *team, unsigned seen)
{
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->sleeping, 1);
    if (!has_job(team, seen)) pthread_cond_wait(&team->opened, &team->lock);
    atomic_fetch_sub(&team->sleeping, 1);
    pthread_mutex_unlock(&team->lock);
}

static void leave(Team *team)
{
    if (atomic_fetch_sub(&team->inside, 1) != 1 || !atomic_load(&team->waiting)) return;
    pthread_mutex_lock(&team->lock);
    pthread_cond_signal(&team->left);
    pthread_mutex_unlock(&team->lock);
}

static void *helper_main(void *argument)
{
    Helper *helper = argument;
    Team *team = helper->team;
    unsigned seen = 0;

    for (;;) {
        while (!spin(team, has_job, seen)) sleep_once(team, seen);
        if (atomic_load(&team->stopping)) return NULL;
        atomic_fetch_add(&team->inside, 1);
        seen = atomic_load(&team->round);
        if (seen % 2) take_parts(team, helper->thread);
        leave(team);
    }
}

Status team_new(Team **out, size_t threads, size_t least, Err *err)
{
    Team *team = aligned_alloc(_Alignof(Team), sizeof *team);
    int fault = 0;

    *out = NULL;
    if (!team) return err_memory(err, "a team of threads");
    memset(team, 0, sizeof *team);
    team->threads = threads < 1 ? 1 : threads > TEAM_MAX ? TEAM_MAX : threads;
    team->least = least;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->opened, NULL);
    pthread_cond_init(&team->left, NULL);
    while (!fault && team->started + 1 < team->threads) {
        Helper *helper = &team->helpers[team->started];
        *helper = (Helper){ .team = team, .thread = team->started + 1 };
        fault = thread_start_masked(&helper->handle, helper_main, helper);
        if (!fault) team->started++;
    }
    if (!fault) {
        *out = team;
        return OK;
    }
    team_free(team);
    return err_set(err, ERR_IO, "cannot start a thread: %s", strerror(fault));
}

void team_free(Team *team)
{
    if (!team) return;
    pthread_mutex_lock(&team->lock);
    atomic_store(&team->stopping, true);
    pthread_cond_broadcast(&team->opened);
    pthread_mutex_unlock(&team->lock);
    for (size_t i = 0; i < team->started; i++) pthread_join(team->helpers[i].handle, NULL);
    pthread_cond_destroy(&team->opened);
    pthread_cond_destroy(&team->left);
    pthread_mutex_destroy(&team->lock);
    free(team);
}

size_t team_threads(const Team *team)
{
    return team ? team->threads : 1;
}

Team *team_for(Team *team, size_t work)
{
    return team && work >= team->least ? team : NULL;
}

static void open_job(Team *team, size_t parts, TeamJob *job, void *context)
{
    unsigned sleeping;

    team->job = job;
    team->context = context;
    for (size_t m = 0; m < team->threads; m++) {
        atomic_store(&team->shares[m].next, m * parts / team->threads);
        team->shares[m].end = (m + 1) * parts / team->threads;
    }
    atomic_fetch_add(&team->round, 1);
    sleeping = atomic_load(&team->sleeping);
    if (!sleeping) return;
    pthread_mutex_lock(&team->lock); /* let a helper that is about to sleep do so: it must receive the signal */
    pthread_mutex_unlock(&team->lock);
    for (size_t i = 1; i < parts && i <= sleeping; i++) pthread_cond_signal(&team->opened);
}

static void close_job(Team *team)
{
    atomic_fetch_add(&team->round, 1);
    if (spin(team, is_left, 0)) return;
    pthread_mutex_lock(&team->lock);
    atomic_store(&team->waiting, true);
    while (!is_left(team, 0)) pthread_cond_wait(&team->left, &team->lock);
    atomic_store(&team->waiting, false);
    pthread_mutex_unlock(&team->lock);
}

void team_run(Team *team, size_t parts, TeamJob *job, void *context)
{
    if (!team || team->threads < 2 || parts < 2) {
        for (size_t part = 0; part < parts; part++) job(context, part, 0);
        return;
    }
    open_job(team, parts, job, context);
    take_parts(team, 0);
    close_job(team);
}
