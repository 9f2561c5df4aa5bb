/* kv_cache.c - see kv_cache.h. */
#include "kv_cache.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_POSITIONS 8
#define CROSS_KEPT     64 /* source positions that every cache keeps room for */

typedef union Page {
    union Page *next; /* while it is free */
    float values[1];  /* [layers, PAGE_POSITIONS, beams, 2a] */
} Page;

struct PagePool {
    size_t layers, beams, row; /* row = 2a */
    size_t page_bytes;
    Page *unused;
};

struct KvCache {
    PagePool *pool;
    size_t max_length;
    Page **pages; /* [max_length / PAGE_POSITIONS, rounded up] */
    size_t page_count;
    size_t length;            /* positions opened */
    uint16_t *ancestors;      /* [beams, max_length]: the beam that holds each position */
    uint16_t *next_ancestors; /* the same, being built */
    float *cross;             /* [layers, source_len, 2a] */
    const float **cross_at;   /* [source_len] */
    size_t source_len, cross_cap;
};

Status page_pool_new(PagePool **out, const ModelConfig *config, size_t beams, Err *err)
{
    PagePool *pool = calloc(1, sizeof *pool);
    size_t bytes;

    *out = NULL;
    if (!pool) return err_memory(err, "the caches");
    pool->layers = config->decoder.layers;
    pool->beams = beams;
    pool->row = 2 * stack_width(&config->decoder);
    bytes = pool->layers * PAGE_POSITIONS * beams * pool->row * sizeof(float);
    pool->page_bytes = (bytes + 63) / 64 * 64;
    *out = pool;
    return OK;
}

void page_pool_free(PagePool *pool)
{
    if (!pool) return;
    while (pool->unused) {
        Page *next = pool->unused->next;
        free(pool->unused);
        pool->unused = next;
    }
    free(pool);
}

static Page *take_page(PagePool *pool)
{
    Page *page = pool->unused;

    if (!page) return aligned_alloc(64, pool->page_bytes);
    pool->unused = page->next;
    return page;
}

static void give_pages(KvCache *cache)
{
    while (cache->page_count) {
        Page *page = cache->pages[--cache->page_count];
        page->next = cache->pool->unused;
        cache->pool->unused = page;
    }
}

Status kv_cache_new(KvCache **out, PagePool *pool, size_t max_length, Err *err)
{
    KvCache *cache = calloc(1, sizeof *cache);

    *out = NULL;
    if (!cache) return err_memory(err, "the caches");
    cache->pool = pool;
    cache->max_length = max_length;
    cache->pages = calloc((max_length + PAGE_POSITIONS - 1) / PAGE_POSITIONS, sizeof *cache->pages);
    cache->ancestors = calloc(pool->beams * max_length, sizeof *cache->ancestors);
    cache->next_ancestors = calloc(pool->beams * max_length, sizeof *cache->next_ancestors);
    if (!cache->pages || !cache->ancestors || !cache->next_ancestors) {
        kv_cache_free(cache);
        return err_memory(err, "the caches");
    }
    *out = cache;
    return OK;
}

void kv_cache_free(KvCache *cache)
{
    if (!cache) return;
    if (cache->pages) give_pages(cache);
    free(cache->pages);
    free(cache->ancestors);
    free(cache->next_ancestors);
    free(cache->cross);
    free(cache->cross_at);
    free(cache);
}

/* Memory for a long sentence is kept for about as long ones only: otherwise
 * each cache of a session would hold the longest sentence it ever had. */
static bool fits_cross(const KvCache *cache, size_t source_len)
{
    return source_len <= cache->cross_cap && (cache->cross_cap <= CROSS_KEPT || cache->cross_cap <= 2 * source_len);
}

