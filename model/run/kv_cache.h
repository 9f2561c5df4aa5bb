/* kv_cache.h - keys and values of one sentence during decoding.
 *
 * They are stored in pages of PAGE_POSITIONS positions, in f32 or bf16:
 *     [layers, key and value, PAGE_POSITIONS, a]          a = stack_kv_width()
 * A page of self-attention belongs to one beam; pages of cross-attention hold source positions and are shared by all
 * beams. In a model with decoder_only, they hold the positions of the prompt instead. All sentences of a session take
 * pages from one pool, so memory depends on the sentences in flight, and nothing is allocated per token. Reordering
 * beams moves no data: each beam keeps a list of the beams (its ancestors) that own the pages of its positions. Pages
 * that no beam has among its ancestors return to the pool.
 *
 * A decoder without attention stores the f32 states of the last two positions instead of pages of self-attention. If
 * keys and values are requantized (decoder.c), the pages also hold their inputs. */
#ifndef DRAGOMAN_KV_CACHE_H
#define DRAGOMAN_KV_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "config.h"
#include "err.h"
#include "kernels.h"

typedef struct PagePool PagePool; /* fields: kv_cache.c */

/* type is DTYPE_F32 or DTYPE_BF16; it must be DTYPE_F32 with keeps_inputs. */
MUST_USE Status page_pool_new(PagePool **out, const ModelConfig *config, DType type, bool keeps_inputs, size_t beams,
                              Err *err);
void page_pool_free(PagePool *pool); /* frees all memory of pages and caches; NULL is allowed */

typedef struct KvCache KvCache; /* fields: kv_cache.c */

/* Allocates a cache for at most `max_length` positions. Most of its memory is in the pool's arena; kv_cache_free()
 * frees the rest and must be called before page_pool_free(). *out is NULL after an error. */
MUST_USE Status kv_cache_new(KvCache **out, PagePool *pool, size_t max_length, Err *err);
void kv_cache_free(KvCache *cache); /* NULL is allowed */

/* Begins a sentence: returns all pages to the pool and reserves source_len rows of cross-attention. The first `kept`
 * source positions, which the last sentence must have had, keep their keys and values. */
MUST_USE Status kv_cache_start(KvCache *cache, size_t source_len, size_t kept, Err *err);

/* Copies the keys and values of the first `count` source positions, which both caches have, from another cache of the
 * same pool. */
void kv_cache_copy_source(KvCache *to, const KvCache *from, size_t count);

/* Stores the keys and values of one layer, a key and a value each: rows[count, 2a], for the source positions from
 * `first` on. */
void kv_cache_write_cross(KvCache *cache, size_t layer, size_t first, size_t count, const float *rows);
size_t kv_cache_source_len(const KvCache *cache);

/* Opens the next position for `rows` beams; beam r continues beam parents[r] of the previous position. */
MUST_USE Status kv_cache_advance(KvCache *cache, size_t rows, const size_t *parents, Err *err);

/* Stores the key and value [2a] of beam `row` at any position that has been opened. With the owner of the position's
 * page as `row`, it replaces the key and value that were stored there before. */
void kv_cache_write_self(KvCache *cache, size_t layer, size_t position, size_t row, const float *values);

/* Collects the rows that beam `row` attends to at an open position: those of all positions up to this one. at[] has
 * room for max_length pointers. kv_cache_cross_rows() collects the encoder's rows, which all beams share; at[] belongs
 * to the cache. Both collect rows of layer 0; kv_cache_set_layer() moves the offsets to another layer. */
void kv_cache_self_rows(const KvCache *cache, size_t position, size_t row, const void **at, AttentionRows *rows);
/* Collects the prompt's rows, then those of kv_cache_self_rows(). at[] has room for both. */
void kv_cache_prompt_rows(const KvCache *cache, size_t position, size_t row, const void **at, AttentionRows *rows);
void kv_cache_cross_rows(const KvCache *cache, AttentionRows *rows);
void kv_cache_set_layer(const KvCache *cache, size_t layer, AttentionRows *rows);

/* For a pool that keeps inputs: stores the input [a] of a key and value at the position opened last. */
void kv_cache_write_input(KvCache *cache, size_t layer, size_t row, const float *input);
/* For a position of beam `row`, these return: the beam that owns its page; the input stored in that page; the largest
 * absolute value of this input. */
size_t kv_cache_owner(const KvCache *cache, size_t row, size_t position);
float *kv_cache_input(const KvCache *cache, size_t layer, size_t position, size_t owner);
float *kv_cache_input_max(const KvCache *cache, size_t layer, size_t position, size_t owner);
size_t kv_cache_length(const KvCache *cache);
/* One number per layer, 0 at first: the multiplier with which the layer's keys were computed. */
float *kv_cache_multiplier(KvCache *cache, size_t layer);

/* Return the state [a] of beam `row` at an open position; and the state of the beam's parent at the previous position,
 * NULL at position 0. A layer's positions must be computed in ascending order: the state two positions back is
 * overwritten. */
float *kv_cache_state(const KvCache *cache, size_t layer, size_t position, size_t row);
const float *kv_cache_previous_state(const KvCache *cache, size_t layer, size_t position, size_t row);

#endif
