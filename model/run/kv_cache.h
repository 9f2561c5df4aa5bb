/* kv_cache.h - keys and values of one sentence being decoded.
 *
 * They lie in pages of PAGE_POSITIONS positions, of f32 or bf16 numbers:
 *     [layers, key and value, PAGE_POSITIONS, a]          a = heads * head_size
 * Self-attention has a page for so many positions of one beam, cross-attention,
 * which all beams share, for so many of the source. Pages come from a pool that
 * all sentences of a session share, so memory follows what is in flight and
 * nothing is allocated per token. Reordering beams moves no cache: each beam
 * keeps a list of which beam's page holds each of its positions (its ancestors).
 *
 * A decoder that is no attention has in place of self-attention's pages the
 * f32 states of the last two positions. Where keys and values are computed anew
 * (requantized_keys.h), the pages hold what they come from, too. */
#ifndef DRAGOMAN_KV_CACHE_H
#define DRAGOMAN_KV_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "err.h"
#include "kernels.h"

typedef struct PagePool PagePool; /* fields: kv_cache.c */

/* type: DTYPE_F32 or DTYPE_BF16; DTYPE_F32 with inputs. */
MUST_USE Status page_pool_new(PagePool **out, const ModelConfig *config, DType type, bool keeps_inputs, size_t beams,
                              Err *err);
void page_pool_free(PagePool *pool); /* with all pages; NULL is allowed */

typedef struct KvCache KvCache; /* fields: kv_cache.c */

/* For at most `max_length` positions. The pool must outlive the cache. */
MUST_USE Status kv_cache_new(KvCache **out, PagePool *pool, size_t max_length, Err *err);
void kv_cache_free(KvCache *cache); /* NULL is allowed */

/* Begins a sentence: no position yet, room for source_len rows of
 * cross-attention, and the pages back in the pool. */
MUST_USE Status kv_cache_start(KvCache *cache, size_t source_len, Err *err);

/* The keys and values of one layer, each row a key and a value: [source_len, 2a]. */
void kv_cache_write_cross(KvCache *cache, size_t layer, const float *rows);
size_t kv_cache_source_len(const KvCache *cache);

/* Opens the next position for `rows` beams; beam r goes on from beam
 * parents[r] of the position before. */
MUST_USE Status kv_cache_advance(KvCache *cache, size_t rows, const size_t *parents, Err *err);

/* Key and value [2a] of beam `row` at the position opened last. */
void kv_cache_write_self(KvCache *cache, size_t layer, size_t row, const float *values);

/* The rows that beam `row` looks at, the position opened last included.
 * at[] has room for max_length pointers and is filled for layer 0; for the
 * others kv_cache_self_layer() moves the offsets. */
void kv_cache_self_rows(const KvCache *cache, size_t row, const void **at, AttentionRows *rows);
void kv_cache_self_layer(const KvCache *cache, size_t layer, AttentionRows *rows);

/* Of a pool that keeps inputs: what a key and a value come from [a], at the position
 * opened last. */
void kv_cache_write_input(KvCache *cache, size_t layer, size_t row, const float *input);
/* Which beam's page holds a position of beam `row`; what lies there, and the largest
 * number of it; and its key and value [2a], written again. */
size_t kv_cache_holder(const KvCache *cache, size_t row, size_t position);
const float *kv_cache_input(const KvCache *cache, size_t layer, size_t position, size_t holder);
float kv_cache_input_top(const KvCache *cache, size_t layer, size_t position, size_t holder);
void kv_cache_rewrite(KvCache *cache, size_t layer, size_t position, size_t holder, const float *values);
size_t kv_cache_length(const KvCache *cache);
/* A number for each layer, 0 at first: what the keys there were made with. */
float *kv_cache_multiplier(KvCache *cache, size_t layer);

/* The state [a] of beam `row` at the position opened last, and at the one before,
 * of the beam that it goes on from; NULL where there is none. */
float *kv_cache_state(KvCache *cache, size_t layer, size_t row);
const float *kv_cache_state_before(const KvCache *cache, size_t layer, size_t row);

/* The encoder's rows, the same for all beams. at[] belongs to the cache. */
void kv_cache_cross_rows(const KvCache *cache, AttentionRows *rows);
void kv_cache_cross_layer(const KvCache *cache, size_t layer, AttentionRows *rows);

#endif
