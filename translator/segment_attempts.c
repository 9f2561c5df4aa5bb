/* segment_attempts.c - see line.h: the attempts at a segment, and which of them wins.
 *
 * With demands, the results of all attempts compete:
 *
 * - ATTEMPT_FREE. If every result meets all demands, nothing else is tried.
 * - ATTEMPT_SCORED. The free translation with a form in the place of the words that translate the source of the demand.
 * - ATTEMPT_DEMANDED. A search that follows the free translation at first. A demand may begin where the attention is on
 *   its source words, or where the free translation has the words that translate them.
 * - ATTEMPT_WIDE. Such a search from the first token on, with a wider beam; for unbound demands, the first search, and
 *   again after the last word of the free translation.
 *
 * A result is acceptable if its score per token is at most TERM_LOSS below that of the free translation and it says
 * nothing that the free translation does not say. With unbound demands, it may have any score, but must have half of
 * the words of the free translation. Of the acceptable results, those win that miss the fewest demands, then those with
 * the highest score per token. The free results are always acceptable. */
#include "line.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>

#include "option_fields.h"
#include "sp_model.h"
#include "text.h"
#include "text_rules.h"
#include "utf8.h"

/* The most that the score per token, a logarithm, may lose by meeting demands, without the tokens of the terms. */
#define TERM_LOSS 1.5f

/* A result that meets all demands and loses at most this much ends the attempts. */
#define TERM_GOOD_LOSS 0.1f

/* What counts against a result, as a sum of log-probabilities: each word of the free translation that it lacks, and
 * each inflected form, since many that could be made do not exist. */
#define TERM_LOST_WORD 4.0f
#define TERM_INFLECTED 3.0f

/* Shorter words, such as articles, may change. */
#define TERM_WORD_LETTERS 4

/* The most translations that are made of the free one, and the most that are made in all. */
#define TERM_TARGETS     3
#define TERM_TARGETS_ALL 8

/* The search leaves the free translation this many tokens before the first term that it lacks: articles and adjectives
 * may change with the term. */
#define TERM_LEAD ((size_t)3)

/* What the attempts at a segment with demands know of its free translation. */
struct TermTrials {
    IdList free;
    RangeList runs; /* for each demand of the segment: the ids of `free` that translate its source; empty: unknown */
    SegmentResult of_free;   /* its demands, words, ends and echoes */
    ResultWords source;      /* of the unit */
    float rate, scored_rate; /* its score per token, by the search and by scoring it */
    bool scores_free;        /* the target is the free translation, whose score by the search cannot be compared */
    enum { PHASE_REPLACE, PHASE_SEARCH, PHASE_WIDE, PHASE_APPEND } phase; /* see next_trial() */
    size_t targets;                                                       /* number of translations that were made */
    IdList target;                                                        /* to be scored */
    size_t next;     /* after the last search: the next demand to put into the best result */
    bool is_alone;   /* the text consists of terms: only its forms are a translation */
    bool is_unbound; /* a demand is not bound to source words */
};

void term_trials_free(struct TermTrials *trials)
{
    if (!trials) return;
    ids_free(&trials->free);
    ranges_free(&trials->runs);
    segment_result_free(&trials->of_free);
    free(trials->source.data);
    ids_free(&trials->target);
    free(trials);
}

const IdList *segment_target(const Segment *segment)
{
    return segment->line->given ? &segment->line->given->ids : &segment->demands->trials->target;
}

/* --- Second attempts. */

Status rescue_params(SearchParams *out, const SearchParams *from, Err *err)
{
    Status st = search_params_copy(out, from, err);

    if (st != OK) return st;
    search_params_unite(out);
    if (out->beams < RESCUE_BEAMS / 2)
        out->beams = RESCUE_BEAMS;
    else if (out->beams <= (size_t)setting_rows[DRAGOMAN_BEAMS].about.high / 2)
        out->beams *= 2;
    if (!from->no_repeat_ngram || from->no_repeat_ngram > RESCUE_NGRAM) out->no_repeat_ngram = RESCUE_NGRAM;
    return OK;
}

