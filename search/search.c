/* search.c - see search.h.
 *
 * Beam search (transformers 4.57.1, _beam_search in generation/utils.py). One
 * step, with k beams and K = max(2, 1 + number of end tokens) * k:
 *   1. score(row, id) = running(row) + processed log-probability(id)
 *   2. candidates = the K best of all rows
 *   3. a candidate is complete when it ends with an end token or has the
 *      maximal length; complete ones among the first k compete with
 *      score / length^length_penalty for the k result slots
 *   4. the k best candidates run on, complete ones counted 1e9 lower
 *   5. the end: no running beam can be better than the worst slot, or all
 *      slots are taken (early_stopping true), or no candidate runs on
 * CTranslate2's (BeamSearch::search() of src/decoding.cc) differs in 3 and 5, as
 * search.h says, and in one more point: of the candidates that follow a prefix,
 * all but the best are lost when they end.
 *
 * All scores are f32, and -1e9 stands for "never" as it does there: a run
 * that has nothing better goes on with such scores.
 *
 * Marian's beam search (src/translator/beam_search.cpp and history.h of
 * marian-nmt/marian-dev): candidates are the w best of all rows, w being the beam
 * at first; the finished ones take a result slot, the others run on, and w is
 * how many these are. At the maximal length all are finished.
 *
 * The first step has one row. In the original it has k equal ones, all but
 * the first at -1e9: their candidates are offered from the same logits.
 *
 * A step's choices are kept as (token, parent row), so that nothing is moved
 * when beams are reordered; results are read backwards from their last
 * token. Nothing is allocated after search_new(). */
#include "search.h"

#include <math.h>

#include "search_state.h"

#define NEVER (-1.0e9f)

static Node *node_at(const Search *s, Place place)
{
    return &s->nodes[place.step * s->params->beams + place.row];
}

void search_choose_from(Search *search, const int32_t *ids, size_t count)
{
    search->rules.ids = ids;
    search->rules.width = ids ? count : search->vocab;
}

size_t search_width(const Search *search)
{
    return search->rules.width;
}

void search_expect_scores(Search *search)
{
    search->scored = true;
}

/* The token of a column of the logits. */
static int32_t token_of(const Search *s, size_t column)
{
    return s->rules.ids ? s->rules.ids[column] : (int32_t)column;
}

void search_start(Search *search, const int32_t *source, size_t source_len, const int32_t *prefix, size_t prefix_len,
                  size_t max_length)
{
    Search *s = search;

    /* CTranslate2 forces nothing but a prefix. */
    if (s->params->style == SEARCH_CTRANSLATE2 && s->params->forced_bos >= 0 && !prefix_len && max_length > 1) {
        prefix = &s->params->forced_bos;
        prefix_len = 1;
    }
    s->rules.source = source;
    s->rules.source_len = source_len;
    s->rules.prompt_len = 1 + prefix_len;
    s->prefix_len = prefix_len;
    s->max_length = search_limit(s->params, source_len, prefix_len, max_length);
    s->rules.max_length = s->max_length;
    s->step = 0;
    s->rows = 1;
    s->finished = 0;
    s->top_finished = false;
    s->done = s->broken = false;
    *node_at(s, (Place){ 0, 0 }) = (Node){ s->params->start, 0 };
    for (size_t i = 0; i < prefix_len; i++) *node_at(s, (Place){ i + 1, 0 }) = (Node){ prefix[i], 0 };
    for (size_t i = 0; i < s->params->beams; i++) {
        s->scores[i] = i == 0 ? 0 : NEVER;
        s->slots[i] = (Slot){ NEVER, NEVER, false, { prefix_len, 0 }, -1 };
    }
    if (s->params->beams == 1) s->slots[0].sum = 0;
}

size_t search_rows(const Search *search)
{
    return search->rows;
}

int32_t search_token(const Search *search, size_t row)
{
    return node_at(search, (Place){ search->step, row })->token;
}

