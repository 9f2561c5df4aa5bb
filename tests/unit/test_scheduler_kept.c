/* test_scheduler_kept.c - translator/line_kept.c and what it needs of the scheduler: every item
 * comes out exactly once, whatever the model does with the stand-ins. In the lines of these tests, [ and ] enclose
 * items. */
#include "scheduler_bench.h"

static const char *const names[] = { "X1", "X2", "X3", NULL };
static const LineRules located = { .attention = true };

static Bench bench_of(size_t models)
{
    Bench b = bench_defaults();

    b.params.max_length = 1000;
    b.rules.names = b.later_rules.names = names;
    b.setup.models = models;
    for (size_t i = 0; i < models; i++) b.stages[STAGE_LOCATED * models + i].rules = &located;
    return b;
}

typedef struct {
    char text[256];
    Span items[16];
    size_t len, count;
} Marked;

static Marked read_marked(const char *marked)
{
    Marked m = { .len = 0 };

    for (; *marked; marked++) {
        if (*marked == '[')
            m.items[m.count].source.begin = m.len;
        else if (*marked == ']')
            m.items[m.count++].source.end = m.len;
        else
            m.text[m.len++] = *marked;
    }
    for (size_t i = 0; i < m.count; i++) m.items[i].place = m.items[i].source;
    return m;
}

static Status submit_marked(Bench *b, const char *marked, Err *err)
{
    Marked m = read_marked(marked);
    const DragomanRequest request = { .text = { m.text, m.len }, .kept = { .data = m.items, .len = m.count } };

    return submit_request(b, &request, 0, err);
}

/* Checks translation `rank`, in which [ and ] are around the places that the line gives for the items. */
static void check_rank(const Line *line, size_t rank, const char *expected)
{
    size_t length, count;
    const char *text = dragoman_line_translation(line, rank, &length);
    const Span *kept = dragoman_line_kept(line, rank, &count);
    char marked[512];
    size_t at = 0;

    if (!dragoman_line_count(line))
        text = line->pivot_count ? dragoman_line_pivot(line, line->pivot_count - 1, &length)
                                 : dragoman_line_source(line, &length);
    for (size_t i = 0; i <= length; i++) {
        for (size_t k = 0; k < count; k++)
            if (kept[k].kind == DRAGOMAN_SPAN_KEPT && kept[k].place.end == i) marked[at++] = ']';
        for (size_t k = 0; k < count; k++)
            if (kept[k].kind == DRAGOMAN_SPAN_KEPT && kept[k].place.begin == i) marked[at++] = '[';
        if (i < length) marked[at++] = text[i];
    }
    marked[at] = '\0';
    assert_string_equal(marked, expected);
}

static Line *translate(Bench *b, const char *marked)
{
    Err err = { "" };

    assert_ok(submit_marked(b, marked, &err), &err);
    return next_ok(b);
}

static void expect(Bench *b, const char *marked, const char *expected)
{
    Line *line = translate(b, marked);

    check_rank(line, 0, expected);
    line_free(line);
}

/* Lines that come back as they are, and how many sessions it takes: two if an attempt without stand-ins follows. */
static const struct {
    const char *line;
    size_t sessions, segments; /* `segments`: of the line, if they are checked */
    bool splits;               /* into sentences */
    bool is_nameless;          /* there are no stand-ins */
} kept_lines[] = {
    /* Stand-ins that are copied become the items. */
    { .line = "5 [a b] 6 [%s] 7", .sessions = 1 },
    { .line = "[a] 5 6 [b]", .sessions = 1 },
    { .line = "X1 5 [a] 6", .sessions = 1 },
    /* Items that were lost or doubled are inserted. */
    { .line = "5 904 [a b] 6 7", .sessions = 2 },
    { .line = "5 905 [%s] 6 [b] 7", .sessions = 2 },
    { .line = "[a] 904 5", .sessions = 2 },
    { .line = "904 5 [a]", .sessions = 2 },
    { .line = "904 ([a]) 5", .sessions = 2 },
    /* There are not enough names, or none. */
    { .line = "1 [a] 2 [b] 3 [c] 4 [d] 5", .sessions = 1 },
    { .line = "5 [a] 6 7", .sessions = 1, .is_nameless = true },
    /* Only the sentence that fails is translated again. */
    { .line = "1 [a] 2. 904 [b] 4. 5 6.", .sessions = 2, .splits = true },
    { .line = "904 [a] 2. 904 [b] 4. 5 [c] 6.", .sessions = 2, .splits = true },
    /* Items divide no sentence. */
    { .line = "1 2. 3 [a. b] 4. 5 6.", .sessions = 1, .segments = 3, .splits = true },
    /* Items and marks alone are copied. */
    { .line = "  [a]: [b]. " },
    { .line = "[a] ([b]). 3 [c] 4.", .sessions = 1, .splits = true },
    { .line = "[ ]", .splits = true },
};

