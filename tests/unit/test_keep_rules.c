/* test_keep_rules.c - document/keep: what of a text its translation keeps. */
#include "document_cases.h"
#include "keep_patterns.h"
#include "keep_rules.h"
#include "keep_words.h"

/* The items, separated by |. */
static char *items_of(const char *text, const RangeList *list)
{
    Buf out = { 0 };
    Err err;

    assert_ok(buf_append(&out, "", 0, &err), &err);
    for (size_t i = 0; i < list->len; i++) {
        const ByteRange *range = &list->data[i];
        assert_ok(buf_append_format(&out, &err, "%s%.*s", i ? "|" : "", (int)(range->end - range->begin),
                                    text + range->begin),
                  &err);
    }
    return out.data;
}

static void assert_found(const KeepRules *rules, const char *text, const char *expected)
{
    RangeList list = { 0 };
    char *items;
    Err err;

    assert_ok(keep_rules_find(rules, text, strlen(text), &list, &err), &err);
    items = items_of(text, &list);
    if (strcmp(items, expected) != 0) fail_msg("%s: found \"%s\", not \"%s\"", text, items, expected);
    free(items);
    ranges_free(&list);
}

/* Checks what is found in a unit that has no markup. */
static void assert_kept(const KeepRules *rules, const char *text, const char *expected)
{
    const UnitText unit = { .text = text, .length = strlen(text) };
    RangeList list = { 0 };
    char *items;
    Err err;

    assert_ok(keep_rules_find_in_unit(rules, &unit, &list, &err), &err);
    items = items_of(text, &list);
    if (strcmp(items, expected) != 0) fail_msg("%s: kept \"%s\", not \"%s\"", text, items, expected);
    free(items);
    ranges_free(&list);
}

static KeepRules *new_rules(void)
{
    KeepRules *rules;
    Err err;

    assert_ok(keep_rules_new(&rules, &err), &err);
    return rules;
}

static KeepRules *new_patterns(void)
{
    KeepRules *rules = new_rules();
    Err err;

    assert_ok(keep_rules_add_patterns(rules, &err), &err);
    return rules;
}

typedef struct {
    const char *text, *items;
} Case;

static void check_cases(const Case *cases, size_t count)
{
    KeepRules *rules = new_patterns();

    for (size_t i = 0; i < count; i++) assert_kept(rules, cases[i].text, cases[i].items);
    keep_rules_free(rules);
}

/* Each by itself, because another pattern could hide one that matches nothing. */
static void patterns_match_their_examples(void **state)
{
    Err err;

    (void)state;
    for (const KeepPattern *pattern = keep_patterns; pattern->expression; pattern++) {
        KeepRules *rules = new_rules();
        assert_ok(keep_rules_add_expression(rules, pattern->expression, &err), &err);
        assert_non_null(pattern->examples[0]);
        for (size_t i = 0; i < KEEP_EXAMPLES && pattern->examples[i]; i++) {
            char text[200];
            (void)snprintf(text, sizeof text, "A %s word.", pattern->examples[i]);
            assert_found(rules, text, pattern->examples[i]);
        }
        keep_rules_free(rules);
    }
}

