/* test_token_config.c - reads tokenizer_config.json and special_tokens_map.json in the order of transformers. */
#include "test_support.h"

#include <string.h>

#include "token_config.h"

static const TokenDefaults defaults = { .unk = "<unk>", .eos = "</s>", .pad = "<pad>" };

static void write_both(const char *folder, const char *config, const char *map)
{
    if (config) free(support_write_text(folder, "tokenizer_config.json", config));
    if (map) free(support_write_text(folder, "special_tokens_map.json", map));
}

static Status read_tokens(TokenConfig *out, const char *path, Err *err)
{
    ModelFolder *folder;
    Status st = model_folder_open(&folder, path, err);

    *out = (TokenConfig){ 0 };
    if (st == OK) st = token_config_read(out, folder, &defaults, err);
    model_folder_close(folder);
    return st;
}

static TokenConfig read_both(const char *folder, const char *config, const char *map)
{
    TokenConfig out;
    Err err;

    write_both(folder, config, map);
    assert_ok(read_tokens(&out, folder, &err), &err);
    return out;
}

static void check_refused(const char *folder, const char *config, const char *message)
{
    FREED char *whole = support_format("%s/tokenizer_config.json: %s", folder, message);
    TokenConfig out;
    Err err;

    write_both(folder, config, NULL);
    assert_fails(read_tokens(&out, folder, &err), ERR_FORMAT, &err, whole);
    token_config_free(&out);
}

static bool is_special(const TokenConfig *config, const char *token)
{
    for (size_t i = 0; i < config->special_count; i++)
        if (strcmp(config->special[i], token) == 0) return true;
    return false;
}

FOLDER_TEST(uses_defaults_without_files)
{
    TokenConfig config = read_both(*state, NULL, NULL);

    assert_string_equal(config.unk, "<unk>");
    assert_string_equal(config.eos, "</s>");
    assert_string_equal(config.pad, "<pad>");
    assert_int_equal(config.special_count, 3);
    assert_null(config.source_lang);
    assert_int_equal(config.model_max_length, 0);
    assert_false(config.separate_vocabs);
    token_config_free(&config);
}

FOLDER_TEST(reads_tokens_as_strings_or_objects_and_prefers_the_map)
{
    TokenConfig config = read_both(
        *state,
        "{\"eos_token\": {\"__type\": \"AddedToken\", \"content\": \"<e>\"}, \"pad_token\": "
        "\"<p>\", \"bos_token\": null, \"source_lang\": \"fr\", \"target_lang\": \"en\", "
        "\"model_max_length\": 512, \"separate_vocabs\": true}",
        "{\"pad_token\": \"<o>\", \"pad_token\": \"<q>\", \"additional_special_tokens\": [\"<x>\", {\"content\": "
        "\"<y>\"}]}");

    assert_string_equal(config.unk, "<unk>");
    assert_string_equal(config.eos, "<e>");
    assert_string_equal(config.pad, "<q>");
    assert_true(is_special(&config, "<x>") && is_special(&config, "<y>") && is_special(&config, "<q>"));
    assert_false(is_special(&config, "<p>"));
    assert_string_equal(config.source_lang, "fr");
    assert_string_equal(config.target_lang, "en");
    assert_int_equal(config.model_max_length, 512);
    assert_true(config.separate_vocabs);
    token_config_free(&config);
}

FOLDER_TEST(ignores_the_map_beside_added_tokens_decoder_and_a_huge_length)
{
    TokenConfig config = read_both(*state,
                                   "{\"eos_token\": \"<e>\", \"added_tokens_decoder\": {}, "
                                   "\"model_max_length\": 1000000000000000019884624838656}",
                                   "{\"eos_token\": \"<f>\"}");

    assert_string_equal(config.eos, "<e>");
    assert_int_equal(config.model_max_length, 0); /* no limit */
    token_config_free(&config);
}

FOLDER_TEST(an_empty_token_is_none)
{
    TokenConfig config = read_both(*state, "{\"bos_token\": \"\", \"unk_token\": {\"content\": \"\"}}", "{}");

    assert_null(config.bos);
    assert_null(config.unk);
    token_config_free(&config);
}

FOLDER_TEST(names_values_of_wrong_type)
{
#define TOKEN " must be a token: a string or an object with \"content\""
    static const char *const rows[][2] = {
        { "{\"eos_token\": 3}", "eos_token" TOKEN },
        { "{\"unk_token\": []}", "unk_token" TOKEN },
        { "{\"pad_token\": {\"text\": \"x\"}}", "pad_token" TOKEN },
        { "{\"additional_special_tokens\": \"x\"}", "additional_special_tokens must be a list of tokens" },
        { "{\"additional_special_tokens\": [1]}", "additional_special_tokens" TOKEN },
        { "{\"model_max_length\": -1}", "model_max_length must be a positive whole number" },
        { "{\"model_max_length\": \"512\"}", "model_max_length must be a positive whole number" },
        { "{\"separate_vocabs\": 1}", "separate_vocabs must be true or false" },
        { "{\"source_lang\": []}", "source_lang must be a string" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) check_refused(*state, rows[i][0], rows[i][1]);
}

TESTS(test_token_config);