/* Returns the number by which translations with equally many flags are ranked: the confidence or, without a fit, the
 * mean of the log-probabilities. */
static double quality(const SegmentResult *result, const ConfidenceFit *fit)
{
    double features[CALIBRATION_FEATURES];

    if (fit) return line_features_confidence(&result->features, fit);
    line_features(&result->features, features);
    return features[0];
}

/* Keeps the results of the better attempt. A second attempt without results is never better. */
static void end_second(Segment *segment, const ConfidenceFit *fit)
{
    const SegmentResult *first = segment->earlier.data, *results = segment->results.data;
    bool *rescued = &segment->rescued;

    if (segment->results.len) {
        const int now = __builtin_popcount(results->flags), before = __builtin_popcount(first->flags);
        *rescued = results->missed != first->missed ? results->missed < first->missed
                   : now != before                  ? now < before
                                                    : quality(results, fit) > quality(first, fit);
    }
    if (!*rescued) {
        const SegmentResults second = segment->results;
        segment->results = segment->earlier;
        segment->earlier = second;
    }
    segment_results_free(&segment->earlier);
}

static bool are_equal(const IdList *a, const IdList *b)
{
    return a->len == b->len && (!a->len || memcmp(a->data, b->data, a->len * sizeof *a->data) == 0);
}

/* --- Segments with demands: what the free translation says. */

/* The score per token, without a forced prefix. */
static float rate_of(const SegmentResult *result, size_t forced)
{
    return result->ids.len > forced ? result->sum / (float)(result->ids.len - forced) : 0;
}

/* Whether the result has a demand that the free translation lacks. */
static bool is_new(const Segment *segment, const SegmentResult *result, size_t demand)
{
    return result->found[demand].verdict && !segment->demands->trials->of_free.found[demand].verdict;
}

/* Marks the tokens of the terms that the free translation lacks, wherever the result has them, and those of the word
 * before each, such as an article. */
static void mark_terms(const Segment *segment, const SegmentResult *result, size_t forced, bool *marks)
{
    const SegmentDemands *demands = segment->demands;
    const unsigned char *continuing = demands->view.continues;
    const int32_t *ids = result->ids.data;

    for (size_t i = 0; i < demands->list.len; i++) {
        const Range tokens = result->found[i].tokens;
        const size_t len = tokens.end - tokens.begin;
        if (!is_new(segment, result, i)) continue;
        for (size_t at = forced; len && at + len <= result->ids.len; at++) {
            size_t before = at > forced ? at - 1 : at;
            if (memcmp(ids + at, ids + tokens.begin, len * sizeof *ids) != 0) continue;
            while (before > forced && continuing[ids[before]]) before--;
            for (size_t t = before; t < at + len; t++) marks[t] = true;
        }
    }
}

/* Sets *rate to the score per token, without a forced prefix and the marked tokens. */
static Status rest_rate(float *rate, const Segment *segment, const SegmentResult *result, size_t forced, Err *err)
{
    bool *marks = calloc(result->ids.len + 1, sizeof *marks);
    float sum = 0;
    size_t count = 0;

    if (!marks) return err_memory(err, "the demands of a line");
    mark_terms(segment, result, forced, marks);
    for (size_t t = forced; t < result->ids.len; t++) {
        if (marks[t]) continue;
        sum += result->token_scores[t];
        count++;
    }
    free(marks);
    *rate = count ? sum / (float)count : 0;
    return OK;
}

/* Reads the words of the unit that the segment translates. */
static Status read_source(const Segment *segment, ResultWords *words, Err *err)
{
    const Unit *unit = line_unit_of(segment);
    Buf text = { 0 };
    Status st;

    buf_put(&text, line_text(segment->line)->data + unit->range.begin, unit->range.end - unit->range.begin);
    st = buf_check(&text, err);
    if (st == OK) st = result_words_read(words, &text, &(RangeList){ .data = NULL }, err);
    buf_free(&text);
    return st;
}

static bool is_unbound(const SegmentDemand *demand)
{
    return demand->source.begin == demand->source.end;
}

