/* markdown_extensions.h - lines that belong to no standard, but are markup in many documents. Each function that
 * is named markdown_line looks at text[at .. end), a line without white space at its beginning and without its newline.
 */
#ifndef DRAGOMAN_MARKDOWN_EXTENSIONS_H
#define DRAGOMAN_MARKDOWN_EXTENSIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "ranges.h"

/* [!type], [!type]+ Title or [!type]- Title, the first line of a quote. *title may be empty. */
bool markdown_line_callout(const char *text, size_t at, size_t end, Range *title);

/* *[HTML]: Hyper Text Markup Language, an abbreviation. *meaning may be empty. */
bool markdown_line_abbreviation(const char *text, size_t at, size_t end, Range *meaning);

/* Only { .class #id name=value } or {: ... }: the attributes of the block before or after it. */
bool markdown_line_is_attributes(const char *text, size_t at, size_t end);

/* +---+===+, a line of a grid table of Pandoc, or of a figure that is drawn with characters. */
bool markdown_line_is_grid(const char *text, size_t at, size_t end);

/* Whether the lines of the paragraph [at, end) are a line block of Pandoc: each line begins with | and a blank, and has
 * no other |, which would be a table. */
bool markdown_lines_are_block(const char *text, size_t at, size_t end);

/* Returns the range without the name of a block at the end of a paragraph, as of Obsidian: a text ^shopping-list. */
Range markdown_without_block_id(const char *text, Range paragraph);

#endif
