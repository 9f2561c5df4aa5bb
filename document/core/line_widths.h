/* line_widths.h - where the lines of a text end: the rule at the head of unit_writer.h. */
#ifndef DRAGOMAN_LINE_WIDTHS_H
#define DRAGOMAN_LINE_WIDTHS_H

#include <stdbool.h>
#include <stddef.h>

#include "document.h"
#include "err.h"

typedef struct {
    size_t run;      /* of the text; the line break */
    Range bytes;     /* of it */
    size_t newlines; /* of the text before it that are in no line break, but in markup, spellings or kept parts */
    size_t limit;    /* columns that the line before it may have */
    size_t indent;   /* columns of the break after its last newline: where the next line begins */
} LineBreak;

/* Starts as {0} and ends with line_widths_free(). */
typedef struct {
    LineBreak *breaks; /* [count]; 0: the text is not wrapped */
    size_t count, capacity;
    size_t first_column; /* where the first line begins */
    size_t width;        /* of the widest line */
    size_t newlines;     /* of the text that are in no line break */
} LineWidths;

/* Finds the line breaks of the text that are not in the kept parts of the rendering. */
MUST_USE Status line_widths_find(LineWidths *out, const DocumentFile *file, const UnitText *text,
                                 const Rendering *rendering, Err *err);
void line_widths_free(LineWidths *widths);

/* The number of columns of bytes that contain no line break. */
size_t line_widths_columns(const char *bytes, size_t length);

/* The column after bytes that are written at `column`; line breaks may be in them, as in empty elements. */
size_t line_widths_advance(size_t column, const char *bytes, size_t length);

/* The number of line breaks in the bytes, each CR and LF. */
size_t line_widths_newlines(const char *bytes, size_t length);

/* The columns of the bytes up to their first line break. */
size_t line_widths_first(const char *bytes, size_t length, bool *has_newline);

#endif
