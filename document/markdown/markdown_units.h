/* markdown_units.h - the texts of paragraphs, headings and cells: their markup is parsed, and they become units. */
#ifndef DRAGOMAN_MARKDOWN_UNITS_H
#define DRAGOMAN_MARKDOWN_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "document_builder.h"
#include "err.h"
#include "ranges.h"

/* The labels of definitions, markdown_label_key(), for LIST_PUT(). Starts as {0}; free `data`. */
typedef struct {
    uint64_t *data; /* [len] */
    size_t len, cap;
    bool failed;
} MarkdownLabels;

/* For when all labels are added. */
void markdown_labels_sort(MarkdownLabels *labels);

/* Where a line begins. */
typedef struct {
    size_t content, source;
} MarkdownLine;

/* The lines of a paragraph, without what is before them (quote marks, indentation), joined by newlines; and where their
 * bytes are in the document. Starts as {0} and ends with markdown_content_free(). */
typedef struct {
    Buf text;
    struct {
        MarkdownLine *data;
        size_t len, cap;
        bool failed;
    } lines;
} MarkdownContent;

void markdown_content_clear(MarkdownContent *content);
void markdown_content_free(MarkdownContent *content);

/* Adds the line bytes[line), or the lines, without the white space before those after the first one. */
MUST_USE Status markdown_content_add(MarkdownContent *content, const char *bytes, Range line, Err *err);

/* Returns the byte of the document for the byte `at` of the text. */
size_t markdown_content_source(const MarkdownContent *content, size_t at);

typedef struct {
    DocumentBuilder *builder;
    const MarkdownContent *content;
    const MarkdownLabels *labels;
} MarkdownTexts;

/* Adds the text `range` of the content. Hard line breaks divide it into several units. `context`: a kind and
 * MARKDOWN_CELL. */
void markdown_units_add(const MarkdownTexts *texts, Range range, unsigned context);

/* Adds the title of a link; nothing if it is empty. The byte before it is its quote. */
void markdown_units_add_title(const MarkdownTexts *texts, Range title);

#endif
