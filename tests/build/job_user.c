/* job_user.c - a program that translates a document with a glossary, kept parts and a memory: once into a file, and
 * twice in memory, with the same open job.
 *
 *     job_user DOCUMENT FORMAT GLOSSARY MEMORY KEEP OUTPUT */
#include <dragoman_job.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t reported;

static void count(void *context, const char *message)
{
    (void)context;
    (void)message;
    reported++;
}

static void check(DragomanStatus status, const DragomanError *error)
{
    if (status == DRAGOMAN_OK) return;
    printf("%d %s\n", (int)status, error->message);
    exit(1);
}

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = (char *)malloc(1 << 24);

    if (!file || !bytes) exit(2);
    *size = fread(bytes, 1, 1 << 24, file);
    fclose(file);
    return bytes;
}

int main(int argc, char **argv)
{
    DragomanOptions *options = dragoman_options_new();
    const DragomanReporter reporter = { NULL, count };
    DragomanError error;
    DragomanJob *job;
    size_t size, made_size, text_size;
    char *bytes, *made, *text, *expected;

    if (argc != 7) return 2;
    check(dragoman_set_text(options, DRAGOMAN_MODEL, "en-de", &error), &error);
    check(dragoman_add_text(options, DRAGOMAN_GLOSSARY, argv[3], &error), &error);
    check(dragoman_set_text(options, DRAGOMAN_MEMORY, argv[4], &error), &error);
    check(dragoman_add_text(options, DRAGOMAN_KEEP, argv[5], &error), &error);
    check(dragoman_job_open(&job, options, &reporter, &error), &error);
    dragoman_options_free(options);
    check(dragoman_job_file(job, argv[1], argv[6], &error), &error);
    bytes = read_file(argv[1], &size);
    expected = read_file(argv[6], &text_size);
    for (int i = 0; i < 2; i++) {
        check(dragoman_job_document(job, argv[2], bytes, size, &made, &made_size, &error), &error);
        if (made_size != text_size || memcmp(made, expected, text_size) != 0) return 3;
        dragoman_free_text(made);
    }
    if (dragoman_job_file(job, "missing.docx", argv[6], &error) != DRAGOMAN_ERROR_IO) return 4;
    if (dragoman_job_document(job, "docx", "no archive", 10, &made, &made_size, &error) == DRAGOMAN_OK) return 5;
    check(dragoman_job_text(job, "Good morning.\n\nI have 3 cats.", 29, &text, &text_size, &error), &error);
    printf("%s\n%zu\n", text, reported);
    dragoman_free_text(text);
    free(bytes);
    free(expected);
    dragoman_job_close(job);
    return 0;
}
