/* shortlist_write.h - writes a lexicon as a shortlist file (docs/shortlists.md): Marian's binary format,
 * or CTranslate2's map as text. */
#ifndef DRAGOMAN_SHORTLIST_WRITE_H
#define DRAGOMAN_SHORTLIST_WRITE_H

#include <stdbool.h>

#include "buf.h"
#include "err.h"
#include "lexicon.h"

/* Defaults: the number of most frequent targets for every sentence, and of best targets of each
 * source piece. */
#define SHORTLIST_WRITE_FIRST 200
#define SHORTLIST_WRITE_BEST  50

typedef struct {
    size_t source_size; /* number of source ids with a list */
    size_t target_size;
    size_t first, best;
    IdList always; /* target ids that every list contains: the end and unknown tokens */
    const void *context;
    const char *(*source_piece)(const void *context, int32_t id);
    const char *(*target_piece)(const void *context, int32_t id);
} ShortlistWriting;

/* Appends the file to *out. The binary format stores the targets of every sentence in the list of a source id
 * that all sentences contain; ERR_UNSUPPORTED if there is none. */
MUST_USE Status shortlist_write_binary(Buf *out, const ShortlistWriting *writing, const Lexicon *lexicon, Err *err);
MUST_USE Status shortlist_write_map(Buf *out, const ShortlistWriting *writing, const Lexicon *lexicon, Err *err);

#endif
