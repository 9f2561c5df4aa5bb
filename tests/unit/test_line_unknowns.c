/* test_line_unknowns.c - unknown tokens that are replaced by source tokens. Target token t of the fake session attends
 * to source token t of its segment, or to all alike if there is no such token. With a prefix of p tokens, target token
 * p + i is source token i of rank 0; that of rank r is r more. */
#include "scheduler_bench.h"

#define UNKNOWN 41

static const int32_t one[] = { UNKNOWN }, two[] = { 6, UNKNOWN };

static Bench bench_of(size_t stages, const int32_t *prefix, size_t prefix_len)
{
    Bench b = bench_of_models(stages);

    b.rules.ranges = b.later_rules.ranges = true;
    b.rules.unknowns = stages == 1;
    b.later_rules.unknowns = true;
    b.stages[stages - 1].prefix = prefix;
    b.stages[stages - 1].prefix_len = prefix_len;
    fake_unknown = UNKNOWN;
    return b;
}

static void stop(Bench *b, Line *line)
{
    stop_with(b, line);
    fake_unknown = -1;
}

/* Compares a translation and the bytes of its tokens, with | between them, with `want`. */
static void check(const Line *line, size_t rank, const char *text, const char *want)
{
    const DragomanTranslation *t = &line->translations[rank];
    Buf got = { 0 };

    assert_string_equal(t->text.data, text);
    for (size_t i = 0; i < t->ranges.len; i++) {
        const Range range = t->ranges.data[i];
        assert_true(range.begin <= range.end && range.end <= t->text.len);
        buf_put_format(&got, "%s%.*s", i ? "|" : "", (int)(range.end - range.begin), t->text.data + range.begin);
    }
    assert_string_equal(got.data ? got.data : "", want);
    buf_free(&got);
}

static const int32_t fourth[] = { 1, 2, 3, UNKNOWN };

/* A prefix and a text, and its translations. */
static const struct {
    const char *about;
    const int32_t *prefix;
    size_t prefix_len, n_best;
    const char *flags, *text, *translations[3][2]; /* "left": unknown tokens stay; "aligned": with an alignment */
} cases[] = {
    { "left alone unless asked for", one, 1, 1, "left", "5 6", { { "41 5 6", "41| 5| 6|" } } },
    { "the most attention", two, 2, 1, "", "7 8 9", { { "6 8 7 8 9", "6| 8| 7| 8| 9|" } } },
    { "the first of equals: no token is number 3",
      fourth,
      4,
      1,
      "",
      "7 8",
      { { "1 2 3 7 7 8", "1| 2| 3| 7| 7| 8|" } } },
    { "not the end token, which has the attention", two, 2, 1, "", "7", { { "6 7 7", "6| 7| 7|" } } },
    { "each translation",
      NULL,
      0,
      3,
      "",
      "40 39 41",
      { { "40 39 41", "40| 39| 41|" }, { "40 40 42", "40| 40| 42|" }, { "42 39 43", "42| 39| 43|" } } },
    { "an alignment that is asked for",
      NULL,
      0,
      2,
      "aligned",
      "40 39 5",
      { { "40 39 5", "40| 39| 5|" }, { "40 40 6", "40| 40| 6|" } } },
};

TEST(the_token_with_the_most_attention_replaces_them)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        Bench b = bench_of(1, cases[i].prefix, cases[i].prefix_len);
        const bool aligned = !strcmp(cases[i].flags, "aligned");
        Line *line;
        print_message("%s\n", cases[i].about);
        b.rules.unknowns = strcmp(cases[i].flags, "left") != 0;
        b.rules.attention = aligned;
        b.params.n_best = cases[i].n_best;
        line = translate_one(&b, cases[i].text);
        assert_int_equal(line->count, cases[i].n_best);
        for (size_t k = 0; k < line->count; k++) {
            const char *const *expected = cases[i].translations[k];
            check(line, k, expected[0], expected[1]);
            assert_int_equal(line->translations[k].alignment.count, aligned);
        }
        if (cases[i].prefix_len) assert_int_equal(line->translations[0].ids.data[cases[i].prefix_len - 1], UNKNOWN);
        stop(&b, line);
    }
}

TEST(sentences_and_parts_have_their_own_sources)
{
    Bench b = bench_of(1, NULL, 0);
    Line *line;

    bench_split(&b);
    b.params.n_best = 2;
    b.rules.limit = 3;
    line = translate_one(&b, "1 40 39 2. 40 3");
    check(line, 1, "2 40 40 3. 40 4", "2| 40|| 40| 3.||40| 4|");
    stop(&b, line);
}