TEST(lines_have_all_their_items)
{
    for (size_t i = 0; i < COUNT(kept_lines); i++) {
        Bench b = bench_of(1);
        Line *line;
        print_message("%s\n", kept_lines[i].line);
        b.setup.workers = 1;
        if (kept_lines[i].is_nameless) b.rules.names = NULL;
        if (kept_lines[i].splits) bench_split(&b);
        bench_start(&b);
        line = translate(&b, kept_lines[i].line);
        check_rank(line, 0, kept_lines[i].line);
        if (kept_lines[i].segments) assert_int_equal(line->most_segments, kept_lines[i].segments);
        assert_int_equal(fake_sessions, kept_lines[i].sessions);
        stop_with(&b, line);
    }
}

TEST(no_space_follows_a_full_width_mark)
{
    Bench b = bench_of(1);

    bench_split(&b);
    bench_start(&b);
    expect(&b, "1 [a。] 2. [b] 3 [c。]  4.", "1 [a。]2. [b] 3 [c。]  4.");
    bench_stop(&b);
}

TEST(the_copy_of_a_line_has_no_language_request)
{
    static const char *const lines[][2] = { { "7> [a]: [b].", "[a]: [b]." },
                                            { "7> 5 | 6", "5 | 6" },
                                            { "7> 5.5 6.5", "5.5 6.5" } };

    for (size_t models = 1; models <= 2; models++) {
        Bench b = bench_of(models);
        b.rules.keeps_numbers = true;
        bench_split(&b);
        bench_start(&b);
        for (size_t i = 0; i < COUNT(lines); i++) expect(&b, lines[i][0], lines[i][1]);
        bench_stop(&b);
    }
}

TEST(all_of_the_best_translations_have_all_items)
{
    static const char *const lines[][3] = { { "5 [a] 6", "5 [a] 6", "6 [a] 7" },
                                            { "906 [a] 6", "906 [a] 6", "907 [a] 7" } };
    Bench b = bench_of(1);

    b.params.beams = b.params.n_best = 2;
    bench_start(&b);
    for (size_t i = 0; i < COUNT(lines); i++) {
        Line *line = translate(&b, lines[i][0]);
        assert_int_equal(line->count, 2);
        check_rank(line, 0, lines[i][1]);
        check_rank(line, 1, lines[i][2]);
        line_free(line);
    }
    bench_stop(&b);
}

/* The stages for located segments have no prefix. A second model may lose the names that the first one keeps. */
TEST(every_model_keeps_the_items)
{
    static const int32_t marks[] = { 41, FAKE_LOSES, 42 };
    static const struct {
        const char *line, *expected;
        const int32_t *mark; /* of the first model */
    } lines[] = {
        { "5 [a] 6 [b] 7", "42 41 5 [a] 6 [b] 7", marks },
        { "5 904 [a] 6 [b] 7", "5 904 [a] 6 [b] 7", marks },
        { "[a]", "[a]", marks },
        { "5 [a] 6", "904 5 [a] 6", marks + 1 },
    };

    for (size_t i = 0; i < COUNT(lines); i++) {
        Bench b = bench_of(2);
        mark(&b, 0, lines[i].mark);
        mark(&b, 1, marks + 2);
        bench_start(&b);
        expect(&b, lines[i].line, lines[i].expected);
        bench_stop(&b);
    }
}

