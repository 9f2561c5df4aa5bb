/* library_user.c - a program that uses the installed library, in C that is also C++; the packages are tested with it.
 * It translates a line with MODEL, into LANGUAGE.
 *
 *     library_user MODEL [LANGUAGE] */
#include <dragoman.h>
#include <stdio.h>
#include <string.h>

static int fail(const DragomanError *error)
{
    printf("%d %d %s\n", (int)error->status, (int)error->setting, error->message);
    return 1;
}

int main(int argc, char **argv)
{
    DragomanOptions *options = dragoman_options_new();
    const DragomanLine *line;
    DragomanError error;
    Dragoman *d;

    if (dragoman_set_text(options, DRAGOMAN_MODEL, argv[1], &error) != DRAGOMAN_OK) return fail(&error);
    if (argc > 2 && dragoman_set_text(options, DRAGOMAN_TO, argv[2], &error) != DRAGOMAN_OK) return fail(&error);
    if (dragoman_open(&d, options, &error) != DRAGOMAN_OK) return fail(&error);
    dragoman_options_free(options);
    if (dragoman_submit_text(d, "ran the tests.", strlen("ran the tests."), 0, &error) != DRAGOMAN_OK)
        return fail(&error);
    dragoman_finish(d);
    if (dragoman_next(d, &line, &error) != DRAGOMAN_OK || !line) return 3;
    puts(dragoman_line_translation(line, 0, NULL));
    dragoman_close(d);
    return 0;
}
