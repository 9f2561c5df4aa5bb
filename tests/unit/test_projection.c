/* test_projection.c - document/core/projection.c: markup goes onto the words that translate it, and stays a tree. */
#include "test_support.h"

#include "projection.h"

/* Finds the words of a text in ASCII, between spaces and no-break spaces. */
static size_t find_words(const char *text, Range *words)
{
    static const char spaces[] = " \xc2\xa0";
    size_t count = 0;

    for (size_t at = 0; text[at];) {
        const size_t begin = at += strspn(text + at, spaces);
        at += strcspn(text + at, spaces);
        if (at > begin) words[count++] = (Range){ begin, at };
    }
    return count;
}

static void find_places(const ProjectionInput *in, const char *source, size_t length, const Markup *markup,
                        size_t count, Range *places)
{
    const UnitText text = { .text = source, .length = length, .markup = markup, .markup_count = count };
    Err err;

    assert_ok(projection_find(in, &text, places, &err), &err);
}

/* `links` has the target of each source word, '.' for none. */
static void assert_places(const char *source, const char *target, const char *links, const Markup *markup, size_t count,
                          const Range *expected)
{
    Range sources[16], targets[16], places[8];
    ProjectionLink list[16];
    ProjectionInput in = {
        .sources = sources, .targets = targets, .links = list, .target = target, .target_length = strlen(target)
    };

    in.source_count = find_words(source, sources);
    in.target_count = find_words(target, targets);
    for (size_t i = 0; links[i]; i++)
        if (links[i] != '.') list[in.link_count++] = (ProjectionLink){ i, (size_t)(links[i] - '0'), 0.9f };
    find_places(&in, source, strlen(source), markup, count, places);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(places[i].begin, expected[i].begin);
        assert_int_equal(places[i].end, expected[i].end);
    }
}

#define SPAN(above, from, to)                                                                                          \
    {                                                                                                                  \
        .parent = above, .text = { from, to }                                                                          \
    }
#define EMPTY(above, at)                                                                                               \
    {                                                                                                                  \
        .parent = above, .is_empty = true, .text = { at, at }                                                          \
    }
#define ROOT MARKUP_ROOT

