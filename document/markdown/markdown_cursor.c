/* markdown_cursor.c - see markdown_cursor.h. */
#include "markdown_cursor.h"

#include "chars.h"
#include "markdown_lines.h"

static size_t next_column(char c, size_t column)
{
    return c == '\t' ? (column / 4 + 1) * 4 : column + 1;
}

MarkdownCursor markdown_cursor_at(const char *bytes, size_t at, size_t end, size_t column)
{
    MarkdownCursor c = { at, end, column, at, column };

    for (; c.text < end && char_is_blank(bytes[c.text]); c.text++)
        c.text_column = next_column(bytes[c.text], c.text_column);
    return c;
}

size_t markdown_cursor_indent(const MarkdownCursor *c)
{
    return c->text_column - c->column;
}

void markdown_cursor_skip_columns(const char *bytes, MarkdownCursor *c, size_t columns)
{
    const size_t target = c->column + columns;

    while (c->at < c->text && next_column(bytes[c->at], c->column) <= target) {
        c->column = next_column(bytes[c->at], c->column);
        c->at++;
    }
    if (c->at < c->text && bytes[c->at] == '\t') c->column = target;
}

void markdown_cursor_skip_marker(const char *bytes, MarkdownCursor *c, size_t length)
{
    *c = markdown_cursor_at(bytes, c->text + length, c->end, c->text_column + length);
}

bool markdown_cursor_is_blank(const char *bytes, const MarkdownCursor *c)
{
    return c->text == c->end || (bytes[c->text] == '\r' && markdown_line_is_blank(bytes, c->text, c->end));
}
