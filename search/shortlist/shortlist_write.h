/* shortlist_write.h - a lexicon as a shortlist's file (docs/shortlists.md): Marian's
 * binary format, or CTranslate2's map as text. */
#ifndef DRAGOMAN_SHORTLIST_WRITE_H
#define DRAGOMAN_SHORTLIST_WRITE_H

#include <stdbool.h>

#include "buf.h"
#include "err.h"
#include "lexicon.h"

/* What is written where nobody says how many: the most frequent targets for
 * every sentence, and the best of each source piece. */
#define SHORTLIST_WRITE_FIRST 200
#define SHORTLIST_WRITE_BEST  50

typedef struct {
    size_t source_size; /* ids with a list */
    size_t target_size;
    size_t first, best;
    IdList always; /* target ids that every list has: the end, the unknown token */
    const void *context;
    const char *(*source_piece)(const void *context, int32_t id);
    const char *(*target_piece)(const void *context, int32_t id);
} ShortlistWriting;

/* Appends the file to *out. In the binary format what belongs to every sentence is
 * listed for the source id that all sentences have; ERR_UNSUPPORTED: there is none. */
MUST_USE Status shortlist_write_binary(Buf *out, const ShortlistWriting *writing, const Lexicon *lexicon, Err *err);
MUST_USE Status shortlist_write_map(Buf *out, const ShortlistWriting *writing, const Lexicon *lexicon, Err *err);

#endif
