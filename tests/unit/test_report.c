/* test_report.c - tests of cli/report.h: messages and the status line, and messages of several threads. */
#include "stderr_support.h"

#include "report.h"
#include "thread.h"

FOLDER_TEST(messages_without_a_status_line_have_no_escape_codes)
{
    int old = support_redirect_stderr(*state);
    FREED char *text = NULL;

    report("%s: %d", "a\nfile", 7);
    report_set_status(NULL);
    text = support_restore_stderr(*state, old);
    assert_string_equal(text, "dragoman: a?file: 7\n");
}

FOLDER_TEST(messages_appear_above_the_status_line)
{
    int old = support_redirect_stderr(*state);
    FREED char *text = NULL;

    report_set_status("[=>  ] 50%");
    report("a message");
    report_set_status("[==> ] 75%");
    report_set_status(NULL);
    report("the end");
    text = support_restore_stderr(*state, old);
    assert_string_equal(text, "\r[=>  ] 50%\033[K"
                              "\r\033[Kdragoman: a message\n[=>  ] 50%"
                              "\r[==> ] 75%\033[K"
                              "\r\033[K"
                              "dragoman: the end\n");
}

#define THREADS  4
#define MESSAGES 200

static void *report_often(void *argument)
{
    for (size_t i = 0; i < MESSAGES; i++) report("thread %d", *(const int *)argument);
    return NULL;
}

/* Counts the messages of thread `number` and returns the text after the piece, which must be one of the three that
 * may occur. */
static const char *take_piece(const char *text, size_t messages[THREADS])
{
    static const char message[] = "dragoman: thread ", status[] = "status", erase[] = "\033[K";

    if (*text == '\r') return text + 1;
    if (strncmp(text, erase, sizeof erase - 1) == 0) return text + sizeof erase - 1;
    if (strncmp(text, status, sizeof status - 1) == 0) return text + sizeof status - 1;
    assert_int_equal(strncmp(text, message, sizeof message - 1), 0);
    text += sizeof message - 1;
    assert_in_range(*text, '0', '0' + THREADS - 1);
    assert_int_equal(text[1], '\n');
    messages[*text - '0']++;
    return text + 2;
}

FOLDER_TEST(messages_of_several_threads_stay_whole)
{
    static const int numbers[THREADS] = { 0, 1, 2, 3 };
    int old = support_redirect_stderr(*state);
    size_t messages[THREADS] = { 0 };
    pthread_t threads[THREADS];
    FREED char *text = NULL;

    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(thread_start_masked(&threads[i], report_often, (void *)&numbers[i]), 0);
    for (size_t i = 0; i < MESSAGES; i++) report_set_status(i % 2 ? NULL : "status");
    for (size_t i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    report_set_status(NULL);
    text = support_restore_stderr(*state, old);
    for (const char *rest = text; *rest;) rest = take_piece(rest, messages);
    for (size_t i = 0; i < THREADS; i++) assert_int_equal(messages[i], MESSAGES);
}

static void *read_late(void *in)
{
    static char text[1 << 20];
    const int fd = *(const int *)in;
    size_t used = 0;
    ssize_t n;

    nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
    while ((n = read(fd, text + used, sizeof text - 1 - used)) > 0) used += (size_t)n;
    text[used] = '\0';
    return text;
}

TEST(messages_wait_for_a_full_stderr_that_does_not_block)
{
    static const char message[] = "dragoman: a message\n";
    int old = dup(STDERR_FILENO), ends[2];
    pthread_t reader;
    void *text;

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    while (write(ends[1], "x", 1) == 1) continue;
    assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
    close(ends[1]);
    assert_int_equal(thread_start_masked(&reader, read_late, &ends[0]), 0);
    report("a message");
    assert_int_equal(dup2(old, STDERR_FILENO), STDERR_FILENO);
    close(old);
    assert_int_equal(pthread_join(reader, &text), 0);
    close(ends[0]);
    assert_string_equal((char *)text + strspn(text, "x"), message);
}

TESTS(test_report);
