/* search_state.h - the fields of Search, for the files whose names begin with search_. */
#ifndef DRAGOMAN_SEARCH_STATE_H
#define DRAGOMAN_SEARCH_STATE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels.h"
#include "logits.h"
#include "logits_sink.h"
#include "sampling.h"
#include "search_candidate.h"
#include "search_params.h"
#include "search_result.h"
#include "search_scan.h"
#include "token_spread.h"
#include "top_k.h"

/* A position in the search tree: row `row` at step `step`, the number of tokens after the start token. */
typedef struct {
    size_t step;
    size_t row;
} BeamPosition;

/* An entry of the list of results: a finished hypothesis, or an unused entry that holds the prompt
 * with the lowest score. */
typedef struct {
    float score, sum;
    bool finished;
    BeamPosition last; /* the last token but one; unused entry: the last token of the prompt */
    int32_t token;     /* the last token; unused entry: -1 */
    size_t missed;     /* the number of demands that it does not meet; unused entry: SIZE_MAX */
} Result;

typedef struct {
    int32_t token;
    uint32_t parent; /* row of the previous step */
} Node;

typedef struct Search Search;             /* its functions: search.h */
typedef struct DemandSearch DemandSearch; /* fields: search_demands.c */
typedef struct SearchLanes SearchLanes;   /* fields: search_lane_state.h */

/* What drawing tokens at random needs. */
typedef struct {
    Sampler sampler;
    float *scores;  /* [rows, vocab], the scores of the candidates */
    float *weights; /* likewise, minus infinity for those that cannot be drawn; without beams, one row */
} SearchDraws;
struct Search {
    const SearchParams *params;
    const Kernels *kernels;
    size_t vocab;
    LogitsProcessors processors;
    Node *nodes;         /* [params->max_length + 1, beams]; step 0 is the start token */
    float *scores;       /* [beams], running scores */
    float *sums;         /* as nodes: the sum of the log-probabilities up to each token; NULL: not recorded */
    TokenSpread *spread; /* as nodes: of the row that continues each one; NULL: not recorded */
    Result *results;     /* [result_room], best first */
    size_t result_room;
    TopK top;
    float *maxima;   /* [ROW_MAXIMA_OF(vocab)], of the current row */
    RowScan *scans;  /* [beams], for logits in blocks */
    KeptLogit *kept; /* [beams, SCAN_MAX_KEPT], memory of scans */
    float *best;     /* [beams, keep], memory of scans */
    bool scanned;    /* the logits of this step come in blocks */
    bool overflowed; /* the scans lost logits: the step needs whole rows */
    bool evaluated;  /* the logits of this step have been taken and evaluated into `chosen` or `top` */
    int32_t chosen;  /* greedy search: the chosen token */
    bool *complete;  /* [top.capacity], for the sorted candidates: it ends with an end token or at the maximal length */
    size_t keep;     /* K of search_beam.c, at most the number of candidates */
    int32_t *history;    /* [params->max_length + 1], the decoder's input for one row */
    int32_t *result_ids; /* [params->max_length], ids of the hypothesis last returned */
    size_t prefix_len;
    size_t max_length; /* limit of the current sentence */
    size_t step;       /* tokens after the start token in the next step's input */
    size_t rows;
    size_t finished;   /* number of complete candidates so far */
    bool top_finished; /* the best candidate has been complete at least once */
    bool done;
    bool broken;           /* see search_is_broken() */
    bool expects_scores;   /* see search_expect_scores() */
    DemandSearch *demands; /* NULL: not allowed */
    SearchLanes *lanes;    /* the sentence is divided into several searches, and this one has only `params`,
                                    `processors`, `step`, `prefix_len` and `max_length`; NULL: it is not */
    SearchDraws *draws;    /* NULL: nothing is drawn */
    bool borrows_draws;
    uint64_t draw_key;       /* of the sentence */
    uint32_t draw_number;    /* of the hypothesis, if each is drawn by itself */
    bool is_group;           /* of diverse beam search */
    const int32_t *favoured; /* the prefix that is favoured but not forced, [favoured_len] */
    size_t favoured_len;
    bool *departed;              /* [beams], see SearchRules.prefix_bias_by_position; NULL: no prefix is favoured */
    SearchCandidate *candidates; /* [max_length + 1, keep], see search_record_candidates(); NULL: not recorded */
    size_t candidate_count;
};

static inline Node *search_node(const Search *s, BeamPosition position)
{
    return &s->nodes[position.step * s->params->beams + position.row];
}

/* Stores a token that continues a row of the previous step. `sum` is that of the log-probabilities up to it. */
static inline void search_set_node(Search *s, BeamPosition position, Node node, float sum)
{
    *search_node(s, position) = node;
    if (s->sums) s->sums[position.step * s->params->beams + position.row] = sum;
}

