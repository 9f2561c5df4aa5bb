/* test_document_properties.c - document/messages: Java .properties and Apple .strings. */
#include "document_cases.h"

TEST(finds_the_units_and_writes_them_back)
{
    document_cases_check_file(&document_properties, "tests/document_cases/properties.tsv");
}

TESTS(test_document_properties);
