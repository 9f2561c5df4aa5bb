/* test_thread.c - tests of base/thread.h. */
#define _GNU_SOURCE /* pthread_getattr_np() */
#include "test_support.h"

#include <signal.h>

#include "thread.h"

static void *read_stack_size(void *out)
{
#ifdef __linux__
    pthread_attr_t attributes;

    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return NULL;
    (void)pthread_attr_getstacksize(&attributes, out);
    pthread_attr_destroy(&attributes);
#endif
    return out;
}

TEST(starts_threads_with_a_fixed_stack_size)
{
    pthread_t thread;
    size_t size = 0;
    void *result;

    assert_int_equal(thread_start_masked(&thread, read_stack_size, &size), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, &size);
    if (!size) skip(); /* not available here */
    assert_true(size >= (size_t)1 << 20 && size < (size_t)2 << 20);
}

static void *read_blocked_signals(void *out)
{
    (void)pthread_sigmask(SIG_SETMASK, NULL, out);
    return out;
}

TEST(masked_threads_receive_signals_of_faults_only)
{
    sigset_t before, inside, after;
    pthread_t thread;

    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &before), 0);
    assert_int_equal(thread_start_masked(&thread, read_blocked_signals, &inside), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);
    assert_int_equal(sigismember(&inside, SIGTERM), 1);
    assert_int_equal(sigismember(&inside, SIGBUS), 0);
    assert_int_equal(sigismember(&inside, SIGSEGV), 0);
    assert_int_equal(sigismember(&after, SIGTERM), sigismember(&before, SIGTERM));
}

static size_t program_stack;

static int read_program_stack(int count, char **arguments)
{
    (void)read_stack_size(&program_stack);
    return arguments ? count : 0;
}

TEST(the_main_thread_has_a_large_stack)
{
    char name[] = "program", *arguments[] = { name, NULL };

    assert_int_equal(thread_run(read_program_stack, 7, arguments), 7);
    if (!program_stack) skip(); /* not available here */
    /* In the first thread, arguments and environment take some of the 8 MB. */
    assert_true(program_stack >= ((size_t)8 << 20) - ((size_t)256 << 10));
}

TESTS(test_thread);
