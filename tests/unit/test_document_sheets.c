/* test_document_sheets.c - spreadsheets: document_xlsx.c, sheets.c and the sheets of document_odf.c. */
#include "document_cases.h"

#include "sheets.h"

#define BOOK                                                                                                           \
    "xl/workbook.xml\0<workbook><sheets><sheet name='One' r:id='r1'/><sheet name='A &amp; B' r:id='r2'/></sheets>"     \
    "<definedNames><definedName name='n'>IF(x=\"done\",1,2)</definedName></definedNames></workbook>\0"                 \
    "xl/_rels/workbook.xml.rels\0<Relationships><Relationship Id='r1' Type='x/worksheet' "                             \
    "Target='worksheets/sheet1.xml'/><Relationship Id='r2' Target='/xl/worksheets/sheet2.xml'/></Relationships>\0"
#define SHEET(number, contents) "xl/worksheets/sheet" number ".xml\0<worksheet>" contents "</worksheet>\0"
#define ROWS(number, rows)      SHEET(number, "<sheetData>" rows "</sheetData>")
#define STRINGS(items)          "xl/sharedStrings.xml\0<sst uniqueCount=\"9\">" items "</sst>\0"
#define LINKS(number, target)                                                                                          \
    "xl/worksheets/_rels/sheet" number ".xml.rels\0<Relationships><Relationship Target='../" target                    \
    "'/></Relationships>\0"
#define S(cell, index) "<c r='" cell "' t='s'><v>" index "</v></c>"
#define T(text)        "<si><t>" text "</t></si>"

/* The parts: names and contents, each with a NUL, as package_open() gives them. */
static Buf read_parts(const DocumentFormat *format, const char *parts, size_t size)
{
    Buf out = { 0 };
    Err err;

    for (const char *name = parts, *contents; name < parts + size && *name; name = contents + strlen(contents) + 1) {
        contents = name + strlen(name) + 1;
        buf_put(&out, name, strlen(name) + 1);
        if (format->package->prepare(&(DocumentFile){ name, contents, strlen(contents) }, &out, &err) != OK)
            fail_msg("%s: %s", contents, err.text);
        buf_put_byte(&out, '\0');
    }
    return out;
}

/* Returns the text of a package with NULs as ~. */
static char *show(const Buf *text)
{
    char *shown = support_alloc(text->len + 1);

    memcpy(shown, text->data, text->len);
    shown[text->len] = '\0';
    for (size_t i = 0; i < text->len; i++)
        if (!shown[i]) shown[i] = '~';
    return shown;
}

typedef struct {
    const char *promise, *parts;
    size_t size;                /* of `parts` */
    const char *column, *sheet; /* NULL: none */
    const char *units;
    const char *written;  /* a part of the document with T in the place of each unit; NULL: not checked */
    const char *warnings; /* a part of them; NULL: there are none */
} SheetCase;

#define PARTS(...) __VA_ARGS__, sizeof(__VA_ARGS__) - 1

static void check(const DocumentFormat *format, const SheetCase *cases, size_t count)
{
    for (const SheetCase *c = cases; c < cases + count; c++) {
        const char *columns[] = { c->column }, *sheets[] = { c->sheet };
        const DocumentOptions options = { .language = "de",
                                          .columns = columns,
                                          .column_count = c->column != NULL,
                                          .sheets = sheets,
                                          .sheet_count = c->sheet != NULL };
        static const Range places[8];
        const Rendering made = { .text = "T", .length = 1, .places = places };
        Buf text = read_parts(format, c->parts, c->size), same, written, units;
        const char *warnings;
        Document *doc;
        char *shown;
        Err err;
        assert_ok(document_read(&doc, format, &(DocumentFile){ "f", text.data, text.len }, &options, &err), &err);
        same = document_cases_render(doc, NULL, WRITE_OWN);
        written = document_cases_render(doc, &made, WRITE_WANTED);
        units = document_cases_units(doc);
        warnings = document_warnings(doc);
        shown = show(&written);
        if (strcmp(units.data, c->units) != 0) fail_msg("%s: the units are %s", c->promise, units.data);
        if (same.len != text.len || memcmp(same.data, text.data, text.len) != 0) fail_msg("%s: identity", c->promise);
        if (c->written && !strstr(shown, c->written)) fail_msg("%s: written as %s", c->promise, shown);
        if (c->warnings ? !warnings || !strstr(warnings, c->warnings) : warnings != NULL)
            fail_msg("%s: warnings %s", c->promise, warnings ? warnings : "none");
        document_free(doc);
        buf_free(&text);
        buf_free(&same);
        buf_free(&written);
        buf_free(&units);
        free(shown);
    }
}

