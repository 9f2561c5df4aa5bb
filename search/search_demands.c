/* search_demands.c - beam search for translations that have to contain given texts (SearchDemands of search.h).
 *
 * The search follows Post and Vilar 2018 ("Fast Lexically Constrained Decoding with Dynamic
 * Beam Allocation for Neural Machine Translation", https://aclanthology.org/N18-1119):
 *
 * - Besides the best candidates of all rows, a step considers the best DEMAND_BEST tokens of each row. For each demand
 *   that a row has not met, it also considers the first token of each form, the next one of each form that has begun,
 *   and the best token that ends the word of a form that is complete.
 * - A form may begin only where its demand allows it (DemandPlace). Otherwise terms come after the end of the sentence,
 *   and beside the words that they should replace.
 * - The candidates are divided into banks by the number of demanded tokens that they contain: all tokens of the longest
 *   form for a demand that is met, the tokens so far for a form that has begun. The bank with the most tokens and then
 *   the others, ordered by their best candidates, take turns until the beam is full. So a hypothesis competes with
 *   those that have met as much as it has.
 * - A hypothesis that has met all demands is complete when it ends.
 *
 * Some demands cannot be met, or only in a translation that the model never ends. The length is therefore limited to
 * twice that of the shortest of the best candidates that ended, plus DEMAND_PATIENCE tokens. If no hypothesis has met
 * all demands by then, the results are those that have met the most, in the order of their scores.
 *
 * A length penalty favours long translations, and the more so the lower their sums of log-probabilities are. A form
 * that the model would not write would therefore be followed by sentences that the source does not have. So the results
 * are compared as if those that are longer than the free translation, with the demanded tokens added to it, had that
 * length.
 *
 * SearchRules change only the scores here: which candidates continue and when the search ends does not depend on the
 * program that a model comes from. The search ends when the best row, at its present length, cannot have a better
 * score than the last of the n best results. With a free translation, only the rows with the most demanded tokens count
 * here: the others seldom meet the demands later, but would go on until the limit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search_state.h"

#define DEMAND_PATIENCE ((size_t)16)

/* The least part of a row's attention that the source ids of a demand must have so that a form may begin there. */
#define DEMAND_ATTENTION 0.3f

/* How many of the best tokens of each row are considered. */
#define DEMAND_BEST 4

/* A candidate and what it has met. */
typedef struct {
    Candidate candidate;
    uint32_t met; /* a bit for each demand */
    size_t bank;  /* the number of demanded tokens that it contains, see count_tokens() */
    size_t place; /* of its bank among the banks */
    size_t turn;  /* the number of better candidates in its bank */
    bool ends, picked;
} DemandCandidate;

struct DemandSearch {
    const SearchDemands *demands; /* of the sentence */
    uint32_t *met;                /* [beams], of each row */
    int32_t *tails;               /* [beams, DEMAND_TOKENS + 1], the last tokens of each row, in order, and a place for
                                     the next token */
    uint32_t *tail_begins;        /* [beams, DEMAND_TOKENS + 1], the `begins` of these tokens */
    size_t tail;                  /* the number of tokens of a tail, without the next one */
    uint32_t *begins;             /* [steps, beams], for each node: the demands, one bit each, that may begin with it */
    uint32_t *open;               /* [beams], for each row: the demands that may begin with the next token */
    const float *attention;       /* of the rows of the step, see search_attend(); NULL: unknown */
    size_t stride;
    DemandCandidate *items; /* [room] */
    size_t count, room;
    size_t limit;                 /* the number of tokens after which the search ends */
    size_t lead;                  /* the number of tokens in which the search follows the free translation */
    size_t full;                  /* the number of tokens up to which a longer result has a better score */
    size_t longest[DEMANDS_MOST]; /* the length of the longest form of each demand */
};

