/* test_tokenizer_class.c - which tokenizer a folder gets: by its tokenizer_class, the size of its embeddings, or its
 * vocabulary. */
#include "test_support.h"

#include <stdlib.h>
#include <string.h>

#include "template_support.h"

FOLDER_TEST(distinguishes_mbart_25_and_50_by_class_or_size)
{
    Tokenizer *tokenizer;

    copy_model(*state, "mbart25", "sentencepiece.bpe.model", "sentencepiece.bpe.model");
    write_json(*state, "tokenizer_config.json", "{'tokenizer_class': 'MBart50TokenizerFast'}");
    tokenizer = open_with(*state, "mbart", "en", "de");
    check_decoder(tokenizer, -1, MB_DE);
    CHECK_IDS(tokenizer, "the house", 1, MB_EN, THE + 1, HOUSE + 1, 2);
    assert_int_equal(tokenizer_facts(tokenizer)->language_count, 52);
    assert_string_equal(tokenizer_source_language(tokenizer), "en_XX");
    assert_string_equal(tokenizer_target_language(tokenizer), "de_DE");
    assert_true(tokenizer_facts(tokenizer)->chooses_source);
    tokenizer_free(tokenizer);

    write_json(*state, "tokenizer_config.json", "{}");
    write_json(*state, "config.json", "{'tokenizer_class': 'MBartTokenizer'}");
    tokenizer = open_with(*state, "mbart", "en", "de");
    check_decoder(tokenizer, MB_DE, -1);
    CHECK_IDS(tokenizer, "the house", 0, THE + 1, HOUSE + 1, 2, MB_EN);
    assert_int_equal(tokenizer_facts(tokenizer)->language_count, 25);
    tokenizer_free(tokenizer);

    write_json(*state, "config.json", "{'vocab_size': 292}");
    check_opened(*state, "mbart", "en", "de", -1, MB_DE);
    write_json(*state, "config.json", "{'vocab_size': 265}");
    check_opened(*state, "mbart", "en", "de", MB_DE, -1);
    write_json(*state, "tokenizer_config.json", "{'tokenizer_class': 'TokenizersBackend'}");
    check_opened(*state, "mbart", "en", "de", MB_DE, -1);
    write_json(*state, "config.json", "{'vocab_size': 240}"); /* no room for languages: XLM-RoBERTa's tokenizer */
    CHECK_OPENED_IDS(*state, "mbart", NULL, NULL, "the house", 1, 0, THE + 1, HOUSE + 1, 2);
}

/* Checks that two tokenizers have the same languages and encode a text in the same way, and frees them. */
static void check_same(Tokenizer *a, Tokenizer *b)
{
    const TokenizerFacts *x = tokenizer_facts(a), *y = tokenizer_facts(b);
    FREED_BY(encoding_free) Encoding one = { 0 }, other = { 0 };
    Err err;

    assert_int_equal(x->language_count, y->language_count);
    assert_int_equal(x->forced_bos, y->forced_bos);
    assert_int_equal(x->decoder_start, y->decoder_start);
    assert_ok(tokenizer_encode(a, "the house", 9, &one, &err), &err);
    assert_ok(tokenizer_encode(b, "the house", 9, &other, &err), &err);
    assert_int_equal(one.ids.len, other.ids.len);
    assert_memory_equal(one.ids.data, other.ids.data, one.ids.len * sizeof *one.ids.data);
    tokenizer_free(a);
    tokenizer_free(b);
}

FOLDER_TEST(uses_tokenizer_json_without_a_model_file)
{
    copy_model(*state, "nllb-saved", "tokenizer.json", "tokenizer.json");
    copy_model(*state, "nllb-saved", "tokenizer_config.json", "tokenizer_config.json");
    check_same(open_with(*state, "m2m_100", "de", "zho_Hant"),
               open_with(MODELS "nllb-saved", "m2m_100", "de", "zho_Hant"));
}

static void check_same_as_class(const char *folder, const char *type, const char *class_name, const char *wanted)
{
    FREED char *own = support_format("{'tokenizer_class': '%s', 'additional_special_tokens': []}", wanted);
    FREED char *generic =
        support_format("{%s%s%s 'additional_special_tokens': []}", *class_name ? "'tokenizer_class': '" : "",
                       class_name, *class_name ? "'," : "");
    Tokenizer *named;

    write_json(folder, "tokenizer_config.json", own);
    named = open_with(folder, type, "en", "de");
    write_json(folder, "tokenizer_config.json", generic);
    check_same(named, open_with(folder, type, "en", "de"));
    check_missing(folder, type, "en", NULL, "no language to translate into: give " SETTING(TO));
}

