/* format.h - the output formats of translations, alignments and scores. */
#ifndef DRAGOMAN_FORMAT_H
#define DRAGOMAN_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "dragoman_job.h"
#include "err.h"

/* --- Alignments: how --alignment writes them, in the notation of marian-decoder or as JSON
 *
 * - links: SOURCE-TARGET pairs with spaces between them; in JSON, an array of arrays [SOURCE, TARGET]
 * - soft: a row of numbers for each target, with commas between them and spaces between rows; in JSON, an array of
 *   arrays. Numbers have six digits, as C++ prints them */

typedef enum { ALIGNMENT_NONE, ALIGNMENT_LINKS, ALIGNMENT_SOFT } AlignmentKind;

typedef struct {
    AlignmentKind kind;
    float threshold; /* for ALIGNMENT_LINKS: see dragoman_alignment_links() */
} AlignmentStyle;

/* Reads the value of --alignment: hard, soft, or a threshold above 0 and at most 1; hard means 1. Returns ERR_USAGE for
 * any other value. */
MUST_USE Status alignment_style_read(AlignmentStyle *out, const char *text, Err *err);

/* --- Translations
 *
 * - text: the translations, best first, each on a line that ends as the line of the input does; a blank line is
 *   repeated n_best times, and translations that the search did not find are empty
 * - tsv: one row per translation: line number, rank, score, translation, then its alignment, the scores of its
 *   tokens, and its confidence and flags, if they are asked for; a blank line gives one row with an empty translation
 * - jsonl: one object per line of the input
 * - marian: the n-best lists of marian-decoder: line number from 0, translation, sum of log-probabilities and score,
 *   separated by "|||"; a blank line gives n_best rows
 *
 * As text, an alignment follows its translation after " ||| ". The scores of its tokens come next, after
 * " ||| WordScores=". In n-best lists, both stand before the sum. */

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
    bool rescue;         /* jsonl says which lines were rescued: see dragoman_line_rescued() */
    bool language;       /* jsonl says which language was detected */
    size_t lines_before; /* lines of the input that went to earlier outputs; not counted in line numbers */
    bool owes_newline;   /* the previous line had no newline, so the next line must begin with one */
    Status st;           /* private: the first failure to write an alignment of the line */
    Err *err;
} Formatter;

/* Appends the translations of the line of an item to *out. */
MUST_USE Status format_line(Formatter *formatter, const DragomanItem *item, Buf *out, Err *err);

/* --- Pairs of texts: what the commands score and align write for each, one line
 *
 * - text: score gives the sum of the log-probabilities, the number of tokens and the mean, separated by tabs, and with
 *   --token-scores a column with the log-probabilities, separated by spaces; align gives the alignment. The line is
 *   empty for a blank line and for a pair that failed
 * - tsv: the number of the line and a tab, then the same; for a blank line and for a pair that failed, the other
 *   columns are empty. score adds the confidence and the flags, if they are asked for
 * - jsonl: one object with "line" and these values; "error" and the reason for a pair that failed
 *
 * Tokens that the model is forced to write, such as a language token, do not count. */

/* Appends the scores of the line of an item or, if the formatter has a style for it, the alignment. */
MUST_USE Status pair_format_line(const Formatter *formatter, const DragomanItem *item, Buf *out, Err *err);

/* Appends the line for a pair that failed. `number` is the number of the line. */
MUST_USE Status pair_format_failure(const Formatter *formatter, size_t number, const char *reason, Buf *out, Err *err);

#endif
