/* test_answer.c - what remains of the answer of a language model. */
#include "test_support.h"

#include <string.h>

#include "answer.h"
#include "buf.h"

static void check(const char *source, const char *answer, const char *wanted, bool chatter)
{
    FREED_BY(buf_free) Buf text = { 0 };

    buf_put_text(&text, answer);
    assert_int_equal(answer_clean(&text, NULL, (LineText){ source, strlen(source) }, "German"), chatter);
    assert_string_equal(text.data ? text.data : "", wanted);
}

TEST(keeps_a_translation_and_trims_it)
{
    check("A house.", "Ein Haus.", "Ein Haus.", false);
    check("A house.", "", "", false);
    check("A house.", "\n  Ein Haus. \n", "Ein Haus.", false);
    check("A house.", " \n ", "", false);
    check("A: b.", "A: b.", "A: b.", false);
    check("Note: a house.", "Note: ein Haus.", "Note: ein Haus.", false);
    check("Prices:", "Preise:", "Preise:", false);
}

TEST(makes_one_line_of_several)
{
    check("A house.", "Ein\nHaus.", "Ein Haus.", false);
    check("A house.", "Ein\rHaus.", "Ein Haus.", false);
    check("A house.", "Ein Haus.\n\nThis is a literal translation.", "Ein Haus.", true);
    check("A house.", "Ein Haus.\n \r\nThis is a literal translation.", "Ein Haus.", true);
    check("A house.", "Ein Haus.\nNote: \"house\" is a building.", "Ein Haus.", true);
    check("A house.", "Ein Haus.\n(Note: a building.)", "Ein Haus.", true);
}

TEST(removes_what_stands_before_the_translation)
{
    check("A house.", "Here is the translation:\n\nEin Haus.", "Ein Haus.", true);
    check("A house.", "以下是翻译：\nEin Haus.", "Ein Haus.", true);
    check("A house.", "Here it is:\nEin Haus.\n\nAnything else?", "Ein Haus.", true);
    check("A house.", "Translation: Ein Haus.", "Ein Haus.", false);
    check("A house.", "german: Ein Haus.", "Ein Haus.", false);
    check("German: a house.", "German: Ein Haus.", "German: Ein Haus.", false);
    check("A house.", "Germany is big", "Germany is big", false);
    check("We said this:", "Wir sagten:\ndies:", "Wir sagten: dies:", false);
}

TEST(removes_thoughts)
{
    check("A house.", "<think>\n\n</think>\n\nEin Haus.", "Ein Haus.", false);
    check("A house.", "<think>A house:\n\nwell</think>Ein Haus.", "Ein Haus.", false);
    check("A house.", "<think>A house", "", false);
    check("<think>a</think>b", "<think>a</think>b", "<think>a</think>b", false);
}

TEST(removes_quotation_marks_that_the_source_does_not_have)
{
    check("A house.", "\"Ein Haus.\"", "Ein Haus.", false);
    check("A house.", "„Ein Haus.“", "Ein Haus.", false);
    check("\"A house.\"", "\"Ein Haus.\"", "\"Ein Haus.\"", false);
    check("“A house.”", "„Ein Haus.“", "„Ein Haus.“", false);
    check("A house.", "\"Ein\" und \"Haus\"", "\"Ein\" und \"Haus\"", false);
    check("A house.", "\"", "\"", false);
}

TEST(flags_refusals)
{
    check("A house.", "I'm sorry, but as an AI model I cannot do that.",
          "I'm sorry, but as an AI model I cannot do that.", true);
    check("Als KI kann ich nicht.", "I cannot.", "I cannot.", false);
    check("He said: I cannot translate it.", "I cannot translate it.", "I cannot translate it.", false);
}

TEST(ranges_follow_the_text)
{
    FREED_BY(buf_free) Buf text = { 0 };
    FREED_BY(ranges_free) RangeList ranges = { 0 };
    static const Range wanted[] = { { 0, 0 }, { 0, 3 }, { 3, 8 }, { 8, 9 }, { 9, 9 } };

    buf_put_text(&text, "Here:\n\nEin Haus.\n\nBye");
    ranges_put(&ranges, (Range){ 0, 5 }, 1);
    ranges_put(&ranges, (Range){ 5, 10 }, 1);
    ranges_put(&ranges, (Range){ 10, 15 }, 1);
    ranges_put(&ranges, (Range){ 15, 17 }, 1);
    ranges_put(&ranges, (Range){ 17, 21 }, 1);
    assert_true(answer_clean(&text, &ranges, (LineText){ "A house.", 8 }, NULL));
    assert_string_equal(text.data, "Ein Haus.");
    for (size_t i = 0; i < COUNT(wanted); i++) {
        assert_int_equal(ranges.data[i].begin, wanted[i].begin);
        assert_int_equal(ranges.data[i].end, wanted[i].end);
    }
}

TESTS(test_answer);
