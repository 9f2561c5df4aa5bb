/* test_term_log.c - job/routing/term_log: the terms of the lines in progress. */
#include "test_support.h"

#include "term_log.h"

/* Adds as many terms as the number says, the first of which begins there. */
static void add(TermLog *log, size_t number)
{
    TermMatch items[8] = { { .place = { number, number + 1 } } };
    const TermMatches terms = { .items = items, .count = number % 8 };
    Err err;

    assert_ok(term_log_add(log, number, &terms, &err), &err);
}

static void expect(TermLog *log, TermMatches *terms, size_t number, size_t count)
{
    term_log_take(log, number, terms);
    assert_int_equal(terms->count, count);
    if (count) assert_int_equal(terms->items[0].place.begin, number);
}

TEST(returns_the_terms_of_each_line)
{
    TermMatches terms = { 0 };
    TermLog log;

    term_log_start(&log);
    expect(&log, &terms, 1, 0);
    add(&log, 2);
    add(&log, 5);
    expect(&log, &terms, 1, 0);
    expect(&log, &terms, 2, 2);
    expect(&log, &terms, 2, 0);
    expect(&log, &terms, 3, 0);
    expect(&log, &terms, 5, 5);
    expect(&log, &terms, 6, 0);
    term_matches_free(&terms);
    term_log_free(&log);
}

TEST(forgets_lines_that_are_left_out_or_refused)
{
    TermMatches terms = { 0 };
    TermLog log;

    term_log_start(&log);
    add(&log, 1);
    add(&log, 2);
    add(&log, 3);
    expect(&log, &terms, 3, 3);
    add(&log, 4);
    term_log_undo(&log, 4);
    term_log_undo(&log, 4);
    add(&log, 5);
    term_log_undo(&log, 4);
    expect(&log, &terms, 4, 0);
    expect(&log, &terms, 5, 5);
    add(&log, 6);
    term_matches_free(&terms);
    term_log_free(&log);
}

TEST(its_memory_does_not_grow_with_the_input)
{
    TermMatches terms = { 0 };
    TermLog log;

    term_log_start(&log);
    for (size_t i = 1; i < 10000; i++) {
        if (i % 8) add(&log, i);
        if (i > 20) expect(&log, &terms, i - 20, (i - 20) % 8);
    }
    assert_true(log.capacity < 200);
    term_matches_free(&terms);
    term_log_free(&log);
}

TESTS(test_term_log);
