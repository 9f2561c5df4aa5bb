/* document_cases.h - checks a format of documents: the texts of its units, and the bytes that are written. In tables of
 * cases, a row { NULL, "promise" } says what the rows after it prove; a row that fails is reported with it. */
#ifndef DRAGOMAN_DOCUMENT_CASES_H
#define DRAGOMAN_DOCUMENT_CASES_H

#include "test_support.h"

#include "document.h"
#include "document_formats.h"

typedef struct {
    const char *document, *units; /* the texts, separated by | */
} DocumentCase;

/* A document, a text that is written in the place of each unit, and the result. */
typedef struct {
    const char *document, *text, *expected;
} DocumentTextCase;

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

/* Returns the texts of the units, separated by |. */
static inline Buf document_cases_units(const Document *doc)
{
    Buf units = { 0 };
    Err err;

    buf_put(&units, "", 0);
    for (size_t i = 0; i < document_unit_count(doc); i++)
        buf_put_format(&units, "%s%s", i ? "|" : "", document_source(doc, i).text);
    assert_ok(buf_check(&units, &err), &err);
    return units;
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

/* Reads from copies of exactly their size, so that the sanitizers detect any access outside of them. Units that begin
 * with the name of the file, f:, are the message with which the document must be refused. */
static inline void document_cases_check(const DocumentFormat *format, const DocumentCase *cases, size_t count)
{
    static const DocumentOptions options = { .language = "de" };
    const char *promise = "", *failure = NULL;

    for (size_t i = 0; i < count; i++) {
        const size_t size = cases[i].document ? strlen(cases[i].document) : 0;
        char *bytes, *same;
        Document *doc;
        Buf units;
        Err err;
        if (!cases[i].document) {
            promise = cases[i].units;
            continue;
        }
        if (strncmp(cases[i].units, "f:", 2) == 0) {
            document_cases_refuse(format, cases[i].document, cases[i].units);
            continue;
        }
        bytes = support_alloc(size + !size);
        memcpy(bytes, cases[i].document, size);
        assert_ok(document_read(&doc, format, &(DocumentFile){ "f", bytes, size }, &options, &err), &err);
        same = document_cases_write(doc, NULL);
        units = document_cases_units(doc);
        if (strcmp(units.data, cases[i].units) != 0 || strcmp(same, cases[i].document) != 0) {
            print_error("%s: %s: %s\n  has the units %s\n     instead of %s\n  and is written as %s\n", format->name,
                        promise, cases[i].document, units.data, cases[i].units, same);
            failure = promise;
        }
        free(same);
        buf_free(&units);
        document_free(doc);
        free(bytes);
    }
    assert_null(failure);
}

/* Writes each text in the place of each unit, with all its markup, at most 8 tags, at the beginning. */
static inline void document_cases_check_texts(const DocumentFormat *format, const DocumentTextCase *cases, size_t count)
{
    const char *promise = "", *failure = NULL;

    for (size_t i = 0; i < count; i++) {
        const DocumentTextCase *c = &cases[i];
        const Range places[8] = { { 0, 0 } };
        Document *doc;
        char *out;
        if (!c->document) {
            promise = c->text;
            continue;
        }
        doc = document_cases_open(format, c->document);
        out = document_cases_write(doc, &(Rendering){ .text = c->text, .length = strlen(c->text), .places = places });
        if (strcmp(out, c->expected) != 0) {
            print_error("%s: %s: %s\n  with %s becomes %s\n  instead of %s\n", format->name, promise, c->document,
                        c->text, out, c->expected);
            failure = promise;
        }
        free(out);
        document_free(doc);
    }
    assert_null(failure);
}

static inline void document_cases_check_text(const DocumentFormat *format, const char *document, const char *text,
                                             const char *expected)
{
    document_cases_check_texts(format, &(DocumentTextCase){ document, text, expected }, 1);
}

/* Reads a document with options; `units` are the texts, separated by |. */
static inline void document_cases_check_options(const DocumentFormat *format, const char *document,
                                                const DocumentOptions *options, const char *units)
{
    Document *doc;
    Buf texts;
    Err err;

    assert_ok(document_cases_read(format, document, options, &doc, &err), &err);
    texts = document_cases_units(doc);
    assert_string_equal(texts.data, units);
    buf_free(&texts);
    document_free(doc);
}

/* What is written if a text takes the place of each unit that is to be translated into the language; "": unknown. */
typedef struct {
    const char *language, *document, *text, *written;
} WrittenCase;

/* The markup of a unit, at most 8 tags, is written at its beginning. */
static inline void document_cases_check_written(const DocumentFormat *format, const WrittenCase *cases, size_t count,
                                                bool retranslate)
{
    static const Range places[8];
    const char *promise = "";

    for (const WrittenCase *c = cases; c < cases + count; c++) {
        const Rendering made = { .text = c->text, .length = strlen(c->text), .places = places };
        DocumentOptions options = { .language = c->language, .retranslate = retranslate };
        DocumentProgress progress = { .document = NULL };
        Document *doc;
        Buf out = { 0 };
        Err err;

        if (!c->document) {
            promise = c->text;
            continue;
        }
        if (!*options.language) options.language = NULL;
        assert_ok(document_cases_read(format, c->document, &options, &doc, &err), &err);
        progress.document = doc;
        for (size_t i = 0; i < document_unit_count(doc); i++)
            assert_ok(document_write_unit(&progress, document_is_wanted(doc, i) ? &made : NULL, &out, &err), &err);
        assert_ok(document_write_end(&progress, &out, &err), &err);
        buf_put(&out, "", 0);
        if (strcmp(out.data, c->written) != 0)
            fail_msg("%s: %s with %s is\n%s instead of\n%s", promise, c->document, c->text, out.data, c->written);
        buf_free(&out);
        document_progress_free(&progress);
        document_free(doc);
    }
}

/* Puts a text so many times, for deep and large documents. */
static inline void document_cases_repeat(Buf *out, const char *text, size_t times)
{
    for (size_t i = 0; i < times; i++) buf_put_text(out, text);
}

#endif
