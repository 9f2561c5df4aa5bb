/* test_source_languages.c - lines that come with their source languages have the results of a translation from that
 * language alone, for a model of each family that chooses its source language; and lines without a model. */
#include "ranges.h"
#include "request_support.h"
#include "test_support.h"

#include <stdlib.h>

#include "dragoman.h"
#include "dragoman_tools.h"
#include "golden_folders.h"

static const char *const texts[] = { "The small cat sleeps. It is e.g. tired.", "a", "This is the end of the line",
                                     "Is it one? It is." };
#define TEXTS (sizeof texts / sizeof *texts)

/* Lines come with their languages if `from` is NULL. */
static DragomanOptions *new_options(const char *model, const char *from, const char *to)
{
    DragomanOptions *options = options_for(model);

    set_text(options, DRAGOMAN_TO, to);
    if (from)
        set_text(options, DRAGOMAN_FROM, from);
    else
        set_flag(options, DRAGOMAN_FROM_LINES);
    set_flag(options, DRAGOMAN_ATTENTION);
    set_flag(options, DRAGOMAN_SPLIT);
    set_number(options, DRAGOMAN_THREADS, 2);
    return options;
}

static Dragoman *open_model(const char *model, const char *from, const char *to)
{
    DragomanOptions *options = new_options(model, from, to);

    return open_options(options);
}

/* The translations of texts from one language: text, score bits and source ids of each. */
typedef struct {
    char text[TEXTS][512];
    float score[TEXTS];
    int32_t ids[TEXTS][128];
    size_t count[TEXTS];
} Results;

static void keep(Results *out, size_t i, const DragomanLine *line)
{
    const int32_t *ids = dragoman_line_source_ids(line, &out->count[i]);

    assert_non_null(line);
    assert_true(out->count[i] <= 128);
    if (out->count[i]) memcpy(out->ids[i], ids, out->count[i] * sizeof *ids); /* a blank line has no ids */
    snprintf(out->text[i], sizeof out->text[i], "%s", dragoman_line_translation(line, 0, NULL));
    out->score[i] = dragoman_line_score(line, 0);
}

static void translate_alone(Results *out, const char *model, const char *from, const char *to)
{
    const Range kept = { 0, 1 };
    Dragoman *d = open_model(model, from, to);
    DragomanError error;

    for (size_t i = 0; i < TEXTS; i++) {
        const size_t length = strlen(texts[i]);
        assert_int_equal(submit_kept(d, texts[i], length, NULL, &kept, i % 2, i, &error), DRAGOMAN_OK);
    }
    dragoman_finish(d);
    for (size_t i = 0; i < TEXTS; i++) keep(out, i, next(d));
    dragoman_close(d);
}

static void assert_same(const Results *want, size_t i, const DragomanLine *line)
{
    Results got;

    keep(&got, i, line);
    assert_string_equal(got.text[i], want->text[i]);
    assert_true(got.score[i] == want->score[i]);
    assert_int_equal(got.count[i], want->count[i]);
    assert_memory_equal(got.ids[i], want->ids[i], got.count[i] * sizeof *got.ids[i]);
}

/* Two languages in turn, under several names. */
static void check_model(const char *model, const char *const names[2][2], const char *to)
{
    static Results want[2];
    const Range kept = { 0, 1 };
    Dragoman *d = open_model(model, NULL, to);
    DragomanError error;

    for (size_t k = 0; k < 2; k++) translate_alone(&want[k], model, names[k][0], to);
    for (size_t i = 0; i < 2 * TEXTS; i++) {
        const char *name = names[i % 2][i % 3 == 0], *text = texts[i / 2];
        assert_int_equal(submit_kept(d, text, strlen(text), name, &kept, i / 2 % 2, i, &error), DRAGOMAN_OK);
    }
    dragoman_finish(d);
    for (size_t i = 0; i < 2 * TEXTS; i++) assert_same(&want[i % 2], i / 2, next(d));
    dragoman_close(d);
}

TEST(lines_have_the_results_of_their_languages)
{
    static const char *const names[2][2] = { { "de", "German" }, { "en", "eng" } };

    check_model(GOLDEN_FAMILIES "/m2m100-relu", names, "fr");
    check_model(GOLDEN_FAMILIES "/nllb-relu-all-languages", names, "fr");
    check_model(GOLDEN_FAMILIES "/nllb-legacy-bin", names, "fr");
    check_model(GOLDEN_FAMILIES "/mbart25-gelu", names, "fr");
    check_model(GOLDEN_FAMILIES "/mbart50-gelu", names, "fr");
    check_model(GOLDEN_FAMILIES "/small100-relu", names, "fr");
    check_model(GOLDEN_ROOT "/ctranslate2/m2m100-f16", names, "en");
    check_model(GOLDEN_ROOT "/ctranslate2/mbart50-bf16", names, "en");
}

TEST(unknown_and_missing_languages_are_refused)
{
    Dragoman *d = open_model(GOLDEN_FAMILIES "/m2m100-relu", NULL, "en");
    DragomanError error;

    assert_refused(submit_kept(d, "a", 1, "xx", NULL, 0, 0, &error), &error, "DRAGOMAN_FROM xx: unknown language");
    assert_refused(dragoman_submit_text(d, "a", 1, 0, &error), &error, "the language of the line is missing");
    assert_refused(submit_pair_of(d, "a", 1, "b", 1, 0, &error), &error, "the language of the line is missing");
    assert_int_equal(submit_kept(d, "a", 1, "de", NULL, 0, 7, &error), DRAGOMAN_OK);
    dragoman_finish(d);
    assert_int_equal(dragoman_line_tag(next(d)), 7);
    assert_null(next(d));
    dragoman_close(d);
}

