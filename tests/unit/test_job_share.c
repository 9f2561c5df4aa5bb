/* test_job_share.c - jobs that share models (dragoman_job_share()) and streams of lines (dragoman_open_stream()) with a
 * small model of the golden tests: any number of threads get the bytes that one job gives. */
#include "request_support.h"
#include "test_support.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "dragoman_job.h"
#include "golden_folders.h"
#include "language_detector.h"

#define MODEL   GOLDEN_FAMILIES "/m2m100-relu"
#define THREADS 32

static DragomanJob *open_with(DragomanOptions *options)
{
    DragomanError error;
    DragomanJob *job;

    check_ok(dragoman_job_open(&job, options, NULL, &error), &error);
    dragoman_options_free(options);
    return job;
}

/* NULL as `options`: those of `of`. Otherwise frees them. */
static DragomanJob *share(DragomanJob *of, DragomanOptions *options)
{
    DragomanError error;
    DragomanJob *job;

    check_ok(dragoman_job_share(&job, of, options, 1, NULL, &error), &error);
    dragoman_options_free(options);
    return job;
}

/* Some lines that depend on the number. */
static void text_for(size_t number, char text[256])
{
    static const char *const words[] = { "Katze", "Hund", "Haus", "Fluss", "Baum", "Stadt", "12", "Brot" };

    snprintf(text, 256, "Der %s und %zu.\n\nEin %s, zwei %s im %s.\nDas ist alles.\n", words[number % 8], number,
             words[number / 8 % 8], words[(number + 3) % 8], words[(number + 5) % 8]);
}

/* The format is "lines" for dragoman_job_text(). */
static char *translate(DragomanJob *job, const char *format, const char *text)
{
    DragomanError error;
    size_t length;
    char *made;

    if (strcmp(format, DRAGOMAN_LINES) == 0)
        check_ok(dragoman_job_text(job, text, strlen(text), &made, &length, &error), &error);
    else
        check_ok(dragoman_job_document(job, format, text, strlen(text), &made, &length, &error), &error);
    return made;
}

typedef struct {
    DragomanJob *of;
    size_t number;
    char *expected[3];
    bool is_same; /* asserts may only be used by the main thread */
} Request;

static void *serve(void *argument)
{
    Request *request = argument;

    for (size_t i = 0; i < 6; i++) {
        char text[256], *made = NULL;
        DragomanJob *job;
        size_t length;
        text_for(request->number + i % 3, text);
        if (dragoman_job_share(&job, request->of, NULL, request->number % 5, NULL, NULL) != DRAGOMAN_OK) return NULL;
        request->is_same &= dragoman_job_text(job, text, strlen(text), &made, &length, NULL) == DRAGOMAN_OK;
        request->is_same &= made && strcmp(made, request->expected[i % 3]) == 0;
        dragoman_free_text(made);
        dragoman_job_close(job);
    }
    return NULL;
}

