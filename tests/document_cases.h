/* document_cases.h - checks a format of documents: the texts of its units, and the bytes that are written. */
#ifndef DRAGOMAN_DOCUMENT_CASES_H
#define DRAGOMAN_DOCUMENT_CASES_H

#include "test_support.h"

#include "document.h"
#include "document_formats.h"

typedef struct {
    const char *document, *units; /* the texts, separated by | */
} DocumentCase;

static inline Status document_cases_read(const DocumentFormat *format, const char *text, const DocumentOptions *options,
                                         Document **doc, Err *err)
{
    return document_read(doc, format, &(DocumentFile){ "f", text, strlen(text) }, options, err);
}

static inline Document *document_cases_open(const DocumentFormat *format, const char *text)
{
    static const DocumentOptions options = { .language = "de" };
    Document *doc;
    Err err;

    assert_ok(document_cases_read(format, text, &options, &doc, &err), &err);
    return doc;
}

/* Returns the document with the rendering in the place of each unit; NULL: the units' own texts. */
static inline char *document_cases_write(const Document *doc, const Rendering *rendering)
{
    DocumentProgress progress = { .document = doc, .as_identity = !rendering };
    Buf out = { 0 };
    Err err;

    for (size_t i = 0; i < document_unit_count(doc); i++)
        assert_ok(document_write_unit(&progress, rendering, &out, &err), &err);
    assert_ok(document_write_end(&progress, &out, &err), &err);
    buf_put(&out, "", 0);
    document_progress_free(&progress);
    return out.data;
}

/* Reads from copies of exactly their size, so that the sanitizers detect any access outside of them. */
static inline void document_cases_check(const DocumentFormat *format, const DocumentCase *cases, size_t count)
{
    static const DocumentOptions options = { .language = "de" };

    for (size_t i = 0; i < count; i++) {
        const size_t size = strlen(cases[i].document);
        char *bytes = malloc(size + !size), *same;
        Document *doc;
        Buf units = { 0 };
        Err err;
        assert_non_null(bytes);
        memcpy(bytes, cases[i].document, size);
        assert_ok(document_read(&doc, format, &(DocumentFile){ "f", bytes, size }, &options, &err), &err);
        same = document_cases_write(doc, NULL);
        buf_put(&units, "", 0);
        for (size_t k = 0; k < document_unit_count(doc); k++)
            buf_put_format(&units, "%s%s", k ? "|" : "", document_source(doc, k).text);
        assert_string_equal(units.data, cases[i].units);
        assert_string_equal(same, cases[i].document);
        free(same);
        buf_free(&units);
        document_free(doc);
        free(bytes);
    }
}

/* Writes a text in the place of each unit, with all its markup, at most 8 tags, at the beginning. */
static inline void document_cases_check_text(const DocumentFormat *format, const char *document, const char *text,
                                             const char *expected)
{
    Document *doc = document_cases_open(format, document);
    const Range places[8] = { { 0, 0 } };
    char *out = document_cases_write(doc, &(Rendering){ .text = text, .length = strlen(text), .places = places });

    assert_string_equal(out, expected);
    free(out);
    document_free(doc);
}

/* Checks that a document is not valid in its format; the message begins with the name of the file, f. */
static inline void document_cases_refuse(const DocumentFormat *format, const char *text, const char *message)
{
    static const DocumentOptions options = { .language = "de" };
    const DocumentFile file = { "f", text, strlen(text) };
    Document *doc;
    Err err;

    assert_fails(document_read(&doc, format, &file, &options, &err), ERR_FORMAT, &err, message);
}

#endif
