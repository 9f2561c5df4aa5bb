/* kv_cache.c - see kv_cache.h. */
#include "kv_cache.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"

#define PAGE_POSITIONS ((size_t)4)

typedef union Page {
    union Page *next;       /* while the page is free */
    unsigned char bytes[1]; /* [layers, parts, PAGE_POSITIONS, a] */
} Page;

struct PagePool {
    const Kernels *kernels;
    DType type;
    size_t layers, beams, width; /* width: a */
    size_t parts;                /* 2: key and value; 3: also their inputs */
    size_t page_bytes;
    bool has_states; /* the decoder has no self-attention: it keeps states instead of pages */
    Arena *arena;    /* memory of the pages and the caches */
    Page *unused;
};

struct KvCache {
    PagePool *pool;
    size_t max_length;
    Page **pages;             /* [max_length / PAGE_POSITIONS rounded up, beams]; NULL: no page yet */
    size_t length;            /* number of open positions */
    uint16_t *ancestors;      /* [beams, max_length]: the beam that owns the page of each position */
    uint16_t *next_ancestors; /* the ancestors being built for the next position */
    float *states;            /* [2, layers, beams, a]: for even and odd positions; NULL for a decoder with attention */
    float *maxima; /* [max_length, beams, layers]: largest |value| of each input; NULL if the pool keeps no inputs */
    float *multipliers;    /* [layers]: see kv_cache_multiplier(); NULL if the pool keeps no inputs */
    Page **cross;          /* [cross_cap] */
    const void **cross_at; /* [cross_cap * PAGE_POSITIONS] */
    size_t source_len, cross_count, cross_cap;
};

Status page_pool_new(PagePool **out, const ModelConfig *config, DType type, bool keeps_inputs, size_t beams, Err *err)
{
    PagePool *pool = calloc(1, sizeof *pool);
    Status st;

    *out = NULL;
    if (!pool) return err_memory(err, "the caches");
    pool->kernels = kernels_get();
    pool->type = type;
    pool->layers = config->decoder.layers;
    pool->beams = beams;
    pool->width = stack_kv_width(&config->decoder);
    pool->has_states = config->decoder_layer.kind != DECODER_SELF_ATTENTION;
    pool->parts = keeps_inputs ? 3 : 2;
    pool->page_bytes = pool->layers * pool->parts * PAGE_POSITIONS * pool->width * dtype_bytes(type);
    st = arena_new_large(&pool->arena, err);
    if (st == OK)
        *out = pool;
    else
        free(pool);
    return st;
}

void page_pool_free(PagePool *pool)
{
    if (!pool) return;
    arena_free(pool->arena);
    free(pool);
}

/* Returns NULL when out of memory. */
static Page *take_page(PagePool *pool)
{
    Page *page = pool->unused;

    if (!page) return arena_alloc(pool->arena, pool->page_bytes, 1);
    pool->unused = page->next;
    return page;
}

static void return_page(PagePool *pool, Page *page)
{
    if (!page) return;
    page->next = pool->unused;
    pool->unused = page;
}

static size_t page_count(size_t positions)
{
    return (positions + PAGE_POSITIONS - 1) / PAGE_POSITIONS;
}

Status kv_cache_new(KvCache **out, PagePool *pool, size_t max_length, Err *err)
{
    const size_t beams = pool->beams;
    KvCache *cache = *out = arena_zeroed(pool->arena, 1, sizeof *cache);
    Status st;

    if (!cache) return err_memory(err, "the caches");
    cache->pool = pool;
    cache->max_length = max_length;
    cache->pages = arena_zeroed(pool->arena, page_count(max_length), beams * sizeof *cache->pages);
    cache->ancestors = arena_zeroed(pool->arena, beams * max_length, sizeof *cache->ancestors);
    cache->next_ancestors = arena_zeroed(pool->arena, beams * max_length, sizeof *cache->next_ancestors);
    if (pool->has_states)
        cache->states = arena_zeroed(pool->arena, 2 * pool->layers * beams, pool->width * sizeof *cache->states);
    if (pool->parts == 3) {
        cache->maxima = arena_zeroed(pool->arena, max_length * beams, pool->layers * sizeof *cache->maxima);
        cache->multipliers = arena_zeroed(pool->arena, pool->layers, sizeof *cache->multipliers);
    }
    st = arena_check(pool->arena, "the caches", err);
    if (st != OK) *out = NULL;
    return st;
}

