/* test_job.c - texts, documents and files with one open job (job/dragoman_job.h), and its runs. The model is a small
 * one of the golden tests. */
#include "request_support.h"
#include "test_support.h"

#include <pthread.h>
#include <stdlib.h>

#include "dragoman_job.h"
#include "golden_folders.h"

#define MODEL   GOLDEN_FAMILIES "/m2m100-relu"
#define THREADS 4

/* Opens a job whose options have one more setting: a text, or a flag if it is NULL; DRAGOMAN_NO_SETTING: none. */
static DragomanStatus open_with(DragomanJob **job, DragomanSetting setting, const char *text, DragomanError *error)
{
    DragomanOptions *options = german_options(MODEL, 4);
    DragomanStatus st;

    if (text)
        set_text(options, setting, text);
    else if (setting)
        set_flag(options, setting);
    st = dragoman_job_open(job, options, NULL, error);
    dragoman_options_free(options);
    return st;
}

static DragomanJob *open_job(void)
{
    DragomanError error;
    DragomanJob *job;

    check_ok(open_with(&job, DRAGOMAN_NO_SETTING, NULL, &error), &error);
    return job;
}

static char *translate(DragomanJob *job, const char *text)
{
    DragomanError error;
    size_t length;
    char *made;

    check_ok(dragoman_job_text(job, text, strlen(text), &made, &length, &error), &error);
    assert_int_equal(strlen(made), length);
    return made;
}

static size_t count_lines(const char *text)
{
    size_t count = 0;

    for (; *text; text++) count += *text == '\n';
    return count;
}

TEST(a_job_translates_one_text_after_the_other)
{
    DragomanJob *job = open_job();
    char *first = translate(job, "Die Katze.\n\nZwei Hunde.\r\n"), *again, *empty = translate(job, "");

    assert_int_equal(count_lines(first), 3);
    assert_non_null(strstr(first, "\n\n"));
    assert_true(strlen(first) > 2 && strcmp(first + strlen(first) - 2, "\r\n") == 0);
    assert_string_equal(empty, "");
    again = translate(job, "Die Katze.\n\nZwei Hunde.\r\n");
    assert_string_equal(again, first);
    dragoman_free_text(first);
    dragoman_free_text(again);
    dragoman_free_text(empty);
    dragoman_job_close(job);
}

/* A thread that translates its own text. */
typedef struct {
    DragomanJob *job;
    const char *text, *expected;
} Caller;

static void *call(void *argument)
{
    const Caller *caller = argument;
    bool is_same = true;

    for (int i = 0; i < 5; i++) {
        char *made = translate(caller->job, caller->text);
        is_same = is_same && strcmp(made, caller->expected) == 0;
        dragoman_free_text(made);
    }
    return is_same ? argument : NULL;
}

