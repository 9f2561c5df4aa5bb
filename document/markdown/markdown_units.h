/* markdown_units.h - adds the texts of paragraphs, headings and cells as units. */
#ifndef DRAGOMAN_MARKDOWN_UNITS_H
#define DRAGOMAN_MARKDOWN_UNITS_H

#include "document_builder.h"
#include "markdown_content.h"
#include "markdown_inline.h"

typedef struct {
    DocumentBuilder *builder;
    const MarkdownContent *content;
    const MarkdownLabels *labels;
    unsigned context; /* markdown_spelling.h: a kind and MARKDOWN_CELL */
} MarkdownTexts;

/* Adds the text `range` of the content. Hard line breaks divide it into several units. */
void markdown_units_add(const MarkdownTexts *texts, Range range);

/* Adds the title of a link; nothing if it is empty. The byte before it is its quote. */
void markdown_units_add_title(const MarkdownTexts *texts, Range title);

#endif