TEST(finds_the_texts_of_xlsx)
{
    static const SheetCase cases[] = {
        { "strings that cells have, inline strings, results of formulas",
          PARTS(BOOK ROWS("1", "<row>" S("A1", "1") "<c t='inlineStr'><is><t>Inline</t></is></c><c t='str'><f>A1</f>"
                                                    "<v>Result</v></c><c t='str'><v>Plain</v></c><c><v>0</v></c>" S(
                                                        "G1", "99") "</row>") STRINGS(T("Unused") T("Shared"))),
          NULL, NULL, "Inline|Plain|Shared", "<sst uniqueCount=\"9\"><si><t>Unused</t></si><si><t>T</t></si></sst>",
          NULL },
        { "runs are joined, phonetic hints are left out",
          PARTS(BOOK ROWS("1", "<row>" S("A1", "0") S("B1", "1") "</row>")
                    STRINGS("<si><r><t>Re</t></r><r><t>d</t></r></si><si><t>Tea</t><rPh sb='0' eb='1'><t>x</t></rPh>"
                            "<phoneticPr fontId='1'/></si>")),
          NULL, NULL, "Red|Tea", "<si><t>T</t><phoneticPr fontId='1'/></si>", NULL },
        { "escapes and line breaks",
          PARTS(BOOK ROWS("1", "<row>" S("A1", "0") "</row>") STRINGS(T("One_x000D_\nTwo_x005F_x_x0041_\nThree_x"))),
          NULL, NULL, "One|Two_xA|Three_x", NULL, NULL },
        { "spilled results of array formulas stay",
          PARTS(BOOK ROWS("1", "<row><c t='str'><f t='array' ref='A1:A2'>x</f><v>One</v></c></row>"
                               "<row><c t='str'><v>Two</v></c></row>")),
          NULL, NULL, "", NULL, NULL },
        { "a string that also stays gets a copy",
          PARTS(BOOK ROWS("1", "<row>" S("A1", "0") S("B1", "1") "</row><row>" S("A2", "1") S("B2", "1")
                                   S("C2", "1") "</row>") STRINGS(T("Name") T("Apple"))),
          "B", NULL, "Apple",
          "<c r='A2' t='s'><v>2</v></c><c r='B2' t='s'><v>1</v></c><c r='C2' t='s'><v>2</v></c></row></sheetData>"
          "</worksheet>~xl/sharedStrings.xml~<sst uniqueCount=\"3\"><si><t>Name</t></si><si><t>T</t></si>"
          "<si><t>Apple</t></si></sst>",
          NULL },
        { "columns by name: the first row is not translated",
          PARTS(BOOK ROWS("1", "<row/><row r='5'>" S("A5", "0") S("B5", "1") "</row><row>" S("A6", "2")
                                   S("B6", "3") "</row>") STRINGS(T("Name") T("Text") T("Apple") T("Pear"))),
          "Text", NULL, "Pear", NULL, NULL },
        { "columns by number",
          PARTS(BOOK ROWS("1", "<row>" S("A1", "0") S("B1", "1") "</row>") STRINGS(T("Name") T("Text"))), "1", NULL,
          "Name", NULL, NULL },
        { "sheets",
          PARTS(BOOK ROWS("1", "<row>" S("A1", "0") "</row>") ROWS("2", "<row>" S("A1", "1") S("B1", "0") "</row>")
                    STRINGS(T("Name") T("Text"))),
          NULL, "a & b", "Name|Text", "sheet1.xml~<worksheet><sheetData><row><c r='A1' t='s'><v>2</v>", NULL },
        { "codes",
          PARTS(BOOK ROWS("1", "<row>" S("A1", "0") "</row><row>" S("A2", "1") "</row><row>" S("A3", "2") "</row>")
                    STRINGS(T("Status") T("open") T("Open"))),
          NULL, NULL, "Status|Open", NULL, NULL },
        { "headers and totals of tables stay",
          PARTS(BOOK ROWS("1", "<row>" S("A1", "0") S("B1", "2") "</row><row>" S("A2", "1") "</row><row>" S(
                                   "A3", "3") "</row>") STRINGS(T("Name") T("Apple") T("Other") T("Total"))
                    LINKS("1", "tables/table1.xml") "xl/tables/table1.xml\0<table ref='A1:A3' totalsRowCount='1'/>\0"),
          NULL, NULL, "Apple|Other", NULL, "sheet One: 1 header of tables stays as it is" },
        { "cells of pivot tables and the names of their columns stay",
          PARTS(BOOK ROWS("1", "<row>" S("A1", "0") "</row><row>" S("A2", "1") "</row>")
                    ROWS("2", "<row>" S("A1", "2") S("C1", "1") "</row>") STRINGS(T("Name") T("Apple") T("Sum")) LINKS(
                        "2", "p/pivot1.xml") "xl/p/pivot1.xml\0<pivotTableDefinition><location ref='A1:B9'/>"
                                             "</pivotTableDefinition>\0xl/c.xml\0<pivotCacheDefinition><cacheSource>"
                                             "<worksheetSource ref='A1:A2' sheet='One'/></cacheSource>"
                                             "</pivotCacheDefinition>\0"),
          NULL, NULL, "Apple", NULL, "sheet One: 1 header" },
        { "messages, tooltips, headers",
          PARTS(BOOK SHEET("1", "<dataValidation promptTitle='Title' prompt='Choose_x000a_one' sqref='A1'/>"
                                "<hyperlink display='http://x' tooltip='Our page'/><headerFooter><oddHeader>&amp;L&amp;"
                                "\"Arial\"&amp;12 2013 list&amp;CR&amp;&amp;D &amp;P of &amp;N&amp;R&amp;P</oddHeader>"
                                "</headerFooter>")),
          NULL, NULL, "Title|Choose one|Our page|2013 list|R&D {P} of {N}", NULL, NULL },
        { "comments, but not those that mention people",
          PARTS(BOOK "xl/comments1.xml\0<comments><authors><author>Ann</author></authors><comment ref='A1'><text><r><t>"
                     "Look</t></r></text></comment></comments>\0xl/t.xml\0<ThreadedComments><threadedComment><text>Yes"
                     "</text></threadedComment><threadedComment><text>@Ann</text><mentions/></threadedComment>"
                     "</ThreadedComments>\0"),
          NULL, NULL, "Look|Yes", NULL, NULL },
        { "drawings, texts that were typed into charts, and what charts repeat of translated cells",
          PARTS(BOOK ROWS("1", "<row>" S("A1", "0") "</row>")
                    STRINGS(T("Sales")) "xl/c.xml\0<c:chartSpace><a:p><a:r><a:t>Chart</a:t></a:r></"
                                        "a:p><c:strCache><c:pt><c:v>Sales</c:v></c:pt>"
                                        "<c:pt><c:v>Other</c:v></c:pt></c:strCache><c:tx><c:v>Typed</c:v></c:tx>"
                                        "</c:chartSpace>\0xl/d.xml\0<pt><v>No chart</v></pt>\0"),
          NULL, NULL, "Sales|Chart|Sales|Typed", NULL, NULL },
        { "sheets without a name have that of their part",
          PARTS("xl/R&D.xml\0<worksheet><sheetData><row><c t='inlineStr'><is><t>Text</t></is></c></row></sheetData>"
                "</worksheet>\0"),
          NULL, "xl/R&D.xml", "Text", NULL, NULL },
        { "with a sheet, only its own drawings",
          PARTS(BOOK ROWS("1", "") ROWS("2", "") LINKS("1", "d/d1.xml") LINKS(
              "2", "d/d2.xml") "xl/d/d1.xml\0<xdr:wsDr><a:p><a:r><a:t>One</a:t></a:r></a:p></xdr:wsDr>\0"
                               "xl/d/d2.xml\0<xdr:wsDr><a:p><a:r><a:t>Two</a:t></a:r></a:p></xdr:wsDr>\0"
                               "docProps/core.xml\0<coreProperties><title>Title</title></coreProperties>\0"),
          NULL, "One", "One", NULL, NULL },
    };

    check(&document_xlsx, cases, COUNT(cases));
}

