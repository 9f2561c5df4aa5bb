/* statement_spans.h - blocks of templates whose tags a format reports as empty elements: {% if x %}...{% endif %} in
 * HTML and Markdown. Inside a sentence, the tags become those of a span whose text is kept: see statement_blocks.h. */
#ifndef DRAGOMAN_STATEMENT_SPANS_H
#define DRAGOMAN_STATEMENT_SPANS_H

#include "err.h"
#include "text_events.h"

/* Turns the elements at both ends of such blocks into an opening and a closing tag. Called before spans are matched.
 * Marks all tags of statements, whose order must not change. */
MUST_USE Status statement_spans_make(TextBuilder *builder, Err *err);

/* Keeps the texts of these spans. Called after spans are matched, because a tag that crosses another span has no
 * partner. */
void statement_spans_keep(TextBuilder *builder);

#endif