size_t search_parent(const Search *search, size_t row)
{
    return node_at(search, (Place){ search->step, row })->parent;
}

bool search_wants_logits(const Search *search)
{
    return !search->done && search->step >= search->prefix_len;
}

bool search_done(const Search *search)
{
    return search->done;
}

bool search_is_broken(const Search *search)
{
    return search->broken;
}

static void finish(Search *s)
{
    s->done = true;
    s->rows = 0;
}

/* Writes the tokens up to `last`, without the start token, to ids[last.step]. */
static void read_path(const Search *s, Place last, int32_t *ids)
{
    for (; last.step > 0; last.step--) {
        const Node *node = node_at(s, last);
        ids[last.step - 1] = node->token;
        last.row = node->parent;
    }
}

/* Applies the settings to row `row` of the step. */
static void process_row(Search *s, size_t row, float *logits)
{
    if (logits_need_history(&s->rules)) {
        s->history[0] = s->params->start;
        read_path(s, (Place){ s->step, row }, s->history + 1);
    }
    logits_process(&s->rules, row, s->history, s->step + 1, logits);
}

static bool is_end(const Search *s, int32_t token)
{
    const IdList *eos = &s->params->eos;

    for (size_t i = 0; i < eos->len; i++)
        if (eos->data[i] == token) return true;
    return false;
}

/* length^length_penalty, in f32 as the scores are. */
static float length_factor(const Search *s, size_t length)
{
    return (float)pow((double)length, (double)s->params->length_penalty);
}

/* The tokens that count in the score of a hypothesis of `step` tokens. */
static size_t scored_length(const Search *s, size_t step)
{
    return s->params->style == SEARCH_CTRANSLATE2 ? step : step - s->prefix_len;
}

/* Of the sum of log-probabilities. */
static float final_score(const Search *s, float sum, size_t length)
{
    return (sum - s->params->word_penalty * (float)length) / length_factor(s, length);
}

/* The best token of the only row; with scores, its log-probability is added up. */
static int32_t choose_greedy(Search *s, float *logits)
{
    const bool scores = !s->params->skip_scores;
    LogSum sum = { 0 };
    Kept best;

    if (s->scanned) {
        best = *search_scan_largest(&s->scans[0]);
        if (scores) sum = s->kernels->log_sum_end(&s->scans[0].parts);
    } else {
        size_t column;
        search_check_row(s, logits);
        process_row(s, 0, logits);
        column = s->kernels->argmax(logits, s->rules.width);
        best = (Kept){ logits[column], token_of(s, column) };
        if (scores && !s->scored) sum = s->kernels->log_sum(logits, s->rules.width, NULL);
    }
    if (scores) s->slots[0].sum += (best.x - sum.top) - sum.log_sum;
    search_check_sum(s, best.x, sum.log_sum);
    return best.id;
}

/* One best token. The log-probabilities are those of the processed logits. Broken logits (NaN, all infinite)
 * score NEVER: a score is always a finite number. */
static void advance_greedy(Search *s, float *logits)
{
    const int32_t token = choose_greedy(s, logits);
    bool ends;

    s->slots[0].last = (Place){ s->step, 0 };
    s->slots[0].token = token;
    s->step++;
    ends = is_end(s, token) || s->step >= s->max_length;
    if (ends) {
        s->slots[0].score = final_score(s, s->slots[0].sum, scored_length(s, s->step));
        if (!(s->slots[0].score >= NEVER)) s->slots[0].score = NEVER;
        if (!(s->slots[0].sum >= NEVER)) s->slots[0].sum = NEVER;
        s->slots[0].finished = true;
        finish(s);
        return;
    }
    *node_at(s, (Place){ s->step, 0 }) = (Node){ token, 0 };
}

/* Makes log-probabilities of a row and applies the settings to them; leaves
 * them as logits where the settings allow it. */
