/* markdown_inline.h - finds the parts of a text: text, escapes, spans, links, tags. */
#ifndef DRAGOMAN_MARKDOWN_INLINE_H
#define DRAGOMAN_MARKDOWN_INLINE_H

#include <stdbool.h>

#include "markdown_nodes.h"

typedef struct {
    const char *text;
    Range range; /* of the text */
    const MarkdownLabels *labels;
    bool is_title; /* of a link: only escapes and references */
    bool is_cell;  /* of a table: \| is a | in code, too */
} MarkdownInput;

/* Appends the nodes, in order and without gaps. Takes linear time but for sorting. Returns ERR_FORMAT, with only the
 * reason, if there are too many. */
MUST_USE Status markdown_inline_parse(MarkdownNodes *out, const MarkdownInput *input, Err *err);

#endif
