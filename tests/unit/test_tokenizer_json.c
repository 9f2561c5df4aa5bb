/* test_tokenizer_json.c - converts a tokenizer.json to the SentencePiece model that it was made from.
 * test_tokenizer_json_faults.c tests rejected files; tests/golden/test_tokenizer_json_golden.c compares with
 * conversions by transformers. */
#include "json_parts.h"

#include "model_support.h"
#include "template.h"

#define SCHEME(name)          "{'type':'Metaspace','replacement':'" SP "','prepend_scheme':'" name "'}"
#define SEQUENCE(list, steps) "{'type':'Sequence','" list "':[" steps "]}"
#define WORDS                 SEQUENCE("pretokenizers", "{'type':'WhitespaceSplit'}," METASPACE)
#define STRIPS                "{'type':'Strip','strip_left':false,'strip_right':true}"
#define FORMS                 SEQUENCE("normalizers", "{'type':'Nmt'},{'type':'NFKC'}," JOINS)
#define MANY                  BPE("'a b','b c','a bc','ab c'")
#define FEW(merges)                                                                                                    \
    "{'type':'BPE','fuse_unk':true,'unk_token':'<unk>','vocab':{'<unk>':0,'</s>':1,'ab':2,'bc':3,'a':5,'b':6,'c':7,"   \
    "'" SP "':8},'merges':[" merges "]}"
#define TOKENS                                                                                                         \
    ADDED ",{'id':6,'content':'" SP "ab','special':true},{'id':5,'content':'ab'},"                                     \
          "{'id':9,'content':'<2de>','special':false}"

