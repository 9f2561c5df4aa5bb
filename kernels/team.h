/* team.h - threads that share one matmul, or other work, with the calling thread.
 *
 * The work is split into parts. Each thread takes parts until none is left. It begins with a fixed share, so that
 * at every step the same core reads the same part of a matrix. The caller also works and never waits for a helper to
 * wake up; a late helper finds few parts left, or none. The result does not depend on which thread computes a part,
 * because parts write to separate memory.
 *
 * A helper without work spins for some tens of microseconds, the length of the pauses between the
 * matmuls of a decoder step, and then sleeps. */
#ifndef DRAGOMAN_TEAM_H
#define DRAGOMAN_TEAM_H

#include <stddef.h>

#include "err.h"

typedef struct Team Team; /* fields: team.c */

/* The largest number of threads: more do not help, because the matmuls of a decoder step are too small. */
#define TEAM_MAX ((size_t)16)

/* Fewer multiplications than this are not shared: this many take some microseconds, and sharing costs about one. */
#define TEAM_MIN_WORK ((size_t)1 << 16)

/* Computes one part. `thread` is an index below team_threads() that only this thread has while the
 * part runs; use it to select scratch memory. */
typedef void TeamJob(void *context, size_t part, size_t thread);

/* Creates a team of `threads` threads, at most TEAM_MAX, including the caller of team_run(): starts threads - 1
 * helpers. Use no more threads than cores. `least` is the limit for team_for(). OK: the caller owns *out. */
MUST_USE Status team_new(Team **out, size_t threads, size_t least, Err *err);
void team_free(Team *team); /* no team_run() may be running; NULL is allowed */

/* Returns 1 for NULL. */
size_t team_threads(const Team *team);

/* Returns the team to pass to team_run() for `work` multiplications: NULL if they are fewer than the team's `least`.
 * team may be NULL. */
Team *team_for(Team *team, size_t work);

/* Calls job(context, part, thread) once for each part below `parts` and returns when all calls have
 * returned. The jobs see what the caller wrote before, and the caller sees what the jobs wrote. Only
 * one thread may call it at a time. Without a team (NULL) the caller computes all parts. */
void team_run(Team *team, size_t parts, TeamJob *job, void *context);

#endif
