/* test_document_text.c - document/formats/document_text.c: paragraphs of plain text. */
#include "document_cases.h"

TEST(finds_the_units_and_writes_them_back)
{
    document_cases_check_file(&document_text, "tests/document_cases/text.tsv");
}

TESTS(test_document_text);
