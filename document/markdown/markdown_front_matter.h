/* markdown_front_matter.h - the data at the beginning of a Markdown document: YAML from --- to --- or ..., TOML from
 * +++ to +++, or an object of JSON. */
#ifndef DRAGOMAN_MARKDOWN_FRONT_MATTER_H
#define DRAGOMAN_MARKDOWN_FRONT_MATTER_H

#include <stdbool.h>
#include <stddef.h>

#include "document_builder.h"

/* Returns the byte after the front matter that begins at byte `at` of the document [at, end), or `at` if there is
 * none. */
size_t markdown_front_matter_end(const char *bytes, size_t at, size_t end);

/* Reports the values of the front matter [at, end) that users read. If it is malformed, all of it stays. */
void markdown_front_matter_report(DocumentBuilder *builder, size_t at, size_t end);

/* Whether values with this key are texts: title, summary and the like, also as the last word of the key, linkTitle or
 * sidebar_label. */
bool markdown_front_matter_is_text(const char *key, size_t length);

#endif