static void keeps_addresses_and_technical_names(void **state)
{
    static const Case cases[] = {
        { "See https://example.org/a?b=c&d=%20#e.", "https://example.org/a?b=c&d=%20#e" },
        { "Is it http://example.org, or www.example.org/x?", "http://example.org|www.example.org/x" },
        { "(see https://en.wikipedia.org/wiki/C_(language)).", "https://en.wikipedia.org/wiki/C_(language)" },
        { "“http://[::1]:80/”; HTTP://A.B!", "http://[::1]:80/|HTTP://A.B" },
        { "请看https://example.org/查看。好", "https://example.org/" },
        { "Visit https://example.org/{lang}/x.", "https://example.org/{lang}/x" },
        { "ftp://ftp.example.org/pub/ and mailto:me@example.org", "ftp://ftp.example.org/pub/|mailto:me@example.org" },
        { "Write to first.last+tag@mail.example.co.uk.", "first.last+tag@mail.example.co.uk" },
        { "the file /usr/lib/x.so, ~/.bashrc or ../a/b.", "/usr/lib/x.so|~/.bashrc|../a/b" },
        { "Edit src/main.c and ./configure.", "src/main.c|./configure" },
        { "In C:\\Program Files\\x\\y.txt. And D:\\.", "C:\\Program Files\\x\\y.txt|D:\\" },
        { "Use --name, --out-dir=/tmp/x or --no-color.", "--name|--out-dir=/tmp/x|--no-color" },
        { "From 192.168.1.1 (or 10.0.0.0/8) to 127.0.0.1:8080, version 6.1.0.22.",
          "192.168.1.1|10.0.0.0/8|127.0.0.1:8080|6.1.0.22" },
        { "服务器192.168.178.123在线，地址是10.100.200.250。", "192.168.178.123|10.100.200.250" },
        { "In 1.234.567.890 Fällen am 3.4.2024, 1.2.3.4.5 und 1.2.3.4567; 01.23.45.67.", "" },
        { "See example.com/docs/a-b, git@github.com:a/b-c.git or 2001:db8::1.",
          "example.com/docs/a-b|git@github.com:a/b-c.git|2001:db8::1" },
        { "Id 550e8400-e29b-41d4-a716-446655440000 (9f86d081884c7d659a2feaa0c55ad015) of 2024-01-01T00:00:00Z.",
          "550e8400-e29b-41d4-a716-446655440000|9f86d081884c7d659a2feaa0c55ad015|2024-01-01T00:00:00Z" },
        { "Open house.txt with snake_case_x and house.getDogs().", "house.txt|snake_case_x|house.getDogs()" },
        { "The :attribute must be (:value) :material-account-circle: @smith2020. See @fig-old-house, (@eq-x).",
          ":attribute|:value|:material-account-circle:|@smith2020|@fig-old-house|@eq-x" },
        { "One\\nTwo\\t three", "\\n|\\t" },
        { "Date: ........ Name: ____________", "........|____________" },
        { "The house | The houses", "|" },
    };

    (void)state;
    check_cases(cases, COUNT(cases));
}

static void keeps_placeholders(void **state)
{
    static const Case cases[] = {
        { "%s has %d files of %-5.2f MB", "%s|%d|%-5.2f" },
        { "%1$s and %2$d, %@, %lu, %5.1f%% or %ds", "%1$s|%2$d|%@|%lu|%5.1f|%%|%d" },
        { "%1$,.2f, %,d, %'d of %2$'d, %(,.2f; % d and % 5.1f", "%1$,.2f|%,d|%'d|%2$'d|%(,.2f|% d|% 5.1f" },
        { "It is %d%% bigger than 50%% of %s%% or %Lf", "%d|%%|%%|%s|%%|%Lf" },
        { "%(name)s of %(count)03d", "%(name)s|%(count)03d" },
        { "%<name>s has %<count>d of %-8<size>s and %<price>.2f.", "%<name>s|%<count>d|%-8<size>s|%<price>.2f" },
        { "%#@files@ in %1$#@all_folders@", "%#@files@|%1$#@all_folders@" },
        { "page %1 of %L2 at %name% or %APP_DATA%", "%1|%L2|%name%|%APP_DATA%" },
        { "Hello {name}, {0}: {user.name!r:>10} {} {list[0]}", "{name}|{0}|{user.name!r:>10}|{}|{list[0]}" },
        { "On {0, date, short} {1,number}", "{0, date, short}|{1,number}" },
        { "On {0:dd MMM yyyy}, {0,10:F2}, {1,-5} {2:MMM d, yyyy}", "{0:dd MMM yyyy}|{0,10:F2}|{1,-5}|{2:MMM d, yyyy}" },
        { "{0,choice,0#are no files|1#is one|1<are {0,number,integer} files}.",
          "{0,choice,0#are no files|1#is one|1<are {0,number,integer} files}" },
        { "{count, plural, one {# file} other {{count} files}} left",
          "{count, plural, one {# file} other {{count} files}}" },
        { "{g, select, a {{n, plural, one {# x {y}} other {z}}} other {w}}.",
          "{g, select, a {{n, plural, one {# x {y}} other {z}}} other {w}}" },
        { "Dear {{ user.name | title }}, {{{raw}}} {% if x %}ok{% endif %}",
          "{{ user.name | title }}|{{{raw}}}|{% if x %}ok{% endif %}" },
        { "In ${HOME} or $(pwd), #{x} %{count}", "${HOME}|$(pwd)|#{x}|%{count}" },
        { "Click <x id=\"1\"/>here</x> or <b>", "<x id=\"1\"/>|</x>|<b>" },
        { "<0/> The house <12/> of </3>", "<0/>|<12/>|</3>" },
        { "Tom &amp; Co &#8211; x", "&amp;|&#8211;" },
        { "If $x$ and $a_1 + b^2 = c$, then $\\alpha$.", "$x$|$a_1 + b^2 = c$|$\\alpha$" },
        { "We have $n$ items and $m > n$ boxes.", "$n$|$m > n$" },
        { "$x = 5$, $a + b = c$; $2 < 3$ ($n - 1$, $|a| / ab$).", "$x = 5$|$a + b = c$|$2 < 3$|$n - 1$|$|a| / ab$" },
        { "The formula \\(x^2 + y\\), \\\\(f(x) + \\alpha\\\\) and \\[a_{[1]} \\le b\\] (see).",
          "\\(x^2 + y\\)|\\\\(f(x) + \\alpha\\\\)|\\[a_{[1]} \\le b\\]" },
        { "The $i$th of $x, y, z$ takes $O(n log n)$.", "$i$|$x, y, z$|$O(n log n)$" },
        { "%s/%s: {a}-{b}", "%s|%s|{a}|{b}" },
    };

    (void)state;
    check_cases(cases, COUNT(cases));
}

