/* search.c - see search.h. A search consists of lanes (search_state.h). One or several lanes work on a sentence:
 *
 * - One lane, the usual case.
 * - Draws: each result is drawn independently by a lane (search_params_draws_each()).
 * - Groups: diverse beam search. Each group of beams is a lane. Tokens that it chooses are penalized in later groups.
 * - Alternatives: the most probable tokens after the prefix are continued by separate lanes, as with
 *   return_alternatives of CTranslate2. Another lane, `first`, finds these tokens. The score of an alternative is the
 *   log-probability of its first token plus the score of what follows.
 * - A given translation is scored by one lane.
 *
 * Before the first choice, all lanes share one row. After it, each lane has its own rows: the rows of lane 0 come
 * first, then those of lane 1, and so on. */
#include "search.h"

#include <stdlib.h>
#include <string.h>

#include "search_state.h"
#include "text_rules.h"

typedef enum { DIVISION_NONE, DIVISION_DRAWS, DIVISION_GROUPS } Division;

/* A result of a lane. */
typedef struct {
    size_t lane, index;
} LaneResult;

struct Search {
    Arena *arena; /* all memory of the search and its lanes */
    const SearchParams *params;
    SearchParams lane_params, first_params, alternative_params; /* for lanes; their lists are owned by `params` */
    size_t vocab, steps; /* steps: the most tokens of a translation, plus 1 for the start token */
    Division division;   /* how lanes divide a sentence without alternatives */
    SearchLane **all;    /* [all_count]: lanes for sentences without alternatives; `first`; the lanes of alternatives */
    size_t all_count, plain_count, alternative_count;
    size_t room;  /* the most lanes of a sentence */
    size_t ahead; /* 0: the lanes choose tokens; otherwise as for search_new() */

    /* The sentence. */
    SearchLane **lanes; /* [count], a part of `all` */
    size_t count;
    SearchLane *first; /* finds the first tokens of alternatives; NULL if the sentence has none */
    const int32_t *source;
    size_t source_len;
    size_t prefix_len, max_length, step, rows;
    bool done;

    size_t *offsets;     /* [steps, room], the first row of each lane at each step */
    float *row;          /* [vocab], a copy of the logits that all lanes share; NULL if there is only one lane */
    int32_t *taken;      /* [params->beams], tokens that earlier groups chose in this step */
    LaneResult *results; /* best first */
    size_t result_count;

    /* For alternatives. */
    int32_t *prefix; /* [steps], the prefix and then the first token of an alternative */
    float *firsts;   /* [alternative_count], log-probabilities of the first tokens */
    float *scores;   /* [steps], scratch memory */
};

/* --- Memory. */

/* Adds `count` lanes. Lanes that draw share a DrawMemory. */
static Status add_lanes(Search *s, const SearchParams *params, size_t count, Err *err)
{
    const bool is_greedy = s->params->beams == 1 && !s->params->rules.beam_shrinks_with_finished;
    const size_t begin = s->all_count;
    Status st = OK;

    for (size_t i = 0; st == OK && i < count; i++) {
        SearchLane **lane = &s->all[s->all_count];
        st = search_lane_new(lane, s->arena, params, s->vocab, s->steps - 1, err);
        if (st != OK) break;
        s->all_count++;
        (*lane)->draws.number = (uint32_t)i;
        st = s->ahead ? search_given_allow(*lane, s->ahead, is_greedy, err)
                      : search_lane_allow_choice(*lane, i ? s->all[begin] : NULL, err);
    }
    return st;
}

static Status add_plain_lanes(Search *s, Err *err)
{
    const SearchParams *params = s->params;
    SearchParams *own = &s->lane_params;

    if (s->division == DIVISION_NONE && !params->alternatives && !s->ahead) return add_lanes(s, params, 1, err);
    *own = *params;
    own->alternatives = 0;
    if (s->ahead) { /* search_start() finds the prefix */
        own->beams = own->n_best = own->groups = 1;
        own->patience = 1;
        own->sampling.on = own->rules.forced_bos_is_prefix = false;
    }
    if (s->division == DIVISION_DRAWS) own->n_best = 1;
    if (s->division == DIVISION_GROUPS) {
        own->beams = params->beams / params->groups;
        own->n_best = SIZE_MAX;
    }
    return add_lanes(s, own, s->plain_count, err);
}

