/* test_utf8_rules.c - search/text_rules.c: byte pieces make valid UTF-8, against a UTF-8 decoder for all sequences of
 * bytes, and against the best of all sequences of a tiny model in every kind of search. */
#include "markov_model.h"

#include "kernels.h"
#include "utf8.h"
#include "text_rules.h"

/* Bytes on both sides of each border of the rules. */
static const unsigned char borders[] = { 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0,
                                         0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff };

static bool is_valid(const char *text, size_t len)
{
    uint32_t code = 0;

    for (size_t i = 0; i < len && code != UTF8_INVALID;) i += utf8_next(text + i, len - i, &code);
    return code != UTF8_INVALID;
}

/* Whether at most `more` bytes make the text valid. */
static bool can_become_valid(char *text, size_t len, size_t more)
{
    if (is_valid(text, len)) return true;
    for (size_t i = 0; more && borders[i] < 0xc0; i++) {
        text[len] = (char)borders[i];
        if (can_become_valid(text, len + 1, more - 1)) return true;
    }
    return false;
}

static bool has_all(const void *context, int32_t id)
{
    (void)context;
    (void)id;
    return true;
}

/* Tries all continuations of a text that the rules allow, up to `most` bytes. */
static size_t check_all(const Utf8Rules *rules, int32_t *tokens, char *text, size_t len, size_t most)
{
    const Utf8State state = utf8_rules_state(rules, tokens, len);
    const unsigned completable = utf8_rules_completable(rules, has_all, NULL);
    size_t allowed = 0;

    assert_int_equal(state == UTF8_BETWEEN, is_valid(text, len));
    if (len == most) return 1;
    for (size_t i = 0; i < rules->count; i++) {
        char next[10];
        memcpy(next, text, len);
        next[len] = (char)rules->bytes[i];
        for (size_t left = 0; left <= 3; left++)
            assert_int_equal(utf8_rules_allow(rules, i, state, left, completable),
                             can_become_valid(next, len + 1, left));
        if (!utf8_rules_allow(rules, i, state, 3, completable)) continue;
        tokens[len] = rules->ids[i];
        text[len] = (char)rules->bytes[i];
        allowed += check_all(rules, tokens, text, len + 1, most);
    }
    return allowed;
}

TEST(allows_what_a_decoder_accepts)
{
    Utf8Rules rules = { .count = 0 };
    int32_t tokens[8];
    char text[8];

    for (size_t i = 0; i < COUNT(borders); i++) utf8_rules_add(&rules, (int32_t)(i * 7 % 23), borders[i]);
    for (size_t i = 1; i < rules.count; i++) assert_true(rules.ids[i - 1] < rules.ids[i]);
    assert_true(check_all(&rules, tokens, text, 0, 4) > 1000);
    for (size_t i = 0; i < 4; i++) { /* U+1FFFF */
        size_t index = 0;
        text[i] = "\xf0\x9f\xbf\xbf"[i];
        while (rules.bytes[index] != (unsigned char)text[i]) index++;
        tokens[i] = rules.ids[index];
    }
    assert_true(check_all(&rules, tokens, text, 4, 6) > 30);
    assert_int_equal(utf8_rules_state(&rules, (const int32_t[]){ tokens[0], 16 }, 2), UTF8_BETWEEN);
}

static bool has_even(const void *context, int32_t id)
{
    (void)context;
    return id % 2 == 0;
}

/* A byte that cannot be completed must not be chosen. */
TEST(knows_which_characters_can_be_completed)
{
    Utf8Rules rules = { .count = 0 };
    unsigned all = 1U << UTF8_BETWEEN;

    assert_int_equal(utf8_rules_completable(&rules, has_all, NULL), all);
    utf8_rules_add(&rules, 2, 0x80);
    all |= 1U << UTF8_TAIL_1 | 1U << UTF8_TAIL_2 | 1U << UTF8_TAIL_3 | 1U << UTF8_AFTER_ED | 1U << UTF8_AFTER_F4;
    assert_int_equal(utf8_rules_completable(&rules, has_all, NULL), all);
    utf8_rules_add(&rules, 3, 0xbf);
    assert_int_equal(utf8_rules_completable(&rules, has_even, NULL), all);
    assert_int_equal(utf8_rules_completable(&rules, has_all, NULL), (1U << UTF8_STATES) - 1);
    utf8_rules_add(&rules, 5, 0xe0);
    assert_false(utf8_rules_allow(&rules, 2, UTF8_BETWEEN, 9, all));
    assert_true(utf8_rules_allow(&rules, 2, UTF8_BETWEEN, 9, (1U << UTF8_STATES) - 1));
}

