/* session.h - the state of one worker: sentences being decoded, their caches
 * and the scratch memory. Sentences come and go while the others go on
 * (continuous batching): finished ones make room at the next step.
 * One session belongs to one thread. Nothing is allocated per token. */
#ifndef DRAGOMAN_SESSION_H
#define DRAGOMAN_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "model.h"
#include "search.h"
#include "shortlist.h"
#include "team.h"

typedef struct Session Session; /* fields: session.c */

/* One sentence to translate. The arrays must stay valid until the sentence
 * is done. */
typedef struct {
    const int32_t *source; /* ids as the encoder takes them, 1 <= len <= max_positions */
    size_t source_len;
    const int32_t *prefix; /* forced beginning of the translation, may be empty */
    size_t prefix_len;
    size_t max_length; /* new tokens; 0: the search's own */
    void *tag;         /* handed back with the result */
} SessionInput;

/* The model may be an ensemble (model.h). At most `max_rows` hypotheses are in flight, but always one sentence at
 * least. `params` (the model's defaults with the user's changes) must outlive
 * the session. */
MUST_USE Status session_new(Session **out, const Model *model, const SearchParams *params, size_t max_rows, Err *err);
void session_free(Session *session); /* NULL is allowed */

/* From now on the team shares the work of every call; NULL, as in the
 * beginning: the calling thread does it alone. The bits are the same. A team
 * serves one session at a time. */
MUST_USE Status session_use_team(Session *session, Team *team, Err *err);

/* From now on each sentence's translation is chosen from its own candidates,
 * and from what the settings and its prefix force. The shortlist must outlive
 * the session; nothing may be in flight. */
MUST_USE Status session_use_shortlist(Session *session, const Shortlist *shortlist, Err *err);

/* How many more sentences fit now. */
size_t session_room(const Session *session);
bool session_idle(const Session *session); /* nothing in flight */

/* Encodes `count` <= session_room() sentences together and begins to decode
 * them at the next step. */
MUST_USE Status session_add(Session *session, const SessionInput *inputs, size_t count, Err *err);

/* One decoder step for every row in flight. */
MUST_USE Status session_step(Session *session, Err *err);

/* Takes a finished sentence out. Its hypotheses (best first, `count` of them)
 * are read through session_result() until the next call of session_finished()
 * or session_add(). False when no sentence is finished. */
bool session_finished(Session *session, void **tag, size_t *count);
Hypothesis session_result(Session *session, size_t i);

/* Of the sentence taken out: what the model computes for it is no finite numbers (search_is_broken()), and
 * there is no result. */
bool session_is_broken(const Session *session);

#endif
