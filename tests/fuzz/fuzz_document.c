/* fuzz_document.c - fuzzes the formats of documents with libFuzzer.
 * Formats  The name of the program ends with that of the format: make links
 *          fuzz_document_html, fuzz_document_po ... to this one.
 * Input    The document.
 * Checks   A document is refused with one line that begins with its name, or its
 *          own texts are written as the same bytes. Other texts in the places of
 *          the units and a pseudo translation give documents that can be read. The
 *          bytes are in a block of exactly their size, so that the sanitizers
 *          detect any access outside of it.
 * Options  -max_len=4000 */
#include "fuzz_support.h"

#include "document.h"
#include "document_formats.h"
#include "pseudo.h"

#define NAME "dir/document"

/* Set at the start of the program. */
static const DocumentFormat *format;

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *name = strrchr((*argv)[0], '_');

    (void)argc;
    format = name ? document_format_named(name + 1) : NULL;
    if (format) return 0;
    fprintf(stderr, "%s: the name of the program must end with _ and a format of documents\n", (*argv)[0]);
    exit(1);
}

static void check_unit(const UnitText *text)
{
    require(!text->text[text->length], "a NUL after the text", text->text);
    require(!memchr(text->text, '\n', text->length) && !memchr(text->text, '\r', text->length), "no newline",
            text->text);
    for (size_t i = 0; i < text->markup_count; i++) {
        const Markup *markup = &text->markup[i];
        require(markup->text.begin <= markup->text.end && markup->text.end <= text->length, "markup in the text", "");
        require(markup->parent == MARKUP_ROOT || markup->parent < i, "parents first", "");
    }
}

static void check_identity(const Document *doc, const DocumentFile *file)
{
    DocumentProgress progress = { .document = doc, .as_identity = true };
    Buf out = { 0 };
    Err err = { "" };

    for (size_t i = 0; i < document_unit_count(doc); i++) {
        const UnitText text = document_source(doc, i);
        check_unit(&text);
        require(text.length || !document_is_wanted(doc, i), "a text to translate", "");
        require(document_write_unit(&progress, NULL, &out, &err) == OK, "a unit", err.text);
    }
    require(document_write_end(&progress, &out, &err) == OK, "the end", err.text);
    require(out.len == file->size && (!out.len || memcmp(out.data, file->bytes, out.len) == 0), "the same bytes",
            out.data ? out.data : "");
    buf_free(&out);
    document_progress_free(&progress);
}

/* What is written is a document of the same format. */
static void check_made(const Buf *out, const DocumentOptions *options)
{
    const DocumentFile file = { NAME, out->len ? out->data : "", out->len };
    Document *made;
    Err err = { "" };

    require(document_read(&made, format, &file, options, &err) == OK, "a document is written", err.text);
    document_free(made);
}

/* Writes the same text with all markup at its beginning in each place. */
static void check_other_texts(const Document *doc, const DocumentOptions *options)
{
    static const char text[] = "a & <b> \"c\" 'd' - \\ lt; &amp; # {x} @ ]]> \x7f \xc2\x85 \xe2\x80\xa8";
    DocumentProgress progress = { .document = doc };
    Buf out = { 0 };
    Err err = { "" };

    for (size_t i = 0; i < document_unit_count(doc); i++) {
        ByteRange *places = calloc(document_source(doc, i).markup_count + 1, sizeof *places);
        const Rendering rendering = { .text = text, .length = sizeof text - 1, .places = places };
        require(places != NULL, "memory", "places");
        require(document_write_unit(&progress, &rendering, &out, &err) == OK, "a rendering", err.text);
        free(places);
    }
    require(document_write_end(&progress, &out, &err) == OK, "the end", err.text);
    check_made(&out, options);
    buf_free(&out);
    document_progress_free(&progress);
}

static void write_pseudo(DocumentProgress *progress, size_t unit, Buf *out)
{
    const UnitText text = document_source(progress->document, unit);
    ByteRange *places = calloc(text.markup_count + 1, sizeof *places);
    Buf made = { 0 };
    Err err = { "" };

    require(places != NULL, "memory", "places");
    require(pseudo_append(&text, &made, places, NULL, &err) == OK, "a pseudo translation", err.text);
    require(document_write_unit(
                progress, &(Rendering){ .text = made.data ? made.data : "", .length = made.len, .places = places }, out,
                &err) == OK,
            "a unit", err.text);
    buf_free(&made);
    free(places);
}

/* The pseudo translation is a document of the same format. */
static void check_pseudo(const Document *doc, const DocumentOptions *options)
{
    DocumentProgress progress = { .document = doc };
    Buf out = { 0 };
    Err err = { "" };

    for (size_t i = 0; i < document_unit_count(doc); i++) {
        if (document_is_wanted(doc, i))
            write_pseudo(&progress, i, &out);
        else
            require(document_write_unit(&progress, NULL, &out, &err) == OK, "a unit", err.text);
    }
    require(document_write_end(&progress, &out, &err) == OK, "the end", err.text);
    check_made(&out, options);
    buf_free(&out);
    document_progress_free(&progress);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const DocumentOptions options = { .language = "de" };
    DocumentFile file = { NAME, NULL, size };
    char *bytes = fuzz_copy(data, size);
    Document *doc;
    Err err = { "" };

    file.bytes = bytes;
    if (document_read(&doc, format, &file, &options, &err) == OK) {
        check_identity(doc, &file);
        check_other_texts(doc, &options);
        check_pseudo(doc, &options);
    } else {
        require_message(&err, NAME);
    }
    document_free(doc);
    free(bytes);
    return 0;
}
