/* document_cases.h - checks formats of documents: the texts of the units, and the bytes that are written. In tables of
 * cases, a row { NULL, "promise" } says what the rows after it prove; a row that fails is reported with it. The rows
 * after { NULL, "as NAME" } are documents in the format of this name. */
#ifndef DRAGOMAN_DOCUMENT_CASES_H
#define DRAGOMAN_DOCUMENT_CASES_H

#include "test_support.h"

#include "document.h"
#include "document_formats.h"
#include "package.h"
#include "text.h"
#include "utf8.h"

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

/* What is written in the place of each unit: its own text; the first rendering; the same, but nothing in the place of
 * units that are not wanted; the rendering of the unit. */
typedef enum { WRITE_OWN, WRITE_FIRST, WRITE_WANTED, WRITE_EACH } CaseWriting;

static inline Buf document_cases_render(const Document *doc, const Rendering *made, CaseWriting writing)
{
    DocumentProgress progress = { .document = doc, .as_identity = writing == WRITE_OWN };
    Buf out = { 0 };
    Err err;

    for (size_t i = 0; i < document_unit_count(doc); i++) {
        const bool is_left = writing == WRITE_OWN || (writing == WRITE_WANTED && !document_is_wanted(doc, i));
        const Rendering *rendering = is_left ? NULL : made + (writing == WRITE_EACH ? i : 0);
        assert_ok(document_write_unit(&progress, rendering, &out, &err), &err);
    }
    assert_ok(document_write_end(&progress, &out, &err), &err);
    buf_put(&out, "", 0);
    document_progress_free(&progress);
    return out;
}