static const struct {
    Parts parts;
    const char *text, *pieces;
} rows[] = {
    /* A Unigram model, by its scores. */
    { { 0 }, "ab", SP "ab|" },
    { { 0 }, "  ab  b ", SP "ab|" SP "|b|" },
    { { 0 }, "aabx", SP "|a|ab|x|" },
    { { 0 }, "", "" },
    /* Special tokens are unknown characters, not tokens; user-defined symbols are found. */
    { { .added = TOKENS }, "</s>", SP "|</s>|" },
    { { .added = TOKENS }, "a</s>b", SP "|a|</s>|b|" },
    { { .added = TOKENS }, "aab", SP "|a|ab|" },
    { { .added = TOKENS }, "a<2de>b", SP "|a|<2de>|b|" },
    { { .added = TOKENS }, "<2de> b", SP "|<2de>|" SP "|b|" },
    { { .normalizer = "{'type':'Precompiled','precompiled_charsmap':''}" }, "a  A", SP "|a|" SP "|" SP "|A|" },
    /* Normalization forms: full-width a, ideographic space, zero-width joiner. */
    { { .normalizer = FORMS }, "\xef\xbd\x81\xe3\x80\x80 b\xe2\x80\x8d", SP "|a|" SP "|b|" },
    { { .normalizer = FORMS }, "\x01", "" },
    { { .normalizer = "{'type':'NFD'}" }, "\xc3\xa1", SP "|a|\xcc\x81|" },
    /* Spaces. */
    { { .pre = SCHEME("never") }, " a  b ", "a|" SP "|b|" },
    { { .pre = "{'type':'Metaspace','replacement':'" SP "','add_prefix_space':false}" }, " a  b ", "a|" SP "|b|" },
    { { .normalizer = "null" }, " a  b ", SP "|" SP "|a|" SP "|" SP "|b|" SP "|" },
    { { .normalizer = "null", .pre = WORDS }, " a  b ", SP "|a|" SP "|b|" },
    { { .normalizer = "null", .pre = WORDS },
      "\x1c"
      "b",
      SP "|\x1c|b|" },
    { { .normalizer = "null", .pre = WORDS }, "\t", "" },
    { { .normalizer = LLAMA, .pre = "null" }, "a  b", SP "|a|" SP "|" SP "|b|" },
    { { .normalizer = ESCAPES, .pre = "null" }, "a  b", "a|" SP "|" SP "|b|" },
    { { .normalizer = ESCAPES, .pre = "{'type':'Split','pattern':{'String':' '},'behavior':'MergedWithPrevious'}" },
      "a b",
      "a|" SP "|b|" },
    { { .normalizer = SEQUENCE("normalizers", STRIPS "," JOINS) }, " a  b ", SP "|a|" SP "|b|" },
    /* What transformers 5 writes for a SentencePiece model of no known class. */
    { { .normalizer = SEQUENCE(
            "normalizers", "{'type':'Replace','pattern':{'Regex':'\\\\A +| +\\\\z'},'content':''}," JOINS "," ESCAPES
                           ",{'type':'Replace','pattern':{'Regex':'\\\\A" SP "'},'content':'" SP SP "'}"),
        .pre = SEQUENCE("pretokenizers",
                        "{'type':'Metaspace','replacement':'" SP "','prepend_scheme':'always','split':false}") },
      "  a  b ",
      SP "|a|" SP "|b|" },
    /* What transformers 5 writes for SeamlessM4T: full-width a, tabs. */
    { { .normalizer =
            SEQUENCE("normalizers",
                     "{'type':'Replace','pattern':{'Regex':'[\\\\n\\\\r\\\\t]'},'content':' '},{'type':'NFKC'}," STRIPS
                     ",{'type':'Replace','pattern':{'Regex':' +" SP "'},'content':'" SP "'}"
                     ",{'type':'Replace','pattern':{'Regex':'^" SP "+$'},'content':''}"
                     ",{'type':'Replace','pattern':{'Regex':' {2,}'},'content':'" SP "'}"),
        .pre = SCHEME("first") },
      "\t\xef\xbd\x81 \t b\r",
      SP "|a|" SP "|b|" },
    /* Spaces are kept if a piece has two of them. */
    { { .model = "{'unk_id':0,'vocab':[['<unk>',0],['</s>',0],['" SP "',-1.0],['a',-2.0],['" SP SP "',-1.5]]}" },
      "a  a",
      SP "|a|" SP SP "|a|" },
    /* Merges, in the order of the list; as lists, with "bc" before "ab". */
    { { .model = MANY }, "abc", SP "|abc|" },
    { { .model = MANY }, "abbc", SP "|ab|bc|" },
    { { .model = BPE("['b','c'],['a','b'],['ab','c'],['a','bc']") }, "abc", SP "|abc|" },
    { { .model = FEW("'b c','a b'") }, "abcab", SP "|a|bc|ab|" },
    /* Merges to special tokens are ignored. */
    { { .added = ADDED ",{'id':2,'content':'ab','special':true}", .model = FEW("'a b','b c'") }, "abc", SP "|a|bc|" },
    /* Old conversions lack the first merges. */
    { { .model = BPE("'b c','a bc','ab c'") }, "abab", SP "|ab|ab|" },
    { { .model = BPE("'b c','a bc','ab c'") }, "abbc", SP "|ab|bc|" },
};

TEST(encodes_as_the_parts_say)
{
    for (size_t i = 0; i < COUNT(rows); i++) check_parts(rows[i].parts, rows[i].text, rows[i].pieces);
}

TEST(takes_ids_and_special_tokens_from_the_file)
{
    TokenizerJson json = open_parts((Parts){ .added = ADDED ",{'id':9,'content':'<2de>','special':false},"
                                                            "{'id':11,'content':'de_DE','special':true}" });

    assert_int_equal(vocab_size(json.vocab), 12);
    assert_int_equal(vocab_find(json.vocab, "ab", 2)->id, 5);
    assert_int_equal(vocab_find(json.vocab, "<2de>", 5)->id, 9);
    assert_null(vocab_entry(json.vocab, 10));
    assert_string_equal(vocab_entry(json.vocab, 11)->piece, "de_DE");
    assert_true(vocab_entry(json.vocab, 11)->special);
    assert_true(vocab_entry(json.vocab, 0)->special);
    assert_true(vocab_entry(json.vocab, 1)->special);
    assert_false(vocab_entry(json.vocab, 2)->special);
    assert_false(vocab_entry(json.vocab, 9)->special);
    tokenizer_json_free(&json);
}

