/* parallel_text.h - reads a text and its translation line by line, as pairs of texts and ids. */
#ifndef DRAGOMAN_PARALLEL_TEXT_H
#define DRAGOMAN_PARALLEL_TEXT_H

#include <stdbool.h>

#include "buf.h"
#include "err.h"
#include "text_file.h"
#include "tokenizer.h"

/* Longest side of a pair in tokens. Longer pairs teach little, and the cost of a pair is the product of both
 * lengths. */
#define PARALLEL_TEXT_LONGEST 200

/* The fields before `tokenizer` are the current pair, for reading. */
typedef struct {
    Buf source, target; /* valid UTF-8 */
    Encoding encoding;  /* of the source */
    IdList target_ids;  /* without special tokens */
    const Tokenizer *tokenizer;
    bool pieces;
    const char *source_name, *target_name; /* for messages */
    TextFile *source_file, *target_file;
} ParallelText;

/* Opens two files, which may be compressed by gzip or zstd; "-" is standard input. With `pieces`, the lines consist of
 * pieces of the vocabulary. The paths and the tokenizer must outlive *out. Always close it with
 * parallel_text_close(). */
MUST_USE Status parallel_text_open(ParallelText *out, const Tokenizer *tokenizer, bool pieces, const char *source_path,
                                   const char *target_path, Err *err);
void parallel_text_close(ParallelText *text); /* {0} is allowed */

/* Reads the next pair with 1 to PARALLEL_TEXT_LONGEST tokens on each side. *found is false at the end. ERR_USAGE: one
 * file has more lines than the other. */
MUST_USE Status parallel_text_next(ParallelText *text, bool *found, Err *err);

#endif
