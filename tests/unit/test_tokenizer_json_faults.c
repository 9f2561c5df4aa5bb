/* test_tokenizer_json_faults.c - rejects a tokenizer.json that is broken or has no equivalent SentencePiece model,
 * with the reason. */
#include "json_parts.h"
#include "view_support.h"

/* Finding all pairs that a piece can be made of takes time quadratic in its length. */
TEST(rejects_long_merged_pieces)
{
    char model[512], piece[258];

    memset(piece, 'a', sizeof piece - 1);
    piece[sizeof piece - 1] = '\0';
    snprintf(model, sizeof model,
             "{'type':'BPE','unk_token':'<unk>','fuse_unk':true,'vocab':{'<unk>':0,'%s':1},'unk_"
             "token':'<unk>','merges':[]}",
             piece);
    check_refused((Parts){ .model = model }, ERR_UNSUPPORTED, "model.vocab: a piece of 257 bytes, more than 256");
}

#define TEN_ENDS      END "," END "," END "," END "," END "," END "," END "," END "," END "," END
#define WORDS(scheme) "{'type':'Sequence','pretokenizers':[{'type':'WhitespaceSplit'},{'type':'Metaspace'," scheme "}]}"

#define SEQUENCE(list, steps) "{'type':'Sequence','" list "':[" steps "]}"
#define FUSE                  "{'type':'Fuse'}"
#define UNESCAPES             "{'type':'Replace','pattern':{'String':'" SP "'},'content':' '}"

#define VOCAB(text) "{'type':'Unigram','unk_id':0,'vocab':" text "}"
#define CHARSMAP(text)                                                                                                 \
    {                                                                                                                  \
        .normalizer = "{'type':'Precompiled','precompiled_charsmap':'" text "'}"                                       \
    }

typedef struct {
    Parts parts;
    const char *message;
} Refusal;

