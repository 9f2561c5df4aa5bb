/* test_file_tree.c - the files of a batch when the system fails for paths that end in "link". */
#include "test_support.h"

#include "batch.h"
#include "buf.h"
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

static const DragomanOptions options = { .quiet = true };

/* Returns the failures in a folder with a link to its file. */
static char *failures_of(const char *folder, const char *function, int code)
{
    const DragomanBatch request = { .paths = &folder, .count = 1, .suffix = ".de" };
    Buf failures = { 0 };
    Batch batch;
    Err err;

    failing = function;
    fault = code;
    assert_ok(batch_plan(&batch, &request, &options, NULL, &err), &err);
    assert_int_equal(batch.count, *function ? 1 : 2);
    failing = "";
    if (batch.failures.count) /* one, below the folder */
        buf_put_text(&failures, batch.failures.messages.data + strlen(folder) + 1);
    batch_free(&batch);
    buf_put(&failures, "", 0);
    return failures.data;
}

static void expect(const char *folder, const char *function, int code, const char *expected)
{
    char *found = failures_of(folder, function, code);

    assert_string_equal(found, expected);
    free(found);
}

FOLDER_TEST(reports_links_whose_target_is_not_known)
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

FOLDER_TEST(reports_an_output_folder_that_cannot_be_examined)
{
    char *path = support_path(*state, "link");
    const DragomanBatch request = { .output_dir = path };
    Batch batch;
    Err err;

    failing = "stat";
    fault = EIO;
    assert_int_equal(batch_plan(&batch, &request, &options, NULL, &err), ERR_IO);
    batch_free(&batch);
    fault = ENOENT;
    assert_ok(batch_plan(&batch, &request, &options, NULL, &err), &err);
    batch_free(&batch);
    failing = "";
    free(path);
}

static int set_up(__attribute__((unused)) void **state)
{
    system_fault = fail_for_links;
    return 0;
}

TESTS_WITH(test_file_tree, set_up, NULL);