/* Returns the token id of a column of the logits. */
static inline int32_t search_token_of(const Search *s, size_t column)
{
    return s->processors.ids ? s->processors.ids[column] : (int32_t)column;
}

/* search_spread.c: adds a part of a row to its scan, with what its entropy needs if that is recorded. */
void search_scan_sum(Search *s, RowScan *scan, const float *logits, size_t count);

/* search_spread.c: returns the logsumexp of a whole row and sets s->maxima; records its entropy if asked to. */
LogSumExp search_sum_row(Search *s, size_t row, const float *logits);

/* search_spread.c: does the same for a row whose values are scores already. */
void search_read_maxima(Search *s, size_t row, const float *scores);

/* search_spread.c: record what remains of the spread, after all settings, if asked to: of a whole row, for which
 * s->maxima are upper bounds, or of a scan. */
void search_spread_row(Search *s, size_t row, const float *logits);
void search_spread_scan(Search *s, size_t row);

/* search_single.c: whether `token`, appended to row `row` of the current step, ends the hypothesis. */
bool search_ends(const Search *s, size_t row, int32_t token);

/* search_single.c: applies the settings to row `row` of the current step. */
void search_process_row(Search *s, size_t row, float *logits);

/* The score of a hypothesis of `step` tokens whose log-probabilities sum to `sum`. */
float search_final_score(const Search *s, float sum, size_t step);
void search_finish(Search *s);

/* search_greedy.c, search_beam.c: *_choose evaluates all logits of the step, or the scans if the logits came in
 * blocks; *_advance applies the choice. */
void search_greedy_choose(Search *s, float *logits);
void search_greedy_advance(Search *s);
void search_beam_choose(Search *s, const LogitsBlock *block);
void search_beam_advance(Search *s);

/* search_beam.c: turns a row of logits into log-probabilities and applies the settings. It leaves logits where the
 * settings allow that. */
TopKRow search_beam_score_row(Search *s, size_t row, float *logits);

/* search_beam.c: inserts a finished candidate into the results if its score is high enough. */
void search_beam_add_result(Search *s, const Candidate *candidate);

/* search_demands.c: the same steps for a sentence with demands. search_demand_pass() finds what the forced prefix meets
 * with its next token. */
bool search_has_demands(const Search *s);
void search_demand_forget(Search *s);
void search_demand_pass(Search *s);
void search_demand_choose(Search *s, const LogitsBlock *block);
void search_demand_advance(Search *s);
void demand_search_free(DemandSearch *demands); /* NULL is allowed */

/* search_draws.c: sampling. search_draw_token() draws for greedy search: it returns a column of the logits, to which
 * the settings have been applied. search_draw_beams() draws the candidates of beam search. */
size_t search_draw_token(Search *s, const float *logits);
void search_draw_beams(Search *s, const LogitsBlock *block);
MUST_USE Status search_draws_new(Search *s, Err *err);
void search_draws_free(SearchDraws *draws); /* NULL is allowed */

/* search_favour.c: turns the scores of a row, if it has not departed from the favoured prefix, into log-probabilities
 * of which the prefix's next token has a part. search_favour_advance() is called with the candidates of the step, and
 * search_favour_advance_greedy() with its token. */
void search_favour_row(Search *s, size_t row, TopKRow *scores, float *logits);
void search_favour_advance(Search *s);
void search_favour_advance_greedy(Search *s);

/* search_memory.c: as search_new(), for a search that borrows the memory for draws; NULL: it has its own. */
void search_free_lane(Search *search); /* as search_free() */
MUST_USE Status search_new_lane(Search **out, const SearchParams *params, size_t vocab, SearchDraws *borrowed,
                                Err *err);

/* search_groups.c: a step of a group of diverse beam search, and the tokens that it takes: their number, at most
 * `beams`. */
void search_group_advance(Search *s);
size_t search_group_tokens(const Search *s, int32_t *tokens);

/* search_trace.c: records the candidates of a step before they are applied. */
void search_trace_beams(Search *s);
void search_trace_greedy(Search *s);

/* Checks a row of the model's raw logits: if the model is broken, its first logit is NaN or infinite. After
 * processing, minus infinity is a valid logit. */
static inline void search_check_row(Search *s, const float *logits)
{
    if (!isfinite(*logits) && !s->params->remove_invalid_values) s->broken = true;
}

/* Checks the largest logit and the logsumexp of a processed row. */
static inline void search_check_sum(Search *s, float top, float logsumexp)
{
    if (s->params->remove_invalid_values || top == -INFINITY) return;
    if (!isfinite(top) || !isfinite(logsumexp)) s->broken = true;
}

#endif
