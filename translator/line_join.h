/* line_join.h - joins the translations of a line's segments. */
#ifndef DRAGOMAN_LINE_JOIN_H
#define DRAGOMAN_LINE_JOIN_H

#include "line.h"

/* The text for the current model: the source or the last pivot. */
const Buf *line_text(const Line *line);

/* Joins result `rank` of all segments to *out, which starts as {0}, and decodes it. The white space around sentences is
 * restored. */
MUST_USE Status line_join(DragomanTranslation *out, const Line *line, size_t rank, const LineRules *rules, Err *err);

#endif
