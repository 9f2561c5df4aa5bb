/* statement_blocks.h - statements of templates and of TeX inside a sentence, from the first tag to the last:
 * {% if x %}...{% endif %}, {{#x}}...{{/x}}, <% if x %>...<% end %>, \ifx...\fi. Each block is kept as one part: its
 * tags must keep their order, and they choose between texts for the same place in the sentence.
 *
 * A block is not kept if a sentence ends inside it, or if the text has no words outside of blocks: then the words of
 * the block are translated. Takes linear time. */
#ifndef DRAGOMAN_STATEMENT_BLOCKS_H
#define DRAGOMAN_STATEMENT_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "ranges.h"

/* Whether a tag of a template begins the bytes: {%, {{ or <%. */
bool statement_blocks_begins_tag(const char *bytes, size_t length);

/* Whether the bytes are a tag of a statement, such as {% else %}, whose order among other tags must stay; false for
 * {{ x }} and for a whole block. */
bool statement_blocks_is_statement_tag(const char *bytes, size_t length);

/* Appends the outermost blocks of text[0..length), which is valid UTF-8, in order. */
MUST_USE Status statement_blocks_find(const char *text, size_t length, RangeList *out, Err *err);

#endif
