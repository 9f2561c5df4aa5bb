/* search_lanes.c - see search_lanes.h. Lanes borrow the lists of the settings and the memory for draws from the search
 * that they are part of. */
#include "search_lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search_lane_state.h"
#include "search_single.h"
#include "search_texts.h"

static LaneKind kind_of(const SearchParams *params)
{
    if (params->alternatives) return LANES_ALTERNATIVES;
    return search_params_draws_each(params) ? LANES_DRAWS : LANES_GROUPS;
}

bool search_lanes_wanted(const SearchParams *params)
{
    return params->alternatives || (params->groups > 1 && !params->sampling.on) ||
           (search_params_draws_each(params) && params->n_best > 1);
}

void search_lanes_free(SearchLanes *lanes)
{
    if (!lanes) return;
    for (size_t i = 0; lanes->items && i < lanes->room; i++) search_free_lane(lanes->items[i]);
    search_free_lane(lanes->first);
    search_free_lane(lanes->whole);
    free(lanes->items);
    free(lanes->offsets);
    free(lanes->row);
    free(lanes->firsts);
    free(lanes->prefix);
    free(lanes->scores);
    free(lanes->taken);
    free(lanes->results);
    free(lanes);
}

static SearchParams params_of_lane(const SearchParams *params, LaneKind kind)
{
    SearchParams lane = *params;

    lane.alternatives = 0;
    lane.n_best = 1;
    lane.groups = 1;
    if (kind == LANES_GROUPS) lane.n_best = lane.beams = params->beams / params->groups;
    if (kind == LANES_ALTERNATIVES) lane.rules.length_includes_prefix = lane.rules.only_best_ends_after_prefix = false;
    return lane;
}

/* The settings of a search for the best first tokens, none of which is an end token. */
static SearchParams params_of_first(const SearchParams *params)
{
    SearchParams first = *params;

    first.alternatives = 0;
    first.sampling.on = false;
    first.groups = 1;
    first.beams = first.n_best = params->alternatives;
    first.patience = 1;
    first.coverage_penalty = 0;
    first.length_penalty = first.word_penalty = 0;
    first.min_length = SIZE_MAX / 2;
    first.forced_eos = (IdList){ 0 };
    first.skip_scores = false;
    return first;
}

static Status new_lane(Search *s, size_t index, Err *err)
{
    SearchLanes *lanes = s->lanes;
    SearchDraws *draws = index ? lanes->items[0]->draws : NULL;
    Status st = search_new_lane(&lanes->items[index], &lanes->params, s->vocab, draws, err);

    if (st != OK) return st;
    lanes->items[index]->draw_number = (uint32_t)index;
    lanes->items[index]->is_group = lanes->kind == LANES_GROUPS;
    return OK;
}

static Status new_alternatives(Search *s, Err *err)
{
    SearchLanes *lanes = s->lanes;
    Status st;

    lanes->first_params = params_of_first(s->params);
    lanes->whole_params = *s->params;
    lanes->whole_params.alternatives = 0;
    st = search_new_lane(&lanes->first, &lanes->first_params, s->vocab, NULL, err);
    return st == OK ? search_new_lane(&lanes->whole, &lanes->whole_params, s->vocab, NULL, err) : st;
}

static Status allocate(Search *s, Err *err)
{
    SearchLanes *lanes = s->lanes;
    const SearchParams *params = s->params;
    const size_t steps = params->max_length + 1;

    lanes->room = lanes->kind == LANES_ALTERNATIVES ? params->alternatives
                  : lanes->kind == LANES_DRAWS      ? params->n_best
                                                    : params->groups;
    if (!lanes->room || steps > SIZE_MAX / sizeof(size_t) / lanes->room) return err_memory(err, "the search");
    lanes->items = calloc(lanes->room, sizeof *lanes->items);
    lanes->offsets = calloc(steps * lanes->room, sizeof *lanes->offsets);
    lanes->row = calloc(s->vocab, sizeof *lanes->row);
    lanes->firsts = calloc(lanes->room, sizeof *lanes->firsts);
    lanes->prefix = calloc(steps, sizeof *lanes->prefix);
    lanes->scores = calloc(steps, sizeof *lanes->scores);
    lanes->taken = calloc(params->beams, sizeof *lanes->taken);
    return lanes->items && lanes->offsets && lanes->row && lanes->firsts && lanes->prefix && lanes->scores &&
                   lanes->taken
               ? OK
               : err_memory(err, "the search");
}