TEST(moves_markup_with_its_words)
{
    static const Markup one[] = { SPAN(ROOT, 2, 7) };
    static const Markup nested[] = { SPAN(ROOT, 0, 8), SPAN(0, 3, 5), EMPTY(0, 6) };
    static const Markup siblings[] = { SPAN(ROOT, 0, 2), SPAN(ROOT, 3, 5), EMPTY(ROOT, 6) };
    static const Markup second[] = { SPAN(ROOT, 3, 5) }, pair[] = { SPAN(ROOT, 0, 2), SPAN(ROOT, 3, 5) };
    static const Markup spans[] = { SPAN(ROOT, 2, 3), SPAN(ROOT, 3, 5) }, inner[] = { SPAN(ROOT, 0, 5), SPAN(0, 2, 3) };
    static const Markup lines[] = { { .parent = ROOT, .is_empty = true, .is_space = true, .text = { 3, 3 } },
                                    { .parent = ROOT, .is_empty = true, .is_space = true, .text = { 6, 6 } } };
    static const Markup before[] = { EMPTY(ROOT, 2) }, after[] = { EMPTY(ROOT, 3) };
    static const Markup inside[] = { EMPTY(ROOT, 4), EMPTY(ROOT, 5) };

    /* Spans move with their words. */
    assert_places("a big house b", "aa bbb grosses Haus", "0231", one, 1, (Range[]){ { 7, 14 } });
    assert_places("a1 b2 c3 d4", "d c b a", "3210", nested, 3, (Range[]){ { 2, 7 }, { 4, 5 }, { 7, 7 } });
    assert_places("a1 b2 c3", "b a c", "102", siblings, 3, (Range[]){ { 2, 3 }, { 0, 1 }, { 4, 4 } });
    /* Spans without links. */
    assert_places("a1 b2 c3", "a c", "0.1", second, 1, (Range[]){ { 2, 3 } });
    assert_places("a1 b2 c3", "a c", "1.0", second, 1, (Range[]){ { 0, 1 } });
    assert_places("a1 b2 c3", "a", "...", pair, 2, (Range[]){ { 0, 1 }, { 0, 0 } });
    assert_places("a1 b2 c3", "", "", second, 1, (Range[]){ { 0, 0 } });
    /* Spans of white space, as in <kbd> </kbd>, get no words. */
    assert_places("a1 b2", "a b", "01", spans, 1, (Range[]){ { 1, 1 } });
    assert_places("a1 b2", "a b c", "0.", spans, 1, (Range[]){ { 1, 1 } });
    assert_places("a1 b2", "b a", "10", spans, 2, (Range[]){ { 0, 0 }, { 0, 1 } });
    assert_places("a1 b2", "a b", "01", inner, 2, (Range[]){ { 0, 3 }, { 1, 1 } });
    /* No line becomes empty. */
    assert_places("a1 b2 c3", "c b a", "210", lines, 2, (Range[]){ { 2, 2 }, { 4, 4 } });
    assert_places("a1 b2 c3", "a b c", "000", lines, 2, (Range[]){ { 2, 2 }, { 4, 4 } });
    assert_places("a1 b2 c3", "a", "0..", lines, 2, (Range[]){ { 1, 1 }, { 1, 1 } });
    /* White space stays on its side. */
    assert_places("a1 b2", "a b", "01", before, 1, (Range[]){ { 1, 1 } });
    assert_places("a1 b2", "a b", "01", after, 1, (Range[]){ { 2, 2 } });
    assert_places("a1.  b2", "a.  b", "01", inside, 1, (Range[]){ { 3, 3 } });
    assert_places("a1.   b2", "a.   b", "01", inside, 2, (Range[]){ { 3, 3 }, { 4, 4 } });
    assert_places("a1.   b2", "a. b", "01", inside, 2, (Range[]){ { 3, 3 }, { 3, 3 } });
    assert_places("a1.   b2", "a.\xc2\xa0 b", "01", inside, 2, (Range[]){ { 4, 4 }, { 4, 4 } });
    assert_places("a1.   b2", "a.\xc2\xa0\xc2\xa0x", "01", inside, 2, (Range[]){ { 6, 6 }, { 6, 6 } });
}

/* Targets that are kept parts with tags of their own. Links have the targets of the sources a, b and c. */
TEST(leaves_reserved_targets_to_their_markup)
{
    static const Range words[] = { { 0, 1 }, { 2, 3 }, { 4, 5 } };
    static const struct {
        ProjectionLink links[3];
        size_t link_count, target_count;
        bool is_reserved[3];
        Range span, place;
    } cases[] = {
        { { { 1, 0, 100 } }, 1, 1, { true }, { 0, 1 }, { 0, 0 } }, /* no word is left */
        { { { 1, 1, 100 } }, 1, 2, { false, true }, { 4, 5 }, { 0, 1 } },
        { { { 1, 0, 100 } }, 1, 2, { true, false }, { 2, 3 }, { 0, 1 } },
        { { { 0, 0, 100 }, { 1, 2, 101 }, { 2, 1, 100 } }, 3, 3, { false, true, false }, { 0, 3 }, { 4, 5 } },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const Markup span = { .parent = ROOT, .text = cases[i].span };
        const ProjectionInput in = { .sources = words,
                                     .source_count = 3,
                                     .targets = words,
                                     .is_reserved = cases[i].is_reserved,
                                     .target_count = cases[i].target_count,
                                     .links = cases[i].links,
                                     .link_count = cases[i].link_count,
                                     .target = "a b c",
                                     .target_length = 2 * cases[i].target_count - 1 };
        Range place;
        find_places(&in, "a b c", 5, &span, 1, &place);
        assert_int_equal(place.begin, cases[i].place.begin);
        assert_int_equal(place.end, cases[i].place.end);
    }
}

