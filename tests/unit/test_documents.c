/* test_documents.c - job/input/input.c: documents between the thread that reads and the one that writes. */
#include "test_support.h"

#include "job.h"

#define LARGE ((size_t)40 << 20) /* two of them are more than the 64 MB that may wait */

static InputFile files[4];

/* Opens inputs which are all the file "page.html" with the text and then zeros, `size` bytes together. */
static Input *open_input(const char *folder, const char *text, size_t size)
{
    static const DragomanOptions options; /* no settings */
    static const DragomanJob job = { .options = (DragomanOptions *)&options };
    static char path[4096];
    static DragomanInput inputs[COUNT(files)];
    FREED char *bytes = support_alloc(size), *made = NULL;
    Input *input;
    Err err;

    memcpy(bytes, text, strlen(text));
    made = support_write_file(folder, "page.html", bytes, size);
    snprintf(path, sizeof path, "%s", made);
    for (size_t i = 0; i < COUNT(files); i++) {
        inputs[i] = (DragomanInput){ .path = path };
        files[i] = (InputFile){ .kind = { .format = &document_html } };
    }
    assert_ok(
        input_start(&input, &job, inputs, files, COUNT(files), (DragomanRunRules){ .stop_at_unreadable = true }, &err),
        &err);
    return input;
}

/* Reads the next file and returns its document, or NULL. */
static const Document *read_next(Input *input, size_t file)
{
    Err err;

    assert_ok(input_read_next(input, &err), &err);
    return files[file].document.document;
}

FOLDER_TEST(reads_no_further_document_while_too_many_bytes_wait)
{
    Input *input = open_input(*state, "<p>Hello.</p>\n<!--", LARGE);

    assert_non_null(read_next(input, 0));
    assert_non_null(read_next(input, 1));
    input_release(input, &files[0].document);
    assert_null(files[0].document.document);
    assert_non_null(read_next(input, 2));
    input_stop(input); /* else the last one would wait for ever */
    assert_null(read_next(input, 3));
    input_free(input);
}

/* A document of many short paragraphs takes more memory than bytes. */
FOLDER_TEST(counts_the_memory_of_units)
{
    Buf text = { 0 };
    Input *input;

    while (text.len < LARGE / 15) buf_put(&text, "<p>A", 4);
    input = open_input(*state, text.data, text.len);
    assert_true(document_memory(read_next(input, 0)) > LARGE * 2);
    input_stop(input);
    assert_null(read_next(input, 1));
    input_free(input);
    buf_free(&text);
}

FOLDER_TEST(reads_nothing_when_it_is_woken)
{
    Input *input = open_input(*state, "<p>Hello.</p>", 13);

    input_stop(input);
    assert_null(read_next(input, 0));
    input_free(input);
}

FOLDER_TEST(names_the_lines_of_units_and_counts_other_bytes)
{
    static const char text[] = "<h1>One</h1>\n\n<p>Two <b>three</b></p>\n";
    Input *input = open_input(*state, text, sizeof text - 1);

    assert_non_null(read_next(input, 0));
    assert_int_equal(input_locate(input, 1).in_file.number, 1);
    assert_int_equal(input_locate(input, 2).in_file.number, 3);
    assert_int_equal(input_locate(input, 3).in_file.number, 1); /* ends the document */
    assert_int_equal(input_other_bytes(&files[0].document), sizeof text - 1 - strlen("OneTwo three"));
    assert_int_equal(input_other_bytes(&files[1].document), 0);
    input_free(input);
}

FOLDER_TEST(keeps_no_document_that_cannot_be_read)
{
    Input *input = open_input(*state, "<p>\n\xff</p>", 9);
    FREED char *path = support_path(*state, "page.html");
    Err err;

    assert_int_equal(input_read_next(input, &err), ERR_FORMAT);
    assert_non_null(strstr(err.text,
                           "page.html:2: not valid UTF-8; it may be in windows-1252 or ISO-8859-2: name its encoding "
                           "with " SETTING(ENCODING)));
    assert_null(files[0].document.document);
    assert_int_equal(remove(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(input_read_next(input, &err), ERR_IO);
    assert_non_null(strstr(err.text, "page.html: Is a directory"));
    input_free(input);
}

TESTS(test_documents);
