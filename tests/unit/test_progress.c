/* test_progress.c - tests of cli/progress: what a Progress writes to stderr, the exact texts, the pace with a clock
 * that the tests set, and the width of texts. */
#include "stderr_support.h"

#include <fcntl.h>
#include <math.h>
#include <time.h>

#include "progress.h"

/* Waits until stderr, a file, contains the text, and fails if it never does. */
static void wait_for(const char *folder, const char *wanted)
{
    const struct timespec pause = { .tv_nsec = 5000000 };
    FREED char *path = support_path(folder, "stderr");

    for (int i = 0; i < 6000; i++) {
        FREED char *text = support_read_file(path, NULL);
        if (strstr(text, wanted)) return;
        nanosleep(&pause, NULL);
    }
    fail_msg("\"%s\" is not written", wanted);
}

FOLDER_TEST(plain_lines_repeat_while_nothing_is_finished)
{
    const ProgressPlan plan = { .kind = PROGRESS_LINES, .first = 0.01, .every = 0.01, .total_bytes = 100, .files = 3 };
    int old = support_redirect_stderr(*state);
    Progress *p = progress_start(&plan);
    FREED char *text = NULL;

    assert_non_null(p);
    progress_file(p, 2, "b.txt");
    progress_line(p, 20, 4);
    progress_line(p, 5, 1);
    wait_for(*state, "dragoman: 25%, 2 lines, 5 words, ");
    progress_skip(p, 50); /* 25 of 50 bytes */
    wait_for(*state, "dragoman: 50%, 2 lines, 5 words, ");
    wait_for(*state, ", file 2/3: b.txt\n");
    progress_stop(p);
    text = support_restore_stderr(*state, old);
    assert_null(strchr(text, '\r'));
    assert_null(strchr(text, '\033'));
    assert_non_null(strstr(text, "\ndragoman: 2 lines, 5 words in 0:0"));
}

FOLDER_TEST(bar_is_drawn_over_itself_and_removed)
{
    const ProgressPlan plan = {
        .kind = PROGRESS_BAR, .colour = true, .first = 0.01, .every = 0.01, .total_bytes = 100, .files = 1
    };
    int old = support_redirect_stderr(*state);
    Progress *p = progress_start(&plan);
    FREED char *text = NULL;
    size_t len;

    assert_non_null(p);
    progress_line(p, 50, 4);
    wait_for(*state, "\r[\033[36m====>\033[m      ]  50%  ");
    progress_line(p, 50, 4);
    wait_for(*state, "  100%  ");
    progress_stop(p);
    text = support_restore_stderr(*state, old);
    len = strlen(text);
    assert_null(strchr(text, '\n'));
    assert_true(len > 8);
    assert_string_equal(text + len - 7, "\033[K\r\033[K");
}

FOLDER_TEST(short_work_shows_no_bar)
{
    const ProgressPlan plan = { .kind = PROGRESS_BAR, .first = 1000, .every = 1000, .files = 1 };
    int old = support_redirect_stderr(*state);
    Progress *p = progress_start(&plan);
    FREED char *text = NULL;

    progress_line(p, 50, 4);
    progress_stop(p);
    text = support_restore_stderr(*state, old);
    assert_string_equal(text, "");
}

TEST(no_progress_is_allowed_everywhere)
{
    const ProgressPlan plan = { .kind = PROGRESS_NONE };

    assert_null(progress_start(&plan));
    progress_file(NULL, 1, "a");
    progress_line(NULL, 1, 1);
    progress_skip(NULL, 1);
    progress_stop(NULL);
}

FOLDER_TEST(options_choose_the_kind)
{
    const Options lines = { .progress = true }, quiet_lines = { .progress = true, .quiet = true },
                  none = { .no_progress = true }, automatic = { .quiet = false };
    int old = support_redirect_stderr(*state);
    ProgressKind kind = progress_plan(&automatic, false).kind;

    free(support_restore_stderr(*state, old));
    assert_int_equal(kind, PROGRESS_NONE); /* stderr is a file */
    assert_int_equal(progress_plan(&lines, false).kind, PROGRESS_LINES);
    assert_true(progress_plan(&lines, false).first >= 5 && progress_plan(&lines, false).every >= 5);
    assert_int_equal(progress_plan(&lines, true).kind, PROGRESS_LINES);
    assert_int_equal(progress_plan(&quiet_lines, false).kind, PROGRESS_LINES);
    assert_int_equal(progress_plan(&none, false).kind, PROGRESS_NONE);
}

