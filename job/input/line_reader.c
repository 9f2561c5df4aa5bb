/* line_reader.c - see line_reader.h. */
#include "line_reader.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dragoman_job.h"
#include "foreign_file.h"
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

/* Waits for at least one byte and adds what is available to the chunk. *count == 0: end of the file, or stopped. */
static Status read_more(LineReader *reader, size_t *count, Err *err)
{
    struct pollfd p[2] = { { .fd = reader->fd, .events = POLLIN }, { .fd = reader->wake, .events = POLLIN } };
    ssize_t n;

    *count = 0;
    if (reader->ended) return OK;
    for (;;) {
        if (poll(p, 2, -1) < 0) {
            if (errno == EINTR) continue;
            break;
        }
        if (p[1].revents) return OK;
        n = read(reader->fd, reader->chunk + reader->filled, sizeof reader->chunk - reader->filled);
        if (n >= 0) {
            *count = (size_t)n;
            reader->filled += *count;
            reader->ended = n == 0;
            return OK;
        }
        if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) break;
    }
    return err_set(err, ERR_IO, "%s", strerror(errno));
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

static void give_line(RawLine *line, const char *text, size_t len, bool newline)
{
    bool cr = len && text[len - 1] == '\r';

    line->text = text;
    line->len = cr ? len - 1 : len;
    if (newline)
        line->ending = cr ? ENDING_CRLF : ENDING_LF;
    else
        line->ending = cr ? ENDING_CR : ENDING_NONE;
}

static Status keep(LineReader *reader, size_t count, Err *err)
{
    const char *from = reader->text + reader->position;

    if (reader->partial.len + count > MAX_LINE_BYTES)
        return err_set(err, ERR_IO, "a line has more than %zu bytes", MAX_LINE_BYTES);
    reader->position += count;
    buf_put(&reader->partial, from, count);
    return buf_check(&reader->partial, err);
}

Status line_reader_next(LineReader *reader, RawLine *line, Err *err)
{
    size_t count;
    Status st = OK;

    *line = (RawLine){ 0 };
    buf_reuse(&reader->partial);
    while (st == OK) {
        const char *start = reader->text + reader->position;
        size_t left = reader->filled - reader->position;
        const char *newline = left ? memchr(start, '\n', left) : NULL;

        if (newline) {
            size_t len = (size_t)(newline - start);

            if (reader->partial.len)
                st = keep(reader, len, err);
            else
                reader->position += len;
            if (st != OK) return st;
            reader->position++;
            if (reader->partial.len)
                give_line(line, reader->partial.data, reader->partial.len, true);
            else
                give_line(line, start, len, true);
            return OK;
        }
        if (left) st = keep(reader, left, err);
        reader->position = reader->filled = 0;
        if (st == OK) st = read_more(reader, &count, err);
        if (st == OK && !count) {
            if (reader->partial.len) give_line(line, reader->partial.data, reader->partial.len, false);
            return OK;
        }
    }
    return st;
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