TEST(a_cut_leaves_stand_ins_whole_and_finds_places)
{
    static const char *const lines[] = { "1 2 3 4 5 [a] 6 7 8 9 10 11 [b] 12", "1 904 3 4 [a] 6 7 8 9 904 11 [b] 12",
                                         "904 [a] 904 [b] 904 [c] 904 4 5" };

    for (size_t limit = 4; limit < 9; limit++) {
        Bench b = bench_of(1);
        b.rules.limit = limit;
        bench_start(&b);
        for (size_t i = 0; i < COUNT(lines); i++) expect(&b, lines[i], lines[i]);
        bench_stop(&b);
    }
}

TEST(what_is_cut_off_has_no_found_items)
{
    static const char *const lines[][2] = {
        { "a 5 6 7 8 123456", "5 6 7" },
        { "a 5 123456 7 8 123457", "5 123456 7" },
        { "a 904 123456 7 8 123457 123458", "904 123456 7 8" },
        { "a 5 6 7 8 12345 9. 5 123456 7.", "5 6 7 5 123456 7." },
        { "a 5 6 7 8 7.5 9", "5 6 7" },
        { "a 5 6 7 8 123456 9 [a]", "5 6 7 [a]" },
    };
    Bench b = bench_of(1);

    b.rules.limit = 4;
    b.rules.crops = b.rules.keeps_numbers = true;
    bench_split(&b);
    bench_start(&b);
    for (size_t i = 0; i < COUNT(lines); i++) expect(&b, lines[i][0], lines[i][1]);
    bench_stop(&b);
}

static void check_ranges(const RangeList *ranges, const char *text, const char *expected)
{
    char made[256];
    size_t at = 0;

    for (size_t i = 0; i < ranges->len; i++)
        at += (size_t)snprintf(made + at, sizeof made - at, "{%.*s}",
                               (int)(ranges->data[i].end - ranges->data[i].begin), text + ranges->data[i].begin);
    assert_string_equal(made, expected);
}

TEST(tokens_have_the_bytes_of_items_or_move)
{
    static const char *const lines[][3] = {
        { "5 [a b] 6", "{5}{a b}{6}{}", "{5}{ a b}{ 6}{}" },
        { "5 904 [a b] 6", "{5}{904}{6}{}", "{5}{ 904}{ 6}{}" },
        { "[a b] 904 6", "{904}{6}{}", "{904}{ 6}{}" },
    };

    Bench b = bench_of(1);

    b.rules.ranges = true;
    bench_start(&b);
    for (size_t i = 0; i < COUNT(lines); i++) {
        Line *line = translate(&b, lines[i][0]);
        check_ranges(&line->source_ranges, line->source.data, lines[i][1]);
        check_ranges(&line->translations[0].ranges, line->translations[0].text.data, lines[i][2]);
        line_free(line);
    }
    bench_stop(&b);
}

TEST(only_lines_with_items_get_what_items_need)
{
    Bench b = bench_of(1);
    Line *line;

    bench_start(&b);
    line = translate(&b, "5 904 [a] 6");
    assert_int_equal(line->translations[0].alignment.count, 0);
    assert_int_equal(line->translations[0].ranges.len, 0);
    assert_int_equal(line->source_ranges.len, 0);
    assert_int_equal(line->pieces, 3);
    assert_int_equal(line->source_ids.len, 4);
    line_free(line);
    line = translate(&b, "5 6");
    assert_int_equal(line->kept.len, 0);
    assert_null(dragoman_line_kept(line, 0, NULL));
    stop_with(&b, line);
}

/* The fake model copies all words, and these are not ordinary words. The words of the items are ordinary, and no token
 * stands for them. */
TEST(what_is_kept_is_neither_copied_nor_uncovered_by_mistake)
{
    static const char *const lines[] = { "5 904 [one two three four five] 6 7", "5 [one two three four five] 6 7" };
    Bench b = bench_of(1);

    b.rules.ranges = b.rules.attention = b.rules.judged = true;
    bench_start(&b);
    for (size_t i = 0; i < COUNT(lines); i++) {
        Line *line = translate(&b, lines[i]);
        check_rank(line, 0, lines[i]);
        assert_int_equal(dragoman_line_flags(line, 0), 0);
        assert_int_equal(line->translations[0].alignment.count, 1);
        line_free(line);
    }
    bench_stop(&b);
}