void search_demands_allow(SearchLane *s)
{
    const size_t beams = s->params->beams;
    DemandSearch *d = s->demands ? NULL : arena_zeroed(s->arena, 1, sizeof *d);

    if (!d) return;
    s->demands = d;
    d->room = s->keep + beams * (DEMAND_BEST + 1 + 2 * DEMAND_FORMS_MOST);
    d->met = arena_zeroed(s->arena, beams, sizeof *d->met);
    d->tails = arena_zeroed(s->arena, beams, (DEMAND_TOKENS + 1) * sizeof *d->tails);
    d->tail_begins = arena_zeroed(s->arena, beams, (DEMAND_TOKENS + 1) * sizeof *d->tail_begins);
    d->begins = arena_zeroed(s->arena, s->steps, beams * sizeof *d->begins);
    d->open = arena_zeroed(s->arena, beams, sizeof *d->open);
    d->items = arena_zeroed(s->arena, d->room, sizeof *d->items);
}

void search_demands_set(SearchLane *s, const SearchDemands *demands)
{
    DemandSearch *d = s->demands;

    if (!d || !demands->demand_count) return;
    s->strategy = &search_demanding;
    d->demands = demands;
    d->met[0] = 0;
    d->attention = NULL;
    /* Forms may begin anywhere in a forced prefix. */
    for (size_t i = 0; i <= s->prefix_len; i++) d->begins[search_lane_index(s, (BeamPosition){ i, 0 })] = UINT32_MAX;
    d->open[0] = UINT32_MAX;
    d->limit = s->max_length;
    for (size_t i = 0; i < s->result_room; i++) s->results[i].missed = SIZE_MAX;
    for (size_t i = 0; i < DEMANDS_MOST; i++) d->longest[i] = 0;
    for (size_t f = 0; f < demands->form_count; f++)
        if (demands->forms[f].length > d->longest[demands->forms[f].demand])
            d->longest[demands->forms[f].demand] = demands->forms[f].length;
    d->lead = demands->lead;
    d->full = demands->free_len ? demands->free_len : s->max_length;
    for (size_t i = 0; demands->free_len && i < demands->demand_count; i++) d->full += d->longest[i];
    if (d->limit > d->full + DEMAND_PATIENCE) d->limit = d->full + DEMAND_PATIENCE;
}

void search_demands_attend(SearchLane *s, const float *attention, size_t stride)
{
    s->demands->attention = attention;
    s->demands->stride = stride;
}

static int32_t *tail_of(const DemandSearch *d, size_t row)
{
    return d->tails + row * (DEMAND_TOKENS + 1);
}

/* The score by which results are compared. */
static float score_of(const SearchLane *s, float sum, size_t step)
{
    return search_lane_final_score(s, sum, step < s->demands->full ? step : s->demands->full);
}

static uint32_t *begins_of(const DemandSearch *d, size_t row)
{
    return d->tail_begins + row * (DEMAND_TOKENS + 1);
}

/* Sets the tails of all rows to their last tokens, without the start token. */
static void read_tails(SearchLane *s)
{
    DemandSearch *d = s->demands;

    d->tail = s->step < DEMAND_TOKENS ? s->step : DEMAND_TOKENS;
    for (size_t r = 0; r < s->rows; r++) {
        BeamPosition at = { s->step, r };
        for (size_t i = d->tail; i-- > 0; at.step--) {
            const Node *node = search_lane_node(s, at);
            tail_of(d, r)[i] = node->token;
            begins_of(d, r)[i] = d->begins[search_lane_index(s, at)];
            at.row = node->parent;
        }
    }
}

/* How many of the first `step` tokens the search was free to choose: those after the forced prefix or, if there is no
 * prefix, after a forced first token. */
static size_t text_length(const SearchLane *s, size_t step)
{
    const size_t forced = s->prefix_len ? s->prefix_len : s->params->forced_bos >= 0;

    return step > forced ? step - forced : 0;
}

/* Returns the length of the form's longest beginning at the end of the first `count` tokens in the tail of a row;
 * `length`: their text_length(). */
static size_t match(const DemandSearch *d, const DemandForm *form, size_t row, size_t count, size_t length)
{
    const int32_t *tokens = tail_of(d, row);
    const uint32_t *begins = begins_of(d, row);

    for (size_t n = form->length < count ? form->length : count; n > 0; n--) {
        size_t i = 0;
        if (form->begins && n < length) return 0;
        if (!(begins[count - n] >> form->demand & 1)) continue;
        while (i < n && form->ids[i] == tokens[count - n + i]) i++;
        if (i == n) return n;
    }
    return 0;
}

