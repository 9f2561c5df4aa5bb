/* bind_score.h - the trained numbers of an attention's score function. */
#ifndef DRAGOMAN_BIND_SCORE_H
#define DRAGOMAN_BIND_SCORE_H

#include "binder.h"

/* Reads what `config` needs of NAME ".w", ".v", ".wp" and ".vp"; each may have
 * the heads in front of its shape. */
MUST_USE Status bind_score(Binder *b, AttentionScore *out, const ScoreConfig *config, const StackConfig *stack,
                           const char *name);

#endif
