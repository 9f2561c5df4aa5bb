/* shortlist_vocabulary.h - what the files of shortlists are read with: the model's vocabularies and the user's limits. */
#ifndef DRAGOMAN_SHORTLIST_VOCABULARY_H
#define DRAGOMAN_SHORTLIST_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The vocabularies that the ids belong to. */
typedef struct {
    size_t source_size, target_size; /* ids are below */
    size_t source_used;              /* the source's ids proper; the table may have more rows */
    bool shared;                     /* one vocabulary for both */
    int32_t unknown;                 /* target id of unknown tokens, a candidate always; or -1 */
    const void *context;             /* of the calls */
    /* The id of a piece, or -1. */
    int32_t (*source_id)(const void *context, const char *piece, size_t len);
    int32_t (*target_id)(const void *context, const char *piece, size_t len);
} ShortlistVocabulary;

/* How many ids are candidates: negative numbers stand for the format's own. */
typedef struct {
    long first;        /* ids from 0 on for every sentence; binary: the file's, lexical: 100, map: 0 */
    long best;         /* of each source piece in a lexical file: 100; other files have no probabilities */
    bool lexical_only; /* other files keep their own */
} ShortlistLimits;

#endif
