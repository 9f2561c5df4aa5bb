/* test_request.c - tests of translator/request.c with the models of the golden tests. */
#include <math.h>
#include <string.h>

#include "ranges.h"
#include "dragoman.h"
#include "golden_folders.h"
#include "option_fields.h"
#include "request_support.h"
#include "test_support.h"

static const char MODEL[] = GOLDEN_FAMILIES "/m2m100-relu";

/* The options of a pipeline from English into French. Texts that are submitted again are translated again. */
static DragomanOptions *new_options(size_t models)
{
    DragomanOptions *options = options_for(MODEL);

    set_number(options, DRAGOMAN_REUSE, 0);
    for (size_t i = 1; i < models; i++) {
        add_text(options, DRAGOMAN_MODEL, MODEL);
        add_text(options, DRAGOMAN_VIA, "de");
    }
    set_text(options, DRAGOMAN_FROM, "en");
    set_text(options, DRAGOMAN_TO, "fr");
    return options;
}

/* Lines come with their languages. */
static Dragoman *open_by_line(void)
{
    DragomanOptions *options = new_options(1);

    set_text(options, DRAGOMAN_FROM, NULL);
    set_flag(options, DRAGOMAN_FROM_LINES);
    return open_options(options);
}

/* Submits the text with nothing else asked for. */
static void submit_again(Dragoman *d, DragomanRequest *request, const char *text, uintptr_t tag)
{
    DragomanError error;

    check_ok(dragoman_request_begin(request, text, strlen(text), &error), &error);
    check_ok(dragoman_submit(d, request, tag, &error), &error);
}

static void assert_same_translation(Dragoman *d)
{
    const DragomanLine *line = next(d);
    char text[512];
    float score;
    Range kept = { 0, 0 };
    const DragomanSpan *place = dragoman_line_kept(line, 0, NULL);

    assert_int_equal(dragoman_line_count(line), 1);
    snprintf(text, sizeof text, "%s", dragoman_line_translation(line, 0, NULL));
    score = dragoman_line_score(line, 0);
    if (place) kept = place->place;
    line = next(d);
    assert_string_equal(text, dragoman_line_translation(line, 0, NULL));
    assert_true(score == dragoman_line_score(line, 0));
    place = dragoman_line_kept(line, 0, NULL);
    assert_int_equal(place != NULL, kept.end > 0);
    if (place) assert_memory_equal(&place->place, &kept, sizeof kept);
}

TEST(requests_equal_the_other_ways_to_submit)
{
    static const char text[] = "Open the X12 door.";
    const Range range = { 9, 12 };
    DragomanRequest *request = request_of(text);
    Dragoman *d = open_by_line();
    DragomanError error;

    check_ok(dragoman_request_from(request, "de", &error), &error);
    check_ok(dragoman_submit(d, request, 0, &error), &error);
    check_ok(submit_kept(d, text, strlen(text), "de", NULL, 0, 0, &error), &error);
    assert_same_translation(d);
    check_ok(dragoman_request_keep(request, &range, 1, &error), &error);
    check_ok(dragoman_submit(d, request, 0, &error), &error);
    check_ok(submit_kept(d, text, strlen(text), "de", &range, 1, 0, &error), &error);
    assert_same_translation(d);
    check_ok(dragoman_request_begin(request, "a", 1, &error), &error);
    assert_int_equal(dragoman_submit(d, request, 0, &error), DRAGOMAN_ERROR_USAGE);
    assert_non_null(strstr(error.message, "the language of the line is missing"));
    dragoman_close(d);
    dragoman_request_free(request);
}