TEST(accepts_a_special_token_listed_twice)
{
    TokenizerJson json = open_parts(
        (Parts){ .added = "{'id':0,'content':'</s>','special':true},{'id':4,'content':'<pad>','special':true}",
                 .model = "{'unk_id':3,'vocab':[['</s>',0],['<pad>',0],['<unk>',0],['<unk>',0],['<pad>',0],"
                          "['a',-1],['" SP "',-1]]}" });

    assert_int_equal(vocab_find(json.vocab, "<pad>", 5)->id, 4);
    assert_int_equal(vocab_find(json.vocab, "<unk>", 5)->id, 3);
    assert_null(vocab_entry(json.vocab, 1));
    sp_support_check_encode(json.sp, "a<pad>", SP "|a|<p|a|d>|");
    tokenizer_json_free(&json);
}

/* As tokenizers 0.23: WhitespaceSplit divides at all white space of Unicode, which a character map would replace. */
TEST(makes_spaces_of_white_space_as_the_steps_say)
{
    static const char *const spaces[] = { "\t",           "\n",           "\v",           "\f",
                                          "\r",           "\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80",
                                          "\xe2\x80\x80", "\xe2\x80\x83", "\xe2\x80\xa8", "\xe2\x80\xaf",
                                          "\xe2\x81\x9f", "\xe3\x80\x80" };

    for (size_t i = 0; i < COUNT(spaces); i++) {
        FREED char *text = support_format("%sa%s %sb%s", spaces[i], spaces[i], spaces[i], spaces[i]);
        FREED char *kept = support_format("%sa", spaces[i]), *unknown = support_format(SP "|%s|a|", spaces[i]);
        check_parts((Parts){ .normalizer = "null", .pre = WORDS }, text, SP "|a|" SP "|b|");
        check_parts((Parts){ .normalizer = "{'type':'NFC'}", .pre = WORDS }, text, SP "|a|" SP "|b|");
        check_parts((Parts){ .normalizer = "null" }, kept, unknown);
    }
}

#define REPLACES         "{'type':'Replace','pattern':{'String':'" SP "'},'content':' '}"
#define FUSED(more)      "{'type':'Sequence','decoders':[" REPLACES ",{'type':'Fuse'}" more "]}"
#define STRIP(left, end) "{'type':'Strip','content':' ','start':" left ",'stop':" end "}"

/* The text of three lists of pieces, each between "[" and "]". */
static void check_decoded(Parts parts, const char *wanted)
{
    static const char *const lists[][2] = { { SP "ab", SP "b" }, { "b" SP "a", "b" }, { SP, SP "ab" } };
    TokenizerJson json = open_parts(parts);
    FREED_BY(buf_free) Buf out = { 0 };
    Err err;

    for (size_t i = 0; i < COUNT(lists); i++) {
        Range ranges[2];
        const size_t start = out.len + 1;
        buf_put_byte(&out, '[');
        assert_ok(surface_decode(DECODE_METASPACE, json.sp, NULL, lists[i], 2, &out, ranges, &err), &err);
        assert_int_equal(ranges[0].begin, start);
        assert_int_equal(ranges[0].end, ranges[1].begin);
        assert_int_equal(ranges[1].end, out.len);
        buf_put_byte(&out, ']');
    }
    assert_string_equal(out.data, wanted);
    tokenizer_json_free(&json);
}

/* The texts are those of tokenizers 0.22.2. */
TEST(begins_texts_as_the_decoder_says)
{
    const char *never = SCHEME("never"), *always = SCHEME("always");

    check_decoded((Parts){ 0 }, "[ab b][bab][ ab]");
    check_decoded((Parts){ .decoder = SCHEME("first") }, "[ab b][bab][ ab]");
    check_decoded((Parts){ .decoder = never }, "[ ab b][b ab][  ab]");
    check_decoded((Parts){ .pre = never, .decoder = never }, "[ ab b][b ab][  ab]");
    check_decoded((Parts){ .pre = never, .decoder = always }, "[ab b][bab][ ab]");
    check_decoded((Parts){ .decoder = FUSED("," STRIP("1", "0")) }, "[ab b][b ab][ ab]");
    check_decoded((Parts){ .decoder = FUSED("," STRIP("0", "0")) }, "[ ab b][b ab][  ab]");
    check_decoded((Parts){ .decoder = FUSED("") }, "[ ab b][b ab][  ab]");
    check_decoded((Parts){ .decoder = "null" }, "[ab b][bab][ ab]"); /* as the pre_tokenizer */
}