void kv_cache_free(KvCache *cache)
{
    if (!cache) return;
    free(cache->cross);
    free(cache->cross_at);
}

/* Returns the key of `position` in layer 0 of a page. */
static const void *row_of(const PagePool *pool, const Page *page, size_t position)
{
    return page->bytes + position % PAGE_POSITIONS * pool->width * dtype_bytes(pool->type);
}

/* The number of elements of one layer's keys in a page. */
static size_t key_elements(const PagePool *pool)
{
    return PAGE_POSITIONS * pool->width;
}

/* Writes the key and value [2a] of one position. */
static void write_row(const PagePool *pool, Page *page, size_t layer, size_t position, const float *values)
{
    const size_t keys = key_elements(pool), at = pool->parts * layer * keys + position % PAGE_POSITIONS * pool->width;

    for (size_t i = 0; i < 2; i++, values += pool->width) {
        unsigned char *to = page->bytes + (at + i * keys) * dtype_bytes(pool->type);
        if (pool->type == DTYPE_F32)
            memcpy(to, values, pool->width * sizeof *values);
        else
            pool->kernels->to_bf16(values, pool->width, (uint16_t *)(void *)to);
    }
}

Status kv_cache_start(KvCache *cache, size_t source_len, size_t kept, Err *err)
{
    const size_t pages = page_count(source_len), used = page_count(cache->length) * cache->pool->beams;

    for (size_t i = 0; i < used; i++) {
        return_page(cache->pool, cache->pages[i]);
        cache->pages[i] = NULL;
    }
    while (cache->cross_count > page_count(kept)) return_page(cache->pool, cache->cross[--cache->cross_count]);
    cache->length = cache->source_len = 0;
    if (cache->multipliers) memset(cache->multipliers, 0, cache->pool->layers * sizeof *cache->multipliers);
    if (pages > cache->cross_cap) {
        Page **cross = realloc(cache->cross, pages * sizeof *cross);
        const void **at;
        if (!cross) return err_memory(err, "the caches");
        cache->cross = cross;
        at = realloc(cache->cross_at, pages * PAGE_POSITIONS * sizeof *at);
        if (!at) return err_memory(err, "the caches");
        cache->cross_at = at;
        cache->cross_cap = pages;
    }
    for (; cache->cross_count < pages; cache->cross_count++) {
        cache->cross[cache->cross_count] = take_page(cache->pool);
        if (!cache->cross[cache->cross_count]) return err_memory(err, "the caches");
    }
    cache->source_len = source_len;
    for (size_t i = 0; i < source_len; i++)
        cache->cross_at[i] = row_of(cache->pool, cache->cross[i / PAGE_POSITIONS], i);
    return OK;
}

void kv_cache_copy_source(KvCache *to, const KvCache *from, size_t count)
{
    for (size_t i = 0; i < page_count(count); i++) memcpy(to->cross[i], from->cross[i], to->pool->page_bytes);
}

void kv_cache_write_cross(KvCache *cache, size_t layer, size_t first, size_t count, const float *rows)
{
    for (size_t i = first; i < first + count; i++, rows += 2 * cache->pool->width)
        write_row(cache->pool, cache->cross[i / PAGE_POSITIONS], layer, i, rows);
}

size_t kv_cache_source_len(const KvCache *cache)
{
    return cache->source_len;
}

/* The page of a position and a beam. */
static Page **page_at(const KvCache *cache, size_t position, size_t beam)
{
    return &cache->pages[position / PAGE_POSITIONS * cache->pool->beams + beam];
}

/* The hypotheses of a sentence soon share all but their last tokens, so most pages of older positions become unused.
 * They are returned each time a group of PAGE_POSITIONS positions is complete. */
static void return_all_unused(KvCache *cache, size_t rows)
{
    if (cache->length % PAGE_POSITIONS || cache->states || cache->pool->beams == 1) return;
    /* Return the pages of one group of PAGE_POSITIONS positions that no beam has among its ancestors. */
    for (size_t group = 0; group < cache->length / PAGE_POSITIONS; group++) {
        for (size_t beam = 0; beam < cache->pool->beams; beam++) {
            Page **page = page_at(cache, group * PAGE_POSITIONS, beam);
            bool used = false;
            for (size_t r = 0; *page && r < rows; r++)
                for (size_t i = 0; i < PAGE_POSITIONS; i++)
                    used |= cache->ancestors[r * cache->max_length + group * PAGE_POSITIONS + i] == beam;
            if (used) continue;
            return_page(cache->pool, *page);
            *page = NULL;
        }
    }
}

