/* search_state.h - what a Search holds, for search.c, search_greedy.c, search_beam.c and search_memory.c. */
#ifndef DRAGOMAN_SEARCH_STATE_H
#define DRAGOMAN_SEARCH_STATE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels.h"
#include "logits.h"
#include "logits_sink.h"
#include "search_params.h"
#include "search_scan.h"
#include "top_k.h"

/* One place in the search tree: the token that row `row` got at step `step`,
 * which is the number of tokens after the start token. */
typedef struct {
    size_t step;
    size_t row;
} Place;

/* A place among the results: a finished hypothesis, or a free one, which is
 * the prompt alone with the lowest score. */
typedef struct {
    float score, sum;
    bool finished;
    Place last;    /* the last token but one (free: the last one) */
    int32_t token; /* the last token (free: none, -1) */
} Slot;

typedef struct {
    int32_t token;
    uint32_t parent; /* row of the step before */
} Node;

typedef struct Search Search; /* its functions: search.h */
struct Search {
    const SearchParams *params;
    const Kernels *kernels;
    size_t vocab;
    LogitsProcessors processors;
    Node *nodes;   /* [params->max_length + 1, beams]; step 0 is the start token */
    float *scores; /* [beams], running scores */
    Slot *slots;   /* [beams], best first */
    TopK top;
    float *maxima;    /* [ROW_MAXIMA_OF(vocab)], of the row at hand */
    RowScan *scans;   /* [beams], with blocks */
    Kept *kept;       /* [beams, SCAN_MOST], theirs */
    float *best;      /* [beams, keep], theirs */
    bool scanned;     /* the step's logits come in blocks */
    bool overflowed;  /* they did, but the scans could not keep what may win */
    bool found;       /* the step's logits have been taken: `chosen` or `top` is what comes of them */
    int32_t chosen;   /* greedy search: the token */
    bool *complete;   /* [top.capacity], for the sorted candidates */
    size_t keep;      /* K of search_beam.c, or all there are */
    int32_t *history; /* [params->max_length + 1], the decoder's input of one row */
    int32_t *result;  /* [params->max_length], the ids last handed out */
    size_t prefix_len;
    size_t max_length; /* this sentence's */
    size_t step;       /* tokens after the start token that the coming decoder step has seen or sees */
    size_t rows;
    size_t finished;   /* complete candidates so far */
    bool top_finished; /* the best candidate was complete once */
    bool done;
    bool broken; /* see search_is_broken() */
    bool scored; /* search_expect_scores() */
};

/* A result that there is none of yet. */
#define NEVER (-1.0e9f)

static inline Node *search_node(const Search *s, Place place)
{
    return &s->nodes[place.step * s->params->beams + place.row];
}

/* The token of a column of the logits. */
static inline int32_t search_token_of(const Search *s, size_t column)
{
    return s->processors.ids ? s->processors.ids[column] : (int32_t)column;
}

/* search.c: applies the settings to row `row` of the step. */
void search_process_row(Search *s, size_t row, float *logits);

bool search_is_end(const Search *s, int32_t token);

/* length^length_penalty, in f32 as the scores are. */
float search_length_factor(const SearchParams *params, size_t length);

/* The score of a hypothesis of `step` tokens with this sum of log-probabilities. */
float search_final_score(const Search *s, float sum, size_t step);
void search_finish(Search *s);

/* search_greedy.c, search_beam.c: choose from all logits of the step, or from the scans if they came in blocks;
 * then go on with what was chosen. */
void search_greedy_choose(Search *s, float *logits);
void search_greedy_advance(Search *s);
void search_beam_choose(Search *s, const LogitsBlock *block);
void search_beam_advance(Search *s);

/* Of a row as the model gives it, one logit tells whether all are broken. Later on minus
 * infinity is what settings have forbidden. */
static inline void search_check_row(Search *s, const float *logits)
{
    if (!isfinite(*logits) && !s->params->remove_invalid_values) s->broken = true;
}

/* The largest logit and the logarithm of the sum. */
static inline void search_check_sum(Search *s, float top, float logsumexp)
{
    if (s->params->remove_invalid_values || top == -INFINITY) return;
    if (!isfinite(top) || !isfinite(logsumexp)) s->broken = true;
}

#endif
