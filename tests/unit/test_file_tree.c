/* test_file_tree.c - the files of a batch when the system fails for paths that end in "link". */
#include "test_support.h"

#include "batch_plan.h"
#include "buf.h"
#include "file_tree.h"
#include "path.h"
#include "system_hooks.h"
#include "text.h"

static const char *failing = ""; /* the function that fails */
static int fault;

static int fail_for_links(const char *function, const char *path, int fd)
{
    (void)fd;
    return strcmp(failing, function) == 0 && text_ends_with(path, "link") ? fault : 0;
}

static void note_failure(void *context, const char *path, const char *reason)
{
    Buf *failures = context;

    assert_int_equal(buf_append_format(failures, NULL, "%s: %s\n", path_name(path), reason), OK);
}

/* Returns the failures in a folder with a link to its file. */
static char *failures_of(const char *folder, const char *function, int code)
{
    static const OptionList none = { 0 };
    Buf failures = { 0 };
    FileList list = { 0 };
    const FileTreeRules rules = { .globs = { &none, &none }, .failure = note_failure, .failure_context = &failures };
    Err err;

    failing = function;
    fault = code;
    assert_ok(file_tree_add(&list, folder, &rules, &err), &err);
    assert_int_equal(list.count, *function ? 1 : 2);
    failing = "";
    file_list_free(&list);
    assert_ok(buf_append(&failures, "", 0, &err), &err);
    return failures.data;
}

static void expect(const char *folder, const char *function, int code, const char *expected)
{
    char *found = failures_of(folder, function, code);

    assert_string_equal(found, expected);
    free(found);
}

static void reports_links_whose_target_is_not_known(void **state)
{
    char *file = support_write_text(*state, "file", "text"), *link = support_path(*state, "link");

    assert_int_equal(symlink("file", link), 0);
    expect(*state, "", 0, "");
    expect(*state, "realpath", EIO, "link: Input/output error\n");
    expect(*state, "realpath", ENOMEM, "link: Cannot allocate memory\n");
    expect(*state, "realpath", ENOENT, "");
    expect(*state, "realpath", ELOOP, "");
    expect(*state, "stat", EIO, "link: Input/output error\n");
    expect(*state, "stat", ENOENT, "");
    free(link);
    free(file);
}

static void reports_an_output_folder_that_cannot_be_examined(void **state)
{
    char *path = support_path(*state, "link");
    const Options options = { .output_dir = path };
    BatchPlan plan;
    Err err;

    failing = "stat";
    fault = EIO;
    assert_int_equal(batch_plan_new(&plan, &options, NULL, &err), ERR_IO);
    batch_plan_free(&plan);
    fault = ENOENT;
    assert_ok(batch_plan_new(&plan, &options, NULL, &err), &err);
    batch_plan_free(&plan);
    failing = "";
    free(path);
}

TEST_FILE(test_file_tree)
{
    const struct CMUnitTest tests[] = { test_with_folder(reports_links_whose_target_is_not_known),
                                        test_with_folder(reports_an_output_folder_that_cannot_be_examined) };

    system_fault = fail_for_links;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
