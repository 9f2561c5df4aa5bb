/* attention_score.h - attention weights other than the softmax of scaled q.k over all keys. For one head,
 * where q and k have d_k elements, the score is
 *     dot         q.k                 scaled_dot   q.k / sqrt(d_k)
 *     general     q.(W k)             W [d_k, d_k]
 *     additive    v.tanh(W [q; k])    W [d_k, 2 d_k], v [d_k]
 *     location    row j of W q        W [max_positions, d_k], for key j
 * A window of width D around p, for the query at position t with S keys, is
 *     local-m     p = min(t, S - 1); softmax over [p - D, p + D]
 *     local-p     p = S sigmoid(vp.tanh(Wp q)), Wp [d_k, d_k], vp [d_k];
 *                 the same softmax, then multiplied by exp(-(j - p)^2 / (2 (D/2)^2))
 * S is the number of keys that the query sees; in the decoder's self-attention these end at its own
 * position. The local windows follow Luong et al. 2015. */
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
    size_t width; /* D; unused with WINDOW_GLOBAL */
} ScoreConfig;

/* Trained parameters of one attention, shared by its heads or separate for each head. */
typedef struct {
    const float *values; /* NULL: the score function has no parameters */
    size_t step;         /* number of floats from one head's parameters to the next; 0: the heads share them */
} ScoreWeight;

typedef struct {
    ScoreWeight w, v, wp, vp;
} AttentionScore;

/* Common parameters of the functions below. */
typedef struct {
    const Kernels *kernels;
    const ScoreConfig *config;
    const AttentionScore *weights;
    size_t heads, head_size;
    float *scratch; /* [2 * head_size] */
} ScoreSetting;

/* True when the attention is plain (softmax of q.k) once the keys have been projected, so that Kernels.attend() and
 * matmuls can compute it. */
bool attention_score_is_plain(const ScoreConfig *config);

/* Returns the factor of q.k. */
float attention_score_scale(const ScoreConfig *config, size_t head_size);

/* Replaces the keys k[rows, heads * head_size], `stride` floats apart, by their projections: W k (general),
 * or the key's part of W [q; k] (additive). */
void attention_score_project_keys(const ScoreSetting *setting, float *k, size_t rows, size_t stride);

/* Sets out[heads * head_size] to the attention-weighted sum of the values for the query q at `position`,
 * over projected f32 keys. scores[heads, rows->count] receives the weights of the values, 0 outside a window. */
void attention_score_attend(const ScoreSetting *setting, const float *q, size_t position, const AttentionRows *rows,
                            float *scores, float *out);

#endif
