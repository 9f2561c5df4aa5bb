/* test_translator.c - dragoman_open() and dragoman_describe() with a fake model: options are checked against the model
 * and each other, and lines are translated. */
#include "fake_model.h"

#include <math.h>

#include "config.h"
#include "dragoman_tools.h"
#include "err.h"
#include "line.h"
#include "option_fields.h"
#include "request_support.h"

static int reset(void **state)
{
    (void)state;
    fake_reset();
    fake_source_vocab = fake_target_vocab = FAKE_END + 1;
    fake_decoder_start = fake_forced_bos = -1;
    fake_no_language = false;
    fake_no_weights = false;
    fake_guess = 0;
    fake_config = fake_small_config();
    return 0;
}

static DragomanOptions options_of(size_t threads)
{
    DragomanOptions options = option_fields_default();

    options.model = "folder";
    options.threads = threads;
    return options;
}

/* Expects that the model is not opened. */
static void expect_unopened(const DragomanOptions *options, DragomanStatus status, const char *message)
{
    Dragoman *d = (Dragoman *)&fake_config;
    DragomanError error;

    assert_int_equal(dragoman_open(&d, options, &error), status);
    assert_string_equal(error.message, message);
    assert_null(d);
}

/* Expects that it is not described either. */
static void expect_refusal(const DragomanOptions *options, DragomanStatus status, const char *message)
{
    DragomanError error;
    char *text;

    expect_unopened(options, status, message);
    assert_int_equal(dragoman_describe(options, &text, &error), status);
    assert_string_equal(error.message, message);
}

static Dragoman *open_ok(const DragomanOptions *options)
{
    DragomanError error;
    Dragoman *d;

    check_ok(dragoman_open(&d, options, &error), &error);
    return d;
}

#define EXPECT_USAGE(change, message)                                                                                  \
    do {                                                                                                               \
        DragomanOptions o = options_of(1);                                                                             \
        change;                                                                                                        \
        expect_refusal(&o, DRAGOMAN_ERROR_USAGE, message);                                                             \
    } while (0)

TEST_WITH(rejects_options_that_do_not_fit_the_model_or_each_other, reset, NULL)
{
    const OptionalReal nan_value = { true, NAN }, zero = { true, 0 }, infinite = { true, INFINITY },
                       huge = { true, 1e30F }, negative = { true, -1 };

    EXPECT_USAGE(o.model = NULL, "no model is set; set DRAGOMAN_MODEL");
    EXPECT_USAGE(o.beams = 1025, "DRAGOMAN_BEAMS 1025: the maximum is 1024");
    EXPECT_USAGE(o.threads = 1025, "DRAGOMAN_THREADS 1025: the maximum is 1024");
    EXPECT_USAGE(o.batch_rows = 65537, "DRAGOMAN_BATCH_ROWS 65537: the maximum is 65536");
    EXPECT_USAGE(o.length_penalty = nan_value, "DRAGOMAN_LENGTH_PENALTY must be a finite number");
    EXPECT_USAGE(o.repetition_penalty = zero, "DRAGOMAN_REPETITION_PENALTY must be a finite number above 0");
    EXPECT_USAGE(o.repetition_penalty = infinite, "DRAGOMAN_REPETITION_PENALTY must be a finite number above 0");
    EXPECT_USAGE(o.length_factor = negative, "DRAGOMAN_LENGTH_FACTOR must not be negative");
    EXPECT_USAGE(o.to = "xx", "no such language: xx");
    EXPECT_USAGE(o.temperature = zero, "DRAGOMAN_TEMPERATURE must be at least 1e-06");
    EXPECT_USAGE(o.patience = zero, "DRAGOMAN_PATIENCE must be above 0 and at most 1000");
    EXPECT_USAGE(o.patience = huge, "DRAGOMAN_PATIENCE must be above 0 and at most 1000");
    EXPECT_USAGE((o.sampling = SWITCH_ON, o.n_best = 1025), "DRAGOMAN_N_BEST 1025: the maximum is 1024");
    fake_config.search.rules = search_rules_marian;
    EXPECT_USAGE(o.early_stopping = 1, "DRAGOMAN_EARLY_STOPPING: a model of Marian ends its searches as Marian does");
    fake_config.search.rules = search_rules_transformers;
    EXPECT_USAGE(o.n_best = 5, "DRAGOMAN_N_BEST 5 exceeds the model's beam size 4");
    EXPECT_USAGE((o.n_best = 2, o.beams = 1), "DRAGOMAN_N_BEST 2 exceeds the beam size 1");
    EXPECT_USAGE(o.max_length = 33, "DRAGOMAN_MAX_LENGTH 33 exceeds the model's 32 positions");
    EXPECT_USAGE(o.min_length = 21, "DRAGOMAN_MIN_LENGTH 21 exceeds the model's max length 20");
    EXPECT_USAGE((o.min_length = 6, o.max_length = 5), "DRAGOMAN_MIN_LENGTH 6 exceeds the max length 5");
    EXPECT_USAGE(o.skip_scores = o.token_scores = true,
                 "DRAGOMAN_TOKEN_SCORES and DRAGOMAN_SKIP_SCORES cannot be used together");
    EXPECT_USAGE((o.prefix = "1 2 3", o.max_length = 3),
                 "DRAGOMAN_PREFIX has 3 pieces, too many for a max length of 3");
}

