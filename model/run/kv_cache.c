/* kv_cache.c - see kv_cache.h. */
#include "kv_cache.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"

#define PAGE_POSITIONS ((size_t)4)

typedef union Page {
    union Page *next;       /* while it is free */
    unsigned char bytes[1]; /* [layers, parts, PAGE_POSITIONS, a] */
} Page;

struct PagePool {
    const Kernels *kernels;
    DType type;
    size_t layers, beams, width; /* width = a */
    size_t parts;                /* key and value; input */
    size_t page_bytes;
    bool has_states; /* and no pages of self-attention */
    Arena *arena;    /* the pages' */
    Page *unused;
};

struct KvCache {
    PagePool *pool;
    size_t max_length;
    Page **pages;             /* [max_length / PAGE_POSITIONS, rounded up, beams]; NULL: none */
    size_t length;            /* positions opened */
    uint16_t *ancestors;      /* [beams, max_length]: the beam that holds each position */
    uint16_t *next_ancestors; /* the same, being built */
    float *states;            /* [2, layers, beams, a]: of even and odd positions; NULL: the decoder has none */
    float *maxima;            /* [max_length, beams, layers], of inputs */
    float *multipliers;       /* [layers]; both NULL: no inputs */
    Page **cross;             /* [cross_cap] */
    const void **cross_at;    /* [cross_cap * PAGE_POSITIONS] */
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
    pool->width = stack_width(&config->decoder);
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

/* NULL when out of memory. */
static Page *take_page(PagePool *pool)
{
    Page *page = pool->unused;

    if (!page) return arena_alloc(pool->arena, pool->page_bytes, 1);
    pool->unused = page->next;
    return page;
}

static void give_page(PagePool *pool, Page *page)
{
    if (!page) return;
    page->next = pool->unused;
    pool->unused = page;
}

static size_t page_count(size_t positions)
{
    return (positions + PAGE_POSITIONS - 1) / PAGE_POSITIONS;
}

static void give_pages(KvCache *cache)
{
    const size_t count = page_count(cache->length) * cache->pool->beams;

    for (size_t i = 0; i < count; i++) {
        give_page(cache->pool, cache->pages[i]);
        cache->pages[i] = NULL;
    }
    while (cache->cross_count) give_page(cache->pool, cache->cross[--cache->cross_count]);
    cache->length = cache->source_len = 0;
}

Status kv_cache_new(KvCache **out, PagePool *pool, size_t max_length, Err *err)
{
    KvCache *cache = calloc(1, sizeof *cache);

    *out = NULL;
    if (!cache) return err_memory(err, "the caches");
    cache->pool = pool;
    cache->max_length = max_length;
    cache->pages = calloc(page_count(max_length), pool->beams * sizeof *cache->pages);
    cache->ancestors = calloc(pool->beams * max_length, sizeof *cache->ancestors);
    cache->next_ancestors = calloc(pool->beams * max_length, sizeof *cache->next_ancestors);
    if (pool->has_states) cache->states = calloc(2 * pool->layers * pool->beams, pool->width * sizeof *cache->states);
    if (pool->parts == 3) {
        cache->maxima = calloc(max_length * pool->beams, pool->layers * sizeof *cache->maxima);
        cache->multipliers = calloc(pool->layers, sizeof *cache->multipliers);
    }
    if (!cache->pages || !cache->ancestors || !cache->next_ancestors || (pool->has_states && !cache->states) ||
        (pool->parts == 3 && (!cache->maxima || !cache->multipliers))) {
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
    free(cache->states);
    free(cache->maxima);
    free(cache->multipliers);
    free(cache->cross);
    free(cache->cross_at);
    free(cache);
}

/* The key of `position` of a page's layer 0. */
static const void *row_of(const PagePool *pool, const Page *page, size_t position)
{
    return page->bytes + position % PAGE_POSITIONS * pool->width * dtype_bytes(pool->type);
}

/* The numbers of a layer in a page, and those of its keys. */
static size_t key_numbers(const PagePool *pool)
{
    return PAGE_POSITIONS * pool->width;
}

/* Key and value [2a] of one position. */
static void write_row(const PagePool *pool, Page *page, size_t layer, size_t position, const float *values)
{
    const size_t keys = key_numbers(pool), at = pool->parts * layer * keys + position % PAGE_POSITIONS * pool->width;

    for (size_t i = 0; i < 2; i++, values += pool->width) {
        unsigned char *to = page->bytes + (at + i * keys) * dtype_bytes(pool->type);
        if (pool->type == DTYPE_F32)
            memcpy(to, values, pool->width * sizeof *values);
        else
            pool->kernels->to_bf16(values, pool->width, (uint16_t *)(void *)to);
    }
}

static Status reserve_cross(KvCache *cache, size_t pages, Err *err)
{
    if (pages <= cache->cross_cap) return OK;
    free(cache->cross);
    free(cache->cross_at);
    cache->cross_cap = 0;
    cache->cross = calloc(pages, sizeof *cache->cross);
    cache->cross_at = calloc(pages, PAGE_POSITIONS * sizeof *cache->cross_at);
    if (!cache->cross || !cache->cross_at) return err_memory(err, "the caches");
    cache->cross_cap = pages;
    return OK;
}

Status kv_cache_start(KvCache *cache, size_t source_len, Err *err)
{
    const size_t pages = page_count(source_len);
    Status st;

    give_pages(cache);
    if (cache->multipliers) memset(cache->multipliers, 0, cache->pool->layers * sizeof *cache->multipliers);
    st = reserve_cross(cache, pages, err);
    while (st == OK && cache->cross_count < pages) {
        Page *page = take_page(cache->pool);
        if (page)
            cache->cross[cache->cross_count++] = page;
        else
            st = err_memory(err, "the caches");
    }
    if (st != OK) return st;
    cache->source_len = source_len;
    for (size_t i = 0; i < source_len; i++)
        cache->cross_at[i] = row_of(cache->pool, cache->cross[i / PAGE_POSITIONS], i);
    return OK;
}

void kv_cache_write_cross(KvCache *cache, size_t layer, const float *rows)
{
    for (size_t i = 0; i < cache->source_len; i++)
        write_row(cache->pool, cache->cross[i / PAGE_POSITIONS], layer, i, rows + i * 2 * cache->pool->width);
}

size_t kv_cache_source_len(const KvCache *cache)
{
    return cache->source_len;
}

/* Where the page of a position and a beam stands. */
static Page **page_at(const KvCache *cache, size_t position, size_t beam)
{
    return &cache->pages[position / PAGE_POSITIONS * cache->pool->beams + beam];
}

Status kv_cache_advance(KvCache *cache, size_t rows, const size_t *parents, Err *err)
{
    size_t max = cache->max_length, length = cache->length;
    uint16_t *fresh = cache->next_ancestors;

    if (length >= max) return err_set(err, ERR_FORMAT, "a translation of more than %zu tokens", max);
    cache->length++;
    for (size_t r = 0; r < rows; r++) {
        Page **page = page_at(cache, length, r);
        if (!*page && !cache->states) *page = take_page(cache->pool);
        if (!*page && !cache->states) return err_memory(err, "the caches");
        memcpy(fresh + r * max, cache->ancestors + parents[r] * max, length * sizeof *fresh);
        fresh[r * max + length] = (uint16_t)r;
    }
    cache->next_ancestors = cache->ancestors;
    cache->ancestors = fresh;
    return OK;
}

void kv_cache_write_self(KvCache *cache, size_t layer, size_t row, const float *values)
{
    const size_t position = cache->length - 1;

    write_row(cache->pool, *page_at(cache, position, row), layer, position, values);
}

size_t kv_cache_length(const KvCache *cache)
{
    return cache->length;
}

size_t kv_cache_holder(const KvCache *cache, size_t row, size_t position)
{
    return cache->ancestors[row * cache->max_length + position];
}

void kv_cache_rewrite(KvCache *cache, size_t layer, size_t position, size_t holder, const float *values)
{
    write_row(cache->pool, *page_at(cache, position, holder), layer, position, values);
}

static float *input_at(const KvCache *cache, size_t layer, size_t position, size_t holder)
{
    const PagePool *pool = cache->pool;
    const size_t at = (3 * layer + 2) * key_numbers(pool) + position % PAGE_POSITIONS * pool->width;

    return (float *)(void *)(*page_at(cache, position, holder))->bytes + at;
}

static float *top_at(const KvCache *cache, size_t layer, size_t position, size_t holder)
{
    return cache->maxima + (position * cache->pool->beams + holder) * cache->pool->layers + layer;
}

void kv_cache_write_input(KvCache *cache, size_t layer, size_t row, const float *input)
{
    const size_t position = cache->length - 1, width = cache->pool->width;
    float *top = top_at(cache, layer, position, row);

    memcpy(input_at(cache, layer, position, row), input, width * sizeof *input);
    *top = 0;
    for (size_t i = 0; i < width; i++) *top = fabsf(input[i]) > *top ? fabsf(input[i]) : *top;
}

const float *kv_cache_input(const KvCache *cache, size_t layer, size_t position, size_t holder)
{
    return input_at(cache, layer, position, holder);
}

float kv_cache_input_top(const KvCache *cache, size_t layer, size_t position, size_t holder)
{
    return *top_at(cache, layer, position, holder);
}

float *kv_cache_multiplier(KvCache *cache, size_t layer)
{
    return cache->multipliers + layer;
}

static float *state_at(const KvCache *cache, size_t position, size_t layer, size_t row)
{
    const PagePool *pool = cache->pool;

    return cache->states + ((position % 2 * pool->layers + layer) * pool->beams + row) * pool->width;
}

float *kv_cache_state(KvCache *cache, size_t layer, size_t row)
{
    return state_at(cache, cache->length - 1, layer, row);
}

const float *kv_cache_state_before(const KvCache *cache, size_t layer, size_t row)
{
    const uint16_t *ancestors = cache->ancestors + row * cache->max_length;

    if (cache->length < 2) return NULL;
    return state_at(cache, cache->length - 2, layer, ancestors[cache->length - 2]);
}

static void set_layer(const PagePool *pool, size_t layer, AttentionRows *rows)
{
    rows->key = pool->parts * layer * key_numbers(pool);
    rows->value = rows->key + key_numbers(pool);
}

void kv_cache_self_rows(const KvCache *cache, size_t row, const void **at, AttentionRows *rows)
{
    const uint16_t *ancestors = cache->ancestors + row * cache->max_length;

    for (size_t j = 0; j < cache->length; j++) at[j] = row_of(cache->pool, *page_at(cache, j, ancestors[j]), j);
    *rows = (AttentionRows){ .type = cache->pool->type, .at = at, .count = cache->length };
    set_layer(cache->pool, 0, rows);
}

void kv_cache_self_layer(const KvCache *cache, size_t layer, AttentionRows *rows)
{
    set_layer(cache->pool, layer, rows);
}

void kv_cache_cross_rows(const KvCache *cache, AttentionRows *rows)
{
    *rows = (AttentionRows){ .type = cache->pool->type, .at = cache->cross_at, .count = cache->source_len };
    set_layer(cache->pool, 0, rows);
}

void kv_cache_cross_layer(const KvCache *cache, size_t layer, AttentionRows *rows)
{
    set_layer(cache->pool, layer, rows);
}
