/* test_identity.c - tests of translator/dragoman_memory.h. */
#include "test_support.h"

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

static void kept_sources_are_those_of_the_line(void **state)
{
    const DragomanRange range = { 0, 2 }, *found;
    const DragomanLine *line;
    DragomanOptions *options = options_new();
    DragomanError error;
    Dragoman *d;
    size_t count;

    (void)state;
    assert_int_equal(dragoman_open(&d, options, &error), DRAGOMAN_OK);
    assert_int_equal(dragoman_submit_kept(d, "abc", 3, &range, 1, 0, &error), DRAGOMAN_OK);
    assert_int_equal(dragoman_submit(d, "abc", 3, 0, &error), DRAGOMAN_OK);
    assert_int_equal(dragoman_next(d, &line, &error), DRAGOMAN_OK);
    found = dragoman_line_kept_sources(line, &count);
    assert_int_equal(count, 1);
    assert_memory_equal(found, &range, sizeof range);
    assert_true(dragoman_line_kept_sources(line, NULL) == found);
    assert_int_equal(dragoman_next(d, &line, &error), DRAGOMAN_OK);
    assert_null(dragoman_line_kept_sources(line, NULL));
    dragoman_close(d);
    dragoman_options_free(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_with_other_translations_have_other_identities),
        cmocka_unit_test(kept_sources_are_those_of_the_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
