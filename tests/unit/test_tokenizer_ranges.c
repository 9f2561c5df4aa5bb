/* test_tokenizer_ranges.c - the bytes of ids in a text as given and in a decoded text: language codes and prefixes,
 * added tokens, cleaned texts, pieces and words. tests/golden/test_ranges_golden.c compares those of SentencePiece's
 * pieces with other programs. */
#include "template_support.h"

#include "opus_text.h"

#define CODES GOLDEN_ROOT "/tokenizers/codes"
#define OPUS  GOLDEN_ROOT "/tokenizers/opus-mt-fr-en"
#define WORDS GOLDEN_ROOT "/transformers/annotated-plain"

typedef Status Encode(const Tokenizer *tokenizer, const char *text, size_t len, Encoding *out, Err *err);

/* Appends a range of the text as its place and its bytes. */
static void show(Buf *out, const char *text, Range range)
{
    assert_true(range.begin <= range.end && range.end <= strlen(text));
    buf_put_format(out, "%s%zu[%.*s]", out->len ? " " : "", range.begin, (int)(range.end - range.begin),
                   text + range.begin);
}

static void check_with(Encode *encode, const Tokenizer *tokenizer, const char *text, const char *want)
{
    RangeList ranges = { 0 };
    FREED_BY(encoding_free) Encoding encoding = { .ranges = &ranges };
    FREED_BY(buf_free) Buf got = { 0 };
    Err err;

    assert_ok(encode(tokenizer, text, strlen(text), &encoding, &err), &err);
    assert_int_equal(ranges.len, encoding.ids.len);
    for (size_t i = 0; i < ranges.len; i++) show(&got, text, ranges.data[i]);
    assert_string_equal(got.data, want);
    ranges_free(&ranges);
}

static const struct {
    const char *folder, *type, *from, *to, *text, *want; /* a text that begins with '|' consists of pieces */
} rows[] = {
    /* A language code has its own bytes. */
    { CODES, "marian", NULL, NULL, ">>fra<<  a a", "0[>>fra<<] 7[] 7[ ] 8[ a] 10[ a] 12[]" },
    { CODES, "marian", NULL, "de", ">>fra<<a", "0[>>fra<<] 7[a] 8[]" },
    { CODES, "marian", NULL, "de", " a ", "0[] 0[] 0[ a] 2[ ] 3[]" },
    { CODES, "marian", NULL, "de", ">>a<<a", "0[] 0[] 0[>>] 2[a] 3[<<] 5[a] 6[]" },
    { CODES, "marian", NULL, "de", "", "0[] 0[]" },
    /* The range of a prefix is empty unless the text has it. */
    { MODELS "t5", "t5", "en", "de", " the  house", "0[] 0[] 0[] 0[] 0[] 0[ the] 4[  house] 11[]" },
    { MODELS "t5", "t5", "en", "de", "translate English to German: the house",
      "0[translate] 9[ English] 17[ to] 20[ German] 27[:] 28[ the] 32[ house] 38[]" },
    { MODELS "madlad", "t5", NULL, "de", "the house", "0[] 0[] 0[the] 3[ ] 4[h] 5[o] 6[u] 7[s] 8[e] 9[]" },
    { MODELS "madlad", "t5", NULL, "de", " <2fr>  the house",
      "0[] 0[ ] 1[<2fr>] 6[ ] 7[ the] 11[ ] 12[h] 13[o] 14[u] 15[s] 16[e] 17[]" },
    { MODELS "madlad-special", "t5", NULL, "de", "the house", "0[] 0[the] 3[ ] 4[h] 5[o] 6[u] 7[s] 8[e] 9[]" },
    { MODELS "madlad-special", "t5", NULL, "de", " <2fr>  the house",
      "1[<2fr>] 8[the] 11[ ] 12[h] 13[o] 14[u] 15[s] 16[e] 17[]" },
    /* An added token has its own bytes. */
    { MODELS "mbart50-added", "mbart", "en", "de", "see  the house of {x}",
      "0[] 0[see] 5[the] 9[house of] 18[{] 19[] 19[x}] 21[]" },
    /* Pieces have those in the line, and words leave out the white space. */
    { OPUS, "marian", NULL, NULL, "| ▁le\t xyzzy  </s> ", "1[▁le] 8[xyzzy] 20[]" },
    { CODES, "marian", NULL, NULL, "|  >>fra<< ▁a", "2[>>fra<<] 10[▁a] 14[]" },
    { MODELS "t5", "t5", "en", "de", "|▁the", "0[] 0[] 0[] 0[] 0[] 0[▁the] 6[]" },
    { WORDS, "transformer", NULL, NULL, "  a\xe3\x80\x80 house  ", "0[] 2[a] 7[house] 14[]" },
};

TEST(are_those_of_the_text_as_given)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const bool is_pieces = *rows[i].text == '|';
        FREED_BY(free_tokenizer)
        Tokenizer *tokenizer = open_with(rows[i].folder, rows[i].type, rows[i].from, rows[i].to);
        check_with(is_pieces ? tokenizer_encode_pieces : tokenizer_encode, tokenizer, rows[i].text + is_pieces,
                   rows[i].want);
    }
}

