/* test_templates.c - the effect of --from and --to in each family.
 * test_family_tokenizer_golden.c compares texts with transformers; its folders copy_model their SentencePiece
 * models. */
#include "test_support.h"

#include <stdlib.h>
#include <string.h>

#include "template_support.h"

FOLDER_TEST(lists_languages_if_one_is_missing_or_unknown)
{
#define LIST                                                                                                           \
    "the model supports ar_AR, cs_CZ, de_DE, en_XX, es_XX, et_EE, fi_FI, fr_XX, gu_IN, hi_IN, it_IT, ja_XX, kk_KZ, "   \
    "ko_KR, lt_LT, lv_LV, my_MM, ne_NP, nl_XX, ro_RO, ru_RU, si_LK, tr_TR, vi_VN, zh_CN"
    copy_model(*state, "mbart25", "sentencepiece.bpe.model", "sentencepiece.bpe.model");
    check_refused(*state, "mbart", NULL, "xx", ERR_USAGE, SETTING(TO) " xx: unknown language; " LIST);
    check_refused(*state, "mbart", "pt_BR", "de", ERR_USAGE, SETTING(FROM) " pt_BR: unknown language; " LIST);
    check_missing(*state, "mbart", NULL, NULL,
                  "no languages to translate between: give " SETTING(FROM) " and " SETTING(TO) "; " LIST);
    check_missing(*state, "mbart", NULL, "de", "no language to translate from: give " SETTING(FROM) "; " LIST);
    check_missing(*state, "mbart", "en", NULL, "no language to translate into: give " SETTING(TO) "; " LIST);
}

FOLDER_TEST(uses_languages_of_the_files_unless_the_user_names_some)
{
    FREED_BY(free_tokenizer) Tokenizer *tokenizer;

    copy_model(*state, "mbart25", "sentencepiece.bpe.model", "sentencepiece.bpe.model");
    write_json(*state, "tokenizer_config.json",
               "{'tokenizer_class': 'MBartTokenizer', 'src_lang': 'en_XX', 'tgt_lang': 'fr_XX'}");
    check_opened(*state, "mbart", NULL, NULL, MB_FR, -1);
    CHECK_OPENED_IDS(*state, "mbart", NULL, NULL, "the house", 0, THE + 1, HOUSE + 1, 2, MB_EN);

    /* mbart-large-en-ro: the decoder's start token is the language. */
    write_json(*state, "generation_config.json", "{'decoder_start_token_id': 258}");
    assert_int_equal(MB_RO, 258);
    tokenizer = open_with(*state, "mbart", NULL, NULL);
    check_decoder(tokenizer, -1, -1);
    assert_string_equal(tokenizer_target_language(tokenizer), "ro_RO");
    check_opened(*state, "mbart", "de", "en", MB_EN, -1);
    CHECK_OPENED_IDS(*state, "mbart", "de", "en", "the house", 0, THE + 1, HOUSE + 1, 2, MB_DE);

    /* A language that is also forced as first token is replaced. */
    write_json(*state, "generation_config.json", "{'decoder_start_token_id': 258, 'forced_bos_token_id': 258}");
    check_opened(*state, "mbart", NULL, "fr", MB_FR, MB_FR);
}

FOLDER_TEST(needs_no_target_for_a_model_with_one_target_language)
{
    FREED_BY(free_tokenizer) Tokenizer *tokenizer;

    copy_model(*state, "mbart25", "sentencepiece.bpe.model", "sentencepiece.bpe.model");
    write_json(*state, "tokenizer_config.json", "{'tokenizer_class': 'MBart50Tokenizer', 'tgt_lang': 'de_DE'}");
    write_json(*state, "config.json", "{'forced_bos_token_id': 242}");
    tokenizer = open_with(*state, "mbart", "fr", NULL);
    check_decoder(tokenizer, -1, -1);
    assert_string_equal(tokenizer_target_language(tokenizer), "en_XX");
    /* generation_config.json has priority where it exists. */
    write_json(*state, "generation_config.json", "{}");
    check_opened(*state, "mbart", "fr", NULL, -1, MB_DE);
}

