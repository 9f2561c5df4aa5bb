/* test_identity.c - tests of translator/identity.c. */
#include "ranges.h"
#include "request_support.h"
#include "test_support.h"

#include <stdlib.h>

#include "dragoman_tools.h"
#include "golden_folders.h"
#include "option_fields.h"

#define OPUS GOLDEN_MARIAN "/swish-opus"
/* It has everything that can be set: vocabularies, a shortlist, a calibration. */
#define STUDENT GOLDEN_ROOT "/marian_nmt/student"

/* Frees the options. */
static uint64_t identify(DragomanOptions *options)
{
    DragomanError error;
    uint64_t identity;

    check_ok(dragoman_identify(options, &identity, &error), &error);
    dragoman_options_free(options);
    return identity;
}

static uint64_t identity_with(DragomanSetting setting, long value)
{
    DragomanOptions *options = options_for(OPUS);

    set_number(options, setting, value);
    return identify(options);
}

/* With sampling, the best of several draws is another translation than a single draw. */
TEST(settings_with_other_translations_have_other_identities)
{
    const uint64_t usual = identity_with(DRAGOMAN_THREADS, 1);

    assert_true(identity_with(DRAGOMAN_THREADS, 2) == usual);
    assert_true(identity_with(DRAGOMAN_N_BEST, 1) == usual);
    assert_true(identity_with(DRAGOMAN_N_BEST, 2) != usual);
    assert_true(identity_with(DRAGOMAN_N_BEST, 2) != identity_with(DRAGOMAN_N_BEST, 3));
    assert_true(identity_with(DRAGOMAN_BEAMS, 2) != usual);
}

/* Sets a value that is not the default; `other` chooses between two of them. */
static void set_value(DragomanOptions *options, DragomanSetting setting, bool other, const char *file)
{
    const SettingRow *row = &setting_rows[setting];
    const bool names_file = row->identity == IDENTITY_FILES || row->identity == IDENTITY_GIVEN;
    DragomanStatus st;

    switch ((DragomanKind)row->about.kind) {
    case DRAGOMAN_KIND_TEXT:
    case DRAGOMAN_KIND_LIST:
    case DRAGOMAN_KIND_EACH:
        st = dragoman_set_text(options, setting, names_file ? file : other ? "b" : "a", NULL);
        break;
    case DRAGOMAN_KIND_FLAG:
        st = dragoman_set_flag(options, setting, true, NULL);
        break;
    case DRAGOMAN_KIND_SWITCH:
        st = dragoman_set_flag(options, setting, other, NULL);
        break;
    case DRAGOMAN_KIND_REAL:
        st = dragoman_set_real(options, setting, other ? 0.25 : 0.5, NULL);
        break;
    default:
        st = dragoman_set_number(options, setting, row->about.words ? 1 : other ? 3 : 2, NULL);
    }
    assert_int_equal(st, DRAGOMAN_OK);
}

/* Sets each row of settings.def in turn. */
FOLDER_TEST(the_identity_changes_with_each_setting_that_changes_translations)
{
    char *vocab = support_write_text(*state, "vocab.yml", "\"</s>\": 0\n\"<unk>\": 1\n\"b\": 2\n");
    const uint64_t usual = identify(options_for(STUDENT));

    for (DragomanSetting i = DRAGOMAN_NO_SETTING + 1; i < DRAGOMAN_SETTINGS; i++) {
        const SettingRow *row = &setting_rows[i];
        uint64_t found[2];
        if (i == DRAGOMAN_VIA) continue; /* there is one model */
        for (int other = 0; other < 2; other++) {
            DragomanOptions *options = options_for(STUDENT);
            set_value(options, i, other, i == DRAGOMAN_MODEL ? OPUS : vocab);
            found[other] = identify(options);
        }
        assert_true(row->identity == IDENTITY_KEEPS ? row->reason && *row->reason : !row->reason);
        if ((found[0] == usual) != (row->identity == IDENTITY_KEEPS) ||
            (found[1] == usual) != (row->identity == IDENTITY_KEEPS))
            fail_msg("DRAGOMAN_%s %s the identity", row->about.name, found[0] == usual ? "keeps" : "changes");
        if (row->identity == IDENTITY_CHANGES && row->about.kind != DRAGOMAN_KIND_FLAG && !row->about.words &&
            found[0] == found[1])
            fail_msg("DRAGOMAN_%s: two values have one identity", row->about.name);
    }
    free(vocab);
}

TEST(the_pivot_language_and_the_order_of_models_change_the_identity)
{
    uint64_t found[4];

    for (size_t i = 0; i < COUNT(found); i++) {
        DragomanOptions *options = options_for(i == 3 ? STUDENT : OPUS);
        add_text(options, DRAGOMAN_MODEL, i == 3 ? OPUS : STUDENT);
        if (i) add_text(options, DRAGOMAN_VIA, i == 1 ? "en" : "de");
        found[i] = identify(options);
        for (size_t k = 0; k < i; k++) assert_true(found[k] != found[i]);
    }
}

static uint64_t identity_with_vocabs(const char *vocabs)
{
    DragomanOptions *options = options_for(STUDENT);

    set_text(options, DRAGOMAN_VOCABS, vocabs);
    return identify(options);
}

/* Also if the files have the same name. */
FOLDER_TEST(swapped_vocabularies_have_another_identity)
{
    static const char one[] = STUDENT "/vocab.yml";
    char *other = support_write_text(*state, "vocab.yml", "\"</s>\": 0\n\"<unk>\": 1\n\"b\": 2\n");
    char *both = support_format("%s,%s", one, other), *swapped = support_format("%s,%s", other, one);

    assert_true(identity_with_vocabs(both) == identity_with_vocabs(both));
    assert_true(identity_with_vocabs(both) != identity_with_vocabs(swapped));
    assert_true(identity_with_vocabs(both) != identity_with_vocabs(one));
    free(both);
    free(swapped);
    free(other);
}

TEST(kept_sources_are_those_of_the_line)
{
    const Range range = { 0, 2 };
    const DragomanSpan *found;
    const DragomanLine *line;
    Dragoman *d = open_options(options_for(OPUS));
    DragomanError error;
    size_t count;

    check_ok(submit_kept(d, "abc", 3, NULL, &range, 1, 0, &error), &error);
    submit_text(d, "abc", 0);
    line = next(d);
    found = dragoman_line_kept(line, 0, &count);
    assert_int_equal(count, 1);
    assert_memory_equal(&found->source, &range, sizeof range);
    assert_true(dragoman_line_kept(line, 0, NULL) == found);
    assert_null(dragoman_line_kept(next(d), 0, NULL));
    dragoman_close(d);
}

TESTS(test_identity);
