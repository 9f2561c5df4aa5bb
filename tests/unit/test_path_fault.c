/* test_path_fault.c - explanations of why a path cannot be opened. */
#include "test_support.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "path.h"

#define NOBODY 65534

/* Checks in a child process. Root can read everything, so the child changes to another user first. */
static void check_as_nobody(const char *path, const char *wanted)
{
    pid_t child = fork();
    bool is_directory;
    int state = 0;

    if (child == 0) {
        Err err = { "" };
        bool changed = geteuid() != 0 || setuid(NOBODY) == 0;
        Status st = path_fault_check(&is_directory, path, &err);
        if (strcmp(err.text, wanted) != 0) fprintf(stderr, "# %s != %s\n", err.text, wanted);
        _exit(changed && st == ERR_IO && strcmp(err.text, wanted) == 0 ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &state, 0), child);
    assert_true(WIFEXITED(state) && WEXITSTATUS(state) == 0);
}

FOLDER_TEST(names_the_folder_that_denies_access)
{
    char *outer = support_path(*state, "outer"), *inner = support_path(*state, "outer/inner");
    char *deep = support_path(*state, "outer/inner/model");
    char *wanted = support_format("%s: the folder cannot be entered: Permission denied", inner);

    assert_int_equal(chmod(*state, 0755), 0);
    assert_int_equal(mkdir(outer, 0755), 0);
    assert_int_equal(mkdir(inner, 0000), 0);
    check_as_nobody(deep, wanted);
    free(wanted);
    wanted = support_format("%s: the folder cannot be read: Permission denied", inner);
    check_as_nobody(inner, wanted);
    assert_int_equal(chmod(inner, 0711), 0);
    check_as_nobody(inner, wanted);
    free(wanted);
    assert_int_equal(rmdir(inner), 0);
    assert_int_equal(rmdir(outer), 0);
    free(deep);
    free(inner);
    free(outer);
}

FOLDER_TEST(names_dangling_links)
{
    char *path = support_path(*state, "link");
    bool is_directory;
    Err err = { "" };

    assert_int_equal(symlink("gone", path), 0);
    assert_fails_as(path_fault_check(&is_directory, path, &err), ERR_IO, &err,
                    "%s is a link to gone, which does not exist", path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("link", path), 0);
    assert_fails_as(path_fault_check(&is_directory, path, &err), ERR_IO, &err,
                    "%s is a loop of links: Too many levels of symbolic links", path);
    assert_int_equal(unlink(path), 0);
    assert_fails_as(path_fault_check(&is_directory, path, &err), ERR_IO, &err, "%s: No such file or directory", path);
    free(path);
}

FOLDER_TEST(accepts_readable_paths)
{
    bool is_directory;
    Err err;

    assert_int_equal(path_fault_check(&is_directory, *state, &err), OK);
    assert_true(is_directory);
    assert_int_equal(path_fault_check(&is_directory, "/dev/null", &err), OK);
    assert_false(is_directory);
}

TESTS(test_path_fault);
