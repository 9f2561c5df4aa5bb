/* test_tokenizer_class.c - which tokenizer a folder gets: by its tokenizer_class, the size of its embeddings, or its
 * vocabulary. */
#include "test_support.h"

#include <stdlib.h>
#include <string.h>

#include "template_support.h"

static void distinguishes_mbart_25_and_50_by_class_or_size(void **state)
{
    Tokenizer *tokenizer;

    copy_model(*state, "mbart25", "sentencepiece.bpe.model", "sentencepiece.bpe.model");
    write_text(*state, "tokenizer_config.json", "{\"tokenizer_class\": \"MBart50TokenizerFast\"}");
    tokenizer = open_with(*state, "mbart", "en", "de");
    check_decoder(tokenizer, -1, MB_DE);
    CHECK_IDS(tokenizer, "the house", 1, MB_EN, THE + 1, HOUSE + 1, 2);
    assert_int_equal(tokenizer_facts(tokenizer)->language_count, 52);
    assert_string_equal(tokenizer_source_language(tokenizer), "en_XX");
    assert_string_equal(tokenizer_target_language(tokenizer), "de_DE");
    assert_true(tokenizer_facts(tokenizer)->chooses_source);
    tokenizer_free(tokenizer);

    write_text(*state, "tokenizer_config.json", "{}");
    write_text(*state, "config.json", "{\"tokenizer_class\": \"MBartTokenizer\"}");
    tokenizer = open_with(*state, "mbart", "en", "de");
    check_decoder(tokenizer, MB_DE, -1);
    CHECK_IDS(tokenizer, "the house", 0, THE + 1, HOUSE + 1, 2, MB_EN);
    assert_int_equal(tokenizer_facts(tokenizer)->language_count, 25);
    tokenizer_free(tokenizer);

    write_text(*state, "config.json", "{\"vocab_size\": 292}");
    tokenizer = open_with(*state, "mbart", "en", "de");
    check_decoder(tokenizer, -1, MB_DE);
    tokenizer_free(tokenizer);
    write_text(*state, "config.json", "{\"vocab_size\": 265}");
    tokenizer = open_with(*state, "mbart", "en", "de");
    check_decoder(tokenizer, MB_DE, -1);
    tokenizer_free(tokenizer);
    write_text(*state, "tokenizer_config.json", "{\"tokenizer_class\": \"TokenizersBackend\"}");
    tokenizer = open_with(*state, "mbart", "en", "de");
    check_decoder(tokenizer, MB_DE, -1);
    tokenizer_free(tokenizer);
    write_text(*state, "config.json", "{\"vocab_size\": 240}"); /* no room for languages: XLM-RoBERTa's tokenizer */
    tokenizer = open_with(*state, "mbart", NULL, NULL);
    CHECK_IDS(tokenizer, "the house", 1, 0, THE + 1, HOUSE + 1, 2);
    tokenizer_free(tokenizer);
}

static void uses_tokenizer_json_without_a_model_file(void **state)
{
    Tokenizer *tokenizer, *same;
    Encoding a = { 0 }, b = { 0 };
    Err err;

    copy_model(*state, "nllb-saved", "tokenizer.json", "tokenizer.json");
    copy_model(*state, "nllb-saved", "tokenizer_config.json", "tokenizer_config.json");
    tokenizer = open_with(*state, "m2m_100", "de", "zho_Hant");
    same = open_with(MODELS "nllb-saved", "m2m_100", "de", "zho_Hant");
    assert_int_equal(tokenizer_facts(tokenizer)->forced_bos, tokenizer_facts(same)->forced_bos);
    assert_ok(tokenizer_encode(tokenizer, "the house", 9, &a, &err), &err);
    assert_ok(tokenizer_encode(same, "the house", 9, &b, &err), &err);
    assert_int_equal(a.ids.len, b.ids.len);
    assert_memory_equal(a.ids.data, b.ids.data, a.ids.len * sizeof(int32_t));
    encoding_free(&a);
    encoding_free(&b);
    tokenizer_free(tokenizer);
    tokenizer_free(same);
}