/* A group may have more results than beams, with patience. */
static Status allocate_results(SearchLanes *lanes, Err *err)
{
    lanes->result_room = lanes->room * (lanes->kind == LANES_GROUPS ? lanes->items[0]->result_room : 1);
    lanes->results = calloc(lanes->result_room, sizeof *lanes->results);
    return lanes->results ? OK : err_memory(err, "the search");
}

Status search_lanes_new(Search *s, Err *err)
{
    SearchLanes *lanes = s->lanes = calloc(1, sizeof *lanes);
    Status st;

    if (!lanes) return err_memory(err, "the search");
    lanes->kind = kind_of(s->params);
    lanes->params = params_of_lane(s->params, lanes->kind);
    st = allocate(s, err);
    for (size_t i = 0; st == OK && i < lanes->room; i++) st = new_lane(s, i, err);
    if (st == OK) st = allocate_results(lanes, err);
    return st == OK && lanes->kind == LANES_ALTERNATIVES ? new_alternatives(s, err) : st;
}

Search *search_lanes_whole(const Search *s)
{
    return s->lanes->is_whole ? s->lanes->whole : NULL;
}

void search_lanes_leave_whole(Search *s, bool whole)
{
    s->lanes->is_whole = whole && s->lanes->whole;
}

Status search_lanes_each(Search *s, Status (*call)(Search *, Err *), Err *err)
{
    const SearchLanes *lanes = s->lanes;
    Status st = OK;

    for (size_t i = 0; st == OK && i < lanes->room; i++) st = call(lanes->items[i], err);
    if (st == OK && lanes->first) st = call(lanes->first, err);
    return st == OK && lanes->whole ? call(lanes->whole, err) : st;
}

void search_lanes_choose_from(Search *s, const int32_t *ids, size_t count)
{
    const SearchLanes *lanes = s->lanes;

    for (size_t i = 0; i < lanes->room; i++) search_single_choose_from(lanes->items[i], ids, count);
    if (lanes->first) search_single_choose_from(lanes->first, ids, count);
    if (lanes->whole) search_single_choose_from(lanes->whole, ids, count);
}

static Status expect_scores(Search *s, Err *err)
{
    (void)err;
    s->expects_scores = true;
    return OK;
}

void search_lanes_expect_scores(Search *s)
{
    Err err;
    const Status st = search_lanes_each(s, expect_scores, &err);

    (void)st; /* expect_scores() does not fail */
}

/* --- The beginning, where all lanes have the same row. */

/* Whether the lanes have rows of their own. */
static bool is_divided(const Search *s)
{
    return s->step > s->prefix_len;
}

/* The search that has the row of all lanes. */
static Search *common(const Search *s)
{
    return s->lanes->kind == LANES_ALTERNATIVES ? s->lanes->first : s->lanes->items[0];
}

static void start_first(Search *s, const int32_t *prefix, size_t prefix_len)
{
    SearchLanes *lanes = s->lanes;

    if (prefix_len) memcpy(lanes->prefix, prefix, prefix_len * sizeof *prefix);
    search_single_start(lanes->first, lanes->source, lanes->source_len, prefix, prefix_len, prefix_len + 1);
    if (s->params->rules.alternatives_forget_prefix) lanes->first->processors.forgotten = prefix_len;
}

