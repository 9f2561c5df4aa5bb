/* team.h - threads that share one product (or another piece of work) with the
 * thread that asks for it.
 *
 * The work comes in parts. EnsembleModels take parts until none is left, each from
 * its own share first, so that with every step the same core reads the same
 * part of a matrix. The caller works along and never waits for a helper to
 * wake up: one that is late finds less to do, or nothing. Which member does a
 * part changes no bit: parts write to places of their own.
 *
 * A helper without work looks out for some tens of microseconds, which are
 * the pauses between the products of a step, and then sleeps. */
#ifndef DRAGOMAN_TEAM_H
#define DRAGOMAN_TEAM_H

#include <stddef.h>

#include "err.h"

typedef struct Team Team; /* fields: team.c */

/* More members than this do not help: a step's products are too small. */
#define TEAM_MAX ((size_t)16)

/* Work worth sharing: so many multiplications take some microseconds, and
 * sharing about one. */
#define TEAM_LEAST_WORK ((size_t)1 << 16)

/* Does one part. `member`, below team_threads(), is the thread's own while the
 * part runs: an index of scratch memory. */
typedef void TeamJob(void *context, size_t part, size_t member);

/* A team of `members` threads, at most TEAM_MAX, the caller of team_run()
 * counted: starts members - 1. There should not be more members than cores.
 * `least` is what team_for() goes by. OK: the caller owns *out. */
MUST_USE Status team_new(Team **out, size_t members, size_t least, Err *err);
void team_free(Team *team); /* no team_run() may be under way; NULL is allowed */

/* 1 for NULL. */
size_t team_threads(const Team *team);

/* The team, or NULL for less than its least work: what team_run() shall take
 * for `work` multiplications. team may be NULL. */
Team *team_for(Team *team, size_t work);

/* Calls job(context, part, member) once for each part below `parts` and
 * returns when all are done. What the caller wrote before is seen by the job,
 * what the job wrote by the caller. One thread at a time. Without a team (NULL)
 * the caller does all parts. */
void team_run(Team *team, size_t parts, TeamJob *job, void *context);

#endif
