/* test_demands.c - translations that have to contain given texts, with the embedded model. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ranges.h"
#include "dragoman.h"
#include "golden_folders.h"
#include "request_support.h"
#include "test_support.h"

/* A line, and demands: the text that a range of the line has, a tab, and forms with | between them. */
typedef struct {
    const char *text, *demands[4];
    const char *kept; /* a part that the translation keeps, or NULL */
} Case;

static const Case cases[] = {
    { "The server is in the house.", { "server\tRechner" }, NULL },
    { "The server is in the house.", { NULL }, NULL },
    { "A big house. It is red.", { "house\tVilla|Haus|Gebäude" }, NULL },
    { "The bank opens at nine. The bank is closed.", { "bank\tSparkasse", "bank is\tSparkasse" }, NULL },
    { "I see a dog and a cat in the garden.", { "dog\tHündin", "cat\tKater", "garden\tParkanlage" }, NULL },
    { "Open https://example.org/x in the browser.", { "browser\tNavigator" }, "https://example.org/x" },
    { "He said that.", { "said\tbehauptete|behauptet" }, NULL },
    { "this is a test", { "this\tdies" }, NULL },
    { "Where is the train station?", { "train station\tBahnhofsgebäude" }, NULL },
    { "I come tomorrow.", { NULL }, NULL },
};
#define CASES (sizeof cases / sizeof *cases)

/* What came back for each case. */
typedef struct {
    char text[CASES][512];
    float score[CASES];
    DragomanSpan demands[CASES][4];
} Results;

static DragomanOptions *new_options(long beams, long threads, long rows)
{
    DragomanOptions *options = options_for(NULL);

    set_number(options, DRAGOMAN_BEAMS, beams);
    set_number(options, DRAGOMAN_THREADS, threads);
    set_number(options, DRAGOMAN_BATCH_ROWS, rows);
    return options;
}

static Range range_of(const char *text, const char *part, size_t length)
{
    const char *at = text;

    while (strncmp(at, part, length) != 0) at++;
    return (Range){ (size_t)(at - text), (size_t)(at - text) + length };
}

/* Divides the text after the tab into forms. */
static size_t split(char *text, const char **forms)
{
    size_t count = 0;

    for (char *at = strtok(text, "|"); at; at = strtok(NULL, "|")) forms[count++] = at;
    return count;
}

static void submit(Dragoman *d, DragomanRequest *request, size_t number)
{
    const Case *c = &cases[number];
    DragomanError error;

    check_ok(dragoman_request_begin(request, c->text, strlen(c->text), &error), &error);
    for (size_t i = 0; i < 4 && c->demands[i]; i++) {
        const size_t length = strcspn(c->demands[i], "\t");
        const char *forms[8];
        char text[256];
        snprintf(text, sizeof text, "%s", c->demands[i] + length + 1);
        check_ok(dragoman_request_demand(request, range_of(c->text, c->demands[i], length), forms, split(text, forms),
                                         &error),
                 &error);
    }
    if (c->kept) {
        const Range kept = range_of(c->text, c->kept, strlen(c->kept));
        check_ok(dragoman_request_keep(request, &kept, 1, &error), &error);
    }
    check_ok(dragoman_submit(d, request, number, &error), &error);
}

/* Whether place has a form of the demand, whose first letter may be in upper case at the beginning. */
static bool has_form(const char *text, const DragomanSpan *found, const char *demand)
{
    const size_t length = found->place.end - found->place.begin;
    const char *forms[8];
    char copy[256];
    size_t count;

    snprintf(copy, sizeof copy, "%s", demand + strcspn(demand, "\t") + 1);
    count = split(copy, forms);
    assert_true(found->form < count);
    if (strlen(forms[found->form]) != length) return false;
    if (strncmp(text + found->place.begin, forms[found->form], length) == 0) return true;
    return toupper(*forms[found->form]) == text[found->place.begin] &&
           strncmp(text + found->place.begin + 1, forms[found->form] + 1, length - 1) == 0;
}