#define CELL(text)    "<c t='inlineStr'><is><t>" text "</t></is></c>"
#define FORMULA(text) "<c><f>" text "</f></c>"

TEST(formulas_that_compare_with_translated_texts_are_reported)
{
    static const SheetCase cases[] = {
        { "once for each formula, and with upper or lower case",
          PARTS(BOOK ROWS("1", "<row>" CELL("Done") FORMULA("IF(A1=\"DONE\",1)") "</row><row>" FORMULA(
                                   "IF(A2=&quot;DONE&quot;,1)") "</row>")),
          NULL, NULL, "Done", NULL,
          "sheet One, B1: the formula compares with \"DONE\", but the texts of cells are "
          "translated; change it as well (2 like this)\n" },
        { "texts that are results do not count, nor do other texts",
          PARTS(BOOK ROWS("1", "<row>" CELL("Yes") FORMULA("IF(A1&gt;1,\"Yes\",\"No\")")
                                   FORMULA("IF(A1=\"No\",1,2)") "</row>")),
          NULL, NULL, "Yes", NULL, NULL },
        { "criteria of functions, also with operators and for parts of texts",
          PARTS(BOOK ROWS("1", "<row>" CELL("Yes") FORMULA("SUM(COUNTIF(A:A,\"&lt;>Yes\"))") "</row>")), NULL, NULL,
          "Yes", NULL, "the formula compares with \"Yes\"" },
        { "parts of texts", PARTS(BOOK ROWS("1", "<row>" CELL("Yes") FORMULA("SEARCH(\"Ye\",A1)") "</row>")), NULL,
          NULL, "Yes", NULL, "the formula compares with \"Ye\"" },
        { "conditional formats, lists and filters",
          PARTS(BOOK SHEET(
              "1", "<sheetData><row>" CELL("Yes") "</row></sheetData><conditionalFormatting sqref='A1'><cfRule>"
                                                  "<formula>\"Yes\"</formula></cfRule></conditionalFormatting>")),
          NULL, NULL, "Yes", NULL, "sheet One, A1: the conditional format compares with \"Yes\"" },
        { "lists",
          PARTS(BOOK SHEET("1",
                           "<sheetData><row>" CELL("Yes") "</row></sheetData><dataValidation type='list' sqref='B1:B9'>"
                                                          "<formula1>\"No, Yes\"</formula1></dataValidation>")),
          NULL, NULL, "Yes", NULL, "sheet One, B1:B9: the list of valid values has \"Yes\"" },
        { "filters",
          PARTS(BOOK SHEET(
              "1", "<sheetData><row>" CELL("Yes") "</row></sheetData><autoFilter><filter val='Yes'/></autoFilter>")),
          NULL, NULL, "Yes", NULL, "sheet One, filter: the filter shows rows with \"Yes\"" },
        { "names", PARTS(BOOK ROWS("1", "<row>" CELL("Done") "</row>")), NULL, NULL, "Done", NULL,
          "name n: the formula of the name compares with \"done\"" },
        { "texts in cells that stay do not count",
          PARTS(BOOK ROWS("1", "<row>" CELL("Yes") CELL("No") FORMULA("IF(A1=\"Yes\",1)") "</row>")), "B", NULL, "No",
          NULL, NULL },
    };

    check(&document_xlsx, cases, COUNT(cases));
}

