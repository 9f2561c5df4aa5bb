/* pair_format.h - what the commands score and align write for a pair of texts: one line each.
 *
 * - text: score gives the sum of the log-probabilities, the number of tokens and the mean, separated by tabs, and with
 *   --token-scores a column with the log-probabilities, separated by spaces; align gives the alignment. The line is
 *   empty for a blank line and for a pair that failed
 * - jsonl: one object with "line" and these values; "error" and the reason for a pair that failed
 *
 * Tokens that the model is forced to write, as a language, do not count. */
#ifndef DRAGOMAN_PAIR_FORMAT_H
#define DRAGOMAN_PAIR_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "alignment_format.h"
#include "buf.h"
#include "dragoman.h"
#include "err.h"

typedef enum { PAIR_TEXT, PAIR_JSONL } PairFormat;

/* Indexed by PairFormat, ends with NULL. */
extern const char *const pair_format_names[];

typedef struct {
    PairFormat format;
    AlignmentStyle alignment; /* ALIGNMENT_NONE: scores */
    DragomanUnit unit;        /* of the alignment */
    bool token_scores;
} PairFormatter;

MUST_USE Status pair_format_line(const PairFormatter *formatter, const Dragoman *dragoman, const DragomanLine *line,
                                 Buf *out, Err *err);

/* For a pair that failed; `number` is that of the line. */
MUST_USE Status pair_format_failure(const PairFormatter *formatter, size_t number, const char *reason, Buf *out,
                                    Err *err);

#endif
