/* test_document_breaks.c - line breaks in the documents of all formats divide texts by one rule, line_breaks.h. Every
 * document is also written with its own texts, which must give the same bytes. */
#include "document_cases.h"

#include "line_breaks.h"

TEST(divide_the_texts_of_all_formats)
{
    document_cases_check_file(NULL, "tests/document_cases/breaks.tsv");
}

TEST(divided_sources_are_written_into_one_translation)
{
    document_cases_check_text(&document_xliff,
                              "<xliff><file><trans-unit><source>A <g id='1'>red<x id='2' ctype='lb'/>House</g></source>"
                              "</trans-unit><trans-unit><source>Red\n\nGreen</source><target state='new'>x</target>"
                              "</trans-unit></file></xliff>",
                              "T",
                              "<xliff><file><trans-unit><source>A <g id='1'>red<x id='2' ctype='lb'/>House</g></source>"
                              "<target state=\"needs-review-translation\"><g id='1'>T<x id='2' ctype='lb'/>T</g>"
                              "</target></trans-unit><trans-unit><source>Red\n\nGreen</source>"
                              "<target state='needs-review-translation'>T\n\nT</target></trans-unit></file></xliff>");
    document_cases_check_text(&document_qt,
                              "<TS><message><source>Red\nGreen</source><translation/></message><message numerus='yes'>"
                              "<source>One.\nTwo</source><translation><numerusform></numerusform><numerusform/>"
                              "</translation></message></TS>",
                              "T",
                              "<TS language=\"de\"><message><source>Red\nGreen</source><translation "
                              "type=\"unfinished\">T\nT</translation></message><message numerus='yes'>"
                              "<source>One.\nTwo</source><translation type=\"unfinished\"><numerusform>T\nT"
                              "</numerusform><numerusform>T\nT</numerusform></translation></message></TS>");
    document_cases_check_text(&document_tmx,
                              "<tmx><header srclang='en'/><body><tu><tuv xml:lang='en'><seg>Red<ph x='1' type='lb'/>"
                              "12<ph x='2'>&lt;br></ph>Green</seg></tuv></tu></body></tmx>",
                              "T",
                              "<tmx><header srclang='en'/><body><tu><tuv xml:lang='en'><seg>Red<ph x='1' type='lb'/>"
                              "12<ph x='2'>&lt;br></ph>Green</seg></tuv><tuv xml:lang=\"de\"><seg>T<ph x='1' "
                              "type='lb'/>12<ph x='2'>&lt;br></ph>T</seg></tuv></tu></body></tmx>");
}

TEST(follow_one_rule)
{
    static const struct {
        const char *before;
        LineBreakKind kind;
        char next;
        bool goes_on;
    } cases[] = {
        { "The new", BREAK_HARD, 'g', true },
        { "The new", BREAK_HARD, 'G', false },
        { "The new", BREAK_ALWAYS, 'g', false },
        { "old town", BREAK_HARD, 'n', false },
        { "old town", BREAK_NEWLINE, 'n', true },
        { "an old town", BREAK_HARD, 'n', true },
        { "apples,", BREAK_HARD, 'p', true },
        { "The end.", BREAK_NEWLINE, 'n', false },
        { "The file (1)", BREAK_NEWLINE, 'i', true },
        { "Name:", BREAK_NEWLINE, 'j', false },
        { "", BREAK_NEWLINE, 'a', false },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        LineBefore before = { 0 };
        for (const char *at = cases[i].before; *at; at++) line_breaks_add(&before, (unsigned char)*at);
        assert_int_equal(line_breaks_goes_on(&before, (uint32_t)cases[i].next, cases[i].kind), cases[i].goes_on);
    }
}

TESTS(test_document_breaks);