static void keeps_blocks_of_templates_inside_sentences(void **state)
{
    static const Case cases[] = {
        { "{{ name }} has {% if a %}bought{% else %}sold{% endif %} the house.",
          "{{ name }}|{% if a %}bought{% else %}sold{% endif %}" },
        { "{% if a.b != 1 %}We{% else %}{{ c.d }}{% endif %} go.",
          "{% if a.b != 1 %}We{% else %}{{ c.d }}{% endif %}" },
        { "Yesterday {{#if a}}wanted to buy{{else}}wanted to sell{{/if}} it.",
          "{{#if a}}wanted to buy{{else}}wanted to sell{{/if}}" },
        { "It {{#a}}is{{/a}}{{^a}}was{{/a}} {{#b}}a {{#c}}red{{/c}} house{{/b}}.",
          "{{#a}}is{{/a}}|{{^a}}was{{/a}}|{{#b}}a {{#c}}red{{/c}} house{{/b}}" },
        { "I have <% if a %>never<% else %>often<% end %> seen it.", "<% if a %>never<% else %>often<% end %>" },
        { "I have \\ifpdf never\\else often\\fi\\ seen it, \\iff I was \\fill.", "\\ifpdf never\\else often\\fi" },
        { "Take {%- for a in b -%}{% if c %}{{ a }}{% endif %}, {% endfor %} with you.",
          "{%- for a in b -%}{% if c %}{{ a }}{% endif %}, {% endfor %}" },
        /* The whole text, or with the end of a sentence in it. */
        { "{% if a %}The house is big{% endif %}.", "{% if a %}|{% endif %}" },
        { "{{#a}}The house{{/a}}", "{{#a}}|{{/a}}" },
        { "So {% if a %}we open it. Then we{% else %}you{% endif %} go.", "{% if a %}|{% else %}|{% endif %}" },
        { "So {% if a %}we open {% if b %}the door.", "{% if a %}|{% if b %}" },
        { "So {% block a %}we open{% endblock %} the door.", "{% block a %}|{% endblock %}" },
    };

    (void)state;
    check_cases(cases, COUNT(cases));
}

static void keeps_symbols(void **state)
{
    static const Case cases[] = {
        { "I like it 😀👍🏽 👨‍👩‍👧 ☀️🇩🇪 1️⃣",
          "😀👍🏽|👨‍👩‍👧|☀️🇩🇪|1️⃣" },
        { "A → B × 2 ≥ ½ §5 © 2020 ★★☆", "→|×|≥|½|§|©|★★☆" },
        { "It is 20 °C, 90° or 5°F.", "°C|°|°F" },
        { "€5, £4 million, €1,500.50, €3.50 and 5 €.", "€5|£4|€|€|€" },
    };

    (void)state;
    check_cases(cases, COUNT(cases));
}