static Status reserve_cross(KvCache *cache, size_t source_len, Err *err)
{
    size_t row_floats = cache->pool->layers * cache->pool->row;
    size_t rows = source_len > CROSS_KEPT ? source_len : CROSS_KEPT;

    if (fits_cross(cache, source_len)) return OK;
    free(cache->cross);
    free(cache->cross_at);
    cache->cross_cap = 0;
    /* Not calloc(): what a short sentence leaves alone takes no memory. */
    cache->cross =
        row_floats <= SIZE_MAX / sizeof *cache->cross / rows ? malloc(rows * row_floats * sizeof *cache->cross) : NULL;
    cache->cross_at = calloc(rows, sizeof *cache->cross_at);
    if (!cache->cross || !cache->cross_at) return err_memory(err, "the caches");
    cache->cross_cap = rows;
    return OK;
}

Status kv_cache_start(KvCache *cache, size_t source_len, Err *err)
{
    Status st = reserve_cross(cache, source_len, err);

    give_pages(cache);
    cache->length = 0;
    cache->source_len = source_len;
    for (size_t i = 0; st == OK && i < source_len; i++) cache->cross_at[i] = cache->cross + i * cache->pool->row;
    return st;
}

float *kv_cache_cross(KvCache *cache, size_t layer)
{
    return cache->cross + layer * cache->source_len * cache->pool->row;
}

size_t kv_cache_source_len(const KvCache *cache)
{
    return cache->source_len;
}

Status kv_cache_advance(KvCache *cache, size_t rows, const size_t *parents, Err *err)
{
    size_t max = cache->max_length, length = cache->length;
    uint16_t *fresh = cache->next_ancestors;

    if (length >= max) return err_set(err, ERR_FORMAT, "a translation of more than %zu tokens", max);
    if (length == cache->page_count * PAGE_POSITIONS) {
        Page *page = take_page(cache->pool);
        if (!page) return err_memory(err, "the caches");
        cache->pages[cache->page_count++] = page;
    }
    for (size_t r = 0; r < rows; r++) {
        memcpy(fresh + r * max, cache->ancestors + parents[r] * max, length * sizeof *fresh);
        fresh[r * max + length] = (uint16_t)r;
    }
    cache->next_ancestors = cache->ancestors;
    cache->ancestors = fresh;
    cache->length++;
    return OK;
}

/* Beam `beam`'s row at `position` in layer 0. */
static float *row_at(const KvCache *cache, size_t position, size_t beam)
{
    const PagePool *pool = cache->pool;
    float *values = cache->pages[position / PAGE_POSITIONS]->values;

    return values + (position % PAGE_POSITIONS * pool->beams + beam) * pool->row;
}

static size_t layer_floats(const PagePool *pool)
{
    return PAGE_POSITIONS * pool->beams * pool->row;
}

float *kv_cache_slot(KvCache *cache, size_t layer, size_t row)
{
    return row_at(cache, cache->length - 1, row) + layer * layer_floats(cache->pool);
}

void kv_cache_self_rows(const KvCache *cache, size_t row, const float **at, AttentionRows *rows)
{
    const uint16_t *ancestors = cache->ancestors + row * cache->max_length;

    for (size_t j = 0; j < cache->length; j++) at[j] = row_at(cache, j, ancestors[j]);
    rows->at = at;
    rows->count = cache->length;
    rows->bias = NULL;
    kv_cache_self_layer(cache, 0, rows);
}

void kv_cache_self_layer(const KvCache *cache, size_t layer, AttentionRows *rows)
{
    rows->key = layer * layer_floats(cache->pool);
    rows->value = rows->key + cache->pool->row / 2;
}

void kv_cache_cross_rows(const KvCache *cache, AttentionRows *rows)
{
    rows->at = cache->cross_at;
    rows->count = cache->source_len;
    rows->bias = NULL;
    kv_cache_cross_layer(cache, 0, rows);
}

void kv_cache_cross_layer(const KvCache *cache, size_t layer, AttentionRows *rows)
{
    rows->key = layer * cache->source_len * cache->pool->row;
    rows->value = rows->key + cache->pool->row / 2;
}