TEST(a_second_attempt_for_a_loop_is_made_for_located_segments_too)
{
    static const int32_t loop[] = { 41, 41, 41, 41, 41, 41 };
    static const LineRules judged = { .attention = true, .rescues = true, .judged = true };
    Bench b = bench_of(1);
    Line *line;

    b.stages[STAGE_LOCATED].rules = b.stages[STAGE_LOCATED | STAGE_SECOND].rules = &judged;
    b.stages[STAGE_LOCATED].prefix = loop;
    b.stages[STAGE_LOCATED].prefix_len = COUNT(loop);
    bench_start(&b);
    line = translate(&b, "5 904 [a] 6");
    check_rank(line, 0, "5 904 [a] 6");
    assert_true(line->rescued);
    stop_with(&b, line);
}

/* The fake model skips what is neither a whole number nor a name. */
TEST(numbers_that_differ_become_items_of_a_second_attempt)
{
    static const struct {
        const char *line, *expected;
        size_t kept;
    } lines[] = { { "5 a 7.5 6", "5 7.5 6", 3 },
                  { "5 a 6", "5 6", 0 },
                  { "[x] 5 a 1,234.5 b", "[x] 5 1,234.5", 3 },
                  { "5 a 123456 b", "5 123456", 1 },
                  { "7.5 123456", "7.5 123456", 1 } };
    Bench b = bench_of(1);

    b.rules.keeps_numbers = true;
    bench_start(&b);
    for (size_t i = 0; i < COUNT(lines); i++) {
        Line *line = translate(&b, lines[i].line);
        size_t count;
        check_rank(line, 0, lines[i].expected);
        (void)dragoman_line_kept(line, 0, &count);
        assert_int_equal(count, lines[i].kept);
        line_free(line);
    }
    bench_stop(&b);
}

TEST(refuses_bad_ranges)
{
    static const char text[] = "5 \xc3\xa4 6";
    static const Range bad[][2] = { { { 0, 1 }, { 4, 4 } }, { { 0, 2 }, { 1, 4 } }, { { 4, 5 }, { 0, 1 } },
                                    { { 0, 1 }, { 5, 7 } }, { { 0, 1 }, { 3, 4 } }, { { 0, 1 }, { 2, 3 } },
                                    { { 0, 1 }, { 5, 4 } } };
    Bench b = bench_of(1);
    Line *line;
    Err err;

    bench_start(&b);
    for (size_t i = 0; i < COUNT(bad); i++) {
        Span spans[] = { span_at(DRAGOMAN_SPAN_KEPT, bad[i][0]), span_at(DRAGOMAN_SPAN_KEPT, bad[i][1]) };
        const DragomanRequest request = { .text = { text, strlen(text) }, .kept = { .data = spans, .len = 2 } };
        assert_int_equal(line_new(&line, &b.rules, &request, 0, &err), ERR_USAGE);
        assert_null(line);
        assert_non_null(strstr(err.text, i == 0 ? "kept range 2 is empty" : "kept range 2"));
    }
    bench_stop(&b);
}

TEST(many_lines_come_in_order_with_any_number_of_workers)
{
    static const char *const lines[] = { "5 [a] 6",   "5 904 [a b] 6 7", "[a]",         "1 2 3",
                                         "905 [a] 5", "1 [a] 2 [b] 904", "[a] 5 [b] 6", "906 5 [a]" };
    static const size_t workers[] = { 1, 2, 7 };

    for (size_t w = 0; w < COUNT(workers); w++) {
        Bench b = bench_of(2);
        Err err = { "" };
        b.setup.workers = workers[w];
        bench_start(&b);
        for (size_t i = 0; i < 40 * COUNT(lines); i++) {
            assert_ok(submit_marked(&b, lines[i % COUNT(lines)], &err), &err);
            if (i < 30) continue;
            Line *line = next_ok(&b);
            assert_int_equal(line->number, i - 29);
            check_rank(line, 0, lines[(i - 30) % COUNT(lines)]);
            line_free(line);
        }
        bench_stop(&b);
    }
}

TESTS_WITH(test_scheduler_kept, start_alarm, NULL);