/* Alternatives differ in the first token that is chosen, so a token that the model is forced to choose comes before.
 * The searches know how much of a prefix is forced: nothing of one that is favoured. */
void search_lanes_start(Search *s, const int32_t *source, size_t source_len, const int32_t *prefix, size_t prefix_len,
                        size_t max_length)
{
    SearchLanes *lanes = s->lanes;
    const SearchParams *params = s->params;

    if (lanes->kind == LANES_ALTERNATIVES && params->forced_bos >= 0 && !prefix_len && max_length > 1) {
        prefix = &params->forced_bos;
        prefix_len = 1;
    }
    s->step = 0;
    s->done = false;
    lanes->source = source;
    lanes->source_len = source_len;
    lanes->count = lanes->kind == LANES_ALTERNATIVES ? 0 : lanes->room;
    lanes->result_count = 0;
    lanes->short_of_room = false;
    for (size_t i = 0; i < lanes->count; i++)
        search_single_start(lanes->items[i], source, source_len, prefix, prefix_len, max_length);
    if (lanes->kind == LANES_ALTERNATIVES) start_first(s, prefix, prefix_len);
    s->prefix_len = common(s)->prefix_len;
    s->max_length = search_limit(params, source_len, s->prefix_len, max_length);
    /* `first` ends after its token, but byte pieces may follow it. It knows nothing of a forced end token. */
    if (lanes->kind == LANES_ALTERNATIVES)
        lanes->first->processors.max_length = s->max_length - (params->forced_eos.len > 0);
}

/* Starts a lane after the first `length` tokens of lanes->prefix, as if it had come to them. */
static void start_after(Search *s, Search *item, size_t length)
{
    const SearchLanes *lanes = s->lanes;

    search_single_start(item, lanes->source, lanes->source_len, lanes->prefix, length, s->max_length);
    item->processors.forgotten = s->params->rules.alternatives_forget_prefix ? length : 0;
    while (item->step < length) search_single_advance(item);
}

/* Starts a lane after its first token, or ends it there if the token completes a text that ends translations. */
static void start_alternative(Search *s, size_t lane, int32_t token)
{
    SearchLanes *lanes = s->lanes;
    Search *item = lanes->items[lane];

    if (text_rules_stop_any(s->params->texts)) {
        start_after(s, item, s->prefix_len);
        if (search_ends(item, 0, token)) {
            item->results[0] = (Result){ .finished = true, .last = { s->prefix_len, 0 }, .token = token };
            search_finish(item);
            return;
        }
    }
    lanes->prefix[s->prefix_len] = token;
    start_after(s, item, s->prefix_len + 1);
}

/* The best alternative is one whatever its probability. If the settings forbid all tokens, the prefix alone is the
 * result, that of `first`. */
static void start_alternatives(Search *s)
{
    SearchLanes *lanes = s->lanes;

    lanes->short_of_room = s->prefix_len + 1 >= s->max_length;
    for (size_t i = 0; i < search_single_results(lanes->first); i++) {
        const Hypothesis found = search_single_result(lanes->first, i);
        if (!(found.sum > SCORE_NEVER / 2)) break;
        if (i && expf(found.sum) < s->params->alternative_probability) break;
        lanes->firsts[lanes->count] = found.sum;
        if (!lanes->short_of_room) start_alternative(s, lanes->count, found.ids[s->prefix_len]);
        lanes->count++;
    }
    if (lanes->count) return;
    lanes->short_of_room = true;
    lanes->count = 1;
}

/* --- Rows. */

size_t search_lanes_rows(const Search *s)
{
    size_t rows = 0;

    if (s->done) return 0;
    if (!is_divided(s)) return 1;
    for (size_t i = 0; i < s->lanes->count; i++) rows += s->lanes->items[i]->rows;
    return rows;
}

/* Returns the lane of a row, and makes it the row of that lane. */
static size_t find_lane(const Search *s, size_t *row)
{
    size_t lane = 0;

    for (; *row >= s->lanes->items[lane]->rows; lane++) *row -= s->lanes->items[lane]->rows;
    return lane;
}