/* Prepares the search with demands. A demand that the free translation meets by an inflected form has this form,
 * too. */
static Status begin_trials(Segment *segment, const LineRules *rules, size_t forced, Err *err)
{
    SegmentDemands *demands = segment->demands;
    const SegmentResult *best = segment->results.data;
    struct TermTrials *trials = demands->trials = calloc(1, sizeof *trials);
    size_t lead = best->ids.len - 1;
    Status st;

    if (!trials) return err_memory(err, "the demands of a line");
    st = ids_append_all(&trials->free, best->ids.data, best->ids.len, err);
    if (st != OK) return st;
    trials->rate = trials->scored_rate = rate_of(best, forced);
    trials->of_free =
        (SegmentResult){ .ends = best->ends, .marks = best->marks, .echoes = best->echoes, .flags = best->flags };
    trials->of_free.found = calloc(demands->list.len, sizeof *best->found);
    if (!trials->of_free.found) return err_memory(err, "the demands of a line");
    memcpy(trials->of_free.found, best->found, demands->list.len * sizeof *best->found);
    for (size_t i = 0; i < best->words.len; i++) LIST_PUT(&trials->of_free.words, best->words.data[i]);
    st = LIST_CHECK(&trials->of_free.words, "the words of a translation", err);
    if (st == OK) st = read_source(segment, &trials->source, err);
    if (st != OK) return st;
    for (size_t i = 0; i < demands->list.len; i++) {
        const SegmentDemand *demand = &demands->list.data[i];
        const Range tokens = best->found[i].tokens;
        Range run;
        trials->is_unbound |= demand->number != SIZE_MAX && is_unbound(demand);
        run = segment_demands_run(segment, best, demand->source, rules, forced);
        LIST_PUT(&trials->runs, run);
        if (demand->number == SIZE_MAX) continue;
        if (!best->found[i].verdict && run.begin < lead + TERM_LEAD)
            lead = run.begin > TERM_LEAD ? run.begin - TERM_LEAD : 0;
        if (run.end) demands->places.data[demand->number].at = run.begin;
        if (best->found[i].verdict != DRAGOMAN_TERM_INFLECTED || tokens.end - tokens.begin > DEMAND_TOKENS) continue;
        if (demands->forms.len == DEMAND_FORMS_MOST) continue;
        st = ids_append_all(&demands->ids, best->ids.data + tokens.begin, tokens.end - tokens.begin, err);
        if (st != OK) return st;
        LIST_PUT(&demands->forms, ((DemandForm){ .length = tokens.end - tokens.begin, .demand = demand->number }));
        LIST_PUT(&demands->numbers, SIZE_MAX);
    }
    demands->view.free = trials->free.data;
    demands->view.free_len = trials->free.len;
    demands->view.lead = lead;
    st = ranges_check(&trials->runs, err);
    return st == OK ? segment_demands_inflect(segment, rules, err) : st;
}

/* --- Translations that are made of the free one. */

static bool begins_with_space(int32_t id, const Tokenizer *tokenizer)
{
    return text_begins_with(tokenizer_target_spelling(tokenizer, id), SP_SPACE);
}

/* Returns the tokens of a demand's form `number`, spelled for the place of token `at`, `replaced`; NULL: there are
 * none. */
static const DemandForm *form_for(const Segment *segment, const SegmentDemand *demand, size_t number, int32_t replaced,
                                  size_t at, const LineRules *rules, size_t forced)
{
    const SegmentDemands *demands = segment->demands;
    const size_t first = forced ? forced : rules->params->forced_bos >= 0;
    const bool begins = at == first;
    const bool spaced = begins_with_space(replaced, rules->tokenizer);
    const DemandForm *best = NULL;
    size_t best_fit = 0;

    for (size_t f = 0; f < demands->forms.len; f++) {
        const DemandForm *form = &demands->forms.data[f];
        const size_t fit =
            1 + 2 * (form->begins && begins) + (begins_with_space(form->ids[0], rules->tokenizer) == spaced);
        if (form->demand != demand->number || demands->numbers.data[f] != number || (form->begins && !begins)) continue;
        if (fit <= best_fit) continue;
        best = form;
        best_fit = fit;
    }
    return best;
}