#define ODS(body)         "content.xml\0<o><office:spreadsheet>" body "</office:spreadsheet></o>\0"
#define TABLE(name, rows) "<table:table table:name=\"" name "\">" rows "</table:table>"
#define ROW(cells)        "<table:table-row>" cells "</table:table-row>"
#define P(text)           "<table:table-cell office:value-type='string'><text:p>" text "</text:p></table:table-cell>"

TEST(finds_the_texts_of_ods)
{
    static const SheetCase cases[] = {
        { "texts, but no numbers and no results of formulas",
          PARTS(ODS(
              TABLE("One", ROW(P("Text") "<table:table-cell office:value-type='float'><text:p>1 day</text:p>"
                                         "</table:table-cell><table:table-cell table:formula='of:=[.A1]' "
                                         "office:value-type='string'><text:p>Result</text:p></table:table-cell>")))),
          NULL, NULL, "Text", NULL, NULL },
        { "comments of all cells, and texts in attributes",
          PARTS(ODS(
              TABLE("One", ROW("<table:table-cell office:value-type='float'><office:annotation><text:p>Note</text:p>"
                               "</office:annotation><text:p>May</text:p></table:table-cell><table:table-cell "
                               "office:value-type='string' office:string-value='Text'><text:p>Text</text:p>"
                               "</table:table-cell>")))),
          NULL, NULL, "Note|Text", "<table:table-cell office:value-type='string'><text:p>T<", NULL },
        { "texts in attributes with white space",
          PARTS(ODS(TABLE("One", ROW("<table:table-cell office:value-type='string'\n office:string-value = \"Text\" >"
                                     "<text:p>Text</text:p></table:table-cell>")))),
          NULL, NULL, "Text", "<table:table-cell office:value-type='string' ><text:p>T<", NULL },
        { "columns, also repeated ones",
          PARTS(ODS(TABLE("One", ROW(P("Name") "<table:table-cell table:number-columns-repeated='3'/>" P("Text")) ROW(
                                     P("Apple") "<table:table-cell table:number-columns-repeated='3'/>" P("Pear"))))),
          "E", NULL, "Text|Pear", NULL, NULL },
        { "columns by name", PARTS(ODS(TABLE("One", ROW(P("Name") P("Text")) ROW(P("Apple") P("Pear"))))), "Name", NULL,
          "Apple", NULL, NULL },
        { "sheets", PARTS(ODS(TABLE("One", ROW(P("Name"))) TABLE("Two", ROW(P("Text"))))), NULL, "Two", "Text", NULL,
          NULL },
        { "copies of other documents stay",
          PARTS(ODS("<table:dde-links>" TABLE("", ROW(P("Name"))) "</table:dde-links>" TABLE(
              "Two", "<table:table-source/>" ROW(P("Text"))))),
          NULL, NULL, "", NULL, NULL },
        { "messages",
          PARTS(ODS(
              "<table:content-validation table:name='v' table:condition='of:cell-content-is-in-list(\"Yes\";\"No\")'>"
              "<table:help-message table:title='Title'><text:p>Choose one</text:p></table:help-message>"
              "</table:content-validation>" TABLE("One", ROW(P("Yes"))))),
          NULL, NULL, "Title|Choose one|Yes", NULL, "v: the list of valid values has \"Yes\"" },
        { "formulas and conditions",
          PARTS(ODS(TABLE("One", ROW(P("Yes") "<table:table-cell table:formula='of:=IF([.A1]=\"yes\";1;2)'/>")))), NULL,
          NULL, "Yes", NULL, "sheet One, B1: the formula compares with \"yes\"" },
        { "conditions of several cells",
          PARTS(
              ODS(TABLE("One", ROW(P("Yes")) "<calcext:conditional-format calcext:target-range-address='One.A1:One.B9'>"
                                             "<calcext:condition calcext:value='&quot;Yes&quot;'/>"
                                             "</calcext:conditional-format>"))),
          NULL, NULL, "Yes", NULL, "One.A1:One.B9: the conditional format compares with \"Yes\"" },
        { "filters",
          PARTS(ODS(TABLE("One", ROW(P("Yes"))) "<table:database-range table:target-range-address='One.A1:One.A9'>"
                                                "<table:filter><table:filter-and><table:filter-condition "
                                                "table:value='Yes'/></table:filter-and></table:filter>"
                                                "</table:database-range>")),
          NULL, NULL, "Yes", NULL, "One.A1:One.A9: the filter shows rows with \"Yes\"" },
        { "cells of pivot tables stay",
          PARTS(ODS(TABLE(
              "O'n",
              ROW(P("Yes") P("No"))) "<table:data-pilot-tables><table:data-pilot-table "
                                     "table:target-range-address=\"$'O''n'.A1:.A2\"/></table:data-pilot-tables>")),
          NULL, NULL, "No", NULL, NULL },
    };

    check(&document_ods, cases, COUNT(cases));
}

