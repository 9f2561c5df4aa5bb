/* test_folders.c - tests of hub/get/folders.h: one folder replaces another.
 * tests/cli/get_faults.bats has the signals. */
#include "test_support.h"

#include <sys/stat.h>

#include "get.h"

/* Makes the folder `name` with a file that contains this name, and returns its path. */
static char *make(const char *folder, const char *name)
{
    char *path = support_path(folder, name);

    assert_int_equal(mkdir(path, 0700), 0);
    free(support_write_text(path, "file", name));
    return path;
}

/* Checks that the folder was made as `name`, or that it does not exist if `name` is NULL. */
static void check(const char *path, const char *name)
{
    char *file, *text;

    if (!name) {
        assert_int_not_equal(access(path, F_OK), 0);
        return;
    }
    file = support_path(path, "file");
    text = support_read_file(file, NULL);
    assert_string_equal(text, name);
    free(text);
    free(file);
}

FOLDER_TEST(replaces_a_folder_and_leaves_nothing_else)
{
    char *from = make(*state, "from"), *to = make(*state, "to"), *old = make(*state, "from.old");
    Err err;

    assert_ok(folders_replace(from, to, &err), &err);
    check(to, "from");
    check(from, NULL);
    check(old, NULL);
    free(old);
    free(to);
    free(from);
}

FOLDER_TEST(gives_a_folder_a_new_name)
{
    char *from = make(*state, "from"), *to = support_path(*state, "to");
    Err err;

    assert_ok(folders_replace(from, to, &err), &err);
    check(to, "from");
    check(from, NULL);
    free(to);
    free(from);
}

FOLDER_TEST(keeps_the_old_folder_if_there_is_no_new_one)
{
    char *from = support_path(*state, "from"), *to = make(*state, "to");
    Err err;

    assert_int_equal(folders_replace(from, to, &err), ERR_IO);
    check(to, "to");
    free(to);
    free(from);
}

FOLDER_TEST(brings_back_what_a_killed_process_has_renamed)
{
    char *from = support_path(*state, "from"), *to = support_path(*state, "to"), *old = make(*state, "from.old");
    Err err;

    assert_int_equal(folders_replace(from, to, &err), ERR_IO);
    check(to, "from.old");
    check(old, NULL);
    free(old);
    free(to);
    free(from);
}

TESTS(test_folders);