TEST(refuses_to_strip_more_than_the_first_space)
{
    static const char *const more = "decoder Strip of more than the first space is not supported";

    check_refused((Parts){ .decoder = FUSED("," STRIP("2", "0")) }, ERR_UNSUPPORTED, more);
    check_refused((Parts){ .decoder = FUSED("," STRIP("1", "1")) }, ERR_UNSUPPORTED, more);
    check_refused((Parts){ .decoder = STRIP("1", "0") }, ERR_UNSUPPORTED,
                  "decoder Strip before Replace and Fuse is not supported");
    check_refused((Parts){ .decoder = SCHEME("x") }, ERR_UNSUPPORTED,
                  "decoder Metaspace with an unknown prepend_scheme is not supported");
}

TEST(completes_old_conversions_only_if_sentencepiece_would_have_made_them)
{
    check_refused((Parts){ .model = BPE("'a b','a bc','ab c'") }, ERR_UNSUPPORTED,
                  "model.merges never makes 'bc', though its parts are pieces; SentencePiece would");
    check_refused((Parts){ .model = BPE("'a bc','ab c'") }, ERR_UNSUPPORTED,
                  "model.merges makes 'bc' of 0 of the 1 pairs of pieces that it can be made of: SentencePiece uses "
                  "all of them, so it did not train this model");
}

/* A BPE model with "a" and the pieces <0x00> to <0xFF>, of which some are missing. */
static char *byte_model(const char *flag, unsigned skipped)
{
    Buf model = { 0 };

    buf_put_format(&model, "{'type':'BPE','unk_token':'<unk>',%s'vocab':{'<unk>':0,'</s>':1", flag);
    for (unsigned i = 0; i < 256; i++)
        if (i % skipped) buf_put_format(&model, ",'<0x%02X>':%u", i, 2 + i);
    if (skipped == 300) buf_put_text(&model, ",'<0x00>':2");
    buf_put_text(&model, ",'" SP "':260,'a':261},'merges':[]}");
    return model.data;
}

TEST(uses_all_256_byte_pieces_whatever_the_flag_says)
{
    static const char *const flags[] = { "", "'byte_fallback':false,", "'byte_fallback':true,", "'fuse_unk':false," };
    char *model;

    for (size_t i = 0; i < COUNT(flags); i++) {
        model = byte_model(flags[i], 300);
        check_parts((Parts){ .model = model }, "a\xc3\xa9<0x41>",
                    SP "|a|<0xC3>|<0xA9>|<0x3C>|<0x30>|<0x78>|<0x34>|<0x31>|<0x3E>|");
        free(model);
    }
    model = byte_model("'byte_fallback':true,", 7);
    check_refused((Parts){ .model = model }, ERR_UNSUPPORTED,
                  "model.byte_fallback needs all of <0x00> to <0xFF>: <0x00> is missing");
    free(model);
    model = byte_model("'byte_fallback':true,'fuse_unk':true,", 1);
    check_parts((Parts){ .model = model }, "a\xc3\xa9", SP "|a|\xc3\xa9|");
    free(model);
}

