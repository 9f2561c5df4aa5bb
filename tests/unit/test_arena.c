/* test_arena.c - memory that is freed all at once. */
#include "test_support.h"

#include "arena.h"

typedef Status NewArena(Arena **out, Err *err);

static Arena *make(NewArena *new_arena)
{
    Arena *arena;
    Err err;

    assert_ok(new_arena(&arena, &err), &err);
    return arena;
}

static void check_blocks(Arena *arena)
{
    enum { BLOCKS = 3000 };
    static unsigned char *blocks[BLOCKS];

    for (size_t i = 0; i < BLOCKS; i++) {
        size_t bytes = i * 7 % 2000;
        blocks[i] = arena_alloc(arena, bytes, 1);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % 64, 0);
        memset(blocks[i], (int)(i & 0xff), bytes);
    }
    for (size_t i = 0; i < BLOCKS; i++)
        for (size_t b = 0; b < i * 7 % 2000; b++) assert_int_equal(blocks[i][b], i & 0xff);
    arena_free(arena);
}

TEST(blocks_are_aligned_and_do_not_overlap)
{
    check_blocks(make(arena_new));
    check_blocks(make(arena_new_small));
    check_blocks(make(arena_new_large));
}

TEST(gives_empty_blocks_distinct_addresses)
{
    Arena *arena = make(arena_new);
    char *a, *b, *c;

    assert_int_equal(arena_bytes(arena), 0);
    a = arena_alloc(arena, 0, 8);
    b = arena_alloc(arena, 8, 0);
    c = arena_alloc(arena, 1, 1);
    assert_true(a && b && c && a != b && b != c);
    arena_free(arena);
    arena_free(NULL);
}

TEST(rejects_a_size_that_overflows)
{
    static const size_t sizes[][2] = {
        { SIZE_MAX, 1 },     { 1, SIZE_MAX },        { SIZE_MAX / 2, 1 },           { SIZE_MAX / 2 + 1, 2 },
        { SIZE_MAX, 2 },     { SIZE_MAX, SIZE_MAX }, { (size_t)1 << 32, SIZE_MAX }, { SIZE_MAX / 8 + 1, 8 },
        { SIZE_MAX / 4, 4 }, { SIZE_MAX - 62, 1 },
    };
    Arena *arena = make(arena_new);

    for (size_t i = 0; i < COUNT(sizes); i++) assert_null(arena_alloc(arena, sizes[i][0], sizes[i][1]));
    assert_int_equal(arena_bytes(arena), 0);
    assert_non_null(arena_alloc(arena, 3, 5));
    arena_free(arena);
}

TEST(small_arena_takes_little_memory)
{
    const size_t chunk = (size_t)64 << 10, large = (size_t)1 << 20;
    Arena *arena = make(arena_new_small);

    assert_non_null(arena_alloc(arena, 100, 1));
    assert_int_equal(arena_bytes(arena), chunk);
    assert_non_null(arena_alloc(arena, large, 1));
    assert_non_null(arena_alloc(arena, 100, 1));
    assert_in_range(arena_bytes(arena), chunk + large, chunk + large + 128);
    arena_free(arena);
}

TEST(large_arena_allocates_whole_pages)
{
    static const size_t sizes[] = { (size_t)9 << 20, ((size_t)8 << 20) + 1, ((size_t)8 << 20) - 128, 5 };
    Arena *arena = make(arena_new_large);

    assert_null(arena_alloc(arena, SIZE_MAX, 2));
    for (size_t i = 0; i < COUNT(sizes); i++) {
        char *block = arena_alloc(arena, sizes[i], 1);
        assert_non_null(block);
        block[0] = block[sizes[i] - 1] = 1;
    }
    assert_int_equal(arena_bytes(arena), (size_t)(10 + 10 + 8) << 20);
    arena_free(arena);
}

TEST(large_blocks_between_small_ones_waste_no_chunks)
{
    enum { ROUNDS = 64 };
    size_t large = (size_t)3 << 20;
    Arena *arena = make(arena_new);

    for (int i = 0; i < ROUNDS; i++) {
        char *big = arena_alloc(arena, large, 1), *small = arena_alloc(arena, 100, 1);
        assert_non_null(big);
        assert_non_null(small);
        big[0] = big[large - 1] = small[99] = 1;
    }
    assert_true(arena_bytes(arena) >= ROUNDS * large);
    assert_true(arena_bytes(arena) <= ROUNDS * large + ((size_t)2 << 20));
    arena_free(arena);
}

TESTS(test_arena);
