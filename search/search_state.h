/* search_state.h - the lanes of a search, for the files whose names begin with search_.
 *
 * search.c            the Search of search.h: its lanes, their rows and results
 * search_lane.c       a lane: its memory, its tokens, its results
 * search_beam.c       strategies: rows of logits, and greedy search, beam search, draws, groups
 * search_demands.c    strategy: translations that have to contain given texts
 * search_given.c      strategy: a translation that is given, for its scores
 *
 * search.c calls search_lane.c, which calls the strategy of the lane. The strategies call search_lane.c to
 * read and store the lane's tokens. */
#ifndef DRAGOMAN_SEARCH_STATE_H
#define DRAGOMAN_SEARCH_STATE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "kernels.h"
#include "logits.h"
#include "sampling.h"
#include "search.h"
#include "top_k.h"

/* A node of the search tree: row `row` of step `step`. The step is the number of tokens after the start token. */
typedef struct {
    size_t step;
    size_t row;
} BeamPosition;

/* An entry of the list of results: a finished hypothesis, or an unused entry that holds the prompt
 * with the lowest score. */
typedef struct {
    float score, sum;
    bool finished;
    BeamPosition last; /* position of the token before `token`; in an unused entry, of the last token of the prompt */
    int32_t token;     /* the last token; unused entry: -1 */
    size_t missed;     /* number of demands that the hypothesis does not meet; unused entry with demands: SIZE_MAX */
} Result;

typedef struct {
    int32_t token;
    uint32_t parent; /* row of the previous step */
} Node;

typedef struct SearchLane SearchLane;
typedef struct DemandSearch DemandSearch; /* fields: search_demands.c */

/* How a lane chooses its tokens. It is determined when a sentence begins. */
typedef struct {
    bool needs_whole_rows;
    void (*pass)(SearchLane *s); /* moves past a token of the forced prefix; NULL: only adds 1 to `step` */
    void (*take)(SearchLane *s, const LogitsBlock *block); /* takes logits; when all logits of the step have come,
                                                              chooses from them and sets `evaluated` */
    void (*advance)(SearchLane *s);                        /* applies the choice */
} SearchStrategy;

extern const SearchStrategy search_greedy, search_beam, search_group; /* search_beam.c */
extern const SearchStrategy search_demanding;                         /* search_demands.c */
extern const SearchStrategy search_given;                             /* search_given.c */

/* A translation that is given. */
typedef struct {
    struct GivenToken *tokens; /* [room], for positions that wait for their logits; NULL: the lane chooses tokens */
    size_t room;
    size_t len;
    size_t settled;     /* the first position whose score is not yet in the sum */
    bool process_first; /* the settings are applied before the logits are normalized */
} GivenTokens;

/* The rows of logits of a step. */
typedef struct {
    float *maxima;         /* [ROW_MAXIMA_OF(vocab)], of the current row */
    RowScan *rows;         /* [beams], for logits in blocks, and for the spread of whole rows if it is recorded */
    bool is_used;          /* the logits of this step come in blocks */
    bool needs_whole_rows; /* `rows` lost logits that may win, or a row of search_read_ahead() needs all its logits */
} LaneScan;

/* Memory for drawing tokens at random. */
typedef struct {
    Sampler sampler;
    float *scores;  /* [rows, vocab], the scores of the candidates */
    float *weights; /* [rows, vocab], minus infinity for tokens that cannot be drawn; one row if the beam size is 1 */
} DrawMemory;

typedef struct {
    DrawMemory *memory; /* lanes may share it; NULL: nothing is drawn */
    uint64_t key;       /* of the sentence */
    uint32_t number;    /* index of the lane among those with the same settings */
} LaneDraws;

/* A prefix that is favoured but not forced. */
typedef struct {
    const int32_t *ids; /* [len] */
    size_t len;
    bool *departed; /* [beams], see SearchRules.prefix_bias_by_position; NULL if no prefix is favoured */
} FavouredPrefix;

