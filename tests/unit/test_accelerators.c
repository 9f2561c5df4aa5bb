/* test_accelerators.c - document/core/accelerators.c, and the marks of accelerators in documents. */
#include "document_cases.h"

#include "accelerators.h"

TEST(finds_the_mark_before_a_letter)
{
    static const struct {
        const char *text;
        size_t at;
    } cases[] = { { "&File", 0 },       { "E&xit", 1 },       { "Save &As...", 5 },   { "Datei (&D)", 7 },
                  { "&Öffnen", 0 },     { "Page &1", 5 },     { "Rock && &Roll", 8 }, { "_File", 0 },
                  { "Save _As...", 5 }, { "Datei (_D):", 7 }, { "Fo~rmat...", 2 } };
    static const char without[] = /* one text on each line */
        "R&D\nAT&T\nQ & A\n&&File\nTom &amp; Jerry\nhttp://a/?b=1&c=d\na/b&c\nDrag&drop the files here.\n&Copy "
        "&All\nend &\n__File\n"
        "file_name\n_file_name\n_main()\nThe field _id is required.\n_A _B\n~Save ~As\nabout ~5 files\n"
        "in ~user/x or ~/x\nThe folder ~user is not there.\n\n";
    char longer[ACCELERATOR_TEXT + 2];

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(accelerators_find(cases[i].text, strlen(cases[i].text), "&_~"), cases[i].at);
    for (const char *at = without; *at; at += strcspn(at, "\n") + 1)
        if (accelerators_find(at, strcspn(at, "\n"), "&_~") != ACCELERATOR_NONE) fail_msg("a mark in %s", at);
    assert_int_equal(accelerators_find("_File", 5, "&"), ACCELERATOR_NONE);
    memset(longer, 'a', sizeof longer);
    memcpy(longer, "&a ", 3);
    assert_int_equal(accelerators_find(longer, ACCELERATOR_TEXT, "&"), 0);
    assert_int_equal(accelerators_find(longer, ACCELERATOR_TEXT + 1, "&"), ACCELERATOR_NONE);
}

TEST(finds_the_beginning_of_a_word)
{
    assert_int_equal(accelerators_word("Save file", 7), 5);
    assert_int_equal(accelerators_word("Überall", 4), 0);
    assert_int_equal(accelerators_word("a b", 2), 2);
    assert_int_equal(accelerators_word("", 0), 0);
}

/* The mark is markup 0; markup 1, if it is not empty, is a span beside it. */
TEST(moves_the_mark_before_a_letter)
{
    static const Markup beside[] = { { .parent = MARKUP_ROOT, .is_empty = true }, { .parent = MARKUP_ROOT } };
    static const Markup inside[] = { { .parent = MARKUP_ROOT }, { .parent = 0, .is_empty = true } };
    static const struct {
        const char *text;
        size_t at, to;
        Range span;
    } cases[] = {
        { "Datei", 0, 0, { 0, 0 } },      { "\u00bfAbrir?", 0, 2, { 0, 0 } }, { "Datei öffnen", 5, 6, { 0, 0 } },
        { "%s öffnen", 0, 3, { 0, 0 } },  { "Datei %s", 6, 0, { 0, 0 } },     { "a bcd!", 5, 2, { 0, 0 } },
        { "3 - 4", 1, 4, { 0, 0 } },      { "...", 1, 3, { 0, 0 } },          { "", 0, 0, { 0, 0 } },
        { "{a} b c d", 0, 8, { 3, 8 } },  { "{a}bcd e", 0, 7, { 0, 0 } },     { "abc", 1, 1, { 1, 3 } },
        { "%s-Dateien", 0, 3, { 0, 0 } }, { "%-5s", 0, 4, { 0, 0 } },         { "Fo_bar", 0, 0, { 0, 0 } },
    };
    UnitText source = { .markup = beside, .markup_count = 2, .accelerator = 1 };
    Range parent[] = { { 3, 6 }, { 6, 6 } }, digit = { 0, 0 };

    for (size_t i = 0; i < COUNT(cases); i++) {
        Range places[] = { { cases[i].at, cases[i].at }, cases[i].span };
        accelerators_move(&source, cases[i].text, strlen(cases[i].text), places);
        if (places[0].begin != cases[i].to) fail_msg("%s: %zu, not %zu", cases[i].text, places[0].begin, cases[i].to);
        assert_int_equal(places[0].end, cases[i].to);
    }
    source = (UnitText){ .markup = inside, .markup_count = 2, .accelerator = 2 };
    accelerators_move(&source, "ab cde fg", 9, parent);
    assert_int_equal(parent[1].begin, 3);
    source = (UnitText){ .text = "1 Open", .length = 6, .markup = beside, .markup_count = 1, .accelerator = 1 };
    accelerators_move(&source, "Zoom 1", 6, &digit); /* a digit keeps its mark */
    assert_int_equal(digit.begin, 5);
    accelerators_move(&source, "Zoom 2", 6, &digit);
    assert_int_equal(digit.begin, 0);
}

TEST(takes_the_marks_out_of_texts)
{
    static const DocumentCase cases[] = {
        { NULL, "as qt" },
        { "<TS><message><source>&amp;File</source><translation>D&amp;atei</translation></message></TS>", "File" },
        { "<TS><message><source>E&amp;xit</source></message></TS>", "Exit" },
        { "<TS><message><source>R&amp;D &amp;&amp; Q &amp; A</source></message></TS>", "R&D && Q & A" },
        { NULL, "as xliff" },
        { "<xliff><file><trans-unit><source><g>&amp;File</g> <mrk mtype='protected'>&amp;a</mrk></source></trans-unit>"
          "</file></xliff>",
          "File &a" },
        { NULL, "as po" },
        { "msgid \"_Open \"\n\"all\"\nmsgstr \"\"\n\nmsgid \"_\"\n\"&Save\"\nmsgstr \"file_name\"\n",
          "Open all|_Save" },
        { NULL, "as properties" },
        { "a=&Datei\nb=&\\u00d6ffnen\n", "Datei|Öffnen" },
    };

    document_cases_check(NULL, cases, COUNT(cases));
}

TEST(writes_a_mark_as_the_source_does)
{
    Document *doc =
        document_cases_open(&document_qt, "<TS language=\"de\"><message><source>&amp;File</source></message></TS>");
    const UnitText text = document_source(doc, 0);
    const Range place = { 4, 4 };
    char *out = document_cases_write(doc, &(Rendering){ .text = "Die Datei", .length = 9, .places = &place });

    assert_int_equal(text.accelerator, 1);
    assert_string_equal(
        out, "<TS language=\"de\"><message><source>&amp;File</source><translation type=\"unfinished\">Die &amp;Datei"
             "</translation></message></TS>");
    free(out);
    document_free(doc);
}

TESTS(test_accelerators);
