/* test_byte_level.c - byte-level BPE: words, merges, unknown characters, ranges and decoding, from tokenizer.json.
 * test_tokenizer_json_faults.c tests rejected files, test_tokenizer_class.c those with vocab.json and merges.txt. */
#include "json_parts.h"

#define G "\xc4\xa0" /* U+0120, a space */

#define BYTES       "{'type':'ByteLevel','add_prefix_space':false,'trim_offsets':true,'use_regex':true}"
#define ONLY_BYTES  "{'type':'ByteLevel','add_prefix_space':false,'use_regex':false}"
#define PREFIXED    "{'type':'ByteLevel','add_prefix_space':true}"
#define SEQUENCE(x) "{'type':'Sequence','pretokenizers':[" x "]}"
#define VOCAB                                                                                                          \
    "'</s>':0,'a':1,'b':2,'c':3,'" G "':4,'1':5,'\xc3\x83':6,'\xc2\xa9':7,'!':8,'ab':9,'bc':10,'abc':11,'" G           \
    "a':12,'" G G "':13,'\xc3\x83\xc2\xa9':14,'12':15,'2':16,'cab':17"
#define MERGES                                                                                                         \
    "'b c','a b',"                                                                                                     \
    "['a','bc'],'" G " a','" G " " G "','\xc3\x83 \xc2\xa9','1 2'"
#define MODEL(more) "{'type':'BPE'," more "'vocab':{" VOCAB "},'merges':[" MERGES "]}"
#define STEPS(p, m)                                                                                                    \
    {                                                                                                                  \
        .normalizer = "null", .pre = (p), .decoder = BYTES, .added = "", .model = (m)                                  \
    }
#define SPLIT(pattern, kind, inverts)                                                                                  \
    STEPS(SEQUENCE("{'type':'Split','pattern':" pattern ",'behavior':'" kind "','invert':" inverts "}," ONLY_BYTES),   \
          MODEL(""))
#define LETTERS "{'Regex':'[abc]'}"

