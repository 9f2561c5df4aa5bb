/* team.c - see team.h.
 *
 * `round` counts up twice a job: it is odd while a job is open. A helper
 * counts itself into `inside` and then looks at `round`; the caller closes the
 * job and then looks at `inside`. In the one order of these operations (all
 * are sequentially consistent) either the helper sees the job closed and
 * touches nothing, or the caller sees the helper and waits until it has left.
 * All parts are taken before the caller closes, and a taken part is done when
 * its member leaves: so once nobody is inside, the job is done, and its fields
 * may be written again.
 *
 * Sleeping is the same twice over: a helper counts itself into `sleeping` and
 * looks at `round` before it sleeps, the caller opens the job and then looks
 * at `sleeping`; and the caller sets `waiting` and looks at `inside`, the
 * helper leaves and then looks at `waiting`. */
#include "team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "thread.h"

/* How long a thread looks out before it sleeps: more than what lies between
 * two products, less than what anybody would notice. */
#define LOOK_OUT_NS 50000

/* Looks between two looks at the clock. */
#define LOOKS 32

/* Parts next .. end are still to be taken. A cache line of its own. */
typedef struct {
    _Alignas(64) atomic_size_t next;
    size_t end;
} Share;

typedef struct {
    Team *team;
    size_t member;
    pthread_t thread;
} Helper;

struct Team { /* NOLINT(clang-analyzer-optin.performance.Padding): what different threads write lies apart */
    size_t members, least, started;
    TeamJob *job; /* written while it is closed */
    void *context;
    Share shares[TEAM_MAX];
    _Alignas(64) atomic_uint round;
    atomic_bool stopping;
    _Alignas(64) atomic_uint inside; /* helpers */
    atomic_uint sleeping;            /* helpers */
    atomic_bool waiting;             /* the caller sleeps */
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

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* What a thread waits for; `seen` is the last job that a helper was in. */
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

static bool look_out(Team *team, Condition *condition, unsigned seen)
{
    int64_t end;

    if (condition(team, seen)) return true;
    end = now_ns() + LOOK_OUT_NS;
    do {
        for (int i = 0; i < LOOKS; i++) {
            relax();
            if (condition(team, seen)) return true;
        }
    } while (now_ns() < end);
    return false;
}

static void take_from(Team *team, Share *share, size_t member)
{
    size_t end = share->end, part;

    while ((part = atomic_fetch_add(&share->next, 1)) < end) team->job(team->context, part, member);
}

/* Its own share, then what the others have left. */
static void take_parts(Team *team, size_t member)
{
    for (size_t i = 0; i < team->members; i++) take_from(team, &team->shares[(member + i) % team->members], member);
}

/* Until somebody wakes it, perhaps too late for the job: the next one will
 * come soon. */
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
        while (!look_out(team, has_job, seen)) sleep_once(team, seen);
        if (atomic_load(&team->stopping)) return NULL;
        atomic_fetch_add(&team->inside, 1);
        seen = atomic_load(&team->round);
        if (seen % 2) take_parts(team, helper->member);
        leave(team);
    }
}

static Status start_helpers(Team *team, Err *err)
{
    int fault = 0;

    while (!fault && team->started + 1 < team->members) {
        Helper *helper = &team->helpers[team->started];
        *helper = (Helper){ .team = team, .member = team->started + 1 };
        fault = thread_start_masked(&helper->thread, helper_main, helper);
        if (!fault) team->started++;
    }
    return fault ? err_set(err, ERR_IO, "cannot start a thread: %s", strerror(fault)) : OK;
}

Status team_new(Team **out, size_t members, size_t least, Err *err)
{
    Team *team = aligned_alloc(_Alignof(Team), sizeof *team);
    Status st;

    *out = NULL;
    if (!team) return err_memory(err, "a team of threads");
    memset(team, 0, sizeof *team);
    team->members = members < 1 ? 1 : members > TEAM_MAX ? TEAM_MAX : members;
    team->least = least;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->opened, NULL);
    pthread_cond_init(&team->left, NULL);
    st = start_helpers(team, err);
    if (st == OK)
        *out = team;
    else
        team_free(team);
    return st;
}

void team_free(Team *team)
{
    if (!team) return;
    pthread_mutex_lock(&team->lock);
    atomic_store(&team->stopping, true);
    pthread_cond_broadcast(&team->opened);
    pthread_mutex_unlock(&team->lock);
    for (size_t i = 0; i < team->started; i++) pthread_join(team->helpers[i].thread, NULL);
    pthread_cond_destroy(&team->opened);
    pthread_cond_destroy(&team->left);
    pthread_mutex_destroy(&team->lock);
    free(team);
}

size_t team_threads(const Team *team)
{
    return team ? team->members : 1;
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
    for (size_t m = 0; m < team->members; m++) {
        atomic_store(&team->shares[m].next, m * parts / team->members);
        team->shares[m].end = (m + 1) * parts / team->members;
    }
    atomic_fetch_add(&team->round, 1);
    sleeping = atomic_load(&team->sleeping);
    if (!sleeping) return;
    pthread_mutex_lock(&team->lock); /* who was about to sleep does so now, and hears the signal */
    pthread_mutex_unlock(&team->lock);
    for (size_t i = 1; i < parts && i <= sleeping; i++) pthread_cond_signal(&team->opened);
}

static void close_job(Team *team)
{
    atomic_fetch_add(&team->round, 1);
    if (look_out(team, is_left, 0)) return;
    pthread_mutex_lock(&team->lock);
    atomic_store(&team->waiting, true);
    while (!is_left(team, 0)) pthread_cond_wait(&team->left, &team->lock);
    atomic_store(&team->waiting, false);
    pthread_mutex_unlock(&team->lock);
}

void team_run(Team *team, size_t parts, TeamJob *job, void *context)
{
    if (!team || team->members < 2 || parts < 2) {
        for (size_t part = 0; part < parts; part++) job(context, part, 0);
        return;
    }
    open_job(team, parts, job, context);
    take_parts(team, 0);
    close_job(team);
}
