/* line_reader.h - reads a file descriptor line by line. Lines may have any length. A line is returned as soon as its
 * newline has been read. */
#ifndef DRAGOMAN_LINE_READER_H
#define DRAGOMAN_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"

/* How a line ends. After ENDING_NONE and ENDING_CR the file ends. */
typedef enum { ENDING_LF, ENDING_CRLF, ENDING_NONE, ENDING_CR } Ending;

static inline size_t line_ending_bytes(Ending ending)
{
    return ending == ENDING_NONE ? 0 : ending == ENDING_CRLF ? 2 : 1;
}

/* Waits until `fd` or `wake` can be read. Sets *stopped if it is `wake`; else reads up to `size` bytes of `fd`. *count
 * is then 0 at the end of the file. The error message is only that of the system. */
MUST_USE Status line_reader_wait(int fd, int wake, char *bytes, size_t size, size_t *count, bool *stopped, Err *err);

typedef struct {
    int fd;
    int wake; /* reading stops when this descriptor becomes readable */
    size_t position, filled;
    bool ended;       /* the file is not read again: a terminal would wait for more */
    const char *text; /* [filled], `chunk` or the text in memory */
    Buf partial;
    char chunk[1 << 16];
} LineReader;

/* A reader starts as {0} and may be started again for another file. */
void line_reader_start(LineReader *reader, int fd, int wake);
/* Reads the lines of a text in memory. */
void line_reader_start_text(LineReader *reader, const char *text, size_t length);
void line_reader_free(LineReader *reader); /* does not close the descriptors */

typedef struct {
    const char *text; /* without its ending; NULL at the end of the file or when stopped */
    size_t len;
    Ending ending;
} RawLine;

/* Reads the next line, which is valid until the next call. The error message is only that of the system; the caller
 * adds the name of the file. */
MUST_USE Status line_reader_next(LineReader *reader, RawLine *line, Err *err);

/* Before the first line: returns ERR_FORMAT if the file is not lines of text but a document, a picture or the like
 * (document_choice.h). Looks at the bytes that have arrived with the first newline, or before it if there is none for
 * long. The error message is as above. */
MUST_USE Status line_reader_check(LineReader *reader, Err *err);

#endif