/* A token, and whether a rule forbids it. */
typedef struct {
    int32_t token;
    bool is_forbidden;
} TokenCheck;

static void check_token(void *context, int32_t forbidden)
{
    TokenCheck *check = context;

    check->is_forbidden |= check->token == forbidden;
}

/* Whether a translation that was made may be scored: it is not too long and has no text or token that is never to be
 * written. */
static Status may_score(bool *out, const IdList *target, const LineRules *rules, Err *err)
{
    const SearchParams *params = rules->params;
    IdList history = { 0 };
    Status st;

    *out = target->len && target->len <= rules->target_limit;
    LIST_PUT(&history, params->start);
    for (size_t i = 0; *out && i < target->len; i++) {
        TokenCheck check = { target->data[i], ids_contain(&params->suppress, target->data[i]) };
        if (text_rules_forbidden_count(params->texts) && !history.failed)
            text_rules_forbid(params->texts, history.data, history.len, check_token, &check);
        *out = !check.is_forbidden;
        LIST_PUT(&history, check.token);
    }
    st = LIST_CHECK(&history, "the demands of a line", err);
    ids_free(&history);
    return st;
}

/* If the text of the segment consists of terms, appends its translation: the first form of each. */
static Status make_alone(IdList *out, const Segment *segment, const LineRules *rules, size_t forced, Err *err)
{
    const IdList *ids = &segment->results.data->ids;
    const size_t first = forced ? forced : rules->params->forced_bos >= 0;
    const char *piece;
    uint32_t code = 0;
    bool may = true;
    Status st;

    if (ids->len <= first + 1) return OK;
    piece = tokenizer_target_spelling(rules->tokenizer, ids->data[first]);
    if (text_begins_with(piece, SP_SPACE)) piece += strlen(SP_SPACE);
    (void)utf8_next(piece, strlen(piece), &code);
    st = ids_append_all(out, ids->data, first, err);
    if (st == OK) st = segment_demands_spell(out, segment, u_isupper((UChar32)code), rules, err);
    if (st == OK && out->len > first) {
        st = ids_append(out, ids->data[ids->len - 1], err);
        if (st == OK) st = may_score(&may, out, rules, err);
        if (may) return st;
    }
    ids_clear(out);
    return st;
}

/* Makes the next translation: the free one with form `number` of each missed demand, or its last form if it has fewer,
 * in the place of the words that translate its source. With `only`, `base` takes the place of the free translation, and
 * only this demand is met. Sets *made to false if there is none. */
static Status make_target(Segment *segment, const SegmentResult *base, size_t only, size_t number,
                          const LineRules *rules, size_t forced, bool *made, Err *err)
{
    const SegmentDemands *demands = segment->demands;
    struct TermTrials *trials = demands->trials;
    const IdList *ids = &base->ids;
    Range run = { 0, 0 };
    bool may = false;
    size_t at = 0;
    Status st;

    *made = false;
    ids_clear(&trials->target);
    if (only != SIZE_MAX) run = segment_demands_run(segment, base, demands->list.data[only].source, rules, forced);
    while (at < ids->len) {
        const DemandForm *form = NULL;
        size_t next = 0;
        for (size_t i = 0; !form && i < demands->list.len; i++) {
            const SegmentDemand *demand = &demands->list.data[i];
            if (demand->number == SIZE_MAX || base->found[i].verdict || (only != SIZE_MAX && i != only)) continue;
            if (only == SIZE_MAX) run = trials->runs.data[i];
            if (run.begin != at || !run.end) continue;
            for (size_t n = number + 1; !form && n-- > 0;)
                if ((form = form_for(segment, demand, n, ids->data[run.begin], run.begin, rules, forced)))
                    *made |= n == number;
            next = run.end;
        }
        if (form)
            for (size_t i = 0; i < form->length; i++) LIST_PUT(&trials->target, form->ids[i]);
        else
            LIST_PUT(&trials->target, ids->data[at]);
        at = form ? next : at + 1;
    }
    st = LIST_CHECK(&trials->target, "the demands of a line", err);
    if (st == OK) st = may_score(&may, &trials->target, rules, err);
    *made &= st == OK && may;
    return st;
}

