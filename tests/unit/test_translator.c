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

    assert_fails(translator_open(&d, options, 1, &err), status, &err, message);
    assert_null(d);
    err.text[0] = '\0';
    assert_fails(translator_describe(options, 1, &text, &err), status, &err, message);
    buf_free(&text);
}

#define EXPECT_USAGE(field, value, message)                                                                            \
    do {                                                                                                               \
        DragomanOptions changed = options_of(1);                                                                       \
        changed.field = value;                                                                                         \
        expect_refusal(&changed, ERR_USAGE, message);                                                                  \
    } while (0)

static void rejects_an_option_out_of_range_with_its_limit(void **state)
{
    const OptionalReal nan_value = { true, NAN }, zero = { true, 0 }, infinite = { true, INFINITY },
                       huge = { true, 1e30F }, negative = { true, -1 };

    (void)state;
    EXPECT_USAGE(model, NULL, "no model is set; set " SETTING(MODEL));
    EXPECT_USAGE(beams, 1025, SETTING(BEAMS) " 1025: the maximum is 1024");
    EXPECT_USAGE(threads, 1025, SETTING(THREADS) " 1025: the maximum is 1024");
    EXPECT_USAGE(batch_rows, 65537, SETTING(BATCH_ROWS) " 65537: the maximum is 65536");
    EXPECT_USAGE(length_penalty, nan_value, SETTING(LENGTH_PENALTY) " must be a finite number");
    EXPECT_USAGE(repetition_penalty, zero, SETTING(REPETITION_PENALTY) " must be a finite number above 0");
    EXPECT_USAGE(repetition_penalty, infinite, SETTING(REPETITION_PENALTY) " must be a finite number above 0");
    EXPECT_USAGE(length_factor, negative, SETTING(LENGTH_FACTOR) " must not be negative");
    EXPECT_USAGE(to, "xx", "no such language: xx");
    EXPECT_USAGE(temperature, zero, SETTING(TEMPERATURE) " must be at least 1e-06");
    EXPECT_USAGE(patience, zero, SETTING(PATIENCE) " must be above 0 and at most 1000");
    EXPECT_USAGE(patience, huge, SETTING(PATIENCE) " must be above 0 and at most 1000");
}

static void rejects_more_draws_than_the_maximum(void **state)
{
    DragomanOptions options = options_of(1);

    (void)state;
    options.sampling = SWITCH_ON;
    options.n_best = 1025;
    expect_refusal(&options, ERR_USAGE, SETTING(N_BEST) " 1025: the maximum is 1024");
}

static void rejects_n_best_above_the_beam_size(void **state)
{
    DragomanOptions options = options_of(1);

    (void)state;
    EXPECT_USAGE(n_best, 5, SETTING(N_BEST) " 5 exceeds the model's beam size 4");
    options.n_best = 2;
    options.beams = 1;
    expect_refusal(&options, ERR_USAGE, SETTING(N_BEST) " 2 exceeds the beam size 1");
}

static void rejects_lengths_that_do_not_fit(void **state)
{
    DragomanOptions options = options_of(1);

    (void)state;
    EXPECT_USAGE(max_length, 33, SETTING(MAX_LENGTH) " 33 exceeds the model's 32 positions");
    EXPECT_USAGE(min_length, 21, SETTING(MIN_LENGTH) " 21 exceeds the model's max length 20");
    options.min_length = 6;
    options.max_length = 5;
    expect_refusal(&options, ERR_USAGE, SETTING(MIN_LENGTH) " 6 exceeds the max length 5");
}

static void rejects_token_scores_without_scores(void **state)
{
    DragomanOptions options = options_of(1);

    (void)state;
    options.skip_scores = options.token_scores = true;
    expect_refusal(&options, ERR_USAGE, SETTING(TOKEN_SCORES) " and " SETTING(SKIP_SCORES) " cannot be used together");
}

static void rejects_alignments_by_a_head_that_does_not_exist(void **state)
{
    DragomanOptions options = options_of(1);
    Dragoman *d;
    Err err;

    (void)state;
    fake_config.alignment = (AlignmentConfig){ .layer_from_end = 1, .heads = 3 };
    assert_ok(translator_open(&d, &options, 1, &err), &err);
    dragoman_close(d);
    options.attention = true;
    assert_fails(translator_open(&d, &options, 1, &err), ERR_USAGE, &err,
                 "layer 0, head 2 (from 0) does not exist: the decoder has 1 layer of 2 heads");
    assert_null(d);
}

static void rejects_a_prefix_without_room_for_a_translation(void **state)
{
    DragomanOptions options = options_of(1);

    (void)state;
    options.prefix = "1 2 3";
    options.max_length = 3;
    expect_refusal(&options, ERR_USAGE, SETTING(PREFIX) " has 3 pieces, too many for a max length of 3");
}

static void rejects_a_tokenizer_larger_than_the_model(void **state)
{
    DragomanOptions options = options_of(1);

    (void)state;
    fake_source_vocab = 2002;
    expect_refusal(&options, ERR_FORMAT,
                   "folder: the tokenizer's source vocabulary has 2002 ids, but the model has only 2001 embeddings");
    fake_source_vocab = 10;
    fake_target_vocab = 3000;
    expect_refusal(&options, ERR_FORMAT,
                   "folder: the tokenizer's target vocabulary has 3000 ids, but the model has only 2001 embeddings");
}

