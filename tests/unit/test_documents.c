/* test_documents.c - job/documents/documents.c: documents between the thread that reads and the one that writes. */
#include "test_support.h"

#include <fcntl.h>

#include "document_formats.h"
#include "documents.h"

#define LARGE (DOCUMENTS_WAITING * 5 / 8) /* two of them are too many */

static const DocumentFormat *const formats[] = { &document_html, &document_html, &document_html, NULL };

typedef struct {
    char *path;
    int fd, wake[2];
    Documents *documents;
} Fixture;

/* Opens a file with a paragraph and then a comment, `size` bytes together. */
static void open_fixture(Fixture *f, const char *folder, const char *text, size_t size)
{
    const DocumentsPlan plan = { .formats = formats, .count = COUNT(formats), .by_name = true };
    Err err;

    f->path = support_path(folder, "page.html");
    f->fd = open(f->path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(f->fd >= 0);
    assert_int_equal(write(f->fd, text, strlen(text)), strlen(text));
    assert_int_equal(ftruncate(f->fd, (off_t)size), 0); /* the rest is zeros */
    assert_int_equal(pipe(f->wake), 0);
    assert_ok(documents_new(&f->documents, &plan, &err), &err);
}

static void close_fixture(Fixture *f)
{
    documents_free(f->documents);
    close(f->fd);
    close(f->wake[0]);
    close(f->wake[1]);
    free(f->path);
}

static void read_file(Fixture *f, size_t file)
{
    Err err;

    assert_int_equal(lseek(f->fd, 0, SEEK_SET), 0);
    assert_ok(documents_read(f->documents, file, &(DocumentFile){ .name = "page.html" }, f->fd, f->wake[0], &err),
              &err);
}

FOLDER_TEST(reads_no_further_document_while_too_many_bytes_wait)
{
    Fixture f;

    open_fixture(&f, *state, "<p>Hello.</p>\n<!--", LARGE);
    read_file(&f, 0);
    read_file(&f, 1);
    documents_stop(f.documents); /* else the third one would wait for ever */
    read_file(&f, 2);
    assert_non_null(documents_get(f.documents, 1)->document);
    assert_null(documents_get(f.documents, 2)->document);
    documents_release(f.documents, 0);
    assert_null(documents_get(f.documents, 0)->document);
    read_file(&f, 2);
    assert_non_null(documents_get(f.documents, 2)->document);
    close_fixture(&f);
}

/* A document of many short paragraphs takes more memory than bytes. */
FOLDER_TEST(counts_the_memory_of_units)
{
    Buf text = { 0 };
    Fixture f;

    while (text.len < DOCUMENTS_WAITING / 24) buf_put(&text, "<p>A", 4);
    buf_put_byte(&text, '\0');
    open_fixture(&f, *state, text.data, text.len);
    read_file(&f, 0);
    assert_true(document_memory(documents_get(f.documents, 0)->document) > DOCUMENTS_WAITING);
    documents_stop(f.documents);
    read_file(&f, 1);
    assert_null(documents_get(f.documents, 1)->document);
    close_fixture(&f);
    buf_free(&text);
}

FOLDER_TEST(reads_nothing_when_it_is_woken)
{
    Fixture f;

    open_fixture(&f, *state, "<p>Hello.</p>", 13);
    assert_int_equal(write(f.wake[1], "", 1), 1);
    read_file(&f, 0);
    assert_null(documents_get(f.documents, 0)->document);
    close_fixture(&f);
}

FOLDER_TEST(names_the_lines_of_units_and_counts_other_bytes)
{
    static const char text[] = "<h1>One</h1>\n\n<p>Two <b>three</b></p>\n";
    Fixture f;

    open_fixture(&f, *state, text, sizeof text - 1);
    read_file(&f, 0);
    assert_true(documents_has(f.documents, 0));
    assert_false(documents_has(f.documents, 3));
    assert_false(documents_has(NULL, 0));
    assert_int_equal(documents_place(f.documents, 0, 1).line, 1);
    assert_int_equal(documents_place(f.documents, 0, 2).line, 3);
    assert_int_equal(documents_other_bytes(f.documents, 0), sizeof text - 1 - strlen("OneTwo three"));
    close_fixture(&f);
}

FOLDER_TEST(keeps_no_document_that_cannot_be_read)
{
    Fixture f;
    Err err;

    open_fixture(&f, *state, "<p>\n\xff</p>", 9);
    assert_int_equal(lseek(f.fd, 0, SEEK_SET), 0);
    assert_fails(
        documents_read(f.documents, 0, &(DocumentFile){ .name = "page.html" }, f.fd, f.wake[0], &err), ERR_FORMAT, &err,
        "page.html:2: not valid UTF-8; it may be in windows-1252 or ISO-8859-2: name its encoding with " SETTING(
            ENCODING));
    assert_null(documents_get(f.documents, 0)->document);
    assert_fails(documents_read(f.documents, 1, &(DocumentFile){ .name = "page.html" }, 1000, -1, &err), ERR_IO, &err,
                 "page.html: Bad file descriptor");
    close_fixture(&f);
}

TESTS(test_documents);