static TopKRow score_row(Search *s, size_t row, float *logits)
{
    TopKRow out = { .base = 0, .x = logits, .tops = s->tops, .count = s->rules.width };

    search_check_row(s, logits);
    if (s->scored) {
        process_row(s, row, logits);
        s->kernels->tops(logits, s->rules.width, s->tops);
    } else if (s->params->style == SEARCH_CTRANSLATE2) {
        process_row(s, row, logits);
        out.sum = s->kernels->log_sum(logits, s->rules.width, s->tops);
    } else if (logits_change_scores(&s->rules, s->step + 1)) {
        s->kernels->log_softmax(logits, s->rules.width);
        search_check_row(s, logits);
        process_row(s, row, logits);
        s->kernels->tops(logits, s->rules.width, s->tops);
    } else {
        out.sum = s->kernels->log_sum(logits, s->rules.width, s->tops);
        process_row(s, row, logits);
    }
    search_check_sum(s, out.sum.top, out.sum.log_sum);
    return out;
}

/* Steps 1 and 2 of the method, with the best `count` candidates. */
static void find_candidates(Search *s, size_t count, float *logits)
{
    bool first = s->step == s->prefix_len && s->params->style == SEARCH_GENERATE;
    size_t runs = first ? s->params->beams : s->rows;
    TopKRow row = { 0 };

    s->top.capacity = count;
    s->top.count = 0;
    for (size_t r = 0; r < runs; r++) {
        const RowScan *scan = &s->scans[first ? 0 : r];
        if (s->scanned) {
            row.sum = s->kernels->log_sum_end(&scan->parts);
            search_check_sum(s, row.sum.top, row.sum.log_sum);
        } else if (!first || r == 0) {
            row = score_row(s, r, logits + r * s->rules.width);
        }
        row.row = (uint32_t)r;
        row.base = s->scores[r];
        if (s->scanned)
            search_scan_offer(scan, &s->top, &row);
        else
            top_k_offer(&s->top, &row);
    }
    top_k_sort(&s->top);
    for (size_t i = 0; i < s->top.count; i++) {
        Candidate *c = &s->top.items[i];
        c->token = token_of(s, (size_t)c->token);
        if (first) c->row = 0;
    }
}

/* CTranslate2: behind a prefix only the best candidate may end. The others keep
 * their place, as something that nothing comes of. */
static void lose_short_candidates(Search *s)
{
    if (s->params->style != SEARCH_CTRANSLATE2 || !s->prefix_len || s->step != s->prefix_len) return;
    for (size_t i = 1; i < s->top.count; i++)
        if (is_end(s, s->top.items[i].token)) s->top.items[i] = (Candidate){ .score = 10 * NEVER };
}

/* Marks the complete candidates. True when there is another one. */
static bool mark_complete(Search *s)
{
    bool full = s->step + 1 >= s->max_length;
    bool open = false;

    for (size_t i = 0; i < s->top.count; i++) {
        s->complete[i] = full || is_end(s, s->top.items[i].token);
        open |= !s->complete[i];
    }
    return open;
}

/* A finished candidate, if its score is good enough. */
static void fill_slot(Search *s, const Candidate *c)
{
    float score = final_score(s, c->score, scored_length(s, s->step + 1));
    size_t beams = s->params->beams, at = beams;

    while (at > 0 && score > s->slots[at - 1].score) {
        if (at < beams) s->slots[at] = s->slots[at - 1];
        at--;
    }
    if (at < beams) s->slots[at] = (Slot){ score, c->score, true, { s->step, c->row }, c->token };
}

/* Step 3: a better score takes its place, the worst slot falls out. Slots
 * that were there before win against equal scores. */
static void fill_slots(Search *s)
{
    size_t beams = s->params->beams;

    for (size_t i = 0; i < beams && i < s->top.count; i++) {
        if (!s->complete[i]) continue;
        fill_slot(s, &s->top.items[i]);
        s->finished++;
        if (i == 0) s->top_finished = true;
    }
}

