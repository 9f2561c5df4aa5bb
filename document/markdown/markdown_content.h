/* markdown_content.h - the lines of a paragraph, without what is before them (quote marks, indentation), joined by
 * newlines; and where their bytes are in the document. */
#ifndef DRAGOMAN_MARKDOWN_CONTENT_H
#define DRAGOMAN_MARKDOWN_CONTENT_H

#include "buf.h"
#include "err.h"
#include "ranges.h"

typedef struct {
    size_t content, source;
} MarkdownLine;

/* Starts as {0} and ends with markdown_content_free(). */
typedef struct {
    Buf text;
    MarkdownLine *lines; /* [count], where each line begins */
    size_t count, capacity;
} MarkdownContent;

void markdown_content_clear(MarkdownContent *content);
void markdown_content_free(MarkdownContent *content);

/* Adds the line bytes[line), or the lines, without the white space before those after the first one. */
MUST_USE Status markdown_content_add(MarkdownContent *content, const char *bytes, Range line, Err *err);

/* Returns the byte of the document for the byte `at` of the text. */
size_t markdown_content_source(const MarkdownContent *content, size_t at);

#endif
