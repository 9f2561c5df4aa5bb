/* test_placeholders.c - document/placeholders.c: what a placeholder in a message stands for. */
#include "range_cases.h"

#include "placeholders.h"

TEST(placeholders_of_numbers_are_told_from_others)
{
    static const struct {
        PlaceholderValue value;
        const char *texts; /* separated by | */
    } rows[] = {
        { VALUE_NUMBER, "%d|%1$d|%lld|%5.2f|%n|%Ln|%L1|%(count)d|%(num_files)s|%{count}|%<n>s|%count%|{count}|{n}" },
        { VALUE_NUMBER, "{{count}}|{{ total }}|{totalPages}|{num_files}|{fileCount}|{user.age}|{0:N0}|{0,number}" },
        { VALUE_NUMBER,
          "{0, number, #.0}|{:d}|{:,.2f}|${count}|$total|#{count}|@count|:count|{numberOfFiles}|{count2}" },
        { VALUE_ANY, "%1|{0}|{}|{{0}}" },
        { VALUE_NONE,
          "%s|%@|%(name)s|{name}|{{user}}|${path}|%|{|{x|{accountName}|{country}|{index.html}|$5|#count|%%|a" },
        { VALUE_MESSAGE, "{n, plural, one {{x} file} other {# files}}|{n,\n select,\n a {b}}" },
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        for (const char *at = rows[i].texts; *at; at += strcspn(at, "|"), at += *at == '|') {
            const size_t length = strcspn(at, "|");
            const PlaceholderValue value = placeholders_at_end(at, length);
            if (value != rows[i].value) fail_msg("%.*s: %d", (int)length, at, value);
        }
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
