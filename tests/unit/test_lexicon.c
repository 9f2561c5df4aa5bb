/* test_lexicon.c - IBM model 1 on small made-up languages. */
#include "test_support.h"

#include "lexicon.h"
#include "shortlist.h"

static void add(Lexicon *l, const int32_t *source, size_t source_len, const int32_t *target, size_t target_len)
{
    bool full;
    Err err;

    assert_ok(lexicon_add(l, source, source_len, target, target_len, &full, &err), &err);
    assert_false(full);
}

static IdList best(const Lexicon *l, int32_t source, size_t count)
{
    IdList ids = { 0 };
    Err err;

    assert_ok(lexicon_best(l, source, count, &ids, &err), &err);
    return ids;
}

/* Each source sentence has five different words. Word x is translated as 2x + 1,
 * and the translations are in reverse order. Each source sentence ends with 0,
 * and each target sentence with 98. */
enum { WORDS = 40, PAIRS = 400 };

static Lexicon *learned(size_t keep)
{
    uint32_t random = 1;
    Lexicon *l;
    Err err;

    assert_ok(lexicon_new(&l, WORDS + 1, 100, &err), &err);
    for (int p = 0; p < PAIRS; p++) {
        int32_t source[6] = { 0 }, target[6] = { [5] = 98 };
        for (int i = 0; i < 5; i++) {
            source[i] = (int32_t)(1 + i * 8 + (int32_t)(support_random(&random) >> 8) % 8);
            target[4 - i] = 2 * source[i] + 1;
        }
        add(l, source, 6, target, 6);
    }
    assert_ok(lexicon_learn(l, keep, &err), &err);
    return l;
}

TEST(translates_a_word_by_its_most_frequent_partner)
{
    for (size_t keep = 3; keep <= 100; keep += 97) {
        Lexicon *l = learned(keep);
        for (int32_t x = 1; x <= WORDS; x++) {
            FREED_BY(ids_free) IdList ids = best(l, x, 2);
            assert_true(ids.len >= 1);
            assert_int_equal(ids.data[0], 2 * x + 1);
        }
        lexicon_free(l);
    }
}

TEST(assigns_targets_of_every_translation_to_the_source_of_every_sentence)
{
    Lexicon *l = learned(50);
    IdList ids = best(l, 0, 1), frequent = { 0 };
    Err err;

    assert_int_equal(ids.data[0], 98);
    assert_int_equal(lexicon_everywhere(l), 0);
    assert_ok(lexicon_frequent(l, 3, &frequent, &err), &err);
    assert_int_equal(frequent.len, 3);
    assert_int_equal(frequent.data[0], 98);
    ids_free(&ids);
    ids_free(&frequent);
    lexicon_free(l);
}

/* The limit of the classic example (the house / the book / a book). */
TEST(learns_the_textbook_example)
{
    enum { THE, HOUSE, BOOK, A };
    static const int32_t pairs[3][2][2] = { { { THE, HOUSE }, { 10, 11 } },
                                            { { THE, BOOK }, { 10, 12 } },
                                            { { A, BOOK }, { 13, 12 } } };
    static const int32_t want[] = { 10, 11, 12, 13 };
    Lexicon *l;
    Err err;

    assert_ok(lexicon_new(&l, 4, 14, &err), &err);
    for (size_t i = 0; i < 3; i++) add(l, pairs[i][0], 2, pairs[i][1], 2);
    assert_ok(lexicon_learn(l, 10, &err), &err);
    for (int32_t x = 0; x < 4; x++) {
        FREED_BY(ids_free) IdList ids = best(l, x, 1);
        assert_int_equal(ids.data[0], want[x]);
    }
    assert_int_equal(lexicon_everywhere(l), -1);
    lexicon_free(l);
}

TEST(stays_empty_without_pairs)
{
    Lexicon *l;
    IdList ids;
    Err err;

    assert_ok(lexicon_new(&l, 5, 5, &err), &err);
    assert_ok(lexicon_learn(l, 10, &err), &err);
    ids = best(l, 3, 10);
    assert_int_equal(ids.len, 0);
    assert_int_equal(lexicon_everywhere(l), -1);
    lexicon_free(l);
}

static const char *piece_of(const void *context, int32_t id)
{
    return ((const char *const *)context)[id];
}

TEST(map_omits_pieces_with_white_space)
{
    static const char *const pieces[] = { "end", "a", "b c", "d\te", "\n", "", "f" };
    const ShortlistWriting writing = {
        .source_size = 7, .target_size = 7, .first = 7, .best = 7, .context = pieces, piece_of, piece_of
    };
    Lexicon *l;
    FREED_BY(buf_free) Buf map = { 0 };
    Err err;

    assert_ok(lexicon_new(&l, 7, 7, &err), &err);
    for (int32_t id = 1; id < 7; id++) add(l, &id, 1, &id, 1);
    assert_ok(lexicon_learn(l, 10, &err), &err);
    assert_ok(shortlist_write_map(&map, &writing, l, &err), &err);
    assert_string_equal(map.data, "\ta f\na\ta\nf\tf\n");
    lexicon_free(l);
}

TESTS(test_lexicon);
