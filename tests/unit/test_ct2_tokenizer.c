/* test_ct2_tokenizer.c - the tokens that CTranslate2 folders of each family get around a text. The folders have no
 * weights; test_ctranslate2_golden.c compares translations. */
#include "test_support.h"

#include <stdlib.h>
#include <string.h>

#include <cJSON.h>

#include "sp_model.h"
#include "template_support.h"
#include "view_support.h"

/* Ids in the vocabularies of write_fairseq_vocabulary(): SentencePiece's, moved by one. */
enum { ENGLISH = 1 + 220, GERMAN, END = 2 };

static void add_token(cJSON *list, const char *token)
{
    assert_true(cJSON_AddItemToArray(list, cJSON_CreateString(token)));
}

static void add_pieces(cJSON *list, const char *path, size_t first)
{
    FREED_BY(free_sp) SpModel *model;
    Err err;

    assert_ok(READ_FILE(sp_shim_open, &model, path, &err), &err);
    for (size_t i = first; i < sp_shim_piece_count(model); i++) add_token(list, sp_shim_piece(model, i));
}

static void write_vocabulary(const char *folder, cJSON *list)
{
    char *text = cJSON_PrintUnformatted(list);

    write_text(folder, "shared_vocabulary.json", text);
    cJSON_free(text);
    cJSON_Delete(list);
}

/* The vocabulary of M2M100 or mBART; fairseq's converter calls the padding token <blank>. */
static void write_fairseq_vocabulary(const char *folder, const char *pad, const char *english, const char *german)
{
    const char *const head[] = { "<s>", pad, "</s>", "<unk>" };
    cJSON *list = cJSON_CreateArray();

    copy_model(folder, "m2m100", "sentencepiece.bpe.model", "sentencepiece.model");
    for (size_t i = 0; i < COUNT(head); i++) add_token(list, head[i]);
    add_pieces(list, MODELS "m2m100/sentencepiece.bpe.model", 3);
    add_token(list, english);
    add_token(list, german);
    write_vocabulary(folder, list);
}

static void write_config(const char *folder, const char *start, const char *adds_end)
{
    FREED char *text = support_format("{\"decoder_start_token\": \"%s\", \"add_source_eos\": %s}", start, adds_end);

    write_text(folder, "config.json", text);
}

/* A model whose vocabulary consists of SentencePiece's pieces and one more token, or NULL. */
static void write_piece_model(const char *folder, const char *model, const char *more, const char *start)
{
    FREED char *path = support_format(MODELS "%s/spiece.model", model);
    cJSON *list = cJSON_CreateArray();

    copy_model(folder, model, "spiece.model", "spiece.model");
    add_pieces(list, path, 0);
    if (more) add_token(list, more);
    write_vocabulary(folder, list);
    write_config(folder, start, "false");
}

FOLDER_TEST(converted_models_get_language_tokens_and_one_end_token)
{
    static const char *const tokens[][2] = { { "__en__", "__de__" }, { "en_XX", "de_DE" } };
    static const char *const pads[] = { "<pad>", "<blank>" }, *const flags[] = { "false", "true" };
    Tokenizer *tokenizer;

    for (size_t i = 0; i < COUNT(tokens); i++) {
        for (size_t k = 0; k < COUNT(flags); k++) {
            write_fairseq_vocabulary(*state, pads[k], tokens[i][0], tokens[i][1]);
            write_config(*state, "</s>", flags[k]);
            tokenizer = open_with(*state, "ctranslate2", "en", "de");
            assert_int_equal(tokenizer_facts(tokenizer)->forced_bos, GERMAN);
            CHECK_IDS(tokenizer, "the house", 1, ENGLISH, THE + 1, HOUSE + 1, END);
            tokenizer_free(tokenizer);
            check_missing(*state, "ctranslate2", NULL, NULL,
                          "no languages to translate between: give " SETTING(FROM) " and " SETTING(TO));
            check_missing(*state, "ctranslate2", "en", NULL, "no language to translate into: give " SETTING(TO));
        }
    }
}

FOLDER_TEST(small100_gets_its_target_language_before_the_text)
{
    static const char *const refusal = "no language to translate into: give " SETTING(TO) "; the model supports de, en";
    Tokenizer *tokenizer;

    write_fairseq_vocabulary(*state, "<pad>", "__en__", "__de__");
    write_config(*state, "</s>", "false");
    write_text(*state, "tokenizer_config.json", "{\"tokenizer_class\": \"SMALL100Tokenizer\"}");
    for (size_t i = 0; i < 2; i++) {
        tokenizer = open_with(*state, "ctranslate2", i ? "en" : NULL, "de");
        assert_int_equal(tokenizer_facts(tokenizer)->forced_bos, -1);
        CHECK_IDS(tokenizer, "the house", 1, GERMAN, THE + 1, HOUSE + 1, END);
        tokenizer_free(tokenizer);
    }
    check_missing(*state, "ctranslate2", NULL, NULL, refusal);
    check_missing(*state, "ctranslate2", "en", NULL, refusal);
}

