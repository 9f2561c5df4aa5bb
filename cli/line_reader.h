/* line_reader.h - a file descriptor, line by line.
 * Lines of any length; a line is given out as soon as its newline has been
 * read, and reading waits for nothing else. */
#ifndef DRAGOMAN_LINE_READER_H
#define DRAGOMAN_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"

/* How a line ends. ENDING_NONE and ENDING_CR: the file ends there, too. */
typedef enum { ENDING_LF, ENDING_CRLF, ENDING_NONE, ENDING_CR } Ending;

typedef struct {
    int fd;
    int wake; /* when this descriptor becomes readable, reading stops */
    size_t position, filled;
    Buf partial;
    char chunk[1 << 16];
} LineReader;

void line_reader_start(LineReader *reader, int fd, int wake);
void line_reader_free(LineReader *reader); /* closes nothing */

typedef struct {
    const char *text; /* without its ending; NULL: end of file, or stopped */
    size_t len;
    Ending ending;
} RawLine;

/* `line` is valid until the next call. The message of a failure is that of
 * the system alone: the caller knows the name. */
MUST_USE Status line_reader_next(LineReader *reader, RawLine *line, Err *err);

#endif
