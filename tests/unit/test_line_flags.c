/* test_line_flags.c - translator/line_judge.c: what is a sign of a bad translation, what only looks like one, and the
 * features and the confidence of a line. */
#include "ranges.h"
#include "test_support.h"

#include <math.h>

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

/* The ids of a source and of its translation, of at most `limit` tokens, and the flags. */
static const struct {
    const char *source, *target;
    size_t limit;
    unsigned flags;
} ids_rows[] = {
    /* Translations that repeat one token, two, a clause, or a clause with other tokens between */
    { "11 12 13 14 15 16 17 18 0", "5 6 7*4 0", ROOMY, DRAGOMAN_FLAG_LOOP },
    { "11 12 13 14 15 16 17 18 0", "5 6 7 6 7 6 7 0", ROOMY, DRAGOMAN_FLAG_LOOP },
    { "11 12 13 14 15 16 17 18 0", "1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9", ROOMY, DRAGOMAN_FLAG_LOOP },
    { "11 12 13 14 15 16 17 18 0", "1 2 3 4 9 1 2 3 4 8 1 2 3 4 7 1 2 3 4 6 0", ROOMY, DRAGOMAN_FLAG_LOOP },
    /* Repetition that is common, or that of the source: "...", "000"; "sehr, sehr"; ha ha ha ha ha; a list, in other
     * pieces; a term, three times; and four times */
    { "11 12 13 0", "5 6*3 7 0", ROOMY, 0 },
    { "11 12 11 12 0", "5 6 5 6 0", ROOMY, 0 },
    { "11*5 0", "5*6 0", ROOMY, 0 },
    { "11 12 11 12 11 12 0", "5 6 7 5 6 7 5 6 7 0", ROOMY, 0 },
    { "11 12 13 14 15 16 17 0", "1 2 3 4 9 1 2 3 4 8 1 2 3 4 7 0", ROOMY, 0 },
    { "11 12 13 14 9 11 12 13 14 8 11 12 13 14 0", "1 2 3 4 9 1 2 3 4 8 1 2 3 4 7 1 2 3 4 0", ROOMY, 0 },
    /* Translations of maximal length */
    { "11 12 13", "5 6 7", 3, DRAGOMAN_FLAG_CUT },
    { "11 12 13", "5 6 7", 4, 0 },
    /* Lengths that are far from that of the source */
    { "11*39", "5 6 7 8 9 5 7 6 9 0", ROOMY, DRAGOMAN_FLAG_SHORT },
    { "11*38", "5 6 7 8 9 5 7 6 9 0", ROOMY, 0 },
    { "5 6 7 8 9 5 7 6 9 0", "11*39", ROOMY, DRAGOMAN_FLAG_LONG | DRAGOMAN_FLAG_LOOP },
    { "11 0", "1 2 3 4 5 6 7 8 9 10 12 13 14 0", ROOMY, 0 },
};

TEST(ids_show_loops_cuts_and_lengths)
{
    for (size_t i = 0; i < COUNT(ids_rows); i++) {
        print_message("%s: %s\n", ids_rows[i].source, ids_rows[i].target);
        assert_int_equal(flags_of(ids_rows[i].source, ids_rows[i].target, ids_rows[i].limit), ids_rows[i].flags);
    }
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

/* A source, a translation (NULL: the same text), and whether it is a copy: names, numbers and addresses may be the
 * same. */
static const struct {
    const char *source, *target;
    bool is_copy;
} copies[] = {
    { "the cat sat on the mat", NULL, true },
    { "We see that the cat sat on the mat.", "Wir see that the cat sat on the mat.", true },
    { "今天天气很好", NULL, true },
    { "Angela Merkel, Emmanuel Macron, Joe Biden", NULL, false },
    { "1 234 567,89 + 12", NULL, false },
    { "https://example.org/the/cat a@b.org www.example.org/x", NULL, false },
    { "taxi", NULL, false },
    { "", NULL, false },
    { "...", NULL, false },
    { "NASA ESA JAXA CNSA", NULL, false },
    { "the cat in New York", "die Katze in New York", false },
};

TEST(text_that_stays_in_its_language_is_a_copy)
{
    for (size_t i = 0; i < COUNT(copies); i++) {
        Buf source = { 0 }, target = { 0 };
        print_message("%s\n", copies[i].source);
        buf_put_text(&source, copies[i].source);
        buf_put_text(&target, copies[i].target ? copies[i].target : copies[i].source);
        assert_int_equal(line_flags_of_texts(&source, &target), copies[i].is_copy ? DRAGOMAN_FLAG_COPY : 0);
        buf_free(&source);
        buf_free(&target);
    }
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
    static const char *const names[] = { "loop",      "cut",     "short", "long",   "copy",
                                         "uncovered", "numbers", "term",  "chatter" };

    for (unsigned i = 0; i < COUNT(names); i++) assert_string_equal(dragoman_flag_name(1u << i), names[i]);
    assert_null(dragoman_flag_name(1u << COUNT(names)));
    assert_null(dragoman_flag_name(3));
}

/* --- Features and confidence. */

static const float scores[] = { 0, -1, -3, -2, -0.5f };
static const TokenSpread spread[] = { { INFINITY, 0 }, { 2, 1 }, { 1, 0.5f }, { 3, 0 }, { INFINITY, 0.25f } };

TEST(forced_tokens_do_not_count)
{
    FeatureSums sums = { 0 };
    double f[CALIBRATION_FEATURES];

    line_features_add(&sums, scores, spread, COUNT(scores));
    line_features(&sums, f);
    assert_int_equal(sums.tokens, 3);
    assert_true(f[0] == -2 && f[1] == -3);
    assert_true(fabs(f[2] - sqrt(2.0 / 3)) < 1e-6);
    assert_true(f[3] == 2 && f[4] == 0.5);
}

TEST(segments_add_up)
{
    FeatureSums whole = { 0 }, first = { 0 }, second = { 0 }, none = { 0 }, sums = { 0 };
    double a[CALIBRATION_FEATURES], b[CALIBRATION_FEATURES];

    line_features_add(&whole, scores, spread, COUNT(scores));
    line_features_add(&first, scores, spread, 2);
    line_features_add(&second, scores + 2, spread + 2, 3);
    line_features_join(&sums, &none);
    line_features_join(&sums, &first);
    line_features_join(&sums, &none);
    line_features_join(&sums, &second);
    line_features(&whole, a);
    line_features(&sums, b);
    assert_memory_equal(a, b, sizeof a);
}

TEST(confidence_is_the_logistic_function_of_the_features)
{
    const ConfidenceFit fit = { .weights = { 1, 2, 3, 4, 5 }, .bias = -0.25 };
    FeatureSums sums = { 0 };
    double z, features[CALIBRATION_FEATURES];

    assert_true(isnan(line_features_confidence(&sums, &fit)));
    line_features_add(&sums, scores, spread, COUNT(scores));
    line_features(&sums, features);
    z = -0.25 - 2 - 2 * 3 + 3 * features[2] + 4 * 2 + 5 * 0.5;
    assert_true(fabs(line_features_confidence(&sums, &fit) - 1 / (1 + exp(-z))) < 1e-12);
    assert_true(isnan(line_features_confidence(&sums, NULL)));
}

TESTS(test_line_flags);
