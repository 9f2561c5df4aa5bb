/* test_search_texts.c - search/text_rules.c: tokens that complete texts, against a naive search of the decoded text;
 * the texts of the tokens of a vocabulary; and the processors of search/logits.c that use runs and texts. */
#include "test_support.h"

#include <math.h>

#include "logits.h"
#include "model_support.h"
#include "text_rules.h"
#include "tokenizer.h"

#define VOCAB 40
#define LONG  24 /* tokens */

/* Tokens and texts of a small alphabet, so that texts overlap with themselves and with each other. */
typedef struct {
    char tokens[VOCAB][5];
    char texts[3][9];
    size_t text_count;
} Sample;

static void fill(char *out, size_t least, size_t most, uint32_t *random)
{
    const size_t len = least + support_random(random) % (most - least + 1);

    for (size_t i = 0; i < len; i++) out[i] = "ab\xc3"[support_random(random) % 8 * 3 / 8];
    out[len] = '\0';
}

static Sample sample_new(uint32_t *random)
{
    Sample s = { .text_count = 1 + support_random(random) % 3 };

    for (size_t i = 2; i < VOCAB; i++) fill(s.tokens[i], 0, 4, random); /* 0, the start, and 1, the end, are empty */
    strcpy(s.tokens[0], "ab");                                          /* the text of the start token does not count */
    for (size_t i = 0; i < s.text_count; i++) fill(s.texts[i], 1, 8, random);
    return s;
}

static TextRules *rules_of(const Sample *s, bool stops)
{
    TokenBytes tokens = { .ends = calloc(VOCAB, sizeof *tokens.ends), .vocab = VOCAB };
    Buf texts = { 0 };
    TextRules *rules;
    Err err;

    assert_non_null(tokens.ends);
    for (size_t i = 0; i < VOCAB; i++) {
        buf_put_text(&tokens.bytes, s->tokens[i]);
        tokens.ends[i] = tokens.bytes.len;
    }
    for (size_t i = 0; i < s->text_count; i++) buf_put(&texts, s->texts[i], strlen(s->texts[i]) + 1);
    assert_ok(text_rules_new(&rules, &tokens, stops ? &(Buf){ 0 } : &texts, stops ? &texts : &(Buf){ 0 }, &err), &err);
    assert_null(tokens.ends);
    buf_free(&texts);
    return rules;
}

/* How often the texts occur in those of the tokens. */
static size_t count_in(const Sample *s, const int32_t *history, size_t len, int32_t token)
{
    char all[LONG * 5 + 1] = "";
    size_t count = 0;

    for (size_t i = 1; i < len; i++) strcat(all, s->tokens[history[i]]);
    if (token >= 0) strcat(all, s->tokens[token]);
    for (size_t t = 0; t < s->text_count; t++)
        for (const char *at = all; (at = strstr(at, s->texts[t])); at++) count++;
    return count;
}

static void mark(void *context, int32_t token)
{
    ((bool *)context)[token] = true;
}

TEST(finds_the_tokens_that_complete_a_text)
{
    uint32_t random = 1;
    size_t completing = 0;

    for (size_t n = 0; n < 2000; n++) {
        const Sample s = sample_new(&random);
        TextRules *forbid = rules_of(&s, false), *stop = rules_of(&s, true);
        int32_t history[LONG] = { 0 };
        for (size_t len = 1; len < LONG - 1; len++) {
            bool found[VOCAB] = { false };
            text_rules_forbid(forbid, history, len, mark, found);
            for (int32_t i = 0; i < VOCAB; i++) {
                const bool wanted = count_in(&s, history, len, i) > count_in(&s, history, len, -1);
                if (found[i] != wanted || text_rules_stops(stop, history, len, i) != wanted)
                    fail_msg("sample %zu, length %zu, token %d: wanted %d", n, len, (int)i, wanted);
                completing += wanted;
            }
            history[len] = (int32_t)(1 + support_random(&random) % (VOCAB - 1));
        }
        text_rules_free(forbid);
        text_rules_free(stop);
    }
    assert_true(completing > 100000);
}

TEST(counts_texts)
{
    Sample s = { .tokens = { "", "", "x" }, .texts = { "x" }, .text_count = 1 };
    TextRules *rules = rules_of(&s, false);

    assert_int_equal(text_rules_forbidden_count(rules), 1);
    assert_int_equal(text_rules_stop_count(rules), 0);
    assert_false(text_rules_stops(rules, (int32_t[]){ 0 }, 1, 2));
    text_rules_free(rules);
    assert_int_equal(text_rules_forbidden_count(NULL), 0);
    assert_int_equal(text_rules_stop_count(NULL), 0);
}

