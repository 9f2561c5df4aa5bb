/* test_kept_model.c - kept ranges with the embedded model, through the public functions: every item comes out exactly
 * once, and neither other lines nor threads nor batches change a byte. */
#include "ranges.h"
#include "request_support.h"
#include "test_support.h"

#include <stdlib.h>

#include "dragoman.h"

/* Each item is between two bars. */
static const char *const marked[] = {
    "Visit |https://example.org/a?b=1&c=2| for more information.",
    "Send mail to |info@example.org|, then call us.",
    "|%s| files were copied to |{name}|.",
    "You have |{count}| new messages from |{sender}|.",
    "Click |{{button}}| to save the file |${filename}|.",
    "The address |http://localhost:8080/| is already in use.",
    "Cannot open |%s|: |%s|.",
    "Run |git commit --amend| to change the last commit.",
    "The function |std::vector<int>::push_back()| adds an element.",
    "|%1$s| sent |%2$d| pictures to |%3$s|.",
    "Please write to |support+de@example.co.uk| if you have questions.",
    "More can be found at |www.example.com|.",
    "|https://example.org/| is our website.",
    "See |<x id=\"1\"/>| for details.",
    "The file |C:\\Users\\me\\notes.txt| does not exist.",
    "Set |DRAGOMAN_MODEL| to the path of the model.",
    "It takes |%d| seconds to load |%@|.",
    "Hello |{user}|!",
    "Is |user@example.org| your e-mail address?",
    "The option |--keep| takes a regular expression, and |--keep-file| takes a list of words.",
    "Error |0x80070005|: access denied.",
    "Version |1.2.3-beta| was published on |2024-05-01|.",
    "Use |Ctrl+C| to copy and |Ctrl+V| to paste.",
    "The package (|libfoo-dev|) is missing.",
    "Press \"|OK|\" to continue.",
    "Delete |%(count)d| items from |%(folder)s|?",
    "We met |Zbigniew Brzezinski| in Warsaw. He lives at |https://example.pl|.",
    "Read |README.md| first. Then open |CONTRIBUTING.md|. Both are short.",
    "|{0}| of |{1}| pages were printed by |{2}|.",
    "The server |db-01.internal| is down since |{time}|.",
    "|%s|",
    "|{a}|: |{b}|",
    "From |%s| to |%s|.",
    "Type |yes| or |no|, or |help| for a list of commands, |quit| to leave, and |back| to return to |%s|.",
    "Our repository is |git@example.org:project/repo.git|.",
    "The color |#ff8800| looks better than |rgb(0, 0, 0)|.",
    "Dear |{{ customer.name }}|, your order |{{ order.id }}| has been shipped.",
    "Ask |@maria| or |@jo\xc3\xa3o| about it.",
    "The key |ui.dialog.title| has no translation in |de.json|.",
    "|X1.| This is the door.", /* the first sentence has no tokens */
    "Nothing is kept here.",
};

#define LINES       COUNT(marked)
#define MOST        8
#define RESULTS     2
#define IN_PROGRESS 20 /* lines; more may have to wait for a call of dragoman_next() */

typedef struct {
    char text[256];
    size_t length, count;
    Range items[MOST];
} MarkedLine;

static MarkedLine read_marked(const char *text)
{
    MarkedLine line = { .length = 0 };
    bool inside = false;

    for (; *text; text++) {
        if (*text != '|') {
            line.text[line.length++] = *text;
            continue;
        }
        inside = !inside;
        if (inside)
            line.items[line.count].begin = line.length;
        else
            line.items[line.count++].end = line.length;
    }
    return line;
}

static Dragoman *open_model(long beams, long threads, long rows)
{
    DragomanOptions *options = options_for(NULL);

    set_number(options, DRAGOMAN_BEAMS, beams);
    set_number(options, DRAGOMAN_N_BEST, beams < RESULTS ? 1 : RESULTS);
    set_number(options, DRAGOMAN_THREADS, threads);
    set_number(options, DRAGOMAN_BATCH_ROWS, rows);
    return open_options(options);
}

