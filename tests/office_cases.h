/* office_cases.h - checks formats of office documents by parts without their archives: the texts of the units, and the
 * bytes that are written. */
#ifndef DRAGOMAN_OFFICE_CASES_H
#define DRAGOMAN_OFFICE_CASES_H

#include "document_cases.h"

#include "package.h"

/* Returns a part as it is in the text of a package (package.h): its name, its contents in the form in which they are
 * read, and NULs. */
static inline Buf office_cases_prepare(const DocumentFormat *format, const char *contents)
{
    const PackageBytes part = { "f/part.xml", "part.xml", contents, strlen(contents) };
    Buf out = { 0 };
    Err err;

    buf_put(&out, part.name, strlen(part.name) + 1);
    assert_ok(format->package->prepare(&part, &out, &err), &err);
    buf_put_byte(&out, '\0');
    return out;
}

static inline Document *office_cases_open(const DocumentFormat *format, const Buf *text)
{
    static const DocumentOptions options = { .language = "de" };
    Document *doc;
    Err err;

    assert_ok(document_read(&doc, format, &(DocumentFile){ "f", text->data, text->len }, &options, &err), &err);
    return doc;
}

/* Asserts that the units' own texts give the same bytes. */
static inline void office_cases_check_identity(const Document *doc, const Buf *text)
{
    DocumentProgress progress = { .document = doc, .as_identity = true };
    Buf out = { 0 };
    Err err;

    for (size_t i = 0; i < document_unit_count(doc); i++)
        assert_ok(document_write_unit(&progress, NULL, &out, &err), &err);
    assert_ok(document_write_end(&progress, &out, &err), &err);
    assert_int_equal(out.len, text->len);
    assert_memory_equal(out.data, text->data, out.len);
    document_progress_free(&progress);
    buf_free(&out);
}

/* Asserts the texts of the units of a part, separated by |. */
static inline void office_cases_check(const DocumentFormat *format, const char *contents, const char *units)
{
    Buf text = office_cases_prepare(format, contents);
    Document *doc = office_cases_open(format, &text);
    Buf list = document_cases_units(doc);

    assert_string_equal(list.data, units);
    office_cases_check_identity(doc, &text);
    document_free(doc);
    buf_free(&text);
    buf_free(&list);
}

#endif
