/* attention_score.h - how queries and keys become attention weights where it
 * is not the softmax of (scaled) q.k over all keys. For one head, with q and k
 * of d_k numbers:
 *     dot         q.k                 scaled_dot   q.k / sqrt(d_k)
 *     general     q.(W k)             W [d_k, d_k]
 *     additive    v.tanh(W [q; k])    W [d_k, 2 d_k], v [d_k]
 *     location    row j of W q        W [max_positions, d_k], for key j
 * A window of width D around p, for the query at position t with S keys:
 *     local-m     p = min(t, S - 1); softmax inside of [p - D, p + D]
 *     local-p     p = S sigmoid(vp.tanh(Wp q)), Wp [d_k, d_k], vp [d_k];
 *                 the same, then times exp(-(j - p)^2 / (2 (D/2)^2))
 * S is the number of keys that the query sees: those up to its own in the
 * decoder's self-attention. Local windows as in Luong et al. 2015. */
#ifndef DRAGOMAN_ATTENTION_SCORE_H
#define DRAGOMAN_ATTENTION_SCORE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels.h"

typedef enum { SCORE_SCALED_DOT, SCORE_DOT, SCORE_GENERAL, SCORE_ADDITIVE, SCORE_LOCATION } ScoreFunction;
typedef enum { WINDOW_GLOBAL, WINDOW_LOCAL_M, WINDOW_LOCAL_P } ScoreWindow;

typedef struct {
    ScoreFunction function;
    ScoreWindow window;
    size_t width; /* D; not with WINDOW_GLOBAL */
} ScoreConfig;

/* Trained numbers of one attention, shared by its heads or one set a head. */
typedef struct {
    const float *numbers; /* NULL: the function has none */
    size_t step;          /* from one head's to the next one's; 0: shared */
} ScoreWeight;

typedef struct {
    ScoreWeight w, v, wp, vp;
} AttentionScore;

/* What the functions below have in common. */
typedef struct {
    const Kernels *kernels;
    const ScoreConfig *config;
    const AttentionScore *weights;
    size_t heads, head_size;
    float *scratch; /* [2 * head_size] */
} ScoreSetting;

/* True where Kernels.attend() and plain products do it, after the keys have
 * been turned. */
bool attention_score_is_plain(const ScoreConfig *config);

/* The factor of q.k. */
float attention_score_scale(const ScoreConfig *config, size_t head_size);

/* Turns the keys k[rows, heads * head_size], `stride` floats apart, into what
 * scores are made of: W k (general), the key's half of W [q; k] (additive). */
void attention_score_project_keys(const ScoreSetting *setting, float *k, size_t rows, size_t stride);

/* out[heads * head_size] = attention weights times values, for the query q at
 * `position`, over turned keys of f32. scores[rows->count] is scratch. */
void attention_score_attend(const ScoreSetting *setting, const float *q, size_t position, const AttentionRows *rows,
                            float *scores, float *out);

#endif
