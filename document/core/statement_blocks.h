/* statement_blocks.h - statements of templates and of TeX inside a sentence, with all up to their end:
 * {% if x %}...{% endif %}, {{#x}}...{{/x}}, <% if x %>...<% end %>, \ifx...\fi. Each is kept as one part: a
 * translation in another order would put their tags into an order that no program reads, and the texts that they
 * choose between have the same place in the sentence.
 *
 * A block in which a sentence ends is none, nor is one that is all of the text: their words are to be translated. Takes
 * linear time. */
#ifndef DRAGOMAN_STATEMENT_BLOCKS_H
#define DRAGOMAN_STATEMENT_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "ranges.h"

/* Whether a tag of a template begins the bytes: {%, {{ or <%. */
bool statement_blocks_begins_tag(const char *bytes, size_t length);

/* Whether the bytes begin with a tag of a statement: {% else %}, but not {{ x }}. */
bool statement_blocks_begins_statement(const char *bytes, size_t length);

/* Appends the blocks of text[0..length), valid UTF-8, that are inside no other one, in order. */
MUST_USE Status statement_blocks_find(const char *text, size_t length, RangeList *out, Err *err);

#endif