static void check_same_as_class(const char *folder, const char *type, const char *class_name, const char *wanted)
{
    char *own = support_format("{\"tokenizer_class\": \"%s\", \"additional_special_tokens\": []}", wanted);
    char *generic = support_format("{%s%s%s \"additional_special_tokens\": []}",
                                   *class_name ? "\"tokenizer_class\": \"" : "", class_name, *class_name ? "\"," : "");
    Tokenizer *a, *b;
    Encoding x = { 0 }, y = { 0 };
    Err err;

    write_text(folder, "tokenizer_config.json", own);
    a = open_with(folder, type, "en", "de");
    write_text(folder, "tokenizer_config.json", generic);
    b = open_with(folder, type, "en", "de");
    assert_int_equal(tokenizer_facts(a)->language_count, tokenizer_facts(b)->language_count);
    assert_int_equal(tokenizer_facts(a)->forced_bos, tokenizer_facts(b)->forced_bos);
    assert_int_equal(tokenizer_facts(a)->decoder_start, tokenizer_facts(b)->decoder_start);
    assert_ok(tokenizer_encode(a, "the house", 9, &x, &err), &err);
    assert_ok(tokenizer_encode(b, "the house", 9, &y, &err), &err);
    assert_int_equal(x.ids.len, y.ids.len);
    assert_memory_equal(x.ids.data, y.ids.data, x.ids.len * sizeof *x.ids.data);
    tokenizer_free(a);
    tokenizer_free(b);
    encoding_free(&x);
    encoding_free(&y);
    check_missing(folder, type, "en", NULL, "no language to translate into: give " SETTING(TO));
    free(own);
    free(generic);
}

/* Classes that every tokenizer may have, and classes of users, say nothing about languages: the vocabulary does. */
static void finds_languages_in_the_vocabulary_if_the_class_does_not_tell(void **state)
{
    static const char *const classes[] = { "PreTrainedTokenizerFast", "PreTrainedTokenizer", "TokenizersBackend",
                                           "MyTokenizer", "" };
    static const struct {
        const char *file, *wanted;
    } rows[] = { { GOLDEN_ROOT "/families/mbart50-fast-only/tokenizer.json", "MBart50Tokenizer" },
                 { GOLDEN_ROOT "/tokenizer_json/mbart25/tokenizer.json", "MBartTokenizer" },
                 { MODELS "nllb-saved/tokenizer.json", "NllbTokenizer" } };

    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t size;
        char *bytes = support_read_file(rows[i].file, &size);
        free(support_write_file(*state, "tokenizer.json", bytes, size));
        free(bytes);
        for (size_t k = 0; k < COUNT(classes); k++) {
            check_same_as_class(*state, "mbart", classes[k], rows[i].wanted);
            if (i < 2) check_same_as_class(*state, "bart", classes[k], rows[i].wanted);
        }
    }
}

static void explains_which_tokenizer_is_unsupported(void **state)
{
    check_folder_refused(*state, "t5",
                         ": no tokenizer: expected sentencepiece.bpe.model, spiece.model, sentencepiece.model, "
                         "tokenizer.model or tokenizer.json");
    write_text(*state, "tokenizer_config.json", "{\"tokenizer_class\": \"IndicBartTokenizer\"}");
    check_folder_refused(*state, "mbart",
                         ": the tokenizer class \"IndicBartTokenizer\" is not supported for this model without a "
                         "tokenizer.json; BarthezTokenizer, MBartTokenizer, MBart50Tokenizer, NllbTokenizer and "
                         "XLMRobertaTokenizer are");
    write_text(*state, "tokenizer_config.json", "{\"tokenizer_class\": \"BartTokenizer\"}");
    write_text(*state, "merges.txt", "#version: 0.2\n");
    check_folder_refused(
        *state, "bart",
        ": byte-level BPE tokenizers (vocab.json and merges.txt) are not supported, only SentencePiece");
    write_text(*state, "tokenizer_config.json", "{\"tokenizer_class\": \"ByT5Tokenizer\"}");
    check_folder_refused(*state, "t5", ": ByT5 is not supported, because it uses bytes instead of pieces");
    check_folder_refused(*state, "gpt2", ": no tokenizer for models of type \"gpt2\"");
}

TEST_FILE(test_tokenizer_class)
{
    const struct CMUnitTest tests[] = {
        test_with_folder(distinguishes_mbart_25_and_50_by_class_or_size),
        test_with_folder(uses_tokenizer_json_without_a_model_file),
        test_with_folder(finds_languages_in_the_vocabulary_if_the_class_does_not_tell),
        test_with_folder(explains_which_tokenizer_is_unsupported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