/* --- Which result is the best. */

/* The number of places where ids[] has the part. */
static size_t occurrences(const IdList *ids, const int32_t *part, size_t len)
{
    size_t count = 0;

    for (size_t i = 0; len && i + len <= ids->len; i++) count += !memcmp(ids->data + i, part, len * sizeof *part);
    return count;
}

/* How often the tokens [tokens) of a text have a word; all tokens: with {0, SIZE_MAX}. */
static size_t count_word(const ResultWords *words, uint32_t hash, Range tokens)
{
    size_t count = 0;

    for (size_t i = 0; i < words->len; i++)
        count +=
            words->data[i].hash == hash && words->data[i].token >= tokens.begin && words->data[i].token < tokens.end;
    return count;
}

static const Range all_tokens = { 0, SIZE_MAX };

/* Whether the result still has the longest of the words that the demand should replace. */
static bool keeps_replaced(const Segment *segment, const SegmentResult *result, size_t demand)
{
    const struct TermTrials *trials = segment->demands->trials;
    const ResultWords *free_words = &trials->of_free.words;
    const Range run = trials->runs.data[demand];
    const ResultWord *longest = NULL;

    for (size_t i = 0; i < free_words->len; i++) {
        const ResultWord *word = &free_words->data[i];
        if (word->token >= run.begin && word->token < run.end && (!longest || word->letters > longest->letters))
            longest = word;
    }
    if (!longest || count_word(&result->words, longest->hash, result->found[demand].tokens)) return false;
    return count_word(&result->words, longest->hash, all_tokens) >= count_word(free_words, longest->hash, all_tokens);
}

/* Counts the words of the free translation that the result lacks, of *words that its demands do not replace. Sets
 * *codes if one of them is a number or a placeholder of the source. */
static size_t count_lost(const Segment *segment, const SegmentResult *result, size_t *words, bool *codes)
{
    const SegmentDemands *demands = segment->demands;
    const struct TermTrials *trials = demands->trials;
    const ResultWords *free_words = &trials->of_free.words;
    size_t lost = 0, replaced = 0;

    *words = 0;
    *codes = false;
    for (size_t i = 0; i < free_words->len; i++) {
        const ResultWord *word = &free_words->data[i];
        bool is_replaced = word->letters < TERM_WORD_LETTERS && !word->is_code;
        for (size_t k = 0; k < trials->runs.len; k++) {
            const Range run = trials->runs.data[k];
            is_replaced |= is_new(segment, result, k) && word->token >= run.begin && word->token < run.end;
        }
        if (is_replaced) continue;
        *words += !word->is_code;
        if (count_word(&result->words, word->hash, all_tokens)) continue;
        lost++;
        *codes |= word->is_code && count_word(&trials->source, word->hash, all_tokens);
    }
    /* What a term without such words replaces is unknown. */
    for (size_t k = 0; k < trials->runs.len; k++)
        replaced += is_new(segment, result, k) && !trials->runs.data[k].end && !is_unbound(&demands->list.data[k]);
    return lost > replaced ? lost - replaced : 0;
}

/* Whether the result has nothing but unbound texts. */
static bool is_only_texts(const Segment *segment, const SegmentResult *result)
{
    const SegmentDemands *demands = segment->demands;

    for (size_t i = 0; i < result->words.len; i++) {
        const size_t token = result->words.data[i].token;
        bool is_text = false;
        for (size_t k = 0; k < demands->list.len; k++)
            is_text |= is_unbound(&demands->list.data[k]) && token >= result->found[k].tokens.begin &&
                       token < result->found[k].tokens.end;
        if (!is_text) return false;
    }
    return true;
}

/* Whether the result, made to meet demands, says more or less than the free translation: a sentence more or less, a
 * word or a term more, or the words that a term replaces. */