/* NLLB with two languages that have their own ids. */
FOLDER_TEST(takes_ids_of_nllb_from_the_folder)
{
    Tokenizer *tokenizer;

    copy_model(*state, "mbart25", "sentencepiece.bpe.model", "sentencepiece.bpe.model");
    write_json(*state, "tokenizer_config.json",
               "{'tokenizer_class': 'NllbTokenizer', 'added_tokens_decoder': {"
               "'0': {'content': '<s>', 'special': true}, '1': {'content': '<pad>', 'special': true},"
               "'2': {'content': '</s>', 'special': true}, '3': {'content': '<unk>', 'special': true},"
               "'300': {'content': 'eng_Latn', 'special': true}, '299': {'content': 'deu_Latn', 'special': true},"
               "'400': {'content': 'tyv_Cyrl', 'special': true}},"
               "'additional_special_tokens': ['deu_Latn', 'eng_Latn', 'tyv_Cyrl']}");
    tokenizer = open_with(*state, "m2m_100", "en", "tyv");
    check_decoder(tokenizer, -1, 400);
    CHECK_IDS(tokenizer, "the house", 1, 300, THE + 1, HOUSE + 1, 2);
    assert_int_equal(tokenizer_facts(tokenizer)->source_vocab, 402); /* <mask> is appended */
    tokenizer_free(tokenizer);

    write_json(*state, "tokenizer_config.json",
               "{'tokenizer_class': 'NllbTokenizer', 'legacy_behaviour': true,"
               "'additional_special_tokens': ['deu_Latn', 'eng_Latn']}");
    write_json(*state, "added_tokens.json", "{'deu_Latn': 500, 'eng_Latn': 501, '<mask>': 502}");
    tokenizer = open_with(*state, "m2m_100", "en", "de");
    check_decoder(tokenizer, -1, 500);
    CHECK_IDS(tokenizer, "the house", 0, THE + 1, HOUSE + 1, 2, 501);
    assert_int_equal(tokenizer_facts(tokenizer)->source_vocab, 503);
    tokenizer_free(tokenizer);
}

FOLDER_TEST(knows_all_languages_of_nllb_without_a_list)
{
    FREED_BY(free_tokenizer) Tokenizer *tokenizer;

    copy_model(*state, "mbart25", "sentencepiece.bpe.model", "sentencepiece.bpe.model");
    write_json(*state, "tokenizer_config.json", "{'tokenizer_class': 'NllbTokenizer'}");
    tokenizer = open_with(*state, "m2m_100", "en", "fr");
    assert_int_equal(tokenizer_facts(tokenizer)->language_count, 202);
    assert_string_equal(tokenizer_facts(tokenizer)->languages[201].name, "zul_Latn");
    check_refused(*state, "m2m_100", "en", "zh", ERR_USAGE,
                  SETTING(TO) " zh: ambiguous, this model has: zho_Hans, zho_Hant");
}

FOLDER_TEST(recognizes_small100_by_class_file_or_name)
{
    static const char *const configs[] = {
        "{\"tokenizer_class\": \"SMALL100Tokenizer\"}",
        "{\"tokenizer_class\": \"M2M100Tokenizer\", \"name_or_path\": \"alirezamsh/small100\"}",
        "{\"tokenizer_class\": \"M2M100Tokenizer\"}",
    };
    Tokenizer *tokenizer;
    int32_t german = 0;
    FREED_BY(encoding_free) Encoding encoding = { 0 };
    Err err;

    copy_model(*state, "m2m100", "sentencepiece.bpe.model", "sentencepiece.bpe.model");
    copy_model(*state, "m2m100", "vocab.json", "vocab.json");
    write_text(*state, "tokenizer_config.json", configs[2]);
    tokenizer = open_with(*state, "m2m_100", "en", "de");
    german = tokenizer_facts(tokenizer)->forced_bos;
    assert_true(german > 0);
    tokenizer_free(tokenizer);
    for (size_t i = 0; i < COUNT(configs); i++) {
        if (i == 2) write_text(*state, "tokenization_small100.py", "# not run\n");
        write_text(*state, "tokenizer_config.json", configs[i]);
        tokenizer = open_with(*state, "m2m_100", "en", "de");
        check_decoder(tokenizer, -1, -1);
        assert_ok(tokenizer_encode(tokenizer, "the", 3, &encoding, &err), &err);
        assert_int_equal(encoding.ids.len, 3);
        assert_int_equal(encoding.ids.data[0], german);
        tokenizer_free(tokenizer);
        check_missing(*state, "m2m_100", NULL, NULL,
                      "no language to translate into: give " SETTING(TO) "; the model supports af, am,");
        check_missing(*state, "m2m_100", "en", NULL,
                      "no language to translate into: give " SETTING(TO) "; the model supports af, am,");
    }
}