/* Classes that every tokenizer may have, and classes of users, say nothing about languages: the vocabulary does. */
FOLDER_TEST(finds_languages_in_the_vocabulary_if_the_class_does_not_tell)
{
    static const char *const classes[] = { "PreTrainedTokenizerFast", "PreTrainedTokenizer", "TokenizersBackend",
                                           "MyTokenizer", "" };
    static const struct {
        const char *file, *wanted;
    } rows[] = { { GOLDEN_ROOT "/families/mbart50-fast-only/tokenizer.json", "MBart50Tokenizer" },
                 { GOLDEN_ROOT "/tokenizer_json/mbart25/tokenizer.json", "MBartTokenizer" },
                 { MODELS "nllb-saved/tokenizer.json", "NllbTokenizer" } };

    for (size_t i = 0; i < COUNT(rows); i++) {
        support_copy_file(rows[i].file, *state, "tokenizer.json");
        for (size_t k = 0; k < COUNT(classes); k++) {
            check_same_as_class(*state, "mbart", classes[k], rows[i].wanted);
            if (i < 2) check_same_as_class(*state, "bart", classes[k], rows[i].wanted);
        }
    }
}

FOLDER_TEST(explains_which_tokenizer_is_unsupported)
{
    check_folder_refused(*state, "t5",
                         ": no tokenizer: expected sentencepiece.bpe.model, spiece.model, sentencepiece.model, "
                         "tokenizer.model or tokenizer.json");
    write_json(*state, "tokenizer_config.json", "{'tokenizer_class': 'IndicBartTokenizer'}");
    check_folder_refused(*state, "mbart",
                         ": the tokenizer class \"IndicBartTokenizer\" is not supported for this model without a "
                         "tokenizer.json; BarthezTokenizer, MBartTokenizer, MBart50Tokenizer, NllbTokenizer and "
                         "XLMRobertaTokenizer are");
    write_json(*state, "tokenizer_config.json", "{'tokenizer_class': 'BartTokenizer'}");
    write_text(*state, "merges.txt", "#version: 0.2\n");
    check_folder_refused(*state, "bart",
                         ": vocab.json is missing, which has the ids of the model's pieces; copy it from the model on "
                         "the hub that this one was made from, or save the tokenizer into this folder with "
                         "save_pretrained() of transformers");
    check_folder_refused(*state, "t5",
                         ": byte-level BPE tokenizers (vocab.json and merges.txt) are not supported for this family, "
                         "only for BART and for T5 with the tokenizer_class RobertaTokenizer");
    check_folder_refused(*state, "gpt2", ": no tokenizer for models of type \"gpt2\"");
}

/* Writes the files of the folder. */
static void write_files(const char *folder, const char *merges)
{
    copy_model(folder, "bart", "vocab.json", "vocab.json");
    write_json(folder, "tokenizer_config.json", "{'tokenizer_class': 'BartTokenizer'}");
    write_text(folder, "merges.txt", merges);
}

FOLDER_TEST(reads_merges_like_transformers)
{
    /* The first line is a comment, and the last one has no newline. */
    write_files(*state, "a b\nc h\r\n\xc4\xa0 t");
    Tokenizer *tokenizer = open_with(*state, "bart", NULL, NULL);
    const int32_t wanted[] = { 0, tokenizer_find_source(tokenizer, "ch", 2),
                               tokenizer_find_source(tokenizer, "\xc4\xa0", 2),
                               tokenizer_find_source(tokenizer, "t", 1), 2 };
    check_ids(tokenizer, "ch t", wanted, COUNT(wanted), 1);
    assert_string_equal(tokenizer_source_spelling(tokenizer, wanted[2]), "\xe2\x96\x81");
    tokenizer_free(tokenizer);
}

/* Published models of BART for summaries have no embedding for <mask>, here the last token. */
FOLDER_TEST(the_mask_needs_no_embedding)
{
    write_files(*state, "\nc h\n");
    write_json(*state, "config.json", "{'vocab_size': 329}");
    Tokenizer *tokenizer = open_with(*state, "bart", NULL, NULL);
    assert_int_equal(tokenizer_facts(tokenizer)->source_vocab, 330);
    tokenizer_free(tokenizer);
    write_json(*state, "tokenizer_config.json",
               "{'tokenizer_class': 'BartTokenizer', 'mask_token': '\xc3\x83\xc2\xbc"
               "ber'}");
    tokenizer = open_with(*state, "bart", NULL, NULL);
    const int32_t wanted[] = { 0, tokenizer_find_source(tokenizer, "ch", 2), 2 };
    assert_int_equal(tokenizer_facts(tokenizer)->source_vocab, 329);
    check_ids(tokenizer, "ch", wanted, COUNT(wanted), 1);
    tokenizer_free(tokenizer);
}

