/* markdown_cursor.h - a position in a line of Markdown, with its column. A tab reaches up to the next column that is a
 * multiple of 4. */
#ifndef DRAGOMAN_MARKDOWN_CURSOR_H
#define DRAGOMAN_MARKDOWN_CURSOR_H

#include <stdbool.h>
#include <stddef.h>

/* The line is [.. end). */
typedef struct {
    size_t at, end, column;
    size_t text, text_column; /* after the white space */
} MarkdownCursor;

MarkdownCursor markdown_cursor_at(const char *bytes, size_t at, size_t end, size_t column);

/* The columns of white space. */
size_t markdown_cursor_indent(const MarkdownCursor *c);

/* Skips at most `columns` columns of white space; part of a tab may be left. */
void markdown_cursor_skip_columns(const char *bytes, MarkdownCursor *c, size_t columns);

/* Skips all white space and `length` bytes more. */
void markdown_cursor_skip_marker(const char *bytes, MarkdownCursor *c, size_t length);

bool markdown_cursor_is_blank(const char *bytes, const MarkdownCursor *c);

#endif