FOLDER_TEST(total_is_known_for_regular_files_only)
{
    FREED char *ten = support_write_text(*state, "ten", "123456789\n"),
               *three = support_write_text(*state, "three", "ab\n");
    FREED char *missing = support_path(*state, "missing"), *fifo = support_path(*state, "fifo");
    const DragomanInput inputs[] = {
        { .path = ten }, { .path = three }, { .path = missing }, { .path = ten }, { .path = fifo }
    };
    ProgressPlan plan = { .kind = PROGRESS_LINES };

    assert_int_equal(mkfifo(fifo, 0600), 0);
    progress_plan_set_inputs(&plan, inputs, 4);
    assert_int_equal(plan.total_bytes, 23);
    assert_int_equal(plan.files, 4);
    progress_plan_set_inputs(&plan, inputs, 5);
    assert_int_equal(plan.total_bytes, 0);
    assert_int_equal(plan.files, 5);
}

FOLDER_TEST(total_of_standard_input_begins_at_its_position)
{
    const DragomanInput inputs[] = { { .path = "-" } };
    FREED char *path = support_write_text(*state, "ten", "123456789\n");
    int old = dup(STDIN_FILENO), fd = open(path, O_RDONLY);
    ProgressPlan plan = { .kind = PROGRESS_LINES };

    assert_true(old >= 0 && fd >= 0);
    assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(lseek(STDIN_FILENO, 4, SEEK_SET), 4);
    progress_plan_set_inputs(&plan, inputs, 1);
    assert_int_equal(dup2(old, STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(plan.total_bytes, 6);
    close(old);
    close(fd);
}

/* --- The texts. Their widths are those of terminals less the last column. --- */

#define WIDE_NAME "\u6f22\u5b57\u306e\u540d\u524d.txt" /* 14 cells */

static const ProgressView one_file = { .pace = { .done = { .lines = 52, .words = 610, .bytes = 4200 },
                                                 .total = 10000,
                                                 .left = 13.8,
                                                 .speed = { .lines = 5.2, .words = 61 } },
                                       .file = 1,
                                       .files = 1,
                                       .name = "guide.txt",
                                       .elapsed = 10 };

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

    view.pace.total = 0;
    view.pace.left = PACE_UNKNOWN;
    view.name = "standard input";
    return view;
}

static void assert_bar(const ProgressView *view, size_t width, const char *expected)
{
    Buf out = { 0 };

    progress_put_bar(&out, view, width, false);
    assert_string_equal(out.data ? out.data : "", expected);
    buf_free(&out);
}

/* A name is shortened, and its wide characters take two cells. The bar of a pipe shows amounts and time. */
TEST(bars_in_each_width)
{
    const ProgressView many = many_files(), from_pipe = pipe_view();
    ProgressView wide = one_file;
    const struct {
        const ProgressView *view;
        size_t width;
        const char *expected;
    } rows[] = {
        { &one_file, 199, "[============>                  ]  42%  5.2 lines/s  61.0 words/s  0:14 left  guide.txt" },
        { &one_file, 79, "[===>       ]  42%  5.2 lines/s  61.0 words/s  0:14 left  guide.txt" },
        { &one_file, 39, "[==>     ]  42%  0:14 left  guide.txt" },
        { &one_file, 19, "42%  0:14 left" },
        { &one_file, 14, "42%  0:14 left" },
        { &one_file, 13, "42%" },
        { &one_file, 3, "42%" },
        { &one_file, 2, "" },
        { &one_file, 0, "" },
        { &many, 199,
          "[============>                  ]  42%  5.2 lines/s  61.0 words/s  0:14 left  file 12/2000  "
          "books/library/shelf/guide.txt" },
        { &many, 99,
          "[====>         ]  42%  5.2 lines/s  61.0 words/s  0:14 left  file 12/2000  \u2026library/shelf/guide.txt" },
        { &many, 79, "[===>       ]  42%  5.2 lines/s  0:14 left  file 12/2000  \u2026rary/shelf/guide.txt" },
        { &many, 39, "[==>     ]  42%  0:14 left  \u2026/guide.txt" },
        { &many, 19, "42%  0:14 left" },
        { &from_pipe, 199, "52 lines  610 words  5.2 lines/s  61.0 words/s  0:10 elapsed  standard input" },
        { &from_pipe, 79, "52 lines  610 words  5.2 lines/s  61.0 words/s  0:10 elapsed  standard input" },
        { &from_pipe, 39, "52 lines  0:10 elapsed  standard input" },
        { &from_pipe, 19, "52 lines" },
        { &wide, 79, "[===>       ]  42%  5.2 lines/s  61.0 words/s  0:14 left  " WIDE_NAME },
        { &wide, 70, "[==>      ]  42%  5.2 lines/s  61.0 words/s  0:14 left  " WIDE_NAME },
        { &wide, 69, "[==>      ]  42%  5.2 lines/s  61.0 words/s  0:14 left  \u2026\u5b57\u306e\u540d\u524d.txt" },
        { &wide, 68, "[==>      ]  42%  5.2 lines/s  61.0 words/s  0:14 left  \u2026\u306e\u540d\u524d.txt" },
    };

    wide.name = WIDE_NAME;
    for (size_t i = 0; i < COUNT(rows); i++) assert_bar(rows[i].view, rows[i].width, rows[i].expected);
}

TEST(bar_is_full_at_the_end_and_empty_at_the_start)
{
    ProgressView view = one_file;

    view.pace.done.bytes = 10000;
    view.pace.left = 0;
    assert_bar(&view, 29, "[========]  100%  0:00 left");
    view.pace.done.bytes = 20000;
    assert_bar(&view, 29, "[========]  100%  0:00 left");
    view.pace.done.bytes = 9999;
    assert_bar(&view, 29, "[======> ]  99%  0:00 left");
    view.pace.done.bytes = 0;
    view.pace.left = PACE_UNKNOWN;
    view.name = NULL;
    assert_bar(&view, 29, "[        ]  0%  --:-- left");
}

TEST(times_and_speeds_of_every_size)
{
    ProgressView view = one_file;

    view.pace.left = 3725;
    assert_bar(&view, 19, "42%  1:02:05 left");
    view.pace.left = 59.6;
    assert_bar(&view, 19, "42%  1:00 left");
    view.pace.left = 1e300;
    assert_bar(&view, 19, "42%  --:-- left");
    view.pace.left = 0;
    view.name = NULL;
    view.pace.speed = (Speed){ .lines = 99.96, .words = 12345.6 };
    assert_bar(&view, 79, "[===>       ]  42%  100 lines/s  12346 words/s  0:00 left");
    view.pace.speed = (Speed){ .lines = 0.04, .words = 99.94 };
    assert_bar(&view, 79, "[===>       ]  42%  0.0 lines/s  99.9 words/s  0:00 left");
}

TEST(only_the_filled_part_has_a_colour)
{
    Buf out = { 0 };

    progress_put_bar(&out, &one_file, 29, true);
    assert_string_equal(out.data, "[\033[36m==>\033[m     ]  42%  0:14 left");
    buf_free(&out);
}

static void assert_line(const ProgressView *view, const char *expected)
{
    Buf out = { 0 };

    progress_put_line(&out, view);
    assert_string_equal(out.data, expected);
    buf_free(&out);
}

TEST(plain_lines_have_everything)
{
    ProgressView view = many_files();

    assert_line(&view, "42%, 52 lines, 610 words, 5.2 lines/s, 61.0 words/s, 0:14 left, file 12/2000: "
                       "books/library/shelf/guide.txt");
    view = pipe_view();
    assert_line(&view, "52 lines, 610 words, 5.2 lines/s, 61.0 words/s, 0:10 elapsed: standard input");
    view.pace.done = (Work){ .lines = 1, .words = 1 };
    view.name = NULL;
    assert_line(&view, "1 line, 1 word, 5.2 lines/s, 61.0 words/s, 0:10 elapsed");
}

TEST(last_line_has_the_average_speed)
{
    const Work done = { .lines = 124, .words = 1460 };
    Buf out = { 0 };

    progress_put_end(&out, &done, 24.8);
    assert_string_equal(out.data, "124 lines, 1460 words in 0:25, 5.0 lines/s, 58.9 words/s");
    buf_clear(&out);
    progress_put_end(&out, &done, 0);
    assert_string_equal(out.data, "124 lines, 1460 words in 0:00, 0.0 lines/s, 0.0 words/s");
    buf_free(&out);
}

/* --- The pace --- */

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

TEST(finds_a_steady_speed_and_counts_down)
{
    Pace pace;

    pace_start(&pace, 1000);
    for (int t = 1; t <= 100; t++) {
        const Work done = steady(t);
        pace_update(&pace, 1000 + t, &done, 10000);
        assert_near(pace.speed.lines, 2);
        assert_near(pace.speed.words, 20);
        assert_near(pace.speed.bytes, 100);
        assert_near(pace.left, t < 3 ? PACE_UNKNOWN : 100 - t);
    }
}

TEST(tells_no_time_left_before_there_is_enough_to_say)
{
    Pace small, large;

    pace_start(&small, 0);
    pace_start(&large, 0);
    for (int t = 1; t <= 30; t++) {
        const Work done = steady(t);
        pace_update(&small, t, &done, 20000); /* 3 % are done after 6 seconds */
        pace_update(&large, t, &done, 1000000);
        assert_int_equal(small.left == PACE_UNKNOWN, t < 6);
        assert_int_equal(large.left == PACE_UNKNOWN, t < 20);
    }
}

TEST(forgets_the_speed_of_long_ago)
{
    Pace pace;
    Work done = { 0 };

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

TEST(the_time_left_follows_bursts_slowly)
{
    Pace pace;
    Work done = { 0 };
    double before;

    pace_start(&pace, 0);
    for (int t = 1; t <= 100; t++) { /* a line of 1000 bytes every ten seconds */
        if (t % 10 == 0) done.bytes += 1000;
        before = pace.left;
        pace_update(&pace, t, &done, 100000);
        if (t > 30) assert_true(fabs(pace.left - before) < 0.1 * before);
    }
    assert_true(pace.left > 800 && pace.left < 1000);
}

/* Updates at the steady speed of 100 bytes per second: a time, the bytes that are done, and the total. */
TEST(tells_the_time_left_and_the_speed_after_each_update)
{
    static const struct {
        const char *what;
        struct {
            double now;
            uint64_t done, total;
            double left, speed;
        } steps[3];
    } rows[] = {
        { "no work, then no total",
          { { 1, 0, 1000, PACE_UNKNOWN, 0 },
            { 2, 100, 0, PACE_UNKNOWN, 51.2497396 },
            { 3, 100, 1000, 27.0225047, 33.3055729 } } },
        { "the input has grown", { { 10, 1500, 1000, 0, 150 }, { 20, 1500, 1000, 0, 56.6310999 } } },
        { "an update at the same time",
          { { 0, 100, 1000, PACE_UNKNOWN, 0 }, { 4, 400, 1000, 6, 100 }, { 4, 400, 1000, 6, 100 } } },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        Pace pace;
        pace_start(&pace, 0);
        for (size_t k = 0; k < COUNT(rows[i].steps) && rows[i].steps[k].done + rows[i].steps[k].total; k++) {
            const Work done = { .bytes = rows[i].steps[k].done };
            pace_update(&pace, rows[i].steps[k].now, &done, rows[i].steps[k].total);
            if (fabs(pace.left - rows[i].steps[k].left) > 1e-6 ||
                fabs(pace.speed.bytes - rows[i].steps[k].speed) > 1e-6)
                fail_msg("%s, step %zu: %.9g s, %.9g bytes/s", rows[i].what, k, pace.left, pace.speed.bytes);
        }
    }
}

/* --- Cells --- */

TEST(counts_the_cells_of_each_kind_of_character)
{
    static const struct {
        const char *text;
        size_t cells;
    } rows[] = {
        { "", 0 },
        { "guide.txt", 9 },
        { "\u00e9t\u00e9", 3 },
        { "e\u0301te\u0301", 3 },    /* combining accents */
        { "\u6f22\u5b57", 4 },       /* Chinese */
        { "\uff21", 2 },             /* a full-width A */
        { "\uff76", 1 },             /* a half-width katakana */
        { "\uac00", 2 },             /* a Korean syllable */
        { "\u1100\u1161\u11a8", 2 }, /* the same syllable kind, letter by letter */
        { "\U0001F600", 2 },         /* an emoji */
        { "a\u200bb", 2 },           /* a zero width space */
        { "a\tb\x1b[2J", 7 },        /* control characters become '?' */
        { "a\xff\xc3", 3 },          /* invalid bytes, too */
        { "\u0e01\u0e34", 1 },       /* a Thai vowel above its consonant */
        { "\u202eabc", 3 },
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        if (cells_count(rows[i].text) != rows[i].cells) fail_msg("%s: %zu", rows[i].text, cells_count(rows[i].text));
}

TEST(shortens_a_text_at_its_beginning)
{
    static const struct {
        const char *text;
        size_t width;
        const char *expected;
    } rows[] = {
        { "guide.txt", 9, "guide.txt" },
        { "guide.txt", 8, "\u2026ide.txt" },
        { "guide.txt", 2, "\u2026t" },
        { "guide.txt", 1, "\u2026" },
        { "guide.txt", 0, "" },
        { "", 0, "" },
        { "\u6f22\u5b57.txt", 8, "\u6f22\u5b57.txt" },
        { "\u6f22\u5b57.txt", 7, "\u2026\u5b57.txt" },
        { "\u6f22\u5b57.txt", 6, "\u2026.txt" }, /* half a character cannot be shown */
        { "ae\u0301.txt", 5, "\u2026.txt" },     /* nor an accent without its letter */
        { "a\nb\x1b[2J\xff", 20, "a?b?[2J?" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        Buf out = { 0 };

        cells_put_end(&out, rows[i].text, rows[i].width);
        assert_string_equal(out.data ? out.data : "", rows[i].expected);
        buf_free(&out);
    }
}

TESTS(test_progress);