#define TEN(text)  text text text text text text text text text text
#define DIGITS_30  TEN("123")
#define DIGITS_240 TEN("123456789012345678901234")

/* Excel refuses longer ones. */
TEST(long_titles_messages_and_headers_are_cut_off)
{
    static const struct {
        const char *part, *cut;
    } cases[] = {
        { "<dataValidation promptTitle='" DIGITS_30 "123'/>", "promptTitle='" DIGITS_30 "1\xe2\x80\xa6'" },
        { "<dataValidation promptTitle='" DIGITS_30 "12'/>", "promptTitle='" DIGITS_30 "12'" },
        { "<dataValidation errorTitle='12345678901234567890 R&amp;D, and more text'/>",
          "errorTitle='12345678901234567890 R&amp;D, and m\xe2\x80\xa6'" },
        { "<headerFooter><oddHeader>" DIGITS_240 "&amp;\"Arial,Bold\"&amp;12rest of it &amp;Rpage</oddHeader>"
          "</headerFooter>",
          ">" DIGITS_240 "&amp;\"Arial,Bold\"\xe2\x80\xa6</oddHeader>" },
        { "<headerFooter><oddHeader>" DIGITS_240 "&amp;\"Times New Roman,Bold Italic\"rest</oddHeader></headerFooter>",
          ">" DIGITS_240 "\xe2\x80\xa6</oddHeader>" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        Buf part = { 0 }, out = { 0 };
        Err err;
        buf_put_format(&part, "<worksheet>%s</worksheet>", cases[i].part);
        assert_ok(document_xlsx.package->finish(&(DocumentFile){ "f", part.data, part.len }, &out, &err), &err);
        if (!strstr(out.data, cases[i].cut)) fail_msg("%s: %s", cases[i].part, out.data);
        buf_free(&part);
        buf_free(&out);
    }
}

static void put_many(Buf *out, const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++) buf_put_text(out, text);
}