static void take(Results *out, Dragoman *d, size_t number)
{
    const DragomanLine *line = next(d);
    const DragomanSpan *demands;
    size_t count, asked = 0;

    assert_non_null(line);
    number = dragoman_line_tag(line);
    snprintf(out->text[number], sizeof out->text[number], "%s", dragoman_line_translation(line, 0, NULL));
    out->score[number] = dragoman_line_score(line, 0);
    while (asked < 4 && cases[number].demands[asked]) asked++;
    demands = dragoman_line_demands(line, 0, &count);
    assert_int_equal(count, asked);
    assert_int_equal(demands != NULL, asked > 0);
    for (size_t i = 0; i < count; i++) {
        out->demands[number][i] = demands[i];
        if (!demands[i].place.end) fail_msg("%s: %s", cases[number].demands[i], out->text[number]);
        if (!has_form(out->text[number], &demands[i], cases[number].demands[i]))
            fail_msg("%s: %s", cases[number].demands[i], out->text[number]);
        for (size_t k = 0; k < i; k++)
            assert_true(demands[k].place.end <= demands[i].place.begin ||
                        demands[i].place.end <= demands[k].place.begin);
    }
    if (cases[number].kept) assert_non_null(strstr(out->text[number], cases[number].kept));
}

static void translate(Results *out, Dragoman *d, size_t first, size_t step)
{
    DragomanRequest *request = dragoman_request_new();

    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < CASES; i++) submit(d, request, (first + i * step) % CASES);
    dragoman_finish(d);
    for (size_t i = 0; i < CASES; i++) take(out, d, i);
    dragoman_request_free(request);
    dragoman_close(d);
}

/* The bytes do not depend on neighbours, threads and rows. */
TEST(translations_contain_what_is_demanded)
{
    static Results first, other;

    for (long beams = 1; beams <= 4; beams += 3) {
        translate(&first, open_options(new_options(beams, 1, 64)), 0, 1);
        translate(&other, open_options(new_options(beams, 3, 64)), 3, 7);
        assert_memory_equal(&first, &other, sizeof first);
        translate(&other, open_options(new_options(beams, 2, 8)), 1, 3);
        assert_memory_equal(&first, &other, sizeof first);
    }
}

TEST(lines_without_demands_do_not_change)
{
    static Results with;
    Dragoman *d = open_options(new_options(1, 1, 64));
    const DragomanLine *line;

    translate(&with, open_options(new_options(1, 1, 64)), 0, 1);
    submit_text(d, cases[1].text, 0);
    dragoman_finish(d);
    line = next(d);
    assert_string_equal(dragoman_line_translation(line, 0, NULL), with.text[1]);
    assert_true(dragoman_line_score(line, 0) == with.score[1]);
    assert_null(dragoman_line_demands(line, 0, NULL));
    dragoman_close(d);
}

/* A request to an open model, and the line that came back. */
typedef struct {
    Dragoman *d;
    DragomanRequest *request;
    const DragomanLine *line;
    const char *translation;
    const DragomanSpan *demands; /* [count] */
    size_t count;
    DragomanError error;
} Talk;

static Talk talk_begin(Dragoman *d, const char *text)
{
    return (Talk){ .d = d, .request = request_of(text) };
}

/* The part of the text at [begin, end) has to become this form. */
static void talk_demand(Talk *t, size_t begin, size_t end, const char *form)
{
    check_ok(dragoman_request_demand(t->request, (Range){ begin, end }, &form, 1, &t->error), &t->error);
}

static void talk_must(Talk *t, const char *text)
{
    check_ok(dragoman_request_must(t->request, text, strlen(text), &t->error), &t->error);
}

static void talk_translate(Talk *t)
{
    t->line = answer(t->d, t->request);
    t->translation = dragoman_line_translation(t->line, 0, NULL);
    t->demands = dragoman_line_demands(t->line, 0, &t->count);
}

static void talk_end(Talk *t)
{
    dragoman_request_free(t->request);
    dragoman_close(t->d);
}

/* Translates a text without demands. */
static void translate_plain(char out[256], Dragoman *d, const char *text)
{
    submit_text(d, text, 0);
    snprintf(out, 256, "%s", dragoman_line_translation(next(d), 0, NULL));
}