/* The known line is between two others, so its order is tested, too. */
static void check_known_lines(size_t models)
{
    static const char text[] = "Open the X12 door.", known[] = "X12 est ouverte";
    const Range range = { 9, 12 }, place = { 0, 3 };
    DragomanRequest *request = request_of(text);
    Dragoman *d = open_options(new_options(models));
    const DragomanLine *line;
    DragomanError error;
    size_t length, count;

    check_ok(dragoman_submit_text(d, text, strlen(text), 1, &error), &error);
    check_ok(dragoman_request_keep(request, &range, 1, &error), &error);
    check_ok(dragoman_request_know(request, known, strlen(known), &place, 1, &error), &error);
    check_ok(dragoman_submit(d, request, 2, &error), &error);
    check_ok(dragoman_request_begin(request, "", 0, &error), &error);
    check_ok(dragoman_request_know(request, "", 0, NULL, 0, &error), &error);
    check_ok(dragoman_submit(d, request, 3, &error), &error);
    submit_again(d, request, text, 4);
    dragoman_finish(d);
    assert_int_equal(dragoman_line_tag(next(d)), 1);
    line = next(d);
    assert_int_equal(dragoman_line_tag(line), 2);
    assert_string_equal(dragoman_line_source(line, NULL), text);
    assert_int_equal(dragoman_line_count(line), 1);
    assert_int_equal(dragoman_line_segments(line), 0);
    assert_int_equal(dragoman_line_pivot_count(line), 0);
    assert_string_equal(dragoman_line_translation(line, 0, &length), known);
    assert_int_equal(length, strlen(known));
    assert_true(dragoman_line_score(line, 0) == 0);
    assert_true(isnan(dragoman_line_confidence(line, 0)));
    assert_memory_equal(&dragoman_line_kept(line, 0, &count)->place, &place, sizeof place);
    assert_int_equal(count, 1);
    assert_string_equal(dragoman_line_translation(next(d), 0, NULL), "");
    line = next(d);
    assert_int_equal(dragoman_line_tag(line), 4);
    assert_true(dragoman_line_segments(line) > 0);
    assert_null(next(d));
    dragoman_close(d);
    dragoman_request_free(request);
}

TEST(known_lines_are_returned_as_they_are)
{
    check_known_lines(1);
    check_known_lines(2);
}

TEST(refuses_places_that_do_not_have_the_kept_bytes)
{
    static const Range range = { 0, 3 };
    static const struct {
        Range place;
        size_t count;
        const char *message;
    } rows[] = {
        { { 0, 3 }, 0, "the line has 1 kept ranges, but the known translation has 0 places" },
        { { 1, 4 }, 1, "place 1 of the known translation" },
        { { 0, 2 }, 1, "place 1 of the known translation" },
        { { 3, 0 }, 1, "place 1 of the known translation" },
        { { 5, 8 }, 1, "place 1 of the known translation" },
    };
    DragomanRequest *request = request_of("X12 a");
    Dragoman *d = open_options(new_options(1));
    DragomanError error;

    for (size_t i = 0; i < COUNT(rows); i++) {
        check_ok(dragoman_request_keep(request, &range, 1, &error), &error);
        check_ok(dragoman_request_know(request, "X12 b", 5, &rows[i].place, rows[i].count, &error), &error);
        assert_int_equal(dragoman_submit(d, request, 0, &error), DRAGOMAN_ERROR_USAGE);
        if (strncmp(error.message, rows[i].message, strlen(rows[i].message)) != 0) fail_msg("%s", error.message);
    }
    check_ok(dragoman_request_keep(request, &(Range){ 2, 9 }, 1, &error), &error);
    assert_int_equal(dragoman_submit(d, request, 0, &error), DRAGOMAN_ERROR_USAGE);
    assert_non_null(strstr(error.message, "ends at byte 9, but the line has 5 bytes"));
    dragoman_close(d);
    dragoman_request_free(request);
    dragoman_request_free(NULL);
}

/* --- The prefix of a line. */

