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
    static const struct {
        unsigned keys, outside, units;
        bool endless;
        const char *message;
    } rows[] = {
        { 33, 0, SP_BLOCKS * 256, false, "too many rules of the character map share a prefix" },
        { 3, 2, SP_BLOCKS * 256, false, "a replacement lies outside the character map" },
        { 8, 0, 4 * 256, false, "the character map points outside itself" },
        { 3, 0, SP_BLOCKS * 256, true, "a rule of the character map is too long or endless" },
        { 1, 0, 100, false, "the trie of the character map has a wrong size" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        FREED char *message = support_format("broken SentencePiece model: %s", rows[i].message);
        SpArray *array = sp_support_chain(rows[i].keys, rows[i].outside);
        Buf model;
        if (rows[i].endless) array->units[3 * 256 + 'a'] = sp_support_unit(3 * 256 + 'a', 256, 'a', false);
        model = mapped_model(array, rows[i].units);
        sp_support_check_refused(*state, &model, message);
    }
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

/* Opens the two models, which are freed, as a pair. */
static Status open_pair(SpModel **source, SpModel **target, Buf first, Buf second, Err *err)
{
    const FileView files[] = { { "s.spm", { .data = (const unsigned char *)first.data, .size = first.len } },
                               { "t.spm", { .data = (const unsigned char *)second.data, .size = second.len } } };
    const Status st = sp_shim_open_pair(source, target, &files[0], &files[1], err);

    buf_free(&first);
    buf_free(&second);
    return st;
}

TEST(two_models_may_have_the_same_character_map)
{
    const size_t units = SP_BLOCKS * 256;
    FREED_BY(free_sp) SpModel *source = NULL;
    FREED_BY(free_sp) SpModel *target = NULL;
    Buf other = mapped_model(sp_support_chain(32, 0), units);
    Err err;

    sp_support_add_piece(&other, "</s>", 0, SP_CONTROL);
    assert_ok(open_pair(&source, &target, mapped_model(sp_support_chain(32, 0), units), other, &err), &err);
    assert_ptr_not_equal(source, target);
    assert_int_equal(sp_shim_piece_count(target), sp_shim_piece_count(source) + 1);
    assert_int_equal(target->traits.longest_replacement, source->traits.longest_replacement);
    sp_support_check_encode(source, "a", "\xe2\x96\x81|b|");
    sp_support_check_encode(target, "baaaab", "\xe2\x96\x81|b|b|b|");
}

TEST(two_files_with_the_same_bytes_are_one_model)
{
    FREED_BY(free_sp) SpModel *source = NULL;
    SpModel *target = NULL;
    Err err;

    assert_ok(open_pair(&source, &target, sp_support_small_model(), sp_support_small_model(), &err), &err);
    assert_non_null(source);
    assert_ptr_equal(target, source);
}

TEST(each_model_of_a_pair_is_checked)
{
    const size_t units = SP_BLOCKS * 256;
    SpModel *source = NULL, *target = NULL;
    Err err = { "" };

    assert_fails(open_pair(&source, &target, mapped_model(sp_support_chain(32, 0), units),
                           mapped_model(sp_support_chain(33, 0), units), &err),
                 ERR_FORMAT, &err,
                 "t.spm: broken SentencePiece model: too many rules of the character map share a prefix");
    assert_non_null(source);
    assert_null(target);
    sp_shim_free(source);
    assert_fails(open_pair(&source, &target, mapped_model(sp_support_chain(33, 0), units),
                           mapped_model(sp_support_chain(32, 0), units), &err),
                 ERR_FORMAT, &err,
                 "s.spm: broken SentencePiece model: too many rules of the character map share a prefix");
    assert_null(source);
    assert_null(target);
}

TESTS(test_sp_charsmap);
