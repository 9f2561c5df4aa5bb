/* test_document_office.c - document/office: parts of office documents, without their archives. */
#include "document_cases.h"

#define RUN(text) "<w:r><w:t>" text "</w:t></w:r>"
#define BOX(text) "<w:r><w:drawing><wp:docPr id='1' descr='Picture'/><w:p>" text "</w:p></w:drawing></w:r>"

#define HYPHEN             "<w:r><w:noBreakHyphen/></w:r>"
#define SPACED(text)       "<w:r><w:t xml:space=\"preserve\">" text "</w:t></w:r>"
#define FIELD(type)        "<w:r><w:fldChar w:fldCharType=\"" type "\"/></w:r>"
#define CODE(text)         "<w:r><w:instrText>" text "</w:instrText></w:r>"
#define MERGE_FIELD(shown) FIELD("begin") CODE("MERGEFIELD Kind") FIELD("separate") RUN(shown) FIELD("end")
#define IF_FIELD           FIELD("begin") CODE("IF") MERGE_FIELD("kind") CODE("= 1") FIELD("separate") RUN("buy") FIELD("end")

TEST(finds_the_texts_of_parts)
{
    static const DocumentCase cases[] = {
        /* text boxes are read to a depth */
        { "<w:p>" RUN("A") BOX(RUN("B") BOX(RUN("C")) RUN("b")) RUN("a") "</w:p>", "Picture|Picture|C|Bb|Aa" },
        { "<w:p>" RUN("A") BOX(RUN("B") BOX(RUN("C") BOX(RUN("D") BOX(RUN("E")) RUN("d")) RUN("c")) RUN("b"))
              RUN("a") "</w:p>",
          "Picture|Picture|Picture|Dd|Cc|Bb|Aa" },
        /* A hyphen in what is between two texts must not take its place: a translation without it would lose that. */
        { "<w:p>" RUN("x") "<w:ins>" HYPHEN "</w:ins>" RUN("y") "</w:p>", "x\xe2\x80\x91y" },
        { "<w:p>" RUN("x") BOX(RUN("y") HYPHEN RUN("z")) RUN("x") "</w:p>", "Picture|y\xe2\x80\x91z|xx" },
        { "<w:p>" RUN("x") "<w:del>" HYPHEN "</w:del>" RUN("y") "</w:p>", "xy" },
        /* codes of fields may contain fields */
        { "<w:p>" SPACED("He must ") IF_FIELD SPACED(" it.") "</w:p>", "He must buy it." },
        { "<w:p>" SPACED("He must ") IF_FIELD "</w:p>", "He must buy" },
        { "<w:p>" IF_FIELD SPACED(" it.") "</w:p>", "buy it." },
        { "<w:p>" FIELD("begin") CODE("SET") MERGE_FIELD("kind") FIELD("end") "</w:p>", "" },
        { "<w:p>" FIELD("begin") FIELD("begin") CODE("x") RUN("a") FIELD("end") RUN("b") "</w:p>", "b" },
        { "<w:p>" MERGE_FIELD("a") FIELD("end") RUN("b") "</w:p>", "ab" },
        { "<w:p><w:p><w:p><w:p>" RUN("a") "</w:p></w:p></w:p></w:p>", "a" },
    };

    document_cases_check_file(NULL, "tests/document_cases/office.tsv");
    document_cases_check(&document_docx, cases, COUNT(cases));
}

TEST(messages_count_paragraphs)
{
    static const struct {
        const DocumentFormat *format;
        const char *source, *mark;
        size_t numbers[2];
    } cases[] = {
        { &document_docx,
          "<w:body>\n<w:p/><w:p><w:pPr/>" RUN("A") "</w:p><w:tbl><w:p>" RUN("B") "</w:p></w:tbl></w:body>",
          ", paragraph ",
          { 2, 3 } },
        { &document_odt, "<o>\n<text:h>A</text:h><text:p/><text:p>B</text:p></o>", ", paragraph ", { 1, 3 } },
        { &document_fodt, "<o>\n<text:p>A</text:p>\n<text:p>B</text:p></o>", ":", { 2, 3 } },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        Buf bytes = document_cases_prepare(cases[i].format, cases[i].source);
        Document *doc = document_cases_open_prepared(cases[i].format, &bytes);
        assert_int_equal(document_unit_count(doc), 2);
        for (size_t k = 0; k < 2; k++) {
            const DocumentPlace place = document_place(doc, k);
            assert_string_equal(place.mark, cases[i].mark);
            assert_int_equal(place.number, cases[i].numbers[k]);
        }
        document_free(doc);
        buf_free(&bytes);
    }
}