/* Appends a part to a package, and empties `contents`. */
static void put_part(Buf *package, const char *name, Buf *contents)
{
    buf_put(package, name, strlen(name) + 1);
    buf_put(package, contents->data, contents->len + 1);
    buf_clear(contents);
}

/* Reads the package, which must have `count` units and these warnings (NULL: none), and empties it. Quadratic time
 * would be minutes. */
static void check_large(const DocumentFormat *format, Buf *package, size_t count, const char *warnings)
{
    const DocumentOptions options = { .language = "de" };
    Buf text = read_parts(format, package->data, package->len);
    Document *doc;
    Err err;

    assert_ok(document_read(&doc, format, &(DocumentFile){ "f", text.data, text.len }, &options, &err), &err);
    assert_int_equal(document_unit_count(doc), count);
    if (warnings)
        assert_string_equal(document_warnings(doc), warnings);
    else
        assert_null(document_warnings(doc));
    document_free(doc);
    buf_free(&text);
    buf_clear(package);
}

#define MANY ((size_t)30000)

TEST(cells_with_the_same_long_string_are_read_in_linear_time)
{
    Buf part = { 0 }, package = { 0 };

    buf_put_text(&part, "<worksheet><sheetData>");
    put_many(&part, "<row><c t='s'><v>0</v></c></row>", 2 * MANY);
    buf_put_text(&part, "</sheetData></worksheet>");
    put_part(&package, "xl/worksheets/sheet1.xml", &part);
    buf_put_text(&part, "<sst><si><t>Text</t>");
    put_many(&part, "<rPh/>", 2 * MANY);
    buf_put_text(&part, "</si></sst>");
    put_part(&package, "xl/sharedStrings.xml", &part);
    check_large(&document_xlsx, &package, 1, NULL);
    buf_free(&part);
    buf_free(&package);
}

