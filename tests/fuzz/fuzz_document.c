/* fuzz_document.c - fuzzes the formats of documents with libFuzzer.
 * Formats  The name of the program ends with that of the format: make links
 *          fuzz_document_html, fuzz_document_po ... to this one.
 * Input    The document. That of a format whose documents are archives can also be the entries (parts_archive.h). The
 *          length of the input chooses the options.
 * Checks   A document is refused with one line that begins with its name, or its own texts are written as the same
 *          bytes. Other texts in the places of the units and a pseudo translation give documents that can be read. The
 *          bytes are in a block of exactly their size, so that the sanitizers detect any access outside of it.
 * Options  -max_len=4000 */
#include "fuzz_support.h"

#include "document.h"
#include "document_formats.h"
#include "package.h"
#include "parts_archive.h"
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
    if (name && strcmp(name + 1, document_lines.name) == 0) format = &document_lines; /* not for --as */
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

/* What is written in the place of each unit: its own text; another text, with all markup at its beginning; its pseudo
 * translation, if the unit is wanted. */
typedef enum { WRITE_OWN, WRITE_OTHER, WRITE_PSEUDO } Writing;

static Buf write_document(const Document *doc, Writing writing)
{
    static const char *const texts[] = { "a & <b> \"c\" 'd' - \\ lt; &amp; # {x} @ ]]> \x7f \xc2\x85 \xe2\x80\xa8",
                                         "--- a b ... c --- d" };
    DocumentProgress progress = { .document = doc, .as_identity = writing == WRITE_OWN };
    Buf out = { 0 };
    Err err = { "" };

    for (size_t i = 0; i < document_unit_count(doc); i++) {
        const UnitText text = document_source(doc, i);
        const bool is_left = writing == WRITE_OWN || (writing == WRITE_PSEUDO && !document_is_wanted(doc, i));
        Range *places = calloc(text.markup_count + 1, sizeof *places);
        Rendering rendering = { .places = places };
        Buf made = { 0 };
        require(places != NULL, "memory", "places");
        if (writing == WRITE_PSEUDO)
            require(pseudo_append(&text, &made, places, NULL, &err) == OK, "a pseudo translation", err.text);
        else
            buf_put_text(&made, texts[(i + document_unit_count(doc)) % 2]);
        rendering.text = made.data ? made.data : "";
        rendering.length = made.len;
        require(document_write_unit(&progress, is_left ? NULL : &rendering, &out, &err) == OK, "a unit", err.text);
        buf_free(&made);
        free(places);
    }
    require(document_write_end(&progress, &out, &err) == OK, "the end", err.text);
    document_progress_free(&progress);
    return out;
}

static void check_identity(const Document *doc, const DocumentFile *file)
{
    Buf out;

    for (size_t i = 0; i < document_unit_count(doc); i++) {
        const UnitText text = document_source(doc, i);
        check_unit(&text);
        require(text.length || !document_is_wanted(doc, i), "a text to translate", "");
    }
    out = write_document(doc, WRITE_OWN);
    require(out.len == file->size && (!out.len || memcmp(out.data, file->bytes, out.len) == 0), "the same bytes",
            out.data ? out.data : "");
    buf_free(&out);
}

/* What was read: of an archive, the text of its parts. */
typedef struct {
    const Document *document;
    const DocumentOptions *options;
    const Package *package; /* NULL: no archive */
    const Buf *text;
    bool is_whole; /* all entries of the archive are valid, also those that nobody reads */
} Read;

/* The delimiter of CSV is guessed, and other texts can change the guess. */
static void check_text(const DocumentFile *file, const DocumentOptions *options, const Document *doc)
{
    Document *made;
    size_t before, after = 0;
    Err err = { "" };

    require(document_read(&made, format, file, options, &err) == OK || format == &document_csv, "a document is written",
            err.text);
    (void)document_faults(doc, &before);
    if (made) (void)document_faults(made, &after);
    require(after <= before, "no more faults", file->bytes);
    document_free(made);
}