TEST(ends_lines_after_punctuation)
{
    static const Markup line[] = { { .parent = ROOT, .is_empty = true, .is_space = true, .text = { 3, 3 } } };
    static const Range sources[] = { { 0, 2 }, { 3, 5 } };
    static const Range middle[] = { { 0, 1 }, { 1, 2 }, { 3, 4 } }, end[] = { { 0, 1 }, { 2, 3 }, { 3, 4 } };
    static const bool middle_marks[] = { false, true, false }, end_marks[] = { false, false, true };
    static const ProjectionLink apart[] = { { 0, 0, 0.9f }, { 1, 2, 0.9f } };
    static const ProjectionLink together[] = { { 0, 0, 0.9f }, { 0, 1, 0.9f } };
    ProjectionInput in = { sources, 2, middle, middle_marks, NULL, 3, apart, 2, "a, b", 4 };
    Range place;

    find_places(&in, "a1 b2", 5, line, 1, &place);
    assert_int_equal(place.begin, 3);
    in = (ProjectionInput){ sources, 2, end, end_marks, NULL, 3, together, 2, "a b.", 4 };
    find_places(&in, "a1 b2", 5, line, 1, &place);
    assert_int_equal(place.begin, 2);
}

static unsigned random_below(unsigned *seed, size_t limit)
{
    return (unsigned)(support_random(seed) % limit);
}

#define MOST_MARKUP 12
#define TEXT_LENGTH 60

/* Adds a random tree inside a range. */
static void grow_tree(unsigned *seed, size_t parent, Range inside, Markup *markup, size_t *count)
{
    size_t at = inside.begin;

    while (*count < MOST_MARKUP && random_below(seed, 3)) {
        const size_t begin = at + random_below(seed, inside.end - at + 1);
        const bool is_empty = random_below(seed, 3) == 0;
        const size_t index = (*count)++;
        at = is_empty ? begin : begin + random_below(seed, inside.end - begin + 1);
        markup[index] = (Markup){ .parent = parent, .is_empty = is_empty, .text = { begin, at } };
        if (!is_empty) grow_tree(seed, index, markup[index].text, markup, count);
    }
}

static bool is_inside(Range a, Range b)
{
    return a.begin >= b.begin && a.end <= b.end;
}

static void assert_tree(const Markup *markup, size_t count, const Range *places, size_t length)
{
    const Range all = { 0, length };

    for (size_t i = 0; i < count; i++) {
        const Range a = places[i];
        assert_true(a.begin <= a.end && (!markup[i].is_empty || a.begin == a.end));
        assert_true(is_inside(a, markup[i].parent == ROOT ? all : places[markup[i].parent]));
        for (size_t k = 0; k < i; k++)
            if (markup[k].parent == markup[i].parent) assert_true(a.end <= places[k].begin || places[k].end <= a.begin);
    }
}

TEST(is_a_tree_whatever_the_alignment_says)
{
    static char source[TEXT_LENGTH + 1], target[] = "aa b ccc dd e, fff g h ii jj";
    unsigned seed = 7;

    for (size_t i = 0; i < TEXT_LENGTH; i++) source[i] = i % 4 == 3 ? ' ' : 'x';
    for (int round = 0; round < 10000; round++) {
        Range sources[32], targets[32], places[MOST_MARKUP];
        ProjectionLink links[40];
        Markup markup[MOST_MARKUP];
        size_t count = 0;
        ProjectionInput in = { .sources = sources, .targets = targets, .links = links };
        in.source_count = find_words(source, sources);
        in.target_count = find_words(target, targets);
        in.target = target;
        in.target_length = strlen(target);
        in.link_count = random_below(&seed, COUNT(links) + 1);
        for (size_t i = 0; i < in.link_count; i++)
            links[i] = (ProjectionLink){ random_below(&seed, in.source_count), random_below(&seed, in.target_count),
                                         (float)(1 + random_below(&seed, 100)) / 100 };
        grow_tree(&seed, ROOT, (Range){ 0, TEXT_LENGTH }, markup, &count);
        find_places(&in, source, TEXT_LENGTH, markup, count, places);
        assert_tree(markup, count, places, in.target_length);
    }
}

