/* markdown_metadata.h - the metadata at the beginning of a Markdown document that has no marks around it: lines
 * `Key: value` of Pelican and MultiMarkdown up to a blank line, or the title block of Pandoc, at most three lines that
 * begin with %: title, authors, date. A line that is indented goes on with the value. */
#ifndef DRAGOMAN_MARKDOWN_METADATA_H
#define DRAGOMAN_MARKDOWN_METADATA_H

#include <stdbool.h>
#include <stddef.h>

#include "ranges.h"

/* Returns the byte after the metadata that begins at byte `at` of the document [at, end), or `at` if there is none.
 * Lines of keys are metadata if there are two or more, with a common key such as Title, and if the others are common,
 * too, or one word that begins with a capital. */
size_t markdown_metadata_end(const char *bytes, size_t at, size_t end);

/* Finds the next text in the metadata from *at on, a title or a summary, of one or more lines. Returns false if there
 * are no more. */
bool markdown_metadata_next(const char *bytes, size_t *at, size_t end, Range *text);

#endif