/* A pipeline whose translations begin with a prefix; NULL: no prefix. */
static Dragoman *open_with_prefix(size_t count, const char *prefix, bool pieces)
{
    DragomanOptions *options = new_options(count);
    DragomanError error;

    set_number(options, DRAGOMAN_MIN_LENGTH, 6); /* so that pivots have text */
    set_number(options, DRAGOMAN_MAX_LENGTH, 40);
    set_text(options, DRAGOMAN_PREFIX, prefix);
    check_ok(dragoman_set_flag(options, DRAGOMAN_PIECES_OUT, pieces, &error), &error);
    return open_options(options);
}

/* What came back for a line. */
typedef struct {
    int32_t ids[256];
    size_t count;
    float score;
    char pivot[512];
} Outcome;

static void take(Outcome *out, Dragoman *d)
{
    const DragomanLine *line = next(d);
    const int32_t *ids = dragoman_line_ids(line, 0, &out->count);

    if (!out->count || out->count > 256) fail_msg("%zu ids: %s", out->count, dragoman_line_translation(line, 0, NULL));
    memcpy(out->ids, ids, out->count * sizeof *ids);
    out->score = dragoman_line_score(line, 0);
    snprintf(out->pivot, sizeof out->pivot, "%s", dragoman_line_pivot(line, 0, NULL));
}

static void assert_same(const Outcome *one, const Outcome *other)
{
    assert_int_equal(one->count, other->count);
    assert_memory_equal(one->ids, other->ids, one->count * sizeof *one->ids);
    assert_true(one->score == other->score);
    assert_string_equal(one->pivot, other->pivot);
}

static const char sentence[] = "Open the X12 door.";

/* Translates the sentence with the prefix of the line. With `set` false, the line has none of its own. */
static void translate_with(Outcome *out, Dragoman *d, bool set, const char *prefix)
{
    DragomanRequest *request = request_of(sentence);
    DragomanError error;

    if (set) check_ok(dragoman_request_prefix(request, prefix, prefix ? strlen(prefix) : 0, &error), &error);
    check_ok(dragoman_submit(d, request, 0, &error), &error);
    take(out, d);
    dragoman_request_free(request);
}

TEST(the_prefix_of_a_line_takes_the_place_of_the_other_one)
{
    for (size_t models = 1; models <= 2; models++) {
        Dragoman *d = open_with_prefix(models, "the", false), *plain = open_with_prefix(models, NULL, false),
                 *other = open_with_prefix(models, "a door", false);
        static Outcome expected, found;
        translate_with(&expected, other, false, NULL);
        translate_with(&found, d, true, "a door");
        assert_same(&expected, &found);
        translate_with(&found, plain, true, "a door");
        assert_same(&expected, &found);
        translate_with(&expected, plain, false, NULL);
        translate_with(&found, d, true, "");
        assert_same(&expected, &found);
        translate_with(&expected, d, false, NULL);
        translate_with(&found, plain, true, "the");
        assert_same(&expected, &found);
        translate_with(&found, d, true, NULL);
        assert_same(&expected, &found);
        dragoman_close(d);
        dragoman_close(plain);
        dragoman_close(other);
    }
}

/* The next line of the request has no prefix, and lines after a refused one are translated. */
TEST(refuses_prefixes_that_the_model_cannot_write)
{
    static char long_text[8192];
    static const struct {
        const char *prefix, *message;
        bool pieces;
    } rows[] = {
        { long_text, "the prefix has ", false },
        { "a\nb", "the prefix is not valid UTF-8 or contains a newline", false },
        { "a\xff", "the prefix is not valid UTF-8 or contains a newline", false },
        { "qxqx a", "the prefix: \"qxqx\" is not a piece of the model's vocabulary", true },
    };
    static Outcome expected, found;
    DragomanRequest *request = request_of(sentence);
    DragomanError error;

    for (size_t i = 0; i + 2 < sizeof long_text; i += 2) memcpy(long_text + i, "a ", 2);
    for (size_t i = 0; i < COUNT(rows); i++) {
        Dragoman *d = open_with_prefix(1, NULL, rows[i].pieces);
        translate_with(&expected, d, false, NULL);
        check_ok(dragoman_request_begin(request, sentence, strlen(sentence), &error), &error);
        check_ok(dragoman_request_prefix(request, rows[i].prefix, strlen(rows[i].prefix), &error), &error);
        assert_int_equal(dragoman_submit(d, request, 0, &error), DRAGOMAN_ERROR_USAGE);
        if (strncmp(error.message, rows[i].message, strlen(rows[i].message)) != 0) fail_msg("%s", error.message);
        submit_again(d, request, sentence, 0);
        take(&found, d);
        assert_same(&expected, &found);
        dragoman_close(d);
    }
    dragoman_request_free(request);
}

