/* test_document.c - document/core: what the builder makes of the reports of a format, and how units are written. The
 * format of the tests has paragraphs, <a> ... </a> and <a/> as tags, &q; for a quote, and <=SOURCE=OWN> as a unit with
 * a translation. */
#include "document_cases.h"

#include "chars.h"
#include "document_builder.h"

static size_t tag_end(const BuilderInput *in, size_t at)
{
    while (at < in->end && in->bytes[at] != '>') at++;
    return at < in->end ? at + 1 : at;
}

static void report_tag(DocumentBuilder *b, const BuilderInput *in, size_t at, size_t end)
{
    const char *tag = in->bytes + at;

    if (tag[end - at - 2] == '/')
        document_builder_empty(b, at, end);
    else if (tag[1] == '/')
        document_builder_close(b, (uint64_t)tag[2], at, end);
    else
        document_builder_open(b, (uint64_t)tag[1], at, end);
}

/* <"TEXT/> */
static void report_attribute(DocumentBuilder *b, size_t begin, size_t end)
{
    document_builder_begin(b, 1, begin);
    document_builder_plain(b, begin, end);
    document_builder_end_unit(b, end);
}

/* Reports one part of a text and returns its end. */
static size_t report_part(DocumentBuilder *b, const BuilderInput *in, size_t at)
{
    size_t end = at + 1;

    if (in->bytes[at] == '<') {
        end = tag_end(in, at);
        if (in->bytes[at + 1] == '"') report_attribute(b, at + 2, end - 2);
        report_tag(b, in, at, end);
    } else if (chars_begin(in->bytes, at, in->end, "&q;")) {
        end = at + 3;
        document_builder_spelled(b, "\"", 1, at, end);
    } else if (in->bytes[at] == '\n') {
        document_builder_space(b, at, end);
    } else if (in->bytes[at] == '|') {
        document_builder_keep(b, true); /* up to the end of the text */
    } else {
        document_builder_plain(b, at, end);
    }
    return end;
}

static size_t report_until(DocumentBuilder *b, const BuilderInput *in, size_t at, char last)
{
    document_builder_begin(b, 0, at);
    while (at < in->end && in->bytes[at] != last) {
        if (last == '#' && chars_begin(in->bytes, at, in->end, "\n\n")) break;
        at = report_part(b, in, at);
    }
    return at;
}

/* <=SOURCE=OWN> */
static size_t report_pair(DocumentBuilder *b, const BuilderInput *in, size_t at)
{
    size_t source, own, unit, end = report_until(b, in, at + 2, '=');

    document_builder_end_text(b, end, &source);
    end = report_until(b, in, end + 1, '>');
    document_builder_end_text(b, end, &own);
    unit = document_builder_add_unit(b, &(UnitPlan){ source, own, "[", "]", in->bytes[end - 1] != '=' });
    document_builder_mark(b, unit, at + 1, at + 2, "~");
    document_builder_label(b, at, at, in->options->language);
    return end + 1;
}

static void parse(DocumentBuilder *b)
{
    const BuilderInput in = document_builder_input(b);

    for (size_t at = in.begin; at < in.end;) {
        if (strncmp(in.bytes + at, "<=", 2) == 0) {
            at = report_pair(b, &in, at);
            continue;
        }
        at = report_until(b, &in, at, '#');
        document_builder_end_unit(b, at);
        while (at < in.end && in.bytes[at] == '\n') at++;
        if (at < in.end && in.bytes[at] == '#') document_builder_fail(b, at, "a %s", "number sign");
        if (document_builder_failed(b)) return;
    }
}

static bool is_special(unsigned context, uint32_t code)
{
    return context == 0 && code == '"';
}

static size_t spell(uint32_t code, const SpellingPlace *place, char *out)
{
    assert_int_equal(code, '"');
    assert_true(place->after_length <= SPELLING_AHEAD);
    memcpy(out, "&q;", 3);
    return 3;
}

