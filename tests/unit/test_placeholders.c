/* test_placeholders.c - document/placeholders.c: what a placeholder in a message stands for. */
#include "range_cases.h"

#include "placeholders.h"

static void check_value(const char *text, PlaceholderValue expected)
{
    PlaceholderValue value;
    const size_t length = placeholders_length(text, strlen(text), &value);

    if (value != expected || (expected && length != strlen(text))) fail_msg("%s: %zu bytes, %d", text, length, value);
    assert_int_equal(placeholders_at_end(text, strlen(text)), expected);
}

TEST(placeholders_of_numbers_are_told_from_others)
{
    static const char *const numbers[] = { "%d",
                                           "%1$d",
                                           "%lld",
                                           "%5.2f",
                                           "%n",
                                           "%Ln",
                                           "%L1",
                                           "%(count)d",
                                           "%(num_files)s",
                                           "%{count}",
                                           "%<n>s",
                                           "%count%",
                                           "{count}",
                                           "{n}",
                                           "{{count}}",
                                           "{{ total }}",
                                           "{totalPages}",
                                           "{num_files}",
                                           "{fileCount}",
                                           "{user.age}",
                                           "{0:N0}",
                                           "{0,number}",
                                           "{0, number, #.0}",
                                           "{:d}",
                                           "{:,.2f}",
                                           "${count}",
                                           "$total",
                                           "#{count}",
                                           "@count",
                                           ":count",
                                           "{numberOfFiles}",
                                           "{count2}" };
    static const char *const any[] = { "%1", "{0}", "{}", "{{0}}" };
    static const char *const others[] = { "%s", "%@", "%(name)s",      "{name}",    "{{user}}",     "${path}", "%",
                                          "{",  "{x", "{accountName}", "{country}", "{index.html}", "$5",      "#count",
                                          "%%", "a" };

    for (size_t i = 0; i < COUNT(numbers); i++) check_value(numbers[i], VALUE_NUMBER);
    for (size_t i = 0; i < COUNT(any); i++) check_value(any[i], VALUE_ANY);
    for (size_t i = 0; i < COUNT(others); i++) check_value(others[i], VALUE_NONE);
    check_value("{n, plural, one {{x} file} other {# files}}", VALUE_MESSAGE);
    check_value("{n,\n select,\n a {b}}", VALUE_MESSAGE);
}

TEST(the_last_placeholder_of_a_group_counts)
{
    assert_int_equal(placeholders_at_end("{name}/{total}", 14), VALUE_NUMBER);
    assert_int_equal(placeholders_at_end("{total}/{name}", 14), VALUE_NONE);
    assert_int_equal(placeholders_at_end("%d%%", 4), VALUE_NONE);
}

TEST(numbers_and_messages_are_found_in_lines)
{
    static const char *const cases[] = {
        "[%d] files and [{count}] houses of {name}",
        "[{count}] [{count, plural, one {on} other {off}}] x",
        "30%discount, 5%d, %discount, [%d]%",
        "{a, plural, one {x}",
        "",
    };

    range_cases_check(placeholders_find, '[', ']', cases, COUNT(cases));
}

TESTS(test_placeholders);
