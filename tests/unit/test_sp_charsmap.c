/* test_sp_charsmap.c - character maps of SentencePiece models: valid ones work, and broken ones never reach
 * SentencePiece. */
#include "sp_support.h"

/* A model whose character map consists of the array, which is freed, and the string "b". */
static Buf mapped_model(SpArray *array, size_t units)
{
    Buf model = sp_support_small_model(), spec = { 0 };

    sp_support_add_map(&spec, array, units);
    sp_support_add_bytes(&model, 3, spec.data, spec.len);
    buf_free(&spec);
    return model;
}

FOLDER_TEST(replaces_the_longest_key_of_a_character_map)
{
    Buf model = mapped_model(sp_support_chain(32, 0), SP_BLOCKS * 256);
    FREED_BY(free_sp) SpModel *opened = sp_support_open(*state, &model);

    sp_support_check_encode(opened, "a", "\xe2\x96\x81|b|");
    sp_support_check_encode(opened, "baaaab", "\xe2\x96\x81|b|b|b|");
    sp_support_check_encode(opened, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "\xe2\x96\x81|b|b|"); /* 33: 32 and one */
}

FOLDER_TEST(rejects_hostile_character_maps)
{
    SpArray *array = sp_support_chain(33, 0);
    Buf model = mapped_model(array, SP_BLOCKS * 256);

    sp_support_check_refused(*state, &model,
                             "broken SentencePiece model: too many rules of the character map share a prefix");
    model = mapped_model(sp_support_chain(3, 2), SP_BLOCKS * 256);
    sp_support_check_refused(*state, &model,
                             "broken SentencePiece model: a replacement lies outside the character map");
    model = mapped_model(sp_support_chain(8, 0), 4 * 256);
    sp_support_check_refused(*state, &model, "broken SentencePiece model: the character map points outside itself");
    array = sp_support_chain(3, 0);
    array->units[3 * 256 + 'a'] = sp_support_unit(3 * 256 + 'a', 256, 'a', false);
    model = mapped_model(array, SP_BLOCKS * 256);
    sp_support_check_refused(*state, &model,
                             "broken SentencePiece model: a rule of the character map is too long or endless");
    model = mapped_model(sp_support_chain(1, 0), 100);
    sp_support_check_refused(*state, &model,
                             "broken SentencePiece model: the trie of the character map has a wrong size");
}

FOLDER_TEST(rejects_character_maps_of_wrong_size)
{
    Buf model = sp_support_small_model();

    sp_support_add_bytes(&model, 3, "\x12\x05\xff\xff\xff\xff\x00", 7);
    sp_support_check_refused(*state, &model, "broken SentencePiece model: the character map is truncated");
    model = sp_support_small_model();
    sp_support_add_bytes(&model, 5, "\x12\x03\x01\x00\x00", 5);
    sp_support_check_refused(*state, &model, "broken SentencePiece model: the character map is truncated");
}

TESTS(test_sp_charsmap);
