/* test_translator.c - translator.h with a fake model: options are checked against the model and each other, and
 * lines are translated. */
#include "fake_model.h"

#include <math.h>

#include "config.h"
#include "err.h"
#include "family.h"
#include "translator.h"

static const Family fake_family = { .name = "fake" };

static int reset(void **state)
{
    (void)state;
    fake_reset();
    fake_source_vocab = fake_target_vocab = FAKE_END + 1;
    fake_decoder_start = fake_forced_bos = -1;
    fake_no_language = false;
    fake_no_weights = false;
    fake_guess = 0;
    fake_config = (ModelConfig){
        .family = &fake_family,
        .d_model = 8,
        .encoder = { .layers = 2, .heads = 2, .head_size = 4, .ffn = 16, .vocab = FAKE_END + 1 },
        .decoder = { .layers = 1, .heads = 2, .head_size = 4, .ffn = 16, .vocab = FAKE_END + 1 },
        .ffn.activation = ACTIVATION_SWISH,
        .norm.eps = 1e-5f,
        .positions.max = 32,
        .embedding.scale = 1,
        .search = { .beams = 4,
                    .n_best = 1,
                    .max_length = 20,
                    .length_penalty = 1,
                    .repetition_penalty = 1,
                    .encoder_repetition_penalty = 1,
                    .forced_bos = -1 },
    };
    return 0;
}

static DragomanOptions options_of(size_t threads)
{
    DragomanOptions options = option_fields_default();

    options.model = "folder";
    options.threads = threads;
    return options;
}

static void expect_refusal(const DragomanOptions *options, Status status, const char *message)
{
    Dragoman *d = (Dragoman *)&fake_config;
    Buf text = { 0 };
    Err err = { "" };

    assert_fails(translator_open(&d, options, &err), status, &err, message);
    assert_null(d);
    err.text[0] = '\0';
    assert_fails(translator_describe(options, &text, &err), status, &err, message);
    buf_free(&text);
}

#define EXPECT_USAGE(change, message)                                                                                  \
    do {                                                                                                               \
        DragomanOptions o = options_of(1);                                                                             \
        change;                                                                                                        \
        expect_refusal(&o, ERR_USAGE, message);                                                                        \
    } while (0)

TEST_WITH(rejects_options_that_do_not_fit_the_model_or_each_other, reset, NULL)
{
    const OptionalReal nan_value = { true, NAN }, zero = { true, 0 }, infinite = { true, INFINITY },
                       huge = { true, 1e30F }, negative = { true, -1 };

    EXPECT_USAGE(o.model = NULL, "no model is set; set " SETTING(MODEL));
    EXPECT_USAGE(o.beams = 1025, SETTING(BEAMS) " 1025: the maximum is 1024");
    EXPECT_USAGE(o.threads = 1025, SETTING(THREADS) " 1025: the maximum is 1024");
    EXPECT_USAGE(o.batch_rows = 65537, SETTING(BATCH_ROWS) " 65537: the maximum is 65536");
    EXPECT_USAGE(o.length_penalty = nan_value, SETTING(LENGTH_PENALTY) " must be a finite number");
    EXPECT_USAGE(o.repetition_penalty = zero, SETTING(REPETITION_PENALTY) " must be a finite number above 0");
    EXPECT_USAGE(o.repetition_penalty = infinite, SETTING(REPETITION_PENALTY) " must be a finite number above 0");
    EXPECT_USAGE(o.length_factor = negative, SETTING(LENGTH_FACTOR) " must not be negative");
    EXPECT_USAGE(o.to = "xx", "no such language: xx");
    EXPECT_USAGE(o.temperature = zero, SETTING(TEMPERATURE) " must be at least 1e-06");
    EXPECT_USAGE(o.patience = zero, SETTING(PATIENCE) " must be above 0 and at most 1000");
    EXPECT_USAGE(o.patience = huge, SETTING(PATIENCE) " must be above 0 and at most 1000");
    EXPECT_USAGE((o.sampling = SWITCH_ON, o.n_best = 1025), SETTING(N_BEST) " 1025: the maximum is 1024");
    EXPECT_USAGE(o.n_best = 5, SETTING(N_BEST) " 5 exceeds the model's beam size 4");
    EXPECT_USAGE((o.n_best = 2, o.beams = 1), SETTING(N_BEST) " 2 exceeds the beam size 1");
    EXPECT_USAGE(o.max_length = 33, SETTING(MAX_LENGTH) " 33 exceeds the model's 32 positions");
    EXPECT_USAGE(o.min_length = 21, SETTING(MIN_LENGTH) " 21 exceeds the model's max length 20");
    EXPECT_USAGE((o.min_length = 6, o.max_length = 5), SETTING(MIN_LENGTH) " 6 exceeds the max length 5");
    EXPECT_USAGE(o.skip_scores = o.token_scores = true,
                 SETTING(TOKEN_SCORES) " and " SETTING(SKIP_SCORES) " cannot be used together");
    EXPECT_USAGE((o.prefix = "1 2 3", o.max_length = 3),
                 SETTING(PREFIX) " has 3 pieces, too many for a max length of 3");
}

TEST_WITH(rejects_alignments_by_a_head_that_does_not_exist, reset, NULL)
{
    DragomanOptions options = options_of(1);
    Dragoman *d;
    Err err;

    fake_config.alignment = (AlignmentConfig){ .layer_from_end = 1, .heads = 3 };
    assert_ok(translator_open(&d, &options, &err), &err);
    dragoman_close(d);
    options.attention = true;
    assert_fails(translator_open(&d, &options, &err), ERR_USAGE, &err,
                 "layer 0, head 2 (from 0) does not exist: the decoder has 1 layer of 2 heads");
    assert_null(d);
}