/* Nothing is ignored: an unknown step or field, and steps in an order in which they mean something else. */
TEST(rejects_what_sentencepiece_lacks)
{
    static const Refusal rows[] = {
        { { .model = BPE("'a b','b c','ab c'") },
          "model.merges makes 'abc' of 1 of the 2 pairs of pieces that it can be made of: SentencePiece uses all of "
          "them, so it did not train this model" },
        { { .model = BPE("'a b','ab c','b c','a bc'") },
          "model.merges[3] makes 'abc', which other merges made before 'bc': no scores of SentencePiece give that "
          "order" },
        { { .post = "{'type':'ByteLevel'}" }, "post_processor ByteLevel is not supported" },
        { { .post = "{'type':'PairProcessing'}" }, "post_processor PairProcessing is not supported" },
        { { .normalizer = "{'type':'NFC','form':2}" }, "normalizer NFC: the field 'form' is not supported" },
        { { .normalizer = "{'type':'Strip','strip_left':true,'characters':'x'}" },
          "normalizer Strip: the field 'characters' is not supported" },
        { { .pre = "{'type':'Metaspace','replacement':'" SP "','join':false}" },
          "pre_tokenizer Metaspace: the field 'join' is not supported" },
        { { .pre = SEQUENCE("pretokenizers", "{'type':'WhitespaceSplit','only':' '}," METASPACE) },
          "pre_tokenizer WhitespaceSplit: the field 'only' is not supported" },
        { { .decoder = SEQUENCE("decoders", "{'type':'ByteFallback','errors':'x'}") },
          "decoder ByteFallback: the field 'errors' is not supported" },
        { { .added = ADDED ",{'id':9,'content':'x','once':true}" }, "added_tokens: the field 'once' is not supported" },
        { { .model = "{'type':'Unigram','unk_id':0,'alpha':0.1,'vocab':[['<unk>',0]]}" },
          "model: the field 'alpha' is not supported" },
        { { .model = "{'type':'BPE','unk_id':0,'vocab':{}}" }, "model: the field 'unk_id' is not supported" },
        { { .post = "{'type':'TemplateProcessing','single':[" TEXT "],'trim':true}" },
          "post_processor: the field 'trim' is not supported" },
        { { .normalizer = "null,'postprocessor':{}" }, "the field 'postprocessor' is not supported" },
        { { .normalizer = SEQUENCE("normalizers", ESCAPES "," JOINS) },
          "normalizer Replace of ' {2,}' by ' ' after other changes of spaces is not supported" },
        { { .normalizer = SEQUENCE("normalizers", PREPENDS "," JOINS) },
          "normalizer Replace of ' {2,}' by ' ' after other changes of spaces is not supported" },
        { { .normalizer = SEQUENCE("normalizers", ESCAPES ",{'type':'Strip','strip_right':true}") },
          "normalizer Strip after other changes of spaces is not supported" },
        { { .normalizer = SEQUENCE("normalizers", PREPENDS "," PREPENDS) },
          "normalizer Prepend twice is not supported" },
        { { .normalizer = SEQUENCE("normalizers", ESCAPES ",{'type':'Prepend','prepend':' '}") },
          "normalizer Prepend after Replace of spaces is not supported" },
        { { .normalizer = "{'type':'Replace','pattern':{'Regex':'\\\\A" SP "'},'content':'" SP SP "'}" },
          "normalizer Replace of '\\A" SP "' by '" SP SP "' is not supported" },
        { { .normalizer = "{'type':'Replace','pattern':{'Regex':'\\\\s{2,}|[\\\\n\\\\r\\\\t]'},"
                          "'content':' '}" },
          "normalizer Replace of '\\s{2,}|[\\n\\r\\t]' by ' ' is not supported" },
        { { .normalizer = ESCAPES,
            .pre = "{'type':'Split','pattern':{'String':' '},'behavior':'Removed','invert':true}" },
          "pre_tokenizer Split with 'invert' is not supported" },
        { { .decoder = SEQUENCE("decoders", FUSE "," METASPACE) },
          "decoder Metaspace after another decoder is not supported" },
        { { .decoder = SEQUENCE("decoders", METASPACE "," UNESCAPES) },
          "decoder Replace after Metaspace is not supported" },
        { { .decoder = SEQUENCE("decoders", UNESCAPES "," FUSE ",{'type':'ByteFallback'}") },
          "decoder ByteFallback after Fuse is not supported" },
        { { .decoder = FUSE }, "no step of the decoder replaces U+2581 by spaces" },
        { { .model = "{'type':'BPE','fuse_unk':true,'vocab':{'<unk>':0},'merges':[]}" },
          "model.unk_token is missing, and the model has no byte pieces" },
        { { .normalizer = "{'type':'Lowercase'}" }, "normalizer Lowercase is not supported" },
        { { .normalizer = "{'type':'Sequence','normalizers':[{'type':'Sequence','normalizers':[{'type':"
                          "'StripAccents'}]}]}" },
          "normalizer StripAccents is not supported" },
        { { .normalizer = "{'type':'Sequence','normalizers':[" JOINS ",{'type':'Precompiled'}]}" },
          "normalizer Precompiled after another normalizer is not supported" },
        { { .normalizer = "{'type':'Sequence','normalizers':[" JOINS ",{'type':'NFKC'}]}" },
          "normalizer NFKC after another normalizer is not supported" },
        { { .normalizer = "{'type':'Sequence','normalizers':[{'type':'Nmt'},{'type':'NFC'},{'type':'NFD'},"
                          "{'type':'NFC'},{'type':'NFD'}]}" },
          "normalizer NFD after another normalizer is not supported" },
        { { .normalizer = "{'type':'NFKC'}", .added = ADDED ",{'id':9,'content':'\xef\xac\x81'}" },
          "the added token '\xef\xac\x81' is not in the form of the normalizer" },
        { { .normalizer = "{'type':'Replace','pattern':{'String':'``'},'content':'\\''}" },
          "normalizer Replace of '``' by ''' is not supported" },
        { { .normalizer = "{'type':'Strip','strip_left':true,'strip_right':true}" },
          "normalizer Strip without joining spaces is not supported" },
        { { .normalizer = "{'type':'Prepend','prepend':'x'}" },
          "normalizer Prepend of anything but a space is not supported" },
        { { .pre = "{'type':'Digits','individual_digits':true}" }, "pre_tokenizer Digits is not supported" },
        { { .pre = "{'type':'Metaspace','replacement':'_'}" },
          "pre_tokenizer Metaspace without U+2581 is not supported" },
        { { .pre = "{'type':'Metaspace','prepend_scheme':'x'}" },
          "pre_tokenizer Metaspace with an unknown prepend_scheme is not supported" },
        { { .pre = "{'type':'Split','pattern':{'String':' '}}" }, "pre_tokenizer Split is not supported" },
        { { .pre = WORDS("'prepend_scheme':'never'") },
          "pre_tokenizer Metaspace after WhitespaceSplit without a space before each word is not supported" },
        { { .pre = WORDS("'prepend_scheme':'first'") },
          "pre_tokenizer Metaspace after WhitespaceSplit without a space before each word is not supported" },
        { { .pre = WORDS("'add_prefix_space':false") },
          "pre_tokenizer Metaspace after WhitespaceSplit without a space before each word is not supported" },
        { { .normalizer = ESCAPES, .pre = WORDS("'add_prefix_space':true") },
          "pre_tokenizer WhitespaceSplit after other changes of spaces is not supported" },
        { { .pre = "null" }, "no step replaces spaces by U+2581 (Metaspace), so the model is not from SentencePiece" },
        { { .decoder = "{'type':'WordPiece'}" }, "decoder WordPiece is not supported" },
        { { .decoder = "{'type':'Sequence','decoders':[{'type':'ByteLevel'}]}" },
          "decoder ByteLevel is not supported" },
        { { .model = "{'type':'WordPiece'}" }, "a model of type 'WordPiece' is not supported (Unigram and BPE are)" },
        { { .model = "{'type':'Unigram','unk_id':null,'vocab':[['a',-1],['b',-1]]}" }, "model.unk_id is missing" },
        { { .model = "{'type':'BPE','unk_token':'<unk>','fuse_unk':false,'vocab':{'<unk>':0},'merges':[]}" },
          "model.fuse_unk must be true if the model has no byte pieces" },
        { { .model = "{'type':'BPE','unk_token':'<unk>','vocab':{'<unk>':0},'merges':[]}" },
          "model.fuse_unk must be true if the model has no byte pieces" },
        { { .model = "{'type':'BPE','dropout':0.1,'vocab':{'<unk>':0},'merges':[]}" },
          "model.dropout is not supported" },
        { { .model = "{'type':'BPE','end_of_word_suffix':'</w>','vocab':{'<unk>':0},'merges':[]}" },
          "model.end_of_word_suffix is not supported" },
        { { .model = "{'type':'BPE','continuing_subword_prefix':'##','vocab':{'<unk>':0},'merges':[]}" },
          "model.continuing_subword_prefix is not supported" },
        { { .model = "{'type':'BPE','ignore_merges':true,'vocab':{'<unk>':0},'merges':[]}" },
          "model.ignore_merges is not supported" },
        { { .model = VOCAB("[['<unk>',0],['</s>',0],['a" SP "',-1]]") },
          "pieces with the space after the word are not supported" },
        { { .added = "{'id':9,'content':'x','lstrip':true}" },
          "the added token 'x' has single_word, lstrip or rstrip: not supported" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) check_refused(rows[i].parts, ERR_UNSUPPORTED, rows[i].message);
}

#define BYTES              "{'type':'ByteLevel','add_prefix_space':false}"
#define BYTE_MODEL(merges) "{'type':'BPE','vocab':{'</s>':1,'a':2,'b':3,'ab':4,'\xc4\xa0':5},'merges':[" merges "]}"
#define BYTE_STEPS(steps)  .normalizer = "null", .pre = (steps), .decoder = BYTES, .model = BYTE_MODEL("")
#define SPLIT(pattern)     "{'type':'Split','pattern':" pattern ",'behavior':'Isolated','invert':false}"
#define REGEX(text)        SPLIT("{'Regex':'" text "'}")
#define BEFORE_BYTES(step) SEQUENCE("pretokenizers", step "," BYTES)
#define NO_REGEX(json, text, part)                                                                                     \
    {                                                                                                                  \
        { BYTE_STEPS(BEFORE_BYTES(REGEX(json))) },                                                                     \
            "pre_tokenizer Split: the expression '" text "' is not supported, because of '" part "'"                   \
    }

TEST(rejects_what_byte_level_bpe_lacks)
{
    static const Refusal rows[] = {
        { { .pre = BYTES, .decoder = BYTES }, "normalizer Replace is not supported" },
        { { .normalizer = "null", .pre = BYTES }, "decoder Metaspace is not supported" },
        { { .normalizer = "null", .pre = BYTES, .decoder = "null" },
          "pre_tokenizer ByteLevel without a decoder ByteLevel is not supported" },
        { { .normalizer = "null", .pre = BYTES, .decoder = BYTES },
          "pre_tokenizer ByteLevel with a model of type 'Unigram' is not supported (BPE is)" },
        { { .normalizer = "null",
            .pre = BYTES,
            .decoder = BYTES,
            .model = "{'type':'BPE','byte_fallback':true,'vocab':{'a':0},'merges':[]}" },
          "model.byte_fallback is not supported" },
        { { BYTE_STEPS(SEQUENCE("pretokenizers", BYTES "," BYTES)) },
          "pre_tokenizer ByteLevel after ByteLevel is not supported" },
        { { BYTE_STEPS(SEQUENCE("pretokenizers", BYTES ",{'type':'Digits'}")) },
          "pre_tokenizer Digits after ByteLevel is not supported" },
        { { BYTE_STEPS(SEQUENCE("pretokenizers", "{'type':'Digits'},{'type':'ByteLevel'}")) },
          "pre_tokenizer ByteLevel with add_prefix_space after another step is not supported" },
        { { BYTE_STEPS(BEFORE_BYTES("{'type':'Whitespace'}")) }, "pre_tokenizer Whitespace is not supported" },
        { { BYTE_STEPS(BEFORE_BYTES("{'type':'Split','pattern':{'String':' '},'behavior':'Removes'}")) },
          "pre_tokenizer Split with an unknown behavior is not supported" },
        NO_REGEX("\\\\w+", "\\w+", "\\w+"),
        NO_REGEX("a\\\\bc", "a\\bc", "\\bc"),
        NO_REGEX("(a)\\\\1", "(a)\\1", "\\1"),
        NO_REGEX("\\\\p{Han}", "\\p{Han}", "\\p{Han}"),
        NO_REGEX("[a[b]]", "[a[b]]", "[b]]"),
        NO_REGEX("[a&&b]", "[a&&b]", "&&b]"),
        NO_REGEX("[]a]", "[]a]", "[]a]"),
        NO_REGEX("(a+)+$", "(a+)+$", "$"),
        NO_REGEX("a{2}+", "a{2}+", "{2}+"),
        NO_REGEX("a{,2}", "a{,2}", "{,2}"),
        NO_REGEX("(?<x>a)", "(?<x>a)", "(?<x>a)"),
        NO_REGEX("(*UCP)a", "(*UCP)a", "(*UCP)a"),
        { { BYTE_STEPS(BEFORE_BYTES(REGEX("a*"))) },
          "pre_tokenizer Split: the expression 'a*' is not supported, because it matches empty text" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) check_refused(rows[i].parts, ERR_UNSUPPORTED, rows[i].message);
}

#define MERGES(merges) .normalizer = "null", .pre = BYTES, .decoder = BYTES, .model = BYTE_MODEL(merges)

TEST(rejects_broken_parts_of_byte_level_bpe)
{
    static const Refusal rows[] = {
        { { MERGES("'a b','a b'") }, "model.merges[1] appears twice" },
        { { MERGES("'a  b'") }, "model.merges[0] is not two pieces" },
        { { MERGES("'a b','ab x'") }, "model.merges[1] joins a string that is not a piece" },
        { { MERGES("'b a'") }, "model.merges[0] makes a string that is not a piece" },
        { { .normalizer = "null", .pre = BYTES, .decoder = BYTES, .model = "{'type':'BPE','vocab':{'a':2,'</s>':1}}" },
          "model.merges must be a list" },
        { { MERGES(""), .post = "{'type':'RobertaProcessing','sep':['</s>',1],'cls':['<s>',0]}" },
          "post_processor: the vocabulary has no token '<s>' with the id 0" },
        { { MERGES(""), .post = "{'type':'BertProcessing','sep':['</s>',1]}" },
          "post_processor: a special token needs a string and an id" },
        { { BYTE_STEPS(BEFORE_BYTES(REGEX("(a"))) },
          "pre_tokenizer Split: the expression '(a': missing closing parenthesis (at byte 2)" },
        { { BYTE_STEPS(BEFORE_BYTES("{'type':'Split','behavior':'Isolated'}")) },
          "pre_tokenizer Split needs a 'pattern'" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) check_refused(rows[i].parts, ERR_FORMAT, rows[i].message);
}

TEST(rejects_broken_parts)
{
    static const Refusal rows[] = {
        { { .model = BPE("'a b','a b'") }, "model.merges[1] appears twice" },
        { { .model = BPE("'ab'") }, "model.merges[0] is not two pieces" },
        { { .model = BPE("'a b c'") }, "model.merges[0] is not two pieces" },
        { { .model = BPE("' b'") }, "model.merges[0] is not two pieces" },
        { { .model = BPE("'a '") }, "model.merges[0] is not two pieces" },
        { { .model = BPE("['a']") }, "model.merges[0] is not two pieces" },
        { { .model = BPE("['a','b','c']") }, "model.merges[0] is not two pieces" },
        { { .model = BPE("['a',1]") }, "model.merges[0] is not two pieces" },
        { { .model = BPE("[]") }, "model.merges[0] is not two pieces" },
        { { .model = BPE("{'a':'b'}") }, "model.merges[0] is not two pieces" },
        { { .model = BPE("3") }, "model.merges[0] is not two pieces" },
        { { .model = BPE("'a b','a x'") }, "model.merges[1] joins a string that is not a piece" },
        { { .model = BPE("'a b','a c'") }, "model.merges[1] makes a string that is not a piece" },
        { { .model = "{'type':'BPE','unk_token':'<unk>','fuse_unk':true,'vocab':{'<unk>':0,'</s>':1}}" },
          "model.merges must be a list" },
        { { .model = "{'type':'BPE','unk_token':'<unk>','fuse_unk':true,'vocab':{'<unk>':0,'</"
                     "s>':1},'merges':{}}" },
          "model.merges must be a list" },
        { { .post = "[]" }, "post_processor: must be an object with 'type'" },
        { { .post = "{'type':3}" }, "type must be a string" },
        { { .post = "{'type':'Sequence'}" }, "post_processor: a Sequence needs a list 'processors'" },
        { { .post = "{'type':'TemplateProcessing'}" }, "post_processor: 'single' must be a list" },
        { { .post = TEMPLATE(END, ENDS) }, "post_processor: 'single' must contain the text A exactly once" },
        { { .post = TEMPLATE(TEXT "," TEXT, ENDS) }, "post_processor: 'single' must contain the text A exactly once" },
        { { .post = TEMPLATE("{'Sequence':{'id':'B'}}", ENDS) },
          "post_processor: 'single' must contain the text A exactly once" },
        { { .post = TEMPLATE("3", ENDS) },
          "post_processor: each entry of 'single' must be a SpecialToken or a Sequence" },
        { { .post = TEMPLATE(TEXT "," LANG, ENDS) }, "post_processor: a special token is missing in special_tokens" },
        { { .post = TEMPLATE(TEXT "," LANG, LANGS) },
          "post_processor: the vocabulary has no token 'de_DE' with the id 9" },
        { { .post = TEMPLATE(TEXT "," END, "'</s>':{'ids':[2],'tokens':['</s>']}") },
          "post_processor: the vocabulary has no token '</s>' with the id 2" },
        { { .post = TEMPLATE(TEXT "," END, "'</s>':{'ids':[1,1],'tokens':['</s>']}") },
          "post_processor: 'ids' and 'tokens' differ in length" },
        { { .post = TEMPLATE(TEXT "," END, "'</s>':{'ids':[1],'tokens':['</s>','a']}") },
          "post_processor: 'ids' and 'tokens' differ in length" },
        { { .post = TEMPLATE(TEXT "," END, "'</s>':{'ids':[1.5],'tokens':['</s>']}") },
          "post_processor: a special token needs a string and an id" },
        { { .post = TEMPLATE(TEXT "," END, "'</s>':{'ids':[1],'tokens':[1]}") },
          "post_processor: a special token needs a string and an id" },
        { { .post = TEMPLATE(TEXT "," TEN_ENDS "," TEN_ENDS "," TEN_ENDS "," TEN_ENDS "," TEN_ENDS "," TEN_ENDS
                                  "," TEN_ENDS "," TEN_ENDS "," TEN_ENDS "," TEN_ENDS "," END,
                             ENDS) },
          "post_processor: too many special tokens" },
        { { .normalizer = "{'type':'Replace','pattern':{},'content':' '}" }, "Replace needs 'pattern' and 'content'" },
        { { .normalizer = "3" }, "normalizer must be an object with 'type'" },
        { { .normalizer = "{'type':'Sequence','normalizers':{}}" }, "normalizer Sequence needs a list 'normalizers'" },
        { CHARSMAP("AAAAA"), "precompiled_charsmap is not base64" },
        { CHARSMAP("Z"), "precompiled_charsmap is not base64" },
        { CHARSMAP("Zg="), "precompiled_charsmap is not base64" },
        { CHARSMAP("Zg==="), "precompiled_charsmap is not base64" },
        { CHARSMAP("===="), "precompiled_charsmap is not base64" },
        { CHARSMAP("Z==="), "precompiled_charsmap is not base64" },
        { CHARSMAP("Zg==Zm9v"), "precompiled_charsmap is not base64" },
        { CHARSMAP("Zm=v"), "precompiled_charsmap is not base64" },
        { CHARSMAP("A=A="), "precompiled_charsmap is not base64" },
        { CHARSMAP("-_-_"), "precompiled_charsmap is not base64" },
        { CHARSMAP("Zm9vYm\xc3\xa9"), "precompiled_charsmap is not base64" },
        { CHARSMAP("AAAA"), "broken SentencePiece model: the character map is truncated" },
        { CHARSMAP("AQAAAA=="), "broken SentencePiece model: the character map is truncated" },
        { CHARSMAP("AQAA+/+="), "broken SentencePiece model: the character map is truncated" },
        { CHARSMAP("AAAAAAA="), "broken SentencePiece model: the trie of the character map has a wrong size" },
        { { .model = "null" }, "model must be an object" },
        { { .model = "[]" }, "model must be an object" },
        { { .model = "{'type':3}" }, "type must be a string" },
        { { .model = VOCAB("{}") }, "model.vocab must be a list of [piece, score]" },
        { { .model = VOCAB("[]") }, "model.vocab is empty" },
        { { .model = VOCAB("[['<unk>',0],['</s>',0],3]") }, "model.vocab[2] must be [piece, score]" },
        { { .model = VOCAB("[['<unk>',0],['</s>']]") }, "model.vocab[1] must be [piece, score]" },
        { { .model = VOCAB("[['<unk>',0,0]]") }, "model.vocab[0] must be [piece, score]" },
        { { .model = VOCAB("[[0,'<unk>']]") }, "model.vocab[0] must be [piece, score]" },
        { { .model = VOCAB("[['<unk>',-1e39]]") }, "model.vocab[0] must be [piece, score]" },
        { { .model = VOCAB("[['<unk>',1e999]]") }, "model.vocab[0] must be [piece, score]" },
        { { .model = VOCAB("[['<unk>',0],['',-1]]") }, "model.vocab: piece 1 is empty" },
        { { .model = VOCAB("[['<unk>',0],['a',-1],['a',-2]]") }, "model.vocab: 'a' appears twice" },
        { { .model = "{'type':'Unigram','unk_id':2,'vocab':[['a',-1],['b',-1]]}" },
          "model.unk_id 2 is not in model.vocab" },
        { { .model = "{'type':'BPE','vocab':[]}" }, "model.vocab must be an object of ids" },
        { { .model = "{'type':'BPE','fuse_unk':true,'vocab':{'a':-1}}" },
          "model.vocab: the id of 'a' must be a whole number from 0 to 16777216" },
        { { .model = "{'type':'BPE','fuse_unk':true,'vocab':{'a':0},'merges':[]}" },
          "the unknown token '<unk>' is not in the vocabulary" },
        { { .model = "{'type':'BPE','unk_token':'<unk>','fuse_unk':true,'vocab':{'<unk>':0,'</"
                     "s>':1,'a':2,'b':2},'merges':[]}" },
          "'a' and 'b' have the same id 2" },
        { { .added = "3" }, "added_tokens must be a list of objects" },
        { { .added = "{'id':0}" }, "an added token needs 'id' and 'content'" },
        { { .added = "{'content':'x'}" }, "an added token needs 'id' and 'content'" },
        { { .added = "{'id':-1,'content':'x'}" }, "id must be a whole number from 0 to 16777216" },
        { { .added = "{'id':1e300,'content':'x'}" }, "id must be a whole number from 0 to 16777216" },
        { { .added = "{'id':9,'content':3}" }, "content must be a string" },
        { { .added = "{'id':9,'content':''}" }, "added_tokens: piece 9 is empty" },
        { { .added = "{'id':4,'content':'a'}" }, "the added token 'a' has the id 4, but 3 in the vocabulary" },
        { { .added = "{'id':4,'content':'x'}" }, "'b' and 'x' have the same id 4" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) check_refused(rows[i].parts, ERR_FORMAT, rows[i].message);
}

FOLDER_TEST(names_a_file_that_is_missing_or_not_json)
{
    FREED char *path = support_path(*state, "tokenizer.json");
    TokenizerJson json;
    Err err;

    assert_fails_as(READ_FILE(tokenizer_json_open, &json, path, &err), ERR_IO, &err, "%s: No such file or directory",
                    path);
    tokenizer_json_free(&json);
    free(support_write_text(*state, "tokenizer.json", "[]"));
    assert_fails_as(READ_FILE(tokenizer_json_open, &json, path, &err), ERR_FORMAT, &err, "%s is not a JSON object",
                    path);
    tokenizer_json_free(&json);
}

TESTS(test_tokenizer_json_faults);
