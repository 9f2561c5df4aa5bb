/* format.h - how a translated line is written.
 *
 *   text   the translations, best first, each on a line that ends like the
 *          line of the input; a blank line as it was, as often as n_best says
 *   tsv    line number, rank, score, translation; a row a translation, one
 *          with an empty translation for a blank line
 *   jsonl  one object a line of the input
 *   marian an n-best list as marian-decoder's: line number from 0, translation,
 *          sum of log-probabilities and score between "|||"; n_best rows a blank line */
#ifndef DRAGOMAN_FORMAT_H
#define DRAGOMAN_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "dragoman.h"
#include "err.h"
#include "line_reader.h"

typedef enum { FORMAT_TEXT, FORMAT_TSV, FORMAT_JSONL, FORMAT_MARIAN, FORMATS } Format;

/* In the order of Format, then NULL. */
extern const char *const format_names[FORMATS + 1];

typedef struct {
    Format format;
    size_t n_best;
    bool owes_newline; /* the line before had none: the next one brings it */
} Formatter;

/* Appends one line to *out; `ending` is how it ended in the input. */
MUST_USE Status format_line(Formatter *formatter, const Dragoman *dragoman, const DragomanLine *line, Ending ending,
                            Buf *out, Err *err);

#endif
