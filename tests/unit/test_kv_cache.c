/* test_kv_cache.c - after any reordering each beam sees the values of its own
 * ancestors, and one cache serves sentences of any length in sequence. */
#include "test_support.h"

#include "kv_cache.h"

enum { LAYERS = 3, BEAMS = 4, D = 2, LENGTH = 37 };

static const ModelConfig config = { .d_model = D, .decoder = { .layers = LAYERS, .heads = 1, .head_size = D } };

/* A value that identifies its position. */
static float mark(size_t layer, size_t position, size_t beam, size_t i)
{
    return (float)(((layer * LENGTH + position) * BEAMS + beam) * 2 * D + i);
}

/* Rounds a value to the element type of the cache. */
static float kept(DType type, float value)
{
    return type == DTYPE_F32 ? value : dtype_bf16_to_f32(dtype_f32_to_bf16(value));
}

static void write_position(KvCache *cache, size_t position, size_t rows)
{
    float values[2 * D];

    for (size_t l = 0; l < LAYERS; l++)
        for (size_t r = 0; r < rows; r++) {
            for (size_t i = 0; i < 2 * D; i++) values[i] = mark(l, position, r, i);
            kv_cache_write_self(cache, l, position, r, values);
        }
}

static void check_row(const AttentionRows *rows, size_t j, const float *key, const float *value)
{
    for (size_t i = 0; i < D; i++) {
        assert_true(element_at(rows->type, rows->at[j], rows->key + i) == kept(rows->type, key[i]));
        assert_true(element_at(rows->type, rows->at[j], rows->value + i) == kept(rows->type, value[i]));
    }
}

static void check_beam(const KvCache *cache, size_t beam, const size_t *path, size_t length)
{
    const void *at[LENGTH];
    AttentionRows rows;
    float values[2 * D];

    kv_cache_self_rows(cache, length - 1, beam, at, &rows);
    assert_int_equal(rows.count, length);
    for (size_t l = 0; l < LAYERS; l++) {
        kv_cache_set_layer(cache, l, &rows);
        for (size_t j = 0; j < length; j++) {
            for (size_t i = 0; i < 2 * D; i++) values[i] = mark(l, j, path[j], i);
            check_row(&rows, j, values, values + D);
        }
    }
}

/* Compares a sentence of random reorderings with full copies of all paths. */
static void run_sentence(KvCache *cache, unsigned *seed)
{
    size_t paths[BEAMS][LENGTH] = { { 0 } }, old[BEAMS][LENGTH], parents[BEAMS];
    size_t rows = 1;
    Err err;

    assert_ok(kv_cache_start(cache, 1 + support_random(seed) % 300, 0, &err), &err);
    for (size_t t = 0; t < LENGTH; t++) {
        size_t before = rows;
        rows = t == 0 ? 1 : 1 + support_random(seed) % BEAMS;
        memcpy(old, paths, sizeof old);
        for (size_t r = 0; r < rows; r++) {
            parents[r] = support_random(seed) % before;
            memcpy(paths[r], old[parents[r]], sizeof paths[r]);
            paths[r][t] = r;
        }
        assert_ok(kv_cache_advance(cache, rows, parents, &err), &err);
        write_position(cache, t, rows);
        for (size_t r = 0; r < rows; r++) check_beam(cache, r, paths[r], t + 1);
    }
    assert_fails(kv_cache_advance(cache, 1, parents, &err), ERR_FORMAT, &err, "the translation exceeds 37 tokens");
}

static void check_beams(DType type)
{
    PagePool *pool;
    KvCache *caches[2];
    unsigned seed = 1;
    Err err;

    assert_ok(page_pool_new(&pool, &config, type, false, BEAMS, &err), &err);
    for (size_t c = 0; c < 2; c++) assert_ok(kv_cache_new(&caches[c], pool, LENGTH, &err), &err);
    for (size_t i = 0; i < 20; i++) run_sentence(caches[i % 3 % 2], &seed);
    for (size_t c = 0; c < 2; c++) kv_cache_free(caches[c]);
    page_pool_free(pool);
}

TEST(each_beam_sees_the_values_of_its_ancestors)
{
    check_beams(DTYPE_F32);
    check_beams(DTYPE_BF16);
}

