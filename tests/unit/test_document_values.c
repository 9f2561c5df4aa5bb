/* test_document_values.c - elements without text that stand for a word are kept parts of their sentence. Every document
 * is also written with its own texts, which must give the same bytes. */
#include "keep_cases.h"
#include "document_cases.h"

#define UNIT(source) "<xliff><trans-unit><source>" source "</source></trans-unit></xliff>"
#define SEG(text)    "<tmx><header srclang='en'/><tu><tuv xml:lang='en'><seg>" text "</seg></tuv></tu></tmx>"

TEST(are_read_in_bilingual_files)
{
    static const DocumentCase xliff[] = {
        { UNIT("Hello <x id='INTERPOLATION' equiv-text='{{name}}'/>, you"), "Hello {{name}}, you" },
        { UNIT("<x id='1'/> minutes ago"), "{1} minutes ago" },
        { UNIT("Delete <ph id='1'>{file}</ph>?"), "Delete {file}?" },
        { UNIT("Used <x id='1'/>MB of v<x/>"), "Used {1}MB of v{}" },
        { UNIT("See <ph id='0' equiv='A' disp='{{ b }}'/> <it id='1' pos='open'>%s</it> now"), "See {{ b }} %s now" },
        { UNIT("In <x id='I' equiv-text='{n, plural, one {a long text for one} other {and one for all others}}'/>."),
          "In {I}." },
    };
    static const DocumentCase tmx[] = {
        { SEG("Hello <ph x='1'>{name}</ph>, you"), "Hello {name}, you" },
        { SEG("The <ph x='1' type='bold'/>house and <ph x='2'>\\b </ph>garden"), "The house and garden" },
    };

    document_cases_check(&document_xliff, xliff, COUNT(xliff));
    document_cases_check(&document_tmx, tmx, COUNT(tmx));
}

TEST(are_not_formatting_or_parts_of_words)
{
    static const DocumentCase xliff[] = {
        { UNIT("A <ph id='1'>&lt;b></ph>red<ph id='2'>&lt;/b></ph> house"), "A red house" },
        { UNIT("A <x id='START_B'/>red<x id='CLOSE_B'/> house"), "A red house" },
        { UNIT("A <ph id='1'>**</ph>red<it id='2' pos='end'>&lt;/i></it> house"), "A red house" },
        { UNIT("A house<x id='1'/> and a<ph id='2' type='fmt'/> garden"), "A house and a garden" },
        { UNIT("A<cp hex='001a'/> house<bx id='1'/>."), "A house." },
    };

    document_cases_check(&document_xliff, xliff, COUNT(xliff));
}

TEST(are_pictures_inside_sentences)
{
    static const DocumentCase cases[] = {
        { NULL, "as html" },
        { "<p>Click <img src=a alt=Save>.", "Save|Click <img>." },
        { "<p><img src=a> The old house <img src=b>", "The old house" },
        { "<p>It is old. <img src=a> It is new.", "It is old.  It is new." },
        { "<p>An<img src=a>old house<wbr>, a <span id=n></span> here", "Anold house, a <span> here" },
        { "<p>A <a id=x></a>house <span id=page_3></span> and <input type=hidden> more", "A house  and  more" },
        { NULL, "as markdown" },
        { "Click ![Save](a.png) to go on.\n", "Save|Click <img> to go on." },
        { "Click <img src='a'>.\n", "Click <img>." },
        { NULL, "as xml" },
        { "<p>See <xref to='a'/> for more, <anchor id='b'/> and go</p>", "See <xref> for more,  and go" },
        { NULL, "as json" },
        { "[\"Click <i class='a'></i> or <img src='b'>.\", \"A <b></b> b\"]", "Click <i> or <img>.|A  b" },
        { NULL, "as docx" },
        { "<w:p><w:r><w:t xml:space='preserve'>Click </w:t></w:r><w:r><w:drawing><wp:inline/></w:drawing></w:r>"
          "<w:r><w:t>.</w:t></w:r></w:p>",
          "Click <wp:inline>." },
        { NULL, "as odt" },
        { "<o><text:p>Page <text:page-number/> is <draw:frame text:anchor-type='as-char'/> and "
          "<text:bookmark text:name='b'/> this</text:p></o>",
          "Page <text:page-number> is <draw:frame> and  this" },
    };

    document_cases_check(NULL, cases, COUNT(cases));
}

/* Writes the document with a translation whose kept parts are at other places. */
TEST(move_with_their_place)
{
    static const char text[] = "<p>Open <img src='a' alt='b'> of <b>{x} </b>now.</p>";
    Document *doc = document_cases_open(&document_html, text);
    const UnitText source = document_source(doc, 1);
    const Span kept[] = { { .source = { 5, 10 }, .place = { 8, 13 } }, { .source = { 14, 17 }, .place = { 4, 7 } } };
    const Range places[] = { { 4, 7 } };
    const Rendering renderings[] = {
        { .text = "B", .length = 1 },
        { .text = "Von {x} <img> auf.", .length = 18, .places = places, .kept = kept, .kept_count = 2 }
    };
    RangeList ranges = { 0 };
    KeepRules *rules = keep_cases_rules();
    Buf out = document_cases_render(doc, renderings, WRITE_EACH);
    Err err;

    assert_string_equal(source.text, "Open <img> of {x} now.");
    assert_ok(keep_rules_find_in_unit(rules, &source, &ranges, &err), &err);
    assert_int_equal(ranges.len, 1);
    assert_int_equal(ranges.data[0].begin, 5);
    assert_int_equal(ranges.data[0].end, 10);
    assert_string_equal(out.data, "<p>Von <b>{x}</b> <img src='a' alt='B'> auf.</p>");
    ranges_free(&ranges);
    keep_rules_free(rules);
    buf_free(&out);
    document_free(doc);
}

TESTS(test_document_values);