/* Returns the document with the rendering in the place of each unit; NULL: the units' own texts. */
static inline char *document_cases_write(const Document *doc, const Rendering *rendering)
{
    return document_cases_render(doc, rendering, rendering ? WRITE_FIRST : WRITE_OWN).data;
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

/* Returns what is read of a document: a copy of exactly its size, so that the sanitizers detect any access outside
 * of it; or a part of an archive as it is in the text of a package (package.h): its name, its contents in the form
 * in which they are read, and NULs. */
static inline Buf document_cases_prepare(const DocumentFormat *format, const char *document)
{
    const DocumentFile part = { "f/part.xml", document, strlen(document) };
    Buf out = { .data = support_alloc(part.size + !part.size), .len = part.size };
    Err err;

    memcpy(out.data, document, part.size);
    if (!format->package) return out;
    buf_free(&out);
    buf_put(&out, "part.xml", sizeof "part.xml");
    assert_ok(format->package->prepare(&part, &out, &err), &err);
    buf_put_byte(&out, '\0');
    return out;
}

static inline Document *document_cases_open_prepared(const DocumentFormat *format, const Buf *bytes)
{
    static const DocumentOptions options = { .language = "de" };
    Document *doc;
    Err err;

    assert_ok(document_read(&doc, format, &(DocumentFile){ "f", bytes->data, bytes->len }, &options, &err), &err);
    return doc;
}

/* Checks that a document is not valid in its format; the message begins with the name of the file, f. */
static inline void document_cases_refuse(const DocumentFormat *format, const char *text, const char *message)
{
    static const DocumentOptions options = { .language = "de" };
    Document *doc;
    Err err;

    assert_fails(document_cases_read(format, text, &options, &doc, &err), ERR_FORMAT, &err, message);
}

/* Checks the units, and that their own texts give the same bytes. Units that begin with the name of the file, f:, are
 * the message with which the document must be refused. */
static inline void document_cases_check(const DocumentFormat *format, const DocumentCase *cases, size_t count)
{
    const char *promise = "", *failure = NULL;

    for (size_t i = 0; i < count; i++) {
        Document *doc;
        Buf bytes, same, units;
        if (!cases[i].document) {
            promise = cases[i].units;
            if (strncmp(promise, "as ", 3) == 0) format = document_format_named(promise + 3);
            continue;
        }
        if (strncmp(cases[i].units, "f:", 2) == 0) {
            document_cases_refuse(format, cases[i].document, cases[i].units);
            continue;
        }
        bytes = document_cases_prepare(format, cases[i].document);
        doc = document_cases_open_prepared(format, &bytes);
        same = document_cases_render(doc, NULL, WRITE_OWN);
        units = document_cases_units(doc);
        if (strcmp(units.data, cases[i].units) != 0 || same.len != bytes.len ||
            memcmp(same.data, bytes.data, same.len) != 0) {
            print_error("%s: %s: %s\n  has the units %s\n     instead of %s\n  and is written as %s\n", format->name,
                        promise, cases[i].document, units.data, cases[i].units, same.data);
            failure = promise;
        }
        buf_free(&same);
        buf_free(&units);
        document_free(doc);
        buf_free(&bytes);
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
        Rendering made;
        Document *doc;
        char *out;
        if (!c->document) {
            promise = c->text;
            if (strncmp(promise, "as ", 3) == 0) format = document_format_named(promise + 3);
            continue;
        }
        doc = document_cases_open(format, c->document);
        made = (Rendering){ .text = c->text, .length = strlen(c->text), .places = places };
        out = document_cases_render(doc, &made, WRITE_WANTED).data;
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

/* Decodes the columns of the line at *rest in place, at most 3, and moves *rest to the next line. Returns their number.
 * ⏎ is a newline, ␍ a carriage return, ⇥ a tab, and ‹hex› a code point; ‹› stands for an empty column. */
static inline size_t document_cases_row(char **rest, const char *columns[3])
{
    size_t count = 1;
    char *to = *rest, *at = *rest;

    columns[0] = to;
    while (*at && *at != '\n') {
        uint32_t code;
        at += utf8_next(at, strnlen(at, 4), &code);
        if (code == 0x203a) continue; /* › */
        if (code == 0x2039) {         /* ‹ */
            code = (uint32_t)strtoul(at, &at, 16);
            if (!code) continue;
        } else if (code == '\t' && count < 3) {
            columns[count++] = to + 1;
            code = 0;
        }
        to += utf8_put(code == 0x23ce ? '\n' : code == 0x240d ? '\r' : code == 0x21e5 ? '\t' : code, to);
    }
    *rest = at + (*at == '\n');
    *to = '\0';
    return count;
}

/* Checks the rows of a file: a document and the texts of its units; or a document, a text that is written in the place
 * of each unit, and the result. A line "# ..." says what the rows after it prove, or "# as FORMAT". */
static inline void document_cases_check_file(const DocumentFormat *format, const char *path)
{
    char *file = support_read_file(path, NULL), *rest = file;
    const char *columns[3];
    LIST_OF(DocumentCase) cases = { 0 };
    LIST_OF(DocumentTextCase) texts = { 0 };

    while (*rest) {
        const size_t count = document_cases_row(&rest, columns);
        if (count == 1 && *columns[0]) {
            assert_true(text_begins_with(columns[0], "# ")); /* else a row has lost its tabs */
            LIST_PUT(&cases, ((DocumentCase){ NULL, columns[0] + 2 }));
            LIST_PUT(&texts, ((DocumentTextCase){ .text = columns[0] + 2 }));
        }
        if (count == 2) LIST_PUT(&cases, ((DocumentCase){ columns[0], columns[1] }));
        if (count == 3) LIST_PUT(&texts, ((DocumentTextCase){ columns[0], columns[1], columns[2] }));
    }
    assert_true(cases.len + texts.len > 20);
    document_cases_check(format, cases.data, cases.len);
    document_cases_check_texts(format, texts.data, texts.len);
    free(cases.data);
    free(texts.data);
    free(file);
}

static inline void document_cases_check_text(const DocumentFormat *format, const char *document, const char *text,
                                             const char *expected)
{
    document_cases_check_texts(format, &(DocumentTextCase){ document, text, expected }, 1);
}

/* Writes a text in the place of each unit, with its markup in these places; and the document as it is. */
static inline void document_cases_check_places(const DocumentFormat *format, const char *document, const char *text,
                                               const Range *places, const char *expected)
{
    const Rendering rendering = { .text = text, .length = strlen(text), .places = places };
    Document *doc = document_cases_open(format, document);
    char *same = document_cases_write(doc, NULL), *out = document_cases_write(doc, &rendering);

    assert_string_equal(same, document);
    assert_string_equal(out, expected);
    free(same);
    free(out);
    document_free(doc);
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
        DocumentOptions options = { .language = c->language, .retranslate = retranslate };
        const Rendering made = { .text = c->text, .length = strlen(c->text), .places = places };
        Document *doc;
        Buf out;
        Err err;

        if (!c->document) {
            promise = c->text;
            continue;
        }
        if (!*options.language) options.language = NULL;
        assert_ok(document_cases_read(format, c->document, &options, &doc, &err), &err);
        out = document_cases_render(doc, &made, WRITE_WANTED);
        if (strcmp(out.data, c->written) != 0)
            fail_msg("%s: %s with %s is\n%s instead of\n%s", promise, c->document, c->text, out.data, c->written);
        buf_free(&out);
        document_free(doc);
    }
}

/* Puts a text so many times, for deep and large documents. */
static inline void document_cases_repeat(Buf *out, const char *text, size_t times)
{
    for (size_t i = 0; i < times; i++) buf_put_text(out, text);
}

#endif
