/* test_program.c - the main function of the programs that contain the tests.
 * PROGRAM FILE runs the tests of one file: tests test_json. A crash thus ends the tests of that file only. */
#include "test_support.h"

static TestFile *files, **files_end = &files; /* all, added before main() */

void test_file_add(TestFile *file)
{
    *files_end = file;
    files_end = &file->next;
}

int main(int argc, char **argv)
{
    for (TestFile *file = files; argc == 2 && file; file = file->next)
        if (strcmp(file->name, argv[1]) == 0) return file->run();
    fprintf(stderr, "usage: %s FILE, where FILE is one of:\n", argv[0]);
    for (TestFile *file = files; file; file = file->next) fprintf(stderr, "%s\n", file->name);
    return 2;
}