/* In the middle of a text, each token adds its part of it: byte pieces their bytes, special tokens nothing. */
TEST(tokens_add_up_to_a_text)
{
    static const char *const folders[] = { GOLDEN_ROOT "/tokenizers/opus-mt-fr-en", GOLDEN_ROOT "/tokenizers/bytes" };
    static const char text[] = "Is it (12%)? Yes.";

    for (size_t i = 0; i < COUNT(folders); i++) {
        Encoding e = { 0 };
        Buf added = { 0 }, decoded = { 0 };
        Tokenizer *tokenizer;
        Err err;
        assert_ok(open_tokenizer(&tokenizer, folders[i], "marian", NULL, NULL, &err), &err);
        assert_ok(tokenizer_encode_translation(tokenizer, text, strlen(text), false, &e, &err), &err);
        assert_ok(tokenizer_decode(tokenizer, e.ids.data, e.ids.len, &decoded, NULL, &err), &err);
        for (size_t k = 0; k < e.ids.len; k++)
            assert_ok(tokenizer_target_append(tokenizer, e.ids.data[k], &added, &err), &err);
        assert_ok(tokenizer_target_append(tokenizer, tokenizer_facts(tokenizer)->target_unknown, &added, &err), &err);
        assert_int_equal(added.data[0], ' ');
        assert_string_equal(added.data + 1, decoded.data);
        encoding_free(&e);
        buf_free(&added);
        buf_free(&decoded);
        tokenizer_free(tokenizer);
    }
}

/* --- search/logits.c */

static Arena *memory; /* of processors_of() */

static LogitsProcessors processors_of(const SearchParams *params, size_t vocab)
{
    LogitsProcessors processors;
    Err err;

    assert_ok(arena_new(&memory, &err), &err);
    assert_ok(logits_processors_init(&processors, params, vocab, memory, &err), &err);
    processors.prompt_len = 1;
    processors.max_length = 100;
    return processors;
}

static SearchParams plain_params(void)
{
    return (SearchParams){
        .beams = 1, .max_length = 100, .repetition_penalty = 1, .encoder_repetition_penalty = 1, .forced_bos = -1
    };
}

/* 7, the start token, is not part of the history that a run is compared with; an end token is not spared. */
TEST(forbids_runs_of_pieces)
{
    static const int32_t runs[] = { 1, 3, 2, 7, 4, 3, 1, 2, 5 };
    int32_t history[] = { 7, 1, 2 };
    float row[8] = { 0 };
    FREED_BY(search_params_free) SearchParams params = plain_params();
    LogitsProcessors processors;
    Err err;

    assert_ok(ids_append(&params.eos, 3, &err), &err);
    assert_ok(ids_append_all(&params.bad_runs, runs, COUNT(runs), &err), &err);
    processors = processors_of(&params, 8);
    assert_true(logits_need_history(&processors));
    logits_process(&processors, 0, history, 1, row);
    for (size_t i = 0; i < 8; i++) assert_int_equal(row[i] == 0, i != 3);
    logits_process(&processors, 0, history, 3, row);
    for (size_t i = 0; i < 8; i++) assert_int_equal(row[i] == 0, i != 3 && i != 5);
    arena_free(memory);
}

/* The biases of a token are added up before they are added to its score: 2^24 + (1 + 1) is not (2^24 + 1) + 1. */
TEST(adds_the_biases_of_a_token_together)
{
    static const int32_t runs[] = { 1, 2, 2, 1, 2, 2, 4, 2 };
    const int32_t history[] = { 7, 1 };
    float values[] = { 1, 1, 5 };
    float row[8] = { 0, 0, 16777216 };
    FREED_BY(search_params_free) SearchParams params = plain_params();
    LogitsProcessors processors;
    Err err;

    assert_ok(ids_append_all(&params.biases.runs, runs, COUNT(runs), &err), &err);
    params.biases.values = values;
    params.biases.count = COUNT(values);
    processors = processors_of(&params, 8);
    assert_true(logits_need_history(&processors));
    assert_true(logits_change_scores(&processors, 1));
    logits_process(&processors, 0, history, 2, row);
    assert_true(row[2] == 16777218);
    arena_free(memory);
    params.biases.values = NULL;
}

TEST(end_tokens_become_more_likely)
{
    float row[4] = { 1, -2, -INFINITY, 3 };
    FREED_BY(search_params_free) SearchParams params = plain_params();
    LogitsProcessors processors;
    Err err;

    params.decays = true;
    params.decay_start = 2;
    params.decay_factor = 1.5;
    assert_ok(ids_append_all(&params.eos, (int32_t[]){ 1, 2, 3, 1 }, 4, &err), &err);
    processors = processors_of(&params, 4);
    assert_false(logits_need_history(&processors));
    assert_false(logits_change_scores(&processors, 3));
    assert_true(logits_change_scores(&processors, 4));
    logits_process(&processors, 0, NULL, 3, row);
    assert_true(row[1] == -2);
    logits_process(&processors, 0, NULL, 5, row); /* two steps: |x| * (2.25 - 1) more */
    assert_true(row[0] == 1 && row[1] == 0.5f && row[2] == -INFINITY && row[3] == 6.75f);
    arena_free(memory);
}

TEST(forbids_texts_in_parts_of_a_row)
{
    Sample s = { .tokens = { "", "", "ab", "b", "abc", "c", "xb" }, .texts = { "bc" }, .text_count = 1 };
    TextRules *rules = rules_of(&s, false);
    const int32_t history[] = { 0, 6 };
    float row[4] = { 0 };
    SearchParams params = plain_params();
    LogitsProcessors processors;

    params.texts = rules;
    processors = processors_of(&params, VOCAB);
    assert_true(logits_need_history(&processors));
    processors.first = 2;
    processors.width = 4;
    logits_process(&processors, 0, history, 2, row);
    assert_true(row[0] == 0 && row[1] == 0 && row[2] == -INFINITY && row[3] == -INFINITY);
    arena_free(memory);
    text_rules_free(rules);
}

TESTS(test_search_texts);
