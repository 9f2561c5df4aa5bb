/* markdown_content.c - see markdown_content.h. */
#include "markdown_content.h"

#include <stdlib.h>
#include <string.h>

#include "chars.h"

void markdown_content_clear(MarkdownContent *c)
{
    buf_reuse(&c->text);
    c->count = 0;
}

void markdown_content_free(MarkdownContent *c)
{
    buf_free(&c->text);
    free(c->lines);
    *c = (MarkdownContent){ 0 };
}

static Status add_line(MarkdownContent *c, const char *bytes, Range line, Err *err)
{
    Status st = buf_grow_list(&c->lines, &c->capacity, c->count, 1, sizeof *c->lines, "a paragraph", err);

    if (st == OK && c->count) st = buf_append(&c->text, "\n", 1, err);
    if (st != OK) return st;
    c->lines[c->count++] = (MarkdownLine){ c->text.len, line.begin };
    return buf_append(&c->text, bytes + line.begin, line.end - line.begin, err);
}

Status markdown_content_add(MarkdownContent *c, const char *bytes, Range line, Err *err)
{
    const char *newline;
    Status st = OK;

    while (st == OK && (newline = memchr(bytes + line.begin, '\n', line.end - line.begin))) {
        const size_t end = (size_t)(newline - bytes);
        st = add_line(c, bytes, (Range){ line.begin, end > line.begin && newline[-1] == '\r' ? end - 1 : end }, err);
        line.begin = end + 1;
        while (line.begin < line.end && char_is_blank(bytes[line.begin])) line.begin++;
    }
    return st == OK ? add_line(c, bytes, line, err) : st;
}

size_t markdown_content_source(const MarkdownContent *c, size_t at)
{
    size_t low = 0, high = c->count;

    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (c->lines[middle].content <= at)
            low = middle;
        else
            high = middle;
    }
    return c->lines[low].source + (at - c->lines[low].content);
}