TEST_WITH(rejects_alignments_by_a_head_that_does_not_exist, reset, NULL)
{
    DragomanOptions options = options_of(1);

    fake_config.alignment = (AlignmentConfig){ .layer_from_end = 1, .heads = 3 };
    dragoman_close(open_ok(&options));
    options.attention = true;
    expect_unopened(&options, DRAGOMAN_ERROR_USAGE,
                    "layer 0, head 2 (from 0) does not exist: the decoder has 1 layer of 2 heads");
}

TEST_WITH(rejects_a_tokenizer_larger_than_the_model, reset, NULL)
{
    DragomanOptions options = options_of(1);

    fake_source_vocab = 2002;
    expect_refusal(&options, DRAGOMAN_ERROR_FORMAT,
                   "folder: the tokenizer's source vocabulary has 2002 ids, but the model has only 2001 embeddings");
    fake_source_vocab = 10;
    fake_target_vocab = 3000;
    expect_refusal(&options, DRAGOMAN_ERROR_FORMAT,
                   "folder: the tokenizer's target vocabulary has 3000 ids, but the model has only 2001 embeddings");
}

TEST_WITH(passes_on_faults_of_the_model, reset, NULL)
{
    DragomanOptions options = options_of(1);

    fake_no_weights = true;
    expect_refusal(&options, DRAGOMAN_ERROR_FORMAT, "folder: no weights");
    options.model = "missing";
    expect_refusal(&options, DRAGOMAN_ERROR_IO, "missing: No such file or directory");
}

/* A line of the description has this value; "": there is no such line. */
static void expect_described(const DragomanOptions *options, const char *key, const char *value)
{
    char *text, *line = support_format("\n%s: ", key), *start;
    DragomanError error;

    check_ok(dragoman_describe(options, &text, &error), &error);
    start = strstr(text, line);
    if (start) start += strlen(line);
    if (strncmp(text, line + 1, strlen(line + 1)) == 0) start = text + strlen(line + 1);
    if (start) start[strcspn(start, "\n")] = '\0';
    assert_string_equal(start ? start : "", value);
    free(line);
    dragoman_free_text(text);
}

TEST_WITH(keeps_the_models_settings_without_options, reset, NULL)
{
    DragomanOptions options = options_of(3);

    fake_config.search.no_repeat_ngram = 3;
    expect_described(&options, "beam", "4");
    expect_described(&options, "length penalty", "1");
    expect_described(&options, "min length", "0");
    expect_described(&options, "max length", "20");
    expect_described(&options, "no repeated n-grams of", "3");
    expect_described(&options, "repetition penalty", "");
    expect_described(&options, "workers", "3");
    options.threads = 0;
    fake_config.search.max_length = 500; /* more than the positions */
    expect_described(&options, "beam", "4");
    expect_described(&options, "max length", "32");
}

TEST_WITH(options_replace_the_models_settings, reset, NULL)
{
    DragomanOptions options = options_of(1);

    fake_config.search.no_repeat_ngram = 3;
    options.beams = 1;
    options.min_length = 32;
    options.max_length = 32;
    options.length_penalty = (OptionalReal){ true, -0.5f };
    options.repetition_penalty = (OptionalReal){ true, 1.25f };
    options.no_repeat_ngram = 0;
    expect_described(&options, "beam", "1 (greedy)");
    expect_described(&options, "length penalty", "-0.5");
    expect_described(&options, "min length", "32");
    expect_described(&options, "max length", "32");
    expect_described(&options, "no repeated n-grams of", "");
    expect_described(&options, "repetition penalty", "1.25");
}

TEST_WITH(target_language_replaces_the_models_first_tokens, reset, NULL)
{
    DragomanOptions options = options_of(1);

    fake_config.search.start = 5;
    fake_config.search.forced_bos = 6;
    expect_described(&options, "start id", "5");
    expect_described(&options, "forced first id", "6");
    fake_decoder_start = 7;
    fake_forced_bos = FAKE_END;
    expect_described(&options, "start id", "7");
    expect_described(&options, "forced first id", "2000");
    fake_forced_bos = FAKE_END + 1;
    expect_refusal(&options, DRAGOMAN_ERROR_FORMAT,
                   "folder: the target language has id 2001, but the last embedding of the model has id 2000");
}

TEST_WITH(describes_but_does_not_open_a_model_without_a_language, reset, NULL)
{
    DragomanOptions options = options_of(1);

    fake_no_language = true;
    expect_described(&options, "start id", "0");
    expect_unopened(&options, DRAGOMAN_ERROR_USAGE, "no language");
}

