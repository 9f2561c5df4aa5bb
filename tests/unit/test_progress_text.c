/* test_progress_text.c - tests of cli/progress/progress_text.h: the exact texts. Their widths are those of terminals
 * less the last column. */
#include "test_support.h"

#include "progress_text.h"

#define WIDE_NAME "\u6f22\u5b57\u306e\u540d\u524d.txt" /* 14 cells */

static const ProgressView one_file = { .done = { .lines = 52, .words = 610, .bytes = 4200 },
                                       .total = 10000,
                                       .file = 1,
                                       .files = 1,
                                       .name = "guide.txt",
                                       .elapsed = 10,
                                       .left = 13.8,
                                       .speed = { .lines = 5.2, .words = 61 } };

static ProgressView many_files(void)
{
    ProgressView view = one_file;

    view.file = 12;
    view.files = 2000;
    view.name = "books/library/shelf/guide.txt";
    return view;
}

static ProgressView pipe_view(void)
{
    ProgressView view = one_file;

    view.total = 0;
    view.left = PACE_UNKNOWN;
    view.name = "standard input";
    return view;
}

static void assert_bar(const ProgressView *view, size_t width, const char *expected)
{
    Buf out = { 0 };
    Err err;

    assert_ok(progress_text_bar(&out, view, width, false, &err), &err);
    assert_string_equal(out.data ? out.data : "", expected);
    buf_free(&out);
}

static void bar_of_one_file_in_each_width(void **state)
{
    (void)state;
    assert_bar(&one_file, 199,
               "[============>                  ]  42%  5.2 lines/s  61.0 words/s  0:14 left  guide.txt");
    assert_bar(&one_file, 79, "[===>       ]  42%  5.2 lines/s  61.0 words/s  0:14 left  guide.txt");
    assert_bar(&one_file, 39, "[==>     ]  42%  0:14 left  guide.txt");
    assert_bar(&one_file, 19, "42%  0:14 left");
    assert_bar(&one_file, 14, "42%  0:14 left");
    assert_bar(&one_file, 13, "42%");
    assert_bar(&one_file, 3, "42%");
    assert_bar(&one_file, 2, "");
    assert_bar(&one_file, 0, "");
}

static void bar_of_many_files_shortens_the_name(void **state)
{
    const ProgressView view = many_files();

    (void)state;
    assert_bar(&view, 199,
               "[============>                  ]  42%  5.2 lines/s  61.0 words/s  0:14 left  file 12/2000  "
               "books/library/shelf/guide.txt");
    assert_bar(
        &view, 99,
        "[====>         ]  42%  5.2 lines/s  61.0 words/s  0:14 left  file 12/2000  \u2026library/shelf/guide.txt");
    assert_bar(&view, 79, "[===>       ]  42%  5.2 lines/s  0:14 left  file 12/2000  \u2026rary/shelf/guide.txt");
    assert_bar(&view, 39, "[==>     ]  42%  0:14 left  \u2026/guide.txt");
    assert_bar(&view, 19, "42%  0:14 left");
}

static void bar_of_a_pipe_shows_amounts_and_time(void **state)
{
    const ProgressView view = pipe_view();

    (void)state;
    assert_bar(&view, 199, "52 lines  610 words  5.2 lines/s  61.0 words/s  0:10 elapsed  standard input");
    assert_bar(&view, 79, "52 lines  610 words  5.2 lines/s  61.0 words/s  0:10 elapsed  standard input");
    assert_bar(&view, 39, "52 lines  0:10 elapsed  standard input");
    assert_bar(&view, 19, "52 lines");
}

static void wide_characters_count_two_cells(void **state)
{
    ProgressView view = one_file;

    (void)state;
    view.name = WIDE_NAME;
    assert_bar(&view, 79, "[===>       ]  42%  5.2 lines/s  61.0 words/s  0:14 left  " WIDE_NAME);
    assert_bar(&view, 70, "[==>      ]  42%  5.2 lines/s  61.0 words/s  0:14 left  " WIDE_NAME);
    assert_bar(&view, 69, "[==>      ]  42%  5.2 lines/s  61.0 words/s  0:14 left  \u2026\u5b57\u306e\u540d\u524d.txt");
    assert_bar(&view, 68, "[==>      ]  42%  5.2 lines/s  61.0 words/s  0:14 left  \u2026\u306e\u540d\u524d.txt");
}