/* Step 4: merges the open candidates with the complete ones, both in order. */
static void choose_running(Search *s)
{
    const Candidate *items = s->top.items;
    size_t open = 0, ended = 0, count = s->top.count;

    s->step++;
    s->rows = s->params->beams < count ? s->params->beams : count;
    for (size_t r = 0; r < s->rows; r++) {
        size_t pick;
        float low;
        while (open < count && s->complete[open]) open++;
        while (ended < count && !s->complete[ended]) ended++;
        low = ended < count ? items[ended].score + NEVER : 0;
        if (ended == count)
            pick = open;
        else if (open == count)
            pick = ended;
        else
            pick = items[open].score > low || (items[open].score == low && open < ended) ? open : ended;
        s->scores[r] = pick == open ? items[open].score : low;
        *node_at(s, (Place){ s->step, r }) = (Node){ items[pick].token, items[pick].row };
        if (pick == open)
            open++;
        else
            ended++;
    }
}

/* Step 5, for early_stopping false and "never": can the best running beam
 * still beat the worst slot? A free slot's NEVER is below any finished one.
 * The length assumed is the present one, or the maximal one where that is
 * the more hopeful. */
static bool can_improve(const Search *s)
{
    const SearchParams *params = s->params;
    bool hopeful = params->early_stopping == EARLY_STOPPING_NEVER && params->length_penalty > 0;
    size_t length = (hopeful ? s->max_length : s->step) - s->prefix_len;

    return s->scores[0] / length_factor(s, length) > s->slots[params->beams - 1].score;
}

static bool all_finished(const Search *s)
{
    for (size_t i = 0; i < s->params->beams; i++)
        if (!s->slots[i].finished) return false;
    return true;
}

/* Step 5. */
static bool is_over(const Search *s)
{
    const SearchParams *params = s->params;

    if (params->style == SEARCH_CTRANSLATE2)
        return params->length_penalty == 0 ? s->top_finished && s->finished >= params->n_best
                                           : s->finished >= params->beams;
    return !can_improve(s) || (params->early_stopping == EARLY_STOPPING_TRUE && all_finished(s));
}

static void advance_beams(Search *s, float *logits)
{
    bool open;

    find_candidates(s, s->keep, logits);
    lose_short_candidates(s);
    open = mark_complete(s);
    fill_slots(s);
    choose_running(s);
    if (!open || is_over(s)) finish(s);
}

/* One step of Marian's search. */
static void advance_shrinking(Search *s, float *logits)
{
    size_t width = s->step == s->prefix_len ? s->params->beams : s->rows, running = 0;
    bool last = s->step + 1 >= s->max_length;

    find_candidates(s, width < s->keep ? width : s->keep, logits);
    for (size_t i = 0; i < s->top.count; i++) {
        const Candidate *c = &s->top.items[i];
        if (last || is_end(s, c->token)) {
            fill_slot(s, c);
            continue;
        }
        s->scores[running] = c->score;
        *node_at(s, (Place){ s->step + 1, running++ }) = (Node){ c->token, c->row };
    }
    s->step++;
    s->rows = running;
    if (!running) finish(s);
}

void search_advance(Search *search, float *logits)
{
    if (search->done) return;
    if (logits) search->scanned = false;
    if (!search_wants_logits(search))
        search->step++;
    else if (search->params->style == SEARCH_MARIAN && (search->params->beams > 1 || !search->params->skip_scores))
        advance_shrinking(search, logits);
    else if (search->params->beams == 1)
        advance_greedy(search, logits);
    else
        advance_beams(search, logits);
    search->scanned = false;
}

size_t search_results(const Search *search)
{
    const SearchParams *params = search->params;

    return params->n_best < params->beams ? params->n_best : params->beams;
}

Hypothesis search_result(Search *search, size_t i)
{
    const Slot *slot = &search->slots[i];
    size_t len = slot->last.step;

    read_path(search, slot->last, search->result);
    if (slot->finished) search->result[len++] = slot->token;
    return (Hypothesis){ search->result, len, slot->score, slot->sum };
}
