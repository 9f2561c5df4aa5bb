/* test_document_choice.c - files that are not text, and files whose lines are not sentences, by their names and their
 * first bytes. */
#include "test_support.h"

#include "document_choice.h"

#define BYTES(text) text, sizeof(text) - 1

/* `what` NULL: the file may be text. */
static void expect_kind(const char *name, ForeignKind kind, const char *what)
{
    if (strcmp(kind.what ? kind.what : "text", what ? what : "text") != 0)
        fail_msg("%s is %s, not %s", name, kind.what, what);
    assert_int_equal(!kind.what, !kind.advice);
}

TEST(recognizes_kinds_by_a_few_bytes)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *what; /* NULL: it may be text */
    } cases[] = {
        { BYTES("%PDF-1.7\n"), "a PDF document" },
        { BYTES("\x89PNG\r\n\x1a\n"), "a picture" },
        { BYTES("GIF89a"), "a picture" },
        { BYTES("\0\0\0\x18"
                "ftypheic"),
          "a picture" },
        { BYTES("\0\0\0\x18"
                "ftypisom"),
          "a film" },
        { BYTES("RIFF\1\1\1\1WAVE"), "a sound" },
        { BYTES("{\\rtf1\\ansi A text}"), "a document in RTF" },
        { BYTES("\x1f\x8b\x08"), "compressed by gzip" },
        { BYTES("BZh91AY&SY"), "compressed by bzip2" },
        { BYTES("BZh11AY&SY"), "compressed by bzip2" },
        { BYTES("\xfd\x37zXZ\0"), "compressed by xz" },
        { BYTES("\x28\xb5\x2f\xfd"), "compressed by zstd" },
        { BYTES("\x7f\x45LF\2\1\1"), "a program" },
        { BYTES("SQLite format 3\0"), "a database" },
        { BYTES("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "an old or encrypted office document" },
        { BYTES("PK\3\4"), "a zip archive" },
        { BYTES("\xff\xfeH\0i\0"), "in UTF-16" },
        { BYTES("H\0e\0l\0l\0o\0"), "in UTF-16" },
        { BYTES("\0H\0e\0l\0l\0o"), "in UTF-16" },
        { BYTES("\xff\xfe\0\0H\0\0\0"), "in UTF-32" },
        /* Text with other bytes here and there. */
        { BYTES(""), NULL },
        { BYTES("P"), NULL },
        { BYTES("BZh is a name, and PK, MZ, GIF and ID3 are others."), NULL },
        { BYTES("A\0B\n"), NULL },
        { BYTES("one\0two\0three\0four\0"), NULL },
        { BYTES("Bad \xff\xfe bytes.\n"), NULL },
        { BYTES("\xef\xbb\xbfWith a mark.\n"), NULL },
        { BYTES("Caf\xe9, Stra\xdf\x65, \x80 5.\n"), NULL },
        { BYTES("\x1b[1mBold\x1b[0m\b\f\n"), NULL },
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        expect_kind(cases[i].bytes, binary_file_kind(cases[i].bytes, cases[i].size, false), cases[i].what);
}

TEST(text_with_other_bytes_here_and_there_is_text)
{
    char text[2000];

    for (size_t i = 0; i < sizeof text; i++) text[i] = (char)(i % 7 ? 0xc0 + i % 64 : ' '); /* Cyrillic in one byte */
    assert_null(binary_file_kind(text, sizeof text, false).what);
    for (size_t i = 0; i < sizeof text; i++) text[i] = (char)(i % 3 ? 'a' : 0);
    assert_null(binary_file_kind(text, sizeof text, false).what);
}

TEST(computed_data_are_recognized_without_a_mark)
{
    char data[2000] = "";
    uint32_t random = 1;

    assert_string_equal(binary_file_kind(data, sizeof data, false).what, "binary data");
    for (size_t i = 0; i < sizeof data; i++) data[i] = (char)(support_random(&random) >> 16);
    assert_string_equal(binary_file_kind(data, sizeof data, false).what, "binary data");
    assert_null(binary_file_kind(data, sizeof data, true).what); /* Chinese in UTF-16 looks so */
}

TEST(names_the_format_of_a_document_in_an_archive)
{
    static const struct {
        const char *name, *content, *advice;
    } cases[] = {
        { "word/document.xml", "<w:document/>", SETTING(AS) " docx translates it" },
        { "ppt/presentation.xml", "", SETTING(AS) " pptx translates it" },
        { "xl/workbook.xml", "", SETTING(AS) " xlsx translates it" },
        { "mimetype", "application/vnd.oasis.opendocument.text", SETTING(AS) " odt translates it" },
        { "mimetype", "application/vnd.oasis.opendocument.spreadsheet", SETTING(AS) " ods translates it" },
        { "mimetype", "application/epub+zip", SETTING(AS) " epub translates it" },
        { "mimetype", "application/vnd.sun.xml.writer", "convert it first: soffice --headless --convert-to odt FILE" },
        { "mimetype", "application/vnd.adobe.indesign-idml-package",
          "convert it to XLIFF with Okapi: tikal.sh -x FILE; then translate FILE.xlf" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char archive[500] = "PK\3\4", *at = archive;
        const bool is_first = strcmp(cases[i].name, "mimetype") == 0;
        if (!is_first) {
            strcpy(archive + 30, "[Content_Types].xml<Types/>");
            at = archive + 30 + strlen(archive + 30);
        }
        memcpy(at, "PK\3\4", 4);
        sprintf(at + 30, "%s%s", cases[i].name, cases[i].content);
        assert_string_equal(binary_file_kind(archive, sizeof archive, false).advice, cases[i].advice);
    }
}

static const struct {
    const char *name, *text, *what; /* what NULL: its lines are read */
} files[] = {
    { "film.smi", "<SYNC Start=100><P>A line.\n", "a subtitle file in another format" },
    { "FILM.SUB", "A line.\n", "a subtitle file in another format" },
    { "film.usf", "<USFSubtitles><text>A line.</text></USFSubtitles>\n", "XML" },
    { "film.lrc", "[00:12.00]A line.\n", "a subtitle file in another format" },
    { "corpus.lrc", "A line of a language.\n", NULL },
    { "app.ftl", "welcome = Welcome, { $name }!\n", "a message file in another format" },
    { "Localizable.xcstrings", "A line.\n", "JSON" },
    { "page.rst", ".. note:: A line.\n", "reStructuredText" },
    { "page.adoc", "= A title\n", "AsciiDoc" },
    { "Page.pod", "=head1 A title\n", "documentation of Perl" },
    { "page.texi", "@chapter A title\n", "Texinfo" },
    { "page.org", "* A title\n", "markup in another format" },
    { "works.bib", "@book{a, title = {A line}}\n", "TeX code or a bibliography" },
    { "page.html.erb", "<p><%= x %></p>\n", "a template" },
    { "page.liquid", "{{ x }}\n", "a template" },
    { "page.hbs", "<p>{{name}}</p>\n", "a template" },
    { "corpus.hbs", "A line of a language.\n", NULL },
    { ".env", "NAME=A line\n", "source code or settings" },
    { ".env.local", "NAME=A line\n", "source code or settings" },
    { "prod.env", "NAME=A line\n", "source code or settings" },
    { "environment", "A line.\n", NULL },
    { "Makefile", "all: a line\n", "source code or settings" },
    { "A Makefile", "A line.\n", NULL },
    { "CMakeLists.txt", "project(a)\n", "source code or settings" },
    { "settings.toml", "a = 1\n", "source code or settings" },
    { "Program.cs", "namespace A { }\n", "source code or settings" },
    { "corpus.cs", "A line of a language.\n", NULL },
    { "dragoman.1", ".TH DRAGOMAN 1\n", "a manual page" },
    { "table.1", "'\\\" t\n.TH TABLE 1\n", "a manual page" },
    { "corpus.1", "A line.\n", NULL },
    { "letter.doc", "A line.\n", NULL },
    { "private.key", "A line.\n", NULL },
    { "unknown", "[Script Info]\n", "subtitles" },
    { "unknown", "0:00:01.000,0:00:02.000\n", "subtitles" },
    { "unknown", "0:00:01 A line.\n", NULL },
    { "unknown", "\xef\xbb\xbf[{ \"a\": \"A line\" }]\n", "JSON" },
    { "unknown", "<!DOCTYPE html>\n", "HTML" },
    { "unknown", "WEBVTT\n", "subtitles" },
    { "notes.txt", "WEBVTT is a format of subtitles.\n", NULL },
    { "notes.log", "A line.\n", NULL },
    { "corpus.de", "A line.\n", NULL },
    { "ass", "A line.\n", NULL },
};

FOLDER_TEST(finds_structured_text_by_name_and_content)
{
    const DragomanOptions options = { .as = NULL };

    for (size_t i = 0; i < COUNT(files); i++) {
        FREED char *path = support_write_text(*state, files[i].name, files[i].text);
        expect_kind(files[i].name, foreign_file_find(&options, path, NULL), files[i].what);
    }
}

/* Several programs write such archives and compound files, so the name of the file decides. */
FOLDER_TEST(finds_the_program_of_a_binary_file_by_its_name)
{
    static const struct {
        const char *name, *bytes, *what;
    } cases[] = {
        { "a.doc", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old document of Word" },
        { "a.XLS", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old spreadsheet of Excel" },
        { "a.msg", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old or encrypted office document" },
        { "a.pages", "PK\3\4", "a document of Pages" },
        { "a.rst", "PK\3\4", "a zip archive" },
    };
    const DragomanOptions options = { .as = NULL };

    for (size_t i = 0; i < COUNT(cases); i++) {
        FREED char *path = support_write_text(*state, cases[i].name, cases[i].bytes);
        expect_kind(cases[i].name, foreign_file_find(&options, path, NULL), cases[i].what);
    }
}

FOLDER_TEST(reads_the_lines_that_the_user_asks_for)
{
    const DragomanOptions options = { .as = "lines" };
    char *path;
    Err err;

    for (size_t i = 0; i < COUNT(files); i++) {
        path = support_write_text(*state, files[i].name, files[i].text);
        assert_ok(foreign_file_check(&options, path, NULL, &err), &err);
        free(path);
    }
    path = support_write_text(*state, "a.rst", "PK\3\4");
    assert_int_equal(foreign_file_check(&options, path, NULL, &err), ERR_FORMAT);
    assert_non_null(strstr(err.text, "a.rst: not lines of text, but a zip archive; "));
    free(path);
}

TEST(advice_has_commands_that_can_be_pasted)
{
    static const struct {
        const char *path, *command;
    } cases[] = {
        { NULL, "po FILE" },
        { "-", "po FILE" },
        { "a/b_c-1.po", "po a/b_c-1.po" },
        { "Größe", "po Größe" },
        { "my file", "po 'my file'" },
        { "$(x)", "po '$(x)'" },
        { "it's", "po 'it'\\''s'" },
        { "-rf", "po './-rf'" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        Buf advice = { 0 };
        foreign_kind_put_advice(&advice, (ForeignKind){ "a kind", "po FILE; FILE.x" }, cases[i].path);
        advice.data[strcspn(advice.data, ";")] = '\0';
        assert_string_equal(advice.data, cases[i].command);
        buf_free(&advice);
    }
}

TESTS(test_document_choice);
