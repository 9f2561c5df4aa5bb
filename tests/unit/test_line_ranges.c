/* test_line_ranges.c - the bytes of tokens in lines that are split, cut or passed on to other models. The words of the
 * fake tokenizer are its tokens; it writes a word together with the space before it. */
#include "scheduler_bench.h"

#include "alignment.h"

static Bench bench_of(size_t stages)
{
    Bench b = bench_of_models(stages);

    b.rules.ranges = b.later_rules.ranges = true;
    return b;
}

/* Compares ranges of the text, each shown as its place and "its bytes", with `want`. */
static void check(const RangeList *ranges, const Buf *text, const char *want)
{
    Buf got = { 0 };

    for (size_t i = 0; i < ranges->len; i++) {
        const Range range = ranges->data[i];
        assert_true(range.begin <= range.end && range.end <= text->len);
        buf_put_format(&got, "%s%zu\"%.*s\"", i ? " " : "", range.begin, (int)(range.end - range.begin),
                       text->data + range.begin);
    }
    assert_string_equal(got.data ? got.data : "", want);
    buf_free(&got);
}

TEST(are_not_kept_unless_asked_for)
{
    Bench b = bench_of(2);
    Line *line;

    b.rules.ranges = b.later_rules.ranges = false;
    line = translate_one(&b, "1 2.");
    assert_null(line->source_ranges.data);
    assert_null(line->translations[0].ranges.data);
    assert_int_equal(line->pivots[0].ids.len + line->pivots[0].source_ids.len, 0);
    assert_null(line->pivots[0].ranges.data);
    assert_null(line->pivots[0].source_ranges.data);
    stop_with(&b, line);
}

/* A text and its tokens with their places in it and, unless NULL, in its translation. */
static const struct {
    const char *about, *text;
    size_t limit, segments;
    bool splits; /* into sentences */
    const char *source, *target;
} cases[] = {
    { "white space belongs to no token of the source", "  1   x 2  ", 40, 1, false, "2\"1\" 8\"2\" 11\"\"",
      "0\"1\" 1\" 2\" 3\"\"" },
    { "all parts of a line that is cut", "1 2. 3 4 5. 6 7", 4, 3, false,
      "0\"1\" 2\"2.\" 5\"3\" 7\"4\" 9\"5.\" 12\"6\" 14\"7\" 15\"\"",
      "0\"1\" 1\" 2.\" 4\"\" 4\" 3\" 6\" 4\" 8\" 5.\" 11\"\" 11\" 6\" 13\" 7\" 15\"\"" },
    { "white space between sentences belongs to none", " 1 2.  3 4. 5 6. ", 40, 3, true,
      "1\"1\" 3\"2.\" 5\"\" 7\"3\" 9\"4.\" 11\"\" 12\"5\" 14\"6.\" 16\"\"",
      "1\"1\" 2\" 2.\" 5\"\" 7\"3\" 8\" 4.\" 11\"\" 12\"5\" 13\" 6.\" 16\"\"" },
    { "a language request is the same in every sentence", "7> 1 2. 3 4.", 40, 2, true,
      "0\"7>\" 3\"1\" 5\"2.\" 7\"\" 0\"7>\" 8\"3\" 10\"4.\" 12\"\"", NULL },
};

TEST(tokens_of_a_line_have_their_bytes)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        Bench b = bench_of(1);
        const DragomanTranslation *translation;
        Line *line;
        print_message("%s\n", cases[i].about);
        if (cases[i].splits) bench_split(&b);
        b.rules.limit = cases[i].limit;
        line = translate_one(&b, cases[i].text);
        translation = &line->translations[0];
        assert_int_equal(line->most_segments, cases[i].segments);
        assert_int_equal(translation->ranges.len, translation->ids.len);
        check(&line->source_ranges, &line->source, cases[i].source);
        if (cases[i].target) check(&translation->ranges, &translation->text, cases[i].target);
        if (cases[i].target && cases[i].splits) assert_string_equal(translation->text.data, cases[i].text);
        stop_with(&b, line);
    }
}

TEST(of_end_tokens_follow_the_last_token_of_a_text_that_is_cut_off)
{
    static const struct {
        const char *text, *source;
    } cropped[] = {
        { "a 5 6 7 8 9", "2\"5\" 4\"6\" 6\"7\" 7\"\"" },
        { "a 5 6 7 8 9. 5 6.", "2\"5\" 4\"6\" 6\"7\" 7\"\" 13\"5\" 15\"6.\" 17\"\"" },
        { "a 5 123456 6 7 8 123457 9", "2\"5\" 11\"6\" 13\"7\" 14\"\"" },
    };

    for (size_t i = 0; i < COUNT(cropped); i++) {
        Bench b = bench_of(1);
        Line *line;
        bench_split(&b);
        b.rules.limit = 4;
        b.rules.crops = b.rules.keeps_numbers = true;
        line = translate_one(&b, cropped[i].text);
        check(&line->source_ranges, &line->source, cropped[i].source);
        stop_with(&b, line);
    }
}

