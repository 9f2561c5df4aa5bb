/* search_state.h - what a Search holds, for search.c, search_blocks.c and search_memory.c. */
#ifndef DRAGOMAN_SEARCH_STATE_H
#define DRAGOMAN_SEARCH_STATE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels.h"
#include "logits.h"
#include "search.h"
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

struct Search {
    const SearchParams *params;
    const Kernels *kernels;
    size_t vocab;
    LogitsRules rules;
    Node *nodes;   /* [params->max_length + 1, beams]; step 0 is the start token */
    float *scores; /* [beams], running scores */
    Slot *slots;   /* [beams], best first */
    TopK top;
    float *tops;      /* [ROW_TOPS_OF(vocab)], of the row at hand */
    RowScan *scans;   /* [beams], with blocks */
    Kept *kept;       /* [beams, SCAN_MOST], theirs */
    float *best;      /* [beams, keep], theirs */
    bool scanned;     /* the step's logits have come in blocks */
    bool *complete;   /* [top.capacity], for the sorted candidates */
    size_t keep;      /* K of search.c, or all there are */
    int32_t *history; /* [params->max_length + 1], the decoder's input of one row */
    int32_t *result;  /* [params->max_length], the ids last handed out */
    size_t prefix_len;
    size_t max_length; /* this sentence's */
    size_t step;       /* tokens after the start token that the coming decoder step has seen or sees */
    size_t rows;
    size_t finished;   /* complete candidates so far, for CTranslate2's search */
    bool top_finished; /* the best candidate was complete once */
    bool done;
    bool broken; /* see search_is_broken() */
    bool scored; /* search_expect_scores() */
};

/* Of a row as the model gives it, one logit tells whether all are broken. Later on minus
 * infinity is what settings have forbidden. */
static inline void search_check_row(Search *s, const float *logits)
{
    if (!isfinite(*logits) && !s->params->remove_invalid_values) s->broken = true;
}

/* The largest logit and the logarithm of the sum. */
static inline void search_check_sum(Search *s, float top, float log_sum)
{
    if (s->params->remove_invalid_values || top == -INFINITY) return;
    if (!isfinite(top) || !isfinite(log_sum)) s->broken = true;
}

#endif