static void leaves_ordinary_text(void **state)
{
    static const char *const texts[] = {
        "50% of all, 100 % sure, 5%discount and 30%-40%",
        "50% der, 100% (sicher), 100 %(d), in %, d, in % der, 30 % d, in % d'argent, % d’un, % i, the %'s",
        "%(sales), %,der, 5 %, der, in % (d. h. all), (% d. BIP)",
        "{a, b}, {a,b}, {1: the first}, {1:one  two}, {a:one two}, {0, choice}, {choice, one}",
        "He and/or she, 24/7, 1/2, km/h, w/o, TCP/IP, he/she/they",
        "A { alone, and } too; {see the page above}",
        "R&D; AT&T; Q&A",
        "It costs $5 or US$10-$20, 5$ and $1,000.50.",
        "It costs $5 + $3 = $8; between $5 + tax and $10, or US$ 5 = A$ 7.",
        "From $5 - a week - up to 6$, $5+/$6, $5 <$10, $ 5 = 5 $, $x = $y",
        "$5, $6 or US$(7) in A$, B$; $ab, cd$, $x$there, $f (a)$; @home-office, @fig or me@fig-x, not @figure-x",
        "e.g. this, i.e. that; etc. U.S. Mr. Smith",
        "The dog--which barked - ran -- and a - b",
        "a < b and c > d, <3 is no tag: 5 > 3, x<5>y, <5 m>",
        "At 10:30, on 1/5/2010, No. 5, #1, @home, 3:2",
        "the %age; a 5 % interest",
        "E_xit, camelCase, a_b and _this_; a.b.c; 3.5.1; Lehrer_innen, Kolleg_in",
        "He said:yes, at 10:30:45 or 1:2; Leser:innen, a :) or :D and ::",
        "the end.So is it. Das z.B. und/oder d.h. u.a./o.Ä. im Jahr 1234567890, dead beef; Well.... No... a....",
        "a|b, || and |x|; f(x), 0x, @home, @smith, me@home: you, the .txt files; C++::",
        "C:, a\\b, 1. item, \\now",
        "wwwhat? www. https: mailto: http://",
        "Ünïcödé and 中文 text — “quotes”… m², $5, 50 %",
        "",
    };
    KeepRules *rules = new_patterns();

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) assert_kept(rules, texts[i], "");
    keep_rules_free(rules);
}

static void takes_linear_time_on_any_text(void **state)
{
    static const char *const parts[] = { "a",
                                         "a@",
                                         "a.",
                                         "{",
                                         "{a,plural,",
                                         "{a,plural,{b}",
                                         "%",
                                         "%a",
                                         "$a ",
                                         "$",
                                         "$a=",
                                         "$= a\\b ",
                                         "/a",
                                         "a/",
                                         "../",
                                         "C:\\a a\\",
                                         "--a=",
                                         "<a b=\"\" ",
                                         "&",
                                         "http://a(",
                                         "mailto:a@",
                                         "{%",
                                         "\\(()",
                                         "\xc3\xa9",
                                         "\\(",
                                         "\\(a(",
                                         "\\[[]",
                                         "\\\\(a",
                                         "\\",
                                         "<0",
                                         "%d%",
                                         "% ",
                                         "%,",
                                         "%1$'",
                                         "%<a",
                                         "%<a>",
                                         "%-8<a",
                                         "%#@a",
                                         "{0:a ",
                                         "{0,1",
                                         "{0:a a",
                                         "{a,choice,",
                                         "{a,choice,{b}" };
    KeepRules *rules = new_patterns();
    char *text = support_alloc(UNIT_BYTES + 1);
    RangeList list = { 0 };
    Err err;

    (void)state;
    for (size_t i = 0; i < COUNT(parts); i++) {
        const size_t length = strlen(parts[i]), count = UNIT_BYTES / length;
        const UnitText unit = { .text = text, .length = count * length };
        for (size_t k = 0; k < count; k++) memcpy(text + k * length, parts[i], length);
        assert_ok(keep_rules_find_in_unit(rules, &unit, &list, &err), &err);
    }
    ranges_free(&list);
    free(text);
    keep_rules_free(rules);
}

