/* markdown_units.h - the texts of paragraphs, headings and cells as units, and how characters are spelled in them. */
#ifndef DRAGOMAN_MARKDOWN_UNITS_H
#define DRAGOMAN_MARKDOWN_UNITS_H

#include "buf.h"
#include "document_builder.h"
#include "document_formats.h"
#include "err.h"
#include "html_units.h"
#include "markdown_inline.h"
#include "ranges.h"

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

/* The context of a text is its kind and flags. A plain character of the source is not always safe by the rules of
 * spelling, which see only what is next to it: Markdown also leaves a * alone that has no partner. Then the flag of
 * this character is set for the whole text, and all plain ones of the source stay plain in it.
 *
 * Kinds that are less than HTML_CONTEXTS are HTML. */
enum {
    MARKDOWN_PARAGRAPH = 16, /* blocks can begin in it */
    MARKDOWN_INLINE,         /* heading, cell, description of an image */
    MARKDOWN_DOUBLE,         /* titles of links */
    MARKDOWN_SINGLE,
    MARKDOWN_PARENTHESES,
    MARKDOWN_KINDS = 32 /* above every kind */
};

/* A flag: the text is in a cell of a table. */
#define MARKDOWN_CELL 32u

extern const SpellingRules markdown_spelling;

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