static void passes_on_faults_of_the_model(void **state)
{
    DragomanOptions options = options_of(1);

    (void)state;
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
    assert_ok(translator_describe(options, 1, &text, &err), &err);
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

static void keeps_the_models_settings_without_options(void **state)
{
    DragomanOptions options = options_of(3);

    (void)state;
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

static void options_replace_the_models_settings(void **state)
{
    DragomanOptions options = options_of(1);

    (void)state;
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

static void target_language_replaces_the_models_first_tokens(void **state)
{
    DragomanOptions options = options_of(1);

    (void)state;
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

static void describes_but_does_not_open_a_model_without_a_language(void **state)
{
    DragomanOptions options = options_of(1);
    Dragoman *dragoman;
    Err err;

    (void)state;
    fake_no_language = true;
    expect_described(&options, "start id", "0");
    assert_fails(translator_open(&dragoman, &options, 1, &err), ERR_USAGE, &err, "no language");
}

static void describes_but_does_not_open_a_model_without_a_start_token(void **state)
{
    DragomanOptions options = options_of(1);
    Dragoman *dragoman;
    Err err;

    (void)state;
    fake_config.search.start = -1;
    expect_described(&options, "start id", "");
    assert_fails(translator_open(&dragoman, &options, 1, &err), ERR_FORMAT, &err,
                 "folder/config.json: decoder_start_token_id is missing (in folders of CTranslate2: "
                 "decoder_start_token)");
    fake_decoder_start = 7;
    assert_ok(translator_open(&dragoman, &options, 1, &err), &err);
    dragoman_close(dragoman);
}

static void limits_max_length_to_the_positions(void **state)
{
    DragomanOptions options = options_of(1);

    (void)state;
    fake_config.search.max_length = 500;
    expect_described(&options, "max length", "32");
}

static void weights_override_guessed_positions(void **state)
{
    static const size_t guesses[] = { 8, 32, 64 };
    DragomanOptions options = options_of(1);

    (void)state;
    for (size_t i = 0; i < COUNT(guesses); i++) {
        fake_guess = guesses[i];
        options.max_length = 32;
        expect_described(&options, "max length", "32");
        expect_described(&options, "longest input", "32 ids; longer lines are cut into parts");
        options.max_length = 33;
        expect_refusal(&options, ERR_USAGE, SETTING(MAX_LENGTH) " 33 exceeds the model's 32 positions");
    }
}

static void longest_input_is_the_models_or_the_tokenizers(void **state)
{
    DragomanOptions options = options_of(1);

    (void)state;
    expect_described(&options, "longest input", "32 ids; longer lines are cut into parts");
    fake_config.positions.max = 0;
    expect_described(&options, "longest input", "40 ids; longer lines are cut into parts");
}

static void describes_the_model(void **state)
{
    DragomanOptions options = options_of(1);

    (void)state;
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

    assert_ok(translator_open(&d, options, 1, &err), &err);
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

static void returns_lines_with_number_tag_source_and_translations(void **state)
{
    DragomanOptions options = options_of(2);
    const DragomanLine *line;
    Dragoman *d;

    (void)state;
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

static void cuts_a_line_that_is_too_long(void **state)
{
    DragomanOptions options = options_of(2);
    const DragomanLine *line;
    Buf text = { 0 };
    Dragoman *d = open_ok(&options);

    (void)state;
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

static void closes_cleanly_at_any_moment(void **state)
{
    DragomanOptions options = options_of(2);
    Dragoman *d = open_ok(&options);
    Err err = { "" };

    (void)state;
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

#define RESET_TEST(function) cmocka_unit_test_setup(function, reset)

/* Creates the folder that the options name as the model. */
static int make_folder(void **state)
{
    return support_setup_folder(state) || chdir(*state) || mkdir("folder", 0700);
}

static int remove_folder(void **state)
{
    return rmdir("folder") || chdir("/") || support_teardown_folder(state);
}

TEST_FILE(test_translator)
{
    const struct CMUnitTest tests[] = {
        RESET_TEST(rejects_an_option_out_of_range_with_its_limit),
        RESET_TEST(rejects_n_best_above_the_beam_size),
        RESET_TEST(rejects_more_draws_than_the_maximum),
        RESET_TEST(rejects_lengths_that_do_not_fit),
        RESET_TEST(rejects_token_scores_without_scores),
        RESET_TEST(rejects_alignments_by_a_head_that_does_not_exist),
        RESET_TEST(rejects_a_prefix_without_room_for_a_translation),
        RESET_TEST(rejects_a_tokenizer_larger_than_the_model),
        RESET_TEST(passes_on_faults_of_the_model),
        RESET_TEST(keeps_the_models_settings_without_options),
        RESET_TEST(options_replace_the_models_settings),
        RESET_TEST(target_language_replaces_the_models_first_tokens),
        RESET_TEST(describes_but_does_not_open_a_model_without_a_language),
        RESET_TEST(describes_but_does_not_open_a_model_without_a_start_token),
        RESET_TEST(limits_max_length_to_the_positions),
        RESET_TEST(weights_override_guessed_positions),
        RESET_TEST(longest_input_is_the_models_or_the_tokenizers),
        RESET_TEST(describes_the_model),
        RESET_TEST(returns_lines_with_number_tag_source_and_translations),
        RESET_TEST(cuts_a_line_that_is_too_long),
        RESET_TEST(closes_cleanly_at_any_moment),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
