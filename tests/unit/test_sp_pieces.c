/* test_sp_pieces.c - the pieces of a model, by id and by string. */
#include "test_support.h"

#include <stdio.h>
#include <string.h>

#include "sp_model.h"

static SpPieces *new_pieces(void)
{
    SpPieces *pieces;
    Err err;

    assert_ok(sp_pieces_new(&pieces, &err), &err);
    return pieces;
}

static void add(SpPieces *pieces, const char *text, float score, SpPieceType type)
{
    Err err;

    assert_ok(sp_pieces_add(pieces, text, strlen(text), score, type, &err), &err);
}

/* Completes the pieces and returns the duplicate, or -1. */
static int32_t complete(SpPieces *pieces)
{
    int32_t again;
    Err err;

    assert_ok(sp_pieces_complete(pieces, &again, &err), &err);
    return again;
}

static int32_t find(const SpPieces *pieces, const char *text)
{
    return sp_pieces_find(pieces, text, strlen(text));
}

static void finds_pieces_by_id_and_by_string(void **state)
{
    SpPieces *pieces = new_pieces();

    (void)state;
    add(pieces, "<unk>", 0, SP_UNKNOWN);
    add(pieces, "a", -2.5F, SP_NORMAL);
    add(pieces, "ab", -0.5F, SP_UNUSED);
    add(pieces, "@", -9, SP_USER_DEFINED);
    assert_int_equal(complete(pieces), -1);
    assert_int_equal(pieces->count, 4);
    assert_string_equal(sp_pieces_text(pieces, 2), "ab");
    assert_int_equal(pieces->list[3].type, SP_USER_DEFINED);
    assert_true(pieces->list[1].score == -2.5F);
    assert_true(pieces->lowest == -2.5F); /* of the normal pieces */
    assert_int_equal(find(pieces, "ab"), 2);
    assert_int_equal(find(pieces, "<unk>"), 0);
    assert_int_equal(sp_pieces_find_text(pieces, "<unk>", 5), -1);
    assert_int_equal(find(pieces, "abc"), -1);
    assert_int_equal(find(pieces, ""), -1);
    sp_pieces_free(pieces);
}

static void allows_a_string_as_text_piece_and_as_another_type(void **state)
{
    SpPieces *pieces = new_pieces();

    (void)state;
    add(pieces, "<s>", -1, SP_NORMAL);
    add(pieces, "<s>", 0, SP_CONTROL);
    assert_int_equal(complete(pieces), -1);
    assert_int_equal(find(pieces, "<s>"), 1);
    assert_int_equal(sp_pieces_find_text(pieces, "<s>", 3), 0);
    sp_pieces_free(pieces);
}

static void names_a_duplicate_piece(void **state)
{
    SpPieces *pieces = new_pieces();

    (void)state;
    add(pieces, "a", 0, SP_NORMAL);
    add(pieces, "b", 0, SP_NORMAL);
    add(pieces, "a", 0, SP_USER_DEFINED);
    assert_int_equal(complete(pieces), 2);
    sp_pieces_free(pieces);
}

static void check_walk(const SpPieces *pieces, const char *text, const char *want)
{
    SpWalk walk = sp_pieces_walk(pieces, text, strlen(text));
    char got[200] = "";
    int32_t id;

    while ((id = sp_pieces_next(&walk)) >= 0) {
        assert_int_equal(walk.len, strlen(sp_pieces_text(pieces, id)));
        strcat(strcat(got, sp_pieces_text(pieces, id)), "|");
    }
    assert_string_equal(got, want);
    assert_int_equal(sp_pieces_next(&walk), -1);
}

static void walks_all_pieces_that_a_text_begins_with(void **state)
{
    SpPieces *pieces = new_pieces();

    (void)state;
    add(pieces, "a", 0, SP_NORMAL);
    add(pieces, "ab", 0, SP_CONTROL); /* not a piece of texts */
    add(pieces, "abc", 0, SP_UNUSED);
    add(pieces, "abcd", 0, SP_NORMAL);
    add(pieces, "abcdefgh", 0, SP_USER_DEFINED);
    add(pieces, "bcdef", 0, SP_NORMAL);
    assert_int_equal(complete(pieces), -1);
    check_walk(pieces, "abcdefghi", "a|abc|abcd|abcdefgh|");
    check_walk(pieces, "abcdefg", "a|abc|abcd|");
    check_walk(pieces, "abd", "a|");
    check_walk(pieces, "bcde", "");
    check_walk(pieces, "bcdef", "bcdef|");
    check_walk(pieces, "x", "");
    check_walk(pieces, "", "");
    sp_pieces_free(pieces);
}

static void finds_all_of_many_pieces(void **state)
{
    SpPieces *pieces = new_pieces();
    char text[16];

    (void)state;
    for (int i = 0; i < 50000; i++) {
        snprintf(text, sizeof text, "%d", i);
        add(pieces, text, (float)-i, SP_NORMAL);
    }
    assert_int_equal(complete(pieces), -1);
    for (int i = 0; i < 50000; i++) {
        snprintf(text, sizeof text, "%d", i);
        assert_int_equal(find(pieces, text), i);
        strcat(text, "x");
        assert_int_equal(find(pieces, text), -1);
    }
    check_walk(pieces, "123456", "1|12|123|1234|12345|");
    sp_pieces_free(pieces);
}

TEST_FILE(test_sp_pieces)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_pieces_by_id_and_by_string),
        cmocka_unit_test(allows_a_string_as_text_piece_and_as_another_type),
        cmocka_unit_test(names_a_duplicate_piece),
        cmocka_unit_test(walks_all_pieces_that_a_text_begins_with),
        cmocka_unit_test(finds_all_of_many_pieces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