TEST(places_very_many_elements_in_proportion)
{
    enum { MANY = 3000 };
    Markup *markup = calloc(MANY, sizeof *markup);
    Range *places = calloc(MANY, sizeof *places), words[2];
    const ProjectionInput in = {
        .targets = words, .target_count = find_words("aa bb", words), .target = "aa bb", .target_length = 5
    };
    char *text = calloc(MANY + 1, 1);

    memset(text, 'x', MANY);
    for (size_t i = 0; i < MANY; i++) markup[i] = (Markup){ .parent = ROOT, .text = { i, i + 1 } };
    find_places(&in, text, MANY, markup, MANY, places);
    assert_tree(markup, MANY, places, 5);
    free(markup);
    free(places);
    free(text);
}

static void assert_divided(const char *source, const char *target, const Markup *markup, Range place, Range expected)
{
    const UnitText text = { .text = source, .length = strlen(source), .markup = markup, .markup_count = 1 };

    projection_divide_words(&text, target, strlen(target), &place);
    assert_int_equal(place.begin, expected.begin);
    assert_int_equal(place.end, expected.end);
}

TEST(divides_copied_words_and_numbers_as_in_the_source)
{
    static const Markup digit[] = { SPAN(ROOT, 1, 2) }, second[] = { SPAN(ROOT, 5, 6) }, whole[] = { SPAN(ROOT, 0, 3) };
    static const Markup between[] = { EMPTY(ROOT, 2) };
    static const Markup ending[] = { SPAN(ROOT, 1, 3) }, third[] = { SPAN(ROOT, 9, 11) },
                        apart[] = { SPAN(ROOT, 2, 4) };
    static const Markup roman[] = { SPAN(ROOT, 3, 5) }, word[] = { SPAN(ROOT, 1, 2) }, index[] = { SPAN(ROOT, 2, 5) };

    assert_divided("H2O is wet", "nass ist H2O", digit, (Range){ 9, 12 }, (Range){ 10, 11 });
    assert_divided("H2O H2O", "H2O, H2O", second, (Range){ 0, 3 }, (Range){ 6, 7 });
    assert_divided("H2O is wet", "nass ist AH2O", digit, (Range){ 9, 12 }, (Range){ 9, 12 });
    assert_divided("H2O is wet", "H2O", whole, (Range){ 0, 1 }, (Range){ 0, 1 });
    assert_divided("\u03c3max", "x \u03c3max", index, (Range){ 2, 7 }, (Range){ 4, 7 });
    assert_divided("data", "x data", between, (Range){ 0, 0 }, (Range){ 4, 4 });
    /* Endings of numbers. */
    assert_divided("4th of July", "am 4. Juli", ending, (Range){ 3, 5 }, (Range){ 4, 4 });
    assert_divided("4th of July", "le 4e juillet", ending, (Range){ 5, 13 }, (Range){ 4, 5 });
    assert_divided("4th of July", "Juli", ending, (Range){ 0, 0 }, (Range){ 0, 0 });
    assert_divided("4th of July", "44, 4A1, 4. Juli", ending, (Range){ 0, 2 }, (Range){ 10, 10 });
    assert_divided("1st, a, 1st", "1. und 1.", third, (Range){ 0, 2 }, (Range){ 8, 8 });
    assert_divided("4 th of July", "am 4. Juli", apart, (Range){ 3, 5 }, (Range){ 4, 4 });
    assert_divided("XIXth century", "XIX. Jahrhundert", roman, (Range){ 5, 16 }, (Range){ 3, 3 });
    assert_divided("It is", "Es ist I", word, (Range){ 0, 2 }, (Range){ 0, 2 });
    assert_places("4th of July", "4. Juli", "0.1", ending, 1, (Range[]){ { 0, 0 } });
}

TESTS(test_projection);
