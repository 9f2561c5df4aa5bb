/* line_judge.h - what a line's translation says about itself besides its segments: their flags and features have been
 * joined by line_join(). */
#ifndef DRAGOMAN_LINE_JUDGE_H
#define DRAGOMAN_LINE_JUDGE_H

#include "err.h"
#include "line.h"

/* Completes the flags of translation `rank` and sets its confidence, also with what the models before it wrote. Call it
 * after line_join(), when the alignment is that of the line's source. */
MUST_USE Status line_judge(Line *line, size_t rank, const LineRules *rules, Err *err);

#endif