FOLDER_TEST(needs_both_languages_for_m2m100_and_knows_two_lists)
{
    FREED_BY(free_tokenizer) Tokenizer *tokenizer;

    copy_model(*state, "m2m100", "sentencepiece.bpe.model", "sentencepiece.bpe.model");
    copy_model(*state, "m2m100", "vocab.json", "vocab.json");
    tokenizer = open_with(*state, "m2m_100", "__de__", "ZHO_Hans");
    assert_int_equal(tokenizer_facts(tokenizer)->language_count, 100);
    assert_string_equal(tokenizer_target_language(tokenizer), "zh");
    check_missing(*state, "m2m_100", NULL, NULL,
                  "no languages to translate between: give " SETTING(FROM) " and " SETTING(TO) "; the model supports");
    write_json(*state, "tokenizer_config.json", "{'language_codes': 'wmt21'}");
    check_refused(*state, "m2m_100", "en", "fr", ERR_USAGE,
                  SETTING(TO) " fr: unknown language; the model supports en, ha, is, ja, cs, ru, zh, de");
    write_json(*state, "tokenizer_config.json", "{'language_codes': 'wmt22'}");
    check_folder_refused(*state, "m2m_100", "/tokenizer_config.json: language_codes \"wmt22\" must be m2m100 or wmt21");
}

#define T5_CONFIG                                                                                                      \
    "{'vocab_size': 245, 'task_specific_params': {'summarization': {'prefix': 'summarize: '},"                         \
    "'translation_en_to_de': {'prefix': 'translate English to German: '},"                                             \
    "'translation_en_to_fr': {'prefix': 'translate English to French: '}}}"

FOLDER_TEST(chooses_tasks_of_t5_by_codes_and_names)
{
    FREED_BY(free_tokenizer) Tokenizer *tokenizer, *plain;
    FREED_BY(encoding_free) Encoding asked = { 0 }, written = { 0 };
    Err err;

    copy_model(*state, "t5", "spiece.model", "spiece.model");
    write_json(*state, "config.json", T5_CONFIG);
    plain = open_with(*state, "t5", NULL, NULL);
    CHECK_IDS(plain, "the house", 0, THE, HOUSE, 1);
    check_decoder(plain, -1, -1);
    tokenizer = open_with(*state, "t5", "eng_Latn", "german");
    check_decoder(tokenizer, -1, -1);
    assert_string_equal(tokenizer_source_language(tokenizer), "en");
    assert_string_equal(tokenizer_target_language(tokenizer), "de");
    assert_ok(tokenizer_encode(tokenizer, "the house", 9, &asked, &err), &err);
    assert_ok(tokenizer_encode(plain, "translate English to German: the house", 38, &written, &err), &err);
    assert_int_equal(asked.ids.len, written.ids.len);
    assert_memory_equal(asked.ids.data, written.ids.data, asked.ids.len * sizeof(int32_t));
    assert_int_equal(asked.pieces, 2);
    assert_int_equal(written.pieces, 2); /* the user's own prefix also stays around every part */
    /* ... and is not added again. */
    assert_ok(tokenizer_encode(tokenizer, "translate English to French: the house", 38, &asked, &err), &err);
    assert_ok(tokenizer_encode(plain, "translate English to French: the house", 38, &written, &err), &err);
    assert_memory_equal(asked.ids.data, written.ids.data, asked.ids.len * sizeof(int32_t));
    check_refused(*state, "t5", "en", "ro", ERR_USAGE,
                  SETTING(FROM) " en " SETTING(TO) " ro: unknown task; the model translates en-de, en-fr");
    check_refused(
        *state, "t5", "English", NULL, ERR_USAGE,
        SETTING(FROM) " English: ambiguous, this model has several such tasks; the model translates en-de, en-fr");
}

