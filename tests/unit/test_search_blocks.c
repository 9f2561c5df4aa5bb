/* test_search_blocks.c - search/search_beam.c: logits in blocks of ids give the same
 * hypotheses, scores and spread as logits in whole rows. */
#include "test_support.h"

#include <math.h>
#include <stdlib.h>

#include "kernels.h"
#include "search.h"

#define VOCAB  ((size_t)1000)
#define LENGTH ((size_t)12)
#define BEAMS  ((size_t)5)
#define WIDEST (4 * ROW_BLOCK)

static uint32_t mix(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x85EBCA6BU;
    x ^= x >> 13;
    return x ^ x >> 16;
}

typedef enum { RANDOM, EQUAL_ONES, BROKEN, RISING, KINDS } Kind;

/* The logits that follow a token: random; few distinct values; some NaN; or rising
 * from id to id, so that the search must keep them all. */
static void logits_of(Kind kind, int32_t token, size_t step, float *out)
{
    for (size_t i = 0; i < VOCAB; i++) {
        uint32_t h = mix((uint32_t)token * 7919U + (uint32_t)i * 104729U + (uint32_t)step);
        out[i] = kind == RISING ? (float)i / 64 : (float)(h % (kind == EQUAL_ONES ? 5 : 100003)) / 1000;
        if (kind == BROKEN && h % 50 == 0) out[i] = h % 3 ? -INFINITY : NAN;
    }
}

/* One step's logits in blocks of `width` ids; false: the search needs whole rows. */
static bool take_in_blocks(Search *search, const float *logits, size_t width)
{
    float block[BEAMS * WIDEST];

    for (size_t first = 0; first < VOCAB; first += width) {
        size_t count = VOCAB - first < width ? VOCAB - first : width;
        for (size_t r = 0; r < search_rows(search); r++)
            memcpy(block + r * width, logits + r * VOCAB + first, count * sizeof *block);
        search_take_logits(search, &(LogitsBlock){ 0, search_rows(search), first, count, width, block });
    }
    return !search_wants_logits(search);
}

/* width 0: whole rows. Returns the number of steps for which blocks did not suffice. */
static size_t run(Search *search, Kind kind, size_t width)
{
    static const int32_t source[] = { 3, 4, 5 };
    float logits[BEAMS * VOCAB];
    size_t failed = 0;

    search_start(search,
                 &(SearchInput){ .source = source, .source_len = COUNT(source), .prefix = source, .prefix_len = 1 });
    for (size_t step = 0; !search_done(search); step++) {
        if (!search_wants_logits(search)) {
            search_advance(search);
            continue;
        }
        for (size_t r = 0; r < search_rows(search); r++)
            logits_of(kind, search_token(search, r), step, logits + r * VOCAB);
        if (width && !search_needs_whole_rows(search)) failed += !take_in_blocks(search, logits, width);
        search_take_logits(search, &(LogitsBlock){ 0, search_rows(search), 0, VOCAB, VOCAB, logits });
        search_advance(search);
    }
    return failed;
}

static void check_equal_spread(Search *a, Search *b, size_t i, size_t len)
{
    TokenSpread x[LENGTH], y[LENGTH];

    search_result_spread(a, i, x);
    search_result_spread(b, i, y);
    assert_memory_equal(x, y, len * sizeof *x);
}

static void check_equal(Search *a, Search *b, bool spread)
{
    assert_int_equal(search_results(a), search_results(b));
    for (size_t i = 0; i < search_results(a); i++) {
        Hypothesis x = search_result(a, i), y = search_result(b, i);
        assert_int_equal(x.len, y.len);
        assert_memory_equal(x.ids, y.ids, x.len * sizeof *x.ids);
        assert_memory_equal(&x.score, &y.score, sizeof x.score);
        if (spread) check_equal_spread(a, b, i, x.len);
    }
}

/* Broken logits leave NaN as the spread, whose bits may differ. */
static void check(SearchParams params, Kind kind)
{
    const bool spread = !params.skip_scores && kind != BROKEN;
    Search *whole, *blocks;
    size_t failed;
    Err err = { "" };

    assert_ok(search_new(&whole, &params, VOCAB, params.max_length, 0, &err), &err);
    assert_ok(search_new(&blocks, &params, VOCAB, params.max_length, 0, &err), &err);
    if (spread) assert_ok(search_allow(whole, SEARCH_SPREAD, &err), &err);
    if (spread) assert_ok(search_allow(blocks, SEARCH_SPREAD, &err), &err);
    run(whole, kind, 0);
    for (size_t width = ROW_BLOCK; width <= WIDEST; width *= 2) {
        failed = run(blocks, kind, width);
        assert_true(kind == RISING && width < VOCAB ? failed > 0 : kind == BROKEN || failed == 0);
        check_equal(whole, blocks, spread);
    }
    search_free(whole);
    search_free(blocks);
}

TEST(blocks_of_logits_give_the_same_results_as_whole_rows)
{
    const SearchRules *const rules[] = { &search_rules_transformers, &search_rules_marian, &search_rules_ctranslate2 };
    int32_t eos = 7, suppressed[] = { 300, 999 };

    for (size_t beams = 1; beams <= BEAMS; beams += 2)
        for (size_t r = 0; r < COUNT(rules); r++)
            for (int kind = 0; kind < KINDS; kind++)
                for (int skip = 0; skip < 2; skip++)
                    check((SearchParams){ .rules = *rules[r],
                                          .beams = beams,
                                          .n_best = beams,
                                          .min_length = 3,
                                          .max_length = LENGTH,
                                          .length_penalty = 1,
                                          .repetition_penalty = 1,
                                          .encoder_repetition_penalty = 1,
                                          .skip_scores = skip && beams == 1,
                                          .start = 0,
                                          .forced_bos = -1,
                                          .eos = { .data = &eos, .len = 1 },
                                          .suppress = { .data = suppressed, .len = 2 } },
                          (Kind)kind);
}

TESTS(test_search_blocks);