static bool says_other(const Segment *segment, const SegmentResult *result)
{
    const SegmentDemands *demands = segment->demands;
    const struct TermTrials *trials = demands->trials;

    if (result->ends != trials->of_free.ends || result->marks != trials->of_free.marks) return true;
    if (result->echoes > trials->of_free.echoes) return true;
    if (result->flags & ~trials->of_free.flags & DRAGOMAN_FLAG_LOOP) return true;
    for (size_t i = 0; i < demands->list.len; i++) {
        const Range tokens = result->found[i].tokens;
        const size_t len = tokens.end - tokens.begin;
        const int32_t *term = result->ids.data + tokens.begin;
        size_t expected = 0;
        if (!is_new(segment, result, i)) continue;
        for (size_t k = 0; k < demands->list.len; k++) {
            const Range other = result->found[k].tokens;
            expected += result->found[k].verdict && other.end - other.begin == len &&
                        !memcmp(term, result->ids.data + other.begin, len * sizeof *term);
        }
        if (occurrences(&result->ids, term, len) > expected + occurrences(&trials->free, term, len)) return true;
        if (keeps_replaced(segment, result, i)) return true;
    }
    return false;
}

/* Decides whether a result may win, and how well it does. Sets *is_good if no other attempt is needed. */
static Status judge(const Segment *segment, SegmentResult *result, bool is_scored, size_t forced, bool *is_good,
                    Err *err)
{
    const SegmentDemands *demands = segment->demands;
    const struct TermTrials *trials = demands->trials;
    const float rate = is_scored ? trials->scored_rate : trials->rate;
    const size_t length = result->ids.len > forced ? result->ids.len - forced : 1;
    bool lacks_codes;
    size_t words;
    const size_t lost = count_lost(segment, result, &words, &lacks_codes);
    bool is_near;
    float rest = 0, penalty = TERM_LOST_WORD * (float)lost;
    Status st = rest_rate(&rest, segment, result, forced, err);

    for (size_t i = 0; i < demands->list.len; i++)
        if (is_new(segment, result, i) && result->found[i].verdict == DRAGOMAN_TERM_INFLECTED)
            penalty += TERM_INFLECTED;
    result->loss = rate - (result->sum - penalty) / (float)length;
    /* Unbound texts change the sentence around them, whatever it scores then, but not all of it. */
    is_near = trials->is_unbound ? 2 * lost <= words && !is_only_texts(segment, result) : rate - rest <= TERM_LOSS;
    result->is_acceptable = trials->is_alone || (is_near && !lacks_codes && !says_other(segment, result));
    *is_good |= result->is_acceptable && !result->missed && !lost && rate - rest <= TERM_GOOD_LOSS;
    return st;
}

/* Checks the results of an attempt to meet demands, and adds them to the earlier ones. Sets *is_good if no other
 * attempt is needed. */
static Status add_results(Segment *segment, const LineRules *rules, size_t forced, bool *is_good, Err *err)
{
    SegmentResults *all = &segment->earlier, *results = &segment->results;
    const struct TermTrials *trials = segment->demands->trials;
    const bool is_scored = segment->attempt == ATTEMPT_SCORED;
    const IdList source = segment_text_ids(segment, rules);
    SegmentResult *grown;
    Status st = OK;

    if (!results->len) return OK;
    grown = realloc(all->data, (all->len + results->len) * sizeof *grown);
    if (!grown) return err_memory(err, "a translation");
    all->data = grown;
    for (size_t i = 0; i < results->len; i++) {
        SegmentResult *result = &all->data[all->len++];
        *result = results->data[i];
        if (is_scored) result->flags = line_flags_of_ids(&source, &result->ids, SIZE_MAX);
        if (st == OK) st = segment_demands_check(segment, result, rules, forced, err);
        if (st != OK) continue;
        st = judge(segment, result, is_scored, forced, is_good, err);
        for (size_t k = 0; is_scored && k < segment->demands->list.len; k++)
            if (result->found[k].verdict && !trials->of_free.found[k].verdict)
                result->found[k].verdict = DRAGOMAN_TERM_REPLACED;
    }
    free(results->data);
    *results = (SegmentResults){ NULL, 0 };
    return st;
}

