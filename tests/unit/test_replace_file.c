/* test_replace_file.c - what an existing output file keeps if a call of the system fails.
 * Functions of this file replace those of the system; the next call of one of them can be made to fail. */
#define _GNU_SOURCE
#include "test_support.h"

#include <fcntl.h>
#include <sys/syscall.h>

#include "output.h"
#include "stderr_support.h"
#include "temporary_file.h"

#define OLD_TEXT "old\n"
#define NEW_TEXT "a text that is longer than the old one\n"

static const char *failing; /* the function that fails; NULL: none, or it has failed */

static bool fails(const char *name)
{
    if (!failing || strcmp(failing, name) != 0) return false;
    failing = NULL;
    errno = EIO;
    return true;
}

int stat(const char *path, struct stat *info)
{
    return fails("stat") ? -1 : fstatat(AT_FDCWD, path, info, 0);
}

int unlink(const char *path)
{
    return fails("unlink") ? -1 : unlinkat(AT_FDCWD, path, 0);
}

ssize_t write(int fd, const void *bytes, size_t count)
{
    return fails("write") ? -1 : (ssize_t)syscall(SYS_write, fd, bytes, count);
}

#ifdef __linux__
ssize_t listxattr(const char *path, char *names, size_t size);

ssize_t listxattr(const char *path, char *names, size_t size)
{
    return fails("listxattr") ? -1 : (ssize_t)syscall(SYS_listxattr, path, names, size);
}
#endif

/* A target and the file that is to replace it. */
typedef struct {
    char *path, *other; /* other: a second hard link, if the test made one */
    OutputTarget target;
    StagedFile staged;
    ino_t inode;
} Replacement;

static void begin(Replacement *r, const char *folder)
{
    struct stat info;
    int fault;
    Err err;

    *r =
        (Replacement){ .path = support_write_text(folder, "target", OLD_TEXT), .other = support_path(folder, "other") };
    assert_int_equal(fstatat(AT_FDCWD, r->path, &info, 0), 0);
    r->inode = info.st_ino;
    assert_ok(output_target_find(&r->target, r->path, &err), &err);
    assert_ok(temporary_file_create(&r->staged.fd, &r->staged.path, folder, "target", 0666, &fault, &err), &err);
    assert_int_equal(pwrite(r->staged.fd, NEW_TEXT, strlen(NEW_TEXT), 0), strlen(NEW_TEXT));
}

static void end(Replacement *r)
{
    failing = NULL;
    output_target_free(&r->target);
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

static void keeps_hard_links_of_a_file_that_cannot_be_examined(void **state)
{
    Replacement r;
    Err err;

    begin(&r, *state);
    assert_int_equal(link(r.path, r.other), 0);
    failing = "stat";
    assert_ok(replace_file(&r.staged, &r.target, &err), &err);
    assert_null(failing);
    expect_same_file(&r);
    expect_text(r.other, NEW_TEXT);
    end(&r);
}

static void keeps_attributes_that_cannot_be_listed(void **state)
{
#ifdef __linux__
    Replacement r;
    Err err;

    begin(&r, *state);
    failing = "listxattr";
    assert_ok(replace_file(&r.staged, &r.target, &err), &err);
    assert_null(failing);
    expect_same_file(&r);
    end(&r);
#else
    (void)state;
    skip();
#endif
}

static void keeps_the_old_text_if_nothing_can_be_written(void **state)
{
    Replacement r;
    Err err;

    begin(&r, *state);
    assert_int_equal(link(r.path, r.other), 0);
    failing = "write";
    assert_int_equal(replace_file(&r.staged, &r.target, &err), ERR_IO);
    assert_non_null(strstr(err.text, "target: Input/output error; the complete output is in "));
    expect_text(r.path, OLD_TEXT);
    end(&r);
}

static void names_a_copy_that_cannot_be_removed(void **state)
{
    Replacement r;
    char *text;
    int old;
    Err err;

    begin(&r, *state);
    assert_int_equal(link(r.path, r.other), 0);
    failing = "unlink";
    old = support_redirect_stderr(*state);
    assert_ok(replace_file(&r.staged, &r.target, &err), &err);
    text = support_restore_stderr(*state, old);
    expect_same_file(&r);
    assert_non_null(strstr(text, ": cannot be removed: Input/output error\n"));
    free(text);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_with_folder(keeps_hard_links_of_a_file_that_cannot_be_examined),
        test_with_folder(keeps_attributes_that_cannot_be_listed),
        test_with_folder(keeps_the_old_text_if_nothing_can_be_written),
        test_with_folder(names_a_copy_that_cannot_be_removed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
