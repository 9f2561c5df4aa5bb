/* test_pace.c - tests of the pace in cli/progress/progress_text.h with a clock that the tests set. */
#include "test_support.h"

#include <math.h>

#include "progress_text.h"

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-6 * fabs(expected) + 1e-9)) fail_msg("%.9g instead of %.9g", value, expected);
}

/* Work at a steady speed of 2 lines, 20 words and 100 bytes per second. */
static Work steady(double seconds)
{
    return (Work){ .lines = (uint64_t)(2 * seconds),
                   .words = (uint64_t)(20 * seconds),
                   .bytes = (uint64_t)(100 * seconds) };
}

static void finds_a_steady_speed_and_counts_down(void **state)
{
    Pace pace;

    (void)state;
    pace_start(&pace, 1000);
    for (int t = 1; t <= 100; t++) {
        const Work done = steady(t);
        pace_update(&pace, 1000 + t, &done, 10000);
        assert_near(pace.speed.lines, 2);
        assert_near(pace.speed.words, 20);
        assert_near(pace.speed.bytes, 100);
        assert_near(pace.left, 100 - t);
    }
}

static void forgets_the_speed_of_long_ago(void **state)
{
    Pace pace;
    Work done = { 0 };

    (void)state;
    pace_start(&pace, 0);
    for (int t = 1; t <= 60; t++) {
        done.lines += 100;
        pace_update(&pace, t, &done, 0);
    }
    for (int t = 61; t <= 260; t++) {
        done.lines += 1;
        pace_update(&pace, t, &done, 0);
    }
    assert_true(pace.speed.lines > 1 && pace.speed.lines < 1.1);
}

static void does_not_tell_the_time_left_without_a_total_or_work(void **state)
{
    const Work none = { 0 }, some = steady(1);
    Pace pace;

    (void)state;
    pace_start(&pace, 0);
    pace_update(&pace, 1, &none, 1000);
    assert_true(pace.left == PACE_UNKNOWN);
    assert_near(pace.speed.lines, 0);
    pace_update(&pace, 2, &some, 0);
    assert_true(pace.left == PACE_UNKNOWN);
    pace_update(&pace, 3, &some, 1000);
    assert_true(pace.left > 0);
}

static void the_time_left_follows_bursts_slowly(void **state)
{
    Pace pace;
    Work done = { 0 };
    double before;

    (void)state;
    pace_start(&pace, 0);
    for (int t = 1; t <= 100; t++) { /* a line of 1000 bytes every ten seconds */
        if (t % 10 == 0) done.bytes += 1000;
        before = pace.left;
        pace_update(&pace, t, &done, 100000);
        if (t > 30) assert_true(fabs(pace.left - before) < 0.1 * before);
    }
    assert_true(pace.left > 800 && pace.left < 1000);
}

static void the_time_left_is_never_negative(void **state)
{
    const Work more = { .bytes = 1500 };
    Pace pace;

    (void)state;
    pace_start(&pace, 0);
    pace_update(&pace, 10, &more, 1000); /* the input has grown */
    assert_near(pace.left, 0);
    pace_update(&pace, 20, &more, 1000);
    assert_near(pace.left, 0);
}

static void ignores_an_update_at_the_same_time(void **state)
{
    const Work some = steady(1), more = steady(2);
    Pace pace;

    (void)state;
    pace_start(&pace, 0);
    pace_update(&pace, 0, &some, 1000);
    pace_update(&pace, 2, &more, 1000);
    assert_near(pace.speed.bytes, 100);
    pace_update(&pace, 2, &more, 1000);
    assert_near(pace.speed.bytes, 100);
    assert_near(pace.left, 8);
}

TEST_FILE(test_pace)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_a_steady_speed_and_counts_down),
        cmocka_unit_test(forgets_the_speed_of_long_ago),
        cmocka_unit_test(does_not_tell_the_time_left_without_a_total_or_work),
        cmocka_unit_test(the_time_left_follows_bursts_slowly),
        cmocka_unit_test(the_time_left_is_never_negative),
        cmocka_unit_test(ignores_an_update_at_the_same_time),
    };

    return cmocka_run_group_tests_name("pace", tests, NULL, NULL);
}
