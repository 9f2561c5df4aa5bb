/* test_document_csv.c - document/data: CSV and TSV. */
#include "document_cases.h"

static const DocumentCase csv_cases[] = {
    DOCUMENT_PROMISE("finds the cells"),
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
};

static const DocumentCase tsv_cases[] = {
    DOCUMENT_PROMISE("finds the cells of tsv"),
    { "one\ttwo, three\n\"four\"\t\"five\" six\n\"seven\neight\"", "one|two, three|four|\"five\" six|seven eight" },
    { "\"One\n\nTwo\"\tthree\n", "One|Two|three" },
    { "\"one\ttwo\"\tthree\n", "one|two|three" },
    { "\"one\ttwo\nthree\"\tfour\n", "\"one|two|three\"|four" },
};

static void finds_the_units_and_writes_them_back(void **state)
{
    (void)state;
    document_cases_check(&document_csv, csv_cases, COUNT(csv_cases));
    document_cases_check(&document_tsv, tsv_cases, COUNT(tsv_cases));
}

static void quotes_where_a_text_needs_it(void **state)
{
    (void)state;
    document_cases_check_text(&document_csv, "a,1\n", "x, \"y\"", "\"x, \"\"y\"\"\",1\n");
    document_cases_check_text(&document_csv, "a;1\n", "x, \"y\"", "x, \"y\";1\n");
    document_cases_check_text(&document_csv, "a;1\n", "\"y\"", "\"\"\"y\"\"\";1\n");
    document_cases_check_text(&document_csv, "\u2060\"a\u00ad;1\n", "\"y\"", "\"\"\"y\"\"\";1\n");
    document_cases_check_text(&document_csv, "\"a\"\n", "x, \"y\"", "\"x, \"\"y\"\"\"\n");
    document_cases_check_text(&document_csv, "1, a \n", "x,y", "1,\" x,y \"\n");
    document_cases_check_text(&document_csv, "1, a \n", "x", "1, x \n");
    document_cases_check_text(&document_csv, "1, \"a\n", "\"x", "1, \"x\n");
    document_cases_check_text(&document_csv, "a ,1\n", "x,y", "\"x,y \",1\n");
    document_cases_check_text(&document_csv, "\"a\"\u00ad\" ,1\n", "\"a\"\"", "\"\"\"a\"\"\"\" \",1\n");
    document_cases_check_text(&document_csv, "\"a\"b,1\n", "x,\"y", "x，\"y,1\n");
    document_cases_check_text(&document_csv, "\"a\"\u00ad\",1\n", "\"a\"\"", "\"\"\"a\"\"\"\"\",1\n");
    document_cases_check_text(&document_csv, "\"a\"b,1\n", "\"a\" \"\"b", "\"a\" \"\"b,1\n");
    document_cases_check_text(&document_csv, "<b id=\"c\">a</b>,1\n", "x,y", "\"<b id=\"\"c\"\">x,y</b>\",1\n");
    document_cases_check_text(&document_csv, "a <b id=\"c\">b</b>.,1\n", "x,y", "\"<b id=\"\"c\"\"></b>x,y\",1\n");
    document_cases_check_text(&document_csv, "<b id=\"c\">a</b>,1\n", "x", "<b id=\"c\">x</b>,1\n");
    document_cases_check_text(&document_tsv, "\"a\" b\t1\n", "x\ty", "x y\t1\n");
    document_cases_check_text(&document_tsv, "\"A.\nB.\"\t1\n", "x \"y\"", "\"x \"\"y\"\"\nx \"\"y\"\"\"\t1\n");
}

static void assert_columns(const char *text, const char *const *columns, size_t count, const char *first)
{
    const DocumentOptions options = { .columns = columns, .column_count = count };
    Document *doc;
    Err err;

    assert_ok(document_read(&doc, &document_csv, &(DocumentFile){ "f", text, strlen(text) }, &options, &err), &err);
    assert_string_equal(document_source(doc, 0).text, first);
    assert_int_equal(document_unit_count(doc), count);
    document_free(doc);
}

static void selects_columns(void **state)
{
    static const char *const number[] = { "2" }, *const name[] = { "te\"xt" }, *const both[] = { "te\"xt", "1" };
    static const char *const unknown[] = { "text" };
    static const char text[] = "id,\"te\"\"xt\"\na,b\n";
    const DocumentOptions options = { .columns = unknown, .column_count = 1 };
    Document *doc;
    Err err;

    (void)state;
    assert_columns("a,b\n", number, 1, "b");
    assert_columns(text, name, 1, "b");
    assert_columns(text, both, 2, "a");
    assert_fails(document_read(&doc, &document_csv, &(DocumentFile){ "f", text, strlen(text) }, &options, &err),
                 ERR_FORMAT, &err, "f:1:1: the first row has no column 'text'");
}

static void refuses_a_quote_without_end(void **state)
{
    (void)state;
    document_cases_refuse(&document_csv, "a\nb,\"c\n", "f:2:3: this cell has no closing quote");
}

TEST_FILE(test_document_csv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_units_and_writes_them_back),
        cmocka_unit_test(quotes_where_a_text_needs_it),
        cmocka_unit_test(selects_columns),
        cmocka_unit_test(refuses_a_quote_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
