/* shortlist_parts.h - what a Shortlist consists of, for the readers of its
 * formats. Either lists or rules are there. */
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
#define SHORTLIST_FIRST       100 /* where a lexical file is not told */
#define SHORTLIST_BEST        100
#define SHORTLIST_FILL        8 /* Marian fills up lists to a multiple */
#define SHORTLIST_HEAD_WORDS  6 /* of the binary format: magic, checksum, first, best, offsets, ids */
#define SHORTLIST_HASHED_FROM 2 /* the first word that the checksum covers */

/* The targets of a run of source ids: ids[key_len] are the run, target_len
 * more ids the targets. */
typedef struct {
    const int32_t *ids;
    size_t key_len, target_len;
    size_t at; /* of the ids in the pool */
} ShortlistRule;

typedef struct Shortlist Shortlist; /* its functions: shortlist.h */
struct Shortlist {
    size_t first;
    int32_t unknown; /* or -1 */
    int32_t begin;   /* CTranslate2's third fixed candidate, in a map; or -1 */
    bool shared;     /* the source's own ids are candidates, too */
    bool filled;     /* up to a multiple of SHORTLIST_FILL, from id `first` on */
    /* Source id s has ids[offsets[s] .. offsets[s + 1]). */
    size_t source_size; /* ids with a list */
    const uint64_t *offsets;
    const int32_t *ids;
    ShortlistRule *rules; /* [rule_count], in the order of their keys: the shorter first */
    size_t rule_count, rule_cap;
    size_t longest; /* key */
    IdList pool;    /* of the rules */
    /* What they lie in. */
    MappedFile file;
    uint64_t *own_offsets;
    int32_t *own_ids;
};

/* The checksum of a binary file, of all but magic and checksum: marian-dev,
 * src/common/hash.h (hashMem) and src/data/shortlist.h. Bytes behind the last
 * whole word do not count. */
uint64_t shortlist_checksum(const unsigned char *bytes, size_t size);

/* They fill in a Shortlist that is {0} but for its file. */
MUST_USE Status shortlist_read_binary(Shortlist *out, const char *path, const ShortlistVocabulary *vocabulary,
                                      ShortlistLimits limits, Err *err);
MUST_USE Status shortlist_read_text(Shortlist *out, const char *path, const ShortlistVocabulary *vocabulary,
                                    ShortlistLimits limits, Err *err);

#endif
