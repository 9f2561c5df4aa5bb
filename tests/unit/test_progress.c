/* test_progress.c - tests of cli/progress/progress.h: what a Progress writes to stderr. */
#include "stderr_support.h"

#include <fcntl.h>
#include <time.h>

#include "progress.h"

/* Waits until stderr, a file, contains the text, and fails if it never does. */
static void wait_for(const char *folder, const char *wanted)
{
    const struct timespec pause = { .tv_nsec = 5000000 };
    char *path = support_path(folder, "stderr");

    for (int i = 0; i < 6000; i++) {
        char *text = support_read_file(path, NULL);
        bool found = strstr(text, wanted) != NULL;
        free(text);
        if (found) {
            free(path);
            return;
        }
        nanosleep(&pause, NULL);
    }
    fail_msg("\"%s\" is not written", wanted);
}

static void plain_lines_repeat_while_nothing_is_finished(void **state)
{
    const ProgressPlan plan = { .kind = PROGRESS_LINES, .first = 0.01, .every = 0.01, .total_bytes = 100, .files = 3 };
    int old = support_redirect_stderr(*state);
    Progress *p = progress_start(&plan);
    char *text;

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
    free(text);
}

static void bar_is_drawn_over_itself_and_removed(void **state)
{
    const ProgressPlan plan = {
        .kind = PROGRESS_BAR, .colour = true, .first = 0.01, .every = 0.01, .total_bytes = 100, .files = 1
    };
    int old = support_redirect_stderr(*state);
    Progress *p = progress_start(&plan);
    char *text;
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
    free(text);
}

static void short_work_shows_no_bar(void **state)
{
    const ProgressPlan plan = { .kind = PROGRESS_BAR, .first = 1000, .every = 1000, .files = 1 };
    int old = support_redirect_stderr(*state);
    Progress *p = progress_start(&plan);
    char *text;

    progress_line(p, 50, 4);
    progress_stop(p);
    text = support_restore_stderr(*state, old);
    assert_string_equal(text, "");
    free(text);
}

static void no_progress_is_allowed_everywhere(void **state)
{
    const ProgressPlan plan = { .kind = PROGRESS_NONE };

    (void)state;
    assert_null(progress_start(&plan));
    progress_file(NULL, 1, "a");
    progress_line(NULL, 1, 1);
    progress_skip(NULL, 1);
    progress_stop(NULL);
}

static void options_choose_the_kind(void **state)
{
    const Options lines = { .progress = true }, quiet_lines = { .progress = true, .quiet = true },
                  none = { .no_progress = true }, automatic = { .quiet = false };
    int old = support_redirect_stderr(*state);
    ProgressKind kind = progress_plan(&automatic, false).kind;
    char *text = support_restore_stderr(*state, old);

    free(text);
    assert_int_equal(kind, PROGRESS_NONE); /* stderr is a file */
    assert_int_equal(progress_plan(&lines, false).kind, PROGRESS_LINES);
    assert_true(progress_plan(&lines, false).first >= 5 && progress_plan(&lines, false).every >= 5);
    assert_int_equal(progress_plan(&lines, true).kind, PROGRESS_LINES);
    assert_int_equal(progress_plan(&quiet_lines, false).kind, PROGRESS_LINES);
    assert_int_equal(progress_plan(&none, false).kind, PROGRESS_NONE);
}

static void total_is_known_for_regular_files_only(void **state)
{
    char *ten = support_write_text(*state, "ten", "123456789\n"), *three = support_write_text(*state, "three", "ab\n");
    char *missing = support_path(*state, "missing"), *fifo = support_path(*state, "fifo");
    char *files[] = { ten, three, missing, ten, fifo };
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
    for (size_t i = 0; i < COUNT(files); i++)
        if (i != 3) free(files[i]);
}

static void total_of_standard_input_begins_at_its_position(void **state)
{
    const DragomanInput inputs[] = { { .path = "-" } };
    char *path = support_write_text(*state, "ten", "123456789\n");
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
    free(path);
}

TEST_FILE(test_progress)
{
    static const struct CMUnitTest tests[] = {
        test_with_folder(plain_lines_repeat_while_nothing_is_finished),
        test_with_folder(bar_is_drawn_over_itself_and_removed),
        test_with_folder(short_work_shows_no_bar),
        cmocka_unit_test(no_progress_is_allowed_everywhere),
        test_with_folder(options_choose_the_kind),
        test_with_folder(total_is_known_for_regular_files_only),
        test_with_folder(total_of_standard_input_begins_at_its_position),
    };

    return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