FOLDER_TEST(codet5_has_the_tokens_of_roberta)
{
    write_files(*state, "\nc h\n");
    write_json(*state, "tokenizer_config.json", "{'tokenizer_class': 'RobertaTokenizer'}");
    Tokenizer *tokenizer = open_with(*state, "t5", NULL, NULL);
    const int32_t wanted[] = { 0, tokenizer_find_source(tokenizer, "ch", 2), 2 };
    check_ids(tokenizer, "ch", wanted, COUNT(wanted), 1);
    tokenizer_free(tokenizer);

    write_json(*state, "tokenizer_config.json", "{'tokenizer_class': 'TokenizersBackend'}");
    write_json(
        *state, "tokenizer.json",
        "{'model': {'type': 'BPE', 'vocab': {'a': 0, '<unk>': 1, '</s>': 2}, 'merges': [], 'unk_token': '<unk>'}, "
        "'pre_tokenizer': {'type': 'ByteLevel', 'add_prefix_space': false}, 'decoder': {'type': 'ByteLevel'}}");
    check_folder_refused(*state, "t5",
                         ": T5 with byte-level BPE is supported only with the tokenizer_class RobertaTokenizer, as "
                         "CodeT5 has it");
}

FOLDER_TEST(rejects_broken_merges)
{
    static const char *const rows[][2] = {
        { "\nc h\n\n", "/merges.txt: the merge in line 3 is not two pieces" },
        { "\nc h x\n", "/merges.txt: the merge in line 2 is not two pieces" },
        { "\nc h\nc h\n", "/merges.txt: the merge in line 3 appears twice" },
        { "\nthe\xff h\n", "/merges.txt: the merge in line 2 joins a string that is not a piece" },
        { "\nq q\n", "/merges.txt: the merge in line 2 makes a string that is not a piece" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        write_files(*state, rows[i][0]);
        check_folder_refused(*state, "bart", rows[i][1]);
    }
}

/* The file has SentencePiece's own control pieces first, as the files of SeamlessM4T do. */
FOLDER_TEST(seamless_has_the_ids_of_its_generation_config)
{
    Tokenizer *tokenizer;
    Err err;

    copy_model(*state, "nllb", "sentencepiece.bpe.model", "sentencepiece.bpe.model");
    write_json(*state, "tokenizer_config.json",
               "{'tokenizer_class': 'SeamlessM4TTokenizer', 'src_lang': '__eng__', 'tgt_lang': '__fra__', "
               "'added_tokens_decoder': {'900': {'content': '__cmn_Hant__', 'special': true}}, "
               "'additional_special_tokens': ['__eng__', '__fra__', '__cmn_Hant__', '____', '__zlm__']}");
    tokenizer = open_with(*state, "seamless_m4t", "ms", "zh-TW");
    check_decoder(tokenizer, -1, 900);
    assert_int_equal(tokenizer_facts(tokenizer)->language_count, 4);
    assert_string_equal(tokenizer_source_language(tokenizer), "zlm");
    assert_string_equal(tokenizer_target_language(tokenizer), "cmn_Hant");
    tokenizer_free(tokenizer);

    write_json(*state, "generation_config.json", "{'text_decoder_lang_to_code_id': {'cmn_Hant': 7, 'eng': 'x'}}");
    check_opened(*state, "seamless_m4t_v2", "en", "cmn_Hant", -1, 7);
    tokenizer = open_with(*state, "seamless_m4t_v2", NULL, NULL); /* the languages of the class mean nothing */
    assert_null(tokenizer_source_language(tokenizer));
    assert_int_equal(tokenizer_check_languages(tokenizer, &err), ERR_USAGE);
    tokenizer_free(tokenizer);
    for (size_t i = 0; i < 2; i++) {
        static const char *const to[] = { "fra", "eng" };
        FREED char *message = support_format("%s/generation_config.json: text_decoder_lang_to_code_id has no id for "
                                             "\"%s\": the model does not translate into it",
                                             (char *)*state, to[i]);
        check_refused(*state, "seamless_m4t_v2", to[1 - i], to[i], ERR_UNSUPPORTED, message);
    }
}

TESTS(test_tokenizer_class);