static Status add_alternative_lanes(Search *s, Err *err)
{
    SearchParams *first = &s->first_params, *own = &s->alternative_params;
    Status st;

    if (!s->alternative_count) return OK;
    /* `first` finds the best first tokens that are not end tokens. */
    *first = *s->params;
    first->alternatives = 0;
    first->sampling.on = false;
    first->groups = 1;
    first->beams = first->n_best = s->alternative_count;
    first->patience = 1;
    first->coverage_penalty = 0;
    first->length_penalty = first->word_penalty = 0;
    first->min_length = SIZE_MAX / 2;
    first->forced_eos = (IdList){ 0 };
    first->skip_scores = false;
    st = add_lanes(s, first, 1, err);
    if (st != OK) return st;
    *own = *s->params;
    own->alternatives = 0;
    own->n_best = 1;
    own->groups = 1;
    own->rules.length_includes_prefix = own->rules.only_best_ends_after_prefix = false;
    return add_lanes(s, own, s->alternative_count, err);
}

Status search_new(Search **out, const SearchParams *params, size_t vocab, size_t max_length, size_t ahead, Err *err)
{
    const bool draws_each = params->sampling.on && params->beams == 1;
    const size_t steps = max_length + 1;
    size_t results = 0;
    Search *s = *out = calloc(1, sizeof *s);
    Status st;

    if (!s) return err_memory(err, "the search");
    *s = (Search){ .params = params, .vocab = vocab, .steps = steps, .ahead = ahead, .plain_count = 1, .done = true };
    if (!ahead) {
        s->alternative_count = params->alternatives;
        s->division = params->groups > 1 && !params->sampling.on ? DIVISION_GROUPS
                      : draws_each && params->n_best > 1         ? DIVISION_DRAWS
                                                                 : DIVISION_NONE;
    }
    if (s->division == DIVISION_GROUPS) s->plain_count = params->groups;
    if (s->division == DIVISION_DRAWS) s->plain_count = params->n_best;
    s->room = s->plain_count > s->alternative_count ? s->plain_count : s->alternative_count;
    st = arena_new_small(&s->arena, err);
    if (st != OK) goto done;
    s->all = arena_zeroed(s->arena, s->plain_count + 1 + s->alternative_count, sizeof *s->all);
    st = s->all ? add_plain_lanes(s, err) : err_memory(err, "the search");
    if (st == OK) st = add_alternative_lanes(s, err);
    if (st == OK && steps > SIZE_MAX / sizeof *s->offsets / s->room) st = err_memory(err, "the search");
    if (st != OK) goto done;
    for (size_t i = 0; i < s->all_count; i++) results += s->all[i]->result_room;
    s->offsets = arena_zeroed(s->arena, steps * s->room, sizeof *s->offsets);
    if (s->plain_count > 1) s->row = arena_alloc(s->arena, vocab, sizeof *s->row);
    s->taken = arena_zeroed(s->arena, params->beams, sizeof *s->taken);
    s->results = arena_zeroed(s->arena, results, sizeof *s->results);
    s->prefix = arena_alloc(s->arena, steps, sizeof *s->prefix);
    s->firsts = arena_zeroed(s->arena, s->alternative_count + 1, sizeof *s->firsts);
    s->scores = arena_alloc(s->arena, steps, sizeof *s->scores);
    st = arena_check(s->arena, "the search", err);
    s->lanes = s->all;
    s->count = 1;
done:
    if (st == OK) return OK;
    search_free(s);
    *out = NULL;
    return st;
}

void search_free(Search *s)
{
    if (!s) return;
    arena_free(s->arena);
    free(s);
}

void search_choose_from(Search *s, const int32_t *ids, size_t count)
{
    for (size_t i = 0; i < s->all_count; i++) logits_choose_from(&s->all[i]->processors, ids, count);
}

Status search_allow(Search *s, unsigned extras, Err *err)
{
    for (size_t i = 0; i < s->all_count; i++) {
        SearchLane *lane = s->all[i];
        LaneRecords *records = &lane->records;
        const size_t nodes = lane->steps * lane->params->beams;
        if (extras & SEARCH_SCORES && !records->sums)
            records->sums = arena_zeroed(s->arena, nodes, sizeof *records->sums);
        if (extras & SEARCH_SPREAD && !records->spread)
            records->spread = arena_zeroed(s->arena, nodes, sizeof *records->spread);
        if (extras & SEARCH_CANDIDATES && !records->candidates)
            records->candidates = arena_zeroed(s->arena, lane->steps, lane->keep * sizeof *records->candidates);
        if (extras & SEARCH_DEMANDS) search_demands_allow(lane);
        if (extras & SEARCH_TAKES_SCORES) lane->expects_scores = true;
    }
    return arena_check(s->arena, "the search", err);
}