static void check_items(const MarkedLine *line, const char *text, const DragomanSpan *places, size_t count)
{
    assert_int_equal(count, line->count);
    for (size_t i = 0; i < count; i++) {
        const char *item = line->text + line->items[i].begin;
        const size_t length = line->items[i].end - line->items[i].begin;
        assert_int_equal(places[i].place.end - places[i].place.begin, length);
        assert_memory_equal(text + places[i].place.begin, item, length);
        assert_int_equal(count_part(text, item, length), count_part(line->text, item, length));
        for (size_t k = 0; k < i; k++)
            assert_true(places[k].place.end <= places[i].place.begin || places[i].place.end <= places[k].place.begin);
    }
}

static void submit(Dragoman *d, size_t number)
{
    const MarkedLine line = read_marked(marked[number]);
    DragomanError error;

    check_ok(submit_kept(d, line.text, line.length, NULL, line.items, line.count, number, &error), &error);
}

static void read_next(Dragoman *d, char (*out)[512])
{
    const DragomanLine *found = next(d);
    const size_t number = dragoman_line_tag(found), count = dragoman_line_count(found);
    const MarkedLine line = read_marked(marked[number]);
    for (size_t rank = 0; rank < (count ? count : 1); rank++) {
        size_t kept;
        const DragomanSpan *places = dragoman_line_kept(found, rank, &kept);
        const char *text = count ? dragoman_line_translation(found, rank, NULL) : dragoman_line_source(found, NULL);
        check_items(&line, text, places, kept);
        if (!rank) snprintf(out[number], sizeof out[number], "%s", text);
    }
}

/* Translates line `first` and those after it in steps of `step`, and keeps their best translations in out[LINES]. */
static void translate(char (*out)[512], long beams, long threads, long rows, size_t first, size_t step)
{
    Dragoman *d = open_model(beams, threads, rows);

    for (size_t i = 0, n = first; i < LINES; i++, n = (n + step) % LINES) {
        submit(d, n);
        if (i >= IN_PROGRESS) read_next(d, out);
    }
    for (size_t i = 0; i < IN_PROGRESS; i++) read_next(d, out);
    dragoman_close(d);
}

TEST(each_item_comes_out_once_and_nothing_changes_a_byte)
{
    static const struct {
        long threads, rows;
        size_t first, step;
    } ways[] = { { 3, 64, 0, 1 }, { 1, 1, LINES - 1, LINES - 1 }, { 2, 7, 5, 3 } };
    static char expected[LINES][512], found[LINES][512];

    for (long beams = 1; beams <= 4; beams += 3) {
        print_message("%ld beams\n", beams);
        translate(expected, beams, 1, 64, 0, 1);
        for (size_t w = 0; w < COUNT(ways); w++) {
            translate(found, beams, ways[w].threads, ways[w].rows, ways[w].first, ways[w].step);
            for (size_t i = 0; i < LINES; i++) assert_string_equal(found[i], expected[i]);
        }
    }
}

TEST(lines_without_items_are_those_of_submit)
{
    static const char text[] = "Nothing is kept here.";
    char first[256];
    const DragomanLine *line;
    DragomanError error;
    Dragoman *d = open_model(1, 1, 64);

    check_ok(dragoman_submit_text(d, text, strlen(text), 0, &error), &error);
    check_ok(submit_kept(d, text, strlen(text), NULL, NULL, 0, 0, &error), &error);
    line = next(d);
    snprintf(first, sizeof first, "%s", dragoman_line_translation(line, 0, NULL));
    line = next(d);
    assert_string_equal(dragoman_line_translation(line, 0, NULL), first);
    assert_null(dragoman_line_kept(line, 0, NULL));
    dragoman_close(d);
}

TEST(pieces_cannot_be_kept)
{
    static const DragomanSetting settings[] = { DRAGOMAN_PIECES_IN, DRAGOMAN_PIECES_OUT };

    for (size_t i = 0; i < COUNT(settings); i++) {
        DragomanOptions *options = options_for(NULL);
        DragomanError error;
        Dragoman *d;
        set_flag(options, settings[i]);
        d = open_options(options);
        assert_int_equal(submit_kept(d, "a b", 3, NULL, &(Range){ 0, 1 }, 1, 0, &error), DRAGOMAN_ERROR_USAGE);
        check_ok(submit_kept(d, "a b", 3, NULL, NULL, 0, 0, &error), &error);
        dragoman_close(d);
    }
}

TESTS(test_kept_model);
