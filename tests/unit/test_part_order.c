/* test_part_order.c - document/core/part_order: parts whose order counts. */
#include "test_support.h"

#include "part_order.h"

#define MOST_PARTS 8

/* A text whose kept parts are between bars, and its translation, in which they are numbered from 0: |0|. */
typedef struct {
    const char *source, *translation, *expected;
    ArgumentRule rule;
    bool puts_back;
} Case;

typedef struct {
    char text[200], made[200];
    Span kept[MOST_PARTS];
    size_t count, made_length;
} Unit;

/* Copies a text without bars. Sets ranges[] to what was between them, and returns their number. */
static size_t read_parts(const char *text, char *out, Range *ranges)
{
    size_t count = 0, length = 0;
    bool is_inside = false;

    for (; *text; text++) {
        if (*text != '|') {
            out[length++] = *text;
            continue;
        }
        if (is_inside)
            ranges[count++].end = length;
        else
            ranges[count].begin = length;
        is_inside = !is_inside;
    }
    out[length] = '\0';
    return count;
}

static Unit read_unit(const Case *c)
{
    Range sources[MOST_PARTS];
    Unit unit = { .count = read_parts(c->source, unit.text, sources) };

    for (const char *at = c->translation; *at; at++) {
        Span *kept;
        Range range;
        if (*at != '|') {
            unit.made[unit.made_length++] = *at;
            continue;
        }
        kept = &unit.kept[at[1] - '0'];
        range = kept->source = sources[at[1] - '0'];
        memcpy(unit.made + unit.made_length, unit.text + range.begin, range.end - range.begin);
        kept->place.begin = unit.made_length;
        unit.made_length += range.end - range.begin;
        kept->place.end = unit.made_length;
        at += 2;
    }
    unit.made[unit.made_length] = '\0';
    return unit;
}

/* Restores the order in a unit, and checks its text, its kept parts, and the places of its markup afterwards. */
static void check_case(const Case *c, const Markup *markup, const Range *places, const Range *expected, size_t count)
{
    const Unit unit = read_unit(c);
    const UnitText text = {
        .text = unit.text, .length = strlen(unit.text), .markup = markup, .markup_count = count, .arguments = c->rule
    };
    Rendering made = { unit.made, unit.made_length, places, unit.kept, unit.count };
    PartOrder order = { .edits.len = 0 };
    bool puts_back;
    Err err;

    assert_ok(part_order_puts_back(&order, unit.text, c->rule, unit.kept, unit.count, &puts_back, &err), &err);
    assert_int_equal(puts_back, c->puts_back);
    assert_ok(part_order_restore(&order, &text, &made, &err), &err);
    assert_string_equal(made.text, c->expected);
    assert_int_equal(made.length, strlen(c->expected));
    for (size_t k = 0; k < made.kept_count; k++) {
        const Span *kept = &made.kept[k];
        const size_t length = kept->source.end - kept->source.begin;
        assert_int_equal(kept->place.end - kept->place.begin, length);
        assert_memory_equal(made.text + kept->place.begin, unit.text + kept->source.begin, length);
    }
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(made.places[i].begin, expected[i].begin);
        assert_int_equal(made.places[i].end, expected[i].end);
    }
    part_order_free(&order);
}

