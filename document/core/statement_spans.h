/* statement_spans.h - blocks of templates whose tags a format reports as empty elements: {% if x %}...{% endif %} in
 * HTML and Markdown. Inside a sentence, the tags become those of a span whose text is kept: see statement_blocks.h. */
#ifndef DRAGOMAN_STATEMENT_SPANS_H
#define DRAGOMAN_STATEMENT_SPANS_H

#include "err.h"
#include "text_events.h"

/* Makes opening and closing tags of the elements around such blocks, before spans are matched. Marks all such tags,
 * which keep their order. */
MUST_USE Status statement_spans_make(TextBuilder *builder, Err *err);

/* Keeps the texts of those that have a partner now: tags of other spans may cross them. */
void statement_spans_keep(TextBuilder *builder);

#endif