TEST(threads_take_turns)
{
    static const char *const texts[THREADS] = { "Die Katze.", "Zwei Hunde.\nDrei Hunde.", "Ein Haus.\n", "Der Fluss." };
    DragomanJob *job = open_job();
    pthread_t threads[THREADS];
    Caller callers[THREADS];

    for (size_t i = 0; i < THREADS; i++) callers[i] = (Caller){ job, texts[i], translate(job, texts[i]) };
    for (size_t i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, call, &callers[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *result;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_non_null(result);
        dragoman_free_text((char *)callers[i].expected);
    }
    dragoman_job_close(job);
}

FOLDER_TEST(documents_and_files_are_the_same)
{
    static const char page[] = "<p>Die <b>Katze</b>.</p>\n<pre>code</pre>\n<p>Zwei Hunde.</p>\n";
    FREED char *source = support_write_text(*state, "page.html", page), *target = support_path(*state, "out.html");
    DragomanJob *job = open_job();
    DragomanError error;
    size_t size;
    char *made, *file;

    check_ok(dragoman_job_document(job, "html", page, sizeof page - 1, &made, &size, &error), &error);
    assert_non_null(strstr(made, "<b>"));
    assert_non_null(strstr(made, "<pre>code</pre>"));
    check_ok(dragoman_job_file(job, source, target, &error), &error);
    file = support_read_file(target, NULL);
    assert_string_equal(file, made);
    free(file);
    dragoman_free_text(made);
    dragoman_job_close(job);
}

FOLDER_TEST(a_failure_leaves_the_target_and_the_job)
{
    FREED char *target = support_write_text(*state, "out.txt", "old"), *missing = support_path(*state, "missing.txt");
    FREED char *foreign = support_write_text(*state, "page.txt", "PK\3\4");
    char *text;
    DragomanJob *job = open_job();
    DragomanError error;
    size_t size;

    assert_int_equal(dragoman_job_file(job, missing, target, &error), DRAGOMAN_ERROR_IO);
    assert_non_null(strstr(error.message, "missing.txt: "));
    assert_int_equal(dragoman_job_file(job, foreign, target, &error), DRAGOMAN_ERROR_FORMAT);
    assert_int_equal(dragoman_job_file(job, target, target, &error), DRAGOMAN_ERROR_USAGE);
    assert_non_null(strstr(error.message, "would be overwritten by its translation"));
    assert_int_equal(dragoman_job_document(job, "other", "a", 1, &text, &size, &error), DRAGOMAN_ERROR_USAGE);
    assert_null(text);
    assert_int_equal(dragoman_job_document(job, "json", "{", 1, &text, &size, &error), DRAGOMAN_ERROR_FORMAT);
    text = support_read_file(target, NULL);
    assert_string_equal(text, "old");
    free(text);
    text = translate(job, "Die Katze.");
    assert_true(*text != '\0');
    dragoman_free_text(text);
    dragoman_job_close(job);
}

TEST(a_run_can_be_left)
{
    static const char lines[] = "Die Katze.\nZwei Hunde.\nDrei Hunde.\nVier Hunde.\n";
    const DragomanInput inputs[] = { { "first", "lines", lines, sizeof lines - 1, 0 },
                                     { "second", "text", lines, sizeof lines - 1, 0 } };
    DragomanJob *job = open_job();
    char *expected = translate(job, "Die Katze."), *again;
    DragomanError error;
    DragomanItem item;
    DragomanRun *run;
    size_t length, bytes = 0;

    check_ok(dragoman_run_start(&run, job, inputs, COUNT(inputs), (DragomanRunRules){ .each = false }, &error), &error);
    check_ok(dragoman_run_next(run, &item, &error), &error);
    assert_int_equal(item.kind, DRAGOMAN_ITEM_LINE);
    assert_string_equal(item.ending, "\n");
    assert_string_equal(dragoman_item_text(&item, 0, &length), expected);
    dragoman_run_end(run, false);
    again = translate(job, "Die Katze.");
    assert_string_equal(again, expected);

    check_ok(dragoman_run_start(&run, job, inputs, COUNT(inputs), (DragomanRunRules){ .each = false }, &error), &error);
    for (size_t i = 0;; i++) {
        check_ok(dragoman_run_next(run, &item, &error), &error);
        if (item.kind == DRAGOMAN_ITEM_END) break;
        assert_int_equal(item.kind, i < 4 ? DRAGOMAN_ITEM_LINE : DRAGOMAN_ITEM_BYTES);
        assert_int_equal(item.file, i < 4 ? 0 : 1);
        if (i < 4) assert_int_equal(item.number, i + 1);
        bytes += item.size;
    }
    assert_true(bytes > 4);
    dragoman_run_end(run, false);
    dragoman_free_text(expected);
    dragoman_free_text(again);
    dragoman_job_close(job);
}

FOLDER_TEST(a_batch_counts_what_became_of_the_files)
{
    FREED char *folder = support_path(*state, "in"), *out = support_path(*state, "out");
    const char *const paths[] = { folder };
    const DragomanBatch batch = { .paths = paths, .count = 1, .output_dir = out, .resume = true };
    DragomanBatch both = batch, none = batch;
    DragomanBatchResult result;
    DragomanJob *job = open_job();
    DragomanError error;

    both.suffix = ".en";
    none.output_dir = NULL;
    assert_int_equal(mkdir(folder, 0700), 0);
    free(support_write_text(folder, "a.txt", "Die Katze.\n"));
    free(support_write_text(folder, "b.html", "<p>Die Katze.</p>\n"));
    free(support_write_text(folder, "c.json", "{"));
    free(support_write_text(folder, "d.txt", ""));
    free(support_write_text(folder, "e.txt", "\xff\xc0"));
    check_ok(dragoman_job_files(job, &batch, &result, &error), &error);
    assert_int_equal(result.translated, 3);
    assert_int_equal(result.failed, 1);
    assert_int_equal(result.skipped, 1);
    check_ok(dragoman_job_files(job, &batch, &result, &error), &error);
    assert_int_equal(result.translated, 0);
    assert_int_equal(result.up_to_date, 3);
    assert_int_equal(dragoman_job_files(job, &both, &result, &error), DRAGOMAN_ERROR_USAGE);
    assert_int_equal(dragoman_job_files(job, &none, &result, &error), DRAGOMAN_ERROR_USAGE);
    assert_string_equal(error.message, "a batch needs either an output folder or a suffix for its translations");
    none.suffix = "";
    assert_int_equal(dragoman_job_files(job, &none, &result, &error), DRAGOMAN_ERROR_USAGE);
    dragoman_job_close(job);
}

FOLDER_TEST(messages_of_items_name_settings)
{
    FREED char *path = support_write_text(*state, "page.html", "<p>Caf\xe9 und Tee.</p>\n");
    const DragomanInput input = { .path = path };
    DragomanJob *job = open_job();
    DragomanError error;
    DragomanItem item;
    DragomanRun *run;

    check_ok(dragoman_run_start(&run, job, &input, 1, (DragomanRunRules){ .each = true }, &error), &error);
    check_ok(dragoman_run_next(run, &item, &error), &error);
    assert_int_equal(item.kind, DRAGOMAN_ITEM_FAULT);
    assert_non_null(strstr(item.message, "name its encoding with DRAGOMAN_ENCODING"));
    dragoman_run_end(run, false);
    dragoman_job_close(job);
}

TEST(an_input_needs_a_path)
{
    const DragomanInput inputs[] = { { .bytes = "Katze.\n", .size = 7 } };
    DragomanOptions *options = dragoman_options_new();
    DragomanJob *job = open_job();
    DragomanTexts texts;
    DragomanError error;
    DragomanRun *run;

    assert_int_equal(dragoman_run_start(&run, job, inputs, 1, (DragomanRunRules){ .each = true }, &error),
                     DRAGOMAN_ERROR_USAGE);
    assert_string_equal(error.message, "an input has no path, which names it in messages");
    assert_null(run);
    assert_int_equal(dragoman_read_texts(options, inputs, &texts, &error), DRAGOMAN_ERROR_USAGE);
    assert_null(texts.text);
    dragoman_options_free(options);
    dragoman_job_close(job);
}

TEST(a_file_that_is_not_open_has_no_line)
{
    DragomanOptions *options = dragoman_options_new();
    DragomanError error;
    size_t length;
    char *line;

    assert_int_equal(dragoman_read_line(options, -1, "line.txt", &line, &length, &error), DRAGOMAN_ERROR_IO);
    assert_string_equal(error.message, "line.txt: Bad file descriptor");
    assert_null(line);
    dragoman_options_free(options);
}

TEST(settings_are_checked)
{
    DragomanError error;
    DragomanJob *job;

    assert_int_equal(open_with(&job, DRAGOMAN_KEEP, "(", &error), DRAGOMAN_ERROR_USAGE);
    assert_null(job);
    assert_int_equal(open_with(&job, DRAGOMAN_AS, "foo", &error), DRAGOMAN_ERROR_USAGE);
    assert_non_null(strstr(error.message, "foo"));
    assert_int_equal(error.setting, DRAGOMAN_AS);
    assert_int_equal(open_with(&job, DRAGOMAN_TO, "tlh", &error), DRAGOMAN_ERROR_USAGE);
    assert_memory_equal(error.message, "DRAGOMAN_TO tlh: ", 17); /* checked by the translator */
    assert_int_equal(error.setting, DRAGOMAN_TO);
    assert_int_equal(open_with(&job, DRAGOMAN_GLOSSARY, "no/such/file.tsv", &error), DRAGOMAN_ERROR_IO);
    assert_non_null(strstr(error.message, "no/such/file.tsv"));
}

TEST(texts_in_memory_are_utf8_lines_whatever_files_are)
{
    DragomanJob *plain = open_job(), *job;
    DragomanError error;
    char *wanted, *made;
    size_t length;

    check_ok(open_with(&job, DRAGOMAN_ENCODING, "latin1", &error), &error);
    wanted = translate(plain, "schl\u00e4ft");
    made = translate(job, "schl\u00e4ft");
    assert_string_equal(made, wanted);
    dragoman_free_text(made);
    dragoman_free_text(wanted);
    check_ok(dragoman_job_text(job, NULL, 0, &made, &length, &error), &error);
    assert_string_equal(made, "");
    dragoman_free_text(made);
    dragoman_job_close(job);
    dragoman_job_close(plain);
}

TEST(a_text_in_memory_may_begin_like_a_binary_file)
{
    static const char pdf[] = "%PDF-1.4 is old.\n";
    const DragomanInput upload = { .path = "a.txt", .bytes = pdf, .size = sizeof pdf - 1 };
    const DragomanRunRules rules = { .stop_at_unreadable = true };
    DragomanJob *job = open_job();
    DragomanError error;
    DragomanRun *run;
    DragomanItem item;

    dragoman_free_text(translate(job, "GIF89a is old.\nPK\3\4"));
    dragoman_free_text(translate(job, pdf));
    check_ok(dragoman_run_start(&run, job, &upload, 1, rules, &error), &error);
    assert_int_equal(dragoman_run_next(run, &item, &error), DRAGOMAN_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "a.txt: not lines of text, but "));
    dragoman_run_end(run, true);
    dragoman_job_close(job);
}

