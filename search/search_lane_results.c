/* search_lane_results.c - the results of a sentence that is divided into several searches: see search_lanes.h. */
#include "search_lanes.h"

#include "search_lane_state.h"
#include "search_single.h"

/* Adds a result at its place; of equal scores, that of a later group comes first, as in transformers. */
static void add_result(SearchLanes *lanes, LaneResult result)
{
    size_t at = lanes->result_count++;

    for (; at > 0 && lanes->kind != LANES_ALTERNATIVES; at--) {
        const float before = lanes->results[at - 1].score;
        if (lanes->kind == LANES_GROUPS ? before > result.score : before >= result.score) break;
        lanes->results[at] = lanes->results[at - 1];
    }
    lanes->results[at] = result;
}

static bool any_finished(const SearchLanes *lanes)
{
    for (size_t i = 0; i < lanes->count; i++)
        if (lanes->items[i]->results[0].finished) return true;
    return false;
}

/* If no group has finished a hypothesis, the prompt alone is the result. */
void search_lanes_order_results(Search *s)
{
    SearchLanes *lanes = s->lanes;
    const bool none = lanes->kind == LANES_GROUPS && !any_finished(lanes);

    lanes->result_count = 0;
    for (size_t i = 0; i < lanes->count; i++) {
        const Search *item = lanes->items[i];
        const size_t most = lanes->kind == LANES_GROUPS ? item->result_room : 1;
        for (size_t r = 0; r < most; r++)
            if (lanes->kind != LANES_GROUPS || item->results[r].finished || (none && !i && !r))
                add_result(lanes, (LaneResult){ i, r, lanes->short_of_room ? 0 : item->results[r].score });
    }
}

size_t search_lanes_results(const Search *s)
{
    const size_t count = s->lanes->result_count;

    if (s->lanes->kind == LANES_ALTERNATIVES) return count;
    return s->params->n_best < count ? s->params->n_best : count;
}

Hypothesis search_lanes_result(Search *s, size_t i)
{
    SearchLanes *lanes = s->lanes;
    const LaneResult result = lanes->results[i];
    Hypothesis found;

    if (lanes->short_of_room) return search_single_result(lanes->first, result.lane);
    found = search_single_result(lanes->items[result.lane], result.index);
    if (lanes->kind != LANES_ALTERNATIVES) return found;
    found.score += lanes->firsts[result.lane];
    found.sum += lanes->firsts[result.lane];
    if (!lanes->items[result.lane]->sums) return found;
    search_lanes_result_scores(s, i, lanes->scores);
    found.sum = 0;
    for (size_t t = 0; t < found.len; t++) found.sum += lanes->scores[t];
    return found;
}

/* Turns the rows of a lane's hypothesis of `len` tokens into those of the sentence. */
static void place_rows(const Search *s, size_t lane, size_t *rows, size_t len)
{
    const SearchLanes *lanes = s->lanes;

    for (size_t t = 0; t < len; t++)
        rows[t] = t <= s->prefix_len ? 0 : rows[t] + lanes->offsets[t * lanes->room + lane];
}

size_t search_lanes_result_rows(const Search *s, size_t i, size_t *rows)
{
    const SearchLanes *lanes = s->lanes;
    const LaneResult result = lanes->results[i];
    size_t len;

    if (lanes->short_of_room) return search_single_result_rows(lanes->first, result.lane, rows);
    len = search_single_result_rows(lanes->items[result.lane], result.index, rows);
    place_rows(s, result.lane, rows, len);
    return len;
}

void search_lanes_result_scores(const Search *s, size_t i, float *scores)
{
    const SearchLanes *lanes = s->lanes;
    const LaneResult result = lanes->results[i];

    if (lanes->short_of_room) {
        search_single_result_scores(lanes->first, result.lane, scores);
        return;
    }
    search_single_result_scores(lanes->items[result.lane], result.index, scores);
    if (lanes->kind == LANES_ALTERNATIVES) scores[s->prefix_len] = lanes->firsts[result.lane];
}

void search_lanes_result_spread(const Search *s, size_t i, size_t *rows, TokenSpread *spread)
{
    const SearchLanes *lanes = s->lanes;
    const LaneResult result = lanes->results[i];
    TokenSpread first;

    if (lanes->kind != LANES_ALTERNATIVES) {
        search_single_result_spread(lanes->items[result.lane], result.index, rows, spread);
        return;
    }
    search_single_result_spread(lanes->first, result.lane, rows, spread);
    if (lanes->short_of_room) return;
    first = spread[s->prefix_len];
    search_single_result_spread(lanes->items[result.lane], result.index, rows, spread);
    spread[s->prefix_len] = first;
}

/* Calls the function of the caller with the rows of the sentence. */
typedef struct {
    const Search *search;
    size_t lane, begin;
    SearchCoverage *coverage;
    void *context;
} LaneCoverage;

static float cover_lane(void *context, size_t *rows, size_t begin, size_t end)
{
    const LaneCoverage *lane = context;

    place_rows(lane->search, lane->lane, rows, end);
    return lane->coverage(lane->context, rows, lane->begin > begin ? lane->begin : begin, end);
}

/* The coverage of an alternative is that of what follows its first token. */
void search_lanes_add_coverage(Search *s, SearchCoverage *coverage, void *context, size_t *rows)
{
    SearchLanes *lanes = s->lanes;

    for (size_t i = 0; i < lanes->count && !lanes->short_of_room; i++) {
        LaneCoverage lane = { s, i, lanes->kind == LANES_ALTERNATIVES ? s->prefix_len + 1 : 0, coverage, context };
        search_single_add_coverage(lanes->items[i], cover_lane, &lane, rows);
    }
    search_lanes_order_results(s);
}