/* What a search records. A pointer is NULL if its values are not recorded. */
typedef struct {
    float *sums;                 /* [steps, beams], the sum of the log-probabilities up to each node */
    TokenSpread *spread;         /* [steps, beams], of the row of logits after each node */
    SearchCandidate *candidates; /* [steps, keep] */
    size_t candidate_count;
} LaneRecords;

struct SearchLane {
    Arena *arena; /* owned by the search; has all memory of the lane */
    const SearchParams *params;
    const Kernels *kernels;
    const SearchStrategy *strategy;
    size_t vocab, steps; /* steps: the most tokens of a translation, plus 1 for the start token */
    LogitsProcessors processors;
    bool expects_scores; /* SEARCH_TAKES_SCORES */

    /* The sentence. */
    Node *nodes; /* [steps, beams]; step 0 is the start token */
    size_t prefix_len;
    size_t free_step; /* first step that takes logits: prefix_len, or 1 if a given translation begins with forced_bos */
    size_t max_length;
    int32_t start;
    size_t step; /* tokens after the start token in the next step's input */
    size_t rows;
    bool done, broken;
    bool evaluated;   /* the logits of this step have been taken and evaluated into `chosen` or `top` */
    int32_t *history; /* [steps], scratch: the decoder's input for one row */

    LaneScan scan;

    /* The choice. */
    int32_t chosen; /* greedy search: the chosen token */
    float *scores;  /* [beams], running scores */
    TopK top;
    size_t keep;       /* K of search_beam.c, at most the number of candidates */
    bool *complete;    /* [keep], whether each sorted candidate ends with an end token or at the maximal length */
    size_t finished;   /* number of complete candidates so far */
    bool top_finished; /* the best candidate has been complete at least once */
    LaneDraws draws;
    DemandSearch *demands; /* NULL: not allowed */
    FavouredPrefix favoured;
    GivenTokens given;

    /* The results. */
    Result *results; /* [result_room], best first */
    size_t result_room;
    int32_t *result_ids; /* [steps], ids of the hypothesis last returned */

    LaneRecords records;
};

/* --- search_lane.c */

/* Creates a lane for translations of at most max_length tokens. Next, call search_lane_allow_choice() or
 * search_given_allow(). */
MUST_USE Status search_lane_new(SearchLane **out, Arena *arena, const SearchParams *params, size_t vocab,
                                size_t max_length, Err *err);
/* Allocates what a lane needs to choose tokens. `lender`: a lane with the same settings, whose DrawMemory is shared;
 * NULL: the lane gets its own. */
MUST_USE Status search_lane_allow_choice(SearchLane *s, const SearchLane *lender, Err *err);

/* These functions do for a lane what the functions of search.h without "lane" in their names do for a search. */
void search_lane_start(SearchLane *s, const int32_t *source, size_t source_len, const int32_t *prefix,
                       size_t prefix_len, size_t max_length);
bool search_lane_wants_logits(const SearchLane *s);
bool search_lane_needs_whole_rows(const SearchLane *s);
void search_lane_advance(SearchLane *s);
size_t search_lane_results(const SearchLane *s);
Hypothesis search_lane_result(SearchLane *s, size_t i);
size_t search_lane_result_rows(const SearchLane *s, size_t i, size_t *rows);
void search_lane_result_scores(const SearchLane *s, size_t i, float *scores);
void search_lane_result_spread(const SearchLane *s, size_t i, TokenSpread *spread);

void search_lane_finish(SearchLane *s);

/* Returns the spread of a row from its scan. The margin is INFINITY if the settings allow no second candidate. */
TokenSpread search_lane_spread(const SearchLane *s, const RowScan *scan);

/* Whether a is better than b: it meets more demands, or as many with a higher score. */
static inline bool search_lane_is_better(const Result *a, const Result *b)
{
    return a->missed != b->missed ? a->missed < b->missed : a->score > b->score;
}

