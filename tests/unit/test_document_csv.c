/* test_document_csv.c - document/data: CSV and TSV. */
#include "document_cases.h"

TEST(finds_the_units_and_writes_them_back)
{
    document_cases_check_file(&document_csv, "tests/document_cases/csv.tsv");
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
    options.has_header = true;
    document_cases_check_options(&document_csv, text, &options, "b");
    options.column_count = 0;
    document_cases_check_options(&document_csv, text, &options, "a|b");
    options = (DocumentOptions){ .columns = columns + 3, .column_count = 1 };
    assert_fails(document_cases_read(&document_csv, text, &options, &doc, &err), ERR_FORMAT, &err,
                 "f:1:1: the first row has no column 'text'; it has: id, te\"\"xt");
    assert_fails(document_cases_read(&document_csv, "\na\n", &options, &doc, &err), ERR_FORMAT, &err,
                 "f:1:1: the first row has no column 'text'; it is empty");
    assert_fails(document_read(&doc, &document_csv, &(DocumentFile){ "f", "text\0\nb\n", 8 }, &options, &err),
                 ERR_FORMAT, &err, "f:1:1: the first row has no column 'text'; it has: text");
}

TESTS(test_document_csv);
