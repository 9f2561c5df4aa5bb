/* session.h - the state of one worker: the sentences that are translated or, with given translations, scored, their
 * caches and the scratch memory. Sentences join and leave while others continue (continuous batching): when a
 * sentence is finished, another one may take its place in the next step. One session belongs to one thread. Nothing is
 * allocated per token. */
#ifndef DRAGOMAN_SESSION_H
#define DRAGOMAN_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attention_choice.h"
#include "err.h"
#include "model.h"
#include "search.h"
#include "shortlist.h"
#include "team.h"
#include "trace.h"

typedef struct Session Session; /* fields: session.c */

/* `model` may be an ensemble (model.h). At most `max_rows` hypotheses are in flight, but one sentence always fits.
 * `params`, the model's defaults with the user's changes, must outlive the session.
 *
 * If `given` is not 0, the session scores given translations of at most `given` tokens (SearchInput.target). A step
 * computes at most `max_rows` tokens. There is room for `max_rows` sentences; each has one result, its translation. The
 * tokens are known, so the decoder computes all positions of several sentences in one pass. Scores and attention have
 * the same bits as those that a translating session records for the same tokens with the same settings, for any number
 * of sentences, rows and threads. In models whose rounding depends on the rows of a sentence
 * (decoder_takes_positions()), the decoder computes one position at a time; there the bits are those of a greedy
 * search, because in a beam search they depend on the other hypotheses. Such a session must not use shortlists,
 * demands or traces. */
MUST_USE Status session_new(Session **out, const Model *model, const SearchParams *params, size_t given,
                            size_t max_rows, Err *err);
void session_free(Session *session); /* NULL is allowed */

/* Returns the number of logits that a session with max_rows and `beams` holds at a time. */
size_t session_logits(const Model *model, size_t max_rows, size_t beams);

/* Shares the work of all later calls among the team. If it is NULL, the default, the calling thread works alone.
 * The team does not change the output. A team serves one session at a time. */
MUST_USE Status session_use_team(Session *session, Team *team, Err *err);

/* Restricts the translation of each later sentence to its candidates in the shortlist and to the tokens that the
 * settings and the prefix force. The shortlist must outlive the session. Call it only when nothing is in flight. */
MUST_USE Status session_use_shortlist(Session *session, const Shortlist *shortlist, Err *err);

/* Turns on extras for all later sentences: bits of SEARCH_SCORES, SEARCH_SPREAD and SEARCH_DEMANDS (search.h), under
 * the conditions that search.h states. Call it only when nothing is in flight. */
MUST_USE Status session_allow(Session *session, unsigned extras, Err *err);

/* Records the cross-attention of all later sentences. The choice is copied; NULL selects the model's own heads
 * (AlignmentConfig). If demands are allowed, the heads of ModelConfig.guide say where they may begin. An ensemble
 * records its first model, as marian-decoder does. Call it only when nothing is in flight. ERR_USAGE for a layer or
 * head that the model does not have. */
MUST_USE Status session_record_attention(Session *session, const AttentionChoice *choice, Err *err);

/* Traces the next sentence, the only one that the session translates until it is done. The trace, for the session's
 * model and beams, must outlive the session. Call it when nothing is in flight, with SEARCH_SCORES allowed. ERR_USAGE
 * if the session has room for several sentences or runs an ensemble. */
MUST_USE Status session_trace(Session *session, Trace *trace, Err *err);

/* The number of further sentences that fit now. */
size_t session_room(const Session *session);
bool session_idle(const Session *session); /* true when nothing is in flight */

/* Encodes `count` <= session_room() sentences together; with decoder_only, reads their prompts, which are complete:
 * the translation continues the source ids. The next step starts to decode them. ERR_USAGE for a sentence
 * with no source ids, with more than model_positions(), or with a prefix that leaves no room. */
MUST_USE Status session_add(Session *session, const SearchInput *inputs, size_t count, Err *err);

/* Runs one decoder step for all rows in flight. */
MUST_USE Status session_step(Session *session, Err *err);

/* Takes out a finished sentence and its tag, or returns false if there is none. session_search() has its `count`
 * hypotheses until the next call of session_finished() or session_add(). */
bool session_finished(Session *session, void **tag, size_t *count);
Search *session_search(const Session *session);

/* Copies the recorded attention of hypothesis i to out[planes, len, source_len]: planes is
 * 1, or the number of heads if they are recorded separately. Row t holds the probabilities of the source ids when
 * token t was chosen, also for the forced prefix and the end token. The caller owns out. */
void session_result_attention(Session *session, size_t i, float *out);

/* True when the model computed NaN or infinity for the sentence that session_finished() returned
 * (search_is_broken()). The sentence then has no result. */
bool session_is_broken(const Session *session);

#endif