/* Puts the next token at the end of the row's tail. */
static void put_next(DemandSearch *d, size_t row, int32_t token)
{
    tail_of(d, row)[d->tail] = token;
    begins_of(d, row)[d->tail] = d->open[row];
}

/* Returns the demands, one bit each, that a row has met after `token`. `ends`: no token follows, so that a form at the
 * end is complete. */
static uint32_t met_after(const SearchLane *s, size_t row, int32_t token, bool ends)
{
    DemandSearch *d = s->demands;
    const SearchDemands *demands = d->demands;
    const size_t length = text_length(s, s->step), next_length = text_length(s, s->step + 1);
    const bool continues_word = demands->continues && demands->continues[token];
    uint32_t met = d->met[row];

    put_next(d, row, token);
    for (size_t f = 0; f < demands->form_count; f++) {
        const DemandForm *form = &demands->forms[f];
        if (met >> form->demand & 1) continue;
        if ((match(d, form, row, d->tail, length) == form->length && !continues_word) ||
            (ends && match(d, form, row, d->tail + 1, next_length) == form->length))
            met |= (uint32_t)1 << form->demand;
    }
    return met;
}

/* Finds the demands that are met after the next token of the forced prefix. */
static void demand_pass(SearchLane *s)
{
    read_tails(s);
    s->demands->met[0] = met_after(s, 0, search_lane_node(s, (BeamPosition){ s->step + 1, 0 })->token, false);
    s->step++;
}

/* The number of demanded tokens that a row contains after `token`; `met`: the demands that it then has met. A form
 * counts one token less as long as the next token could continue its last word. */
static size_t count_tokens(const SearchLane *s, size_t row, int32_t token, uint32_t met)
{
    DemandSearch *d = s->demands;
    size_t begun = 0, count = 0;

    put_next(d, row, token);
    for (size_t i = 0; i < d->demands->demand_count; i++)
        if (met >> i & 1) count += d->longest[i] + 1;
    for (size_t f = 0; f < d->demands->form_count; f++) {
        const DemandForm *form = &d->demands->forms[f];
        const size_t matched =
            met >> form->demand & 1 ? 0 : match(d, form, row, d->tail + 1, text_length(s, s->step + 1));
        const size_t tokens = matched == form->length ? d->longest[form->demand] : matched;
        if (tokens > begun) begun = tokens;
    }
    return count + begun;
}

/* --- The candidates of a step. */

/* Adds a candidate unless the list already has it. */
static void add_candidate(SearchLane *s, Candidate c)
{
    DemandSearch *d = s->demands;

    for (size_t i = 0; i < d->count; i++)
        if (d->items[i].candidate.row == c.row && d->items[i].candidate.token == c.token) return;
    if (c.score > SCORE_NEVER && d->count < d->room) d->items[d->count++] = (DemandCandidate){ .candidate = c };
}

static void add_column(SearchLane *s, const TopKRow *row, size_t column)
{
    Candidate item[1] = { { .score = 0 } };
    TopK one = { item, 1, 0 };

    top_k_offer_one(&one, row, row->x[column], search_lane_token_of(s, column));
    add_candidate(s, *item);
}

static void add_token(SearchLane *s, const TopKRow *row, int32_t token)
{
    const size_t column = logits_column(&s->processors, token);

    if (column < row->count) add_column(s, row, column);
}

/* If a form has just become complete, adds the best token that does not continue its last word. */
static void add_end_of_word(SearchLane *s, const TopKRow *row)
{
    const DemandSearch *d = s->demands;
    const unsigned char *continues = d->demands->continues;
    bool is_complete = false;
    size_t best = row->count;

    for (size_t f = 0; continues && f < d->demands->form_count && !is_complete; f++) {
        const DemandForm *form = &d->demands->forms[f];
        is_complete = !(d->met[row->row] >> form->demand & 1) &&
                      match(d, form, row->row, d->tail, text_length(s, s->step)) == form->length;
    }
    for (size_t i = 0; is_complete && i < row->count; i++)
        if (!continues[search_lane_token_of(s, i)] && (best == row->count || row->x[i] > row->x[best])) best = i;
    if (best < row->count) add_column(s, row, best);
}

