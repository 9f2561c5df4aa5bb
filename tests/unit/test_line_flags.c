/* test_line_flags.c - translator/line_judge.c: what is a sign of a bad translation, and what only looks like one. */
#include "ranges.h"
#include "test_support.h"

#include "line.h"

enum { ROOMY = 1000 };

/* Ids from text such as "5 6*3 7": id 5, id 6 three times, id 7. */
static IdList ids_of(const char *text)
{
    IdList ids = { 0 };
    Err err;

    while (*text) {
        char *end;
        const long id = strtol(text, &end, 10);
        long times = *end == '*' ? strtol(end + 1, &end, 10) : 1;
        for (; times > 0; times--) assert_ok(ids_append(&ids, (int32_t)id, &err), &err);
        text = *end ? end + 1 : end;
    }
    return ids;
}

static unsigned flags_of(const char *source, const char *target, size_t limit)
{
    IdList a = ids_of(source), b = ids_of(target);
    const unsigned flags = line_flags_of_ids(&a, &b, limit);

    ids_free(&a);
    ids_free(&b);
    return flags;
}

TEST(a_translation_that_repeats_itself_loops)
{
    static const char *const loops[] = { "5 6 7*4 0",                                             /* one token */
                                         "5 6 7 6 7 6 7 0",                                       /* two */
                                         "1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9", /* a clause */
                                         "1 2 3 4 9 1 2 3 4 8 1 2 3 4 7 1 2 3 4 6 0" }; /* with other tokens between */

    for (size_t i = 0; i < COUNT(loops); i++)
        assert_int_equal(flags_of("11 12 13 14 15 16 17 18 0", loops[i], ROOMY), DRAGOMAN_FLAG_LOOP);
}

TEST(repetition_that_is_common_or_that_of_the_source_is_no_loop)
{
    static const char *const pairs[][2] = {
        { "11 12 13 0", "5 6*3 7 0" },                                   /* "...", "000" */
        { "11 12 11 12 0", "5 6 5 6 0" },                                /* "sehr, sehr" */
        { "11*5 0", "5*6 0" },                                           /* ha ha ha ha ha */
        { "11 12 11 12 11 12 0", "5 6 7 5 6 7 5 6 7 0" },                /* a list, in other pieces */
        { "11 12 13 14 15 16 17 0", "1 2 3 4 9 1 2 3 4 8 1 2 3 4 7 0" }, /* a term, three times */
        { "11 12 13 14 9 11 12 13 14 8 11 12 13 14 0", "1 2 3 4 9 1 2 3 4 8 1 2 3 4 7 1 2 3 4 0" },
    };

    for (size_t i = 0; i < COUNT(pairs); i++) assert_int_equal(flags_of(pairs[i][0], pairs[i][1], ROOMY), 0);
}

TEST(terms_may_recur_in_a_long_text)
{
    char text[1200] = "";

    for (int i = 0; i < 100; i++) {
        char more[16];
        snprintf(more, sizeof more, "%d ", 100 + i);
        strcat(text, i % 20 == 0 ? "1 2 3 4 " : more);
    }
    assert_int_equal(flags_of("11*60", text, ROOMY), 0);
}

TEST(a_translation_of_maximal_length_is_cut)
{
    assert_int_equal(flags_of("11 12 13", "5 6 7", 3), DRAGOMAN_FLAG_CUT);
    assert_int_equal(flags_of("11 12 13", "5 6 7", 4), 0);
}

TEST(a_length_far_from_that_of_the_source_is_short_or_long)
{
    assert_int_equal(flags_of("11*39", "5 6 7 8 9 5 7 6 9 0", ROOMY), DRAGOMAN_FLAG_SHORT);
    assert_int_equal(flags_of("11*38", "5 6 7 8 9 5 7 6 9 0", ROOMY), 0);
    assert_int_equal(flags_of("5 6 7 8 9 5 7 6 9 0", "11*39", ROOMY), DRAGOMAN_FLAG_LONG | DRAGOMAN_FLAG_LOOP);
    assert_int_equal(flags_of("11 0", "1 2 3 4 5 6 7 8 9 10 12 13 14 0", ROOMY), 0);
}