TEST(splits_words_and_joins_by_the_order_of_merges)
{
    static const struct {
        Parts parts;
        const char *text, *pieces;
    } rows[] = {
        { STEPS(BYTES, MODEL("")), "abc abc", "abc|" G "|abc|" },
        { STEPS(BYTES, MODEL("")), "ab!  a", "ab|!|" G "|" G "a|" },
        { STEPS(BYTES, MODEL("")),
          "\xc3\xa9"
          "12",
          "\xc3\x83\xc2\xa9|12|" },
        { STEPS(PREFIXED, MODEL("")), "a a", G "a|" G "a|" },
        { STEPS(PREFIXED, MODEL("")), " a", G "a|" },
        { STEPS(ONLY_BYTES, MODEL("")), "a  a", "a|" G "|" G "a|" },
        { STEPS(BYTES, MODEL("'ignore_merges':true,")), "cab cab", "cab|" G "|c|ab|" },
        { STEPS(SEQUENCE("{'type':'Digits','individual_digits':true}," BYTES), MODEL("")), "12", "1|2|" },
        { STEPS(SEQUENCE("{'type':'Digits','individual_digits':false}," ONLY_BYTES), MODEL("")), "a12b", "a|12|b|" },
        { { .normalizer = "{'type':'NFC'}", .pre = BYTES, .decoder = BYTES, .added = "", .model = MODEL("") },
          "e\xcc\x81",
          "\xc3\x83\xc2\xa9|" },
        /* Characters without a piece: dropped, or unknown. */
        { STEPS(BYTES, MODEL("")), "axb", "ab|" },
        { STEPS(BYTES, MODEL("'unk_token':'</s>',")), "axyb", "a|x|y|b|" },
        { STEPS(BYTES, MODEL("'unk_token':'</s>','fuse_unk':true,")), "axyb", "a|xy|b|" },
        /* U+180E is no white space, but U+0085 and U+3000 are. */
        { STEPS(BYTES, MODEL("")),
          "a\xe1\xa0\x8e"
          "b a\xc2\x85"
          "b\xe3\x80\x80"
          "c",
          "a|b|" G "a|b|c|" },
        /* What becomes of matches. */
        { SPLIT("{'String':'a'}", "Isolated", "false"), "abc", "a|bc|" },
        { SPLIT("{'String':'b'}", "Removed", "false"), "abc", "a|c|" },
        { SPLIT(LETTERS, "Isolated", "false"), "ab1", "a|b|1|" },
        { SPLIT(LETTERS, "Contiguous", "false"), "ab12", "ab|12|" },
        { SPLIT(LETTERS, "MergedWithPrevious", "false"), "12ab", "12|a|b|" },
        { SPLIT("{'Regex':'b'}", "MergedWithPrevious", "false"), "abc", "ab|c|" },
        { SPLIT("{'Regex':'b'}", "MergedWithNext", "false"), "abc", "a|bc|" },
        { SPLIT(LETTERS, "Removed", "true"), "1ab2", "a|b|" },
        { SPLIT("{'Regex':'b'}", "MergedWithNext", "true"), "abc", "ab|c|" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) check_parts(rows[i].parts, rows[i].text, rows[i].pieces);
}

static void ignore_piece(void *context, const char *piece, size_t len)
{
    (void)context;
    (void)piece;
    (void)len;
}

TEST(gives_the_ranges_of_tokenizers)
{
#define TRIMS(prefix)                                                                                                  \
    "{'type':'RobertaProcessing','sep':['</s>',0],'cls':['</s>',0],'trim_offsets':true,'add_prefix_space':" prefix "}"
    static const struct {
        const char *pre, *post, *text;
        Range ranges[4]; /* up to an empty one at 0 */
    } rows[] = {
        { BYTES, NULL, "a a", { { 0, 1 }, { 1, 3 } } },
        { BYTES, TRIMS("false"), "a a", { { 0, 1 }, { 2, 3 } } },
        { BYTES, TRIMS("false"), " a a", { { 1, 2 }, { 3, 4 } } },
        { BYTES, TRIMS("true"), " a a", { { 0, 2 }, { 3, 4 } } },
        { PREFIXED, TRIMS("true"), "a", { { 0, 1 } } },
        { BYTES, "{'type':'ByteLevel','trim_offsets':true}", "a  ", { { 0, 1 }, { 3, 3 } } },
        { ONLY_BYTES, NULL, "1\xc3\xa9", { { 0, 1 }, { 1, 3 } } },
        /* Each part of a character has its range. */
        { ONLY_BYTES, NULL, "\xc3\x83!", { { 0, 2 }, { 2, 3 } } },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        TokenizerJson json = open_parts((Parts){ .normalizer = "null",
                                                 .pre = rows[i].pre,
                                                 .post = rows[i].post,
                                                 .decoder = BYTES,
                                                 .added = "",
                                                 .model = MODEL("") });
        RangeList ranges = { 0 };
        Err err;
        assert_ok(sp_shim_encode(json.sp, (SpEdges){ 0 }, rows[i].text, strlen(rows[i].text), ignore_piece, NULL,
                                 &ranges, &err),
                  &err);
        for (size_t k = 0; k < ranges.len; k++)
            if (ranges.data[k].begin != rows[i].ranges[k].begin || ranges.data[k].end != rows[i].ranges[k].end)
                fail_msg("row %zu: range %zu is [%zu, %zu)", i, k, ranges.data[k].begin, ranges.data[k].end);
        ranges_free(&ranges);
        tokenizer_json_free(&json);
    }
}

/* "é" and half of it, a piece that is not a sequence of bytes, and an incomplete character. */
TEST(decodes_the_bytes_of_all_pieces_together)
{
    static const char *const pieces[] = { "a", "\xc3\x83", "\xc2\xa9" G "b", SP, "\xc3\xa2\xc4\xa4", "c" };
    static const Range wanted[] = { { 0, 1 }, { 1, 1 }, { 1, 5 }, { 5, 8 }, { 8, 11 }, { 11, 12 } };
    TokenizerJson json = open_parts((Parts)STEPS(BYTES, MODEL("")));
    FREED_BY(buf_free) Buf text = { 0 };
    Range ranges[COUNT(pieces)];
    Err err;

    assert_ok(sp_decode(&json.sp->traits, pieces, COUNT(pieces), &text, ranges, &err), &err);
    assert_string_equal(text.data, "a\xc3\xa9 b" SP "\xef\xbf\xbd"
                                   "c");
    for (size_t i = 0; i < COUNT(pieces); i++)
        if (ranges[i].begin != wanted[i].begin || ranges[i].end != wanted[i].end)
            fail_msg("range %zu is [%zu, %zu)", i, ranges[i].begin, ranges[i].end);
    assert_string_equal(sp_piece_spelling(&json.sp->traits, G "a"), SP "a");
    assert_string_equal(sp_piece_spelling(&json.sp->traits, "\xc3\x83"), "\xc3");
    assert_string_equal(sp_piece_spelling(&json.sp->traits, "xyz"), "xyz");
    tokenizer_json_free(&json);
}

TEST(stops_an_expression_that_takes_too_many_steps)
{
    TokenizerJson json = open_parts((Parts)SPLIT("{'Regex':'(a+)+[b!]'}", "Isolated", "false"));
    FREED char *text = malloc(1000);
    Err err;

    memset(text, 'a', 1000);
    assert_fails(sp_shim_encode(json.sp, (SpEdges){ 0 }, text, 1000, ignore_piece, NULL, NULL, &err), ERR_FORMAT, &err,
                 "an expression of the tokenizer needs too many steps for a text of 1000 bytes");
    tokenizer_json_free(&json);
}

static void count_piece(void *context, const char *piece, size_t len)
{
    (void)piece;
    (void)len;
    ++*(size_t *)context;
}

TEST(encodes_long_words_and_long_runs_of_spaces)
{
    enum { SIZE = 100000 };
    TokenizerJson json = open_parts((Parts)STEPS(BYTES, MODEL("")));
    FREED char *text = malloc(2 * SIZE);
    size_t count = 0;
    Err err;

    for (size_t i = 0; i < SIZE; i++) text[i] = "abc"[i % 3];
    memset(text + SIZE, ' ', SIZE);
    assert_ok(sp_shim_encode(json.sp, (SpEdges){ 0 }, text, (size_t)2 * SIZE, count_piece, &count, NULL, &err), &err);
    assert_int_equal(count, 33334 + SIZE / 2);
    tokenizer_json_free(&json);
}

TESTS(test_byte_level);