const SearchCandidate *search_candidates(const Search *s, size_t *count)
{
    *count = s->all[0]->records.candidate_count;
    return s->all[0]->records.candidates;
}

void search_attend(Search *s, const float *attention, size_t stride)
{
    if (!s->ahead && s->lanes[0]->strategy == &search_demanding) search_demands_attend(s->lanes[0], attention, stride);
}

/* --- The beginning. */

/* Whether each lane has its own rows. */
static bool is_divided(const Search *s)
{
    return s->step > s->prefix_len;
}

/* Whether s->lanes are the lanes of the alternatives. */
static bool has_alternatives(const Search *s)
{
    return s->first && s->lanes[0] != s->first;
}

/* Alternatives differ in the first token that is chosen, so a forced first token is a part of the prefix. */
void search_start(Search *s, const SearchInput *input)
{
    const SearchParams *params = s->params;
    const bool alternatives = s->alternative_count && !input->single;
    const int32_t *prefix = s->ahead ? input->target : input->prefix;
    size_t prefix_len = input->prefix_len, max_length = s->ahead ? params->max_length : s->steps - 1;

    if (!s->ahead && input->max_length && input->max_length < max_length) max_length = input->max_length;
    if (s->ahead && !prefix_len && params->rules.forced_bos_is_prefix && *prefix == params->forced_bos) prefix_len = 1;
    s->lanes = alternatives ? s->all + s->plain_count : s->all;
    s->count = alternatives ? 1 : s->plain_count;
    s->first = alternatives ? s->lanes[0] : NULL;
    s->source = input->source;
    s->source_len = input->source_len;
    if (s->first && params->forced_bos >= 0 && !prefix_len && max_length > 1) {
        prefix = &params->forced_bos;
        prefix_len = 1;
    }
    for (size_t i = 0; i < s->count; i++)
        search_lane_start(s->lanes[i], s->source, s->source_len, prefix, prefix_len,
                          s->first ? prefix_len + 1 : max_length);
    s->prefix_len = s->lanes[0]->prefix_len; /* 0 for a prefix that is favoured */
    s->max_length = search_limit(params, s->source_len, s->prefix_len, max_length);
    s->step = 0;
    s->rows = 1;
    s->done = false;
    s->result_count = 0;
    if (s->ahead) search_given_set(s->lanes[0], input->target, input->target_len);
    if (!s->ahead && input->demands) search_demands_set(s->lanes[0], input->demands);
    if (!s->first) return;
    if (prefix_len) memcpy(s->prefix, prefix, prefix_len * sizeof *prefix);
    if (params->rules.alternatives_forget_prefix) s->first->processors.forgotten = prefix_len;
    /* `first` stops after one token. If that is a byte piece, others must follow it, so `first` has the length limit of
     * a whole translation, minus one for a forced end token, which its settings lack. */
    s->first->processors.max_length = s->max_length - (params->forced_eos.len > 0);
}

bool search_read_ahead(Search *s)
{
    if (!s->ahead || !search_given_read_ahead(s->lanes[0])) return false;
    s->step++;
    return true;
}

/* Starts a lane whose translation begins with the first `length` tokens of s->prefix, and moves it past them. */
static void start_after(Search *s, SearchLane *lane, size_t length)
{
    search_lane_start(lane, s->source, s->source_len, s->prefix, length, s->max_length);
    lane->processors.forgotten = s->params->rules.alternatives_forget_prefix ? length : 0;
    while (lane->step < length) search_lane_advance(lane);
}

/* Starts a lane after the first token of its alternative. If that token completes a stop text, the lane ends there. */
static void start_alternative(Search *s, SearchLane *lane, int32_t token)
{
    if (text_rules_stop_count(s->params->texts)) {
        start_after(s, lane, s->prefix_len);
        if (search_lane_ends(lane, 0, token)) {
            lane->results[0] = (Result){ .finished = true, .last = { s->prefix_len, 0 }, .token = token };
            search_lane_finish(lane);
            return;
        }
    }
    s->prefix[s->prefix_len] = token;
    start_after(s, lane, s->prefix_len + 1);
}