TEST(restores_the_order_of_parts)
{
    static const Case cases[] = {
        /* Placeholders in another order get numbers. */
        { "|%d| errors in |%s|", "In |1|: |0| Fehler", "In %2$s: %1$d Fehler", ARGUMENTS_PRINTF, false },
        { "|%s| and |%s|", "|1| und |0|", "%2$s und %1$s", ARGUMENTS_PRINTF, false },
        { "|%-5.2f| |%@| |%#@a@|", "|2||1||0|", "%3$#@a@%2$@%1$-5.2f", ARGUMENTS_PRINTF, false },
        { "|%d| |%%| |%s| |%n| |{}| |%name%|", "|5||4||3||2||1||0|", "%name%{}%n%2$s%%%1$d", ARGUMENTS_PRINTF, false },
        { "|%d| |%s|", "|0| |1|", "%d %s", ARGUMENTS_PRINTF, false },
        { "|{}| |{:>5}| |{!r}|", "|2| |1| |0|", "{2!r} {1:>5} {0}", ARGUMENTS_BRACES, false },
        { "|%d| |%s| |https://x/%%20%20n%day%|", "|1| |0| |2|", "%2$s %1$d https://x/%%20%20n%day%", ARGUMENTS_PRINTF,
          false },
        { "|%d| |%s| |https://x/%(day)s|", "|1| |0| |2|", "%2$s %1$d https://x/%(day)s", ARGUMENTS_PRINTF, false },
        { "|{}| |{:x}| |${a}|", "|2| |1| |0|", "${a} {1:x} {0}", ARGUMENTS_BRACES, false },
        /* Other parts are put back. */
        { "|%d| errors in |%-5s|.", "In |1|: |0| Fehler", "In %d: %-5s Fehler", ARGUMENTS_IN_ORDER, true },
        { "|{}| |x| |{a}| |{:>5}|", "|3| |2| |1| |0|", "{} {a} x {:>5}", ARGUMENTS_IN_ORDER, true },
        { "|%*d| |%s|", "|1| |0|", "%*d %s", ARGUMENTS_PRINTF, true },
        { "|%d| |%2$s| |%c|", "|2| |1| |0|", "%d %2$s %c", ARGUMENTS_PRINTF, true },
        { "|{}| |{0}| |{:x}|", "|2| |1| |0|", "{} {0} {:x}", ARGUMENTS_BRACES, true },
        { "|%s| |%d| |{}| |{:x}|", "|1| |0| |3| |2|", "%s %d {1:x} {0}", ARGUMENTS_BRACES, true },
        { "|{}| |{:x}|", "|1| |0|", "{} {:x}", ARGUMENTS_PRINTF, true },
        { "|%d| |%s| |https://%s/x|", "|1| |0| |2|", "%d %s https://%s/x", ARGUMENTS_PRINTF, true },
        { "|%d| |--x=%s| |%s|", "|1| |0| |2|", "%d --x=%s %s", ARGUMENTS_PRINTF, true },
        { "|%d| |%s| |--x=%3$s|", "|1| |0| |2|", "%d %s --x=%3$s", ARGUMENTS_PRINTF, true },
        { "|%d| |%s/%s|", "|1| |0|", "%d %s/%s", ARGUMENTS_PRINTF, true },
        { "|%d| |%s| |/a/%(d|", "|1| |0| |2|", "%d %s /a/%(d", ARGUMENTS_PRINTF, true },
        { "|{}| |{:x}| |/a/{}|", "|1| |0| |2|", "{} {:x} /a/{}", ARGUMENTS_BRACES, true },
        { "|%d| |%s| |{}| |{:x}|", "|3| |2| |1| |0|", "{:x} {} %s %d", ARGUMENTS_UNKNOWN, false },
        { "|{% if a %}| b |{% else %}| |{{ c }}| |{% endif %}|", "|3| |2| |1| |0|",
          "{% if a %} {{ c }} {% else %} {% endif %}", ARGUMENTS_UNKNOWN, true },
        { "|{{#a}}| b |{{else}}| |{{/a}}|", "|1| b |0| |2|", "{{#a}} b {{else}} {{/a}}", ARGUMENTS_UNKNOWN, true },
        { "|\\ifx| b |\\else| |\\fi|", "|1| b |2| |0|", "\\ifx b \\else \\fi", ARGUMENTS_UNKNOWN, true },
        /* Whole blocks of templates stay. */
        { "|{% if a %}b{% endif %}| |{% if c %}d{% endif %}|", "|1| |0|",
          "{% if c %}d{% endif %} {% if a %}b{% endif %}", ARGUMENTS_UNKNOWN, false },
        { "|<% if a %>b<% end %>| |<%= c %>|", "|1| |0|", "<%= c %> <% if a %>b<% end %>", ARGUMENTS_UNKNOWN, false },
    };

    for (size_t i = 0; i < COUNT(cases); i++) check_case(&cases[i], NULL, NULL, NULL, 0);
}

TEST(moves_markup_with_the_text)
{
    static const Case numbered = { "|%d| |%s|", "a |1| b |0| c", "a %2$s b %1$d c", ARGUMENTS_PRINTF, false };
    static const Case swapped = { "|%d| |%s|", "|1| |0|", "%s %d", ARGUMENTS_IN_ORDER, true };
    static const Markup three[] = { { .parent = MARKUP_ROOT }, { .parent = 0 }, { .parent = MARKUP_ROOT } };

    check_case(&numbered, three, (Range[]){ { 2, 9 }, { 7, 9 }, { 10, 11 } },
               (Range[]){ { 2, 13 }, { 9, 13 }, { 14, 15 } }, 3);
    check_case(&swapped, three, (Range[]){ { 1, 2 } }, (Range[]){ { 1, 2 } }, 1); /* inside a part, which stays */
}

/* The tags go to the places that they have, in the order of the source. */
TEST(tags_of_templates_keep_their_order_in_their_parent)
{
    static const Case plain = { "abcdef", "abcdef", "abcdef", ARGUMENTS_UNKNOWN, false };
    static const Markup markup[] = { { .parent = MARKUP_ROOT, .is_empty = true, .is_ordered = true },
                                     { .parent = MARKUP_ROOT },
                                     { .parent = 1, .is_empty = true, .is_ordered = true },
                                     { .parent = 1, .is_empty = true, .is_ordered = true },
                                     { .parent = MARKUP_ROOT, .is_empty = true, .is_ordered = true } };

    check_case(&plain, markup, (Range[]){ { 5, 5 }, { 1, 4 }, { 3, 3 }, { 2, 2 }, { 0, 0 } },
               (Range[]){ { 0, 0 }, { 1, 4 }, { 2, 2 }, { 3, 3 }, { 5, 5 } }, 5);
}

TESTS(test_part_order);