TEST_WITH(describes_but_does_not_open_a_model_without_a_start_token, reset, NULL)
{
    DragomanOptions options = options_of(1);

    fake_config.search.start = -1;
    expect_described(&options, "start id", "");
    expect_unopened(&options, DRAGOMAN_ERROR_FORMAT,
                    "folder/config.json: decoder_start_token_id is missing (in folders of CTranslate2: "
                    "decoder_start_token)");
    fake_decoder_start = 7;
    dragoman_close(open_ok(&options));
}

TEST_WITH(weights_override_guessed_positions, reset, NULL)
{
    static const size_t guesses[] = { 8, 32, 64 };
    DragomanOptions options = options_of(1);

    for (size_t i = 0; i < COUNT(guesses); i++) {
        fake_guess = guesses[i];
        options.max_length = 32;
        expect_described(&options, "max length", "32");
        expect_described(&options, "longest input", "32 ids; longer lines are cut into parts");
        options.max_length = 33;
        expect_refusal(&options, DRAGOMAN_ERROR_USAGE, "DRAGOMAN_MAX_LENGTH 33 exceeds the model's 32 positions");
    }
}

TEST_WITH(longest_input_is_the_models_or_the_tokenizers, reset, NULL)
{
    DragomanOptions options = options_of(1);

    expect_described(&options, "longest input", "32 ids; longer lines are cut into parts");
    fake_config.positions.max = 0;
    expect_described(&options, "longest input", "40 ids; longer lines are cut into parts");
}

TEST_WITH(describes_the_model, reset, NULL)
{
    DragomanOptions options = options_of(1);

    expect_described(&options, "model", "folder");
    expect_described(&options, "family", "fake");
    expect_described(&options, "source language", "eng");
    expect_described(&options, "target language", "");
    expect_described(&options, "target languages", "deu fra");
    expect_described(&options, "encoder", "2 layers, 2 heads of 4, feed-forward 16, vocabulary 2001");
    expect_described(&options, "activation", "swish");
    expect_described(&options, "parameters", "308641");
    expect_described(&options, "stored as", "BF16");
    expect_described(&options, "weights in memory", "1.2 MB");
}

TEST_WITH(returns_lines_with_their_translations, reset, NULL)
{
    DragomanOptions options = options_of(2);
    const DragomanLine *line;
    Dragoman *d;

    options.n_best = 3;
    options.prefix = "9";
    d = open_ok(&options);
    submit_text(d, "1 2", 77);
    submit_text(d, " ", 78);
    dragoman_finish(d);
    line = next(d);
    assert_int_equal(line->tag, 77);
    assert_int_equal(line->source_ids.len, 3);
    assert_int_equal(line->most_segments, 1);
    assert_int_equal(line->pieces, 2);
    assert_int_equal(line->count, 3);
    assert_string_equal(line->translations[0].text.data, "9 1 2");
    assert_string_equal(line->translations[2].text.data, "9 3 4");
    assert_int_equal(line->translations[2].ids.len, 4);
    assert_float_equal(line->translations[2].score, -5, 0);
    assert_string_equal(dragoman_piece(d, 7), "\xe2\x96\x81"
                                              "7");
    line = next(d);
    assert_int_equal(line->tag, 78);
    assert_int_equal(line->most_segments, 0);
    assert_int_equal(line->count, 0);
    assert_null(next(d));
    assert_true(dragoman_ready(d));
    dragoman_close(d);
}

TEST_WITH(cuts_a_line_that_is_too_long, reset, NULL)
{
    DragomanOptions options = options_of(2);
    const DragomanLine *line;
    Buf text = { 0 };
    Dragoman *d = open_ok(&options);

    for (int i = 0; i < 50; i++) buf_put_format(&text, "%s%d%s", i ? " " : "", i, i == 19 ? "." : "");
    submit_text(d, text.data, 0);
    line = next(d);
    assert_int_equal(line->most_segments, 2);
    assert_int_equal(line->translations[0].ids.len, 52);
    assert_int_equal(line->translations[0].ids.data[20], FAKE_END); /* after "19." */
    assert_string_equal(line->translations[0].text.data, text.data);
    buf_free(&text);
    dragoman_close(d);
}

TEST_WITH(closes_cleanly_at_any_moment, reset, NULL)
{
    DragomanOptions options = options_of(2);
    Dragoman *d = open_ok(&options);
    DragomanError error;

    dragoman_close(d);
    dragoman_close(NULL);
    d = open_ok(&options);
    submit_text(d, "901", 0);
    submit_text(d, "1 2", 0);
    assert_false(dragoman_ready(d));
    dragoman_cancel(d);
    assert_null(next(d));
    assert_int_equal(dragoman_submit_text(d, "1", 1, 0, &error), DRAGOMAN_ERROR_IO);
    assert_string_equal(error.message, "cancelled");
    dragoman_close(d);
}

TESTS_WITH(test_translator, fake_enter_folder, fake_leave_folder);
