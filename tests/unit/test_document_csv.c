/* test_document_csv.c - document/data: CSV and TSV. */
#include "document_cases.h"

static const DocumentCase csv_cases[] = {
    { NULL, "finds the cells" },
    { "", "" },
    { "one,two\r\n1,\"three, \"\"four\"\"\"\r\n", "one|two|three, \"four\"" },
    { "a;b, c;d\ne, f;;\n", "a|b, c|d|e, f" },
    { "one,\u2060\"two\u00ad\n\u00adthr\u00adee", "one|\"two|three" },
    { "a;b, c, d\ne;f\n", "a|b, c, d|e|f" },
    { "a|b\n", "a|b" },
    { "Size 5\";Name;Notes\na;b, c;\"d\"\"; e\"\n", "Size 5\"|Name|Notes|a|b, c|d\"; e" },
    { "sep=;\r\na;b, c, d, e\n", "a|b, c, d, e" },
    { "a, \"\"b\n", "a|\"\"b" },
    { "\"One.\nTwo\n\nthree,\r\nfour\",x\n\n,\n", "One.|Two|three, four|x" },
    { "a \"b\" c,  d \n\"e\"f,g", "a \"b\" c|d|\"e\"f|g" },
    { "<b>a</b>,\"a <a href=\"\"x\"\">b</a>\",<b>1</b>,<b>\"c</b>", "a|a b|\"c" },
    { "a <p>b</p> c,\"a<p>b</p>\"\n", "a b c|a|b" },
    { "a\nb,\"c\n", "f:2:3: this cell has no closing quote" },
};

static const DocumentCase tsv_cases[] = {
    { NULL, "finds the cells of tsv" },
    { "one\ttwo, three\n\"four\"\t\"five\" six\n\"seven\neight\"", "one|two, three|four|\"five\" six|seven eight" },
    { "\"One\n\nTwo\"\tthree\n", "One|Two|three" },
    { "\"one\ttwo\"\tthree\n", "one|two|three" },
    { "\"one\ttwo\nthree\"\tfour\n", "\"one|two|three\"|four" },
};

TEST(finds_the_units_and_writes_them_back)
{
    document_cases_check(&document_csv, csv_cases, COUNT(csv_cases));
    document_cases_check(&document_tsv, tsv_cases, COUNT(tsv_cases));
}

static const DocumentTextCase csv_texts[] = {
    { NULL, "quotes where a text needs it", NULL },
    { "a,1\n", "x, \"y\"", "\"x, \"\"y\"\"\",1\n" },
    { "a;1\n", "x, \"y\"", "x, \"y\";1\n" },
    { "a;1\n", "\"y\"", "\"\"\"y\"\"\";1\n" },
    { "\u2060\"a\u00ad;1\n", "\"y\"", "\"\"\"y\"\"\";1\n" },
    { "\"a\"\n", "x, \"y\"", "\"x, \"\"y\"\"\"\n" },
    { "1, a \n", "x,y", "1,\" x,y \"\n" },
    { "1, a \n", "x", "1, x \n" },
    { "1, \"a\n", "\"x", "1, \"x\n" },
    { "a ,1\n", "x,y", "\"x,y \",1\n" },
    { "\"a\"\u00ad\" ,1\n", "\"a\"\"", "\"\"\"a\"\"\"\" \",1\n" },
    { "\"a\"b,1\n", "x,\"y", "x，\"y,1\n" },
    { "\"a\"\u00ad\",1\n", "\"a\"\"", "\"\"\"a\"\"\"\"\",1\n" },
    { "\"a\"b,1\n", "\"a\" \"\"b", "\"a\" \"\"b,1\n" },
    { "<b id=\"c\">a</b>,1\n", "x,y", "\"<b id=\"\"c\"\">x,y</b>\",1\n" },
    { "a <b id=\"c\">b</b>.,1\n", "x,y", "\"<b id=\"\"c\"\"></b>x,y\",1\n" },
    { "<b id=\"c\">a</b>,1\n", "x", "<b id=\"c\">x</b>,1\n" },
};

static const DocumentTextCase tsv_texts[] = {
    { "\"a\" b\t1\n", "x\ty", "x y\t1\n" },
    { "\"A.\nB.\"\t1\n", "x \"y\"", "\"x \"\"y\"\"\nx \"\"y\"\"\"\t1\n" },
};

TEST(writes_texts_in_the_places_of_units)
{
    document_cases_check_texts(&document_csv, csv_texts, COUNT(csv_texts));
    document_cases_check_texts(&document_tsv, tsv_texts, COUNT(tsv_texts));
}

TEST(selects_columns)
{
    static const char *const columns[] = { "te\"xt", "1", "2", "text" };
    static const char text[] = "id,\"te\"\"xt\"\na,b\n";
    DocumentOptions options = { .columns = columns, .column_count = 1 };
    Document *doc;
    Err err;

    document_cases_check_options(&document_csv, text, &options, "b");
    options.column_count = 2;
    document_cases_check_options(&document_csv, text, &options, "a|b");
    options = (DocumentOptions){ .columns = columns + 2, .column_count = 1 };
    document_cases_check_options(&document_csv, "a,b\n", &options, "b");
    options.columns = columns + 3;
    assert_fails(document_cases_read(&document_csv, text, &options, &doc, &err), ERR_FORMAT, &err,
                 "f:1:1: the first row has no column 'text'");
}

TESTS(test_document_csv);
