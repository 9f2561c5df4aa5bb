/* statement_blocks.h - statements of templates and of TeX inside a sentence, from the first tag to the last:
 * {% if x %}...{% endif %}, {{#x}}...{{/x}}, <% if x %>...<% end %>, \ifx...\fi. Each block is kept as one part. Its
 * tags must keep their order, and the texts that they choose between have the same place in the sentence.
 *
 * A block is not kept if a sentence ends inside it, or if all words are in blocks: its words are then
 * translated. Takes linear time. */
#ifndef DRAGOMAN_STATEMENT_BLOCKS_H
#define DRAGOMAN_STATEMENT_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "ranges.h"

/* Whether a tag of a template begins the bytes: {%, {{ or <%. */
bool statement_blocks_begins_tag(const char *bytes, size_t length);

/* Whether the bytes are a tag of a statement: {% else %}, but neither {{ x }} nor a whole block, which can have any
 * place among other tags. */
bool statement_blocks_is_statement_tag(const char *bytes, size_t length);

/* Appends the outermost blocks of text[0..length), which is valid UTF-8, in order. */
MUST_USE Status statement_blocks_find(const char *text, size_t length, RangeList *out, Err *err);

#endif
