/* test_kept_items.c - kept parts of documents: document/keep/keep_rules.c finds them, document/core/unit_writer.c
 * writes them as they are spelled in the source, wherever they are in the translation. */
#include "document_cases.h"
#include "keep_rules.h"

#define MOST_PARTS 8

static KeepRules *new_rules(void)
{
    KeepRules *rules;
    Err err;

    assert_ok(keep_rules_new(&rules, &err), &err);
    assert_ok(keep_rules_add_patterns(rules, &err), &err);
    return rules;
}

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

static void assert_written(const DocumentFormat *format, const char *document, const char *translation,
                           const char *expected)
{
    Document *doc = document_cases_open(format, document);
    KeepRules *rules = new_rules();
    KeptItems items = { .ends = NULL };
    Span kept[MOST_PARTS];
    Range places[MOST_PARTS];
    UnitText unit = document_source(doc, 0);
    Rendering rendering;
    char *out;
    Err err;

    assert_ok(kept_items_find(&items, rules, doc, "f", &err), &err);
    unit.kept = kept_items_of(&items, 0, &unit.kept_count);
    rendering = render(&unit, translation, kept, places);
    out = document_cases_write(doc, &rendering);
    assert_string_equal(out, expected);
    free(out);
    kept_items_free(&items);
    keep_rules_free(rules);
    document_free(doc);
}

TEST(writes_kept_parts_as_the_source_spells_them)
{
    assert_written(&document_html, "<p>R&D at http://a.org/?x&amp;y.", "http://a.org/?x&y von R&D & C",
                   "<p>http://a.org/?x&amp;y von R&D &amp; C");
    assert_written(&document_html, "<p>A &lt; {&lt;a&gt;}: &NotEqualTilde;{b}", "{b} <a> x ≂̸",
                   "<p>{b} &lt;a&gt; x &NotEqualTilde;");
    assert_written(&document_markdown, "c\\_d at http://a.org/a_b now", "http://a.org/a_b ist c_d",
                   "http://a.org/a_b ist c\\_d");
    assert_written(&document_json, "{\"k\": \"n of {\\u006eame}\"}", "{name} n", "{\"k\": \"{\\u006eame} n\"}");
    assert_written(&document_xml, "<r>A {&#65;} &quot;%s\"</r>", "\"%s\" {A} A", "<r>&quot;%s\" {&#65;} A</r>");
    assert_written(&document_properties, "k = \\u0024 of ${\\u0061}\n", "${a} a $", "k = ${\\u0061} a \\u0024\n");
    assert_written(&document_csv, "\"a \"\"b\"\" {c}\"\n", "{c} \"", "\"{c} \"\"\"\n");
    assert_written(&document_text, "See {a} of\n{b} now.\n", "Jetzt {b}\u00e4{a}.", "Jetzt\n{b}ä{a}.\n");
}

TEST(writes_kept_parts_with_their_own_lines)
{
    assert_written(&document_text, "aa bb cc\ndd {{ e f }} g\n", "a b c d {{ e f }} h i j",
                   "a b c d\n{{ e f }} h i\nj\n");
    assert_written(&document_text, "> aa {{ b\n> c }} dd\n> ee {d} f\n", "a {d} b c {{ b c }} e g h",
                   "> a {d} b\n> c {{ b\n> c }} e g\n> h\n");
    assert_written(&document_text, "aa {{ b\nc }} dd\n", "a b c d e {{ b c }} f g h i j",
                   "a b c d e {{ b\nc }} f g h i j\n");
    assert_written(&document_markdown, "> See\n> $$\n> a % b\n> c\n> $$\n> ok", "A b c d e f $$ a % b c $$ g h i",
                   "> A b c\n> d e f\n> $$\n> a % b\n> c\n> $$ g\n> h i");
    assert_written(&document_markdown, "Run\n`a b\n  c` now", "a b c ist x", "`a b\n  c` ist\nx");
    assert_written(&document_html, "<p>x {{ a  b\n\tc }} y", "{{ a b c }} z", "<p>{{ a  b\n\tc }} z");
}

TEST(keeps_the_lines_of_a_text_with_kept_parts)
{
    static const char *const texts[] = {
        "a b c d e f {{ x\ny }} z\nw\n",
        "a {{ b\nc d e f }} g\nh {{ i\nj }} k l m n o\np\nq\n",
        "> {{ a\n> b c d e f\n> g }} h i j k\n> l m\n> n {{ o\n> p }} q r\n",
    };

    for (size_t i = 0; i < COUNT(texts); i++) {
        Document *doc = document_cases_open(&document_markdown, texts[i]);
        assert_written(&document_markdown, texts[i], document_source(doc, 0).text, texts[i]);
        document_free(doc);
    }
}

TEST(writes_the_markup_in_kept_parts)
{
    assert_written(&document_html, "<p>The <code>a &lt;<i>b</i><!-- --></code> at http://a.<wbr>org.",
                   "http://a.org: a <b x", "<p>http://a.<wbr>org: <code>a &lt;<i>b</i><!-- --></code> x");
}

TEST(names_the_line_of_a_text_that_is_too_hard)
{
    Document *doc = document_cases_open(&document_text, "a\n\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab");
    KeptItems items = { .ends = NULL };
    KeepRules *rules;
    size_t count;
    Err err;

    assert_null(kept_items_of(&items, 1, &count));
    assert_int_equal(count, 0);
    assert_ok(keep_rules_new(&rules, &err), &err);
    assert_ok(keep_rules_add_expression(rules, "(a+)+$", &err), &err);
    assert_fails(kept_items_find(&items, rules, doc, "f", &err), ERR_FORMAT, &err,
                 "f:3: the expression '(a+)+$' needs too many steps for this text; simplify it");
    kept_items_free(&items);
    keep_rules_free(rules);
    document_free(doc);
}

TESTS(test_kept_items);
