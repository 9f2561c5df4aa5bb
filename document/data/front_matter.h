/* front_matter.h - the data at the beginning of a page of Markdown or HTML, from which a generator of web sites takes
 * the title and other values: YAML from --- to --- or ..., TOML from +++ to +++, JSON from ;;; to ;;;, an object of
 * JSON, or the language that follows ---, as in ---json. */
#ifndef DRAGOMAN_FRONT_MATTER_H
#define DRAGOMAN_FRONT_MATTER_H

#include <stddef.h>

#include "document_builder.h"

/* Returns the byte after the front matter that begins the document [at, end), or `at` if there is none. Reports its
 * texts to the builder, unless that is NULL. Front matter that is malformed or in another language has no texts. */
size_t front_matter_read(DocumentBuilder *builder, const char *bytes, size_t at, size_t end);

/* Reports the texts of YAML in the bytes [begin, end), as those of front matter. */
void front_matter_read_yaml(DocumentBuilder *builder, size_t begin, size_t end);

#endif