/* A term is looked for in the translation of its sentence, not in that of another one. */
TEST(a_term_is_found_in_its_own_sentence)
{
    Talk t = talk_begin(open_options(new_options(4, 1, 64)), "The house is big.  The house is old. The house is red.");
    const char *second, *third;

    talk_demand(&t, 41, 46, "Haus");
    talk_demand(&t, 23, 28, "Haus");
    talk_translate(&t);
    second = strchr(t.translation, '.') + 1;
    third = strchr(second, '.') + 1;
    assert_non_null(strstr(t.translation, "Haus"));
    assert_true(strstr(t.translation, "Haus") < second);
    for (size_t i = 0; i < 2; i++) assert_true(t.demands[i].place.end);
    assert_int_equal(t.demands[0].place.begin, strstr(third, "Haus") - t.translation);
    assert_int_equal(t.demands[1].place.begin, strstr(second, "Haus") - t.translation);
    talk_end(&t);
}

/* A demand that cannot be met is reported, and the translation ends. */
TEST(what_cannot_be_met_is_reported)
{
    static const char text[] = "He said that.";
    Dragoman *d = open_options(new_options(4, 1, 64));
    Talk t = talk_begin(d, text);
    char plain[256];

    translate_plain(plain, d, text);
    talk_demand(&t, 0, 2, "xqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxq");
    talk_translate(&t);
    assert_string_equal(t.translation, plain);
    assert_int_equal(t.count, 1);
    assert_false(t.demands[0].place.end);
    talk_end(&t);
}

/* The demands with ranges come first. A line that fits the model is not split. */
TEST(texts_without_ranges_are_demands_of_the_whole_line)
{
    Talk t = talk_begin(open_options(new_options(4, 1, 64)), "  The house was big. It was red. ");
    size_t length;

    talk_must(&t, "blutrot");
    talk_demand(&t, 6, 11, "Gebäude");
    talk_must(&t, "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq");
    talk_translate(&t);
    assert_int_equal(dragoman_line_segments(t.line), 1);
    (void)dragoman_line_translation(t.line, 0, &length);
    assert_true(strncmp(t.translation, "  ", 2) == 0 && t.translation[2] != ' ' && t.translation[length - 1] == ' ');
    assert_int_equal(t.count, 3);
    assert_true(t.demands[0].place.end && t.demands[1].place.end && !t.demands[2].place.end);
    assert_memory_equal(t.translation + t.demands[0].place.begin, "Gebäude", 8);
    assert_memory_equal(t.translation + t.demands[1].place.begin, "blutrot", 7);
    assert_string_equal(dragoman_line_demand_form(t.line, 0, 0), "Gebäude");
    assert_string_equal(dragoman_line_demand_form(t.line, 1, 0), "blutrot");
    assert_null(dragoman_line_demand_form(t.line, 1, 1));
    assert_null(dragoman_line_demand_form(t.line, 3, 0));
    talk_end(&t);
}

/* The kept range begins in a word, so its first "zug" is not one. */
TEST(each_place_of_a_text_is_looked_at)
{
    Talk t = talk_begin(open_options(new_options(4, 1, 64)), "The fluzug zug is big.");

    check_ok(dragoman_request_keep(t.request, &(Range){ 7, 14 }, 1, &t.error), &t.error);
    talk_must(&t, "zug");
    talk_translate(&t);
    assert_non_null(strstr(t.translation, "zug zug"));
    assert_true(t.demands->place.end);
    assert_int_equal(count_part(t.translation, "zug", 3), 2);
    talk_end(&t);
}

/* A line that does not fit is split, and its first sentence that fits gets the text. */
TEST(long_lines_give_such_a_text_to_a_sentence)
{
    static const char *const parts[] = {
        ("The house that stands in the garden of my parents is big and old and red and "
         "blue and green and very nice."),
        "The dog is here.", "The cat is there."
    };
    DragomanOptions *options = new_options(4, 1, 64);
    char text[256], plain[3][256];
    Dragoman *d;
    Talk t;

    set_number(options, DRAGOMAN_MAX_INPUT, 16);
    d = open_options(options);
    for (size_t i = 0; i < 3; i++) translate_plain(plain[i], d, parts[i]);
    snprintf(text, sizeof text, "%s %s %s", parts[0], parts[1], parts[2]);
    t = talk_begin(d, text);
    talk_must(&t, "gestern");
    talk_translate(&t);
    assert_true(t.demands->place.end);
    assert_memory_equal(t.translation, plain[0], strlen(plain[0]));
    assert_non_null(strstr(t.translation, plain[2]));
    assert_null(strstr(t.translation, plain[1]));
    talk_end(&t);
}