/* A plain quote is only kept before a letter. */
static bool keeps(const char *spelling, size_t length, const SpellingPlace *place)
{
    assert_int_equal(length, *spelling == '&' ? 3 : 1);
    return *spelling == '&' || (place->after_length && place->after[0] >= 'a');
}

/* A text with a tilde is written in quotes, where quotes need no spelling. */
static unsigned choose_context(unsigned context, char first, const char *text, size_t length, const char **quotes)
{
    (void)first;
    if (context || !memchr(text, '~', length)) return context;
    *quotes = "''";
    return 2;
}

static const SpellingRules rules = {
    .is_special = is_special, .spell = spell, .keeps = keeps, .choose_context = choose_context
};
static const DocumentFormat format = { .name = "test", .endings = "", .parse = parse, .spelling = &rules };

static void assert_identity(const char *text)
{
    Document *doc = document_cases_open(&format, text);
    char *out = document_cases_write(doc, NULL);

    assert_string_equal(out, text);
    free(out);
    document_free(doc);
}

/* Writes a rendering of the only unit. */
static void assert_rendering(const char *text, const char *translation, const Range *places, const char *expected)
{
    Document *doc = document_cases_open(&format, text);
    const Rendering rendering = { .text = translation, .length = strlen(translation), .places = places };
    char *out = document_cases_write(doc, &rendering);

    assert_string_equal(out, expected);
    free(out);
    document_free(doc);
}

TEST(finds_the_texts_of_units)
{
    static const DocumentCase cases[] = {
        { "", "" }, /* without what is around them */
        { "one\n\n  two  \n", "one|two" },
        { "<a><b>one</b></a>", "one" },
        { " <x/> <a> one </a> <y/>\n", "one" },
        { "<a> one</a> two", "one two" },
        { "one <a>two </a>", "one two" },
        { "12 <a>--</a>\n\n<a> </a>", "" },
        { "|one", "" },
        { "one |two", "one two" },
        { "a &q;b\nc&q; \"d", "a \"b c\" \"d" }, /* decoded */
        { "a\rb", "a b" },
        /* References to notes are empty elements, and so are spans of white space. */
        { "word<a>1</a> and wer<a><b>2</b></a>. End.<a>[3]</a> More<a>*</a>, die<a>4</a>",
          "word and wer. End. More, die" },
        { "H<a>2</a>O 10<a>6</a> one <a>5</a> two<a>!</a> m<a>2</a>", "H2O 106 one 5 two! m2" },
        { "A<a> </a>b<a> </a> c <a> </a>d<a> </a><b> <x/></b>e<a><b> </b></a>f", "A b c d e f" },
        { "<a>A <b>b<a> </a></b></a>c<a></a>d", "A b cd" },
    };

    document_cases_check(&format, cases, COUNT(cases));
}