Status kv_cache_advance(KvCache *cache, size_t rows, const size_t *parents, Err *err)
{
    size_t max = cache->max_length, length = cache->length;
    uint16_t *next = cache->next_ancestors;

    if (length >= max) return err_set(err, ERR_FORMAT, "the translation exceeds %zu tokens", max);
    cache->length++;
    for (size_t r = 0; r < rows; r++) {
        Page **page = page_at(cache, length, r);
        if (!*page && !cache->states) *page = take_page(cache->pool);
        if (!*page && !cache->states) return err_memory(err, "the caches");
        memcpy(next + r * max, cache->ancestors + parents[r] * max, length * sizeof *next);
        next[r * max + length] = (uint16_t)r;
    }
    cache->next_ancestors = cache->ancestors;
    cache->ancestors = next;
    return_all_unused(cache, rows);
    return OK;
}

void kv_cache_write_self(KvCache *cache, size_t layer, size_t position, size_t row, const float *values)
{
    write_row(cache->pool, *page_at(cache, position, row), layer, position, values);
}

size_t kv_cache_length(const KvCache *cache)
{
    return cache->length;
}

size_t kv_cache_owner(const KvCache *cache, size_t row, size_t position)
{
    return cache->ancestors[row * cache->max_length + position];
}

float *kv_cache_input(const KvCache *cache, size_t layer, size_t position, size_t owner)
{
    const PagePool *pool = cache->pool;
    const size_t at = (3 * layer + 2) * key_elements(pool) + position % PAGE_POSITIONS * pool->width;

    return (float *)(void *)(*page_at(cache, position, owner))->bytes + at;
}

float *kv_cache_input_max(const KvCache *cache, size_t layer, size_t position, size_t owner)
{
    return cache->maxima + (position * cache->pool->beams + owner) * cache->pool->layers + layer;
}

void kv_cache_write_input(KvCache *cache, size_t layer, size_t row, const float *input)
{
    const size_t position = cache->length - 1, width = cache->pool->width;
    float *top = kv_cache_input_max(cache, layer, position, row);

    memcpy(kv_cache_input(cache, layer, position, row), input, width * sizeof *input);
    *top = 0;
    for (size_t i = 0; i < width; i++) *top = fabsf(input[i]) > *top ? fabsf(input[i]) : *top;
}

float *kv_cache_multiplier(KvCache *cache, size_t layer)
{
    return cache->multipliers + layer;
}

float *kv_cache_state(const KvCache *cache, size_t layer, size_t position, size_t row)
{
    const PagePool *pool = cache->pool;

    return cache->states + ((position % 2 * pool->layers + layer) * pool->beams + row) * pool->width;
}

const float *kv_cache_previous_state(const KvCache *cache, size_t layer, size_t position, size_t row)
{
    if (!position) return NULL;
    return kv_cache_state(cache, layer, position - 1, kv_cache_owner(cache, row, position - 1));
}

void kv_cache_set_layer(const KvCache *cache, size_t layer, AttentionRows *rows)
{
    rows->key = cache->pool->parts * layer * key_elements(cache->pool);
    rows->value = rows->key + key_elements(cache->pool);
}

void kv_cache_self_rows(const KvCache *cache, size_t position, size_t row, const void **at, AttentionRows *rows)
{
    const uint16_t *ancestors = cache->ancestors + row * cache->max_length;

    for (size_t j = 0; j <= position; j++) at[j] = row_of(cache->pool, *page_at(cache, j, ancestors[j]), j);
    *rows = (AttentionRows){ .type = cache->pool->type, .at = at, .count = position + 1 };
    kv_cache_set_layer(cache, 0, rows);
}

void kv_cache_prompt_rows(const KvCache *cache, size_t position, size_t row, const void **at, AttentionRows *rows)
{
    kv_cache_self_rows(cache, position, row, at + cache->source_len, rows);
    if (cache->source_len) memcpy(at, cache->cross_at, cache->source_len * sizeof *at);
    rows->at = at;
    rows->count += cache->source_len;
}

void kv_cache_cross_rows(const KvCache *cache, AttentionRows *rows)
{
    *rows = (AttentionRows){ .type = cache->pool->type, .at = cache->cross_at, .count = cache->source_len };
    kv_cache_set_layer(cache, 0, rows);
}
