/* markdown_front_matter.h - the data at the beginning of a Markdown document: YAML from --- to --- or ..., TOML from
 * +++ to +++, or an object of JSON. */
#ifndef DRAGOMAN_MARKDOWN_FRONT_MATTER_H
#define DRAGOMAN_MARKDOWN_FRONT_MATTER_H

#include <stddef.h>

/* Returns the byte after the front matter that begins at byte `at` of the document [at, end), or `at` if there is
 * none. */
size_t markdown_front_matter_end(const char *bytes, size_t at, size_t end);

#endif