TEST(rules_for_many_cells_are_read_in_linear_time)
{
    Buf part = { 0 }, package = { 0 };

    buf_put_text(&part, "<worksheet><sheetData><row><c t='inlineStr'><is><t>Yes</t></is></c></row></sheetData>"
                        "<conditionalFormatting sqref='");
    put_many(&part, "A1:A9 B1:B9 ", MANY);
    buf_put_text(&part, "'>");
    put_many(&part, "<x><cfRule/></x><cfRule><formula>A1=\"Yes\"</formula></cfRule>", MANY);
    buf_put_text(&part, "</conditionalFormatting><dataValidation sqref='");
    put_many(&part, "A1:A9 B1:B9 ", MANY);
    buf_put_text(&part, "'>");
    put_many(&part, "<formula1>A1=\"No\"</formula1>", MANY);
    buf_put_text(&part, "</dataValidation></worksheet>");
    put_part(&package, "xl/worksheets/sheet1.xml", &part);
    check_large(
        &document_xlsx, &package, 1,
        ": sheet xl/worksheets/sheet1.xml, A1:A9 B1:B9 A1:A9 B1:B9 A1:A9 B1:B9 A1:A9 B1:B9 A1:A9 B1:B9 A1:: the "
        "conditional format compares with \"Yes\", but the texts of cells are translated; change it as well "
        "(30000 like this)\n");

    buf_put_text(
        &part, "<o><office:spreadsheet><table:table table:name='One'><table:table-row>" P(
                   "Yes") "</table:table-row><calcext:conditional-format calcext:target-range-address='One.A1:One.B9");
    put_many(&part, " One.A1:One.A1", MANY);
    buf_put_text(&part, "'>");
    put_many(&part, "<calcext:condition calcext:value='&quot;No&quot;'/>", MANY);
    buf_put_text(&part,
                 "</calcext:conditional-format><calcext:condition calcext:value='&quot;Yes&quot;'/></table:table>"
                 "</office:spreadsheet></o>");
    put_part(&package, "content.xml", &part);
    check_large(&document_ods, &package, 1,
                ": sheet One, a range: the conditional format compares with \"Yes\", but the texts of cells are "
                "translated; change it as well\n");
    buf_free(&part);
    buf_free(&package);
}

TEST(tables_of_a_sheet_with_a_long_name_are_read_in_linear_time)
{
    Buf part = { 0 }, package = { 0 }, name = { 0 };

    buf_put_text(&part, "<workbook><sheets><sheet r:id='r1' name='");
    put_many(&part, "Our long list ", 10 * MANY);
    buf_put_text(&part, "'/></sheets></workbook>");
    put_part(&package, "xl/workbook.xml", &part);
    buf_put_text(&part, "<Relationships><Relationship Id='r1' Target='worksheets/sheet1.xml'/></Relationships>");
    put_part(&package, "xl/_rels/workbook.xml.rels", &part);
    buf_put_text(&part, "<worksheet><sheetData>");
    put_many(&part, "<row><c t='inlineStr'><is><t>Text</t></is></c></row>", MANY / 10);
    buf_put_text(&part, "</sheetData></worksheet>");
    put_part(&package, "xl/worksheets/sheet1.xml", &part);
    buf_put_text(&part, "<Relationships>");
    for (size_t i = 0; i < 900; i++) buf_put_format(&part, "<Relationship Target='t%zu.xml'/>", i);
    buf_put_text(&part, "</Relationships>");
    put_part(&package, "xl/worksheets/_rels/sheet1.xml.rels", &part);
    for (size_t i = 0; i < 900; i++) {
        buf_clear(&name);
        buf_put_format(&name, "xl/worksheets/t%zu.xml", i);
        buf_put_text(&part, "<table headerRowCount='0' totalsRowCount='1' ref='A1:B2999'/>");
        put_part(&package, name.data, &part);
    }
    check_large(&document_xlsx, &package, MANY / 10 - 1, NULL);
    buf_free(&part);
    buf_free(&package);
    buf_free(&name);
}

