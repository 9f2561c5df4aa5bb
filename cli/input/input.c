/* input.c - see input.h. */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library.h"
#include "line_reader.h"
#include "report.h"
#include "thread.h"
#include "utf8.h"

struct Input {
    InputPlan plan;
    Dragoman *dragoman;
    pthread_t thread;
    int wake[2]; /* a byte in this pipe means stop */
    atomic_bool stopped;
    LineReader reader;
    Buf clean;
    size_t lines; /* lines submitted, in all files */
    size_t unreadable;
    Status status;
    Err err;
    Warnings invalid;
    pthread_mutex_t lock; /* guards the two fields below */
    size_t opened;        /* files opened so far */
    size_t *lines_before; /* [opened], lines in all earlier files */
};

static const char *file_name(const Input *in, size_t file)
{
    return strcmp(in->plan.files[file], "-") == 0 ? "standard input" : in->plan.files[file];
}

static void warn_of_replaced(Input *in, size_t file, size_t line, const RawLine *raw)
{
    bool utf16 =
        line == 1 && raw->len >= 2 && (memcmp(raw->text, "\xff\xfe", 2) == 0 || memcmp(raw->text, "\xfe\xff", 2) == 0);

    if (!warnings_want(&in->invalid)) return;
    report("%s:%zu: invalid UTF-8 or NUL replaced by U+FFFD%s", file_name(in, file), line,
           utf16 ? "; the file looks like UTF-16; convert it with iconv -f UTF-16 -t UTF-8" : "");
}

/* Replaces the text of the line by a valid copy in in->clean. */
static Status replace_invalid(Input *in, size_t file, size_t line, RawLine *raw, Err *err)
{
    size_t replaced;
    Status st = buf_append_clean(&in->clean, raw->text, raw->len, &replaced, err);

    if (st != OK) return st;
    warn_of_replaced(in, file, line, raw);
    raw->text = in->clean.data;
    raw->len = in->clean.len;
    return OK;
}

/* Submits line `line` of a file. */
static Status submit(Input *in, size_t file, size_t line, RawLine raw, Err *err)
{
    Status st = OK;
    DragomanError error;
    Err reason;

    if (line == 1 && raw.len >= 3 && memcmp(raw.text, "\xef\xbb\xbf", 3) == 0) {
        raw.text += 3;
        raw.len -= 3;
        if (!raw.len && raw.ending == ENDING_NONE) return OK;
    }
    if (utf8_clean_length(raw.text, raw.len) < raw.len) st = replace_invalid(in, file, line, &raw, &reason);
    if (st == OK)
        st = library_status(dragoman_submit(in->dragoman, raw.text, raw.len, (uintptr_t)raw.ending, &error), &error,
                            &reason);
    buf_reuse(&in->clean);
    if (st != OK) return err_set(err, st, "%s:%zu: %s", file_name(in, file), line, reason.text);
    in->lines++;
    return OK;
}

static void report_unreadable(Input *in, size_t file, const char *reason)
{
    report("%s: %s", file_name(in, file), reason);
    in->unreadable++;
}

/* Fails if no more lines can be submitted. */
static Status read_lines(Input *in, size_t file, int fd, Err *err)
{
    RawLine raw;
    Err reason;
    Status st = OK;

    line_reader_start(&in->reader, fd, in->wake[0]);
    for (size_t line = 1; st == OK; line++) {
        if (line_reader_next(&in->reader, &raw, &reason) != OK) {
            report_unreadable(in, file, reason.text);
            break;
        }
        if (!raw.text) break;
        st = submit(in, file, line, raw, err);
    }
    return st;
}

static Status read_file(Input *in, size_t file, Err *err)
{
    bool standard = strcmp(in->plan.files[file], "-") == 0;
    Status st;
    int fd;

    pthread_mutex_lock(&in->lock);
    in->lines_before[file] = in->lines;
    in->opened = file + 1;
    pthread_mutex_unlock(&in->lock);
    fd = standard ? STDIN_FILENO : open(in->plan.files[file], O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        report_unreadable(in, file, strerror(errno));
        return OK;
    }
    st = read_lines(in, file, fd, err);
    if (!standard) close(fd);
    return st;
}

static void *read_all(void *argument)
{
    Input *in = argument;

    for (size_t i = 0; i < in->plan.count && in->status == OK && !atomic_load(&in->stopped); i++) {
        in->status = read_file(in, i, &in->err);
        if (in->unreadable && in->plan.stop_at_unreadable) break;
    }
    if (atomic_load(&in->stopped)) in->status = OK; /* after input_stop(), a refused line is not an error */
    dragoman_finish(in->dragoman);                  /* also after a failure: the lines before it are still translated */
    return NULL;
}

Status input_start(Input **out, const InputPlan *plan, Dragoman *dragoman, Err *err)
{
    Input *in = calloc(1, sizeof *in);
    int code;

    *out = NULL;
    if (!in) return err_memory(err, "the input");
    in->plan = *plan;
    in->dragoman = dragoman;
    warnings_start(&in->invalid, plan->quiet);
    pthread_mutex_init(&in->lock, NULL);
    in->lines_before = calloc(plan->count + 1, sizeof *in->lines_before);
    code = in->lines_before ? 0 : ENOMEM;
    if (!code && pipe(in->wake) != 0) code = errno;
    if (!code) {
        code = thread_start(&in->thread, read_all, in);
        if (code) close(in->wake[0]), close(in->wake[1]);
    }
    if (code) {
        free(in->lines_before);
        free(in);
        return err_set(err, ERR_IO, "cannot start reading: %s", strerror(code));
    }
    *out = in;
    return OK;
}

void input_stop(Input *in)
{
    atomic_store(&in->stopped, true);
    while (write(in->wake[1], "", 1) < 0 && errno == EINTR) continue;
}

Status input_join(Input *in, size_t *unreadable, Err *err)
{
    pthread_join(in->thread, NULL);
    warnings_finish(&in->invalid, "with invalid UTF-8 or NUL");
    *unreadable = in->unreadable;
    if (in->status != OK) *err = in->err;
    return in->status;
}

void input_free(Input *in)
{
    if (!in) return;
    line_reader_free(&in->reader);
    buf_free(&in->clean);
    pthread_mutex_destroy(&in->lock);
    close(in->wake[0]);
    close(in->wake[1]);
    free(in->lines_before);
    free(in);
}

void input_locate(Input *in, size_t number, const char **file, size_t *line)
{
    size_t i;

    pthread_mutex_lock(&in->lock);
    i = in->opened;
    while (i && in->lines_before[i - 1] >= number) i--;
    *file = file_name(in, i ? i - 1 : 0);
    *line = number - (i ? in->lines_before[i - 1] : 0);
    pthread_mutex_unlock(&in->lock);
}