FOLDER_TEST(accepts_embeddings_of_t5_without_the_extra_tokens)
{
    Tokenizer *tokenizer;

    copy_model(*state, "t5", "spiece.model", "spiece.model");
    tokenizer = open_with(*state, "umt5", NULL, NULL);
    assert_int_equal(tokenizer_facts(tokenizer)->source_vocab, FAIRSEQ_PIECES + 100);
    assert_string_equal(tokenizer_target_piece(tokenizer, FAIRSEQ_PIECES), "<extra_id_99>");
    assert_string_equal(tokenizer_target_piece(tokenizer, FAIRSEQ_PIECES + 99), "<extra_id_0>");
    assert_true(tokenizer_target_is_special(tokenizer, FAIRSEQ_PIECES + 99));
    tokenizer_free(tokenizer);
    write_json(*state, "config.json", "{'vocab_size': 240}");
    tokenizer = open_with(*state, "mt5", NULL, NULL);
    assert_int_equal(tokenizer_facts(tokenizer)->source_vocab, 240);
    tokenizer_free(tokenizer);
    check_refused(*state, "mt5", NULL, "de", ERR_USAGE,
                  SETTING(TO) " de: this model's files name no languages to choose from");
}

/* The ids are those of T5Tokenizer in transformers 4.57.1. */
FOLDER_TEST(adds_no_space_after_added_tokens_of_t5_without_legacy)
{
    enum { FOO = 320, X };
    Tokenizer *tokenizer;

    copy_model(*state, "t5-plain", "spiece.model", "spiece.model");
    write_json(*state, "added_tokens.json", "{'foo': 320, '<x>': 321}");
    tokenizer = open_with(*state, "t5", NULL, NULL);
    CHECK_IDS(tokenizer, "the foothe", 0, THE, FOO, THE, 1);
    CHECK_IDS(tokenizer, "the foo  the", 0, THE, FOO, THE, 1);
    tokenizer_free(tokenizer);
    write_json(*state, "tokenizer_config.json", "{'legacy': false}");
    tokenizer = open_with(*state, "t5", NULL, NULL);
    CHECK_IDS(tokenizer, "the house", 0, THE, HOUSE, 1);
    CHECK_IDS(tokenizer, "foothe", 0, FOO, 214, 212, 219, 1);
    CHECK_IDS(tokenizer, "the foohouse", 0, THE, FOO, 212, 215, 210, 213, 219, 1);
    CHECK_IDS(tokenizer, "foo the", 0, FOO, THE, 1);
    CHECK_IDS(tokenizer, "the foo  the ", 0, THE, FOO, THE, 1);
    CHECK_IDS(tokenizer, "the<x>is a", 0, THE, X, 216, 213, 161, 1);
    CHECK_IDS(tokenizer, "foo foo ", 0, FOO, FOO, 1);
    tokenizer_free(tokenizer);
}

FOLDER_TEST(needs_a_code_for_madlad_from_the_user_or_the_line)
{
    enum { SPACE = 267, GERMAN = 5, FRENCH = 6 };
    Tokenizer *tokenizer;
    FREED_BY(encoding_free) Encoding encoding = { 0 };
    Err err = { "" };

    copy_model(*state, "madlad", "spiece.model", "spiece.model");
    write_json(*state, "tokenizer_config.json", "{'extra_ids': 0, 'pad_token': '<s>'}");
    tokenizer = open_with(*state, "t5", NULL, "de");
    assert_int_equal(tokenizer_facts(tokenizer)->language_count, 5);
    CHECK_IDS(tokenizer, "the", 2, SPACE, GERMAN, 353, 2);
    CHECK_IDS(tokenizer, "<2fr> the", 2, SPACE, FRENCH, 353, 2);
    tokenizer_free(tokenizer);
    tokenizer = open_with(*state, "t5", NULL, NULL);
    CHECK_IDS(tokenizer, "<2fr> the", 2, SPACE, FRENCH, 353, 2);
    assert_fails(tokenizer_encode(tokenizer, "<2xx> the", 9, &encoding, &err), ERR_USAGE, &err,
                 "no language to translate into: give " SETTING(
                     TO) ", or begin each line with its code, as in <2code>; the model "
                         "translates into ace, de, fr, zh, zh_Latn");
    tokenizer_free(tokenizer);
    check_refused(*state, "t5", NULL, "xx", ERR_USAGE,
                  SETTING(TO) " xx: unknown language; the model translates into ace, de, fr, zh, zh_Latn");
}

