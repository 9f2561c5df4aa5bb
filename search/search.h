/* search.h - the search for the translation of one sentence: greedy and beam search, draws, alternatives, diverse
 * groups, texts that a translation has to contain, and the scores of a translation that is given. It follows generate()
 * of Hugging Face transformers 4.57.1 (generation/utils.py, generation/logits_process.py), or the rules of another
 * program (SearchRules).
 *
 * The caller runs the decoder: a Search says which rows the decoder must compute, takes their logits, and picks the
 * next rows. It knows nothing about the model.
 *
 *     search_start(s, input);
 *     while (!search_done(s)) {
 *         // row r continues row search_parent(s, r) of the previous step
 *         // with the token search_token(s, r)
 *         while (search_wants_logits(s))
 *             ... search_take_logits(s, block), until all columns are taken ...
 *         search_advance(s);
 *     }
 *
 * One Search serves many sentences, one after the other, and allocates nothing for them. */
#ifndef DRAGOMAN_SEARCH_H
#define DRAGOMAN_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "kernels.h"
#include "search_params.h"

typedef struct Search Search; /* fields: search.c */

/* Allocates everything for sentences of at most max_length target tokens. `params` must outlive the search.
 *
 * `ahead` 0: the search translates. Otherwise it scores given translations: it chooses nothing, but finds the
 * log-probabilities of their tokens. `ahead` is the most positions of a translation per step, and the settings for
 * several results or lanes have no effect. */
MUST_USE Status search_new(Search **out, const SearchParams *params, size_t vocab, size_t max_length, size_t ahead,
                           Err *err);
void search_free(Search *search); /* NULL is allowed */

/* Restricts the following sentences to the target ids ids[0..count), which are ascending; count >= 1.
 * Rows of logits then have one column per id. The array must stay valid. NULL, the default,
 * restores the whole vocabulary. */
void search_choose_from(Search *search, const int32_t *ids, size_t count);

typedef struct SearchDemands SearchDemands; /* below */

/* One sentence. The arrays must stay valid until it is done. */
typedef struct {
    const int32_t *source; /* input ids of the encoder */
    size_t source_len;
    size_t text_begin, text_end;  /* the source ids that may get attention: in a prompt, those of the text; 0, 0: all */
    const int32_t *prefix;        /* forced beginning of the translation; may be empty */
    size_t prefix_len;            /* less than the maximal length */
    size_t max_length;            /* limit on new tokens, if lower than the limit of search_new(); 0: no other limit */
    const SearchDemands *demands; /* what the translation has to contain (with SEARCH_DEMANDS); NULL: nothing */
    bool single;                  /* no alternatives, even if the settings ask for some */
    /* The given translation, if the search scores given translations: without the start token, with the end token. Its
     * first prefix_len tokens are the forced prefix, whose scores are 0. The fields above, except the source, are then
     * ignored. The only result is this translation. Its score is the one that a search would give it, but a forbidden
     * token is scored as if the settings allowed it. */
    const int32_t *target;
    size_t target_len; /* at least 1 */
    void *tag;         /* for the caller */
} SearchInput;

/* Begins a sentence. */
void search_start(Search *search, const SearchInput *input);

/* --- Steps. */

/* The number of rows of the next decoder step: at most search_params_rows(), and 1 at the first step
 * and inside the prefix. */
size_t search_rows(const Search *search);
int32_t search_token(const Search *search, size_t row);
size_t search_parent(const Search *search, size_t row); /* row of the previous step; 0 at the first step */

/* True while the search needs logits of the next step. It is false inside the forced prefix and after the
 * logits have been taken. In rare cases the search asks for the same step again, as whole rows. */
bool search_wants_logits(const Search *search);

/* True when the logits of the next step must be passed as whole rows, not in blocks of columns. */
bool search_needs_whole_rows(const Search *search);

/* Takes the logits of some columns of all rows, and overwrites them. A LogitsSink gets the same blocks; block->row
 * matters only for given translations. Logits that the search does not want are ignored. Of equal scores, the lower
 * beam wins, then the lower id. */
void search_take_logits(Search *search, const LogitsBlock *block);

/* Adds the next row of a given translation to the current decoder step. Returns false if there is no such row, or no
 * room for it. Pass each row of the step to search_take_logits() separately, in ascending order, with the position of
 * its token as block->row. search_advance() ends the step. */
bool search_read_ahead(Search *search);

/* Picks the next rows, or ends the search. Call it when search_wants_logits() is false. */
void search_advance(Search *search);

bool search_done(const Search *search);

/* True when a candidate's logit was NaN or infinite although no setting forbids the token. The results are
 * then meaningless. */
bool search_is_broken(const Search *search);

/* The most tokens that a hypothesis of the current sentence may have; with Marian's rules it depends on the source. */
size_t search_length_limit(const Search *search);

/* --- Results of a sentence that is done. */

/* The score of a beam that must not win, and of an unused entry of the results. Entries are unused if fewer hypotheses
 * finished than there are beams. */
#define SCORE_NEVER (-1.0e9f)

typedef struct {
    const int32_t *ids; /* excludes the start token; includes the forced prefix and the end token */
    size_t len;
    float score; /* (sum - word_penalty * length) / length^length_penalty; finite */
    float sum;   /* sum of the log-probabilities */
} Hypothesis;

/* The number of results: params->n_best, or fewer if there are fewer alternatives or, with draws or patience, fewer
 * finished hypotheses. Greedy search has one. */
size_t search_results(const Search *search);

/* Returns the i-th best hypothesis, i < search_results(). It is valid until the next search_start(). */
Hypothesis search_result(Search *search, size_t i);

