/* test_line_ranges.c - the bytes of tokens in lines that are split, cut or passed on to other models. The words of the
 * fake tokenizer are its tokens; it writes a word together with the space before it. */
#include "scheduler_bench.h"

#include "sentences.h"
#include "alignment.h"

static Bench bench_of(size_t stages)
{
    Bench b = bench_defaults();

    b.setup.stage_count = b.setup.line_stages = stages;
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

static void are_not_kept_unless_asked_for(void **state)
{
    Bench b = bench_of(2);
    Line *line;

    (void)state;
    b.rules.ranges = b.later_rules.ranges = false;
    line = translate_one(&b, "1 2.");
    assert_null(line->source_ranges.data);
    assert_null(line->translations[0].ranges.data);
    assert_int_equal(line->pivots[0].ids.len + line->pivots[0].source_ids.len, 0);
    assert_null(line->pivots[0].ranges.data);
    assert_null(line->pivots[0].source_ranges.data);
    stop_with(&b, line);
}

static void keep_the_white_space_of_the_line_apart(void **state)
{
    Bench b = bench_of(1);
    Line *line = translate_one(&b, "  1   x 2  ");

    (void)state;
    check(&line->source_ranges, &line->source, "2\"1\" 8\"2\" 11\"\"");
    check(&line->translations[0].ranges, &line->translations[0].text, "0\"1\" 1\" 2\" 3\"\"");
    stop_with(&b, line);
}

static void cover_all_parts_of_a_line_that_is_cut(void **state)
{
    Bench b = bench_of(1);
    Line *line;

    (void)state;
    b.rules.limit = 4;
    line = translate_one(&b, "1 2. 3 4 5. 6 7");
    assert_int_equal(line->most_segments, 3);
    check(&line->source_ranges, &line->source, "0\"1\" 2\"2.\" 5\"3\" 7\"4\" 9\"5.\" 12\"6\" 14\"7\" 15\"\"");
    check(&line->translations[0].ranges, &line->translations[0].text,
          "0\"1\" 1\" 2.\" 4\"\" 4\" 3\" 6\" 4\" 8\" 5.\" 11\"\" 11\" 6\" 13\" 7\" 15\"\"");
    assert_int_equal(line->translations[0].ranges.len, line->translations[0].ids.len);
    stop_with(&b, line);
}

static void belong_to_each_of_the_n_best(void **state)
{
    Bench b = bench_of(1);
    Line *line;

    (void)state;
    b.params = (SearchParams){ .beams = 3, .n_best = 2 };
    line = translate_one(&b, "9 10");
    check(&line->translations[0].ranges, &line->translations[0].text, "0\"9\" 1\" 10\" 4\"\"");
    check(&line->translations[1].ranges, &line->translations[1].text, "0\"10\" 2\" 11\" 5\"\"");
    stop_with(&b, line);
}

static Line *translate_sentences(Bench *b, const char *text)
{
    Err err;

    assert_ok(sentences_new(&b->rules.sentences, "en", &err), &err);
    return translate_one(b, text);
}

static void stop_sentences(Bench *b, Line *line)
{
    Sentences *sentences = b->rules.sentences;

    stop_with(b, line);
    sentences_free(sentences);
}

static void leave_out_the_white_space_between_sentences(void **state)
{
    Bench b = bench_of(1);
    Line *line = translate_sentences(&b, " 1 2.  3 4.\t5 6. ");

    (void)state;
    assert_int_equal(line->most_segments, 3);
    check(&line->source_ranges, &line->source, "1\"1\" 3\"2.\" 5\"\" 7\"3\" 9\"4.\" 11\"\" 12\"5\" 14\"6.\" 16\"\"");
    assert_string_equal(line->translations[0].text.data, " 1 2.  3 4.\t5 6. ");
    check(&line->translations[0].ranges, &line->translations[0].text,
          "1\"1\" 2\" 2.\" 5\"\" 7\"3\" 8\" 4.\" 11\"\" 12\"5\" 13\" 6.\" 16\"\"");
    stop_sentences(&b, line);
}

static void of_a_language_request_are_the_same_in_every_sentence(void **state)
{
    Bench b = bench_of(1);
    Line *line = translate_sentences(&b, "7> 1 2. 3 4.");

    (void)state;
    assert_int_equal(line->most_segments, 2);
    check(&line->source_ranges, &line->source, "0\"7>\" 3\"1\" 5\"2.\" 7\"\" 0\"7>\" 8\"3\" 10\"4.\" 12\"\"");
    stop_sentences(&b, line);
}

static void connect_the_models_of_a_pipeline(void **state)
{
    Bench b = bench_of(3);
    const LinePivot *pivots;
    Line *line;

    (void)state;
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

static void of_a_text_that_no_model_wrote_are_missing(void **state)
{
    Bench b = bench_of(2);
    Line *line = translate_one(&b, "word");

    (void)state;
    assert_int_equal(line->pivot_count, 1);
    assert_int_equal(line->pivots[0].ids.len, 0);
    assert_int_equal(line->pivots[0].ranges.len, 0);
    stop_with(&b, line);
}

static void of_pieces_are_those_of_the_written_pieces(void **state)
{
    Bench b = bench_of(1);
    Line *line;

    (void)state;
    b.rules.pieces_out = true;
    line = translate_one(&b, "1 2.");
    check(&line->translations[0].ranges, &line->translations[0].text,
          "0\"\xe2\x96\x81"
          "1\" 5\"\xe2\x96\x81"
          "2.\" 10\"\"");
    stop_with(&b, line);
}

static void follow_the_replacement_of_ill_formed_bytes(void **state)
{
    static const char text[] = "a\xff\xe3\x81z";
    const Range ranges[] = { { 0, 1 }, { 1, 2 }, { 2, 4 }, { 4, 5 } };
    RangeList list = { 0 };
    Buf clean = { 0 };
    size_t replaced;
    Err err;

    (void)state;
    buf_put_clean(&clean, text, strlen(text), &replaced);
    assert_ok(token_ranges_add(&list, ranges, COUNT(ranges), (TextPlace){ 0 }, &err), &err);
    for (size_t i = 0; i < list.len; i++) assert_ok(token_ranges_clean(&list.data[i], text, &err), &err);
    check(&list, &clean, "0\"a\" 1\"\xef\xbf\xbd\" 4\"\xef\xbf\xbd\" 7\"z\"");
    ranges_free(&list);
    buf_free(&clean);
}

static void that_begin_in_a_language_request_lose_their_part_of_it(void **state)
{
    static const char text[] = ">>x<< one. two";
    const Range ranges[] = { { 0, 5 }, { 5, 9 }, { 0, 0 }, { 9, 9 } };
    RangeList list = { 0 };
    Buf line = { 0 };
    Err err;

    (void)state;
    buf_put_text(&line, text);
    assert_ok(token_ranges_add(&list, ranges, COUNT(ranges), (TextPlace){ 0, 6, 11 }, &err), &err);
    check(&list, &line, "0\">>x<<\" 11\"two\" 0\"\" 14\"\"");
    ranges_free(&list);
    buf_free(&line);
}

TEST_FILE(test_line_ranges)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_not_kept_unless_asked_for),
        cmocka_unit_test(keep_the_white_space_of_the_line_apart),
        cmocka_unit_test(cover_all_parts_of_a_line_that_is_cut),
        cmocka_unit_test(belong_to_each_of_the_n_best),
        cmocka_unit_test(leave_out_the_white_space_between_sentences),
        cmocka_unit_test(of_a_language_request_are_the_same_in_every_sentence),
        cmocka_unit_test(connect_the_models_of_a_pipeline),
        cmocka_unit_test(of_a_text_that_no_model_wrote_are_missing),
        cmocka_unit_test(of_pieces_are_those_of_the_written_pieces),
        cmocka_unit_test(follow_the_replacement_of_ill_formed_bytes),
        cmocka_unit_test(that_begin_in_a_language_request_lose_their_part_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
