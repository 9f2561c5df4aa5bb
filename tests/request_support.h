/* request_support.h - opens models and submits texts through dragoman.h, for tests that expect success. */
#ifndef DRAGOMAN_TESTS_REQUEST_SUPPORT_H
#define DRAGOMAN_TESTS_REQUEST_SUPPORT_H

#include "test_support.h"

#include "dragoman.h"

static inline void check_ok(DragomanStatus st, const DragomanError *error)
{
    if (st != DRAGOMAN_OK) fail_msg("%s", error->message);
}

static inline void assert_refused(DragomanStatus st, const DragomanError *error, const char *message)
{
    assert_int_equal(st, DRAGOMAN_ERROR_USAGE);
    if (!strstr(error->message, message)) fail_msg("%s", error->message);
}

static inline void set_text(DragomanOptions *options, DragomanSetting setting, const char *text)
{
    DragomanError error;

    check_ok(dragoman_set_text(options, setting, text, &error), &error);
}

static inline void add_text(DragomanOptions *options, DragomanSetting setting, const char *text)
{
    DragomanError error;

    check_ok(dragoman_add_text(options, setting, text, &error), &error);
}

static inline void set_real(DragomanOptions *options, DragomanSetting setting, double number)
{
    DragomanError error;

    check_ok(dragoman_set_real(options, setting, number, &error), &error);
}

static inline void set_number(DragomanOptions *options, DragomanSetting setting, long number)
{
    DragomanError error;

    check_ok(dragoman_set_number(options, setting, number, &error), &error);
}

static inline void set_flag(DragomanOptions *options, DragomanSetting setting)
{
    DragomanError error;

    check_ok(dragoman_set_flag(options, setting, true, &error), &error);
}

/* How often part[0..length) is in the text. */
static inline size_t count_part(const char *text, const char *part, size_t length)
{
    size_t count = 0;

    for (bool found; *text; text += found ? length : 1) {
        found = strncmp(text, part, length) == 0;
        count += found;
    }
    return count;
}

/* Options with a model; `path` NULL: the embedded one from English to German, which is beside the program. */
static inline DragomanOptions *options_for(const char *path)
{
    const char *program = getenv("DRAGOMAN");
    DragomanOptions *options = dragoman_options_new();
    char *model;

    assert_non_null(options);
    if (!path && !program) fail_msg("DRAGOMAN must name the program");
    model = path ? support_format("%s", path)
                 : support_format("%.*s/models/en-de.safetensors", (int)(strrchr(program, '/') - program), program);
    set_text(options, DRAGOMAN_MODEL, model);
    free(model);
    return options;
}

/* Options of a small model of the golden tests, from German into English, with two threads. */
static inline DragomanOptions *german_options(const char *path, long max_length)
{
    DragomanOptions *options = options_for(path);

    set_text(options, DRAGOMAN_FROM, "de");
    set_text(options, DRAGOMAN_TO, "en");
    set_number(options, DRAGOMAN_THREADS, 2);
    set_number(options, DRAGOMAN_MAX_LENGTH, max_length);
    return options;
}

/* Opens the models of the options, and frees these. */
static inline Dragoman *open_options(DragomanOptions *options)
{
    DragomanError error;
    Dragoman *d;

    check_ok(dragoman_open(&d, options, &error), &error);
    dragoman_options_free(options);
    return d;
}

static inline const DragomanLine *next(Dragoman *d)
{
    const DragomanLine *line;
    DragomanError error;

    check_ok(dragoman_next(d, &line, &error), &error);
    return line;
}

static inline void submit_text(Dragoman *d, const char *text, uintptr_t tag)
{
    DragomanError error;

    check_ok(dragoman_submit_text(d, text, strlen(text), tag, &error), &error);
}

/* Submits the request and returns its line. */
static inline const DragomanLine *answer(Dragoman *d, const DragomanRequest *request)
{
    DragomanError error;

    check_ok(dragoman_submit(d, request, 0, &error), &error);
    return next(d);
}

static inline DragomanRequest *request_of(const char *text)
{
    DragomanRequest *request = dragoman_request_new();
    DragomanError error;

    assert_non_null(request);
    check_ok(dragoman_request_begin(request, text, strlen(text), &error), &error);
    return request;
}

/* A text in this language (NULL: that of the model), with kept ranges. */
static inline DragomanStatus submit_kept(Dragoman *d, const char *text, size_t length, const char *language,
                                         const DragomanRange *kept, size_t count, uintptr_t tag, DragomanError *error)
{
    DragomanRequest *request = dragoman_request_new();
    DragomanStatus st = request ? dragoman_request_begin(request, text, length, error) : DRAGOMAN_ERROR_MEMORY;

    if (st == DRAGOMAN_OK) st = dragoman_request_from(request, language, error);
    if (st == DRAGOMAN_OK) st = dragoman_request_keep(request, kept, count, error);
    if (st == DRAGOMAN_OK) st = dragoman_submit(d, request, tag, error);
    dragoman_request_free(request);
    return st;
}

/* A text with its translation, which is scored. */
static inline DragomanStatus submit_pair_of(Dragoman *d, const char *source, size_t source_length, const char *target,
                                            size_t target_length, uintptr_t tag, DragomanError *error)
{
    DragomanRequest *request = dragoman_request_new();
    DragomanStatus st = request ? dragoman_request_begin(request, source, source_length, error) : DRAGOMAN_ERROR_MEMORY;

    if (st == DRAGOMAN_OK) st = dragoman_request_score(request, target, target_length, error);
    if (st == DRAGOMAN_OK) st = dragoman_submit(d, request, tag, error);
    dragoman_request_free(request);
    return st;
}

#endif
