/* test_sp_pieces.c - the pieces of a model, by id and by string. */
#include "sp_support.h"

#include <stdio.h>
#include <string.h>

static int32_t find(const SpPieces *pieces, const char *text)
{
    return sp_pieces_find(pieces, text, strlen(text));
}

TEST(finds_pieces_by_id_and_by_string)
{
    static const SpRow rows[] = { { "<unk>", 0, SP_UNKNOWN },
                                  { "a", -2.5F, SP_NORMAL },
                                  { "ab", -0.5F, SP_UNUSED },
                                  { "@", -9, SP_USER_DEFINED },
                                  { NULL, 0, 0 } };
    SpPieces *pieces = sp_support_pieces(rows, -1);

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

TEST(allows_a_string_as_text_piece_and_as_another_type)
{
    static const SpRow rows[] = { { "<s>", -1, SP_NORMAL }, { "<s>", 0, SP_CONTROL }, { NULL, 0, 0 } };
    SpPieces *pieces = sp_support_pieces(rows, -1);

    assert_int_equal(find(pieces, "<s>"), 1);
    assert_int_equal(sp_pieces_find_text(pieces, "<s>", 3), 0);
    sp_pieces_free(pieces);
}

TEST(names_a_duplicate_piece)
{
    static const SpRow rows[] = {
        { "a", 0, SP_NORMAL }, { "b", 0, SP_NORMAL }, { "a", 0, SP_USER_DEFINED }, { NULL, 0, 0 }
    };
    SpPieces *pieces = sp_support_pieces(rows, 2);

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

TEST(walks_all_pieces_that_a_text_begins_with)
{
    static const SpRow rows[] = { { "a", 0, SP_NORMAL },
                                  { "ab", 0, SP_CONTROL },
                                  { "abc", 0, SP_UNUSED },
                                  { "abcd", 0, SP_NORMAL },
                                  { "abcdefgh", 0, SP_USER_DEFINED },
                                  { "bcdef", 0, SP_NORMAL },
                                  { NULL, 0, 0 } };
    SpPieces *pieces = sp_support_pieces(rows, -1);

    check_walk(pieces, "abcdefghi", "a|abc|abcd|abcdefgh|");
    check_walk(pieces, "abcdefg", "a|abc|abcd|");
    check_walk(pieces, "abd", "a|");
    check_walk(pieces, "bcde", "");
    check_walk(pieces, "bcdef", "bcdef|");
    check_walk(pieces, "x", "");
    check_walk(pieces, "", "");
    sp_pieces_free(pieces);
}

TEST(finds_all_of_many_pieces)
{
    enum { MANY = 50000 };
    static char texts[MANY][8];
    static SpRow rows[MANY + 1];
    SpPieces *pieces;

    for (int i = 0; i < MANY; i++) {
        snprintf(texts[i], sizeof texts[i], "%d", i);
        rows[i] = (SpRow){ texts[i], (float)-i, 0 };
    }
    pieces = sp_support_pieces(rows, -1);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(find(pieces, texts[i]), i);
        assert_int_equal(find(pieces, strcat(texts[i], "x")), -1);
    }
    check_walk(pieces, "123456", "1|12|123|1234|12345|");
    sp_pieces_free(pieces);
}

TESTS(test_sp_pieces);