/* Nothing is searched, so the shortest length does not matter. */
TEST(the_lengths_of_a_search_do_not_concern_pairs)
{
    DragomanOptions *options = options_for(GOLDEN_MARIAN "/swish-opus");
    DragomanError error;
    Dragoman *d;

    set_number(options, DRAGOMAN_MIN_LENGTH, 9);
    set_real(options, DRAGOMAN_LENGTH_FACTOR, 1);
    d = open_options(options);
    assert_refused(dragoman_submit_text(d, "a", 1, 0, &error), &error, "DRAGOMAN_MIN_LENGTH 9 exceeds the max length ");
    check_ok(submit_pair_of(d, "a", 1, "b", 1, 0, &error), &error);
    assert_string_equal(dragoman_line_translation(next(d), 0, NULL), "b");
    dragoman_close(d);
}

TEST(models_without_a_choice_are_refused)
{
    DragomanOptions *options = new_options(GOLDEN_FAMILIES "/madlad-fast", NULL, "de");
    DragomanError error;
    Dragoman *d;

    assert_refused(dragoman_open(&d, options, &error), &error,
                   "DRAGOMAN_FROM_LINES can only be used with a model that has several source languages");
    assert_null(d);
    dragoman_options_free(options);
    d = open_options(options_for(GOLDEN_MARIAN "/swish-opus"));
    assert_string_equal(dragoman_source_languages(d), "");
    assert_refused(submit_kept(d, "a", 1, "en", NULL, 0, 0, &error), &error, "DRAGOMAN_FROM en: ");
    dragoman_close(d);
}

TEST(a_model_lists_its_source_languages)
{
    Dragoman *d = open_model(GOLDEN_FAMILIES "/mbart25-gelu", "de", "en");

    assert_non_null(strstr(dragoman_source_languages(d), "de_DE\nen_XX\n"));
    dragoman_close(d);
}

TEST(names_become_tags)
{
    static const char *const names[][2] = { { "zho_Hans", "zh" }, { "zho_Hant", "zh-Hant" }, { "de_DE", "de-DE" },
                                            { "fr_XX", "fr" },    { "heb_Hebr", "he" },      { "nob_Latn", "nb" } };
    char tag[DRAGOMAN_LANGUAGE_TAG];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(dragoman_find_language_tag(names[i][0], tag, NULL), DRAGOMAN_OK);
        assert_string_equal(tag, names[i][1]);
    }
    assert_int_equal(dragoman_find_language_tag("", tag, NULL), DRAGOMAN_OK);
    assert_string_equal(tag, "");
}

TEST(tags_have_english_names)
{
    static const char *const names[][2] = { { "de", "German" },
                                            { "zh-Hant", "Chinese (Traditional)" },
                                            { "pt-BR", "Portuguese (Brazil)" },
                                            { "nb", "Norwegian Bokm\u00e5l" },
                                            { "qqq", "qqq" } };
    char name[DRAGOMAN_LANGUAGE_NAME];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(dragoman_find_language_name(names[i][0], name, NULL), DRAGOMAN_OK);
        assert_string_equal(name, names[i][1]);
    }
}

/* It keeps the whole line, whatever the ranges of a request are, which it checks. */
TEST(a_copier_copies)
{
    static const char text[] = "Unknown words";
    static const Range range = { 3, 5 }, wrong = { 3, 500 };
    DragomanError error;
    Dragoman *d;
    size_t count;

    check_ok(dragoman_open_copier(&d, &error), &error);
    assert_string_equal(dragoman_warnings(d), "");
    assert_string_equal(dragoman_source_languages(d), "");
    assert_null(dragoman_source_language(d));
    assert_null(dragoman_target_language(d));
    assert_null(dragoman_piece(d, 0));
    assert_null(dragoman_source_piece(d, 0));
    submit_text(d, text, 1);
    check_ok(submit_kept(d, text, strlen(text), NULL, &range, 1, 2, &error), &error);
    submit_text(d, " ", 3);
    assert_int_equal(submit_kept(d, text, 10, NULL, &wrong, 1, 0, &error), DRAGOMAN_ERROR_USAGE);
    assert_int_equal(submit_kept(d, text, 1, "de", NULL, 0, 0, &error), DRAGOMAN_ERROR_USAGE);
    assert_int_equal(submit_pair_of(d, text, 1, text, 1, 0, &error), DRAGOMAN_ERROR_USAGE);
    dragoman_finish(d);
    for (uintptr_t tag = 1; tag <= 3; tag++) {
        const DragomanLine *line = next(d);
        const DragomanSpan *kept = dragoman_line_kept(line, 0, &count);
        assert_int_equal(dragoman_line_tag(line), tag);
        assert_int_equal(dragoman_line_count(line), 0);
        assert_string_equal(dragoman_line_source(line, NULL), tag < 3 ? text : " ");
        assert_int_equal(count, tag < 3);
        if (kept) assert_true(kept->place.begin == 0 && kept->place.end == strlen(text));
    }
    assert_null(next(d));
    dragoman_close(d);
}

TESTS(test_source_languages);
