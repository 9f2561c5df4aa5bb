/* fake_engine.h - a tokenizer and a session without arithmetic, for
 * tests of translator/. They replace tokenizer/ and model/ in the program of the
 * tests that include this file, fake_model.h or scheduler_bench.h.
 *
 * A text is a sequence of numbers: "12" is id 12 with the piece "_12" (where _
 * is U+2581), and "12." is id 1012 with the piece "_12.", which ends a sentence.
 * Other words have no piece. The end token is id 2000. The hypothesis of rank r
 * is the prefix, then each source id plus r, then the end token. Its score is
 * -r minus the number of these ids without the prefix. Each token of a given
 * translation gets -1, and half of their sum is the score.
 *
 * "X1" to "X9" are names, which all hypotheses copy as they are. FAKE_LOSES,
 * FAKE_DOUBLES and FAKE_LOSES_LATER in the source say otherwise. */
#ifndef DRAGOMAN_FAKE_ENGINE_H
#define DRAGOMAN_FAKE_ENGINE_H

#include "test_support.h"

#include <pthread.h>
#include <stdatomic.h>

#include "tokenizer.h"

#define FAKE_END    2000
#define FAKE_FAIL   900 /* a step fails while a sentence with this id is in flight */
#define FAKE_STUCK  901 /* does not finish until fake_gate is true */
#define FAKE_SLOW   902 /* takes 50 steps of a millisecond each */
#define FAKE_BROKEN 903 /* its logits are not finite */

#define FAKE_LOSES       904 /* no hypothesis has a name */
#define FAKE_DOUBLES     905 /* hypotheses have each name twice */
#define FAKE_LOSES_LATER 906 /* only the hypothesis of rank 0 has the names */

#define FAKE_NAMES 1990 /* id of the name X0; the sentences "991." to "999." do not exist */

extern atomic_bool fake_gate, fake_no_session;
extern atomic_size_t fake_sessions, fake_adds, fake_overfull, fake_most_tokens;
extern atomic_size_t fake_leaders;    /* sessions that are in a step with a team */
extern atomic_size_t fake_team_steps; /* finished steps with a team */

/* The sentences that sessions have got, in order: the first FAKE_LOG of them since fake_reset(). */
#define FAKE_LOG 4096
typedef struct {
    int32_t id;    /* the first one of the sentence */
    size_t others; /* sentences that the session had */
} FakeAdded;
extern FakeAdded fake_log[FAKE_LOG];
extern atomic_size_t fake_logged; /* may be above FAKE_LOG */

/* What the tokenizer answers. */
extern size_t fake_source_vocab, fake_target_vocab;
extern bool fake_no_language;
extern int32_t fake_decoder_start, fake_forced_bos;
extern int32_t fake_unknown; /* of the target */

/* Resets the values of sessions, not those of the tokenizer. */
void fake_reset(void);

void fake_sleep(long milliseconds);

#endif