/* Adds, for each form of a demand that is not met, its next token if it has begun, and its first token. */
static void add_forms(SearchLane *s, const TopKRow *row)
{
    const DemandSearch *d = s->demands;
    const size_t length = text_length(s, s->step);

    for (size_t f = 0; f < d->demands->form_count; f++) {
        const DemandForm *form = &d->demands->forms[f];
        size_t matched;
        if (d->met[row->row] >> form->demand & 1) continue;
        matched = match(d, form, row->row, d->tail, length);
        if (matched && matched < form->length) add_token(s, row, form->ids[matched]);
        if ((!form->begins || !length) && d->open[row->row] >> form->demand & 1) add_token(s, row, form->ids[0]);
    }
}

/* Whether the row has exactly the first `count` tokens of the free translation. */
static bool follows_free(const SearchLane *s, size_t row, size_t count)
{
    const SearchDemands *demands = s->demands->demands;

    if (s->step != count || count > demands->free_len) return false;
    search_lane_read_history(s, row);
    return !count || memcmp(s->history + 1, demands->free, count * sizeof *s->history) == 0;
}

/* Returns the demands, one bit each, that may begin with the next token of a row, whose best token is `best`. A row
 * whose best token ends the translation has come to its end, and one whose best token continues a word is in a word. */
static uint32_t open_demands(const SearchLane *s, size_t row, int32_t best)
{
    const DemandSearch *d = s->demands;
    const bool is_word = d->demands->continues && d->demands->continues[best];
    const bool is_free = !is_word && !search_lane_ends(s, row, best);
    uint32_t open = 0;

    for (size_t i = 0; i < d->demands->demand_count; i++) {
        const DemandPlace *place = d->demands->places ? &d->demands->places[i] : NULL;
        bool is_open = is_free;
        if (place && place->begin < place->end && d->attention) {
            float sum = 0;
            for (size_t j = place->begin; j < place->end; j++) sum += d->attention[row * d->stride + j];
            is_open &= sum >= DEMAND_ATTENTION;
            is_open |= follows_free(s, row, place->at);
        }
        open |= (uint32_t)is_open << i;
    }
    return open;
}

static void demand_take(SearchLane *s, const LogitsBlock *block)
{
    DemandSearch *d = s->demands;

    read_tails(s);
    d->count = 0;
    s->top.capacity = s->keep;
    s->top.count = 0;
    for (size_t r = 0; r < s->rows; r++) {
        Candidate items[DEMAND_BEST];
        TopK best = { items, DEMAND_BEST, 0 };
        TopKRow row = search_beam_score_row(s, r, block->logits + r * block->stride);
        row.row = (uint32_t)r;
        row.base = s->scores[r];
        if (s->step < d->lead) {
            d->open[r] = open_demands(s, r, d->demands->free[s->step]);
            add_token(s, &row, d->demands->free[s->step]);
            if (d->count) continue;
            d->lead = 0; /* the token is not among those of a shortlist */
        }
        top_k_offer(&s->top, &row);
        top_k_offer(&best, &row);
        top_k_sort(&best);
        for (size_t i = 0; i < best.count; i++) add_column(s, &row, (size_t)items[i].token);
        d->open[r] = best.count ? open_demands(s, r, search_lane_token_of(s, (size_t)items[0].token)) : 0;
        add_end_of_word(s, &row);
        add_forms(s, &row);
    }
    top_k_sort(&s->top);
    for (size_t i = 0; i < s->top.count; i++) {
        Candidate c = s->top.items[i];
        c.token = search_lane_token_of(s, (size_t)c.token);
        add_candidate(s, c);
    }
    s->evaluated = true;
}

/* --- The next rows. */

static int compare_scores(const void *a, const void *b)
{
    const Candidate *x = &((const DemandCandidate *)a)->candidate, *y = &((const DemandCandidate *)b)->candidate;

    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    return x->token < y->token ? -1 : x->token > y->token;
}