/* --- Searches. Start, end, "a", and byte pieces of U+00E4, U+00FF, U+20AC, U+C020 and U+1F600. */

enum { START, END, LETTER, FIRST_BYTE };
static const unsigned char bytes[] = { 0xc3, 0xa4, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xff, 0xec };
#define VOCAB (FIRST_BYTE + COUNT(bytes))
#define MOST  6 /* tokens */

typedef struct {
    Markov model;
    Utf8Rules rules;
    SearchParams params;
} Tiny;

static void tiny_new(Tiny *out, uint32_t seed, size_t length)
{
    Err err;

    *out = (Tiny){ .model = { .vocab = VOCAB, .seed = seed, .spread = 4, .drift = 2, .end_slope = 0.25F } };
    for (size_t i = 0; i < COUNT(bytes); i++) utf8_rules_add(&out->rules, (int32_t)(FIRST_BYTE + i), bytes[i]);
    out->params = settings_default();
    out->params.max_length = length;
    out->params.start = START;
    out->params.utf8 = &out->rules;
    assert_ok(ids_append(&out->params.eos, END, &err), &err);
    assert_ok(ids_append(&out->model.ends, END, &err), &err);
}

static void tiny_free(Tiny *tiny)
{
    search_params_free(&tiny->params);
    ids_free(&tiny->model.ends);
}

static bool tokens_are_valid(const int32_t *ids, size_t len)
{
    char text[64];

    assert_true(len < sizeof text);
    for (size_t i = 0; i < len; i++) text[i] = ids[i] < FIRST_BYTE ? 'a' : (char)bytes[ids[i] - FIRST_BYTE];
    return is_valid(text, len);
}

/* The best score of all sequences of the model that make valid UTF-8. */
static void try_all(const Tiny *tiny, int32_t *ids, size_t len, float score, float *best)
{
    float logits[VOCAB] = { 0 };
    LogSumExp sum;

    if (len && (ids[len - 1] == END || len == tiny->params.max_length)) {
        if (tokens_are_valid(ids, len) && score > *best) *best = score;
        return;
    }
    markov_logits(&tiny->model, len ? ids[len - 1] : START, len, logits);
    sum = kernels_get()->logsumexp(logits, VOCAB, NULL);
    for (size_t i = 0; i < VOCAB; i++) {
        ids[len] = (int32_t)i;
        try_all(tiny, ids, len + 1, score + (logits[i] - sum.top) - sum.logsumexp, best);
    }
}

static size_t check_results(Search *search)
{
    size_t with_bytes = 0;

    for (size_t i = 0; i < search_results(search); i++) {
        const Hypothesis found = search_result(search, i);
        if (found.score <= SCORE_NEVER) continue;
        if (!tokens_are_valid(found.ids, found.len)) fail_msg("result %zu is not valid UTF-8", i);
        for (size_t k = 0; k < found.len; k++) with_bytes += found.ids[k] >= FIRST_BYTE;
    }
    return with_bytes;
}

/* Passes the logits of a step in blocks of `width` columns. */
static void take(Search *search, const Tiny *tiny, const IdList *columns, size_t position, size_t width)
{
    const size_t all = columns->len ? columns->len : VOCAB, rows = search_rows(search);
    float *block = calloc(rows, width * sizeof *block), whole[VOCAB] = { 0 };

    assert_non_null(block);
    for (size_t first = 0; first < all; first += width) {
        const size_t count = all - first < width ? all - first : width;
        for (size_t r = 0; r < rows; r++) {
            markov_logits(&tiny->model, search_token(search, r), position, whole);
            for (size_t i = 0; i < count; i++)
                block[r * width + i] = whole[columns->len ? (size_t)columns->data[first + i] : first + i];
        }
        search_take_logits(search, &(LogitsBlock){ 0, rows, first, count, width, block });
    }
    free(block);
}

static size_t run_all(const Tiny *tiny, const IdList *columns, const int32_t *prefix, size_t prefix_len)
{
    const size_t all = columns->len ? columns->len : VOCAB;
    Search *search;
    size_t with_bytes;

    search = markov_new(&tiny->params, VOCAB);
    if (columns->len) search_choose_from(search, columns->data, columns->len);
    search_start(
        search, &(SearchInput){
                    .source = (const int32_t[]){ 2, 3 }, .source_len = 2, .prefix = prefix, .prefix_len = prefix_len });
    for (size_t position = 0; !search_done(search); position++) {
        if (search_wants_logits(search))
            take(search, tiny, columns, position, search_needs_whole_rows(search) ? all : 5);
        if (search_wants_logits(search)) take(search, tiny, columns, position, all);
        search_advance(search);
    }
    if (!(search_result(search, 0).score > SCORE_NEVER))
        fail_msg("seed %u, length %zu, %zu columns, prefix %zu: no result", (unsigned)tiny->model.seed,
                 tiny->params.max_length, columns->len, prefix_len);
    with_bytes = check_results(search);
    search_free(search);
    return with_bytes;
}