/* Rewritten keys and values of an earlier position are seen by every beam that continues it. */
TEST(keeps_inputs_and_rewrites_keys)
{
    const float input[D] = { 3, -7 };
    float values[2 * D], *multiplier;
    PagePool *pool;
    KvCache *cache;
    AttentionRows rows;
    const void *at[LENGTH];
    Err err;

    for (size_t i = 0; i < 2 * D; i++) values[i] = (float)i;
    assert_ok(page_pool_new(&pool, &config, DTYPE_F32, true, BEAMS, &err), &err);
    assert_ok(kv_cache_new(&cache, pool, LENGTH, &err), &err);
    assert_ok(kv_cache_start(cache, 3, 0, &err), &err);
    for (size_t t = 0; t < 6; t++) {
        assert_ok(kv_cache_advance(cache, t ? 2 : 1, (const size_t[]){ 0, 0 }, &err), &err);
        for (size_t r = 0; r < (t ? 2 : 1); r++) kv_cache_write_input(cache, 1, r, input);
    }
    assert_int_equal(kv_cache_length(cache), 6);
    assert_int_equal(kv_cache_owner(cache, 1, 4), 0);
    assert_int_equal(kv_cache_owner(cache, 1, 5), 1);
    kv_cache_write_self(cache, 1, 4, 0, values);
    assert_memory_equal(kv_cache_input(cache, 1, 4, 0), input, sizeof input);
    assert_true(*kv_cache_input_max(cache, 1, 4, 0) == 7);
    kv_cache_self_rows(cache, 5, 1, at, &rows);
    kv_cache_set_layer(cache, 1, &rows);
    assert_memory_equal((const float *)at[4] + rows.key, values, D * sizeof *values);
    assert_memory_equal((const float *)at[4] + rows.value, values + D, D * sizeof *values);
    multiplier = kv_cache_multiplier(cache, 1);
    assert_true(*multiplier == 0);
    *multiplier = 2;
    assert_ok(kv_cache_start(cache, 3, 0, &err), &err);
    assert_true(*multiplier == 0);
    kv_cache_free(cache);
    page_pool_free(pool);
}

static void check_sources(DType type)
{
    static const size_t lengths[] = { 1, 64, 65, 1000, 999, 400, 3, 64, 130, 70, 1 };
    static float values[1000 * 2 * D];
    PagePool *pool;
    KvCache *cache;
    AttentionRows rows;
    Err err;

    assert_ok(page_pool_new(&pool, &config, type, false, BEAMS, &err), &err);
    assert_ok(kv_cache_new(&cache, pool, LENGTH, &err), &err);
    for (size_t n = 0; n < COUNT(lengths); n++) {
        assert_ok(kv_cache_start(cache, lengths[n], 0, &err), &err);
        assert_int_equal(kv_cache_source_len(cache), lengths[n]);
        for (size_t l = 0; l < LAYERS; l++) {
            for (size_t i = 0; i < lengths[n] * 2 * D; i++) values[i] = (float)(l * 100000 + i);
            kv_cache_write_cross(cache, l, 0, kv_cache_source_len(cache), values);
        }
        kv_cache_cross_rows(cache, &rows);
        assert_int_equal(rows.count, lengths[n]);
        for (size_t l = 0; l < LAYERS; l++) {
            kv_cache_set_layer(cache, l, &rows);
            for (size_t i = 0; i < lengths[n] * 2 * D; i++) values[i] = (float)(l * 100000 + i);
            for (size_t j = 0; j < lengths[n]; j++) check_row(&rows, j, values + j * 2 * D, values + j * 2 * D + D);
        }
    }
    kv_cache_free(cache);
    page_pool_free(pool);
}

TEST(accepts_sources_of_any_length_in_sequence)
{
    check_sources(DTYPE_F32);
    check_sources(DTYPE_BF16);
}

/* Prompts of several sentences share their first positions. */
TEST(keeps_and_copies_the_first_source_positions)
{
    enum { LONG = 23, SHARED = 10 };
    static float values[LONG * 2 * D];
    KvCache *a, *b;
    PagePool *pool;
    AttentionRows rows;
    Err err;

    assert_ok(page_pool_new(&pool, &config, DTYPE_F32, false, BEAMS, &err), &err);
    assert_ok(kv_cache_new(&a, pool, LENGTH, &err), &err);
    assert_ok(kv_cache_new(&b, pool, LENGTH, &err), &err);
    support_fill(values, LONG * 2 * D, 1, 1);
    assert_ok(kv_cache_start(a, LONG, 0, &err), &err);
    for (size_t l = 0; l < LAYERS; l++) kv_cache_write_cross(a, l, 0, LONG, values);
    assert_ok(kv_cache_start(b, SHARED + 1, 0, &err), &err);
    kv_cache_copy_source(b, a, SHARED);
    assert_ok(kv_cache_start(a, 300, SHARED, &err), &err);
    for (int copied = 0; copied < 2; copied++) {
        kv_cache_cross_rows(copied ? b : a, &rows);
        assert_int_equal(rows.count, copied ? SHARED + 1 : 300);
        for (size_t l = 0; l < LAYERS; l++) {
            kv_cache_set_layer(a, l, &rows);
            for (size_t j = 0; j < SHARED; j++) check_row(&rows, j, values + j * 2 * D, values + j * 2 * D + D);
        }
    }
    kv_cache_free(a);
    kv_cache_free(b);
    page_pool_free(pool);
}

TESTS(test_kv_cache);