TEST(are_replaced_by_those_of_the_next_text)
{
    FREED_BY(free_tokenizer) Tokenizer *tokenizer = open_with(OPUS, "marian", NULL, NULL);
    RangeList ranges = { 0 };
    FREED_BY(encoding_free) Encoding encoding = { .ranges = &ranges };
    Err err;

    assert_ok(tokenizer_encode(tokenizer, "Bonjour le monde", 16, &encoding, &err), &err);
    assert_int_equal(ranges.len, 4);
    assert_ok(tokenizer_encode(tokenizer, "le", 2, &encoding, &err), &err);
    assert_int_equal(ranges.len, 2);
    ranges_free(&ranges);
}

TEST(reach_to_the_end_of_a_line_of_many_chunks)
{
    FREED_BY(free_tokenizer) Tokenizer *tokenizer = open_with(OPUS, "marian", NULL, NULL);
    RangeList ranges = { 0 };
    FREED_BY(encoding_free) Encoding encoding = { .ranges = &ranges };
    FREED_BY(buf_free) Buf text = { 0 };
    Err err;

    while (text.len < 200000) buf_put_text(&text, "le  monde ");
    assert_ok(tokenizer_encode(tokenizer, text.data, text.len, &encoding, &err), &err);
    assert_int_equal(encoding.pieces, text.len / 5);
    for (size_t i = 0; i < encoding.pieces; i++) {
        const size_t word = i / 2 * 10 + i % 2 * 4;
        assert_in_range(ranges.data[i].begin, word > 2 ? word - 2 : 0, word);
        assert_in_range(ranges.data[i].end, word + (i % 2 ? 5 : 2), word + 6);
    }
    ranges_free(&ranges);
}

/* Shows each byte of the cleaned text with its origin. */
static void check_cleaned(const char *text, const char *want)
{
    OpusSteps steps = { .cleans = true, .normalizes = true };
    FREED_BY(ranges_free) RangeList map = { 0 };
    FREED_BY(buf_free) Buf clean = { 0 }, got = { 0 };
    Err err;

    assert_ok(opus_text_set_language(&steps, "fi", &err), &err);
    assert_ok(opus_text_clean(&steps, text, strlen(text), &clean, &map, &err), &err);
    moses_free(steps.moses);
    for (size_t i = 0; i < map.len; i++) {
        buf_put_format(&got, "%s%c=", got.len ? "  " : "", clean.data[i]);
        show(&got, text, map.data[i]);
    }
    assert_string_equal(got.data, want);
}

TEST(of_cleaned_bytes_are_what_they_replace)
{
    check_cleaned("  a \xe2\x80\xa6 \x01  b ",
                  "a= 2[a]   = 3[ ]  .= 4[…]  .= 4[…]  .= 4[…]   = 7[   ]  b= 11[b]");
    check_cleaned("x.\" y,\"", "x= 0[x]  \"= 2[\"]  .= 1[.]   = 3[ ]  y= 4[y]  \"= 5[,\"]  ,= 5[,\"]");
    check_cleaned("1\xc2\xa0"
                  "2 (a)b",
                  "1= 0[1]  .= 0[1 2]  2= 3[2]   = 4[ ]  (= 5[(]  a= 6[a]  )= 7[)]   = 7[)]  b= 8[b]");
}

static void check_decoded(const Tokenizer *tokenizer, const char *pieces, const char *text, const char *want)
{
    char *copy = strdup(pieces), *rest = NULL;
    Range ranges[64];
    int32_t ids[64];
    size_t count = 0;
    FREED_BY(buf_free) Buf out = { 0 }, got = { 0 };
    Err err;

    assert_non_null(copy);
    for (char *piece = strtok_r(copy, "|", &rest); piece; piece = strtok_r(NULL, "|", &rest)) {
        ids[count] = tokenizer_find_target(tokenizer, piece, strlen(piece));
        if (ids[count++] < 0) fail_msg("no piece %s", piece);
    }
    assert_ok(tokenizer_decode(tokenizer, ids, count, &out, ranges, &err), &err);
    for (size_t i = 0; i < count; i++) show(&got, out.data, ranges[i]);
    assert_string_equal(out.data, text);
    assert_string_equal(got.data, want);
    free(copy);
}

TEST(of_decoded_ids_are_in_the_text)
{
    FREED_BY(free_tokenizer)
    Tokenizer *opus = open_with(OPUS, "marian", NULL, NULL), *words = open_with(WORDS, "transformer", NULL, NULL);
    FREED_BY(free_tokenizer) Tokenizer *added = open_with(MODELS "mbart50-added", "mbart", "en", "de");
    FREED_BY(free_tokenizer) Tokenizer *nllb = open_with(MODELS "nllb", "m2m_100", NULL, NULL);

    check_decoded(opus, "<pad>|\xe2\x96\x81the|\xe2\x96\x81house|s|.|</s>|<pad>", "the houses.",
                  "0[] 0[the] 3[ house] 9[s] 10[.] 11[] 11[]");
    check_decoded(added, "en_XX|\xe2\x96\x81the|house of|\xe2\x96\x81the|</s>", "the house of the",
                  "0[] 0[the] 4[house of] 13[the] 16[]");
    check_decoded(nllb, "\xe2\x96\x81|\xe2\x96\x81the|</s>", "the", "0[] 0[the] 3[]");
    check_decoded(words, "<s>|der|hund|</s>", "der hund", "0[] 0[der] 4[hund] 8[]");
}

TESTS(test_tokenizer_ranges);