TEST(deep_documents_are_read_to_a_limit)
{
    static const struct {
        const char *begin, *open, *middle, *close, *end, *letter; /* `open` and `close` are repeated */
        size_t more_closes, letters;
    } cases[] = {
        /* each level contains a run with a letter */
        { "<w:p>", "<w:ins>" RUN("a"), "", "</w:ins>", "</w:p>", "a", 0, MARKUP_DEPTH - 1 },
        { "", "<w:p>", RUN("Too deep"), "</w:p>", "", "", 0, 0 },
        /* fields beyond those that are counted */
        { "<w:p>" RUN("a"), FIELD("begin") CODE("x") RUN("b"), "", FIELD("end"), RUN("c") "</w:p>", "ac", 1, 1 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        Buf part = { 0 }, units = { 0 };
        buf_put_text(&part, cases[i].begin);
        document_cases_repeat(&part, cases[i].open, 40000);
        buf_put_text(&part, cases[i].middle);
        document_cases_repeat(&part, cases[i].close, 40000 + cases[i].more_closes);
        buf_put_text(&part, cases[i].end);
        buf_put(&units, "", 0);
        document_cases_repeat(&units, cases[i].letter, cases[i].letters);
        document_cases_check(&document_docx, &(DocumentCase){ part.data, units.data }, 1);
        buf_free(&part);
        buf_free(&units);
    }
}

/* The style B looks like nothing, as C does, but is not known. */
TEST(styles_inside_styles_are_not_read)
{
    static const char part[] =
        "<o xmlns:style='s' xmlns:text='t'><automatic-styles><style:style style:name=\"A\" style:family=\"text\">"
        "<style:text-properties a='b'/><automatic-styles><style:style style:name=\"B\" style:family=\"text\"/>"
        "</automatic-styles></style:style><style:style style:name=\"C\" style:family=\"text\"/></automatic-styles>"
        "<text:p>x<text:span text:style-name=\"A\">a</text:span><text:span text:style-name=\"A\"/>"
        "<text:span text:style-name=\"B\">b</text:span>"
        "<text:span text:style-name=\"C\">c</text:span></text:p></o>";
    Buf out = { 0 };
    Err err;

    assert_ok(document_odt.package->prepare(&(DocumentFile){ "f/p", part, sizeof part - 1 }, &out, &err), &err);
    assert_non_null(strstr(out.data, "<text:p>x<text:span text:style-name=\"A\">a</text:span>"
                                     "<text:span text:style-name=\"A\"/>"
                                     "<text:span text:style-name=\"B\">b</text:span>c</text:p>"));
    buf_free(&out);
}

/* In the order of the units: those inside another one come before it. A text without markup has no place. */
TEST(texts_inside_texts_are_written_at_their_places)
{
    static const char source[] =
        "<o><text:p>A <frame><text:p>B <note><text:p>C <annotation><text:p>D</text:p></annotation>"
        "c</text:p></note>b</text:p></frame><frame><text:p>E</text:p></frame>a</text:p>"
        "<text:p>F <note><text:p>G</text:p></note>f</text:p></o>";
    static const char expected[] =
        "<o><text:p>1<frame><text:p>2<note><text:p>3<annotation><text:p>44</text:p></annotation>"
        "3</text:p></note>2</text:p></frame><frame><text:p>55</text:p></frame>1</text:p>"
        "<text:p>6<note><text:p>77</text:p></note>6</text:p></o>";
    static const char *const texts[] = { "44", "33", "22", "55", "11", "77", "66" };
    static const Range places[] = { { 1, 1 }, { 1, 1 } };
    Rendering made[COUNT(texts)];
    Document *doc = document_cases_open(&document_fodt, source);
    Buf out;

    document_cases_check(&document_fodt, &(DocumentCase){ source, "D|C c|B b|E|A a|G|F f" }, 1);
    for (size_t i = 0; i < COUNT(texts); i++) made[i] = (Rendering){ texts[i], 2, places, NULL, 0 };
    out = document_cases_render(doc, made, WRITE_EACH);
    assert_string_equal(out.data, expected);
    document_free(doc);
    buf_free(&out);
}

TEST(fields_inside_the_code_of_a_field_stay_there)
{
    static const char part[] = "<w:p>" SPACED("He must ") IF_FIELD SPACED(" it.") "</w:p>";
    static const char translated[] = FIELD("begin") CODE("IF") MERGE_FIELD("kind") CODE("= 1")
        FIELD("separate") "<w:r><w:t xml:space=\"preserve\">k</w:t><w:fldChar w:fldCharType=\"end\"/>";
    static const Range places[] = { { 0, 1 } };
    Buf text = document_cases_prepare(&document_docx, part), out;
    Document *doc = document_cases_open_prepared(&document_docx, &text);

    assert_int_equal(document_unit_count(doc), 1);
    out = document_cases_render(doc, &(Rendering){ "kaufen", 6, places, NULL, 0 }, WRITE_FIRST);
    assert_non_null(strstr(out.data + sizeof "part.xml", translated));
    document_free(doc);
    buf_free(&text);
    buf_free(&out);
}

/* The first run in a paragraph may be in a formula; nothing in a formula is a run of the text. */
TEST(formulas_lend_no_names_to_runs)
{
    static const char formula[] = "<m:oMath><m:r><m:t></m:t></m:r></m:oMath>";
    Buf part = { 0 }, joined, out = { 0 };
    Err err;

    buf_put_format(
        &part,
        "<w:p><w:ins>%s</w:ins><w:ins><m:r><m:t>x</m:t></m:r>" RUN("a") "</w:ins><w:ins>" RUN("b") "</w:ins></w:p>",
        formula);
    document_cases_check(&document_docx, &(DocumentCase){ part.data, "ab" }, 1);
    joined = document_cases_prepare(&document_docx, part.data);
    assert_null(strstr(joined.data + sizeof "part.xml", "<m:r><m:t xml:space"));
    assert_ok(document_docx.package->finish(&(DocumentFile){ "f/p", part.data, part.len }, &out, &err), &err);
    assert_non_null(strstr(out.data, formula));
    buf_free(&part);
    buf_free(&joined);
    buf_free(&out);
}

/* Word fills content controls with the data that they are bound to. */
TEST(content_controls_with_a_translation_are_not_bound)
{
#define CONTROL(more, path)                                                                                            \
    "<w:sdt><w:sdtPr><w:alias w:val=\"A\"/><w:dataBinding w:xpath=\"" path "\"/>" more "</w:sdtPr></w:sdt>"
    static const char abstract[] = CONTROL("<w:text/>", "/ns0:CoverPageProperties[1]/ns0:Abstract[1]");
    static const char rich[] = "<w:sdt><w:sdtPr><w15:dataBinding w:xpath=\"/a/b\"/></w:sdtPr></w:sdt>";
    static const char *const bound[] = { CONTROL("<w:date/>", "/ns0:CoverPageProperties[1]/ns0:PublishDate[1]"),
                                         CONTROL("<w:text/>", "/ns1:coreProperties[1]/ns0:title[1]") };
    Buf out = { 0 };
    Err err;

    assert_ok(document_docx.package->finish(&(DocumentFile){ "f/p", abstract, sizeof abstract - 1 }, &out, &err), &err);
    assert_string_equal(out.data, "<w:sdt><w:sdtPr><w:alias w:val=\"A\"/><w:text/></w:sdtPr></w:sdt>");
    buf_clear(&out);
    assert_ok(document_docx.package->finish(&(DocumentFile){ "f/p", rich, sizeof rich - 1 }, &out, &err), &err);
    assert_string_equal(out.data, "<w:sdt><w:sdtPr></w:sdtPr></w:sdt>");
    for (size_t i = 0; i < COUNT(bound); i++) {
        buf_clear(&out);
        assert_ok(document_docx.package->finish(&(DocumentFile){ "f/p", bound[i], strlen(bound[i]) }, &out, &err),
                  &err);
        assert_string_equal(out.data, bound[i]);
    }
    buf_free(&out);
#undef CONTROL
}

/* The readings above characters do not fit the translation. */
TEST(readings_of_characters_are_left_out)
{
    static const char flat[] = "<o><text:p>a<text:ruby><text:ruby-base>b</text:ruby-base><text:ruby-text>x"
                               "</text:ruby-text></text:ruby>c</text:p></o>";
    static const char around[] = "<w:p>" RUN("a") "<w:r><w:ruby><w:rt>" RUN("x") "</w:rt><w:rubyBase>" RUN(
        "b") "</w:rubyBase></w:ruby></w:r>" RUN("c") "</w:p>";
    Buf odt = document_cases_prepare(&document_odt, flat), docx = document_cases_prepare(&document_docx, around);

    assert_non_null(strstr(odt.data + sizeof "part.xml", "<o><text:p>abc</text:p></o>"));
    assert_non_null(strstr(docx.data + sizeof "part.xml", "<w:t xml:space=\"preserve\">abc</w:t>"));
    document_cases_check(&document_fodt, &(DocumentCase){ flat, "abc" }, 1);
    buf_free(&odt);
    buf_free(&docx);
}

/* The tags of elements with a tab in them are in two texts. In another order, they would cross. */
TEST(tags_of_elements_around_tabs_keep_their_order)
{
    Buf text = document_cases_prepare(
        &document_docx,
        "<w:p>" RUN("a") "<w:ins>" RUN("b") "<w:hyperlink>" RUN("c") "<w:r><w:tab/></w:r>" RUN(
            "d") "</w:hyperlink>" RUN("e") "</w:ins>" RUN("f") "<w:hyperlink>" RUN("g") "</w:hyperlink></w:p>");
    Document *doc = document_cases_open_prepared(&document_docx, &text);

    assert_int_equal(document_unit_count(doc), 2);
    for (size_t i = 0; i < 2; i++) {
        const UnitText unit = document_source(doc, i);
        assert_string_equal(unit.text, i ? "defg" : "abc");
        assert_int_equal(unit.markup_count, 2 + i);
        for (size_t k = 0; k < unit.markup_count; k++) assert_int_equal(unit.markup[k].is_ordered, k < 2);
    }
    document_free(doc);
    buf_free(&text);
}

#define RANGE(name)                                                                                                    \
    "<w:p>" RUN("a") "<w:" name "Start w:id='1'/>" RUN("b") "<w:" name "End w:id='1'/>" RUN("c") "</w:p>"
#define MARK(name, id) "<o><text:p>a<text:" name "-start " id "/>b<text:" name "-end " id "/>c</text:p></o>"
#define AROUND(name)   "<o><text:p>a<" name ">b</" name ">c</text:p></o>"
#define LINE(properties)                                                                                               \
    "<w:p><w:r><w:t>a</w:t></w:r><w:r><w:rPr>" properties "</w:rPr><w:t>bbb</w:t></w:r>" RUN("c") "</w:p>"
#define LINK(properties)                                                                                               \
    "<a:p><a:r><a:t>a</a:t></a:r><a:r>" properties "<a:t>bbb</a:t></a:r><a:r><a:t>c</a:t></a:r></a:p>"

/* The text of the first unit, with [ and ] around its spans. */
TEST(finds_spans)
{
    static const struct {
        const DocumentFormat *format;
        const char *contents, *spans;
    } cases[] = {
        { &document_docx, RANGE("bookmark"), "a[b]c" },
        { &document_docx, RANGE("commentRange"), "a[b]c" },
        { &document_docx, RANGE("perm"), "a[b]c" },
        { &document_docx, RANGE("moveToRange"), "a[b]c" },
        { &document_docx, RANGE("customXmlInsRange"), "a[b]c" },
        { &document_docx, RANGE("customXmlMoveToRange"), "a[b]c" },
        { &document_odt, MARK("bookmark", "text:name='x'"), "a[b]c" },
        { &document_odt, MARK("change", "text:change-id='x'"), "a[b]c" },
        { &document_odt, MARK("toc-mark", "text:id='x'"), "a[b]c" },
        { &document_odt, MARK("user-index-mark", "text:id='x'"), "a[b]c" },
        { &document_odt, MARK("alphabetical-index-mark", "text:id='x'"), "a[b]c" },
        { &document_odt,
          "<o><text:p>a<office:annotation office:name='x'/>b<office:annotation-end office:name='x'/>c</text:p></o>",
          "a[b]c" },
        { &document_odt, AROUND("text:span"), "a[b]c" },
        { &document_odt, AROUND("loext:content-control"), "a[b]c" },
        { &document_odt,
          "<o><text:p>a<text:bookmark-start text:name='1'/>b<text:reference-mark-start text:name='1'/>c"
          "<text:reference-mark-end text:name='1'/>d<text:bookmark-end text:name='1'/>e"
          "<text:toc-mark-start text:id='1'/>f<text:change-start text:change-id='1'/>g"
          "<text:toc-mark-end text:id='1'/>h<text:change-end text:change-id='1'/>i</text:p></o>",
          "a[b[c]d]e[fg]hi" },
        /* The format of most text would get the spaces around it, so links and lines do not grow. */
        { &document_docx, LINE("<w:u w:val='single'/>"), "a[bbb]c" },
        { &document_docx, LINE("<w:strike/>"), "a[bbb]c" },
        { &document_docx, LINE("<w:shd w:val='clear' w:fill='FFFF00'/>"), "a[bbb]c" },
        { &document_pptx, LINK("<a:rPr><a:hlinkClick r:id='x'/></a:rPr>"), "a[bbb]c" },
        { &document_pptx, LINK("<a:rPr u='sng'></a:rPr>"), "a[bbb]c" },
        { &document_pptx, LINK("<a:rPr strike='sngStrike'><a:x/></a:rPr>"), "a[bbb]c" },
        { &document_docx, LINE("<w:u w:val='none'/>"), "[a]bbb[c]" },
        { &document_docx, LINE("<w:b/>"), "[a]bbb[c]" },
        { &document_docx, LINE("<w:shd w:val='clear'  w:fill='auto'/>"), "[a]bbb[c]" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        Buf text = document_cases_prepare(cases[i].format, cases[i].contents), marked = { 0 }, out;
        Document *doc = document_cases_open_prepared(cases[i].format, &text);
        const UnitText unit = document_source(doc, 0);
        for (size_t at = 0; at <= unit.length; at++) {
            for (size_t k = 0; k < unit.markup_count; k++)
                if (!unit.markup[k].is_empty && unit.markup[k].text.end == at) buf_put_byte(&marked, ']');
            for (size_t k = 0; k < unit.markup_count; k++)
                if (!unit.markup[k].is_empty && unit.markup[k].text.begin == at) buf_put_byte(&marked, '[');
            buf_put_byte(&marked, unit.text[at]);
        }
        if (strcmp(marked.data, cases[i].spans) != 0) fail_msg("%s: %s", cases[i].contents, marked.data);
        out = document_cases_render(doc, NULL, WRITE_OWN);
        assert_int_equal(out.len, text.len);
        assert_memory_equal(out.data, text.data, out.len);
        document_free(doc);
        buf_free(&text);
        buf_free(&marked);
        buf_free(&out);
    }
}

#define STYLE(name, language, country)                                                                                 \
    "<style:" name "><style:text-properties fo:language=\"" language "\" fo:country=\"" country "\"/></style:" name ">"

/* Writes prepared parts, whose last byte is NUL, without translations. */
static void check_labels(const DocumentFormat *format, const char *parts, size_t size, const char *expected,
                         size_t expected_size)
{
    const Buf text = { .data = (char *)parts, .len = size };
    Document *doc = document_cases_open_prepared(format, &text);
    Buf out = document_cases_render(doc, NULL, WRITE_WANTED);

    assert_int_equal(out.len, expected_size);
    assert_memory_equal(out.data, expected, expected_size);
    document_free(doc);
    buf_free(&out);
}

TEST(default_styles_are_in_a_part_of_their_own)
{
    static const char parts[] = "content.xml\0<o>" STYLE("style", "en", "GB")
        STYLE("style", "fr", "FR") "</o>\0styles.xml\0<o>" STYLE("default-style", "en", "US")
            STYLE("default-style", "de", "CH") STYLE("style", "en", "US") "</o>";
    static const char expected[] = "content.xml\0<o>" STYLE("style", "de", "none")
        STYLE("style", "fr", "FR") "</o>\0styles.xml\0<o>" STYLE("default-style", "de", "none")
            STYLE("default-style", "de", "CH") STYLE("style", "de", "none") "</o>";

    check_labels(&document_odt, parts, sizeof parts, expected, sizeof expected);
}

/* Runs do not name their language, which the defaults of their list or of the presentation say. */
TEST(presentations_name_their_language_in_their_defaults)
{
    static const char parts[] = "presentation.xml\0<x><a:p><a:defRPr lang=\"en-US\"/></a:p>"
                                "<a:defRPr lang=\"en-US\" sz=\"1\"/></x>";
    static const char expected[] = "presentation.xml\0<x><a:p><a:defRPr lang=\"en-US\"/></a:p>"
                                   "<a:defRPr lang=\"de\" sz=\"1\"/></x>";

    check_labels(&document_pptx, parts, sizeof parts, expected, sizeof expected);
}

TESTS(test_document_office);
