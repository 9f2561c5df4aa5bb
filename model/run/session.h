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

/* One sentence. The arrays must stay valid until the sentence is done. */
typedef struct {
    const int32_t *source; /* input ids of the encoder, 1 <= len <= max_positions */
    size_t source_len;
    const int32_t *prefix; /* forced beginning of the translation; may be empty */
    size_t prefix_len;
    size_t max_length;            /* limit on new tokens; 0: the limit of SearchParams */
    const SearchDemands *demands; /* what the translation has to contain (with SEARCH_DEMANDS); NULL: nothing */
    bool single;                  /* no alternatives, even if the settings ask for some */
    /* The given translation, if the session scores given translations: without the start token, with the end token. Its
     * first prefix_len tokens are not scored. The other fields above, except the source, are then ignored. */
    const int32_t *target;
    size_t target_len; /* 1 <= len <= the `given` of session_new() */
    void *tag;         /* returned with the result */
} SessionInput;

/* `model` may be an ensemble (model.h). At most `max_rows` hypotheses are in flight, but always at least one
 * sentence. `params`, the model's defaults with the user's changes, must outlive the session.
 *
 * If `given` is not 0, the session scores given translations of at most `given` tokens (search_start_given()). A step
 * computes at most `max_rows` tokens. There is room for `max_rows` sentences; each has one result, its translation. The
 * tokens are known, so the decoder computes all positions of several sentences in one pass. Scores and attention have
 * the same bits as those that a translating session records for the same tokens with the same settings, for any number
 * of sentences, rows and threads. In models whose rounding depends on the rows of a sentence
 * (decoder_takes_positions()), the decoder computes one position at a time; there the bits are those of a greedy
 * search, because in a beam search they depend on the other hypotheses. Such a session
 * must not use shortlists, demands, spread or traces. */
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
 * (AlignmentConfig). An ensemble records its first model, as marian-decoder does. Call it only when nothing is in
 * flight. ERR_USAGE for a layer or head that the model does not have. */
MUST_USE Status session_record_attention(Session *session, const AttentionChoice *choice, Err *err);

/* Traces the next sentence, the only one that the session translates until it is done. The trace, for the session's
 * model and beams, must outlive the session. Call it when nothing is in flight, with SEARCH_SCORES allowed.
 * ERR_USAGE if the session has room for more sentences than one, or an ensemble. */
MUST_USE Status session_trace(Session *session, Trace *trace, Err *err);

/* The number of further sentences that fit now. */
size_t session_room(const Session *session);
bool session_idle(const Session *session); /* true when nothing is in flight */

/* Encodes `count` <= session_room() sentences together. The next step starts to decode them. */
MUST_USE Status session_add(Session *session, const SessionInput *inputs, size_t count, Err *err);

/* Runs one decoder step for all rows in flight. */
MUST_USE Status session_step(Session *session, Err *err);

/* Takes out a finished sentence, or returns false if there is none. session_result() reads its `count`
 * hypotheses, best first, until the next call of session_finished() or session_add(). */
bool session_finished(Session *session, void **tag, size_t *count);
Hypothesis session_result(Session *session, size_t i);

/* The most tokens that a hypothesis of this sentence could have. */
size_t session_result_limit(const Session *session);

/* Copies the recorded attention of the hypothesis session_result(session, i) to out[planes, len, source_len]: planes is
 * 1, or the number of heads if they are recorded separately. Row t holds the probabilities of the source ids when
 * token t was chosen, also for the forced prefix and the end token. The caller owns out. */
void session_result_attention(Session *session, size_t i, float *out);

/* Sets out[len] to the recorded log-probabilities of the tokens of session_result(session, i), see
 * search_result_scores(). The caller owns out. */
void session_result_scores(Session *session, size_t i, float *out);

/* Sets out[len] to the recorded spread of the tokens of session_result(session, i). The caller owns out. */
void session_result_spread(Session *session, size_t i, TokenSpread *out);

/* search_result_rows() for session_result(session, i). */
size_t session_result_rows(const Session *session, size_t i, size_t *rows);

/* search_candidates() for a traced sentence. */
const SearchCandidate *session_candidates(const Session *session, size_t *count);

/* True when the model computed NaN or infinity for the sentence that session_finished() returned
 * (search_is_broken()). The sentence then has no result. */
bool session_is_broken(const Session *session);

#endif