/* Whether a is better than b. */
static bool is_better(const SegmentResult *a, const SegmentResult *b)
{
    if (a->is_acceptable != b->is_acceptable) return a->is_acceptable;
    return a->missed != b->missed ? a->missed < b->missed : a->loss < b->loss;
}

/* Keeps the best results of all attempts, as many as a search has, without those that came out twice. The order of
 * equally good ones does not change. */
static void choose(Segment *segment, size_t most)
{
    SegmentResults *all = &segment->earlier;
    size_t kept = 0;

    for (size_t i = 1; i < all->len; i++) {
        const SegmentResult result = all->data[i];
        size_t at = i;
        for (; at > 0 && is_better(&result, &all->data[at - 1]); at--) all->data[at] = all->data[at - 1];
        all->data[at] = result;
    }
    for (size_t i = 0; i < all->len; i++) {
        const SegmentResult result = all->data[i];
        bool is_new = kept < most;
        for (size_t k = 0; k < kept; k++) is_new &= !are_equal(&all->data[k].ids, &result.ids);
        if (!is_new) continue;
        all->data[i] = all->data[kept];
        all->data[kept++] = result;
    }
    segment->results = (SegmentResults){ all->data, kept };
    for (size_t i = kept; i < all->len; i++) segment_result_free(&all->data[i]);
    segment->earlier = (SegmentResults){ NULL, 0 };
}

/* --- The order of the attempts. */

/* The best acceptable result so far. */
static const SegmentResult *best_so_far(const Segment *segment)
{
    const SegmentResult *best = segment->earlier.data;

    for (size_t i = 1; i < segment->earlier.len; i++)
        if (is_better(&segment->earlier.data[i], best)) best = &segment->earlier.data[i];
    return best;
}

/* Chooses the next attempt: translations that are made of the free one, then a search, then a wider one if nothing else
 * can win, and at last translations that meet one demand more than the best one so far. Demands that are not bound need
 * the wide beam, since they may begin nearly everywhere; if no acceptable result meets them, a search appends them to
 * the words of the free translation. */
static Status next_trial(Segment *segment, const LineRules *rules, size_t forced, Err *err)
{
    SegmentDemands *demands = segment->demands;
    struct TermTrials *trials = demands->trials;
    bool made = false;
    Status st = OK;

    if (trials->phase == PHASE_REPLACE && trials->targets < TERM_TARGETS)
        st = make_target(segment, segment->earlier.data, SIZE_MAX, trials->targets++, rules, forced, &made, err);
    if (st == OK && !made && trials->phase < PHASE_SEARCH) {
        trials->phase = trials->is_unbound ? PHASE_WIDE : PHASE_SEARCH;
        segment->attempt = trials->is_unbound ? ATTEMPT_WIDE : ATTEMPT_DEMANDED;
        if (trials->is_unbound) demands->view.lead = 0;
        return OK;
    }
    if (st == OK && !made && trials->phase == PHASE_SEARCH && best_so_far(segment)->missed) {
        trials->phase = PHASE_WIDE;
        demands->view.lead = 0;
        segment->attempt = ATTEMPT_WIDE;
        return OK;
    }
    if (st == OK && !made && trials->phase == PHASE_WIDE && trials->is_unbound && best_so_far(segment)->missed) {
        size_t end = trials->free.len - 1;
        while (end && !demand_token_has_letters(rules->tokenizer, trials->free.data[end - 1])) end--;
        trials->phase = PHASE_APPEND;
        demands->view.lead = end;
        segment->attempt = ATTEMPT_WIDE;
        return OK;
    }
    while (st == OK && !made && trials->phase >= PHASE_WIDE && trials->next < demands->list.len) {
        const SegmentResult *best = best_so_far(segment);
        if (best->missed && best->attention && trials->targets < TERM_TARGETS_ALL)
            st = make_target(segment, best, trials->next, 0, rules, forced, &made, err);
        trials->targets += made;
        trials->next++;
    }
    if (st != OK) return st;
    segment->attempt = made ? ATTEMPT_SCORED : ATTEMPT_NONE;
    if (!made) choose(segment, rules->params->n_best);
    return OK;
}