/* Replaces `first`, which has found the first tokens, by the lanes of the alternatives. The best token always
 * becomes an alternative, whatever its probability. If the maximal length leaves no room after the first tokens, they
 * are the results. If the settings forbid all tokens, the only result is the prefix. */
static void start_alternatives(Search *s)
{
    SearchLane *first = s->first, **lanes = s->lanes + 1;
    const bool fits = s->prefix_len + 1 < s->max_length;
    size_t count = 0;

    for (; count < search_lane_results(first); count++) {
        const Hypothesis found = search_lane_result(first, count);
        if (!(found.sum > SCORE_NEVER / 2)) break;
        if (count && expf(found.sum) < s->params->alternative_probability) break;
        s->firsts[count] = found.sum;
        s->results[count] = (LaneResult){ 0, count };
        if (fits) start_alternative(s, lanes[count], found.ids[s->prefix_len]);
    }
    s->result_count = count ? count : 1;
    if (!count) s->results[0] = (LaneResult){ 0, 0 };
    if (!count || !fits) return;
    s->lanes = lanes;
    s->count = count;
}

/* --- Rows. */

size_t search_rows(const Search *s)
{
    return s->rows;
}

/* Returns the lane that has this row of the sentence, and changes *row to the row's index within the lane. */
static size_t find_lane(const Search *s, size_t *row)
{
    size_t lane = 0;

    for (; is_divided(s) && *row >= s->lanes[lane]->rows; lane++) *row -= s->lanes[lane]->rows;
    return lane;
}

int32_t search_token(const Search *s, size_t row)
{
    const SearchLane *lane = s->lanes[find_lane(s, &row)];

    return search_lane_node(lane, (BeamPosition){ lane->step, row })->token;
}

size_t search_parent(const Search *s, size_t row)
{
    const size_t i = find_lane(s, &row);
    const SearchLane *lane = s->lanes[i];

    if (!s->step || s->step - 1 <= s->prefix_len) return 0;
    return s->offsets[(s->step - 1) * s->room + i] + search_lane_node(lane, (BeamPosition){ lane->step, row })->parent;
}

bool search_wants_logits(const Search *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (search_lane_wants_logits(s->lanes[i])) return true;
    return false;
}

bool search_needs_whole_rows(const Search *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const SearchLane *lane = s->lanes[i];
        if (!lane->done && !lane->evaluated && search_lane_needs_whole_rows(lane)) return true;
    }
    return false;
}

/* Lanes overwrite logits, so each lane but the last gets a copy of a row that serves all lanes. */
void search_take_logits(Search *s, const LogitsBlock *block)
{
    LogitsBlock own = *block;
    size_t taken = 0;

    for (size_t i = 0; i < s->count; i++) {
        SearchLane *lane = s->lanes[i];
        if (lane->done) continue;
        lane->processors.taken = s->taken;
        lane->processors.taken_count = taken;
        own.rows = lane->rows;
        if (!is_divided(s)) own.logits = block->logits;
        if (!is_divided(s) && i + 1 < s->count)
            own.logits = memcpy(s->row, block->logits, block->count * sizeof *block->logits);
        if (search_lane_wants_logits(lane)) lane->strategy->take(lane, &own);
        own.logits += lane->rows * block->stride;
        if (lane->strategy == &search_group) taken += search_group_tokens(lane, s->taken + taken);
    }
}

/* --- Results. */

/* Inserts a result by its score. If scores are equal, the result of a later group comes first, as in transformers. The
 * results of a single lane are already in order. Alternatives keep the order of their first tokens. */
static void add_result(Search *s, size_t lane, size_t index)
{
    const float score = s->lanes[lane]->results[index].score;
    const bool is_sorted = s->first || s->division == DIVISION_NONE;
    size_t at = s->result_count++;

    for (; at > 0 && !is_sorted; at--) {
        const LaneResult before = s->results[at - 1];
        const float other = s->lanes[before.lane]->results[before.index].score;
        if (s->division == DIVISION_GROUPS ? other > score : other >= score) break;
        s->results[at] = before;
    }
    s->results[at] = (LaneResult){ lane, index };
}