/* The ids are those of tokenizers 0.22.2. */
FOLDER_TEST(finds_added_tokens_with_a_space_without_a_space_before_the_text)
{
    FREED_BY(free_tokenizer) Tokenizer *tokenizer;

    write_json(*state, "tokenizer_config.json", "{'unk_token': '<unk>', 'eos_token': '</s>'}");
    write_json(*state, "tokenizer.json",
               "{'added_tokens': [{'id': 0, 'content': '<unk>', 'special': true}, {'id': 7, 'content': 'a b'},"
               "{'id': 8, 'content': '[X]'}], 'pre_tokenizer': {'type': 'Metaspace', 'replacement': '▁',"
               "'prepend_scheme': 'never'}, 'model': {'type': 'Unigram', 'unk_id': 0, 'vocab': [['<unk>', 0],"
               "['</s>', 0], ['▁', -2], ['a', -2], ['b', -2], ['▁a', -2.5], ['▁b', -2.5]]}}");
    tokenizer = open_with(*state, "bart", NULL, NULL);
    CHECK_IDS(tokenizer, "b a b a", 0, 4, 2, 7, 5);
    CHECK_IDS(tokenizer, "a bb", 0, 7, 4);
    CHECK_IDS(tokenizer, "ab[X] b", 0, 3, 4, 8, 6);
}

FOLDER_TEST(names_added_tokens_with_broken_ids)
{
#define WHOLE " must be a whole number from 0 to 16777216"
    static const char *const rows[][3] = {
        { "tokenizer_config.json", "{'added_tokens_decoder': []}", "added_tokens_decoder must be an object" },
        { "tokenizer_config.json", "{'added_tokens_decoder': {'x': {'content': 'a'}}}",
          "added_tokens_decoder must map ids to tokens" },
        { "tokenizer_config.json", "{'added_tokens_decoder': {'-1': {'content': 'a'}}}",
          "the id of the token \"a\"" WHOLE },
        { "tokenizer_config.json", "{'added_tokens_decoder': {'1': {}}}", "an added token has no content" },
        { "added_tokens.json", "{'a': 1e99}", "the id of the token \"a\"" WHOLE },
        { "tokenizer.json", "{'added_tokens': [7]}", "added_tokens must be a list of objects" },
    };

    copy_model(*state, "t5", "spiece.model", "spiece.model");
    for (size_t i = 0; i < COUNT(rows); i++) {
        FREED char *message = support_format("/%s: %s", rows[i][0], rows[i][2]);
        write_json(*state, rows[i][0], rows[i][1]);
        check_folder_refused(*state, "t5", message);
        write_text(*state, rows[i][0], "{}");
    }
}

FOLDER_TEST(refuses_a_broken_tokenizer_json_beside_a_model_file)
{
    static const char *const broken[] = { "", "{\"model\": {", "[]" };
    Tokenizer *tokenizer;
    Err err;

    copy_model(*state, "t5", "spiece.model", "spiece.model");
    /* Without this list, the added tokens come from tokenizer.json, which would fail for that reason. */
    write_json(*state, "tokenizer_config.json", "{'added_tokens_decoder': {}}");
    for (size_t i = 0; i < COUNT(broken); i++) {
        write_text(*state, "tokenizer.json", broken[i]);
        assert_int_equal(open_tokenizer(&tokenizer, *state, "t5", NULL, NULL, &err), ERR_FORMAT);
        assert_non_null(strstr(err.text, "/tokenizer.json"));
    }
    write_json(*state, "tokenizer.json", "{'model': {'type': 'WordPiece'}}");
    tokenizer = open_with(*state, "t5", NULL, NULL);
    tokenizer_free(tokenizer);
}

TESTS(test_templates);
