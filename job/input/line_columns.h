/* line_columns.h - lines with columns separated by tabs (--tsv-in): the text to translate, the prefix of the
 * translation, and texts that the translation must contain. */
#ifndef DRAGOMAN_LINE_COLUMNS_H
#define DRAGOMAN_LINE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "dragoman.h"
#include "err.h"
#include "option_fields.h"
#include "ranges.h"

typedef enum { COLUMN_SOURCE, COLUMN_PREFIX, COLUMN_MUST, COLUMN_IGNORED } LineColumn;

/* A line has at most this many columns. */
#define LINE_COLUMNS_MOST 64

typedef struct {
    LineColumn items[LINE_COLUMNS_MOST]; /* [count] */
    size_t count;                        /* 0: the whole line is the text */
    const DragomanOptions *settings;
} LineColumns;

/* Reads the names of the columns and the texts of --must. Returns ERR_USAGE if the names are not valid. The settings
 * must stay valid as long as the result. */
MUST_USE Status line_columns_read(LineColumns *out, const DragomanOptions *settings, Err *err);

bool line_columns_has(const LineColumns *columns, LineColumn column);

/* Finds the text to translate in a line of valid UTF-8. The text of a blank line is blank. Returns ERR_FORMAT if the
 * number of columns is wrong; the message does not name the line. */
MUST_USE Status line_columns_source(const LineColumns *columns, LineText line, LineText *source, Err *err);

/* Adds to the request what its translation must contain: the prefix and the texts of the line's columns, and the texts
 * of --must. Adds nothing for a blank line. */
DRAGOMAN_CHECKED DragomanStatus line_columns_ask(const LineColumns *columns, LineText line, DragomanRequest *request,
                                                 DragomanError *error);

#endif
