/* shortlist_parts.h - the fields of Shortlist, for the readers of its formats. A Shortlist has either
 * lists or rules. */
#ifndef DRAGOMAN_SHORTLIST_PARTS_H
#define DRAGOMAN_SHORTLIST_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"
#include "mapped_file.h"
#include "shortlist_vocabulary.h"

#define SHORTLIST_MAGIC       UINT64_C(0xF11A48D5013417F5)
#define SHORTLIST_FIRST       100 /* default of a lexical file */
#define SHORTLIST_BEST        100
#define SHORTLIST_FILL        8 /* Marian fills lists up to a multiple of it */
#define SHORTLIST_HEAD_WORDS  6 /* of the binary format: magic, checksum, first, best, offsets, ids */
#define SHORTLIST_HASHED_FROM 2 /* index of the first word that the checksum covers */

/* A rule of a map. ids[0..key_len) is the key, a run of source ids; the next target_len ids are
 * its targets. */
typedef struct {
    const int32_t *ids;
    size_t key_len, target_len;
    size_t at; /* index of the ids in the pool */
} ShortlistRule;

typedef struct Shortlist Shortlist; /* its functions: shortlist.h */
struct Shortlist {
    size_t first;
    int32_t unknown; /* -1: none */
    int32_t begin;   /* <s> in a map, which CTranslate2 always adds as its third fixed candidate; -1: none */
    bool shared;     /* the ids of the source sentence are candidates as well */
    bool filled;     /* candidates are filled up to a multiple of SHORTLIST_FILL, with ids from `first` on */
    /* The targets of source id s are ids[offsets[s] .. offsets[s + 1]). */
    size_t source_size; /* number of source ids with a list */
    const uint64_t *offsets;
    const int32_t *ids;
    ShortlistRule *rules; /* [rule_count], sorted by key: shorter keys first */
    size_t rule_count, rule_cap;
    size_t longest; /* length of the longest key */
    IdList pool;    /* ids of the rules */
    /* Owned memory that the pointers above refer to. */
    MappedFile file;
    uint64_t *own_offsets;
    int32_t *own_ids;
};

/* The checksum of a binary file. It covers everything after the magic and the checksum itself, but
 * ignores bytes after the last whole word. Source: marian-dev, src/common/hash.h (hashMem) and
 * src/data/shortlist.h. */
uint64_t shortlist_checksum(const unsigned char *bytes, size_t size);

/* The readers fill in a Shortlist that is {0} except for its file and its fixed candidates. */
MUST_USE Status shortlist_read_binary(Shortlist *out, const char *path, const ShortlistVocabulary *vocabulary,
                                      ShortlistLimits limits, Err *err);
MUST_USE Status shortlist_read_text(Shortlist *out, const char *path, const ShortlistVocabulary *vocabulary,
                                    ShortlistLimits limits, Err *err);

#endif