/* Finds the results of a sentence whose lanes are done. If no group has finished a hypothesis, the prompt alone is the
 * result. */
static void list_results(Search *s)
{
    const bool is_grouped = s->lanes[0]->strategy == &search_group;

    if (s->first && !has_alternatives(s)) return; /* start_alternatives() has listed them */
    s->result_count = 0;
    for (size_t i = 0; i < s->count; i++)
        for (size_t r = 0; r < search_lane_results(s->lanes[i]); r++)
            if (!is_grouped || s->lanes[i]->results[r].finished) add_result(s, i, r);
    if (!s->result_count) add_result(s, 0, 0);
}

void search_advance(Search *s)
{
    size_t rows = 0;

    if (s->done) return;
    for (size_t i = 0; i < s->count; i++) search_lane_advance(s->lanes[i]);
    if (s->first && !has_alternatives(s) && s->first->done) start_alternatives(s);
    s->step++;
    for (size_t i = 0; i < s->count; i++) {
        s->offsets[s->step * s->room + i] = rows;
        rows += s->lanes[i]->rows;
    }
    s->rows = rows && !is_divided(s) ? 1 : rows;
    if (rows) return;
    list_results(s);
    s->done = true;
}

bool search_done(const Search *s)
{
    return s->done;
}

bool search_is_broken(const Search *s)
{
    bool broken = s->first && s->first->broken;

    for (size_t i = 0; i < s->count; i++) broken |= s->lanes[i]->broken;
    return broken;
}

size_t search_length_limit(const Search *s)
{
    return s->max_length;
}

size_t search_results(const Search *s)
{
    return s->first || s->result_count < s->params->n_best ? s->result_count : s->params->n_best;
}

Hypothesis search_result(Search *s, size_t i)
{
    const LaneResult result = s->results[i];
    const SearchLane *lane = s->lanes[result.lane];
    Hypothesis found = search_lane_result(s->lanes[result.lane], result.index);

    if (!has_alternatives(s)) return found;
    found.score += s->firsts[result.lane];
    found.sum += s->firsts[result.lane];
    if (!lane->records.sums) return found;
    search_result_scores(s, i, s->scores);
    found.sum = 0;
    for (size_t t = 0; t < found.len; t++) found.sum += s->scores[t];
    return found;
}

/* Like search_result_rows(), for a result of a lane. */
static size_t read_rows(const Search *s, LaneResult result, size_t *rows)
{
    const size_t len = search_lane_result_rows(s->lanes[result.lane], result.index, rows);

    for (size_t t = 0; t < len; t++) rows[t] = t <= s->prefix_len ? 0 : rows[t] + s->offsets[t * s->room + result.lane];
    return len;
}

size_t search_result_rows(const Search *s, size_t i, size_t *rows)
{
    return read_rows(s, s->results[i], rows);
}

void search_result_scores(const Search *s, size_t i, float *scores)
{
    const LaneResult result = s->results[i];

    search_lane_result_scores(s->lanes[result.lane], result.index, scores);
    if (has_alternatives(s)) scores[s->prefix_len] = s->firsts[result.lane];
}

void search_result_spread(const Search *s, size_t i, TokenSpread *spread)
{
    const LaneResult result = s->results[i];
    TokenSpread first = { .margin = 0 };

    if (has_alternatives(s)) {
        search_lane_result_spread(s->first, result.lane, spread);
        first = spread[s->prefix_len];
    }
    search_lane_result_spread(s->lanes[result.lane], result.index, spread);
    if (has_alternatives(s)) spread[s->prefix_len] = first;
}

/* The coverage of an alternative begins after its first token. */
void search_add_coverage(Search *s, SearchCoverage *coverage, void *context, size_t *rows)
{
    const size_t begin = has_alternatives(s) ? s->prefix_len + 1 : 0;

    for (size_t i = 0; i < s->count; i++) {
        SearchLane *lane = s->lanes[i];
        if (lane == s->first) continue;
        for (size_t r = 0; r < lane->result_room; r++) {
            if (!lane->results[r].finished) continue;
            lane->results[r].score += lane->params->coverage_penalty *
                                      coverage(context, rows, begin, read_rows(s, (LaneResult){ i, r }, rows));
        }
        search_lane_sort_results(lane);
    }
    list_results(s);
}
