/* html_control_flow.h - the statements of Angular in the text of HTML: @if (x) {, } @else {, @let x = 1; and }. */
#ifndef DRAGOMAN_HTML_CONTROL_FLOW_H
#define DRAGOMAN_HTML_CONTROL_FLOW_H

#include <stddef.h>

/* Returns the end of the statement at byte `at` <= end of a text, or `at` if there is none. *blocks: the blocks that
 * are open, which it changes; without any, } is text. */
size_t html_control_flow_end(const char *bytes, size_t at, size_t end, size_t *blocks);

/* Returns where the next brace is that may close one of the blocks, or `end`. Braces in the text that belong together,
 * as in {{ x }}, are passed. */
size_t html_control_flow_next(const char *bytes, size_t at, size_t end, size_t blocks);

#endif