TEST(threads_that_share_get_the_bytes_of_one_job)
{
    DragomanJob *job = open_with(german_options(MODEL, 6));
    Request requests[THREADS];
    pthread_t threads[THREADS];

    for (size_t i = 0; i < THREADS; i++) {
        requests[i] = (Request){ .of = job, .number = i, .is_same = true };
        for (size_t k = 0; k < 3; k++) {
            char text[256];
            text_for(i + k, text);
            requests[i].expected[k] = translate(job, DRAGOMAN_LINES, text);
        }
    }
    for (size_t i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, serve, &requests[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        if (!requests[i].is_same) fail_msg("request %zu", i);
        for (size_t k = 0; k < 3; k++) dragoman_free_text(requests[i].expected[k]);
    }
    dragoman_job_close(job);
}

TEST(jobs_may_be_closed_in_any_order)
{
    DragomanJob *job = open_with(german_options(MODEL, 6)), *first = share(job, NULL), *second = share(first, NULL);
    char *expected = translate(job, DRAGOMAN_LINES, "Die Katze."), *made;

    dragoman_job_close(job);
    dragoman_job_close(first);
    made = translate(second, DRAGOMAN_LINES, "Die Katze.");
    assert_string_equal(made, expected);
    dragoman_free_text(made);
    dragoman_free_text(expected);
    dragoman_job_close(second);
}

TEST(a_share_has_its_own_settings_of_the_job)
{
    DragomanOptions *options = dragoman_options_new(), *keeps = german_options(MODEL, 6);
    DragomanJob *job, *kept, *other;
    char *made;

    set_text(keeps, DRAGOMAN_KEEP, "ABC-[0-9]+");
    job = open_with(keeps);
    kept = share(job, NULL);
    add_text(options, DRAGOMAN_KEEP, "XYZ");
    set_flag(options, DRAGOMAN_BILINGUAL);
    other = share(job, options);
    dragoman_job_close(job);
    made = translate(kept, "html", "<p>Das Haus ABC-77 XYZ</p>");
    assert_non_null(strstr(made, "ABC-77"));
    assert_null(strstr(made, "Haus"));
    dragoman_free_text(made);
    made = translate(other, "html", "<p>Das Haus XYZ</p>");
    assert_non_null(strstr(made, "Das Haus XYZ"));
    assert_int_equal(count_part(made, "XYZ", 3), 2);
    dragoman_free_text(made);
    dragoman_job_close(kept);
    dragoman_job_close(other);
}

TEST(refuses_other_settings_of_the_models)
{
    DragomanJob *job = open_with(german_options(MODEL, 6)), *other;
    DragomanOptions *options = german_options(MODEL, 6);
    DragomanError error;

    dragoman_job_close(share(job, german_options(MODEL, 6)));
    set_number(options, DRAGOMAN_MAX_LENGTH, 7);
    assert_refused(dragoman_job_share(&other, job, options, 0, NULL, &error), &error,
                   "DRAGOMAN_MAX_LENGTH is a setting of the open models and cannot be changed");
    assert_int_equal(error.setting, DRAGOMAN_MAX_LENGTH);
    assert_null(other);
    set_number(options, DRAGOMAN_MAX_LENGTH, 6);
    set_text(options, DRAGOMAN_MODEL, GOLDEN_FAMILIES "/none");
    assert_refused(dragoman_job_share(&other, job, options, 0, NULL, &error), &error, "DRAGOMAN_MODEL is a setting");
    dragoman_options_free(options);
    dragoman_job_close(job);
}

TEST(shares_a_job_without_models)
{
    DragomanOptions *options = dragoman_options_new(), *translates = dragoman_options_new();
    DragomanError error;
    DragomanJob *job, *other;
    char *made;

    set_flag(options, DRAGOMAN_IDENTITY);
    job = open_with(options);
    other = share(job, NULL);
    made = translate(other, "html", "<p>Das Haus</p>");
    assert_string_equal(made, "<p>Das Haus</p>");
    dragoman_free_text(made);
    dragoman_job_close(other);
    assert_refused(dragoman_job_share(&other, job, translates, 0, NULL, &error), &error, "no open models to share");
    dragoman_options_free(translates);
    dragoman_job_close(job);
}

/* --- Memory. */

FOLDER_TEST(a_shared_memory_is_read_but_only_its_owner_adds)
{
    char path[512], *made;
    DragomanOptions *options = german_options(MODEL, 6);
    DragomanJob *job, *other;
    struct stat before, after;
    FILE *file;

    snprintf(path, sizeof path, "%s/shared.tsv", (const char *)*state);
    file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs("Guten Tag.\tHello there.\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    set_text(options, DRAGOMAN_MEMORY, path);
    job = open_with(options);
    other = share(job, NULL);
    made = translate(other, DRAGOMAN_LINES, "Guten Tag.\nDie Katze.\n");
    assert_non_null(strstr(made, "Hello there.\n"));
    dragoman_free_text(made);
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(before.st_size, strlen("Guten Tag.\tHello there.\n"));
    made = translate(job, DRAGOMAN_LINES, "Die Katze.\n");
    dragoman_free_text(made);
    assert_int_equal(stat(path, &after), 0);
    assert_true(after.st_size > before.st_size);
    dragoman_job_close(job);
    made = translate(other, "html", "<p>Guten Tag.</p>");
    assert_string_equal(made, "<p>Hello there.</p>");
    dragoman_free_text(made);
    dragoman_job_close(other);
    assert_int_equal(unlink(path), 0);
}

/* --- Cancelling. */

typedef struct {
    DragomanJob *job;
    char *text;
    const char *format;
    DragomanError error;
} Call;

static void *call(void *argument)
{
    Call *c = argument;
    char *made = NULL;
    size_t length;

    (void)!dragoman_job_document(c->job, c->format, c->text, strlen(c->text), &made, &length, &c->error);
    dragoman_free_text(made);
    return NULL;
}

TEST(cancel_ends_the_running_call_of_one_job)
{
    enum { LINES = 20000 };
    DragomanJob *job = open_with(german_options(MODEL, 6));
    char *text = malloc(LINES * 40), *at = text, *made;

    assert_non_null(text);
    for (size_t i = 0; i < LINES; i++) at += sprintf(at, "Der Hund und die Katze %zu.\n\n", i);
    for (size_t i = 0; i < 4; i++) {
        Call c = { .job = share(job, NULL), .text = text, .format = i % 2 ? "markdown" : DRAGOMAN_LINES };
        pthread_t thread;
        size_t length;
        if (i < 2) assert_int_equal(pthread_create(&thread, NULL, call, &c), 0);
        if (i < 2) nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
        dragoman_job_cancel(c.job);
        if (i < 2)
            pthread_join(thread, NULL);
        else
            call(&c);
        assert_int_equal(c.error.status, DRAGOMAN_ERROR_IO);
        assert_string_equal(c.error.message, "cancelled");
        assert_int_equal(dragoman_job_text(c.job, "Eins.", 5, &made, &length, NULL), DRAGOMAN_ERROR_IO);
        dragoman_job_close(c.job);
        made = translate(job, DRAGOMAN_LINES, "Die Katze.");
        dragoman_free_text(made);
    }
    free(text);
    dragoman_job_close(job);
}

/* --- Detection. */

TEST(reads_the_texts_of_a_document_without_a_model)
{
    static const struct {
        const char *format, *document, *texts, *language;
    } rows[] = {
        { "html", "<style>p { color: red }</style><p class=x>Das <b>Haus</b></p><code>x = 1</code>", "Das Haus\n", "" },
        { "xliff",
          "<xliff version='1.2'><file source-language='de' target-language='en'><body><trans-unit id='a'>"
          "<source>Ein Hund</source></trans-unit></body></file></xliff>",
          "Ein Hund\n", "de" },
        { "json", "{ \"key\": \"Ein \\u0042aum\", \"other\": 12 }", "Ein Baum\n", "" },
        { "lines", "Ein\nHund", "Ein\nHund", "" },
        { "html", "<p>", "", "" },
    };
    DragomanOptions *options = german_options(MODEL, 6);
    DragomanInput broken = { .path = "a.json", .format = "json", .bytes = "{", .size = 1 };
    DragomanTexts found;
    DragomanError error;

    for (size_t i = 0; i < COUNT(rows); i++) {
        const DragomanInput input = {
            .path = "a", .format = rows[i].format, .bytes = rows[i].document, .size = strlen(rows[i].document)
        };
        check_ok(dragoman_read_texts(options, &input, &found, &error), &error);
        assert_string_equal(found.text, rows[i].texts);
        assert_int_equal(found.length, strlen(rows[i].texts));
        assert_string_equal(found.language, rows[i].language);
        dragoman_free_text(found.text);
    }
    assert_int_equal(dragoman_read_texts(options, &broken, &found, &error), DRAGOMAN_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "a.json"));
    assert_null(found.text);
    broken.format = "none";
    assert_int_equal(dragoman_read_texts(options, &broken, &found, &error), DRAGOMAN_ERROR_USAGE);
    dragoman_options_free(options);
}

TEST(checks_terms_before_a_job_uses_them)
{
    static const char good[] = "Haus\thouse|home\n\n# a comment\nHund\tdog", bad[] = "Haus\thouse\n\nHund\n";
    DragomanError error;

    check_ok(dragoman_check_terms("terms", good, sizeof good - 1, &error), &error);
    assert_int_equal(dragoman_check_terms("terms", bad, sizeof bad - 1, &error), DRAGOMAN_ERROR_FORMAT);
    assert_string_equal(error.message, "terms:3: expected a term, a tab and its translation, but there is no tab");
}

TEST(detects_the_languages_of_a_text)
{
    static const struct {
        const char *text, *tag;
    } rows[] = { { "Das ist ein schöner Tag, und wir gehen in den Garten.", "de" },
                 { "This is a beautiful day, and we go into the garden.", "en" },
                 { "זה יום יפה ואנחנו הולכים לגינה של הבית הגדול", "he" },
                 { "這是一個美好的日子，我們去花園散步。", "zh-Hant" } };
    DragomanDetection found;
    DragomanError error;

    if (language_detector_check(NULL) != OK) {
        skip();
        return;
    }
    for (size_t i = 0; i < COUNT(rows); i++) {
        check_ok(dragoman_detect_language(rows[i].text, strlen(rows[i].text), &found, &error), &error);
        assert_true(found.count && found.is_sure);
        assert_string_equal(found.languages[0].tag, rows[i].tag);
        assert_in_range(found.languages[0].percent, 80, 100);
    }
    check_ok(dragoman_detect_language("12 34", 5, &found, &error), &error);
    assert_int_equal(found.count, 0);
    assert_false(found.is_sure);
    check_ok(dragoman_detect_language("", 0, &found, &error), &error);
    assert_int_equal(found.count, 0);
    assert_int_equal(dragoman_detect_language("a\xff", 2, &found, &error), DRAGOMAN_ERROR_FORMAT);
    assert_string_equal(error.message, "the text is not valid UTF-8");
}

TESTS(test_job_share);