TEST(the_last_model_replaces_them)
{
    Bench b = bench_of(2, two, 2);
    Line *line;

    b.stages[0].prefix = one; /* "41 7 8" for the second model, which copies 41 */
    b.stages[0].prefix_len = 1;
    line = translate_one(&b, "7 8");
    assert_string_equal(line->pivots[0].text.data, "41 7 8");
    check(line, 0, "6 7 8 7 8", "6| 7| 8| 7| 8|");
    stop(&b, line);
}

TEST(pieces_are_those_of_the_source)
{
    static const char *const texts[][3] = {
        { "7 8", "\u25816 \u25818 \u25817 \u25818", "\u25816|\u25818|\u25817|\u25818|" },
        { "07 08", "\u25816 08 \u25817 \u25818", "\u25816|08|\u25817|\u25818|" }, /* as the user gave them */
    };

    for (size_t i = 0; i < COUNT(texts); i++) {
        Bench b = bench_of(1, two, 2);
        Line *line;
        b.rules.pieces_in = i;
        b.rules.pieces_out = true;
        line = translate_one(&b, texts[i][0]);
        check(line, 0, texts[i][1], texts[i][2]);
        stop(&b, line);
    }
}

TEST(kept_ranges_replace_nothing)
{
    static const char *const names[] = { "X1", "X2", NULL };
    Span kept = span_at(DRAGOMAN_SPAN_KEPT, (Range){ 2, 6 });
    const DragomanRequest request = { .text = { "7 KEPT 8", 8 }, .kept = { .data = &kept, .len = 1 } };
    Bench b = bench_of(1, two, 2); /* attends to KEPT */
    Line *line;
    Err err;

    b.rules.names = names;
    bench_start(&b);
    assert_ok(submit_request(&b, &request, 0, &err), &err);
    line = next_ok(&b);
    check(line, 0, "6 7 7 KEPT 8", "6| 7| 7| KEPT| 8|");
    assert_int_equal(line->translations[0].items.data[0].place.begin, 6);
    stop(&b, line);
}

/* Replaces the unknown ids of a decoded text, whose source is "12 34", by 34. */
static void check_text(const char *text, int32_t *ids, size_t count, Range *ranges, const char *want)
{
    Bench b = bench_of(1, NULL, 0);
    Line *line = translate_one(&b, "12 34");
    const IdList id_list = { .data = ids, .len = count };
    RangeList range_list = { .data = ranges, .len = count };
    UnknownList list = { 0 };
    Buf out = { 0 };
    Err err;

    for (size_t i = 0; i < count; i++)
        if (ids[i] == UNKNOWN) LIST_PUT(&list, ((UnknownToken){ i, 1 }));
    buf_put_text(&out, text);
    assert_ok(line_unknowns_put(&list, line, &b.rules,
                                &(DecodedIds){ .ids = &id_list, .text = &out, .ranges = &range_list }, &err),
              &err);
    assert_string_equal(out.data, want);
    for (size_t i = 0, at = 0; i < count; at = ranges[i++].end)
        assert_true(at <= ranges[i].begin && ranges[i].begin <= ranges[i].end && ranges[i].end <= out.len);
    buf_free(&out);
    free(list.data);
    stop(&b, line);
}

TEST(words_are_separated_by_one_space)
{
    static int32_t first[] = { UNKNOWN, 1 }, middle[] = { 1, UNKNOWN, 2 }, run[] = { UNKNOWN, UNKNOWN, 1 };

    /* Special tokens have no text; the first word lost its space. */
    check_text("1", first, 2, (Range[]){ { 0, 0 }, { 0, 1 } }, "34 1");
    check_text("1 2", middle, 3, (Range[]){ { 0, 1 }, { 1, 1 }, { 1, 3 } }, "1 34 2");
    check_text("1", run, 3, (Range[]){ { 0, 0 }, { 0, 0 }, { 0, 1 } }, "34 34 1");
    check_text("", first, 1, (Range[]){ { 0, 0 } }, "34");
    /* SentencePiece's own text of the unknown token. */
    check_text("1 ?  2", middle, 3, (Range[]){ { 0, 1 }, { 1, 4 }, { 4, 6 } }, "1 34 2");
    check_text("?  1", first, 2, (Range[]){ { 0, 2 }, { 2, 4 } }, "34 1");
    /* Words, between which the space belongs to no token. */
    check_text("1 ? 2", middle, 3, (Range[]){ { 0, 1 }, { 2, 3 }, { 4, 5 } }, "1 34 2");
}

TESTS_WITH(test_line_unknowns, start_alarm, NULL);
