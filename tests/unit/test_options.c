/* test_options.c - dragoman.h as a program uses it: types of settings, errors that name a setting, and the parts of a
 * translated line. */
#include "request_support.h"
#include "test_support.h"

#include <pthread.h>

#include "dragoman_tools.h"
#include "option_fields.h"

#define FOLDER GOLDEN_ROOT "/marian/mish-languages"

#define assert_fault(call, fault, text)                                                                                \
    do {                                                                                                               \
        assert_int_equal(call, DRAGOMAN_ERROR_USAGE);                                                                  \
        assert_int_equal(error.status, DRAGOMAN_ERROR_USAGE);                                                          \
        assert_int_equal(error.setting, fault);                                                                        \
        assert_string_equal(error.message, text);                                                                      \
    } while (0)

/* The options of a small model that translates into Dutch. */
static DragomanOptions *new_options(void)
{
    DragomanOptions *options = options_for(FOLDER);

    set_text(options, DRAGOMAN_TO, "nld");
    return options;
}

TEST(rejects_values_of_another_type_or_out_of_range)
{
    DragomanOptions *options = dragoman_options_new();
    DragomanError error;

    assert_non_null(options);
    set_text(options, DRAGOMAN_MODEL, "a");
    set_text(options, DRAGOMAN_MODEL, NULL);
    set_number(options, DRAGOMAN_NO_REPEAT_NGRAM, -1);
    set_number(options, DRAGOMAN_TOP_K, -1);
    assert_int_equal(dragoman_set_real(options, DRAGOMAN_LENGTH_PENALTY, 0.5, &error), DRAGOMAN_OK);
    set_flag(options, DRAGOMAN_ALLOW_UNK);
#define REFUSE(type, setting, value, text)                                                                             \
    assert_fault(dragoman_set_##type(options, DRAGOMAN_##setting, value, &error), DRAGOMAN_##setting,                  \
                 "DRAGOMAN_" #setting " " text)
    REFUSE(text, BEAMS, "4", "is not a text setting");
    REFUSE(number, TO, 4, "is not a number setting");
    REFUSE(number, BEAMS, -1, "is out of range");
    REFUSE(number, PRECISION, DRAGOMAN_INT8 + 1, "is out of range");
    REFUSE(number, TOP_K, -2, "is out of range");
    REFUSE(number, MAX_LENGTH, -1, "is out of range");
    REFUSE(real, WORD_PENALTY, 1e300, "must be a finite number");
    REFUSE(flag, MODEL, true, "is not a flag setting");
    assert_fault(dragoman_add_text(options, DRAGOMAN_MODEL, NULL, &error), DRAGOMAN_MODEL,
                 "DRAGOMAN_MODEL needs a text");
#undef REFUSE
    assert_fault(dragoman_set_flag(options, (DragomanSetting)1000, true, &error), DRAGOMAN_NO_SETTING,
                 "there is no setting 1000");
    dragoman_options_free(options);
    dragoman_options_free(NULL);
}

TEST(lists_have_a_text_for_each_model)
{
    DragomanOptions *options = dragoman_options_new(), first, last;
    DragomanError error;
    Dragoman *d;

    assert_non_null(options);
    assert_fault(dragoman_add_text(options, DRAGOMAN_TO, "de", &error), DRAGOMAN_TO,
                 "DRAGOMAN_TO is not a list of texts");
    assert_fault(dragoman_add_text(options, DRAGOMAN_SUPPRESS, NULL, &error), DRAGOMAN_SUPPRESS,
                 "DRAGOMAN_SUPPRESS needs a text");
    set_text(options, DRAGOMAN_MODEL, "replaced");
    set_text(options, DRAGOMAN_MODEL, "a");
    add_text(options, DRAGOMAN_MODEL, "b");
    add_text(options, DRAGOMAN_SHORTLIST, NULL);
    add_text(options, DRAGOMAN_SHORTLIST, "list");
    add_text(options, DRAGOMAN_VIA, "en");
    add_text(options, DRAGOMAN_SUPPRESS, "x");
    first = option_fields_of_model(options, 0);
    last = option_fields_of_model(options, 1);
    assert_string_equal(first.model, "a");
    assert_string_equal(last.model, "b");
    assert_null(first.shortlist);
    assert_string_equal(last.shortlist, "list");
    assert_null(first.via);
    assert_string_equal(last.via, "en");
    assert_int_equal(first.suppressed.count, 0);
    assert_int_equal(last.suppressed.count, 1);
    add_text(options, DRAGOMAN_VIA, "fr");
    assert_fault(dragoman_open(&d, options, &error), DRAGOMAN_VIA, "DRAGOMAN_VIA: 2 given for 2 models");
    assert_null(d);
    dragoman_options_free(options);
}

/* Other models of a pipeline do not get what belongs to the first or to the last one. */
TEST(each_model_has_the_settings_that_apply_to_it)
{
    DragomanOptions *options = dragoman_options_new(), first, last;

    assert_non_null(options);
    for (int i = 0; i < 2; i++) add_text(options, DRAGOMAN_MODEL, "a");
    set_text(options, DRAGOMAN_FROM, "en");
    set_text(options, DRAGOMAN_PREFIX, "the");
    set_number(options, DRAGOMAN_N_BEST, 4);
    set_number(options, DRAGOMAN_TOP_K, 4);
    set_number(options, DRAGOMAN_THREADS, 3);
    set_flag(options, DRAGOMAN_PIECES_IN);
    set_flag(options, DRAGOMAN_PIECES_OUT);
    set_flag(options, DRAGOMAN_TOKEN_SCORES);
    set_flag(options, DRAGOMAN_SAMPLING);
    set_flag(options, DRAGOMAN_SPLIT);
    first = option_fields_of_model(options, 0);
    last = option_fields_of_model(options, 1);
    assert_true(first.from && !first.prefix && !first.n_best && first.top_k == -1 && first.threads == 3);
    assert_true(first.pieces_in && !first.pieces_out && !first.token_scores && first.skip_scores);
    assert_true(first.sampling == SWITCH_OFF && first.split == SWITCH_ON && first.keep_numbers == SWITCH_AUTO);
    assert_true(!last.from && last.prefix && last.n_best == 4 && last.top_k == 4 && last.threads == 3);
    assert_true(!last.pieces_in && last.pieces_out && last.token_scores && !last.skip_scores);
    assert_true(last.sampling == SWITCH_ON && last.split == SWITCH_ON && last.keep_numbers == SWITCH_OFF);
    dragoman_options_free(options);
}

TEST(settings_that_exclude_each_other_are_refused)
{
    static const struct {
        DragomanSetting setting, other;
        const char *message;
    } rows[] = {
        { DRAGOMAN_CAPITALS, DRAGOMAN_PIECES_OUT,
          "DRAGOMAN_CAPITALS and DRAGOMAN_PIECES_OUT cannot be used together: the case of pieces cannot be changed" },
        { DRAGOMAN_SPLIT, DRAGOMAN_PIECES_IN,
          "DRAGOMAN_SPLIT and DRAGOMAN_PIECES_IN cannot be used together: only text can be split" },
        { DRAGOMAN_IDENTITY, DRAGOMAN_PSEUDO, "DRAGOMAN_IDENTITY and DRAGOMAN_PSEUDO cannot be used together" },
        { DRAGOMAN_DISABLE_UNK, DRAGOMAN_ALLOW_UNK,
          "DRAGOMAN_DISABLE_UNK and DRAGOMAN_ALLOW_UNK cannot be used together" },
    };
    DragomanOptions *options;
    DragomanError error;

    for (size_t i = 0; i < COUNT(rows); i++) {
        options = new_options();
        set_flag(options, rows[i].setting);
        assert_int_equal(dragoman_check_options(options, &error), DRAGOMAN_OK);
        set_flag(options, rows[i].other);
        assert_fault(dragoman_check_options(options, &error), rows[i].setting, rows[i].message);
        assert_int_equal(dragoman_set_flag(options, rows[i].setting, false, NULL), DRAGOMAN_OK);
        assert_int_equal(dragoman_check_options(options, &error), DRAGOMAN_OK);
        dragoman_options_free(options);
    }
    options = new_options();
    set_flag(options, DRAGOMAN_BILINGUAL);
    set_number(options, DRAGOMAN_N_BEST, 1);
    assert_int_equal(dragoman_check_options(options, &error), DRAGOMAN_OK);
    set_number(options, DRAGOMAN_N_BEST, 2);
    assert_fault(dragoman_check_options(options, &error), DRAGOMAN_BILINGUAL,
                 "DRAGOMAN_BILINGUAL and DRAGOMAN_N_BEST above 1 cannot be used together");
    dragoman_options_free(options);
}

TEST(rows_describe_the_settings)
{
    assert_null(dragoman_setting_row(DRAGOMAN_NO_SETTING));
    assert_null(dragoman_setting_row(DRAGOMAN_SETTINGS));
    assert_string_equal(dragoman_setting_row(DRAGOMAN_BEAMS)->option, "beam");
    assert_string_equal(dragoman_setting_row(DRAGOMAN_BEAMS)->argument, "N");
    assert_int_equal(dragoman_setting_row(DRAGOMAN_BEAMS)->kind, DRAGOMAN_KIND_SIZE);
    assert_int_equal(dragoman_setting_row(DRAGOMAN_PREFIX)->models, DRAGOMAN_FOR_LAST);
    assert_string_equal(dragoman_setting_row(DRAGOMAN_PRECISION)->words[DRAGOMAN_BF16], "bf16");
    assert_null(dragoman_setting_row(DRAGOMAN_PRECISION)->words[DRAGOMAN_INT8 + 1]);
    /* Of several texts, the one for translating. */
    assert_non_null(strstr(dragoman_setting_row(DRAGOMAN_FROM)->help, "auto: detect the language"));
    assert_non_null(strstr(dragoman_setting_row(DRAGOMAN_PIECES_IN)->help, "Read and write pieces"));
    assert_non_null(strstr(dragoman_setting_row(DRAGOMAN_SHORTLIST_FIRST)->help, "Always score the first N tokens"));
    for (DragomanSetting i = DRAGOMAN_NO_SETTING + 1; i < DRAGOMAN_SETTINGS; i++) {
        const DragomanSettingRow *row = dragoman_setting_row(i);
        const bool has_limits =
            row->kind == DRAGOMAN_KIND_SIZE || row->kind == DRAGOMAN_KIND_NUMBER || row->kind == DRAGOMAN_KIND_REAL;
        assert_true(has_limits ? row->low < row->high : row->high == 0);
        assert_true((row->words != NULL) == (row->kind == DRAGOMAN_KIND_CHOICE));
        assert_true(strlen(row->help) > 10);
    }
}

/* Those of all families without options, each once. */
TEST(lists_the_languages_of_a_model)
{
    DragomanOptions *options = dragoman_options_new();
    DragomanError error;
    char *text;

    assert_int_equal(dragoman_languages(options, &text, &error), DRAGOMAN_ERROR_USAGE);
    assert_null(text);
    set_text(options, DRAGOMAN_MODEL, FOLDER);
    assert_int_equal(dragoman_languages(options, &text, &error), DRAGOMAN_OK);
    assert_string_equal(text, "en\tEnglish\ndeu\tGerman\nnld\tDutch\ngsw\tSwiss German\n");
    dragoman_free_text(text);
    dragoman_options_free(options);
    assert_int_equal(dragoman_languages(NULL, &text, &error), DRAGOMAN_OK);
    assert_int_equal(strncmp(text, "af\tAfrikaans\n", 13), 0);
    assert_int_equal(count_part(text, "\tGerman\n", strlen("\tGerman\n")), 1);
    assert_int_equal(count_part(text, "\tChinese", strlen("\tChinese")), 1);
    assert_int_equal(count_part(text, "\nace_", strlen("\nace_")), 2); /* in two scripts; M2M100 does not have it */
    dragoman_free_text(text);
}

static int spell(void *context, DragomanSetting setting, char *out, size_t size)
{
    return setting == DRAGOMAN_TO ? snprintf(out, size, "%s", (const char *)context) : 0;
}

TEST(messages_name_settings_as_the_speller_does)
{
    static char dash[] = "-t";
    static const struct {
        DragomanSpeller *speller;
        const char *message;
    } rows[] = { { NULL, "DRAGOMAN_TO xx: unknown language; the model" },
                 { spell, "-t xx: unknown language; the model" },
                 { NULL, "DRAGOMAN_TO xx: unknown language; the model" } };
    DragomanOptions *options = dragoman_options_new();
    DragomanError error;
    Dragoman *d;

    assert_fault(dragoman_open(&d, options, &error), DRAGOMAN_MODEL, "no model is set; set DRAGOMAN_MODEL");
    assert_null(d);
    set_text(options, DRAGOMAN_MODEL, "");
    assert_fault(dragoman_open(&d, options, &error), DRAGOMAN_MODEL, "no model is set; set DRAGOMAN_MODEL");
    set_text(options, DRAGOMAN_MODEL, FOLDER);
    set_text(options, DRAGOMAN_TO, "xx");
    assert_int_equal(dragoman_open(&d, options, NULL), DRAGOMAN_ERROR_USAGE);
    for (size_t i = 0; i < COUNT(rows); i++) {
        dragoman_options_spell(options, rows[i].speller, rows[i].speller ? dash : NULL);
        assert_int_equal(dragoman_open(&d, options, &error), DRAGOMAN_ERROR_USAGE);
        assert_int_equal(error.setting, DRAGOMAN_TO);
        if (strncmp(error.message, rows[i].message, strlen(rows[i].message)) != 0) fail_msg("%s", error.message);
    }
    dragoman_options_free(options);
}

/* A message that is too long ends in "...", never within the mark of a setting. */
TEST(a_message_that_is_cut_has_no_mark_of_a_setting)
{
    for (int length = 995; length < 1024; length++) {
        DragomanError error;
        Err err;
        (void)err_set(&err, ERR_USAGE, "%0*d " SETTING(MIN_LENGTH) " is too long", length, 0);
        assert_int_equal(option_fields_answer(ERR_USAGE, &err, (Spelling){ 0 }, &error), DRAGOMAN_ERROR_USAGE);
        assert_null(strstr(error.message, SETTING_BEGIN));
        assert_string_equal(error.message + strlen(error.message) - 3, "...");
    }
}

TEST(functions_return_the_parts_of_a_line)
{
    DragomanOptions *options = new_options();
    const DragomanLine *line;
    DragomanError error;
    size_t length, count;
    const int32_t *ids;
    const char *text;
    char *description;
    Dragoman *d;

    set_number(options, DRAGOMAN_BEAMS, 2);
    set_number(options, DRAGOMAN_N_BEST, 2);
    assert_int_equal(dragoman_describe(options, &description, &error), DRAGOMAN_OK);
    assert_non_null(strstr(description, "\nbeam: 2\n"));
    dragoman_free_text(description);
    d = open_options(options); /* no call keeps them */
    assert_string_equal(dragoman_warnings(d), "");
    assert_string_equal(dragoman_target_language(d), "nl");
    submit_text(d, "Hello.", 7);
    submit_text(d, "", 8);
    dragoman_finish(d);
    line = next(d);
    assert_int_equal(dragoman_line_number(line), 1);
    assert_int_equal(dragoman_line_tag(line), 7);
    assert_string_equal(dragoman_line_source(line, &length), "Hello.");
    assert_int_equal(length, 6);
    assert_int_equal(dragoman_line_count(line), 2);
    text = dragoman_line_translation(line, 1, &length);
    assert_int_equal(strlen(text), length);
    assert_true(dragoman_line_score(line, 0) >= dragoman_line_score(line, 1));
    assert_true(dragoman_line_sum(line, 0) < 0);
    ids = dragoman_line_ids(line, 0, &count);
    assert_true(count > 1 && dragoman_piece(d, ids[0]));
    assert_non_null(dragoman_line_source_ids(line, &count));
    assert_true(count > dragoman_line_pieces(line));
    assert_int_equal(dragoman_line_segments(line), 1);
    assert_false(dragoman_line_wrapped(line));
    assert_int_equal(dragoman_line_pivot_count(line), 0);
    line = next(d);
    assert_int_equal(dragoman_line_count(line), 0);
    assert_string_equal(dragoman_line_source(line, NULL), "");
    assert_null(next(d));
    dragoman_close(d);
}

TEST(a_long_path_is_described_as_a_whole)
{
    DragomanOptions *options = options_for(GOLDEN_ROOT "/marian_nmt/student");
    Buf path = { 0 };
    DragomanError error;
    char *text;

    buf_put_text(&path, GOLDEN_ROOT "/marian_nmt/student");
    for (int i = 0; i < 300; i++) buf_put_text(&path, "/.");
    buf_put_text(&path, "/vocab.yml");
    set_text(options, DRAGOMAN_VOCABS, path.data);
    check_ok(dragoman_describe(options, &text, &error), &error);
    assert_non_null(strstr(text, path.data));
    dragoman_free_text(text);
    dragoman_options_free(options);
    buf_free(&path);
}

TEST(a_model_has_its_json_files)
{
    DragomanOptions *options = options_for(GOLDEN_ROOT "/marian/swish-opus");
    DragomanOptions *both = options_for(GOLDEN_ROOT "/marian/swish-opus," GOLDEN_ROOT "/marian/swish-opus");
    DragomanOptions *none = options_for(GOLDEN_ROOT "/marian/no-such-folder");
    DragomanError error;
    char *text;

    check_ok(dragoman_model_json(options, "generation_config.json", &text, &error), &error);
    assert_non_null(strstr(text, "\"max_length\":64"));
    dragoman_free_text(text);
    check_ok(dragoman_model_json(options, "no-such-file.json", &text, &error), &error);
    assert_null(text);
    assert_int_equal(dragoman_model_json(options, "source.spm", &text, &error), DRAGOMAN_ERROR_FORMAT);
    assert_null(text);
    check_ok(dragoman_model_json(both, "config.json", &text, &error), &error);
    assert_null(text);
    assert_int_equal(dragoman_model_json(none, "config.json", &text, &error), DRAGOMAN_ERROR_IO);
    dragoman_options_free(options);
    dragoman_options_free(both);
    dragoman_options_free(none);
}

TEST(every_call_that_reads_a_model_needs_one)
{
    static const char fault[] = "no model is set; set DRAGOMAN_MODEL";
    DragomanOptions *options = dragoman_options_new();
    DragomanError error;
    size_t tensors, length, index;
    char *text;

    assert_fault(dragoman_reads(options, 0, false, NULL, 0, &index, &error), DRAGOMAN_MODEL, fault);
    assert_fault(dragoman_reads(options, 0, true, NULL, 0, &index, &error), DRAGOMAN_MODEL, fault);
    assert_fault(dragoman_describe(options, &text, &error), DRAGOMAN_MODEL, fault);
    assert_fault(dragoman_model_json(options, "config.json", &text, &error), DRAGOMAN_MODEL, fault);
    assert_null(text);
    assert_fault(dragoman_verify(options, &tensors, &error), DRAGOMAN_MODEL, fault);
    assert_fault(dragoman_pack(options, -1, "a", &text, &error), DRAGOMAN_MODEL, fault);
    assert_fault(dragoman_learn_shortlist(options, "a", "b", true, &text, &length, &error), DRAGOMAN_MODEL, fault);
    dragoman_options_free(options);
}

/* Of several models, calibrating and tracing use the first one, with all settings. The setting that an error names is
 * also that of a translation which calibrating needs. */
FOLDER_TEST(calibrating_and_tracing_use_the_first_model)
{
    DragomanOptions *options = options_for(GOLDEN_ROOT "/marian/swish-opus");
    char lines[2][601], *calibrations[2], *traces[2], *warnings;
    FREED char *source = NULL, *target = NULL;
    DragomanError error;
    size_t length;

    for (size_t i = 0; i < 600; i += 6) {
        memcpy(&lines[0][i], "house\n", 7);
        memcpy(&lines[1][i], "dertm\n", 7);
    }
    source = support_write_text(*state, "source", lines[0]);
    target = support_write_text(*state, "target", lines[1]);
    set_text(options, DRAGOMAN_PREFIX, "the");
    for (size_t i = 0; i < 2; i++) {
        check_ok(dragoman_calibrate(options, source, target, &calibrations[i], &length, &error), &error);
        check_ok(dragoman_trace(options, "house", 5, NULL, &traces[i], &warnings, &error), &error);
        dragoman_free_text(warnings);
        add_text(options, DRAGOMAN_MODEL, "other");
    }
    assert_string_equal(calibrations[0], calibrations[1]);
    assert_string_equal(traces[0], traces[1]);
    for (size_t i = 0; i < 2; i++) {
        dragoman_free_text(calibrations[i]);
        dragoman_free_text(traces[i]);
    }
    set_number(options, DRAGOMAN_MIN_LENGTH, 90);
    set_real(options, DRAGOMAN_LENGTH_FACTOR, 1);
    assert_int_equal(dragoman_calibrate(options, source, target, &calibrations[0], &length, &error),
                     DRAGOMAN_ERROR_USAGE);
    assert_int_equal(error.setting, DRAGOMAN_MIN_LENGTH);
    dragoman_options_free(options);
}

#define assert_clears(call)                                                                                            \
    do {                                                                                                               \
        memset(&error, 'x', sizeof error);                                                                             \
        assert_int_equal(call, DRAGOMAN_OK);                                                                           \
        assert_int_equal(error.status, DRAGOMAN_OK);                                                                   \
        assert_int_equal(error.setting, DRAGOMAN_NO_SETTING);                                                          \
        assert_string_equal(error.message, "");                                                                        \
    } while (0)

TEST(success_clears_the_error)
{
    DragomanOptions *options = dragoman_options_new();
    const DragomanLine *line;
    DragomanError error;
    char *text;
    Dragoman *d;

    assert_clears(dragoman_set_text(options, DRAGOMAN_MODEL, FOLDER, &error));
    assert_clears(dragoman_set_text(options, DRAGOMAN_TO, "nld", &error));
    assert_clears(dragoman_set_number(options, DRAGOMAN_THREADS, 1, &error));
    assert_clears(dragoman_set_real(options, DRAGOMAN_LENGTH_PENALTY, 1, &error));
    assert_clears(dragoman_set_flag(options, DRAGOMAN_PIECES_IN, false, &error));
    assert_clears(dragoman_describe(options, &text, &error));
    assert_clears(dragoman_open(&d, options, &error));
    assert_clears(dragoman_submit_text(d, "a", 1, 0, &error));
    assert_clears(dragoman_next(d, &line, &error));
    dragoman_free_text(text);
    dragoman_options_free(options);
    dragoman_close(d);
}

/* The line has one translation at most, and no pivot. */
static void expect_nothing_at(const DragomanLine *line, size_t index)
{
    size_t length = 7;

    assert_string_equal(dragoman_line_translation(line, index, &length), "");
    assert_int_equal(length, 0);
    assert_string_equal(dragoman_line_translation(line, index, NULL), "");
    assert_true(dragoman_line_score(line, index) == 0 && dragoman_line_sum(line, index) == 0);
    length = 7;
    assert_null(dragoman_line_ids(line, index, &length));
    assert_int_equal(length, 0);
    length = 7;
    assert_string_equal(dragoman_line_pivot(line, index, &length), "");
    assert_int_equal(length, 0);
}

TEST(an_index_that_does_not_exist_gives_nothing)
{
    const DragomanLine *line;
    Dragoman *d = open_options(new_options());

    submit_text(d, "  ", 0);
    submit_text(d, "Hello.", 0);
    line = next(d);
    assert_int_equal(dragoman_line_count(line), 0);
    expect_nothing_at(line, 0);
    line = next(d);
    assert_int_equal(dragoman_line_count(line), 1);
    assert_int_not_equal(*dragoman_line_translation(line, 0, NULL), '\0');
    expect_nothing_at(line, 1);
    expect_nothing_at(line, SIZE_MAX);
    dragoman_close(d);
}

TEST(pieces_exist_for_the_ids_of_the_vocabulary)
{
    Dragoman *d = open_options(new_options());
    int32_t size = 0;

    while (size < 100000 && dragoman_piece(d, size)) size++;
    assert_true(size > 10 && size < 100000);
    assert_null(dragoman_piece(d, -1));
    assert_null(dragoman_piece(d, INT32_MIN));
    assert_null(dragoman_piece(d, INT32_MAX));
    for (size = 0; size < 100000 && dragoman_source_piece(d, size);) size++;
    assert_true(size > 10 && size < 100000);
    assert_null(dragoman_source_piece(d, -1));
    assert_null(dragoman_source_piece(d, INT32_MAX));
    dragoman_close(d);
}

static void *submit_lines(void *d)
{
    for (uintptr_t i = 0; i < 50; i++)
        if (dragoman_submit_text(d, "a", 1, i, NULL) != DRAGOMAN_OK) return d;
    return NULL;
}

TEST(several_threads_may_submit)
{
    Dragoman *d = open_options(new_options());
    pthread_t threads[3];
    void *failed;

    for (size_t i = 0; i < COUNT(threads); i++) assert_int_equal(pthread_create(&threads[i], NULL, submit_lines, d), 0);
    for (size_t i = 0; i < 50 * COUNT(threads); i++)
        assert_int_equal(dragoman_line_number(next(d)), i + 1); /* waits for a line */
    for (size_t i = 0; i < COUNT(threads); i++) {
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    dragoman_close(d);
}

TEST(a_line_that_fails_is_not_returned)
{
    Dragoman *d = open_options(new_options());

    assert_false(dragoman_ready(d)); /* dragoman_next() would wait */
    dragoman_finish(d);
    assert_int_equal(dragoman_submit_text(d, "a", 1, 0, NULL), DRAGOMAN_ERROR_USAGE);
    assert_true(dragoman_ready(d));
    assert_null(next(d));
    dragoman_close(d);
}

TESTS(test_options);
