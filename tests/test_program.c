/* test_program.c - the main function of the programs that contain the tests.
 * PROGRAM FILE runs the tests of one file: tests test_json. A crash thus ends the tests of that file only. */
#include "test_support.h"

static TestFile *files, **files_end = &files; /* all, added before main() */

void test_file_add(TestFile *file)
{
    *files_end = file;
    files_end = &file->next;
}

/* Runs the tests of a file in the order of their lines. */
static int run_cases(const TestFile *file)
{
    size_t count = 0, at = 0;
    struct CMUnitTest *tests;
    int last = 0, failed;

    for (const TestCase *c = *file->cases; c; c = c->next) count++;
    tests = support_alloc((count + 1) * sizeof *tests);
    while (at < count) {
        const TestCase *first = NULL;
        for (const TestCase *c = *file->cases; c; c = c->next)
            if (c->line > last && (!first || c->line < first->line)) first = c;
        last = first->line;
        tests[at++] = first->test;
    }
    failed = _cmocka_run_group_tests(file->name, tests, count, file->setup, file->teardown);
    free(tests);
    return failed;
}

int main(int argc, char **argv)
{
    for (TestFile *file = files; argc == 2 && file; file = file->next)
        if (strcmp(file->name, argv[1]) == 0) return run_cases(file);
    fprintf(stderr, "usage: %s FILE, where FILE is one of:\n", argv[0]);
    for (TestFile *file = files; file; file = file->next) fprintf(stderr, "%s\n", file->name);
    return 2;
}
