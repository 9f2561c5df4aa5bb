/* line_judge.h - the flags and the confidence of the translations of a whole line. The flags and features of its
 * segments have been joined by line_complete(). */
#ifndef DRAGOMAN_LINE_JUDGE_H
#define DRAGOMAN_LINE_JUDGE_H

#include "err.h"
#include "line.h"

/* Completes the flags of the translations and sets their confidence, also with what the models before them wrote. Call
 * it after line_complete(). */
MUST_USE Status line_judge(Line *line, const LineRules *rules, Err *err);

#endif
