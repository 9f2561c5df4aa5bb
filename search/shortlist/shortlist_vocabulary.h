/* shortlist_vocabulary.h - input of the shortlist readers: the model's vocabularies and the user's limits. */
#ifndef DRAGOMAN_SHORTLIST_VOCABULARY_H
#define DRAGOMAN_SHORTLIST_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The vocabularies that the ids of a shortlist belong to. */
typedef struct {
    size_t source_size, target_size; /* upper bounds of the ids */
    size_t source_used;              /* size of the source vocabulary; the embedding matrix may have more rows */
    bool shared;                     /* one vocabulary serves both sides */
    int32_t unknown;                 /* target id of the unknown token, always a candidate; -1: none */
    const void *context;             /* passed to the functions below */
    /* Return the id of a piece, or -1. */
    int32_t (*source_id)(const void *context, const char *piece, size_t len);
    int32_t (*target_id)(const void *context, const char *piece, size_t len);
} ShortlistVocabulary;

/* The number of candidates; negative values select the default of the format. */
typedef struct {
    long first; /* ids from 0 on that every sentence gets; default: binary: from the file, lexical: 100, map: 0 */
    long best;  /* targets of each source piece in a lexical file, by default 100; an error for other files */
    bool lexical_only; /* apply the limits to lexical files only */
} ShortlistLimits;

#endif