/* Each pattern on texts that are made of the beginnings of all examples. */
static void takes_linear_time_on_texts_of_almost_matches(void **state)
{
    enum { LENGTH = 50000 };
    KeepRules *rules = new_patterns();
    char *text = support_alloc(LENGTH);
    RangeList list = { 0 };
    Err err;

    (void)state;
    for (const KeepPattern *pattern = keep_patterns; pattern->expression; pattern++) {
        for (size_t i = 0; i < KEEP_EXAMPLES && pattern->examples[i]; i++) {
            const size_t length = strlen(pattern->examples[i]) - 1, count = LENGTH / (length + 1);
            const UnitText unit = { .text = text, .length = count * length };
            if ((unsigned char)pattern->examples[i][length] >= 0x80) continue;
            for (size_t k = 0; k < count; k++) memcpy(text + k * length, pattern->examples[i], length);
            if (length) assert_ok(keep_rules_find_in_unit(rules, &unit, &list, &err), &err);
        }
    }
    ranges_free(&list);
    free(text);
    keep_rules_free(rules);
}

static void keeps_what_expressions_match(void **state)
{
    KeepRules *rules = new_rules();
    Err err;

    (void)state;
    assert_ok(keep_rules_add_expression(rules, "\\b[A-Z]{2,}\\d*\\b", &err), &err);
    assert_ok(keep_rules_add_expression(rules, "x*", &err), &err);
    assert_ok(keep_rules_add_expression(rules, "(?<=ä) ?ö ?", &err), &err);
    assert_found(rules, "The NASA and xx ABC12, X1, DEF/GHI", "NASA|xx|ABC12|DEF|GHI");
    assert_found(rules, "ä ö ü https://a.org %s {a}", "ö");
    assert_found(rules, "ä  AB CD xxAB", "AB|CD|xx");
    assert_found(rules, "", "");
    keep_rules_free(rules);
}

static void refuses_invalid_and_expensive_expressions(void **state)
{
    char text[100];
    KeepRules *rules = new_rules();
    RangeList list = { 0 };
    Err err;

    (void)state;
    assert_fails(keep_rules_add_expression(rules, "ä(b", &err), ERR_USAGE, &err,
                 "'ä(b': missing closing parenthesis (at character 4)");
    assert_fails(keep_rules_add_expression(rules, "a\\Cb", &err), ERR_USAGE, &err,
                 "'a\\Cb': using \\C is disabled by the application (at character 4)");
    assert_ok(keep_rules_add_expression(rules, "(a+)+$", &err), &err);
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = 'b';
    assert_fails(keep_rules_find(rules, text, sizeof text, &list, &err), ERR_FORMAT, &err,
                 "the expression '(a+)+$' needs too many steps for this text; simplify it");
    ranges_free(&list);
    keep_rules_free(rules);
}

/* Adds the words of a file with this content. */
static void add_words(KeepRules *rules, const char *content)
{
    Buf file = { 0 };
    Err err;

    assert_ok(buf_append_text(&file, content, &err), &err);
    assert_ok(keep_rules_add_words(rules, "words", &file, &err), &err);
    assert_null(file.data);
}

static void keeps_whole_words_and_phrases(void **state)
{
    KeepRules *rules = new_rules();

    (void)state;
    add_words(rules, "\xef\xbb\xbfNew York\r\n\n  New York City \nC++\n#tag\n.NET\nApple\nапельсин\n北京\nnaïve\nYork");
    add_words(rules, "Linux");
    assert_found(rules, "New York City, New York Citys and New Yorker; York", "New York City|New York|York");
    assert_found(rules, "C++, C+++ #tag #tags .NET ASP.NET", "C++|C++|#tag|.NET|.NET");
    assert_found(rules, "Apple apple Apples Pineapple Apple_x Apple’s", "Apple|Apple");
    assert_found(rules, "апельсин апельсины", "апельсин");
    assert_found(rules, "我在北京的家 naïve naïvete\u0301 Linux", "北京|naïve|Linux");
    keep_rules_free(rules);
}

static void refuses_words_that_are_no_text(void **state)
{
    KeepRules *rules = new_rules();
    Buf file = { 0 };
    Err err;

    (void)state;
    assert_ok(buf_append_text(&file, "a\n\nb\xff\n", &err), &err);
    assert_fails(keep_rules_add_words(rules, "words", &file, &err), ERR_FORMAT, &err, "words:3: not valid UTF-8");
    for (size_t i = 0; i <= KEEP_WORD_BYTES; i++) assert_ok(buf_append(&file, "a", 1, &err), &err);
    assert_fails(keep_rules_add_words(rules, "words", &file, &err), ERR_FORMAT, &err,
                 "words:1: this phrase is longer than 1000 bytes");
    keep_rules_free(rules);
}