TEST(opening_refuses_prefixes_that_no_line_may_have)
{
    static const char *const prefixes[] = { "a\nb", "a\xff" };
    DragomanOptions *options = new_options(1);
    DragomanError error;
    Dragoman *d;

    for (size_t i = 0; i < COUNT(prefixes); i++) {
        set_text(options, DRAGOMAN_PREFIX, prefixes[i]);
        assert_int_equal(dragoman_open(&d, options, &error), DRAGOMAN_ERROR_USAGE);
        assert_string_equal(error.message, "DRAGOMAN_PREFIX is not valid UTF-8 or contains a newline");
    }
    dragoman_options_free(options);
}

/* A setting that turns splitting off has priority. */
TEST(a_request_may_ask_for_its_sentences)
{
    static const char text[] = "This is one. This is two.";

    for (Switch split = SWITCH_AUTO; split <= SWITCH_OFF; split++) {
        DragomanRequest *request = request_of(text);
        DragomanOptions *options = new_options(1);
        DragomanError error;
        Dragoman *d;
        if (split) check_ok(dragoman_set_flag(options, DRAGOMAN_SPLIT, split == SWITCH_ON, &error), &error);
        d = open_options(options);
        check_ok(dragoman_request_split(request, true, &error), &error);
        check_ok(dragoman_submit(d, request, 0, &error), &error);
        submit_again(d, request, text, 0);
        assert_int_equal(dragoman_line_segments(next(d)), split == SWITCH_OFF ? 1 : 2);
        assert_int_equal(dragoman_line_segments(next(d)), split == SWITCH_ON ? 2 : 1);
        dragoman_close(d);
        dragoman_request_free(request);
    }
}

/* --- Lines that are repeated. */

/* Asks for the translation of a text in the way number `way`, which may be different for the same text. Returns false
 * after the last way. */
static bool ask_in_way(DragomanRequest *request, size_t way)
{
    static const char text[] = "Open the X12 door. It is open.";
    static const Range kept[] = { { 9, 12 }, { 13, 17 } };
    static const char *const forms[] = { "porte", "portail" };
    DragomanError error;
    DragomanStatus st = dragoman_request_begin(request, text, strlen(text), &error);

    check_ok(st, &error);
    switch (way) {
    case 0:
        break;
    case 1:
        st = dragoman_request_from(request, "en", &error);
        break;
    case 2:
        st = dragoman_request_from(request, "de", &error);
        break;
    case 3:
        st = dragoman_request_split(request, true, &error);
        break;
    case 4:
        st = dragoman_request_keep(request, kept, 1, &error);
        break;
    case 5:
        st = dragoman_request_keep(request, kept + 1, 1, &error);
        break;
    case 6:
        st = dragoman_request_keep(request, kept, 2, &error);
        break;
    case 7:
        st = dragoman_request_demand(request, kept[1], forms, 1, &error);
        break;
    case 8:
        st = dragoman_request_demand(request, kept[1], forms, 2, &error);
        break;
    case 9:
        st = dragoman_request_demand(request, kept[0], forms, 1, &error);
        break;
    case 10:
        st = dragoman_request_must(request, "porte", 5, &error);
        break;
    case 11:
        st = dragoman_request_must(request, "portail", 7, &error);
        break;
    case 12:
        st = dragoman_request_prefix(request, "", 0, &error);
        break;
    case 13:
        st = dragoman_request_prefix(request, "the", 3, &error);
        break;
    case 14:
        st = dragoman_request_prefix(request, "door", 4, &error);
        break;
    case 15:
        st = dragoman_request_score(request, "the door", 8, &error);
        break;
    case 16:
        st = dragoman_request_score(request, "door", 4, &error);
        break;
    case 17:
        st = dragoman_request_begin(request, "Open", 4, &error);
        break;
    default:
        return false;
    }
    check_ok(st, &error);
    return true;
}

