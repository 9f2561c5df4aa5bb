/* line_reader.c - see line_reader.h. */
#include "line_reader.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dragoman_job.h"
#include "document_choice.h"
#include "option_fields.h"

/* Longer than any text. Keeps an endless line, as in /dev/zero, from filling the memory. */
#define MAX_LINE_BYTES ((size_t)1 << 30)

void line_reader_start(LineReader *reader, int fd, int wake)
{
    reader->fd = fd;
    reader->wake = wake;
    reader->position = reader->filled = 0;
    reader->ended = false;
    reader->text = reader->chunk;
    buf_clear(&reader->partial);
}

void line_reader_start_text(LineReader *reader, const char *text, size_t length)
{
    line_reader_start(reader, -1, -1);
    reader->text = text;
    reader->filled = length;
    reader->ended = true;
}

void line_reader_free(LineReader *reader)
{
    buf_free(&reader->partial);
}

Status line_reader_wait(int fd, int wake, char *bytes, size_t size, size_t *count, bool *stopped, Err *err)
{
    struct pollfd p[2] = { { .fd = fd, .events = POLLIN }, { .fd = wake, .events = POLLIN } };

    *count = 0;
    for (;;) {
        ssize_t n = -1;
        if (poll(p, 2, -1) >= 0) {
            *stopped = p[1].revents != 0;
            if (*stopped) return OK;
            n = read(fd, bytes, size);
        }
        if (n >= 0) {
            *count = (size_t)n;
            return OK;
        }
        if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)
            return err_set(err, ERR_IO, "%s", strerror(errno));
    }
}

/* Waits for at least one byte and adds what is available to the chunk. *count == 0: end of the file, or stopped. */
static Status read_more(LineReader *reader, size_t *count, Err *err)
{
    bool stopped = false;
    Status st;

    *count = 0;
    if (reader->ended) return OK;
    st = line_reader_wait(reader->fd, reader->wake, reader->chunk + reader->filled,
                          sizeof reader->chunk - reader->filled, count, &stopped, err);
    reader->filled += *count;
    reader->ended = st == OK && !stopped && !*count;
    return st;
}

Status line_reader_check(LineReader *reader, Err *err)
{
    ForeignKind kind;
    size_t more = 1;
    Status st = OK;

    while (st == OK && more && reader->filled < FILE_HEAD_BYTES && !memchr(reader->text, '\n', reader->filled))
        st = read_more(reader, &more, err);
    if (st != OK) return st;
    kind = binary_file_kind(reader->text, reader->filled, false);
    return kind.what ? err_set(err, ERR_FORMAT, "is %s, not lines of text: %s", kind.what, kind.advice) : OK;
}

static void give_line(RawLine *line, const char *text, size_t len, bool has_newline)
{
    const bool has_cr = len && text[len - 1] == '\r';

    line->text = text;
    line->len = has_cr ? len - 1 : len;
    line->ending = has_newline ? (has_cr ? ENDING_CRLF : ENDING_LF) : (has_cr ? ENDING_CR : ENDING_NONE);
}

Status line_reader_next(LineReader *reader, RawLine *line, Err *err)
{
    size_t count = 1;

    *line = (RawLine){ 0 };
    buf_reuse(&reader->partial);
    while (count) {
        const char *start = reader->text + reader->position;
        const size_t left = reader->filled - reader->position;
        const char *newline = left ? memchr(start, '\n', left) : NULL;
        const size_t length = newline ? (size_t)(newline - start) : left;
        Status st;

        if (newline && !reader->partial.len) { /* all of the line is in the chunk */
            reader->position += length + 1;
            give_line(line, start, length, true);
            return OK;
        }
        if (reader->partial.len + length > MAX_LINE_BYTES)
            return err_set(err, ERR_IO, "a line has more than %zu bytes", MAX_LINE_BYTES);
        buf_put(&reader->partial, start, length);
        st = buf_check(&reader->partial, err);
        if (st != OK) return st;
        if (newline) {
            reader->position += length + 1;
            give_line(line, reader->partial.data, reader->partial.len, true);
            return OK;
        }
        reader->position = reader->filled = 0;
        st = read_more(reader, &count, err);
        if (st != OK) return st;
    }
    if (reader->partial.len) give_line(line, reader->partial.data, reader->partial.len, false);
    return OK;
}

/* Empty lines after the first one do not count. */
static Status read_only_line(LineReader *reader, const char *name, Buf *text, Err *err)
{
    RawLine line = { .text = NULL };
    Status st = line_reader_check(reader, err);

    if (st == OK) st = line_reader_next(reader, &line, err);
    if (st == OK) buf_put(text, line.text ? line.text : "", line.text ? line.len : 0);
    if (st == OK) st = buf_check(text, err);
    while (st == OK && line.text) {
        st = line_reader_next(reader, &line, err);
        if (st == OK && line.text && line.len) return err_set(err, ERR_USAGE, "%s has more than one line", name);
    }
    return st == OK ? OK : err_set(err, st, "%s: %s", name, err->text);
}

DragomanStatus dragoman_read_line(const DragomanOptions *options, int fd, const char *name, char **line, size_t *length,
                                  DragomanError *error)
{
    LineReader *reader = calloc(1, sizeof *reader);
    Buf text = { 0 };
    Err err;
    Status st = reader ? OK : err_memory(&err, "a line");

    if (reader) {
        line_reader_start(reader, fd, -1);
        st = read_only_line(reader, name, &text, &err);
        line_reader_free(reader);
        free(reader);
    }
    if (st != OK) buf_free(&text);
    *line = text.data;
    *length = text.len;
    return option_fields_answer(st, &err, options->spelling, error);
}
