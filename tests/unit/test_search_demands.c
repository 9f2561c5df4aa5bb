/* test_search_demands.c - the search for translations with given texts, against all sequences of tiny models. */
#include <math.h>
#include <stdlib.h>

#include "test_support.h"

#include "search.h"

/* A model whose logits are a fixed function of the position and the token before. Token 0 is the start, 1 the end. */
#define VOCAB  6
#define LENGTH 5
#define START  0
#define END    1

#define SOURCES 2

typedef struct {
    float logits[LENGTH][VOCAB][VOCAB];
    float attention[LENGTH][VOCAB][SOURCES];
} Model;

static uint32_t random_number(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static size_t random_below(uint32_t *state, size_t limit)
{
    return random_number(state) % limit;
}

static void fill(Model *model, uint32_t *state)
{
    for (size_t p = 0; p < LENGTH; p++)
        for (size_t before = 0; before < VOCAB; before++)
            for (size_t token = 0; token < VOCAB; token++)
                model->logits[p][before][token] = token == START ? -30 : (float)random_below(state, 4096) / 512;
    for (size_t p = 0; p < LENGTH; p++)
        for (size_t before = 0; before < VOCAB; before++) {
            model->attention[p][before][0] = (float)random_below(state, 101) / 100;
            model->attention[p][before][1] = 1 - model->attention[p][before][0];
        }
}

/* Random demands of the tokens from 2 on. */
typedef struct {
    int32_t ids[8][3];
    DemandForm forms[8];
    unsigned char continues[VOCAB];
    DemandPlace places[2]; /* some demands are bound to a source id */
    int32_t free[LENGTH];
    SearchDemands demands;
    size_t forced; /* the number of tokens before the text */
    size_t prefix; /* those of them in which forms may begin */
} Wish;

static void make_wish(Wish *wish, uint32_t *state)
{
    size_t count = 0;

    *wish = (Wish){ .ids = { { 0 } } };
    wish->demands.demand_count = 1 + random_below(state, 2);
    for (size_t d = 0; d < wish->demands.demand_count; d++) {
        const size_t forms = 1 + random_below(state, 2);
        for (size_t f = 0; f < forms; f++, count++) {
            const size_t length = 1 + random_below(state, 2);
            for (size_t i = 0; i < length; i++) wish->ids[count][i] = (int32_t)(2 + random_below(state, VOCAB - 2));
            wish->forms[count] = (DemandForm){ wish->ids[count], length, d, random_below(state, 8) == 0 };
        }
    }
    for (size_t d = 0; d < wish->demands.demand_count; d++) {
        const size_t bound = random_below(state, SOURCES + 1);
        wish->places[d] = (DemandPlace){ bound, bound < SOURCES ? bound + 1 : bound, random_below(state, LENGTH) };
    }
    for (size_t i = 0; i < LENGTH; i++) wish->free[i] = (int32_t)(2 + random_below(state, VOCAB - 2));
    wish->demands.places = wish->places;
    if (random_below(state, 2)) wish->continues[2 + random_below(state, VOCAB - 2)] = 1;
    wish->demands.forms = wish->forms;
    wish->demands.form_count = count;
    wish->demands.continues = wish->continues;
}

/* Whether a form of the demand may begin after ids[0..at): in a prefix; where the free translation has its place; and
 * where neither an end token nor one that continues a word is the best, and the attention is on the source of the
 * demand. */
static bool may_begin(const Model *model, const Wish *wish, size_t demand, const int32_t *ids, size_t at)
{
    const int32_t before = at ? ids[at - 1] : START;
    const float *x = model->logits[at][before];
    const DemandPlace *place = &wish->places[demand];
    size_t best = 0;

    if (at < wish->prefix) return true;
    for (size_t i = 1; i < VOCAB; i++)
        if (x[i] > x[best]) best = i;
    if (at < wish->forced) best = (size_t)ids[at];
    if (place->begin < place->end && at == place->at && at <= wish->demands.free_len &&
        !memcmp(ids, wish->free, at * sizeof *ids))
        return true;
    if (best == END || wish->continues[best]) return false;
    return place->begin == place->end || model->attention[at][before][place->begin] >= 0.3F;
}

/* Whether ids[0..len) contains the form, and no token that continues its last word follows it. */
static bool contains(const Model *model, const Wish *wish, const DemandForm *form, const int32_t *ids, size_t len)
{
    for (size_t at = 0; at + form->length <= len; at++) {
        const bool is_last = at + form->length == len;
        if ((form->begins && at > wish->forced) || !may_begin(model, wish, form->demand, ids, at)) continue;
        if (memcmp(ids + at, form->ids, form->length * sizeof *ids) != 0) continue;
        if (is_last || !wish->continues[ids[at + form->length]]) return true;
    }
    return false;
}

static size_t count_met(const Model *model, const Wish *wish, const int32_t *ids, size_t len)
{
    uint32_t met = 0;

    for (size_t f = 0; f < wish->demands.form_count; f++)
        if (contains(model, wish, &wish->forms[f], ids, len)) met |= 1u << wish->forms[f].demand;
    return (size_t)__builtin_popcount(met);
}

/* The best sequence among all. */
typedef struct {
    const Model *model;
    const Wish *wish;
    double penalty;
    int32_t ids[LENGTH], best_ids[LENGTH];
    size_t best_len, best_met;
    double best;
} Exhaustive;

static double log_probability(const Model *model, size_t position, int32_t before, int32_t token)
{
    const float *x = model->logits[position][before];
    double sum = 0;

    for (size_t i = 0; i < VOCAB; i++) sum += exp((double)x[i]);
    return (double)x[token] - log(sum);
}

static void finish(Exhaustive *e, size_t len, double sum)
{
    const size_t met = count_met(e->model, e->wish, e->ids, len);
    const double score = sum / pow((double)len, e->penalty);

    if (e->best_len && (met < e->best_met || (met == e->best_met && score <= e->best))) return;
    e->best = score;
    e->best_met = met;
    e->best_len = len;
    memcpy(e->best_ids, e->ids, sizeof e->ids);
}

static void try_all(Exhaustive *e, size_t len, double sum)
{
    const int32_t before = len ? e->ids[len - 1] : START;

    for (int32_t token = 0; token < VOCAB; token++) {
        const double next = sum + log_probability(e->model, len, before, token);
        e->ids[len] = token;
        if (token == END || len + 1 == LENGTH)
            finish(e, len + 1, next);
        else
            try_all(e, len + 1, next);
    }
}

static SearchParams params_of(size_t beams, float penalty, const SearchRules *rules)
{
    SearchParams params = { .rules = *rules,
                            .beams = beams,
                            .n_best = 1,
                            .max_length = LENGTH,
                            .length_penalty = penalty,
                            .repetition_penalty = 1,
                            .encoder_repetition_penalty = 1,
                            .start = START,
                            .forced_bos = -1 };
    Err err;

    assert_ok(ids_append(&params.eos, END, &err), &err);
    return params;
}

static void run_after(Search *search, const Model *model, const SearchDemands *demands, size_t beams,
                      const int32_t *prefix, size_t prefix_len)
{
    float *logits = malloc(beams * VOCAB * sizeof *logits);
    float attention[1300][SOURCES];
    static const int32_t source[SOURCES] = { 2, 3 };

    assert_non_null(logits);
    search_start(
        search,
        &(SearchInput){
            .source = source, .source_len = SOURCES, .prefix = prefix, .prefix_len = prefix_len, .demands = demands });
    for (size_t position = 0; !search_done(search); position++) {
        const size_t rows = search_rows(search);
        for (size_t r = 0; r < rows; r++) {
            memcpy(logits + r * VOCAB, model->logits[position][search_token(search, r)], VOCAB * sizeof *logits);
            memcpy(attention[r], model->attention[position][search_token(search, r)], sizeof attention[r]);
        }
        search_attend(search, attention[0], SOURCES);
        if (demands) assert_true(search_needs_whole_rows(search));
        assert_int_equal(search_wants_logits(search), position >= prefix_len);
        search_take_logits(search, &(LogitsBlock){ .logits = logits, .stride = VOCAB, .rows = rows, .count = VOCAB });
        search_advance(search);
    }
    free(logits);
}

static void run(Search *search, const Model *model, const SearchDemands *demands, size_t beams)
{
    run_after(search, model, demands, beams, NULL, 0);
}

static Search *new_search(const SearchParams *params)
{
    Search *search;
    Err err;

    assert_ok(search_new(&search, params, VOCAB, params->max_length, 0, &err), &err);
    assert_ok(search_allow(search, SEARCH_DEMANDS, &err), &err);
    return search;
}

/* Checks that a search after the first `prefix_len` tokens of all->ids finds the best of all sequences that begin with
 * the first `begin` of them. */
static void check_best(SearchParams *params, Exhaustive *all, size_t begin, size_t prefix_len)
{
    Search *search = new_search(params);
    Hypothesis found;

    try_all(all, begin, 0);
    run_after(search, all->model, &all->wish->demands, params->beams, all->ids, prefix_len);
    found = search_result(search, 0);
    assert_memory_equal(found.ids, all->ids, begin * sizeof *found.ids);
    assert_int_equal(count_met(all->model, all->wish, found.ids, found.len), all->best_met);
    assert_true(fabs((double)found.score - all->best) < 1e-4);
    search_free(search);
    search_params_free(params);
}

/* With a beam that holds all hypotheses, the search finds the best sequence. */
TEST(a_wide_beam_finds_what_all_sequences_give)
{
    uint32_t random = 12345;
    static Model model;
    Wish wish;

    for (size_t i = 0; i < 100; i++) {
        SearchParams params = params_of(1300, 0, &search_rules_transformers);
        fill(&model, &random);
        make_wish(&wish, &random);
        check_best(&params, &(Exhaustive){ .model = &model, .wish = &wish }, 0, 0);
    }
}

/* A forced first token, such as a language, does not belong to the text. */
TEST(a_text_begins_after_a_forced_first_token)
{
    uint32_t random = 2024;
    static Model model;
    Wish wish;

    for (size_t i = 0; i < 60; i++) {
        SearchParams params = params_of(700, 0, &search_rules_transformers);
        params.forced_bos = START;
        fill(&model, &random);
        make_wish(&wish, &random);
        wish.forced = 1;
        for (size_t f = 0; f < wish.demands.form_count; f += 2) wish.forms[f].begins = true;
        check_best(&params, &(Exhaustive){ .model = &model, .wish = &wish, .ids = { START } }, 1, 0);
    }
}

/* What the prefix contains is met, and what it begins can be completed. */
TEST(a_forced_prefix_can_meet_demands)
{
    uint32_t random = 31;
    static Model model;
    Wish wish;

    for (size_t i = 0; i < 200; i++) {
        SearchParams params = params_of(100, 0, &search_rules_transformers);
        Exhaustive all = { .model = &model, .wish = &wish };
        fill(&model, &random);
        make_wish(&wish, &random);
        wish.forced = 1 + random_below(&random, 3);
        wish.prefix = wish.forced;
        for (size_t k = 0; k < wish.forced; k++) all.ids[k] = (int32_t)(2 + random_below(&random, VOCAB - 2));
        check_best(&params, &all, wish.forced, wish.forced);
    }
}

/* With a narrow one, it finds sequences that meet the demands, and their scores are not above the best. */
TEST(a_narrow_beam_meets_the_demands)
{
    const SearchRules *const rules[] = { &search_rules_transformers, &search_rules_marian, &search_rules_ctranslate2 };
    uint32_t random = 54321;
    size_t best = 0, met = 0, possible = 0;
    static Model model;
    Wish wish;

    for (size_t i = 0; i < 450; i++) {
        FREED_BY(search_params_free) SearchParams params = params_of(4, 1, rules[i % 3]);
        Search *search = new_search(&params);
        Exhaustive all = { .model = &model, .wish = &wish, .penalty = 1 };
        Hypothesis found;
        fill(&model, &random);
        make_wish(&wish, &random);
        if (i % 2) wish.demands.free_len = LENGTH;
        wish.demands.free = wish.free;
        try_all(&all, 0, 0);
        run(search, &model, &wish.demands, params.beams);
        found = search_result(search, 0);
        if (all.best_met == wish.demands.demand_count) possible++;
        if (count_met(&model, &wish, found.ids, found.len) == all.best_met) {
            met += all.best_met == wish.demands.demand_count;
            assert_true((double)found.score < all.best + 1e-4);
            best += fabs((double)found.score - all.best) < 1e-4;
        }
        search_free(search);
    }
    assert_true(met * 100 >= possible * 95); /* at most 5 tokens for up to 2 demands */
    assert_true(best * 100 >= possible * 60);
}

/* A coverage of random size. */
static float cover(void *context, size_t *rows, size_t begin, size_t end)
{
    (void)rows;
    (void)begin;
    (void)end;
    return -(float)random_below(context, 64);
}

/* The coverage orders hypotheses that meet as many demands; it does not put others before them. */
TEST(coverage_keeps_what_meets_the_demands_first)
{
    uint32_t random = 777;
    static Model model;
    size_t higher = 0;
    Wish wish;

    for (size_t i = 0; i < 200; i++) {
        FREED_BY(search_params_free) SearchParams params = params_of(6, 1, &search_rules_transformers);
        size_t rows[LENGTH], met[6];
        Search *search;
        params.n_best = 6;
        params.coverage_penalty = 0.5F;
        search = new_search(&params);
        fill(&model, &random);
        make_wish(&wish, &random);
        run(search, &model, &wish.demands, params.beams);
        search_add_coverage(search, cover, &random, rows);
        for (size_t r = 0; r < search_results(search) && search_result(search, r).len; r++) {
            const Hypothesis found = search_result(search, r);
            met[r] = count_met(&model, &wish, found.ids, found.len);
            if (!r) continue;
            assert_true(met[r - 1] >= met[r]);
            higher += search_result(search, r).score > search_result(search, r - 1).score;
            if (met[r - 1] == met[r]) assert_true(search_result(search, r - 1).score >= search_result(search, r).score);
        }
        search_free(search);
    }
    assert_true(higher > 0);
}

/* A search that allows demands gives what it gives without them for sentences that have none. */
TEST(other_sentences_do_not_change)
{
    uint32_t random = 99;
    static Model model;

    for (size_t i = 0; i < 50; i++) {
        FREED_BY(search_params_free) SearchParams params = params_of(4, 1, &search_rules_transformers);
        Search *searches[2] = { NULL, new_search(&params) };
        Hypothesis found[2];
        Err err;
        fill(&model, &random);
        assert_ok(search_new(&searches[0], &params, VOCAB, params.max_length, 0, &err), &err);
        for (size_t k = 0; k < 2; k++) {
            run(searches[k], &model, NULL, params.beams);
            found[k] = search_result(searches[k], 0);
        }
        assert_int_equal(found[0].len, found[1].len);
        assert_memory_equal(found[0].ids, found[1].ids, found[0].len * sizeof *found[0].ids);
        assert_true(found[0].score == found[1].score);
        for (size_t k = 0; k < 2; k++) search_free(searches[k]);
    }
}

TESTS(test_search_demands);