/* As needs_a_code_for_madlad_from_the_user_or_the_line() in test_templates.c. */
FOLDER_TEST(madlad_gets_the_pieces_of_the_original_model)
{
    enum { SPACE = 267, MADLAD_GERMAN = 5, FRENCH = 6, MADLAD_THE = 353 };
    FREED_BY(free_tokenizer) Tokenizer *tokenizer;

    write_piece_model(*state, "madlad", NULL, "<unk>");
    tokenizer = open_with(*state, "ctranslate2", NULL, "de");
    CHECK_IDS(tokenizer, "the", 2, SPACE, MADLAD_GERMAN, MADLAD_THE, END);
    CHECK_IDS(tokenizer, "<2fr> the", 2, SPACE, FRENCH, MADLAD_THE, END);
}

FOLDER_TEST(codes_that_are_no_pieces_are_special_tokens)
{
    enum { CODE = 238 };
    FREED_BY(free_tokenizer) Tokenizer *tokenizer;

    write_piece_model(*state, "t5", "<2de>", "<pad>");
    tokenizer = open_with(*state, "ctranslate2", NULL, "de");
    CHECK_IDS(tokenizer, "the house", 1, CODE, THE, HOUSE, 1);
}

FOLDER_TEST(t5_refuses_a_target_that_it_cannot_select)
{
    static const char to[] = SETTING(TO) " de: CTranslate2 folders of T5 name no languages: a task of T5 is chosen by "
                                         "its prefix in each line, as in \"translate English to German: \"";
    static const char *const sources[] = { NULL, "en" };

    write_piece_model(*state, "t5", NULL, "<pad>");
    for (size_t i = 0; i < COUNT(sources); i++) {
        FREED_BY(free_tokenizer) Tokenizer *tokenizer = open_with(*state, "ctranslate2", sources[i], NULL);
        CHECK_IDS(tokenizer, "the house", 0, THE, HOUSE, 1);
        check_refused(*state, "ctranslate2", sources[i], "de", ERR_USAGE, to);
    }
}

/* The vocabulary of byte-level BPE looks like words, but is not: its pieces have printable characters for all bytes. */
FOLDER_TEST(refuses_texts_for_byte_level_bpe)
{
    static const char *const tokens[] = { "<s>", "<pad>", "</s>", "<unk>", "\xc4\x89", "\xc4\x8a", "\xc4\xa0", "the" };
    FREED char *message = support_format("%s: byte-level BPE is not supported in folders of CTranslate2: open the "
                                         "folder of transformers that this one was converted from, or give pieces "
                                         "(" SETTING(PIECES_IN) ")",
                                         (char *)*state);
    cJSON *list = cJSON_CreateArray();
    Tokenizer *tokenizer;
    Err err;

    for (size_t i = 0; i < COUNT(tokens); i++) add_token(list, tokens[i]);
    write_vocabulary(*state, list);
    write_config(*state, "</s>", "false");
    tokenizer = open_with(*state, "ctranslate2", NULL, NULL);
    assert_fails(tokenizer_check_text(tokenizer, &err), ERR_IO, &err, message);
    tokenizer_free(tokenizer);
}

FOLDER_TEST(texts_end_with_the_end_token_under_quickmts_names)
{
    static const char *const flags[] = { "false", "true" };
    cJSON *list = cJSON_CreateArray();
    FREED_BY(encoding_free) Encoding pieces = { 0 };
    Tokenizer *tokenizer;
    Err err;

    add_token(list, "<unk>");
    add_token(list, "<s>");
    add_token(list, "</s>");
    add_pieces(list, MODELS "m2m100/sentencepiece.bpe.model", 3);
    write_vocabulary(*state, list);
    copy_model(*state, "m2m100", "sentencepiece.bpe.model", "joint.spm.model");
    for (size_t i = 0; i < COUNT(flags); i++) {
        write_config(*state, "<s>", flags[i]);
        tokenizer = open_with(*state, "ctranslate2", "en", "de");
        CHECK_IDS(tokenizer, "the house", 0, THE, HOUSE, END);
        assert_ok(tokenizer_encode_pieces(tokenizer, "\xe2\x96\x81to", 5, &pieces, &err), &err);
        assert_int_equal(pieces.ids.len, 1 + i);
        tokenizer_free(tokenizer);
    }
    /* Another name, which precedes quickmt's. */
    write_config(*state, "<s>", flags[0]);
    copy_model(*state, "m2m100", "sentencepiece.bpe.model", "bpe.model");
    tokenizer = open_with(*state, "ctranslate2", "en", "de");
    CHECK_IDS(tokenizer, "the house", 0, THE, HOUSE);
    tokenizer_free(tokenizer);
}

TESTS(test_ct2_tokenizer);
