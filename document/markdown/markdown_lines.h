/* markdown_lines.h - what a line of Markdown begins. Each function looks at text[at .. end), a line without white space
 * at its beginning and without its newline. */
#ifndef DRAGOMAN_MARKDOWN_LINES_H
#define DRAGOMAN_MARKDOWN_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "ranges.h"

/* The byte after the line at byte `at`, with its newline; at most `end`. */
size_t markdown_next_line(const char *text, size_t at, size_t end);

/* Whether only blanks (and a carriage return) are left. */
bool markdown_line_is_blank(const char *text, size_t at, size_t end);

/* A thematic break: three or more of the same of * - _. */
bool markdown_line_is_rule(const char *text, size_t at, size_t end);

/* The line under a heading: only = or only -. */
bool markdown_line_is_underline(const char *text, size_t at, size_t end);

/* # Heading: returns the number of #, or 0. */
size_t markdown_line_heading(const char *text, size_t at, size_t end);

/* Returns the heading's text without closing # and {#id}. */
Range markdown_line_heading_text(const char *text, size_t at, size_t end);

/* ``` or ~~~: returns the number of marks, or 0. */
size_t markdown_line_fence(const char *text, size_t at, size_t end);
bool markdown_line_closes_fence(const char *text, size_t at, size_t end, char mark, size_t length);

/* A list marker: returns its bytes, without the blanks after it, or 0. `interrupts`: in a paragraph, where it must be a
 * bullet or 1 and have text after it. */
size_t markdown_line_marker(const char *text, size_t at, size_t end, bool interrupts);

/* The mark of a definition, a colon before a blank and text: returns its bytes, or 0. */
size_t markdown_line_definition(const char *text, size_t at, size_t end);

/* [^label]: returns its bytes, or 0. */
size_t markdown_line_footnote(const char *text, size_t at, size_t end);

/* !!! type "Title", ??? type "Title" or === "Title" of Python-Markdown: the line before a block that is indented by
 * four columns. The title or the type may be missing. *title is inside the quotes, or empty. */
bool markdown_line_admonition(const char *text, size_t at, size_t end, Range *title);

/* import x from 'y' or export of MDX; not a sentence that begins with these words. */
bool markdown_line_is_module(const char *text, size_t at, size_t end);

/* --8<-- "file" of Python-Markdown. */
bool markdown_line_is_snippet(const char *text, size_t at, size_t end);

/* A line that is only {% highlight ... %} of Jekyll, {{< highlight ... >}} of Hugo or the like: a tag of a template
 * that begins code, or a comment. *name is its name. */
bool markdown_line_begins_code(const char *text, size_t at, size_t end, Range *name);

/* Whether the line has the end tag, {% endhighlight %} or {{< /highlight >}}. `name` is in the same text. */
bool markdown_line_ends_code(const char *text, size_t at, size_t end, Range name);

/* The kinds of HTML blocks as CommonMark numbers them; 0: none. */
int markdown_line_html(const char *text, size_t at, size_t end, bool interrupts);

/* Whether this line is the last one of an HTML block of the kind; those of kinds 6 and 7 end at a blank line. */
bool markdown_line_ends_html(const char *text, size_t at, size_t end, int kind);

/* Whether this is the line under the header of a table, and the header has as many cells. */
bool markdown_line_is_delimiter_row(const char *text, Range row, Range header);

/* Finds the next cell of a row from *at on. Returns false if there are no more. */
bool markdown_line_next_cell(const char *text, size_t *at, size_t end, Range *cell);

#endif