/* Begins a line whose range [0, end) has to become one of the forms; without forms, it must contain `must`. */
static DragomanStatus demand(DragomanRequest *request, size_t end, const char *const *forms, size_t count,
                             const char *must, size_t length, DragomanError *error)
{
    check_ok(dragoman_request_begin(request, "abc", 3, error), error);
    if (must) return dragoman_request_must(request, must, length, error);
    return dragoman_request_demand(request, (Range){ 0, end }, forms, count, error);
}

TEST(faulty_demands_are_refused)
{
    static const char *const good[] = { "a" }, *const blank[] = { "a", " " }, *const bad[] = { "\xff" };
    static const struct {
        size_t end;
        const char *const *forms;
        size_t count;
        const char *must, *message;
    } rows[] = {
        { 4, good, 1, NULL, "the range of demand 1" },
        { 1, blank, 2, NULL, "a form of demand 1 is blank" },
        { 1, bad, 1, NULL, "not valid UTF-8" },
        { 0, NULL, 0, "  ", "a form of demand 1 is blank" },
    };
    DragomanRequest *request = dragoman_request_new();
    Dragoman *d = open_options(new_options(1, 1, 8));
    DragomanError error;

    assert_refused(demand(request, 1, good, 0, NULL, 0, &error), &error, "no forms");
    assert_refused(demand(request, 0, NULL, 0, "a\0b", 3, &error), &error, "NUL");
    for (size_t i = 0; i < COUNT(rows); i++) {
        check_ok(demand(request, rows[i].end, rows[i].forms, rows[i].count, rows[i].must,
                        rows[i].must ? strlen(rows[i].must) : 0, &error),
                 &error);
        assert_refused(dragoman_submit(d, request, 0, &error), &error, rows[i].message);
    }
    dragoman_close(d);
    dragoman_request_free(request);
}

/* They are found by beam search, which does neither. */
TEST(draws_and_alternatives_refuse_demands)
{
    static const char *const forms[] = { "Villa" };

    for (int draws = 0; draws < 2; draws++) {
        DragomanOptions *options = new_options(1, 1, 8);
        DragomanRequest *request = request_of("The house.");
        DragomanError error;
        Dragoman *d;
        if (draws)
            set_flag(options, DRAGOMAN_SAMPLING);
        else
            set_number(options, DRAGOMAN_ALTERNATIVES, 2);
        d = open_options(options);
        check_ok(dragoman_request_demand(request, (Range){ 4, 9 }, forms, 1, &error), &error);
        assert_refused(dragoman_submit(d, request, 0, &error), &error, "DRAGOMAN_SAMPLING or");
        dragoman_close(d);
        dragoman_request_free(request);
    }
}

/* Has too many tokens for a search. */
#define NEVER "xqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxqxq"

/* A term that is the word [begin, end) of a text, and what becomes of it. */
typedef struct {
    const char *text;
    size_t begin, end;
    const char *form, *found; /* found: what the translation has; NULL: the translation without the term */
    DragomanTermVerdict verdict;
} Verdict;

static void check_verdict(const Verdict *v, DragomanOptions *options)
{
    Talk t = talk_begin(open_options(options), v->text);
    char plain[256];

    translate_plain(plain, t.d, v->text);
    talk_demand(&t, v->begin, v->end, v->form);
    talk_translate(&t);
    if (t.demands->verdict != v->verdict) fail_msg("%s: %d: %s", v->form, (int)t.demands->verdict, t.translation);
    assert_int_equal(t.demands->place.end > 0, v->verdict != DRAGOMAN_TERM_MISSED);
    if (!v->found || v->verdict == DRAGOMAN_TERM_INFLECTED) assert_string_equal(t.translation, plain);
    if (v->found) {
        const size_t length = t.demands->place.end - t.demands->place.begin;
        assert_int_equal(length, strlen(v->found));
        assert_memory_equal(t.translation + t.demands->place.begin, v->found, length);
    }
    talk_end(&t);
}