TEST(what_needs_documents_refuses_lines)
{
    DragomanError error;
    DragomanJob *job;
    size_t length;
    char *made;

    check_ok(open_with(&job, DRAGOMAN_IDENTITY, NULL, &error), &error);
    assert_int_equal(dragoman_job_text(job, "text", 4, &made, &length, &error), DRAGOMAN_ERROR_USAGE);
    check_ok(dragoman_job_document(job, "text", "Text.\n", 6, &made, &length, &error), &error);
    assert_string_equal(made, "Text.\n");
    dragoman_free_text(made);
    dragoman_job_close(job);
}

/* A setting, the format of a document to which it does not apply, and a part of the message. */
static const struct {
    DragomanSetting setting;
    const char *text, *format, *part;
} unfitting[] = {
    { DRAGOMAN_MUST, "Katze", "html", "DRAGOMAN_MUST cannot be used with documents, and document is one (html)" },
    { DRAGOMAN_ALTERNATIVES, NULL, "html", "DRAGOMAN_ALTERNATIVES cannot be used with documents" },
    { DRAGOMAN_ATTENTION, NULL, "html", "DRAGOMAN_ATTENTION cannot be used with documents" },
    { DRAGOMAN_PIECES_IN, NULL, "html", "DRAGOMAN_PIECES_IN cannot be used with documents" },
    { DRAGOMAN_PIECES_OUT, NULL, "html", "DRAGOMAN_PIECES_OUT cannot be used with documents" },
    { DRAGOMAN_SELECT, "a", "html", "a document of the format html; it applies to: xml json jsonl yaml fluent" },
    { DRAGOMAN_SKIP, "a", "csv", "DRAGOMAN_SKIP cannot be used with document, a document of the format csv" },
    { DRAGOMAN_COLUMN, "1", "html", "it applies to: csv tsv" },
    { DRAGOMAN_HEADER, NULL, "lines", "DRAGOMAN_HEADER needs documents, but document is read as lines" },
    { DRAGOMAN_BILINGUAL, NULL, "json", "it applies to: html markdown text lines" },
    { DRAGOMAN_COLUMNS, "source", "html", "DRAGOMAN_COLUMNS and DRAGOMAN_AS html cannot be used together" },
};

