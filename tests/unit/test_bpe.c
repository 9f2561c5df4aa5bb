/* test_bpe.c - joins pieces by their scores. */
#include "test_support.h"

#include <stdlib.h>
#include <string.h>

#include "sp_model.h"
#include "sp_support.h"

typedef struct {
    const char *text;
    float score;
    SpPieceType type;
} Row;

static SpPieces *new_pieces(const Row *rows, size_t count)
{
    SpPieces *pieces;
    int32_t again;
    Err err;

    assert_ok(sp_pieces_new(&pieces, &err), &err);
    for (size_t i = 0; i < count; i++)
        assert_ok(sp_pieces_add(pieces, rows[i].text, strlen(rows[i].text), rows[i].score, rows[i].type, &err), &err);
    assert_ok(sp_pieces_complete(pieces, &again, &err), &err);
    assert_int_equal(again, -1);
    return pieces;
}

static void check_encode(const SpPieces *pieces, const char *text, bool bytes, const char *want)
{
    Buf got = { 0 };
    Err err;

    buf_put(&got, "", 0);
    assert_ok(bpe_encode(pieces, text, strlen(text), &(SpSink){ bytes, sp_support_join, &got, NULL }, &err), &err);
    assert_string_equal(got.data, want);
    buf_free(&got);
}

static void joins_the_pair_with_the_highest_score_first(void **state)
{
    static const Row rows[] = {
        { "a", -9, SP_NORMAL },  { "b", -9, SP_NORMAL },   { "c", -9, SP_NORMAL },      { "ab", -2, SP_NORMAL },
        { "bc", -1, SP_NORMAL }, { "abc", -5, SP_NORMAL }, { "abcabc", -6, SP_NORMAL },
    };
    SpPieces *pieces = new_pieces(rows, COUNT(rows));

    (void)state;
    check_encode(pieces, "", false, "");
    check_encode(pieces, "ab", false, "ab|");
    check_encode(pieces, "abcb", false, "abc|b|");
    check_encode(pieces, "bcab", false, "bc|ab|");
    check_encode(pieces, "abcabcabc", false, "abcabc|abc|"); /* the leftmost of equal pairs */
    sp_pieces_free(pieces);
}

static void joins_the_leftmost_of_equal_pairs(void **state)
{
    static const Row rows[] = { { "a", 0, SP_NORMAL }, { "aa", -1, SP_NORMAL }, { "aaa", -1, SP_NORMAL } };
    SpPieces *pieces = new_pieces(rows, COUNT(rows));

    (void)state;
    check_encode(pieces, "aaa", false, "aaa|");
    check_encode(pieces, "aaaa", false, "aaa|a|");
    check_encode(pieces, "aaaaa", false, "aaa|aa|");
    sp_pieces_free(pieces);
}

static void never_joins_user_defined_symbols(void **state)
{
    static const Row rows[] = {
        { "a", 0, SP_NORMAL },        { "@", 0, SP_NORMAL },         { "a@@", -1, SP_NORMAL },
        { "@@", 0, SP_USER_DEFINED }, { "@@@", 0, SP_USER_DEFINED }, { "<unk>", 0, SP_UNKNOWN }
    };
    SpPieces *pieces = new_pieces(rows, COUNT(rows));

    (void)state;
    check_encode(pieces, "a@@a@a@@@@", false, "a|@@|a|@|a|@@@|@|");
    sp_pieces_free(pieces);
}

static void merges_unknown_characters_or_splits_them_into_bytes(void **state)
{
    static const Row rows[] = { { "a", 0, SP_NORMAL }, { "z\xc3\xa9", -1, SP_NORMAL }, { "x", 0, SP_CONTROL } };
    SpPieces *pieces = new_pieces(rows, COUNT(rows));

    (void)state;
    check_encode(pieces,
                 "y\xc3\xa9"
                 "az\xc3\xa9qa",
                 false, "y\xc3\xa9|a|z\xc3\xa9|q|a|");
    check_encode(pieces,
                 "a\xc3\xa9"
                 "a\x7f",
                 true, "a|<0xC3>|<0xA9>|a|<0x7F>|");
    check_encode(pieces, "\xc3", false, "\xc3|");
    check_encode(pieces, "yxa", false, "yx|a|"); /* a control piece does not occur in texts */
    sp_pieces_free(pieces);
}

/* Joins pair by pair as the rule says, without a heap. */
static void join_reference(const SpPieces *pieces, const char *text, Buf *out)
{
    size_t starts[64], count = strlen(text);

    for (size_t i = 0; i <= count; i++) starts[i] = i;
    for (;;) {
        size_t best = SIZE_MAX;
        float score = 0;
        for (size_t i = 0; i + 1 < count; i++) {
            int32_t id = sp_pieces_find_text(pieces, text + starts[i], starts[i + 2] - starts[i]);
            if (id < 0 || (best != SIZE_MAX && pieces->list[id].score <= score)) continue;
            best = i;
            score = pieces->list[id].score;
        }
        if (best == SIZE_MAX) break;
        memmove(&starts[best + 1], &starts[best + 2], (count - best - 1) * sizeof *starts);
        count--;
    }
    for (size_t i = 0; i < count; i++) sp_support_join(out, text + starts[i], starts[i + 1] - starts[i]);
}

static void joins_random_texts_like_the_reference(void **state)
{
    static const Row rows[] = { { "a", 0, SP_NORMAL },     { "b", 0, SP_NORMAL },     { "ab", -3, SP_NORMAL },
                                { "ba", -2, SP_NORMAL },   { "aa", -3, SP_NORMAL },   { "aab", -1, SP_NORMAL },
                                { "abab", -4, SP_NORMAL }, { "bb", -4, SP_NORMAL },   { "bba", -2, SP_NORMAL },
                                { "aaaa", -2, SP_NORMAL }, { "baab", -2, SP_NORMAL }, { "abba", -5, SP_NORMAL } };
    SpPieces *pieces = new_pieces(rows, COUNT(rows));
    uint32_t random = 1;

    (void)state;
    for (int round = 0; round < 5000; round++) {
        char text[48];
        size_t len = (size_t)round % 40 + 1;
        Buf want = { 0 };
        for (size_t i = 0; i < len; i++) {
            random = random * 1664525 + 1013904223;
            text[i] = random >> 31 ? 'a' : 'b';
        }
        text[len] = '\0';
        join_reference(pieces, text, &want);
        check_encode(pieces, text, false, want.data);
        buf_free(&want);
    }
    sp_pieces_free(pieces);
}

TEST_FILE(test_bpe)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_the_pair_with_the_highest_score_first),
        cmocka_unit_test(joins_the_leftmost_of_equal_pairs),
        cmocka_unit_test(never_joins_user_defined_symbols),
        cmocka_unit_test(merges_unknown_characters_or_splits_them_into_bytes),
        cmocka_unit_test(joins_random_texts_like_the_reference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