TEST(long_cells_are_cut_off)
{
    static const char begin[] = "<sst><si><t>", end[] = "</t></si></sst>", dots[] = "\xe2\x80\xa6";

    for (size_t length = 32767; length <= 32768; length++) {
        Buf part = { 0 }, out = { 0 }, expected = { 0 };
        Err err;
        buf_put_text(&part, begin);
        put_many(&part, "x", length);
        buf_put_text(&part, end);
        buf_put_text(&expected, begin);
        put_many(&expected, "x", length == 32767 ? length : 32766);
        buf_put_text(&expected, length == 32767 ? "" : dots);
        buf_put_text(&expected, end);
        assert_ok(document_xlsx.package->finish(&(DocumentFile){ "f", part.data, part.len }, &out, &err), &err);
        assert_string_equal(out.data, expected.data);
        buf_free(&part);
        buf_free(&out);
        buf_free(&expected);
    }
}

TEST(sheets_and_columns_that_do_not_exist_are_refused)
{
    static const char parts[] = BOOK ROWS("1", "<row>" CELL("Text") "</row>");
    static const struct {
        const char *column, *sheet, *message;
    } cases[] = {
        { "Name", NULL, "f:1:1: no sheet has a column 'Name'" },
        { "0", NULL, "f:1:1: no sheet has a column '0'" },
        { "XFE", NULL, "f:1:1: no sheet has a column 'XFE'" },
        { NULL, "Two", "f:1:1: there is no sheet 'Two'; the sheets are: One" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const DocumentOptions options = { .columns = &cases[i].column,
                                          .column_count = cases[i].column != NULL,
                                          .sheets = &cases[i].sheet,
                                          .sheet_count = cases[i].sheet != NULL };
        Buf text = read_parts(&document_xlsx, parts, sizeof parts);
        Document *doc;
        Err err;
        assert_int_equal(
            document_read(&doc, &document_xlsx, &(DocumentFile){ "f", text.data, text.len }, &options, &err),
            ERR_FORMAT);
        assert_memory_equal(err.text, cases[i].message, strlen(cases[i].message));
        buf_free(&text);
    }
}

TEST(names_of_cells)
{
    static const struct {
        const char *name;
        size_t row, column;
    } cases[] = { { "A1", 0, 0 }, { "Z9", 8, 25 }, { "AA10", 9, 26 }, { "XFD1048576", 1048575, 16383 } };
    static const char *const wrong[] = { "", "A", "1", "A0", "XFE1", "AAAA1", "$A$" };
    char name[CELL_NAME_BYTES];
    size_t row, column, at;

    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_string_equal(sheets_cell_name(cases[i].row, cases[i].column, name), cases[i].name);
        at = 0;
        assert_true(sheets_read_cell(cases[i].name, &at, strlen(cases[i].name), &row, &column));
        assert_int_equal(row, cases[i].row);
        assert_int_equal(column, cases[i].column);
    }
    for (size_t i = 0; i < COUNT(wrong); i++) {
        at = 0;
        assert_false(sheets_read_cell(wrong[i], &at, strlen(wrong[i]), &row, &column));
    }
}

TESTS(test_document_sheets);
