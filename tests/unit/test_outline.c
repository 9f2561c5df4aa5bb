/* test_outline.c - outlines (hub/hub.c) of the models of the golden tests. */
#include "test_support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "golden_folders.h"
#include "hub.h"

static DragomanOutline *outline(const char *path, const char *name, bool quick)
{
    DragomanOutline *out;
    DragomanError error;
    Err err;

    if (quick) {
        assert_ok(outline_read(&out, path, name, true, &err), &err);
        return out;
    }
    assert_int_equal(dragoman_outline(&out, path, name, &error), DRAGOMAN_OK);
    assert_string_equal(error.message, "");
    return out;
}

static bool has_pair(const DragomanOutline *o, const char *from, const char *to)
{
    DragomanError error;
    bool has;

    assert_int_equal(dragoman_outline_has_pair(o, from, to, &has, &error), DRAGOMAN_OK);
    assert_string_equal(error.message, "");
    return has;
}

TEST(the_quick_outline_of_a_pair_equals_the_full_one)
{
    for (int quick = 0; quick < 2; quick++) {
        DragomanOutline *o = outline(GOLDEN_MARIAN "/swish-opus", NULL, quick);
        size_t sources, targets;
        assert_string_equal(dragoman_outline_sources(o, &sources)[0], "en");
        assert_string_equal(dragoman_outline_targets(o, &targets)[0], "de");
        assert_string_equal(dragoman_outline_sources(o, NULL)[0], "en");
        assert_string_equal(dragoman_outline_targets(o, NULL)[0], "de");
        assert_int_equal(sources, 1);
        assert_int_equal(targets, 1);
        assert_null(dragoman_outline_fault(o));
        assert_true(dragoman_outline_bytes(o) > 10000);
        assert_true(has_pair(o, "en_GB", "deu_Latn"));
        assert_true(has_pair(o, NULL, "de"));
        assert_false(has_pair(o, "de", "en"));
        dragoman_outline_free(o);
    }
}

/* Also if the settings of the folder name the file of the model. */
TEST(the_size_is_that_of_all_files)
{
    for (int quick = 0; quick < 2; quick++) {
        DragomanOutline *o = outline(GOLDEN_ROOT "/marian_nmt/student", NULL, quick);
        struct stat model;
        assert_int_equal(stat(GOLDEN_ROOT "/marian_nmt/student/model.npz", &model), 0);
        assert_null(dragoman_outline_fault(o));
        assert_int_equal(dragoman_outline_status(o), DRAGOMAN_OK);
        assert_true(dragoman_outline_bytes(o) > (uint64_t)model.st_size);
        dragoman_outline_free(o);
    }
}

/* An unsupported model is told from a corrupt one. */
FOLDER_TEST(the_status_is_that_of_the_fault)
{
    char *path = support_write_text(*state, "config.json", "{\"model_type\": \"bert\"}");
    DragomanOutline *o = outline(*state, NULL, false);

    assert_non_null(dragoman_outline_fault(o));
    assert_int_equal(dragoman_outline_status(o), DRAGOMAN_ERROR_UNSUPPORTED);
    dragoman_outline_free(o);
    free(path);
}

TEST(several_languages_need_a_full_outline)
{
    const char *path = GOLDEN_FAMILIES "/nllb-relu-all-languages";
    DragomanOutline *o = outline(path, NULL, true);
    size_t count;

    assert_false(outline_has_languages(o));
    dragoman_outline_free(o);
    o = outline(path, NULL, false);
    dragoman_outline_sources(o, &count);
    assert_int_equal(count, 202);
    assert_true(has_pair(o, "fr", "zh_Hant"));
    dragoman_outline_free(o);
}

TEST(models_without_a_source_translate_from_their_languages)
{
    DragomanOutline *o = outline(GOLDEN_FAMILIES "/madlad-fast", NULL, false);
    size_t sources, targets;

    dragoman_outline_sources(o, &sources);
    dragoman_outline_targets(o, &targets);
    assert_int_equal(sources, targets);
    dragoman_outline_free(o);
    o = outline(GOLDEN_FAMILIES "/t5-relu", NULL, false);
    dragoman_outline_sources(o, &sources);
    assert_int_equal(sources, 1); /* English, as the prefixes say */
    dragoman_outline_free(o);
}

TEST(a_name_tells_languages_that_the_files_do_not)
{
    static const struct {
        const char *name;
        bool has;
    } names[] = { { "fr-en", true },
                  { "Org/opus-mt-fr-en", true },
                  { "firefox:fr-en", true },
                  { "opus_fr_en", true },
                  { "fren", false },
                  { "-en", false },
                  { "fr-", false },
                  { "tiny-base", false },
                  { "", false },
                  { "en", false },
                  { "ROMANCE-en", false } };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        DragomanOutline *o = outline(GOLDEN_ROOT "/marian_nmt/student", names[i].name, false);
        if (outline_has_languages(o) != names[i].has) fail_msg("%s", names[i].name);
        if (names[i].has) assert_true(has_pair(o, "fr", "en"));
        dragoman_outline_free(o);
    }
}

TEST(a_broken_model_has_a_fault)
{
    DragomanOutline *o = outline("/nowhere/at/all", "fr-en", false);

    assert_non_null(strstr(dragoman_outline_fault(o), "/nowhere/at/all"));
    assert_null(strchr(dragoman_outline_fault(o), '\n'));
    assert_int_equal(dragoman_outline_status(o), DRAGOMAN_ERROR_IO);
    assert_int_equal(dragoman_outline_bytes(o), 0);
    dragoman_outline_free(o);
    dragoman_outline_free(NULL);
}

static void check_runs(const char *folder)
{
    DragomanOutline *o = outline(folder, NULL, false);

    if (dragoman_outline_fault(o)) fail_msg("%s: %s", folder, dragoman_outline_fault(o));
    dragoman_outline_free(o);
}

TEST(models_that_translate_have_no_fault)
{
    golden_each_folder(GOLDEN_MARIAN, check_runs);
    golden_each_folder(GOLDEN_FAMILIES, check_runs);
}

TEST(codes_stand_for_names)
{
    static const char *const rows[][2] = {
        { "French", "fr" },
        { "zh_CN", "zh_CN" },
        { ">>deu<<", "deu" },
        { "__zh_CN__", "zh_CN" },
        { "<2de>", "de" },
        { "no language has this name, which is longer than any code can be, and so is cut off here",
          "no language has this name, which is longer than any code can be" },
    };
    char code[DRAGOMAN_LANGUAGE_CODE];

    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(dragoman_find_language_code(rows[i][0], code, NULL), DRAGOMAN_OK);
        assert_string_equal(code, rows[i][1]);
    }
}

TESTS(test_outline);