/* Everything that dragoman.h says about a line is the same, except its number and its tag. */
static void assert_same_line(const DragomanLine *one, const DragomanLine *other)
{
    size_t count, length, other_length;
    const char *text = dragoman_line_translation(one, 0, &length);

    assert_string_equal(text, dragoman_line_translation(other, 0, &other_length));
    assert_int_equal(length, other_length);
    assert_string_equal(dragoman_line_source(one, NULL), dragoman_line_source(other, NULL));
    assert_int_equal(dragoman_line_segments(one), dragoman_line_segments(other));
    assert_int_equal(dragoman_line_pieces(one), dragoman_line_pieces(other));
    assert_true(dragoman_line_score(one, 0) == dragoman_line_score(other, 0));
    assert_int_equal(dragoman_line_flags(one, 0), dragoman_line_flags(other, 0));
    (void)dragoman_line_source_ids(one, &count);
    assert_memory_equal(dragoman_line_source_ids(one, NULL), dragoman_line_source_ids(other, NULL), count * 4);
    (void)dragoman_line_ids(one, 0, &count);
    assert_memory_equal(dragoman_line_ids(one, 0, NULL), dragoman_line_ids(other, 0, NULL), count * 4);
    assert_memory_equal(dragoman_line_ranges(one, 0, NULL), dragoman_line_ranges(other, 0, NULL),
                        count * sizeof(Range));
    assert_memory_equal(dragoman_line_token_scores(one, 0, NULL), dragoman_line_token_scores(other, 0, NULL),
                        count * sizeof(float));
    for (bool demands = false;; demands = true) {
        size_t other_count;
        const DragomanSpan *spans =
            demands ? dragoman_line_demands(one, 0, &count) : dragoman_line_kept(one, 0, &count);
        const DragomanSpan *others =
            demands ? dragoman_line_demands(other, 0, &other_count) : dragoman_line_kept(other, 0, &other_count);
        assert_int_equal(count, other_count);
        for (size_t i = 0; i < count; i++) {
            assert_memory_equal(&spans[i].source, &others[i].source, sizeof(Range));
            assert_memory_equal(&spans[i].place, &others[i].place, sizeof(Range));
            assert_int_equal(spans[i].form, others[i].form);
        }
        if (demands) break;
    }
}

TEST(repeated_lines_equal_lines_that_are_translated_again)
{
    DragomanRequest *request = dragoman_request_new();
    DragomanOptions *options = new_options(1);
    DragomanError error;
    Dragoman *plain, *d;

    assert_non_null(request);
    set_number(options, DRAGOMAN_MAX_LENGTH, 20);
    set_flag(options, DRAGOMAN_RANGES);
    set_flag(options, DRAGOMAN_ATTENTION);
    set_flag(options, DRAGOMAN_TOKEN_SCORES);
    set_flag(options, DRAGOMAN_CONFIDENCE);
    check_ok(dragoman_open(&plain, options, &error), &error);
    set_number(options, DRAGOMAN_REUSE, -1);
    d = open_options(options);
    for (size_t round = 0; round < 2; round++) {
        for (size_t way = 0; ask_in_way(request, way); way++) {
            const DragomanLine *line = answer(d, request);
            assert_same_line(answer(plain, request), line);
            if (dragoman_line_reused(line) != (round > 0)) fail_msg("way %zu", way);
        }
    }
    dragoman_close(d);
    dragoman_close(plain);
    dragoman_request_free(request);
}

TESTS(test_request);