TEST(belong_to_each_of_the_n_best)
{
    Bench b = bench_of(1);
    Line *line;

    b.params = (SearchParams){ .beams = 3, .n_best = 2 };
    line = translate_one(&b, "9 10");
    check(&line->translations[0].ranges, &line->translations[0].text, "0\"9\" 1\" 10\" 4\"\"");
    check(&line->translations[1].ranges, &line->translations[1].text, "0\"10\" 2\" 11\" 5\"\"");
    stop_with(&b, line);
}

TEST(connect_the_models_of_a_pipeline)
{
    Bench b = bench_of(3);
    const LinePivot *pivots;
    Line *line;

    b.later_rules.limit = 3;
    line = translate_one(&b, "  1   2. 3");
    pivots = line->pivots;
    assert_string_equal(pivots[0].text.data, "1 2. 3");
    check(&line->source_ranges, &line->source, "2\"1\" 6\"2.\" 9\"3\" 10\"\"");
    check(&pivots[0].ranges, &pivots[0].text, "0\"1\" 1\" 2.\" 4\" 3\" 6\"\"");
    check(&pivots[0].source_ranges, &pivots[0].text, "0\"1\" 2\"2.\" 5\"3\" 6\"\"");
    check(&pivots[1].ranges, &pivots[1].text, "0\"1\" 1\" 2.\" 4\"\" 4\" 3\" 6\"\"");
    check(&pivots[1].source_ranges, &pivots[1].text, "0\"1\" 2\"2.\" 5\"3\" 6\"\"");
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(pivots[i].ids.len, pivots[i].ranges.len);
        assert_int_equal(pivots[i].source_ids.len, pivots[i].source_ranges.len);
    }
    assert_int_equal(pivots[1].source_ids.data[1], 1002);
    check(&line->translations[0].ranges, &line->translations[0].text, "0\"1\" 1\" 2.\" 4\"\" 4\" 3\" 6\"\"");
    stop_with(&b, line);
}

TEST(of_a_text_that_no_model_wrote_are_missing)
{
    Bench b = bench_of(2);
    Line *line = translate_one(&b, "word");

    assert_int_equal(line->pivot_count, 1);
    assert_int_equal(line->pivots[0].ids.len, 0);
    assert_int_equal(line->pivots[0].ranges.len, 0);
    stop_with(&b, line);
}

TEST(of_pieces_are_those_of_the_written_pieces)
{
    Bench b = bench_of(1);
    Line *line;

    b.rules.pieces_out = true;
    line = translate_one(&b, "1 2.");
    check(&line->translations[0].ranges, &line->translations[0].text, "0\"\u25811\" 5\"\u25812.\" 10\"\"");
    stop_with(&b, line);
}

TEST(follow_the_replacement_of_ill_formed_bytes)
{
    static const char bytes[] = "a\xff\xe3\x81z\xc3\xa4";
    const Range ranges[] = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 4 }, { 4, 5 }, { 5, 6 }, { 6, 7 }, { 7, 7 } };
    RangeList list = { 0 };
    Buf text = { 0 }, clean = { 0 };
    size_t replaced, *offsets;
    Err err;

    buf_put_text(&text, bytes);
    buf_put_clean(&clean, bytes, strlen(bytes), &replaced);
    assert_ok(clean_offsets_new(&offsets, &text, &err), &err);
    for (size_t i = 0; i < COUNT(ranges); i++) LIST_PUT(&list, clean_offsets_range(offsets, ranges[i]));
    check(&list, &clean, "0\"a\" 1\"\xef\xbf\xbd\" 4\"\xef\xbf\xbd\" 7\"\" 7\"z\" 8\"\xc3\" 9\"\xa4\" 10\"\"");
    free(offsets);
    ranges_free(&list);
    buf_free(&text);
    buf_free(&clean);
}

TEST(that_begin_in_a_language_request_lose_their_part_of_it)
{
    static const char text[] = ">>x<< one. two";
    const Range ranges[] = { { 0, 5 }, { 5, 9 }, { 0, 0 }, { 9, 9 } };
    RangeList list = { 0 };
    Buf line = { 0 };
    Err err;

    buf_put_text(&line, text);
    assert_ok(token_ranges_add(&list, ranges, COUNT(ranges), (TextPlace){ 0, 6, 11 }, &err), &err);
    check(&list, &line, "0\">>x<<\" 11\"two\" 0\"\" 14\"\"");
    ranges_free(&list);
    buf_free(&line);
}

TESTS(test_line_ranges);
