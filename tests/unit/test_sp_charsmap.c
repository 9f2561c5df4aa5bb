/* test_sp_charsmap.c - character maps of SentencePiece models: valid ones work, and broken ones never reach
 * SentencePiece. */
#include "sp_support.h"

/* A double array with one base per block of 256 units; the base of the root is 256. */
#define BLOCKS 40
typedef struct {
    uint32_t units[BLOCKS * 256];
} Array;

static uint32_t unit_to(size_t i, size_t base, uint32_t label, bool ends)
{
    return (uint32_t)((i ^ base) << 10) | (uint32_t)ends << 8 | label;
}

/* Keys "a", "aa", ... up to `count`, each with the replacement strings + value. */
static Array *chain(size_t count, uint32_t value)
{
    Array *array = calloc(1, sizeof *array);

    assert_non_null(array);
    for (size_t i = 0; i < BLOCKS * 256; i++) array->units[i] = 0x800000ff; /* equal to no label */
    array->units[0] = unit_to(0, 256, 0, false);
    for (size_t k = 1; k <= count; k++) {
        size_t at = k * 256 + 'a', base = (k + 1) * 256;
        array->units[at] = unit_to(at, base, 'a', true);
        array->units[base] = 0x80000000u | value;
    }
    return array;
}

/* A model whose character map consists of the array, which is freed, and the string "b". */
static Buf mapped_model(Array *array, size_t units)
{
    uint32_t bytes = (uint32_t)(units * 4);
    Buf model = sp_support_small_model(), map = { 0 }, spec = { 0 };

    sp_support_add(&map, &bytes, 4);
    sp_support_add(&map, array->units, bytes);
    sp_support_add(&map, "b", 2);
    sp_support_add_bytes(&spec, 2, map.data, map.len);
    sp_support_add_bytes(&model, 3, spec.data, spec.len);
    buf_free(&map);
    buf_free(&spec);
    free(array);
    return model;
}

static void replaces_the_longest_key_of_a_character_map(void **state)
{
    Buf model = mapped_model(chain(32, 0), BLOCKS * 256);
    SpModel *opened = sp_support_open(*state, &model);

    sp_support_check_encode(opened, "a", "\xe2\x96\x81|b|");
    sp_support_check_encode(opened, "baaaab", "\xe2\x96\x81|b|b|b|");
    sp_support_check_encode(opened, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "\xe2\x96\x81|b|b|"); /* 33: 32 and one */
    sp_shim_free(opened);
}

static void rejects_hostile_character_maps(void **state)
{
    Array *array = chain(33, 0);
    Buf model = mapped_model(array, BLOCKS * 256);

    sp_support_check_refused(*state, &model,
                             "broken SentencePiece model: too many rules of the character map share a prefix");
    model = mapped_model(chain(3, 2), BLOCKS * 256);
    sp_support_check_refused(*state, &model,
                             "broken SentencePiece model: a replacement lies outside the character map");
    model = mapped_model(chain(8, 0), 4 * 256);
    sp_support_check_refused(*state, &model, "broken SentencePiece model: the character map points outside itself");
    array = chain(3, 0);
    array->units[3 * 256 + 'a'] = unit_to(3 * 256 + 'a', 256, 'a', false);
    model = mapped_model(array, BLOCKS * 256);
    sp_support_check_refused(*state, &model,
                             "broken SentencePiece model: a rule of the character map is too long or endless");
    model = mapped_model(chain(1, 0), 100);
    sp_support_check_refused(*state, &model,
                             "broken SentencePiece model: the trie of the character map has a wrong size");
}

static void rejects_character_maps_of_wrong_size(void **state)
{
    Buf model = sp_support_small_model();

    sp_support_add_bytes(&model, 3, "\x12\x05\xff\xff\xff\xff\x00", 7);
    sp_support_check_refused(*state, &model, "broken SentencePiece model: the character map is truncated");
    model = sp_support_small_model();
    sp_support_add_bytes(&model, 5, "\x12\x03\x01\x00\x00", 5);
    sp_support_check_refused(*state, &model, "broken SentencePiece model: the character map is truncated");
}

TEST_FILE(test_sp_charsmap)
{
    const struct CMUnitTest tests[] = {
        test_with_folder(replaces_the_longest_key_of_a_character_map),
        test_with_folder(rejects_hostile_character_maps),
        test_with_folder(rejects_character_maps_of_wrong_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