FOLDER_TEST(settings_that_do_not_apply_to_a_file_are_refused)
{
    FREED char *source = support_write_text(*state, "in.html", "<p>Die Katze.</p>\n");
    FREED char *target = support_path(*state, "out.html");
    DragomanError error;
    size_t length;
    char *made;

    for (size_t i = 0; i < COUNT(unfitting); i++) {
        DragomanOptions *options = german_options(MODEL, 4);
        DragomanJob *job;
        if (unfitting[i].setting == DRAGOMAN_ALTERNATIVES)
            set_number(options, DRAGOMAN_ALTERNATIVES, 2);
        else if (unfitting[i].text)
            set_text(options, unfitting[i].setting, unfitting[i].text);
        else
            set_flag(options, unfitting[i].setting);
        check_ok(dragoman_job_open(&job, options, NULL, &error), &error);
        dragoman_options_free(options);
        assert_refused(dragoman_job_document(job, unfitting[i].format, "x\n", 2, &made, &length, &error), &error,
                       unfitting[i].part);
        if (strcmp(unfitting[i].format, "html") == 0 && unfitting[i].setting != DRAGOMAN_COLUMNS) {
            assert_refused(dragoman_job_file(job, source, target, &error), &error, "in.html");
            assert_int_not_equal(access(target, F_OK), 0);
        }
        dragoman_job_close(job);
    }
}

FOLDER_TEST(a_target_whose_name_says_another_format_is_refused)
{
    FREED char *source = support_write_text(*state, "in.md", "Die Katze.\n");
    FREED char *target = support_path(*state, "out.html"), *fitting = support_path(*state, "out.markdown");
    DragomanJob *job = open_job();
    DragomanError error;

    assert_refused(dragoman_job_file(job, source, target, &error), &error, "out.html: its name ends in .html, but ");
    assert_int_not_equal(access(target, F_OK), 0);
    check_ok(dragoman_job_file(job, source, fitting, &error), &error);
    dragoman_job_close(job);
}

TESTS(test_job);