/* With a search for each word, this would take hours. */
static void finds_many_words_in_a_long_text(void **state)
{
    KeepRules *rules = new_rules();
    Buf file = { 0 }, text = { 0 };
    RangeList list = { 0 };
    Err err;

    (void)state;
    for (int i = 0; i < 100000; i++) assert_ok(buf_append_format(&file, &err, "the word %d\n", i), &err);
    for (int i = 0; i < 200000; i++) assert_ok(buf_append_format(&text, &err, "the word %d the word x ", i), &err);
    assert_ok(keep_rules_add_words(rules, "words", &file, &err), &err);
    assert_ok(keep_rules_find(rules, text.data, text.len, &list, &err), &err);
    assert_int_equal(list.len, 100000);
    ranges_free(&list);
    buf_free(&text);
    keep_rules_free(rules);
}

/* Reads a document and returns the items of its first unit. */
static char *items_in(const DocumentFormat *format, const char *document)
{
    Document *doc = document_cases_open(format, document);
    const UnitText text = document_source(doc, 0);
    KeepRules *rules = new_patterns();
    RangeList list = { 0 };
    char *items;
    Err err;

    assert_ok(keep_rules_find_in_unit(rules, &text, &list, &err), &err);
    items = items_of(text.text, &list);
    ranges_free(&list);
    keep_rules_free(rules);
    document_free(doc);
    return items;
}

static void keeps_what_formats_mark(void **state)
{
    static const struct {
        const DocumentFormat *format;
        const char *document, *items;
    } cases[] = {
        { &document_markdown, "Use `a b`, `c`/`d` and *e*.", "a b|c|d" },
        { &document_html, "<p>x <b>y <code>a</code></b><code><i>b</i>c</code>.", "a|bc" },
        { &document_html, "<p>The <code>a <i>b</i></code> of {x}<b>{y}</b>{z} %s/%d", "a b|{x}|{y}|{z}|%s|%d" },
        { &document_html, "<p>See http://a.org/?b&amp;c&NotEqualTilde;d here, &lt;b&gt;.",
          "http://a.org/?b&c\u2242\u0338d|<b>" },
        { &document_html, "<p>He {{#if a}}<b>x</b>{{/if}} y", "{{#if a}}x{{/if}}" },
        { &document_html, "<p>It {% if a %}has <b>x</b>{% else %}y{% endif %} z {% if b %}<br>{% endif %}", "has xy" },
        { &document_html, "<p>It <b>has {% if a %}x</b> y{% endif %} z", "" },
        { &document_html, "<p>It has {% if a %}x. Y{% endif %} z <% if a %><%= b %><% end %>.", "" },
        { &document_html, "<p>{% if a %}x <b>y</b>{% else %}z{% endif %} {{ a }}.", "{{ a }}" },
        { &document_markdown, "It {% if a %}has *x*{% elif b %}y{% endif %} z", "has xy" },
        { &document_latex, "It \\ifdraft has \\emph{x}\\else y\\fi z", "\\ifdraft has x\\else y\\fi" },
        { &document_html, "<p>See http://a.<b>org</b>/ here", "http://a.org/" },
        { &document_html, "<p>A<code> b </code>c <code> d</code>, <kbd> </kbd> e<kbd> </kbd>f", "b| d| " },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *items = items_in(cases[i].format, cases[i].document);
        assert_string_equal(items, cases[i].items);
        free(items);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_match_their_examples),
        cmocka_unit_test(keeps_addresses_and_technical_names),
        cmocka_unit_test(keeps_placeholders),
        cmocka_unit_test(keeps_blocks_of_templates_inside_sentences),
        cmocka_unit_test(keeps_symbols),
        cmocka_unit_test(leaves_ordinary_text),
        cmocka_unit_test(takes_linear_time_on_any_text),
        cmocka_unit_test(takes_linear_time_on_texts_of_almost_matches),
        cmocka_unit_test(keeps_what_expressions_match),
        cmocka_unit_test(refuses_invalid_and_expensive_expressions),
        cmocka_unit_test(keeps_whole_words_and_phrases),
        cmocka_unit_test(refuses_words_that_are_no_text),
        cmocka_unit_test(finds_many_words_in_a_long_text),
        cmocka_unit_test(keeps_what_formats_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