/* With a beam that holds all hypotheses, beam search finds the best of all valid sequences. */
TEST(finds_the_best_of_all_valid_sequences)
{
    for (size_t length = 1; length <= 4; length++)
        for (uint32_t seed = 0; seed < (length < 4 ? 30 : 3); seed++) {
            Tiny tiny;
            Search *search;
            int32_t ids[MOST];
            float best = SCORE_NEVER;
            tiny_new(&tiny, seed, length);
            tiny.params.length_penalty = 0;
            tiny.params.beams = length < 4 ? 200 : 2744;
            try_all(&tiny, ids, 0, 0, &best);
            search = markov_new(&tiny.params, VOCAB);
            search_start(search, &(SearchInput){ .max_length = length });
            markov_run(search, &tiny.params, VOCAB, markov_of, &tiny.model);
            (void)check_results(search);
            assert_true(fabsf(search_result(search, 0).score - best) < 1e-4F);
            search_free(search);
            tiny_free(&tiny);
        }
}

/* A kind of search. */
typedef struct {
    const char *name;
    size_t beams, n_best, groups, alternatives;
    bool skips_scores, shrinks, normalizes_late, draws, forces_end, suppresses;
} Kind;

static const Kind kinds[] = {
    { .name = "greedy", .beams = 1 },
    { .name = "greedy without scores", .beams = 1, .skips_scores = true },
    { .name = "beams", .beams = 6, .n_best = 6 },
    { .name = "marian", .beams = 6, .shrinks = true },
    { .name = "normalized late", .beams = 4, .normalizes_late = true },
    { .name = "draws", .beams = 1, .n_best = 3, .draws = true },
    { .name = "drawn beams", .beams = 3, .n_best = 3, .draws = true },
    { .name = "groups", .beams = 6, .n_best = 6, .groups = 3 },
    { .name = "alternatives", .beams = 2, .n_best = 4, .alternatives = 4 },
    { .name = "forced end", .beams = 6, .n_best = 6, .forces_end = true },
    { .name = "suppressed", .beams = 6, .n_best = 6, .suppresses = true },
};

static void set_kind(SearchParams *params, const Kind *kind)
{
    params->beams = kind->beams;
    if (kind->n_best) params->n_best = kind->n_best;
    params->groups = kind->groups;
    params->diversity_penalty = kind->groups ? 0.5F : 0;
    params->alternatives = kind->alternatives;
    params->skip_scores = kind->skips_scores;
    params->rules.beam_shrinks_with_finished = kind->shrinks;
    params->rules.processes_logits_before_normalizing = kind->normalizes_late;
    params->sampling.on = kind->draws;
    if (kind->draws) params->sampling.temperature = 2;
    if (kind->forces_end) LIST_PUT(&params->forced_eos, END);
    if (kind->suppresses) LIST_PUT(&params->suppress, FIRST_BYTE + 8); /* 0x80 */
}

TEST(writes_valid_utf8_in_every_search)
{
    static int32_t some[] = { END, LETTER, FIRST_BYTE, FIRST_BYTE + 2, FIRST_BYTE + 4, FIRST_BYTE + 5, FIRST_BYTE + 9 };
    static const int32_t prefix[] = { LETTER, FIRST_BYTE + 5, FIRST_BYTE + 6 }; /* ends within a character */

    for (size_t k = 0; k < COUNT(kinds); k++) {
        size_t with_bytes = 0;
        for (uint32_t seed = 0; seed < 100; seed++) {
            Tiny tiny;
            tiny_new(&tiny, seed, 1 + seed % MOST);
            set_kind(&tiny.params, &kinds[k]);
            with_bytes += run_all(&tiny, &(IdList){ 0 }, NULL, 0);
            with_bytes += run_all(&tiny, &(IdList){ .data = some, .len = COUNT(some) }, NULL, 0);
            tiny_free(&tiny);
            tiny_new(&tiny, seed, 6 + seed % 4);
            set_kind(&tiny.params, &kinds[k]);
            with_bytes += run_all(&tiny, &(IdList){ 0 }, prefix, 1 + seed % 3);
            tiny_free(&tiny);
        }
        if (with_bytes < 100) fail_msg("%s: only %zu byte pieces", kinds[k].name, with_bytes);
    }
}

TESTS(test_utf8_rules);
