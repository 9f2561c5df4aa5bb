/* test_kept_items.c - kept parts of documents: document/keep/keep_rules.c finds them, document/core/document.c
 * writes them as they are spelled in the source, wherever they are in the translation. */
#include "keep_cases.h"

#define MOST_PARTS 8

/* Finds the kept parts of the unit in its translation, and places the markup, which is inside of them. */
static Rendering render(const UnitText *unit, const char *translation, Span *kept, Range *places)
{
    assert_in_range(unit->kept_count, 1, MOST_PARTS);
    assert_in_range(unit->markup_count, 0, MOST_PARTS);
    for (size_t i = 0; i < unit->kept_count; i++) {
        const size_t length = unit->kept[i].end - unit->kept[i].begin;
        char *part = support_format("%.*s", (int)length, unit->text + unit->kept[i].begin);
        const char *at = strstr(translation, part);
        assert_non_null(at);
        kept[i] = (Span){ .source = unit->kept[i],
                          .place = { (size_t)(at - translation), (size_t)(at - translation) + length } };
        for (size_t k = 0; k < unit->markup_count; k++)
            if (unit->markup[k].text.begin >= unit->kept[i].begin && unit->markup[k].text.end <= unit->kept[i].end)
                places[k] = (Range){ unit->markup[k].text.begin - unit->kept[i].begin + kept[i].place.begin,
                                     unit->markup[k].text.end - unit->kept[i].begin + kept[i].place.begin };
        free(part);
    }
    return (Rendering){ .text = translation,
                        .length = strlen(translation),
                        .places = places,
                        .kept = kept,
                        .kept_count = unit->kept_count };
}

typedef struct {
    const DocumentFormat *format;
    const char *document, *translation, *expected;
} KeptCase;

static const KeptCase written[] = {
    /* Kept parts are written as the source spells them, */
    { &document_html, "<p>R&D at http://a.org/?x&amp;y.", "http://a.org/?x&y von R&D & C",
      "<p>http://a.org/?x&amp;y von R&D &amp; C" },
    { &document_html, "<p>A &lt; {&lt;a&gt;}: &NotEqualTilde;{b}", "{b} <a> x ≂̸",
      "<p>{b} &lt;a&gt; x &NotEqualTilde;" },
    { &document_markdown, "c\\_d at http://a.org/a_b now", "http://a.org/a_b ist c_d", "http://a.org/a_b ist c\\_d" },
    { &document_json, "{\"k\": \"n of {\\u006eame}\"}", "{name} n", "{\"k\": \"{\\u006eame} n\"}" },
    { &document_xml, "<r>A {&#65;} &quot;%s\"</r>", "\"%s\" {A} A", "<r>&quot;%s\" {&#65;} A</r>" },
    { &document_properties, "k = \\u0024 of ${\\u0061}\n", "${a} a $", "k = ${\\u0061} a \\u0024\n" },
    { &document_csv, "\"a \"\"b\"\" {c}\"\n", "{c} \"", "\"{c} \"\"\"\n" },
    { &document_text, "See {a} of\n{b} now.\n", "Jetzt {b}\u00e4{a}.", "Jetzt\n{b}ä{a}.\n" },
    /* with their own lines, */
    { &document_text, "aa bb cc\ndd {{ e f }} g\n", "a b c d {{ e f }} h i j", "a b c d\n{{ e f }} h i\nj\n" },
    { &document_text, "> aa {{ b\n> c }} dd\n> ee {d} f\n", "a {d} b c {{ b c }} e g h",
      "> a {d} b\n> c {{ b\n> c }} e g\n> h\n" },
    { &document_text, "aa {{ b\nc }} dd\n", "a b c d e {{ b c }} f g h i j", "a b c d e {{ b\nc }} f g h i j\n" },
    { &document_markdown, "> See\n> $$\n> a % b\n> c\n> $$\n> ok", "A b c d e f $$ a % b c $$ g h i",
      "> A b c\n> d e f\n> $$\n> a % b\n> c\n> $$ g\n> h i" },
    { &document_markdown, "Run\n`a b\n  c` now", "a b c ist x", "`a b\n  c` ist\nx" },
    { &document_html, "<p>x {{ a  b\n\tc }} y", "{{ a b c }} z", "<p>{{ a  b\n\tc }} z" },
    { &document_markdown, "a b c d e f {{ x\ny }} z\nw\n", NULL, "a b c d e f {{ x\ny }} z\nw\n" },
    { &document_markdown, "a {{ b\nc d e f }} g\nh {{ i\nj }} k l m n o\np\nq\n", NULL,
      "a {{ b\nc d e f }} g\nh {{ i\nj }} k l m n o\np\nq\n" },
    { &document_markdown, "> {{ a\n> b c d e f\n> g }} h i j k\n> l m\n> n {{ o\n> p }} q r\n", NULL,
      "> {{ a\n> b c d e f\n> g }} h i j k\n> l m\n> n {{ o\n> p }} q r\n" },
    /* and with the markup in them. */
    { &document_html, "<p>The <code>a &lt;<i>b</i><!-- --></code> at http://a.<wbr>org.", "http://a.org: a <b x",
      "<p>http://a.<wbr>org: <code>a &lt;<i>b</i><!-- --></code> x" },
};

/* A row without a translation has the text of the source as its translation. */
TEST(writes_kept_parts)
{
    for (size_t i = 0; i < COUNT(written); i++) {
        Document *doc = document_cases_open(written[i].format, written[i].document);
        KeptItems items = keep_cases_find(doc);
        Span kept[MOST_PARTS];
        Range places[MOST_PARTS];
        UnitText unit = document_source(doc, 0);
        Rendering rendering;
        char *out;
        unit.kept = kept_items_of(&items, 0, &unit.kept_count);
        rendering = render(&unit, written[i].translation ? written[i].translation : unit.text, kept, places);
        out = document_cases_write(doc, &rendering);
        assert_string_equal(out, written[i].expected);
        free(out);
        kept_items_free(&items);
        document_free(doc);
    }
}

TEST(names_the_line_of_a_text_that_is_too_hard)
{
    Document *doc = document_cases_open(&document_text, "a\n\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab");
    KeptItems items = { .ends = NULL };
    KeepRules *rules = keep_cases_rules();
    size_t count;
    Err err;

    assert_null(kept_items_of(&items, 1, &count));
    assert_int_equal(count, 0);
    assert_ok(keep_rules_add_expression(rules, "(a+)+$", &err), &err);
    assert_fails(kept_items_find(&items, rules, doc, "f", &err), ERR_FORMAT, &err,
                 "f:3: the expression '(a+)+$' needs too many steps for this text; simplify it");
    kept_items_free(&items);
    keep_rules_free(rules);
    document_free(doc);
}

TESTS(test_kept_items);