TEST(takes_the_tokens_around_a_text_from_the_template)
{
    static const int32_t before[] = { 9, 3 };
    const char *template = TEMPLATE(LANG "," TEXT "," END, ENDS "," LANGS);
    FREED char *sequence = support_format("{'type':'Sequence','processors':[%s]}", template);
    const char *posts[] = { template, sequence };

    for (size_t i = 0; i < COUNT(posts); i++) {
        TokenizerJson json =
            open_parts((Parts){ .added = ADDED ",{'id':9,'content':'de_DE','special':true}", .post = posts[i] });
        assert_int_equal(json.before.len, 2);
        assert_memory_equal(json.before.data, before, sizeof before);
        assert_int_equal(json.after.len, 1);
        assert_int_equal(json.after.data[0], 1);
        sp_support_check_encode(json.sp, "ba",
                                SP "|b|a|"); /* "a" is now a special token; in the input it is plain text */
        assert_true(vocab_find(json.vocab, "a", 1)->special);
        tokenizer_json_free(&json);
    }
}

#define FLAGGED ADDED ",{'id':7,'content':'<n>','normalized':true},{'id':8,'content':'<x>','normalized':false}"

/* Compares the pieces and added tokens of a text. */
static void check_tokens(const char *folder, Parts parts, const char *text, const char *want)
{
    FREED char *file = make_file(parts);
    FREED_BY(free_tokenizer) Tokenizer *tokenizer;
    FREED_BY(encoding_free) Encoding encoding = { 0 };
    FREED_BY(buf_free) Buf got = { 0 };
    Err err;

    free(support_write_text(folder, "tokenizer.json", file));
    assert_ok(open_tokenizer(&tokenizer, folder, "t5", NULL, NULL, &err), &err);
    assert_ok(tokenizer_encode(tokenizer, text, strlen(text), &encoding, &err), &err);
    for (size_t i = 0; i < encoding.pieces; i++) {
        const char *piece = tokenizer_source_piece(tokenizer, encoding.ids.data[encoding.body + i]);
        sp_support_join(&got, piece, strlen(piece));
    }
    assert_string_equal(got.data, want);
}

FOLDER_TEST(keeps_the_space_before_an_added_token_as_the_steps_say)
{
    Parts joins = { .added = FLAGGED }, words = { .added = FLAGGED, .pre = WORDS };
    Parts strips = { .added = FLAGGED, .normalizer = "{'type':'Sequence','normalizers':[" STRIPS "," JOINS "]}" };

    check_tokens(*state, joins, "ab <n>ab  <x> <n> ab ", SP "ab|" SP "|<n>|" SP "ab|" SP "|<x>|" SP "|<n>|" SP "ab|");
    check_tokens(*state, joins, " <n>", SP "|<n>|");
    check_tokens(*state, strips, "ab <n> ab <x> <n>", SP "ab|" SP "|<n>|" SP "ab|<x>|" SP "|<n>|");
    check_tokens(*state, words, "ab <n> ab <x> ", SP "ab|<n>|" SP "ab|<x>|");
}

FOLDER_TEST(gives_a_kept_space_its_own_bytes)
{
    static const Range want[] = { { 0, 2 }, { 2, 3 }, { 3, 6 }, { 7, 8 }, { 8, 11 }, { 11, 11 } };
    FREED char *file = make_file((Parts){ .added = FLAGGED });
    FREED_BY(free_tokenizer) Tokenizer *tokenizer;
    RangeList ranges = { 0 };
    FREED_BY(encoding_free) Encoding encoding = { .ranges = &ranges };
    Err err;

    free(support_write_text(*state, "tokenizer.json", file));
    assert_ok(open_tokenizer(&tokenizer, *state, "t5", NULL, NULL, &err), &err);
    assert_ok(tokenizer_encode(tokenizer, "ab <n>  <x>", 11, &encoding, &err), &err);
    assert_int_equal(ranges.len, COUNT(want));
    assert_memory_equal(ranges.data, want, sizeof want);
    ranges_free(&ranges);
}

FOLDER_TEST(adds_no_space_after_an_added_token_to_one_that_is_there)
{
    Parts parts = { .added = FLAGGED, .normalizer = "{'type':'NFKC'}" };

    check_tokens(*state, parts, "ab <x> abb<n>ab", SP "ab|" SP "|<x>|" SP "ab|b|<n>|" SP "ab|");
    check_tokens(*state, parts, "<x>  ab ", "<x>|" SP "|" SP "ab|" SP "|");
}

TESTS(test_tokenizer_json);