/* Orders the results, the best first; unused entries come last, whatever the scores of the others. */
void search_lane_sort_results(SearchLane *s);

static inline size_t search_lane_index(const SearchLane *s, BeamPosition position)
{
    return position.step * s->params->beams + position.row;
}

static inline Node *search_lane_node(const SearchLane *s, BeamPosition position)
{
    return &s->nodes[search_lane_index(s, position)];
}

/* Stores a token that continues a row of the previous step. `sum`: the log-probabilities up to this token, added up. */
static inline void search_lane_set_node(SearchLane *s, BeamPosition position, Node node, float sum)
{
    *search_lane_node(s, position) = node;
    if (s->records.sums) s->records.sums[search_lane_index(s, position)] = sum;
}

/* Returns the token id of a column of the logits. */
static inline int32_t search_lane_token_of(const SearchLane *s, size_t column)
{
    return s->processors.ids ? s->processors.ids[column] : (int32_t)column;
}

/* Sets tokens[0..count) to the last tokens up to and including the one at `last`, whose step is at least `count`. */
void search_lane_read_tokens(const SearchLane *s, BeamPosition last, size_t count, int32_t *tokens);

/* Reads the decoder's input for row `row` of the current step into s->history[0..s->step]. */
void search_lane_read_history(const SearchLane *s, size_t row);

/* Whether `token`, appended to row `row` of the current step, ends the hypothesis. */
bool search_lane_ends(const SearchLane *s, size_t row, int32_t token);

/* The score of a hypothesis of `step` tokens whose log-probabilities sum to `sum`: (sum - word_penalty * length) /
 * length^length_penalty. The length includes the prefix if the rules say so. */
float search_lane_final_score(const SearchLane *s, float sum, size_t step);

/* Marks the search as broken if the first logit of a raw row is NaN or infinite. Call it before the settings are
 * applied, because they may set logits to minus infinity. */
static inline void search_lane_check_row(SearchLane *s, const float *logits)
{
    if (!isfinite(*logits) && !s->params->remove_invalid_values) s->broken = true;
}

/* Marks the search as broken if the largest logit or the logsumexp of a processed row is NaN or infinite. A row whose
 * tokens are all forbidden is valid. */
static inline void search_lane_check_sum(SearchLane *s, float top, float logsumexp)
{
    if (s->params->remove_invalid_values || top == -INFINITY) return;
    if (!isfinite(top) || !isfinite(logsumexp)) s->broken = true;
}

/* --- search_beam.c, for search_demands.c: */

/* Turns a row of logits into the scores of beam search. */
TopKRow search_beam_score_row(SearchLane *s, size_t row, float *logits);

/* Inserts a finished candidate, which does not meet `missed` demands, into the results if it is good enough. */
void search_beam_add_result(SearchLane *s, const Candidate *candidate, float score, size_t missed);

/* Sets tokens[] to the tokens that a group of diverse beam search chose in this step. Returns their number, at most
 * `beams`. */
size_t search_group_tokens(const SearchLane *s, int32_t *tokens);

/* --- search_demands.c */

void search_demands_allow(SearchLane *s); /* arena_check() tells whether there was enough memory */
void search_demands_set(SearchLane *s, const SearchDemands *demands);
void search_demands_attend(SearchLane *s, const float *attention, size_t stride);

/* --- search_given.c */

/* Allocates what a lane needs for given translations, of which at most `ahead` positions wait for their logits. */
MUST_USE Status search_given_allow(SearchLane *s, size_t ahead, bool is_greedy, Err *err);
void search_given_allow_spread(SearchLane *s); /* SEARCH_SPREAD; the caller checks the arena */
void search_given_set(SearchLane *s, const int32_t *target, size_t len);
bool search_given_read_ahead(SearchLane *s);

#endif