TEST_WITH(rejects_a_tokenizer_larger_than_the_model, reset, NULL)
{
    DragomanOptions options = options_of(1);

    fake_source_vocab = 2002;
    expect_refusal(&options, ERR_FORMAT,
                   "folder: the tokenizer's source vocabulary has 2002 ids, but the model has only 2001 embeddings");
    fake_source_vocab = 10;
    fake_target_vocab = 3000;
    expect_refusal(&options, ERR_FORMAT,
                   "folder: the tokenizer's target vocabulary has 3000 ids, but the model has only 2001 embeddings");
}

TEST_WITH(passes_on_faults_of_the_model, reset, NULL)
{
    DragomanOptions options = options_of(1);

    fake_no_weights = true;
    expect_refusal(&options, ERR_FORMAT, "folder: no weights");
    options.model = "missing";
    expect_refusal(&options, ERR_IO, "missing: No such file or directory");
}

/* The value of a line of the description; "" if there is no such line. */
static char *described(const DragomanOptions *options, const char *key)
{
    Buf text = { 0 };
    Err err = { "" };
    char *start, *line = support_format("\n%s: ", key), *value;

    buf_put_text(&text, "\n");
    assert_ok(translator_describe(options, &text, &err), &err);
    start = strstr(text.data, line);
    if (start) start += strlen(line);
    value = start ? support_format("%.*s", (int)strcspn(start, "\n"), start) : support_format("%s", "");
    free(line);
    buf_free(&text);
    return value;
}

static void expect_described(const DragomanOptions *options, const char *key, const char *value)
{
    char *text = described(options, key);

    assert_string_equal(text, value);
    free(text);
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
    free(described(&options, "workers"));
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
    expect_refusal(&options, ERR_FORMAT,
                   "folder: the target language has id 2001, but the last embedding of the model has id 2000");
}

TEST_WITH(describes_but_does_not_open_a_model_without_a_language, reset, NULL)
{
    DragomanOptions options = options_of(1);
    Dragoman *dragoman;
    Err err;

    fake_no_language = true;
    expect_described(&options, "start id", "0");
    assert_fails(translator_open(&dragoman, &options, &err), ERR_USAGE, &err, "no language");
}

TEST_WITH(describes_but_does_not_open_a_model_without_a_start_token, reset, NULL)
{
    DragomanOptions options = options_of(1);
    Dragoman *dragoman;
    Err err;

    fake_config.search.start = -1;
    expect_described(&options, "start id", "");
    assert_fails(translator_open(&dragoman, &options, &err), ERR_FORMAT, &err,
                 "folder/config.json: decoder_start_token_id is missing (in folders of CTranslate2: "
                 "decoder_start_token)");
    fake_decoder_start = 7;
    assert_ok(translator_open(&dragoman, &options, &err), &err);
    dragoman_close(dragoman);
}

TEST_WITH(limits_max_length_to_the_positions, reset, NULL)
{
    DragomanOptions options = options_of(1);

    fake_config.search.max_length = 500;
    expect_described(&options, "max length", "32");
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
        expect_refusal(&options, ERR_USAGE, SETTING(MAX_LENGTH) " 33 exceeds the model's 32 positions");
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

static Dragoman *open_ok(const DragomanOptions *options)
{
    Dragoman *d;
    Err err = { "" };

    assert_ok(translator_open(&d, options, &err), &err);
    return d;
}

static const DragomanLine *next_ok(Dragoman *d)
{
    const DragomanLine *line;
    Err err = { "" };

    assert_ok(translator_next(d, &line, &err), &err);
    return line;
}

static void submit_ok(Dragoman *d, const char *text, uintptr_t tag)
{
    Err err = { "" };

    assert_ok(translator_submit(d, &(DragomanRequest){ .text = { text, strlen(text) } }, tag, &err), &err);
}

TEST_WITH(returns_lines_with_number_tag_source_and_translations, reset, NULL)
{
    DragomanOptions options = options_of(2);
    const DragomanLine *line;
    Dragoman *d;

    options.n_best = 3;
    options.prefix = "9";
    d = open_ok(&options);
    submit_ok(d, "1 2", 77);
    submit_ok(d, " ", 78);
    dragoman_finish(d);
    line = next_ok(d);
    assert_int_equal(line->number, 1);
    assert_int_equal(line->tag, 77);
    assert_string_equal(line->source.data, "1 2");
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
    line = next_ok(d);
    assert_int_equal(line->number, 2);
    assert_int_equal(line->tag, 78);
    assert_int_equal(line->most_segments, 0);
    assert_int_equal(line->count, 0);
    assert_null(next_ok(d));
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
    submit_ok(d, text.data, 0);
    line = next_ok(d);
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
    Err err = { "" };

    dragoman_close(d);
    dragoman_close(NULL);
    d = open_ok(&options);
    submit_ok(d, "901", 0);
    submit_ok(d, "1 2", 0);
    assert_false(dragoman_ready(d));
    dragoman_cancel(d);
    assert_null(next_ok(d));
    assert_fails(translator_submit(d, &(DragomanRequest){ .text = { "1", 1 } }, 0, &err), ERR_IO, &err, "cancelled");
    dragoman_close(d);
}

/* Creates the folder that the options name as the model. */
static int make_folder(void **state)
{
    alarm(60);
    return support_setup_folder(state) || chdir(*state) || mkdir("folder", 0700);
}

static int remove_folder(void **state)
{
    return rmdir("folder") || chdir("/") || support_teardown_folder(state);
}

TESTS_WITH(test_translator, make_folder, remove_folder);
