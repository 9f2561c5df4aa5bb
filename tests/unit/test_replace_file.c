/* test_replace_file.c - what an existing output file keeps if a call of the system fails.
 * The next call of a function of the system can be made to fail. */
#include "test_support.h"

#include <fcntl.h>

#include "output.h"
#include "report.h"
#include "stderr_support.h"
#include "system_hooks.h"

#define OLD_TEXT "old\n"
#define NEW_TEXT "a text that is longer than the old one\n"

static const char *failing; /* the function that fails; NULL: none, or it has failed */

static int fail_once(const char *function, const char *path, int fd)
{
    (void)path, (void)fd;
    if (!failing || strcmp(failing, function) != 0) return 0;
    failing = NULL;
    return EIO;
}

/* A target and the file that is to replace it. */
typedef struct {
    char *path, *other; /* other: a second hard link, if the test made one */
    Output out;
    ino_t inode;
} Replacement;

static void begin(Replacement *r, const char *folder)
{
    struct stat info;
    Err err;

    *r =
        (Replacement){ .path = support_write_text(folder, "target", OLD_TEXT), .other = support_path(folder, "other") };
    assert_int_equal(fstatat(AT_FDCWD, r->path, &info, 0), 0);
    r->inode = info.st_ino;
    assert_ok(output_choose(&r->out, r->path, &program_reporter, &err), &err);
    assert_ok(output_open(&r->out, &err), &err);
    buf_put_text(&r->out.buffer, NEW_TEXT);
    assert_ok(output_flush(&r->out, &err), &err);
}

static void end(Replacement *r)
{
    failing = NULL;
    output_abandon(&r->out);
    free(r->path);
    free(r->other);
}

static void expect_text(const char *path, const char *text)
{
    size_t count;
    char *found = support_read_file(path, &count);

    assert_int_equal(count, strlen(text));
    assert_string_equal(found, text);
    free(found);
}

/* The target has the new text and is still the same file. */
static void expect_same_file(const Replacement *r)
{
    struct stat info;

    expect_text(r->path, NEW_TEXT);
    assert_int_equal(fstatat(AT_FDCWD, r->path, &info, 0), 0);
    assert_int_equal(info.st_ino, r->inode);
}

FOLDER_TEST(keeps_hard_links_of_a_file_that_cannot_be_examined)
{
    Replacement r;
    Err err;

    begin(&r, *state);
    assert_int_equal(link(r.path, r.other), 0);
    failing = "stat";
    assert_ok(output_finish(&r.out, &err), &err);
    assert_null(failing);
    expect_same_file(&r);
    expect_text(r.other, NEW_TEXT);
    end(&r);
}

FOLDER_TEST(keeps_attributes_that_cannot_be_listed)
{
#ifdef __linux__
    Replacement r;
    Err err;

    begin(&r, *state);
    failing = "listxattr";
    assert_ok(output_finish(&r.out, &err), &err);
    assert_null(failing);
    expect_same_file(&r);
    end(&r);
#else
    skip();
#endif
}

FOLDER_TEST(keeps_the_old_text_if_nothing_can_be_written)
{
    Replacement r;
    Err err;

    begin(&r, *state);
    assert_int_equal(link(r.path, r.other), 0);
    failing = "write";
    assert_int_equal(output_finish(&r.out, &err), ERR_IO);
    assert_non_null(strstr(err.text, "target: Input/output error; the complete output is in "));
    expect_text(r.path, OLD_TEXT);
    end(&r);
}

FOLDER_TEST(names_a_copy_that_cannot_be_removed)
{
    Replacement r;
    char *text;
    int old;
    Err err;

    begin(&r, *state);
    assert_int_equal(link(r.path, r.other), 0);
    failing = "unlink";
    old = support_redirect_stderr(*state);
    assert_ok(output_finish(&r.out, &err), &err);
    text = support_restore_stderr(*state, old);
    expect_same_file(&r);
    assert_non_null(strstr(text, ": cannot be removed: Input/output error\n"));
    free(text);
    end(&r);
}

static int set_up(__attribute__((unused)) void **state)
{
    system_fault = fail_once;
    return 0;
}

TESTS_WITH(test_replace_file, set_up, NULL);