static void bar_is_full_at_the_end_and_empty_at_the_start(void **state)
{
    ProgressView view = one_file;

    (void)state;
    view.done.bytes = 10000;
    view.left = 0;
    assert_bar(&view, 29, "[========]  100%  0:00 left");
    view.done.bytes = 20000;
    assert_bar(&view, 29, "[========]  100%  0:00 left");
    view.done.bytes = 9999;
    assert_bar(&view, 29, "[======> ]  99%  0:00 left");
    view.done.bytes = 0;
    view.left = PACE_UNKNOWN;
    view.name = NULL;
    assert_bar(&view, 29, "[        ]  0%  --:-- left");
}

static void times_and_speeds_of_every_size(void **state)
{
    ProgressView view = one_file;

    (void)state;
    view.left = 3725;
    assert_bar(&view, 19, "42%  1:02:05 left");
    view.left = 59.6;
    assert_bar(&view, 19, "42%  1:00 left");
    view.left = 1e300;
    assert_bar(&view, 19, "42%  --:-- left");
    view.left = 0;
    view.name = NULL;
    view.speed = (Speed){ .lines = 99.96, .words = 12345.6 };
    assert_bar(&view, 79, "[===>       ]  42%  100 lines/s  12346 words/s  0:00 left");
    view.speed = (Speed){ .lines = 0.04, .words = 99.94 };
    assert_bar(&view, 79, "[===>       ]  42%  0.0 lines/s  99.9 words/s  0:00 left");
}

static void only_the_filled_part_has_a_colour(void **state)
{
    Buf out = { 0 };
    Err err;

    (void)state;
    assert_ok(progress_text_bar(&out, &one_file, 29, true, &err), &err);
    assert_string_equal(out.data, "[\033[36m==>\033[m     ]  42%  0:14 left");
    buf_free(&out);
}

static void assert_line(const ProgressView *view, const char *expected)
{
    Buf out = { 0 };
    Err err;

    assert_ok(progress_text_line(&out, view, &err), &err);
    assert_string_equal(out.data, expected);
    buf_free(&out);
}

static void plain_lines_have_everything(void **state)
{
    ProgressView view = many_files();

    (void)state;
    assert_line(&view, "42%, 52 lines, 610 words, 5.2 lines/s, 61.0 words/s, 0:14 left, file 12/2000: "
                       "books/library/shelf/guide.txt");
    view = pipe_view();
    assert_line(&view, "52 lines, 610 words, 5.2 lines/s, 61.0 words/s, 0:10 elapsed: standard input");
    view.done = (Work){ .lines = 1, .words = 1 };
    view.name = NULL;
    assert_line(&view, "1 line, 1 word, 5.2 lines/s, 61.0 words/s, 0:10 elapsed");
}

static void last_line_has_the_average_speed(void **state)
{
    const Work done = { .lines = 124, .words = 1460 };
    Buf out = { 0 };
    Err err;

    (void)state;
    assert_ok(progress_text_end(&out, &done, 24.8, &err), &err);
    assert_string_equal(out.data, "124 lines, 1460 words in 0:25, 5.0 lines/s, 58.9 words/s");
    buf_clear(&out);
    assert_ok(progress_text_end(&out, &done, 0, &err), &err);
    assert_string_equal(out.data, "124 lines, 1460 words in 0:00, 0.0 lines/s, 0.0 words/s");
    buf_free(&out);
}

TEST_FILE(test_progress_text)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(bar_of_one_file_in_each_width),
        cmocka_unit_test(bar_of_many_files_shortens_the_name),
        cmocka_unit_test(bar_of_a_pipe_shows_amounts_and_time),
        cmocka_unit_test(wide_characters_count_two_cells),
        cmocka_unit_test(bar_is_full_at_the_end_and_empty_at_the_start),
        cmocka_unit_test(times_and_speeds_of_every_size),
        cmocka_unit_test(only_the_filled_part_has_a_colour),
        cmocka_unit_test(plain_lines_have_everything),
        cmocka_unit_test(last_line_has_the_average_speed),
    };

    return cmocka_run_group_tests_name("progress_text", tests, NULL, NULL);
}