/* What the model would write anyway does not change; other words are replaced, and nothing is added. */
TEST(a_term_has_a_verdict)
{
    static const Verdict rows[] = {
        { "The picture in the book is very old.", 4, 11, "Bild", "Bild", DRAGOMAN_TERM_MET },
        { "We bought a new car last week.", 16, 19, "Fahrzeug", "Fahrzeug", DRAGOMAN_TERM_REPLACED },
        { "The dogs sleep in the garden.", 4, 8, "Hund", "Hunde", DRAGOMAN_TERM_INFLECTED },
        { "PICTURE", 0, 7, "Abbildung", "ABBILDUNG", DRAGOMAN_TERM_REPLACED },
        { "- picture:", 2, 9, "Abbildung", "Abbildung", DRAGOMAN_TERM_REPLACED },
        { "The dog sleeps in the garden.", 0, 3, NEVER, NULL, DRAGOMAN_TERM_MISSED },
    };

    for (size_t i = 0; i < COUNT(rows); i++) check_verdict(&rows[i], new_options(4, 1, 64));
}

TEST(a_term_comes_in_the_place_of_another_word)
{
    Talk t = talk_begin(open_options(new_options(4, 1, 64)), "The picture in the book is very old.");

    talk_demand(&t, 4, 11, "Abbildung");
    talk_translate(&t);
    assert_string_equal(t.translation, "Die Abbildung im Buch ist sehr alt.");
    talk_end(&t);
}

TEST(exact_terms_are_not_inflected)
{
    DragomanOptions *options = new_options(4, 1, 64);
    Talk t;

    set_number(options, DRAGOMAN_GLOSSARY_MATCH, 1);
    t = talk_begin(open_options(options), "The dogs sleep in the garden.");
    talk_demand(&t, 4, 8, "Hund");
    talk_translate(&t);
    assert_int_not_equal(t.demands->verdict, DRAGOMAN_TERM_INFLECTED);
    talk_end(&t);
}

/* The last model gets the words of the text between the models that translate the source of the term. */
TEST(terms_hold_for_the_last_of_several_models)
{
    DragomanOptions *options = new_options(4, 1, 64);
    char back[4096];
    Talk t;

    snprintf(back, sizeof back, "%.*s/models/de-en.safetensors",
             (int)(strrchr(getenv("DRAGOMAN"), '/') - getenv("DRAGOMAN")), getenv("DRAGOMAN"));
    add_text(options, DRAGOMAN_MODEL, back);
    t = talk_begin(open_options(options), "The house is new. The picture in the book is very old.");
    talk_demand(&t, 22, 29, "image");
    talk_translate(&t);
    assert_non_null(strstr(t.translation, "The image in the book"));
    assert_memory_equal(t.translation + t.demands->place.begin, "image", 5);
    assert_int_equal(t.demands->verdict, DRAGOMAN_TERM_REPLACED);
    talk_end(&t);
}

/* The alternatives that meet the demands come first. */
TEST(n_best_lists_have_their_length)
{
    DragomanOptions *options = new_options(4, 1, 64);
    size_t missed = 0;
    Talk t;

    set_number(options, DRAGOMAN_N_BEST, 4);
    t = talk_begin(open_options(options), "The picture in the book is very old.");
    talk_demand(&t, 4, 11, "Abbildung");
    talk_translate(&t);
    assert_int_equal(dragoman_line_count(t.line), 4);
    for (size_t i = 0; i < 4; i++) {
        const DragomanSpan *demand = dragoman_line_demands(t.line, i, NULL);
        assert_true(!missed || !demand->verdict);
        missed += !demand->verdict;
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(dragoman_line_translation(t.line, i, NULL),
                                    dragoman_line_translation(t.line, k, NULL));
    }
    assert_true(missed < 4);
    talk_end(&t);
}

/* A missed term is a flag and halves the confidence. */
TEST(a_missed_term_is_a_flag)
{
    static const char text[] = "The dog sleeps in the garden.";
    DragomanOptions *options = new_options(4, 1, 64);
    double confidence;
    Dragoman *d;
    Talk t;

    set_flag(options, DRAGOMAN_CONFIDENCE);
    d = open_options(options);
    submit_text(d, text, 0);
    confidence = dragoman_line_confidence(next(d), 0);
    t = talk_begin(d, text);
    talk_demand(&t, 0, 3, NEVER);
    talk_translate(&t);
    assert_int_equal(dragoman_line_flags(t.line, 0), DRAGOMAN_FLAG_TERM);
    assert_true(dragoman_line_confidence(t.line, 0) == confidence / 2);
    talk_end(&t);
}

TESTS(test_demands);