TEST(makes_empty_elements_of_unbalanced_tags)
{
    static const struct {
        const char *text;
        size_t spans, empty;
    } cases[] = {
        { "x <a>y</a> z", 1, 0 },         { "x <a>y z", 0, 1 },        { "x </a>y z", 0, 1 },
        { "x <a>y<b>z</a>w</b>v", 1, 2 }, { "x <a>y<a>z</a>w", 1, 1 }, { "x <a/>y z", 0, 1 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Document *doc = document_cases_open(&format, cases[i].text);
        const UnitText text = document_source(doc, 0);
        size_t empty = 0;
        for (size_t k = 0; k < text.markup_count; k++) empty += text.markup[k].is_empty;
        assert_int_equal(empty, cases[i].empty);
        assert_int_equal(text.markup_count - empty, cases[i].spans);
        document_free(doc);
        assert_identity(cases[i].text);
    }
}

TEST(nests_to_a_limit)
{
    Buf text = { 0 };
    Document *doc;
    size_t spans = 0;
    UnitText unit;

    buf_put_text(&text, "x");
    for (int i = 0; i < 10000; i++) buf_put_text(&text, "<a>");
    buf_put_text(&text, "y");
    for (int i = 0; i < 10000; i++) buf_put_text(&text, "</a>");
    buf_put_text(&text, "z");
    doc = document_cases_open(&format, text.data);
    unit = document_source(doc, 0);
    assert_int_equal(unit.markup_count, 2 * (10000 - MARKUP_DEPTH) + MARKUP_DEPTH);
    for (size_t i = 0; i < unit.markup_count; i++) spans += !unit.markup[i].is_empty;
    assert_int_equal(spans, MARKUP_DEPTH);
    document_free(doc);
    assert_identity(text.data);
    buf_free(&text);
}

TEST(refuses_other_files_and_texts_that_are_too_large)
{
    char *text = calloc(UNIT_BYTES + 11, 1); /* parse() reads up to a NUL */

    memset(text, 'x', UNIT_BYTES + 10);
    memcpy(text, "\n\n ", 3);
    document_cases_refuse(&format, text,
                          "f:3:1: a text has more than 1048576 bytes or 262144 tags, which is not supported");
    free(text);
    document_cases_refuse(&format, "a\nb\xff", "f:2: not valid UTF-8");
    document_cases_refuse(&format, "a\n\n\xc3\xa9#", "f:3:2: a number sign");
}

TEST(spells_the_kth_character_as_the_source_does)
{
    assert_rendering("a &q;b \"c", "\"x\"y\"z", NULL, "&q;x\"y&q;z");
    assert_rendering("a &q;b \"c", "\"x\"", NULL, "&q;x&q;"); /* a plain one is not kept before nothing */
    assert_rendering("a", "\"x\"", NULL, "&q;x&q;");
    assert_rendering("a", "x~\"y", NULL, "''x~\"y''"); /* the format chooses another context */
}

TEST(finds_formats_by_name_and_ending)
{
    assert_ptr_equal(document_format_named("jsonl"), &document_jsonl);
    assert_ptr_equal(document_format_of("a.b/c.JSON"), &document_json);
    assert_ptr_equal(document_format_of("c.yml"), &document_yaml);
    assert_ptr_equal(document_format_of("c.tsv"), &document_tsv);
    assert_null(document_format_of("c.txt"));
    assert_ptr_equal(document_format_named("MD"), &document_markdown);
    assert_ptr_equal(document_format_named(".htm"), &document_html);
    assert_ptr_equal(document_format_named("xml"), &document_xml);
    assert_null(document_format_named("a.md"));
    assert_null(document_format_named("nothing"));
}

TEST(wraps_at_the_width_of_the_source)
{
    assert_rendering("aaa bbb cc\ndd eee", "a b c d e f g h i j k l m", NULL, "a b c d e\nf g h i j\nk l m");
    assert_rendering("aaa bbb cc", "a b c d e f g h i", NULL, "a b c d e f g h i");
    assert_identity("a\nbbbbbbb\nc d\ne\n");
}

TEST(moves_markup_to_its_places)
{
    const char *text = "u <a>v<x/><b>w</b></a> x";

    assert_rendering(text, "12 45 78", (Range[]){ { 2, 7 }, { 4, 4 }, { 6, 7 } }, "12<a> 4<x/>5 <b>7</b></a>8");
    assert_rendering(text, "12 45 78", (Range[]){ { 2, 4 }, { 0, 9 }, { 3, 1 } }, "12<a><x/> <b></b>4</a>5 78");
    /* An empty element goes before a span at the same place. */
    assert_rendering("<b>w</b>y<x/>z", "ab", (Range[]){ { 0, 1 }, { 0, 0 } }, "<x/><b>a</b>b");
    assert_rendering("one<a>  </a>two", "a b", (Range[]){ { 2, 2 } }, "a<a>  </a>b");
    assert_rendering("one <a> </a> two", "a b", (Range[]){ { 2, 2 } }, "a <a> </a> b");
}

TEST(trims_translations_and_leaves_no_text_empty)
{
    assert_rendering("a <b>b</b> c", "  x yy ", (Range[]){ { 4, 6 } }, "x <b>yy</b>");
    assert_rendering("a <b>b</b> c", " ", (Range[]){ { 0, 0 } }, "a <b>b</b> c");
}

TEST(keeps_spaces_on_both_sides_of_empty_elements)
{
    static const Range at[] = { { 2, 2 }, { 2, 2 } }, end[] = { { 4, 4 } };

    assert_rendering("one <x/> two", "a bc", at, "a <x/> bc");
    assert_rendering("one <x/> two", "a bc", (Range[]){ { 1, 1 } }, "a <x/> bc");
    assert_rendering("one <x/> two", "abcd", at, "ab <x/> cd");
    assert_rendering("one <x/> two", "a bc", end, "a bc<x/>");
    assert_rendering("one <x/><y/> two", "a bc", at, "a <x/><y/> bc");
    assert_rendering("one<x/> two", "abcd", at, "ab<x/>cd");
    assert_rendering("one <x/> two", "ab, c", at, "ab <x/>, c");
    assert_rendering("one <x/> two", "a (b", (Range[]){ { 3, 3 } }, "a (<x/> b");
}

TEST(writes_a_translation_in_another_place)
{
    static const char text[] = "<= <a>one</a> =><=two=zwei><=thr<b>ee</b>=>";
    Document *doc = document_cases_open(&format, text);
    const Range place = { 2, 3 };
    const Rendering renderings[] = { { .text = "eins", .length = 4 },
                                     { .text = "x", .length = 1 },
                                     { .text = "drei", .length = 4, .places = &place } };
    char *out;

    assert_int_equal(document_unit_count(doc), 3);
    assert_true(document_is_wanted(doc, 0));
    assert_false(document_is_wanted(doc, 1));
    out = document_cases_render(doc, renderings, WRITE_EACH).data;
    assert_string_equal(out, "de<~ <a>one</a> =[ <a>eins</a> ]>de<=two=[x]>de<~thr<b>ee</b>=[dr<b>e</b>i]>");
    free(out);
    document_free(doc);
    assert_identity(text);
}

TEST(writes_units_in_the_markup_of_others)
{
    static const char text[] = "<\"zero/> one <\"two/> <\"three/> four";
    static const Range places[] = { { 4, 4 }, { 0, 0 } };
    static const Rendering renderings[] = { { .text = "null", .length = 4 },
                                            { .text = "zwei", .length = 4 },
                                            { .text = "drei", .length = 4 },
                                            { .text = "eins vier", .length = 9, .places = places } };
    Document *doc = document_cases_open(&format, text);
    char *out = document_cases_render(doc, renderings, WRITE_EACH).data;

    assert_string_equal(out, "<\"null/> <\"drei/>eins <\"zwei/> vier");
    free(out);
    document_free(doc);
    document_cases_check(&format, &(DocumentCase){ text, "zero|two|three|one   four" }, 1);
}

TEST(replaces_language_labels)
{
    static const char text[] = "x\n\n<=y=z>";
    Document *doc = document_cases_open(&format, text);
    Buf own = document_cases_render(doc, NULL, WRITE_OWN), out = document_cases_render(doc, NULL, WRITE_FIRST);

    assert_string_equal(own.data, text);
    assert_string_equal(out.data, "x\n\nde<=y=z>");
    buf_free(&own);
    buf_free(&out);
    document_free(doc);
}

TEST(marks_statements_but_not_values)
{
    static const bool expected[] = { false, true, true };
    Document *doc = document_cases_open(&document_html, "<p>The house <%= b %> is {% c %} red and <% d %> old.</p>");
    const UnitText unit = document_source(doc, 0);

    assert_int_equal(unit.markup_count, COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++) assert_int_equal(unit.markup[i].is_ordered, expected[i]);
    document_free(doc);
}

TESTS(test_document);