/* Finds the demands that each of the sorted candidates has met. A candidate that ends becomes a result. */
static void judge_candidates(SearchLane *s)
{
    DemandSearch *d = s->demands;
    const bool full = s->step + 1 >= s->max_length;

    for (size_t i = 0; i < d->count; i++) {
        DemandCandidate *item = &d->items[i];
        const Candidate *c = &item->candidate;
        item->ends = full || search_lane_ends(s, c->row, c->token);
        item->met = met_after(s, c->row, c->token, item->ends);
        item->bank = count_tokens(s, c->row, c->token, item->met);
        if (!item->ends) continue;
        if (i < s->params->beams && d->limit > 2 * (s->step + 1) + DEMAND_PATIENCE)
            d->limit = 2 * (s->step + 1) + DEMAND_PATIENCE;
        search_beam_add_result(s, c, score_of(s, c->score, s->step + 1),
                               d->demands->demand_count - (size_t)__builtin_popcount(item->met));
    }
}

/* Picks candidates for the next rows and returns their number. A bank has the candidates that contain equally many
 * demanded tokens. The banks take turns, each with its next best candidate: first the bank with the most tokens, then
 * the others in the order of their best candidates. */
static size_t pick(SearchLane *s)
{
    DemandSearch *d = s->demands;
    size_t highest = 0, picked = 0;

    for (size_t i = 0; i < d->count; i++)
        if (!d->items[i].ends && d->items[i].bank > highest) highest = d->items[i].bank;
    for (size_t i = 0; i < d->count; i++) {
        DemandCandidate *item = &d->items[i];
        item->place = item->bank == highest ? 0 : 1 + i;
        for (size_t k = i; k-- > 0;) {
            const DemandCandidate *before = &d->items[k];
            if (before->ends || before->bank != item->bank) continue;
            item->place = before->place;
            item->turn = before->turn + 1;
            break;
        }
    }
    for (; picked < s->params->beams; picked++) {
        DemandCandidate *next = NULL;
        for (size_t i = 0; i < d->count; i++) {
            DemandCandidate *item = &d->items[i];
            if (item->ends || item->picked) continue;
            if (!next || item->turn < next->turn || (item->turn == next->turn && item->place < next->place))
                next = item;
        }
        if (!next) break;
        next->picked = true;
    }
    return picked;
}

static void demand_advance(SearchLane *s)
{
    DemandSearch *d = s->demands;
    const Result *last = &s->results[s->params->n_best - 1];
    const bool hopeful = s->params->early_stopping == EARLY_STOPPING_NEVER && s->params->length_penalty > 0;
    float best = SCORE_NEVER; /* of all rows or, with a free translation, of those that have met the most */
    size_t picked, row = 0, bank = 0;

    if (d->count) qsort(d->items, d->count, sizeof *d->items, compare_scores);
    judge_candidates(s);
    picked = pick(s);
    s->step++;
    for (size_t i = 0; i < d->count; i++) { /* the candidates are sorted, so the rows will be */
        const DemandCandidate *item = &d->items[i];
        if (!item->picked) continue;
        if (best <= SCORE_NEVER || (d->demands->free_len && item->bank > bank)) best = item->candidate.score;
        if (item->bank > bank) bank = item->bank;
        s->scores[row] = item->candidate.score;
        d->met[row] = item->met;
        d->begins[search_lane_index(s, (BeamPosition){ s->step, row })] = d->open[item->candidate.row];
        search_lane_set_node(s, (BeamPosition){ s->step, row++ }, (Node){ item->candidate.token, item->candidate.row },
                             item->candidate.score);
    }
    s->rows = row;
    if (picked && s->step < d->limit &&
        (last->missed || score_of(s, best, hopeful ? s->max_length : s->step) > last->score))
        return;
    for (size_t i = 0; i < s->result_room; i++)
        if (s->results[i].finished)
            s->results[i].score = search_lane_final_score(s, s->results[i].sum, s->results[i].last.step + 1);
    search_lane_finish(s);
}

const SearchStrategy search_demanding = {
    .needs_whole_rows = true, .pass = demand_pass, .take = demand_take, .advance = demand_advance
};