/* Begins the attempts to meet the demands of a segment whose free results do not meet them. A text that consists of
 * terms has only one translation, whatever the free one has besides them. */
static Status end_free(Segment *segment, const LineRules *rules, size_t forced, Err *err)
{
    SegmentResults *results = &segment->results;
    SegmentDemands *demands = segment->demands;
    IdList alone = { 0 };
    bool is_done = true;
    Status st = OK;

    segment->attempt = ATTEMPT_NONE;
    if (!demands || !results->len || !results->data->ids.len) return OK; /* without tokens: nothing to build on */
    for (size_t i = 0; i < results->len; i++)
        for (size_t k = 0; k < demands->list.len; k++)
            is_done &= results->data[i].found[k].verdict || demands->list.data[k].number == SIZE_MAX;
    if (rules->is_last) st = make_alone(&alone, segment, rules, forced, err);
    if (alone.len) is_done = are_equal(&alone, &results->data->ids);
    if (st == OK && !is_done) st = begin_trials(segment, rules, forced, err);
    if (st != OK || is_done) {
        ids_free(&alone);
        return st;
    }
    demands->trials->is_alone = alone.len > 0;
    demands->trials->target = alone;
    for (size_t i = 0; i < results->len; i++) {
        results->data[i].is_acceptable = !alone.len;
        results->data[i].loss = demands->trials->rate - rate_of(&results->data[i], forced);
    }
    segment->earlier = *results;
    *results = (SegmentResults){ NULL, 0 };
    segment->attempt = ATTEMPT_SCORED;
    if (alone.len) return OK;
    /* The scores of searches that skip scores say nothing, and those of a shortlist are higher. */
    demands->trials->scores_free =
        demands->trials->free.len <= rules->target_limit &&
        (rules->has_shortlist || (rules->params->skip_scores && rules->params->rules.beam_shrinks_with_finished));
    if (!demands->trials->scores_free) return next_trial(segment, rules, forced, err);
    return ids_append_all(&demands->trials->target, demands->trials->free.data, demands->trials->free.len, err);
}

/* Ends an attempt to meet demands. */
static Status end_trial(Segment *segment, const LineRules *rules, size_t forced, Err *err)
{
    struct TermTrials *trials = segment->demands->trials;
    bool is_good = trials->is_alone;
    Status st;

    if (trials->scores_free) {
        if (segment->results.len) trials->scored_rate = rate_of(segment->results.data, forced);
        segment_results_free(&segment->results);
        trials->scores_free = false;
    }
    st = add_results(segment, rules, forced, &is_good, err);
    if (st == OK && !is_good) return next_trial(segment, rules, forced, err);
    segment->attempt = ATTEMPT_NONE;
    if (st == OK) choose(segment, rules->params->n_best);
    return st;
}

Status segment_attempt_end(Segment *segment, const LineRules *rules, size_t forced, Err *err)
{
    const bool is_free = segment->attempt == ATTEMPT_FREE;
    SegmentResults *results = &segment->results;
    Status st = OK;

    if (segment->line->given) {
        segment->attempt = ATTEMPT_NONE;
        return OK;
    }
    if (segment->attempt > ATTEMPT_SECOND) return end_trial(segment, rules, forced, err);
    for (size_t i = 0; st == OK && segment->demands && i < results->len; i++)
        st = segment_demands_check(segment, &results->data[i], rules, forced, err);
    if (st != OK) return st;
    if (is_free && rules->rescues && results->len && results->data->flags & DRAGOMAN_FLAG_LOOP) {
        segment->earlier = *results;
        *results = (SegmentResults){ NULL, 0 };
        segment->attempt = ATTEMPT_SECOND;
        return OK;
    }
    if (!is_free) end_second(segment, rules->fit);
    return end_free(segment, rules, forced, err);
}
