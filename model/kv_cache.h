/* kv_cache.h - keys and values of one sentence being decoded.
 *
 * Self-attention: a row of [2a] (key, value; a = heads * head_size) for each layer, position and
 * beam, in pages of a few positions; a page is
 *     [layers, PAGE_POSITIONS, beams, 2a]
 * Pages come from a pool that all sentences of a session share, so memory
 * follows what is in flight and nothing is allocated per token. Reordering
 * beams moves no cache: each beam keeps a list of which beam's row holds each
 * of its positions (its ancestors).
 *
 * Cross-attention: [layers, source_len, 2a], one copy for all beams. */
#ifndef DRAGOMAN_KV_CACHE_H
#define DRAGOMAN_KV_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "err.h"
#include "kernels.h"

typedef struct PagePool PagePool; /* fields: kv_cache.c */

MUST_USE Status page_pool_new(PagePool **out, const ModelConfig *config, size_t beams, Err *err);
void page_pool_free(PagePool *pool); /* with all pages; NULL is allowed */

typedef struct KvCache KvCache; /* fields: kv_cache.c */

/* For at most `max_length` positions. The pool must outlive the cache. */
MUST_USE Status kv_cache_new(KvCache **out, PagePool *pool, size_t max_length, Err *err);
void kv_cache_free(KvCache *cache); /* NULL is allowed */

/* Begins a sentence: no position yet, room for source_len rows of
 * cross-attention, and the pages back in the pool. */
MUST_USE Status kv_cache_start(KvCache *cache, size_t source_len, Err *err);

/* Where the keys and values of one layer go, [source_len, 2a]. */
float *kv_cache_cross(KvCache *cache, size_t layer);
size_t kv_cache_source_len(const KvCache *cache);

/* Opens the next position for `rows` beams; beam r goes on from beam
 * parents[r] of the position before. */
MUST_USE Status kv_cache_advance(KvCache *cache, size_t rows, const size_t *parents, Err *err);

/* Where beam `row` writes its [2a] at the position opened last. */
float *kv_cache_slot(KvCache *cache, size_t layer, size_t row);

/* The rows that beam `row` looks at, the position opened last included.
 * at[] has room for max_length pointers and is filled for layer 0; for the
 * others kv_cache_layer() moves the offsets. */
void kv_cache_self_rows(const KvCache *cache, size_t row, const float **at, AttentionRows *rows);
void kv_cache_self_layer(const KvCache *cache, size_t layer, AttentionRows *rows);

/* The encoder's rows, the same for all beams. at[] belongs to the cache. */
void kv_cache_cross_rows(const KvCache *cache, AttentionRows *rows);
void kv_cache_cross_layer(const KvCache *cache, size_t layer, AttentionRows *rows);

#endif