/* Sets rows[len] of the i-th best hypothesis: token t, even one of the prefix, continues row rows[t] of the
 * decoder step with position t. Returns len. */
size_t search_result_rows(const Search *search, size_t i, size_t *rows);

/* Returns the coverage of the source by the tokens [begin, end) of a hypothesis: the sum over the source positions j of
 * log(min(1, sum over t of the attention of t to j)), without positions that get no attention. Token t was chosen from
 * row rows[t] of step t. The function may overwrite rows[]. */
typedef float SearchCoverage(void *context, size_t *rows, size_t begin, size_t end);

/* Adds params->coverage_penalty times the coverage to the score of each result, and sorts the results again. Results
 * that meet more demands stay before the others. rows[params->max_length] is scratch memory. */
void search_add_coverage(Search *search, SearchCoverage *coverage, void *context, size_t *rows);

/* --- Extras: what a search does only if search_allow() asks for it. */

enum {
    SEARCH_SCORES = 1,     /* records the log-probability of each token; not with params->skip_scores */
    SEARCH_SPREAD = 2,     /* records the spread of each row (TokenSpread); not with params->skip_scores */
    SEARCH_CANDIDATES = 4, /* records the candidates of all steps; only if one lane does the whole search
                              (search_params_unite()) */
    SEARCH_DEMANDS = 8,    /* sentences may have demands; only if the beam size is greater than 1 and one lane does the
                              whole search */
    SEARCH_TAKES_SCORES = 16 /* the model's logits are scores already, such as weighted sums of log-probabilities, and
                                are not normalized */
};

/* `extras`: a sum of the values above. Call it when no sentence has begun. */
MUST_USE Status search_allow(Search *search, unsigned extras, Err *err);

/* Sets scores[len] of the i-th best hypothesis to the log-probabilities of its tokens, computed from the processed
 * logits. Added in order in f32, they give Hypothesis.sum bit for bit. They are 0 inside the prefix, which the sum does
 * not include. Needs SEARCH_SCORES. */
void search_result_scores(const Search *search, size_t i, float *scores);

/* How certain the choice of a token was: two properties of the distribution in the token's row, before it is compared
 * with the other rows of a beam. */
typedef struct {
    float margin;  /* difference between the log-probabilities of the best two candidates, after all settings; INFINITY
                      where only one token is allowed */
    float entropy; /* in nats, of the distribution that the scores are computed from */
} TokenSpread;

/* Sets spread[len] of the i-th best hypothesis, one for each token. Blocks of logits and whole rows give the same bits.
 * Inside the prefix, where nothing is chosen, the margin is INFINITY and the entropy 0. Needs SEARCH_SPREAD. */
void search_result_spread(const Search *search, size_t i, TokenSpread *spread);

/* A hypothesis that a step considered: a row of the step, continued with a token. */
typedef enum {
    CANDIDATE_PRUNED,  /* not among the best */
    CANDIDATE_KEPT,    /* a row of the next step; the search may end before that step */
    CANDIDATE_FINISHED /* complete, and compared with the results */
} CandidateFate;

typedef struct {
    size_t position; /* of the token, from 0 */
    size_t parent;   /* the row */
    int32_t token;
    float sum; /* of the log-probabilities */
    CandidateFate fate;
    size_t row;  /* with CANDIDATE_KEPT: the row that it becomes in the next step */
    float score; /* with CANDIDATE_FINISHED: as in Hypothesis */
} SearchCandidate;

/* Returns the recorded candidates of the sentence, step by step; within a step, the highest sum comes first. They are
 * valid until the next search_start(). */
const SearchCandidate *search_candidates(const Search *search, size_t *count);

/* --- Demands: texts that a translation has to contain. Each demand has one or more forms, which are sequences of
 * tokens; a translation meets the demand if it contains one of its forms. A form may be in the
 * forced prefix. It counts only if the next token does not continue its last word, and only if it begins where the
 * demand allows it (DemandPlace). search_demands.c describes the search. */

/* Limits: the demands of a sentence, the forms of all its demands together, and the tokens of a form. */
#define DEMANDS_MOST      ((size_t)32)
#define DEMAND_FORMS_MOST ((size_t)128)
#define DEMAND_TOKENS     ((size_t)32)

typedef struct {
    const int32_t *ids; /* [length], length >= 1 */
    size_t length;
    size_t demand; /* index of the demand that it is a form of */
    bool begins;   /* counts only in a forced prefix, or as the first tokens that are not forced */
} DemandForm;

/* Where forms of a demand may begin: at a token for which the model attends to the source ids [begin, end), and after
 * the first `at` tokens of SearchDemands.free. A demand without source ids is not bound: its forms may begin anywhere
 * before the end of the translation. */
typedef struct {
    size_t begin, end;
    size_t at; /* SIZE_MAX: nowhere in particular */
} DemandPlace;

struct SearchDemands {
    const DemandForm *forms; /* [form_count] */
    size_t form_count;
    size_t demand_count;            /* each has at least one form */
    const unsigned char *continues; /* [vocab], 1 for a token that continues the word before it; NULL: no token does */
    const DemandPlace *places;      /* [demand_count]; NULL: no demand is bound */
    const int32_t *free;            /* [free_len], the translation that a search without demands has found */
    size_t free_len;
    size_t lead; /* the search follows this translation in its first `lead` < free_len tokens, which takes less time */
};

/* Sets the attention of the rows of the current step to the source: attention[r * stride + j] is that of row r to
 * source id j. Call it before search_take_logits(). Without it, bound demands may begin where unbound ones may. */
void search_attend(Search *search, const float *attention, size_t stride);

#endif
