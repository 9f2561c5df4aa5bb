/* test_foreign_file.c - files whose lines are not sentences, by their names and their first bytes. */
#include "test_support.h"

#include <stdlib.h>
#include <string.h>

#include "document_choice.h"

typedef struct {
    const char *name, *text, *what; /* what NULL: its lines are read */
} ForeignCase;

static const ForeignCase cases[] = {
    { "film.ass", "Dialogue: 0,0:00:01.00,,I {\\i1}like{\\i0} it.\n", "a subtitle file in another format" },
    { "FILM.SSA", "A line.\n", "a subtitle file in another format" },
    { "film.txt.sbv", "0:00:01.000,0:00:02.000\nA line.\n", "a subtitle file in another format" },
    { "film.ttml", "<tt><p>A line.</p></tt>\n", "XML" },
    { "film.lrc", "[00:12.00]A line.\n", "a subtitle file in another format" },
    { "corpus.lrc", "A line of a language.\n", NULL },
    { "app.ftl", "welcome = Welcome, { $name }!\n", "a message file in another format" },
    { "Localizable.xcstrings", "A line.\n", "JSON" },
    { "page.rst", ".. note:: A line.\n", "markup in another format" },
    { "page.adoc", "= A title\n", "markup in another format" },
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
    { "dragoman.1", ".TH DRAGOMAN 1\n", "markup in another format" },
    { "unknown", "[Script Info]\n", "a subtitle file in another format" },
    { "unknown", "\xef\xbb\xbf[{ \"a\": \"A line\" }]\n", "JSON" },
    { "unknown", "<!DOCTYPE html>\n", "HTML" },
    { "unknown", "WEBVTT\n", "subtitles" },
    { "notes.txt", "WEBVTT is a format of subtitles.\n", NULL },
    { "notes.log", "A line.\n", NULL },
    { "corpus.de", "A line.\n", NULL },
    { "ass", "A line.\n", NULL },
};

static void finds_structured_text_by_name_and_content(void **state)
{
    const DragomanOptions options = { .as = NULL };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char *path = support_write_text(*state, cases[i].name, cases[i].text);
        const ForeignKind kind = foreign_file_find(&options, path, NULL);
        if (cases[i].what)
            assert_string_equal(kind.what, cases[i].what);
        else
            assert_null(kind.what);
        if (kind.what) assert_non_null(kind.advice);
        free(path);
    }
}

static void reads_the_lines_that_the_user_asks_for(void **state)
{
    const DragomanOptions options = { .as = "lines" };
    char *path;
    Err err;

    for (size_t i = 0; i < COUNT(cases); i++) {
        path = support_write_text(*state, cases[i].name, cases[i].text);
        assert_ok(foreign_file_check(&options, path, NULL, &err), &err);
        free(path);
    }
    path = support_write_text(*state, "a.rst", "PK\3\4");
    assert_int_equal(foreign_file_check(&options, path, NULL, &err), ERR_FORMAT);
    assert_non_null(strstr(err.text, "a.rst: is a zip archive, not lines of text: "));
    free(path);
}

TEST_FILE(test_foreign_file)
{
    const struct CMUnitTest tests[] = {
        test_with_folder(finds_structured_text_by_name_and_content),
        test_with_folder(reads_the_lines_that_the_user_asks_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
