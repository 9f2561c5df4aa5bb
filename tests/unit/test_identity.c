/* test_identity.c - tests of translator/dragoman_memory.h. */
#include "ranges.h"
#include "request_support.h"
#include "test_support.h"

#include <stdlib.h>

#include "dragoman_memory.h"
#include "golden_folders.h"

static DragomanOptions *options_new(void)
{
    DragomanOptions *options = dragoman_options_new();
    DragomanError error;

    assert_non_null(options);
    assert_int_equal(dragoman_set_text(options, DRAGOMAN_MODEL, GOLDEN_MARIAN "/swish-opus", &error), DRAGOMAN_OK);
    return options;
}

static uint64_t identity_with(DragomanSetting setting, long value)
{
    DragomanOptions *options = options_new();
    DragomanError error;
    uint64_t identity;

    assert_int_equal(dragoman_set_number(options, setting, value, &error), DRAGOMAN_OK);
    assert_int_equal(dragoman_identify(&options, 1, &identity, &error), DRAGOMAN_OK);
    dragoman_options_free(options);
    return identity;
}

/* With sampling, the best of several draws is another translation than a single draw. */
static void settings_with_other_translations_have_other_identities(void **state)
{
    const uint64_t usual = identity_with(DRAGOMAN_THREADS, 1);

    (void)state;
    assert_true(identity_with(DRAGOMAN_THREADS, 2) == usual);
    assert_true(identity_with(DRAGOMAN_N_BEST, 1) == usual);
    assert_true(identity_with(DRAGOMAN_N_BEST, 2) != usual);
    assert_true(identity_with(DRAGOMAN_N_BEST, 2) != identity_with(DRAGOMAN_N_BEST, 3));
    assert_true(identity_with(DRAGOMAN_BEAMS, 2) != usual);
}

static uint64_t identity_with_vocabs(const char *vocabs)
{
    DragomanOptions *options = dragoman_options_new();
    DragomanError error;
    uint64_t identity;

    assert_non_null(options);
    assert_int_equal(dragoman_set_text(options, DRAGOMAN_MODEL, GOLDEN_ROOT "/marian_nmt/student", &error),
                     DRAGOMAN_OK);
    assert_int_equal(dragoman_set_text(options, DRAGOMAN_VOCABS, vocabs, &error), DRAGOMAN_OK);
    assert_int_equal(dragoman_identify(&options, 1, &identity, &error), DRAGOMAN_OK);
    dragoman_options_free(options);
    return identity;
}

/* Also if the files have the same name. */
static void swapped_vocabularies_have_another_identity(void **state)
{
    static const char one[] = GOLDEN_ROOT "/marian_nmt/student/vocab.yml";
    char *other = support_write_text(*state, "vocab.yml", "\"</s>\": 0\n\"<unk>\": 1\n\"b\": 2\n");
    char *both = support_format("%s,%s", one, other), *swapped = support_format("%s,%s", other, one);

    assert_true(identity_with_vocabs(both) == identity_with_vocabs(both));
    assert_true(identity_with_vocabs(both) != identity_with_vocabs(swapped));
    assert_true(identity_with_vocabs(both) != identity_with_vocabs(one));
    free(both);
    free(swapped);
    free(other);
}

static void kept_sources_are_those_of_the_line(void **state)
{
    const Range range = { 0, 2 };
    const DragomanSpan *found;
    const DragomanLine *line;
    DragomanOptions *options = options_new();
    DragomanError error;
    Dragoman *d;
    size_t count;

    (void)state;
    assert_int_equal(dragoman_open(&d, options, &error), DRAGOMAN_OK);
    assert_int_equal(submit_kept(d, "abc", 3, NULL, &range, 1, 0, &error), DRAGOMAN_OK);
    assert_int_equal(dragoman_submit_text(d, "abc", 3, 0, &error), DRAGOMAN_OK);
    assert_int_equal(dragoman_next(d, &line, &error), DRAGOMAN_OK);
    found = dragoman_line_kept(line, 0, &count);
    assert_int_equal(count, 1);
    assert_memory_equal(&found->source, &range, sizeof range);
    assert_true(dragoman_line_kept(line, 0, NULL) == found);
    assert_int_equal(dragoman_next(d, &line, &error), DRAGOMAN_OK);
    assert_null(dragoman_line_kept(line, 0, NULL));
    dragoman_close(d);
    dragoman_options_free(options);
}

TEST_FILE(test_identity)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_with_other_translations_have_other_identities),
        cmocka_unit_test_setup_teardown(swapped_vocabularies_have_another_identity, support_setup_folder,
                                        support_teardown_folder),
        cmocka_unit_test(kept_sources_are_those_of_the_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
