/* test_sp_encode.c - the two encoders: Unigram finds the best way to split a text, and the first of equal ones; BPE
 * joins pieces by their scores. */
#include "sp_model.h"
#include "sp_support.h"
#include "test_support.h"

typedef Status Encoder(const SpPieces *pieces, const char *text, size_t len, SpSink *sink, Err *err);

static void check_encode(Encoder *encode, const SpPieces *pieces, const char *text, bool bytes, const char *want)
{
    FREED_BY(buf_free) Buf got = { 0 };
    Err err;

    buf_put(&got, "", 0);
    assert_ok(
        encode(pieces, text, strlen(text), &(SpSink){ .bytes = bytes, .each = sp_support_join, .context = &got }, &err),
        &err);
    assert_string_equal(got.data, want);
}

/* Pieces, and texts with what they become; those from `bytes` on with byte pieces. */
typedef struct {
    const char *name;
    Encoder *encode;
    SpRow pieces[8];
    const char *texts[6][2];
    size_t bytes;
} Case;

static const Case cases[] = {
    { "Unigram: the highest sum",
      unigram_encode,
      { { "a", -2, 0 }, { "b", -3, 0 }, { "ab", -6, 0 }, { "abc", -1, 0 }, { "c", -1, 0 } },
      { { "", "" }, { "ab", "a|b|" }, { "abc", "abc|" }, { "abab", "a|b|a|b|" } },
      6 },
    /* The sums differ only in their last bits, by the order of the additions. */
    { "Unigram: the shorter first piece of equal ways",
      unigram_encode,
      { { "x", -20, 0 }, { "W", -9.046080589294434F, 0 }, { "WW", -12.950124740600586F, 0 } },
      { { "WWW", "W|WW|" }, { "xWWW", "x|W|WW|" }, { "xxxWWWxWWWxx", "x|x|x|W|WW|x|W|WW|x|x|" } },
      6 },
    { "Unigram: unknown characters",
      unigram_encode,
      { { "a", -2, 0 }, { "é!", -5, 0 } },
      { { "zaéé!yéxa", "z|a|é|é!|yéx|a|" }, { "\xc3", "\xc3|" }, { "aéa\x7f", "a|<0xC3>|<0xA9>|a|<0x7F>|" } },
      2 },
    { "Unigram: a symbol wherever it fits",
      unigram_encode,
      { { "a", -0.5F, 0 },
        { "@", -0.5F, 0 },
        { "a@", -5, 0 },
        { "@@", -99, SP_USER_DEFINED },
        { "@@@", -99, SP_USER_DEFINED } },
      { { "@@a@@@a@@@@", "@@|a|@@@|a|@@|@@|" } },
      6 },
    { "BPE: the pair with the highest score first",
      bpe_encode,
      { { "a", -9, 0 },
        { "b", -9, 0 },
        { "c", -9, 0 },
        { "ab", -2, 0 },
        { "bc", -1, 0 },
        { "abc", -5, 0 },
        { "abcabc", -6, 0 } },
      { { "", "" }, { "ab", "ab|" }, { "abcb", "abc|b|" }, { "bcab", "bc|ab|" }, { "abcabcabc", "abcabc|abc|" } },
      6 },
    { "BPE: the leftmost of equal pairs",
      bpe_encode,
      { { "a", 0, 0 }, { "aa", -1, 0 }, { "aaa", -1, 0 } },
      { { "aaa", "aaa|" }, { "aaaa", "aaa|a|" }, { "aaaaa", "aaa|aa|" } },
      6 },
    { "BPE: user-defined symbols are never joined",
      bpe_encode,
      { { "a", 0, 0 },
        { "@", 0, 0 },
        { "a@@", -1, 0 },
        { "@@", 0, SP_USER_DEFINED },
        { "@@@", 0, SP_USER_DEFINED },
        { "<unk>", 0, SP_UNKNOWN } },
      { { "a@@a@a@@@@", "a|@@|a|@|a|@@@|@|" } },
      6 },
    { "BPE: unknown characters; a control piece does not occur in texts",
      bpe_encode,
      { { "a", 0, 0 }, { "zé", -1, 0 }, { "x", 0, SP_CONTROL } },
      { { "yéazéqa", "yé|a|zé|q|a|" },
        { "\xc3", "\xc3|" },
        { "yxa", "yx|a|" },
        { "aéa\x7f", "a|<0xC3>|<0xA9>|a|<0x7F>|" } },
      3 },
};

TEST(divides_texts_into_pieces)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        const Case *c = &cases[i];
        SpPieces *pieces = sp_support_pieces(c->pieces, -1);
        print_message("%s\n", c->name);
        for (size_t k = 0; k < COUNT(c->texts) && c->texts[k][0]; k++)
            check_encode(c->encode, pieces, c->texts[k][0], k >= c->bytes, c->texts[k][1]);
        sp_pieces_free(pieces);
    }
}

TEST(keeps_precision_in_long_texts)
{
    /* "ab" is better than a|b by 0.001, which is lost in a sum of millions. */
    static const SpRow rows[] = { { "a", -10.01F, 0 }, { "b", -10.02F, 0 }, { "ab", -20.029F, 0 }, { NULL, 0, 0 } };
    SpPieces *pieces = sp_support_pieces(rows, -1);
    size_t count = 300000;
    FREED_BY(buf_free) Buf text = { 0 }, got = { 0 };
    Err err;

    for (size_t i = 0; i < count; i++) buf_put(&text, "ab", 2);
    assert_ok(unigram_encode(pieces, text.data, text.len, &(SpSink){ .each = sp_support_join, .context = &got }, &err),
              &err);
    assert_int_equal(got.len, count * 3);
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

TEST(joins_random_texts_like_the_reference)
{
    static const SpRow rows[] = { { "a", 0, 0 },    { "b", 0, 0 },     { "ab", -3, 0 },   { "ba", -2, 0 },
                                  { "aa", -3, 0 },  { "aab", -1, 0 },  { "abab", -4, 0 }, { "bb", -4, 0 },
                                  { "bba", -2, 0 }, { "aaaa", -2, 0 }, { "baab", -2, 0 }, { "abba", -5, 0 },
                                  { NULL, 0, 0 } };
    SpPieces *pieces = sp_support_pieces(rows, -1);
    uint32_t random = 1;

    for (int round = 0; round < 5000; round++) {
        char text[48];
        size_t len = (size_t)round % 40 + 1;
        FREED_BY(buf_free) Buf want = { 0 };
        for (size_t i = 0; i < len; i++) text[i] = support_random(&random) >> 23 ? 'a' : 'b';
        text[len] = '\0';
        join_reference(pieces, text, &want);
        check_encode(bpe_encode, pieces, text, false, want.data);
    }
    sp_pieces_free(pieces);
}

TESTS(test_sp_encode);
