/* test_file_tree.c - the files of a batch when the system fails for paths that end in "link". */
#include "test_support.h"

#include "buf.h"
#include "dragoman_job.h"
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

static void collect(void *context, const char *message)
{
    buf_put_format(context, "%s\n", message);
}

/* Makes the plan of a batch while a function fails. Returns its status, and checks the number of its files and what it
 * reports. */
static DragomanStatus plan(const DragomanBatch *request, const char *function, int code, size_t files,
                           const char *expected)
{
    DragomanOptions *options = dragoman_options_new();
    Buf messages = { 0 };
    const DragomanReporter reporter = { &messages, collect };
    DragomanPlan *made;
    DragomanPlanned file;
    DragomanError error;
    DragomanStatus st;
    size_t found = 0;

    assert_non_null(options);
    failing = function;
    fault = code;
    st = dragoman_plan_new(&made, request, options, &reporter, &error);
    failing = "";
    while (made && dragoman_plan_file(made, found, &file)) found++;
    if (found != files || strcmp(messages.data ? messages.data : "", expected) != 0)
        fail_msg("%s, %s: %zu files, %s", function, strerror(code), found, messages.data);
    dragoman_plan_free(made);
    dragoman_options_free(options);
    buf_free(&messages);
    return st;
}

FOLDER_TEST(reports_links_whose_target_is_not_known)
{
    static const struct {
        const char *function;
        int code;
        const char *expected;
    } rows[] = { { "", 0, NULL },
                 { "realpath", EIO, "Input/output error" },
                 { "realpath", ENOMEM, "Cannot allocate memory" },
                 { "realpath", ENOENT, NULL },
                 { "realpath", ELOOP, NULL },
                 { "stat", EIO, "Input/output error" },
                 { "stat", ENOENT, NULL } };
    FREED char *link = support_path(*state, "link");
    const char *folder = *state;
    const DragomanBatch request = { .paths = &folder, .count = 1, .suffix = ".de" };

    free(support_write_text(*state, "file", "text"));
    assert_int_equal(symlink("file", link), 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *expected =
            rows[i].expected ? support_format("%s: %s\n", link, rows[i].expected) : support_format("%s", "");
        assert_int_equal(plan(&request, rows[i].function, rows[i].code, *rows[i].function ? 1 : 2, expected),
                         DRAGOMAN_OK);
        free(expected);
    }
}

FOLDER_TEST(reports_an_output_folder_that_cannot_be_examined)
{
    FREED char *path = support_path(*state, "link");
    const DragomanBatch request = { .output_dir = path };

    assert_int_equal(plan(&request, "stat", EIO, 0, ""), DRAGOMAN_ERROR_IO);
    assert_int_equal(plan(&request, "stat", ENOENT, 0, ""), DRAGOMAN_OK);
}

FOLDER_TEST(a_plan_has_options_of_its_own)
{
    const char *folder = *state, *format;
    const DragomanBatch request = { .paths = &folder, .count = 1, .suffix = ".de" };
    DragomanOptions *options = dragoman_options_new();
    Buf messages = { 0 };
    const DragomanReporter reporter = { &messages, collect };
    DragomanPlan *made;
    DragomanError error;

    assert_non_null(options);
    free(support_write_text(*state, "file.pdf", "%PDF-1.4"));
    assert_int_equal(dragoman_plan_new(&made, &request, options, &reporter, &error), DRAGOMAN_OK);
    assert_int_equal(dragoman_set_flag(options, DRAGOMAN_VERBOSE, true, &error), DRAGOMAN_OK);
    assert_string_equal(dragoman_plan_examine(made, 0, &format), "skip");
    assert_null(messages.data); /* with the later options, it would name the file */
    dragoman_options_free(options);
    dragoman_plan_report(made);
    dragoman_plan_free(made);
    buf_free(&messages);
}

static int set_up(__attribute__((unused)) void **state)
{
    system_fault = fail_for_links;
    return 0;
}

TESTS_WITH(test_file_tree, set_up, NULL);
