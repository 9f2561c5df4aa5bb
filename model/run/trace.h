/* trace.h - everything that a session computes for one sentence, recorded for `dragoman explain`: the attention of all
 * layers and heads, the embeddings, the best tokens of each step, and the hypotheses that the search considered.
 * Without a trace, a session only tests one pointer per layer and row. Shapes: S source ids, T target ids of a
 * hypothesis, L layers and H heads of a stack. */
#ifndef DRAGOMAN_TRACE_H
#define DRAGOMAN_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "err.h"
#include "model.h"
#include "search.h"

/* Steps from this one on are not traced. */
#define TRACE_STEPS ((size_t)192)

/* A token and its log-probability in the model's distribution, before any search setting is applied. */
typedef struct {
    int32_t id;
    float logprob;
} TraceToken;

/* What the decoder computed for the rows of a step, one for each beam. */
typedef struct {
    float *past;      /* [beams, past_size()] */
    TraceToken *best; /* [beams, best], most probable first; an id of -1 is unused */
} TraceStep;

typedef struct {
    Arena *arena; /* owns the memory */
    const Model *model;
    size_t beams, source_len;
    size_t best;           /* tokens that are kept for each row */
    const int32_t *wanted; /* [wanted_len]: one id per step whose log-probability is also kept; not owned */
    size_t wanted_len;
    float *wanted_logprobs; /* [wanted_len]: log-probabilities of `wanted` in row 0 */
    float *encoder;         /* self-attention, [L, H, S, S] */
    TraceStep *steps;       /* [TRACE_STEPS] */
} Trace;

/* Makes a trace for a sentence of source_len ids. The caller frees *out with trace_free() in every case. `wanted` must
 * outlive the trace. */
MUST_USE Status trace_init(Trace *out, const Model *model, size_t beams, size_t source_len, const int32_t *wanted,
                           size_t wanted_len, Err *err);
void trace_free(Trace *trace); /* {0} is allowed */

/* The next three functions are called by the session. This one prepares a step. */
MUST_USE Status trace_open(Trace *trace, size_t position, Err *err);
/* Returns the row of a beam in TraceStep.past; NULL if the step is not traced. */
float *trace_past_row(const Trace *trace, size_t position, size_t beam);
/* Keeps the best tokens of a row. ids[count] are the ids of the logits; NULL: 0 .. count - 1. */
void trace_take_logits(Trace *trace, size_t position, size_t beam, const float *logits, const int32_t *ids,
                       size_t count);

/* Sets out[L, H or 1, T, T] to the weights that the previous tokens of a hypothesis have in each step: row t is for the
 * step that chose token t from beam rows[t]; T = `len` is at most TRACE_STEPS. Self-attention: its probabilities. SSRU,
 * one plane per layer: the mean over d of (1 - f_j) f_j+1 ... f_t, the share of the input of step j in the state at t.
 * AAN: 1 / (t + 1), because it averages. */
MUST_USE Status trace_read_past(const Trace *trace, const size_t *rows, size_t len, float *out, Err *err);
size_t trace_past_planes(const Model *model); /* the number of planes: L H or L */

/* The input of a stack before any norm is the sum of token[len, d], the embeddings with their scale, and
 * position[len, d], which is zero if the model has none. `ids` are the source ids, or those that the decoder reads. */
MUST_USE Status trace_embeddings(const Model *model, bool decoder, const int32_t *ids, size_t len, float *token,
                                 float *position, Err *err);

#endif