static void check_message(const Err *err)
{
    const char *rest = err->text + strlen(NAME);

    require(strncmp(err->text, NAME, strlen(NAME)) == 0 && (*rest == ':' || *rest == '/'), "the name in the message",
            err->text);
    require(!strpbrk(err->text, "\n\r\x1b"), "one line", err->text);
}

static void check_made_archive(const Buf *archive, const DocumentOptions *options, const Document *doc)
{
    Package *package;
    Buf text = { 0 };
    Err err = { "" };

    require_ok(
        package_open(&package, format->package, &(DocumentFile){ NAME, archive->data, archive->len }, &text, &err),
        &err);
    check_text(&(DocumentFile){ NAME, text.len ? text.data : "", text.len }, options, doc);
    package_free(package);
    buf_free(&text);
}

/* What is written is a document of the same format. Entries without text are not read before they are copied. */
static void check_made(const Read *read, Writing writing)
{
    Buf out = write_document(read->document, writing), archive = { 0 };
    Err err = { "" };

    if (!read->package) {
        check_text(&(DocumentFile){ NAME, out.len ? out.data : "", out.len }, read->options, read->document);
    } else if (package_write(read->package, read->text, &out, &archive, &err) == OK) {
        check_made_archive(&archive, read->options, read->document);
    } else {
        check_message(&err);
        require(!read->is_whole, "an archive is written", err.text);
    }
    buf_free(&out);
    buf_free(&archive);
}

/* Reads the document, or the text of an archive's parts. */
static void check_file(const DocumentFile *file, Read read)
{
    Document *document;
    Err err = { "" };

    if (document_read(&document, format, file, read.options, &err) == OK) {
        read.document = document;
        check_identity(document, file);
        check_made(&read, WRITE_OTHER);
        check_made(&read, WRITE_PSEUDO);
    } else {
        check_message(&err);
    }
    document_free(document);
}

static void check_archive(const DocumentFile *file, Read read)
{
    Buf text = { 0 }, same = { 0 };
    Package *package;
    char *copy;
    Err err = { "" };

    if (package_open(&package, format->package, file, &text, &err) == OK) {
        copy = fuzz_copy(text.data, text.len);
        read.package = package;
        read.text = &text;
        check_file(&(DocumentFile){ NAME, copy, text.len }, read);
        require_ok(package_write(package, &text, &text, &same, &err), &err);
        require(same.len == file->size && memcmp(same.data, file->bytes, same.len) == 0, "the same archive", NAME);
        free(copy);
    } else {
        check_message(&err);
    }
    package_free(package);
    buf_free(&text);
    buf_free(&same);
}

static DocumentOptions choose_options(size_t size)
{
    static const char *const paths[] = { "a", "*.text", "b.0" };

    return (DocumentOptions){ .source_language = "en",
                              .language = "de",
                              .selects = paths,
                              .select_count = size % 5 ? 0 : 2,
                              .skips = paths + 2,
                              .skip_count = size % 3 ? 0 : 1,
                              .front_matter = paths,
                              .front_matter_count = size % 7 ? 0 : 2,
                              .keep_language = size % 2,
                              .has_header = size / 4 % 2,
                              .retranslate = size / 2 % 2 };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bool has_parts = format->package && size >= strlen(PARTS_MARK) && memcmp(data, PARTS_MARK, 4) == 0;
    const DocumentOptions options = choose_options(size);
    Buf archive = { 0 };
    char *bytes;

    if (has_parts) parts_archive_build(&archive, (const char *)data, size);
    bytes = has_parts ? fuzz_copy(archive.data, archive.len) : fuzz_copy(data, size);
    if (format->package)
        check_archive(&(DocumentFile){ NAME, bytes, has_parts ? archive.len : size },
                      (Read){ .options = &options, .is_whole = has_parts });
    else
        check_file(&(DocumentFile){ NAME, bytes, size }, (Read){ .options = &options });
    buf_free(&archive);
    free(bytes);
    return 0;
}