int32_t search_lanes_token(const Search *s, size_t row)
{
    size_t lane;

    if (!is_divided(s)) return search_single_token(common(s), 0);
    lane = find_lane(s, &row);
    return search_single_token(s->lanes->items[lane], row);
}

size_t search_lanes_parent(const Search *s, size_t row)
{
    size_t lane;

    if (!s->step || s->step - 1 <= s->prefix_len) return 0;
    lane = find_lane(s, &row);
    return s->lanes->offsets[(s->step - 1) * s->lanes->room + lane] + search_single_parent(s->lanes->items[lane], row);
}

bool search_lanes_want_logits(const Search *s)
{
    const SearchLanes *lanes = s->lanes;

    if (s->done) return false;
    if (!is_divided(s)) return search_single_wants_logits(common(s));
    for (size_t i = 0; i < lanes->count; i++)
        if (search_single_wants_logits(lanes->items[i])) return true;
    return false;
}

bool search_lanes_need_whole_rows(const Search *s)
{
    const SearchLanes *lanes = s->lanes;

    if (!is_divided(s) || lanes->kind == LANES_GROUPS) return true;
    for (size_t i = 0; i < lanes->count; i++)
        if (search_single_wants_logits(lanes->items[i]) && search_single_needs_whole_rows(lanes->items[i])) return true;
    return false;
}

/* Gives a lane its part of the rows; of the row that all have, a copy, because searches overwrite logits. */
static void take_for_lane(const Search *s, size_t lane, size_t offset, const LogitsBlock *block)
{
    Search *item = s->lanes->items[lane];
    LogitsBlock own = *block;

    own.rows = item->rows;
    own.logits += offset * block->stride;
    if (!is_divided(s)) {
        memcpy(s->lanes->row, block->logits, block->count * sizeof *block->logits);
        own.logits = s->lanes->row;
        own.rows = 1;
    }
    search_single_take_logits(item, &own);
}

void search_lanes_take_logits(Search *s, const LogitsBlock *block)
{
    SearchLanes *lanes = s->lanes;
    size_t offset = 0, taken = 0;

    if (!is_divided(s) && lanes->kind == LANES_ALTERNATIVES) {
        search_single_take_logits(lanes->first, block);
        return;
    }
    for (size_t i = 0; i < lanes->count; i++) {
        Search *item = lanes->items[i];
        if (item->done) continue;
        item->processors.taken = lanes->taken;
        item->processors.taken_count = taken;
        take_for_lane(s, i, offset, block);
        offset += item->rows;
        if (lanes->kind == LANES_GROUPS) taken += search_group_tokens(item, lanes->taken + taken);
    }
}

void search_lanes_advance(Search *s)
{
    SearchLanes *lanes = s->lanes;
    size_t rows = 0;

    if (!is_divided(s) && lanes->kind == LANES_ALTERNATIVES) {
        search_single_advance(lanes->first);
        if (lanes->first->done) start_alternatives(s);
        if (!lanes->first->done) rows = 1;
    }
    if (is_divided(s) || lanes->kind != LANES_ALTERNATIVES)
        for (size_t i = 0; i < lanes->count; i++) search_single_advance(lanes->items[i]);
    s->step++;
    for (size_t i = 0; i < lanes->count && !lanes->short_of_room; i++) {
        lanes->offsets[s->step * lanes->room + i] = rows;
        rows += lanes->items[i]->rows;
    }
    if (rows) return;
    search_lanes_order_results(s);
    search_finish(s);
}

bool search_lanes_are_broken(const Search *s)
{
    const SearchLanes *lanes = s->lanes;

    if (lanes->first && lanes->first->broken) return true;
    for (size_t i = 0; i < lanes->count; i++)
        if (lanes->items[i]->broken) return true;
    return false;
}
