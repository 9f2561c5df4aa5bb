/* test_tokenizer_json.c - converts a tokenizer.json to the SentencePiece model that it was made from.
 * test_tokenizer_json_faults.c tests rejected files; tests/golden/test_tokenizer_json_golden.c compares with
 * conversions by transformers. */
#include "json_parts.h"

#include "model_support.h"
#include "template.h"

static void encodes_with_a_unigram_model_by_its_scores(void **state)
{
    TokenizerJson json = open_parts((Parts){ 0 });

    (void)state;
    check_encode(&json, "ab", SP "ab|");
    check_encode(&json, "  ab  b ", SP "ab|" SP "|b|");
    check_encode(&json, "aabx", SP "|a|ab|x|");
    check_encode(&json, "", "");
    tokenizer_json_free(&json);
}

static void takes_ids_and_special_tokens_from_the_file(void **state)
{
    TokenizerJson json = open_parts((Parts){ .added = ADDED ",{'id':9,'content':'<2de>','special':false},"
                                                            "{'id':11,'content':'de_DE','special':true}" });

    (void)state;
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

static void accepts_a_special_token_listed_twice(void **state)
{
    TokenizerJson json = open_parts(
        (Parts){ .added = "{'id':0,'content':'</s>','special':true},{'id':4,'content':'<pad>','special':true}",
                 .model = "{'unk_id':3,'vocab':[['</s>',0],['<pad>',0],['<unk>',0],['<unk>',0],['<pad>',0],"
                          "['a',-1],['" SP "',-1]]}" });

    (void)state;
    assert_int_equal(vocab_find(json.vocab, "<pad>", 5)->id, 4);
    assert_int_equal(vocab_find(json.vocab, "<unk>", 5)->id, 3);
    assert_null(vocab_entry(json.vocab, 1));
    check_encode(&json, "a<pad>", SP "|a|<p|a|d>|");
    tokenizer_json_free(&json);
}

static void treats_special_tokens_as_text_but_not_user_defined_symbols(void **state)
{
    Parts parts = { .added = ADDED ",{'id':6,'content':'" SP "ab','special':true},"
                                   "{'id':5,'content':'ab'},{'id':9,'content':'<2de>','special':false}" };

    (void)state;
    check_parts(parts, "</s>", SP "|</s>|"); /* unknown characters, not a token */
    check_parts(parts, "a</s>b", SP "|a|</s>|b|");
    check_parts(parts, "aab", SP "|a|ab|");
    check_parts(parts, "a<2de>b", SP "|a|<2de>|b|");
    check_parts(parts, "<2de> b", SP "|<2de>|" SP "|b|");
}

static void changes_nothing_with_an_empty_character_map(void **state)
{
    (void)state;
    check_parts((Parts){ .normalizer = "{'type':'Precompiled','precompiled_charsmap':''}" }, "a  A",
                SP "|a|" SP "|" SP "|A|");
}

static void applies_normalization_forms_first(void **state)
{
    const char *normalizer = "{'type':'Sequence','normalizers':[{'type':'Nmt'},{'type':'NFKC'}," JOINS "]}";

    (void)state; /* full-width a, ideographic space, zero-width joiner */
    check_parts((Parts){ .normalizer = normalizer }, "\xef\xbd\x81\xe3\x80\x80 b\xe2\x80\x8d", SP "|a|" SP "|b|");
    check_parts((Parts){ .normalizer = normalizer }, "\x01", "");
    check_parts((Parts){ .normalizer = "{'type':'NFD'}" }, "\xc3\xa1", SP "|a|\xcc\x81|");
}

static void places_spaces_as_the_steps_say(void **state)
{
    const char *never = "{'type':'Metaspace','replacement':'" SP "','prepend_scheme':'never'}";
    const char *old = "{'type':'Metaspace','replacement':'" SP "','add_prefix_space':false}";
    const char *words = "{'type':'Sequence','pretokenizers':[{'type':'WhitespaceSplit'}," METASPACE "]}";

    (void)state;
    check_parts((Parts){ .pre = never }, " a  b ", "a|" SP "|b|");
    check_parts((Parts){ .pre = old }, " a  b ", "a|" SP "|b|");
    check_parts((Parts){ .normalizer = "null" }, " a  b ", SP "|" SP "|a|" SP "|" SP "|b|" SP "|");
    check_parts((Parts){ .normalizer = "null", .pre = words }, " a  b ", SP "|a|" SP "|b|");
    check_parts((Parts){ .normalizer = LLAMA, .pre = "null" }, "a  b", SP "|a|" SP "|" SP "|b|");
    check_parts((Parts){ .normalizer = ESCAPES, .pre = "null" }, "a  b", "a|" SP "|" SP "|b|");
    check_parts((Parts){ .normalizer = ESCAPES,
                         .pre = "{'type':'Split','pattern':{'String':' '},'behavior':'MergedWithPrevious'}" },
                "a b", "a|" SP "|b|");
    check_parts((Parts){ .normalizer = "{'type':'Sequence','normalizers':[{'type':'Strip','strip_left':false,"
                                       "'strip_right':true}," JOINS "]}" },
                " a  b ", SP "|a|" SP "|b|");
}

/* As tokenizers 0.23: WhitespaceSplit divides at all white space of Unicode, which a character map would replace. */
static void makes_spaces_of_white_space_as_the_steps_say(void **state)
{
    static const char *const spaces[] = { "\t",           "\n",           "\v",           "\f",
                                          "\r",           "\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80",
                                          "\xe2\x80\x80", "\xe2\x80\x83", "\xe2\x80\xa8", "\xe2\x80\xaf",
                                          "\xe2\x81\x9f", "\xe3\x80\x80" };
    const char *words = "{'type':'Sequence','pretokenizers':[{'type':'WhitespaceSplit'}," METASPACE "]}";

    (void)state;
    for (size_t i = 0; i < COUNT(spaces); i++) {
        char *text = support_format("%sa%s %sb%s", spaces[i], spaces[i], spaces[i], spaces[i]);
        char *kept = support_format("%sa", spaces[i]), *unknown = support_format(SP "|%s|a|", spaces[i]);
        check_parts((Parts){ .normalizer = "null", .pre = words }, text, SP "|a|" SP "|b|");
        check_parts((Parts){ .normalizer = "{'type':'NFC'}", .pre = words }, text, SP "|a|" SP "|b|");
        check_parts((Parts){ .normalizer = "null" }, kept, unknown);
        free(text);
        free(kept);
        free(unknown);
    }
    check_parts((Parts){ .normalizer = "null", .pre = words },
                "\x1c"
                "b",
                SP "|\x1c|b|");
    check_parts((Parts){ .normalizer = "null", .pre = words }, "\t", "");
}

/* What transformers 5 writes for a SentencePiece model of no known class. */
static void reads_the_steps_that_transformers_5_makes(void **state)
{
    const char *normalizer =
        "{'type':'Sequence','normalizers':[{'type':'Replace','pattern':{'Regex':'\\\\A +| +\\\\z'},"
        "'content':''}," JOINS "," ESCAPES ",{'type':'Replace','pattern':{'Regex':'\\\\A" SP "'},'content':'" SP SP
        "'}]}";
    const char *pre = "{'type':'Sequence','pretokenizers':[{'type':'Metaspace','replacement':'" SP
                      "','prepend_scheme':'always','split':false}]}";

    (void)state;
    check_parts((Parts){ .normalizer = normalizer, .pre = pre }, "  a  b ", SP "|a|" SP "|b|");
}

#define SCHEME(name)     "{'type':'Metaspace','replacement':'" SP "','prepend_scheme':'" name "'}"
#define REPLACES         "{'type':'Replace','pattern':{'String':'" SP "'},'content':' '}"
#define FUSED(more)      "{'type':'Sequence','decoders':[" REPLACES ",{'type':'Fuse'}" more "]}"
#define STRIP(left, end) "{'type':'Strip','content':' ','start':" left ",'stop':" end "}"

/* The text of three lists of pieces, each between "[" and "]". */
static void check_decoded(Parts parts, const char *wanted)
{
    static const char *const lists[][2] = { { SP "ab", SP "b" }, { "b" SP "a", "b" }, { SP, SP "ab" } };
    TokenizerJson json = open_parts(parts);
    Buf out = { 0 };
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
    buf_free(&out);
    tokenizer_json_free(&json);
}

/* The texts are those of tokenizers 0.22.2. */
static void begins_texts_as_the_decoder_says(void **state)
{
    const char *never = SCHEME("never"), *always = SCHEME("always");

    (void)state;
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

static void refuses_to_strip_more_than_the_first_space(void **state)
{
    static const char *const more = "decoder Strip of more than the first space is not supported";

    (void)state;
    check_refused((Parts){ .decoder = FUSED("," STRIP("2", "0")) }, ERR_UNSUPPORTED, more);
    check_refused((Parts){ .decoder = FUSED("," STRIP("1", "1")) }, ERR_UNSUPPORTED, more);
    check_refused((Parts){ .decoder = STRIP("1", "0") }, ERR_UNSUPPORTED,
                  "decoder Strip before Replace and Fuse is not supported");
    check_refused((Parts){ .decoder = SCHEME("x") }, ERR_UNSUPPORTED,
                  "decoder Metaspace with an unknown prepend_scheme is not supported");
}

static void keeps_spaces_if_a_piece_has_two_of_them(void **state)
{
    check_parts((Parts){ .model = "{'unk_id':0,'vocab':[['<unk>',0],['</s>',0],['" SP "',-1.0],['a',-2.0],"
                                  "['" SP SP "',-1.5]]}" },
                "a  a", SP "|a|" SP SP "|a|");
    (void)state;
}

static void merges_in_the_order_of_the_list(void **state)
{
    (void)state;
    check_parts((Parts){ .model = BPE("'a b','b c','a bc','ab c'") }, "abc", SP "|abc|");
    check_parts((Parts){ .model = BPE("'a b','b c','a bc','ab c'") }, "abbc", SP "|ab|bc|");
    /* Merges as lists, with "bc" before "ab". */
    check_parts((Parts){ .model = BPE("['b','c'],['a','b'],['ab','c'],['a','bc']") }, "abc", SP "|abc|");
    check_parts((Parts){ .model = "{'type':'BPE','fuse_unk':true,'unk_token':'<unk>','vocab':{'<unk>':0,"
                                  "'</s>':1,'ab':2,"
                                  "'bc':3,'a':5,'b':6,'c':7,'" SP "':8},'merges':['b c','a b']}" },
                "abcab", SP "|a|bc|ab|");
}

static void completes_old_conversions_without_the_first_merges(void **state)
{
    (void)state;
    check_parts((Parts){ .model = BPE("'b c','a bc','ab c'") }, "abab", SP "|ab|ab|");
    check_parts((Parts){ .model = BPE("'b c','a bc','ab c'") }, "abbc", SP "|ab|bc|");
    check_refused((Parts){ .model = BPE("'a b','a bc','ab c'") }, ERR_UNSUPPORTED,
                  "model.merges never makes 'bc', though its parts are pieces; SentencePiece would");
    check_refused((Parts){ .model = BPE("'a bc','ab c'") }, ERR_UNSUPPORTED,
                  "model.merges makes 'bc' of 0 of the 1 pairs of pieces that it can be made of: SentencePiece uses "
                  "all of them, so it did not train this model");
}

static void ignores_merges_to_special_tokens(void **state)
{
    (void)state;
    check_parts((Parts){ .added = ADDED ",{'id':2,'content':'ab','special':true}",
                         .model = "{'type':'BPE','fuse_unk':true,'unk_token':'<unk>','vocab':{'<unk>':0,"
                                  "'</s>':1,'ab':2,"
                                  "'bc':3,'a':5,'b':6,'c':7,'" SP "':8},'merges':['a b','b c']}" },
                "abc", SP "|a|bc|");
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

static void uses_all_256_byte_pieces_whatever_the_flag_says(void **state)
{
    static const char *const flags[] = { "", "'byte_fallback':false,", "'byte_fallback':true,", "'fuse_unk':false," };
    char *model;

    (void)state;
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

static void takes_the_tokens_around_a_text_from_the_template(void **state)
{
    static const int32_t before[] = { 9, 3 };
    const char *template = TEMPLATE(LANG "," TEXT "," END, ENDS "," LANGS);
    char *sequence = support_format("{'type':'Sequence','processors':[%s]}", template);
    const char *posts[] = { template, sequence };

    (void)state;
    for (size_t i = 0; i < COUNT(posts); i++) {
        TokenizerJson json =
            open_parts((Parts){ .added = ADDED ",{'id':9,'content':'de_DE','special':true}", .post = posts[i] });
        assert_int_equal(json.before.len, 2);
        assert_memory_equal(json.before.data, before, sizeof before);
        assert_int_equal(json.after.len, 1);
        assert_int_equal(json.after.data[0], 1);
        check_encode(&json, "ba", SP "|b|a|"); /* "a" is now a special token; in the input it is plain text */
        assert_true(vocab_find(json.vocab, "a", 1)->special);
        tokenizer_json_free(&json);
    }
    free(sequence);
}

#define TOKENS ADDED ",{'id':7,'content':'<n>','normalized':true},{'id':8,'content':'<x>','normalized':false}"
#define STRIPS "{'type':'Strip','strip_left':false,'strip_right':true}"
#define WORDS  "{'type':'Sequence','pretokenizers':[{'type':'WhitespaceSplit'}," METASPACE "]}"

/* Compares the pieces and added tokens of a text. */
static void check_tokens(const char *folder, Parts parts, const char *text, const char *want)
{
    char *file = make_file(parts), *path = support_write_text(folder, "tokenizer.json", file);
    Tokenizer *tokenizer;
    Encoding encoding = { 0 };
    Buf got = { 0 };
    Err err;

    assert_ok(open_tokenizer(&tokenizer, folder, "t5", NULL, NULL, &err), &err);
    assert_ok(tokenizer_encode(tokenizer, text, strlen(text), &encoding, &err), &err);
    for (size_t i = 0; i < encoding.pieces; i++) {
        const char *piece = tokenizer_source_piece(tokenizer, encoding.ids.data[encoding.body + i]);
        join(&got, piece, strlen(piece));
    }
    assert_string_equal(got.data, want);
    buf_free(&got);
    encoding_free(&encoding);
    tokenizer_free(tokenizer);
    free(path);
    free(file);
}

static void keeps_the_space_before_an_added_token_as_the_steps_say(void **state)
{
    Parts joins = { .added = TOKENS }, words = { .added = TOKENS, .pre = WORDS };
    Parts strips = { .added = TOKENS, .normalizer = "{'type':'Sequence','normalizers':[" STRIPS "," JOINS "]}" };

    check_tokens(*state, joins, "ab <n>ab  <x> <n> ab ", SP "ab|" SP "|<n>|" SP "ab|" SP "|<x>|" SP "|<n>|" SP "ab|");
    check_tokens(*state, joins, " <n>", SP "|<n>|");
    check_tokens(*state, strips, "ab <n> ab <x> <n>", SP "ab|" SP "|<n>|" SP "ab|<x>|" SP "|<n>|");
    check_tokens(*state, words, "ab <n> ab <x> ", SP "ab|<n>|" SP "ab|<x>|");
}

static void gives_a_kept_space_its_own_bytes(void **state)
{
    static const Range want[] = { { 0, 2 }, { 2, 3 }, { 3, 6 }, { 7, 8 }, { 8, 11 }, { 11, 11 } };
    char *file = make_file((Parts){ .added = TOKENS }), *path = support_write_text(*state, "tokenizer.json", file);
    Tokenizer *tokenizer;
    RangeList ranges = { 0 };
    Encoding encoding = { .ranges = &ranges };
    Err err;

    assert_ok(open_tokenizer(&tokenizer, *state, "t5", NULL, NULL, &err), &err);
    assert_ok(tokenizer_encode(tokenizer, "ab <n>  <x>", 11, &encoding, &err), &err);
    assert_int_equal(ranges.len, COUNT(want));
    for (size_t i = 0; i < COUNT(want); i++) {
        assert_int_equal(ranges.data[i].begin, want[i].begin);
        assert_int_equal(ranges.data[i].end, want[i].end);
    }
    ranges_free(&ranges);
    encoding_free(&encoding);
    tokenizer_free(tokenizer);
    free(path);
    free(file);
}

static void adds_no_space_after_an_added_token_to_one_that_is_there(void **state)
{
    Parts parts = { .added = TOKENS, .normalizer = "{'type':'NFKC'}" };

    check_tokens(*state, parts, "ab <x> abb<n>ab", SP "ab|" SP "|<x>|" SP "ab|b|<n>|" SP "ab|");
    check_tokens(*state, parts, "<x>  ab ", "<x>|" SP "|" SP "ab|" SP "|");
}

TEST_FILE(test_tokenizer_json)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encodes_with_a_unigram_model_by_its_scores),
        cmocka_unit_test(takes_ids_and_special_tokens_from_the_file),
        cmocka_unit_test(accepts_a_special_token_listed_twice),
        cmocka_unit_test(treats_special_tokens_as_text_but_not_user_defined_symbols),
        cmocka_unit_test(changes_nothing_with_an_empty_character_map),
        cmocka_unit_test(applies_normalization_forms_first),
        cmocka_unit_test(places_spaces_as_the_steps_say),
        cmocka_unit_test(begins_texts_as_the_decoder_says),
        cmocka_unit_test(refuses_to_strip_more_than_the_first_space),
        cmocka_unit_test(keeps_spaces_if_a_piece_has_two_of_them),
        cmocka_unit_test(merges_in_the_order_of_the_list),
        cmocka_unit_test(completes_old_conversions_without_the_first_merges),
        cmocka_unit_test(ignores_merges_to_special_tokens),
        cmocka_unit_test(makes_spaces_of_white_space_as_the_steps_say),
        cmocka_unit_test(reads_the_steps_that_transformers_5_makes),
        cmocka_unit_test(uses_all_256_byte_pieces_whatever_the_flag_says),
        cmocka_unit_test(takes_the_tokens_around_a_text_from_the_template),
        test_with_folder(keeps_the_space_before_an_added_token_as_the_steps_say),
        test_with_folder(gives_a_kept_space_its_own_bytes),
        test_with_folder(adds_no_space_after_an_added_token_to_one_that_is_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
