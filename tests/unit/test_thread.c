/* test_thread.c - the stack of base/thread. */
#define _GNU_SOURCE /* pthread_getattr_np() */
#include "test_support.h"

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

static void threads_have_a_stack_of_their_own_size(void **state)
{
    pthread_t thread;
    size_t size = 0;
    void *result;

    (void)state;
    assert_int_equal(thread_start(&thread, read_stack_size, &size), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, &size);
    if (!size) skip(); /* it cannot be read here */
    assert_true(size >= (size_t)1 << 20 && size < (size_t)2 << 20);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_have_a_stack_of_their_own_size),
    };

    return cmocka_run_group_tests_name("thread", tests, NULL, NULL);
}
