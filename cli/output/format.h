/* format.h - the output formats.
 *
 * - text: the translations, best first, each on a line that ends as the line of the input does; a blank line is
 *   repeated n_best times, and translations that the search did not find are empty
 * - tsv: one row per translation: line number, rank, score, translation, then its alignment, the scores of its
 *   tokens, and its confidence and flags, if they are asked for; a blank line gives one row with an empty translation
 * - jsonl: one object per line of the input
 * - marian: the n-best lists of marian-decoder: line number from 0, translation, sum of log-probabilities and score,
 *   separated by "|||"; a blank line gives n_best rows
 *
 * As text, an alignment follows its translation after " ||| ", and the scores of its tokens follow that after
 * " ||| WordScores="; so they do in the n-best lists, before the sum. */
#ifndef DRAGOMAN_FORMAT_H
#define DRAGOMAN_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "alignment_format.h"
#include "buf.h"
#include "dragoman_job.h"
#include "err.h"

typedef enum { FORMAT_TEXT, FORMAT_TSV, FORMAT_JSONL, FORMAT_MARIAN, FORMATS } Format;

/* Indexed by Format, ends with NULL. */
extern const char *const format_names[FORMATS + 1];

typedef struct {
    Format format;
    size_t n_best;
    AlignmentStyle alignment;
    DragomanUnit unit;   /* of alignments */
    bool bilingual;      /* text: the source and a tab before each translation; tabs in both become spaces */
    bool token_scores;   /* tsv and jsonl */
    bool word_scores;    /* text and marian */
    bool confidence;     /* tsv and jsonl; with the flags */
    bool rescue;         /* jsonl says which lines were rescued */
    bool language;       /* jsonl says which language was detected */
    size_t lines_before; /* lines of the input that went to earlier outputs; not counted in line numbers */
    bool owes_newline;   /* the previous line had no newline, so the next one starts with it */
} Formatter;

/* Appends the score with the fewest digits that read back to the same float. */
void format_put_score(Buf *out, float score);
/* Appends the scores with a separator between them. */
void format_put_scores(Buf *out, const float *scores, size_t count, const char *separator);
/* Appends the pieces of the ids as a JSON array. */
void format_put_tokens(Buf *out, const Dragoman *dragoman, const int32_t *ids, size_t count);

/* Appends the translations of the line of an item to *out. */
MUST_USE Status format_line(Formatter *formatter, const DragomanItem *item, Buf *out, Err *err);

#endif
