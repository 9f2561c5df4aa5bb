/* test_replace_signals.c - signals while a complete file replaces its target. A signal comes immediately before
 * rename(). */
#include "test_support.h"

#include <signal.h>
#include <sys/wait.h>

#include "output.h"
#include "signals.h"
#include "system_hooks.h"

static int raise_before_rename(const char *function, const char *path, int fd)
{
    (void)path, (void)fd;
    if (strcmp(function, "rename") == 0) (void)raise(SIGTERM);
    return 0;
}

/* Replaces the file `path`, and ends by the signal. */
static void replace(const char *path)
{
    Output out;
    Err err;

    signals_start();
    if (output_choose(&out, path, NULL, &err) != OK || output_open(&out, &err) != OK) return;
    buf_put_text(&out.buffer, "new");
    if (output_finish(&out, &err) == OK) _exit(0);
}

/* A file with two names gets the new content by copying; the complete file becomes visible before that. */
FOLDER_TEST(a_signal_before_the_copy_leaves_no_hidden_file)
{
    char *path = support_write_text(*state, "target", "old"), *link_path = support_path(*state, "other"), *text;
    FREED char *left = NULL;
    int status;
    pid_t child;

    assert_int_equal(link(path, link_path), 0);
    child = fork();
    if (child == 0) {
        replace(path);
        _exit(1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    left = support_format("%s/.target.dragoman-%ld", (const char *)*state, (long)child);
    assert_int_not_equal(access(left, F_OK), 0);
    text = support_read_file(path, NULL);
    assert_string_equal(text, "old");
    free(text);
    free(link_path);
    free(path);
}

static int set_up(__attribute__((unused)) void **state)
{
    system_fault = raise_before_rename;
    return 0;
}

TESTS_WITH(test_replace_signals, set_up, NULL);
