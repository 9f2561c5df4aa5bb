/* test_document_breaks.c - line breaks in the documents of all formats divide texts by one rule, line_breaks.h. Every
 * document is also written with its own texts, which must give the same bytes. */
#include "document_cases.h"

#include "line_breaks.h"

#define RUN(text)     "<w:r><w:t>" text "</w:t></w:r>"
#define BOLD(text)    "<w:r><w:rPr><w:b/></w:rPr><w:t>" text "</w:t></w:r>"
#define BREAK         "<w:r><w:br/></w:r>"
#define ODF(contents) "<o><text:p>" contents "</text:p></o>"

TEST(divide_the_texts_of_all_formats)
{
    static const DocumentCase cases[] = {
        { NULL, "as docx" },
        { "<w:p>" RUN("Red apples") BREAK RUN("Green pears") "</w:p>", "Red apples|Green pears" },
        { "<w:p>" RUN("The new") BREAK RUN("garden") "</w:p>", "The new garden" },
        { "<w:p>" RUN("red apples") BREAK RUN("green pears") "</w:p>", "red apples|green pears" },
        { "<w:p>" RUN("Old town") BREAK BREAK RUN("and new town") "</w:p>", "Old town|and new town" },
        { "<w:p>" BOLD("John Miller") BREAK RUN("head of it") "</w:p>", "John Miller head of it" },
        { "<w:p>" BOLD("John Miller") BREAK RUN("Head of it") "</w:p>", "John Miller|Head of it" },
        { "<w:p><w:r><w:t>A house</w:t><w:cr/><w:t>A garden</w:t></w:r></w:p>", "A house|A garden" },
        { NULL, "as pptx" },
        { "<a:p><a:r><a:t>Red apples</a:t></a:r><a:br/><a:r><a:t>Green pears</a:t></a:r></a:p>",
          "Red apples|Green pears" },
        { "<a:p><a:r><a:t>The new</a:t></a:r><a:br/><a:r><a:t>garden</a:t></a:r></a:p>", "The new garden" },
        { "<a:p><a:r><a:rPr b='1'/><a:t>The new</a:t></a:r><a:br/><a:r><a:t>garden</a:t></a:r></a:p>",
          "The new garden" },
        { "<a:p><a:r><a:rPr b='1'/><a:t>Red</a:t></a:r><a:br/><a:r><a:t>Green</a:t></a:r></a:p>", "Red|Green" },
        { NULL, "as odt" },
        { ODF("Red apples<text:line-break/>Green pears"), "Red apples|Green pears" },
        { ODF("The new<text:line-break/>garden"), "The new garden" },
        { ODF("A <text:span>red<text:line-break/>House</text:span>"), "A red|House" },
        { ODF("Red<text:s/>apples"), "Red apples" },
        { NULL, "as html" },
        { "<p>Red apples<br>Green pears<br/> Old houses</p>", "Red apples|Green pears|Old houses" },
        { "<p>We have a house<br>and a garden.<br><br>in town", "We have a house and a garden.|in town" },
        { "<p>A <b>red<br>House</b> is old", "A red|House is old" },
        { "<p>Dear Mary,<br>thank you.<br>Use <code>a b</code><br>now", "Dear Mary, thank you.|Use a b now" },
        { "<textarea>Red apples\nGreen pears\nand plums</textarea>", "Red apples|Green pears and plums" },
        { NULL, "as markdown" },
        { "Red apples  \nGreen pears\\\nOld houses\n", "Red apples|Green pears|Old houses" },
        { "We have a house  \nand a *garden*<br>in town.\n", "We have a house and a garden in town." },
        { NULL, "as android" },
        { "<resources><string name='a'>Red apples\\nGreen pears\\n?Old</string></resources>",
          "Red apples|Green pears|?Old" },
        { "<resources><string name='a'>\"The new\\ngarden\\n\\nof the king\"</string></resources>",
          "The new garden|of the king" },
        { "<resources><string name='a'>Name:\\tJohn</string></resources>", "Name:|John" },
        { NULL, "as qt" },
        { "<TS><message><source>Red apples\nGreen pears</source><translation/></message></TS>",
          "Red apples|Green pears" },
        { "<TS><message><source>The new\ngarden</source><translation type='unfinished'>Alt\nNeu</translation></message>"
          "</TS>",
          "The new garden" },
        { NULL, "as xliff" },
        { "<xliff><trans-unit><source>Line one<x id='1' ctype='lb'/>Line two</source></trans-unit></xliff>",
          "Line one|Line two" },
        { "<xliff><trans-unit><source>The new<ph id='1'>&lt;br/></ph>garden</source></trans-unit></xliff>",
          "The new garden" },
        { "<xliff><unit><segment><source>Line one<ph id='1' type='fmt' subType='xlf:lb'/>Line two</source></segment>"
          "</unit></xliff>",
          "Line one|Line two" },
        { NULL, "as json" },
        { "[\"Red apples<br>Green pears<br>and plums\"]", "Red apples|Green pears and plums" },
    };

    document_cases_check(NULL, cases, COUNT(cases));
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