static unsigned copy_of(const char *source, const char *target)
{
    char *a = strdup(source), *b = strdup(target);
    const Buf one = { .data = a, .len = strlen(a) }, other = { .data = b, .len = strlen(b) };
    const unsigned flags = line_flags_of_texts(&one, &other);

    free(a);
    free(b);
    return flags;
}

TEST(text_that_stays_in_its_language_is_a_copy)
{
    assert_int_equal(copy_of("the cat sat on the mat", "the cat sat on the mat"), DRAGOMAN_FLAG_COPY);
    assert_int_equal(copy_of("We see that the cat sat on the mat.", "Wir see that the cat sat on the mat."),
                     DRAGOMAN_FLAG_COPY);
    assert_int_equal(copy_of("今天天气很好", "今天天气很好"), DRAGOMAN_FLAG_COPY);
}

TEST(names_numbers_and_addresses_may_be_copied)
{
    static const char *const same[] = { "Angela Merkel, Emmanuel Macron, Joe Biden",
                                        "1 234 567,89 + 12",
                                        "https://example.org/the/cat a@b.org www.example.org/x",
                                        "taxi",
                                        "",
                                        "...",
                                        "NASA ESA JAXA CNSA" };

    for (size_t i = 0; i < COUNT(same); i++) assert_int_equal(copy_of(same[i], same[i]), 0);
    assert_int_equal(copy_of("the cat in New York", "die Katze in New York"), 0);
}

/* "aa bb cc dd ee ff", one token per word, with these totals. */
static unsigned coverage_of(const float totals[6])
{
    static char text[] = "aa bb cc dd ee ff";
    const Buf source = { .data = text, .len = strlen(text) };
    Range ranges[6];

    for (size_t i = 0; i < 6; i++) ranges[i] = (Range){ 3 * i, 3 * i + 2 };
    return line_flags_of_attention(totals, ranges, 6, &source);
}

TEST(words_in_a_row_without_attention_are_uncovered)
{
    assert_int_equal(coverage_of((float[]){ 1, 0, 0.1f, 0.15f, 0.05f, 1 }), DRAGOMAN_FLAG_UNCOVERED);
    assert_int_equal(coverage_of((float[]){ 1, 1, 0, 0, 0, 0 }), DRAGOMAN_FLAG_UNCOVERED);
    assert_int_equal(coverage_of((float[]){ 0, 0, 0, 0.3f, 0, 0 }), 0);
}

/* The text is that above; "aabb" are one word of two tokens, and an empty token is at the end. */
TEST(the_tokens_of_a_word_count_together)
{
    static char text[] = "aabb ccdd eeff gghh";
    static const float totals[] = { 0.15f, 0.15f, 0, 0, 0, 0, 0, 0, 5 };
    const Buf source = { .data = text, .len = strlen(text) };
    Range ranges[9];

    for (size_t i = 0; i < 8; i++) ranges[i] = (Range){ i / 2 * 5 + i % 2 * 2, i / 2 * 5 + i % 2 * 2 + 2 };
    ranges[8] = (Range){ source.len, source.len };
    assert_int_equal(line_flags_of_attention(totals, ranges, 9, &source), 0);
    assert_int_equal(line_flags_of_attention(totals + 1, ranges + 1, 8, &source), DRAGOMAN_FLAG_UNCOVERED);
}

TEST(every_flag_has_a_name)
{
    static const char *const names[] = { "loop", "cut", "short", "long", "copy", "uncovered", "numbers" };

    for (unsigned i = 0; i < COUNT(names); i++) assert_string_equal(dragoman_flag_name(1u << i), names[i]);
    assert_null(dragoman_flag_name(1u << COUNT(names)));
    assert_null(dragoman_flag_name(3));
    assert_int_equal(line_flags_count(DRAGOMAN_FLAG_LOOP | DRAGOMAN_FLAG_COPY), 2);
}

TESTS(test_line_flags);
