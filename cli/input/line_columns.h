/* line_columns.h - lines of columns that are separated by tabs (--tsv-in): the text of each line and what is asked of
 * its translation. */
#ifndef DRAGOMAN_LINE_COLUMNS_H
#define DRAGOMAN_LINE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "option_table.h"
#include "router_text.h"

typedef enum { COLUMN_SOURCE, COLUMN_PREFIX, COLUMN_MUST, COLUMN_IGNORED } LineColumn;

/* A line has at most this many columns. */
#define LINE_COLUMNS_MOST 64

typedef struct {
    LineColumn items[LINE_COLUMNS_MOST]; /* [count] */
    size_t count;                        /* 0: a line is a text */
    const char *names;                   /* as the user gave them */
    bool is_forced;                      /* by --force-decode */
    const OptionList *every;             /* texts that the translation of every line has to contain */
} LineColumns;

/* Reads the names of the columns and the texts of --must. ERR_USAGE if the names are not as --tsv-in wants them. The
 * options must stay valid as long as the result. */
MUST_USE Status line_columns_read(LineColumns *out, const Options *options, Err *err);

bool line_columns_has(const LineColumns *columns, LineColumn column);

/* What a line asks of its translation. */
typedef struct {
    RouterPart source;
    RouterPart prefix; /* .text NULL: there is no such column */
    RouterPart musts[LINE_COLUMNS_MOST + OPTION_LIST_LIMIT];
    size_t must_count;
    size_t other_bytes; /* of the line, outside its source */
} LineParts;

/* Takes a line of valid UTF-8 apart; the parts point into it. A blank line has a blank source. ERR_FORMAT, without a
 * place, if it has another number of columns. `columns` may be NULL: a line is a text. */
MUST_USE Status line_columns_split(const LineColumns *columns, const char *text, size_t length, LineParts *out,
                                   Err *err);

#endif
