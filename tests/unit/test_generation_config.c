/* test_generation_config.c - precedence of the search settings of a folder:
 * generation_config.json, config.json, then the family, as in transformers 4.57.1. */
#include "test_support.h"

#include "buf.h"
#include "config.h"
#include "model_support.h"

#define ARCHITECTURE                                                                                                   \
    "\"model_type\": \"marian\", \"vocab_size\": 11, \"d_model\": 4, \"encoder_layers\": 1, \"decoder_layers\": 1, "   \
    "\"encoder_attention_heads\": 2, \"decoder_attention_heads\": 2, \"encoder_ffn_dim\": 8, \"decoder_ffn_dim\": 8"

/* Reads a folder with these members in config.json and this generation_config.json (NULL: none). */
static ModelConfig read_folder(const char *folder, const char *members, const char *generation)
{
    Buf text = { 0 };
    char *path = support_path(folder, "generation_config.json");
    ModelConfig config;
    Err err = { "" };

    buf_put_format(&text, "{%s%s%s}", ARCHITECTURE, *members ? ", " : "", members);
    free(support_write_text(folder, "config.json", text.data));
    if (generation)
        free(support_write_text(folder, "generation_config.json", generation));
    else
        (void)remove(path);
    assert_ok(read_config(&config, folder, &err), &err);
    buf_free(&text);
    free(path);
    return config;
}

#define START "\"decoder_start_token_id\": 9"

FOLDER_TEST(prefers_generation_config_to_config)
{
    ModelConfig c = read_folder(*state, START ", \"num_beams\": 3, \"length_penalty\": 2", "{\"max_length\": 9}");

    assert_int_equal(c.search.beams, 1);
    assert_true(c.search.length_penalty == 1);
    assert_int_equal(c.search.max_length, 8);
    assert_int_equal(c.search.forced_eos.len, 0);
    model_config_free(&c);
    c = read_folder(*state, START ", \"num_beams\": 3, \"length_penalty\": 2", NULL);
    assert_int_equal(c.search.beams, 3);
    assert_true(c.search.length_penalty == 2);
    assert_int_equal(c.search.forced_eos.len, 1);
    model_config_free(&c);
}

FOLDER_TEST(reads_null_as_the_default)
{
    FREED_BY(model_config_free)
    ModelConfig c = read_folder(*state, START,
                                "{\"num_beams\": null, \"max_new_tokens\": null, \"min_length\": null, "
                                "\"bad_words_ids\": null, \"suppress_tokens\": null, \"repetition_penalty\": null, "
                                "\"early_stopping\": null, \"max_length\": 7, \"eos_token_id\": [2, 3]}");

    assert_int_equal(c.search.beams, 1);
    assert_int_equal(c.search.max_length, 6);
    assert_int_equal(c.search.min_length, 0);
    assert_int_equal(c.search.bad_words.len, 0);
    assert_true(c.search.repetition_penalty == 1);
    assert_int_equal(c.search.eos.len, 2);
    assert_int_equal(c.search.eos.data[1], 3);
}

FOLDER_TEST(settings_of_config_override_a_file_derived_from_it)
{
    static const struct {
        const char *members, *from;
        size_t beams;
    } cases[] = {
        { START ", \"num_beams\": 3", "true", 3 },
        { START ", \"num_beams\": 3", "false", 5 },
        { START ", \"num_beams\": 1, \"max_length\": 20, \"early_stopping\": false, \"bad_words_ids\": null", "true",
          5 },
        { START ", \"forced_eos_token_id\": 0", "true", 5 },
        { START ", \"forced_eos_token_id\": 4", "true", 1 },
        { START ", \"forced_bos_token_id\": 0", "true", 1 },
        { START ", \"bad_words_ids\": [[9]]", "true", 1 },
        { START ", \"suppress_tokens\": []", "true", 1 },
        { START ", \"renormalize_logits\": true", "true", 5 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        FREED char *text = support_format("{\"_from_model_config\": %s, \"num_beams\": 5}", cases[i].from);
        FREED_BY(model_config_free) ModelConfig c = read_folder(*state, cases[i].members, text);
        assert_int_equal(c.search.beams, cases[i].beams);
    }
}

FOLDER_TEST(limits_length_to_twenty_tokens_or_the_positions_by_default)
{
    static const struct {
        const char *members, *generation;
        size_t max_length;
        bool is_default;
    } cases[] = {
        { START, "{}", 20, true },
        { START, "{\"max_length\": 20}", 20, true },
        { START, "{\"max_length\": 19}", 18, false },
        { START, "{\"max_length\": 21}", 20, false },
        { START, "{\"max_new_tokens\": 20}", 20, false },
        { START, "{\"max_new_tokens\": 19, \"max_length\": 5}", 19, false },
        { START ", \"max_position_embeddings\": 21", "{}", 20, true },
        { START ", \"max_position_embeddings\": 20", "{}", 19, false },
        { START ", \"max_position_embeddings\": 10", "{}", 9, false },
        { START ", \"max_position_embeddings\": 2", "{}", 1, false },
        { START ", \"max_position_embeddings\": 10", "{\"max_length\": 512}", 10, false },
        { START ", \"max_position_embeddings\": 10, \"max_length\": 20", NULL, 9, false },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        FREED_BY(model_config_free) ModelConfig c = read_folder(*state, cases[i].members, cases[i].generation);
        assert_int_equal(c.search.max_length, cases[i].max_length);
        assert_int_equal(c.search.length_is_default, cases[i].is_default);
    }
}

FOLDER_TEST(max_new_tokens_excludes_the_start_token)
{
    ModelConfig c = read_folder(*state, START, "{\"min_length\": 5, \"max_length\": 12}");

    assert_int_equal(c.search.min_length, 4);
    assert_int_equal(c.search.max_length, 11);
    model_config_free(&c);
    c = read_folder(*state, START, "{\"min_length\": 5, \"min_new_tokens\": 7, \"max_new_tokens\": 12}");
    assert_int_equal(c.search.min_length, 7);
    assert_int_equal(c.search.max_length, 12);
    model_config_free(&c);
}

/* The decoder's prompt of SeamlessM4T has the target language after the start token: generate() counts neither. */
FOLDER_TEST(new_tokens_of_seamless_exclude_the_language)
{
    static const struct {
        const char *generation;
        size_t min, max;
    } cases[] = {
        { "{\"min_length\": 5, \"max_length\": 12}", 4, 11 },
        { "{\"min_new_tokens\": 7, \"max_new_tokens\": 12}", 8, 13 },
        { "{\"max_length\": 20}", 0, 21 },
        { "{\"max_new_tokens\": 99}", 0, 40 },
    };

    free(support_write_text(*state, "config.json",
                            "{\"model_type\": \"seamless_m4t_v2\", \"hidden_size\": 4, \"encoder_layers\": 1, "
                            "\"decoder_layers\": 1, \"encoder_attention_heads\": 1, \"decoder_attention_heads\": 1, "
                            "\"encoder_ffn_dim\": 4, \"decoder_ffn_dim\": 4, \"vocab_size\": 9, "
                            "\"max_position_embeddings\": 40}"));
    for (size_t i = 0; i < COUNT(cases); i++) {
        FREED_BY(model_config_free) ModelConfig c = { 0 };
        Err err;
        free(support_write_text(*state, "generation_config.json", cases[i].generation));
        assert_ok(read_config(&c, *state, &err), &err);
        assert_int_equal(c.search.min_length, cases[i].min);
        assert_int_equal(c.search.max_length, cases[i].max);
        assert_true(c.search.rules.forced_bos_is_prefix);
    }
}

FOLDER_TEST(starts_with_bos_if_the_file_has_no_start_token)
{
    static const struct {
        const char *generation;
        int32_t start;
    } cases[] = {
        { "{\"decoder_start_token_id\": 4, \"bos_token_id\": 5}", 4 },
        { "{\"decoder_start_token_id\": null, \"bos_token_id\": 5}", 5 },
        { "{}", 9 },
        { NULL, 9 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        FREED_BY(model_config_free)
        ModelConfig c = read_folder(*state, START ", \"bos_token_id\": 6", cases[i].generation);
        assert_int_equal(c.search.start, cases[i].start);
    }
}

FOLDER_TEST(needs_no_padding_token)
{
    FREED_BY(model_config_free)
    ModelConfig c = read_folder(*state, START ", \"pad_token_id\": null", "{\"pad_token_id\": null}");

    assert_int_equal(c.search.start, 9);
}

#define CHOICES "\"num_beams\": 6, \"num_beam_groups\": 3"

FOLDER_TEST(reads_how_tokens_are_drawn)
{
    ModelConfig c = read_folder(*state, START, "{\"do_sample\": true, \"num_return_sequences\": 4}");

    assert_true(c.search.sampling.on);
    assert_int_equal(c.search.sampling.top_k, 50);
    assert_true(c.search.sampling.temperature == 1 && c.search.sampling.top_p == 1 && c.search.sampling.min_p == 0);
    assert_int_equal(c.search.n_best, 4);
    model_config_free(&c);
    c = read_folder(*state, START,
                    "{\"do_sample\": true, \"top_k\": null, \"temperature\": 0.5, \"top_p\": 0.9, \"min_p\": 0.25, "
                    "\"typical_p\": 0.75, \"epsilon_cutoff\": 0.125, \"eta_cutoff\": 1}");
    assert_int_equal(c.search.sampling.top_k, 0);
    assert_true(c.search.sampling.temperature == 0.5f && c.search.sampling.top_p == 0.9f);
    assert_true(c.search.sampling.min_p == 0.25f && c.search.sampling.typical_p == 0.75f);
    assert_true(c.search.sampling.epsilon == 0.125f && c.search.sampling.eta == 0);
    model_config_free(&c);
}

/* generate() does not look at them, but a user may ask for draws. */
FOLDER_TEST(keeps_filters_without_do_sample_if_they_fit)
{
    ModelConfig c = read_folder(*state, START, "{\"top_k\": 10, \"temperature\": 0, \"top_p\": \"x\", \"min_p\": 0.5}");

    assert_false(c.search.sampling.on);
    assert_int_equal(c.search.sampling.top_k, 10);
    assert_true(c.search.sampling.temperature == 1 && c.search.sampling.top_p == 1);
    assert_true(c.search.sampling.min_p == 0.5f);
    model_config_free(&c);
    c = read_folder(*state, START, "{}");
    assert_int_equal(c.search.sampling.top_k, 0);
    model_config_free(&c);
}

FOLDER_TEST(reads_groups_decay_and_stop_strings)
{
    ModelConfig c = read_folder(*state, START,
                                "{" CHOICES ", \"diversity_penalty\": 0.5, "
                                "\"exponential_decay_length_penalty\": [7, 1.01], \"stop_strings\": [\"a b\", \"c\"]}");

    assert_int_equal(c.search.groups, 3);
    assert_true(c.search.diversity_penalty == 0.5f);
    assert_true(c.search.decays && c.search.decay_start == 7 && c.search.decay_factor == 1.01);
    assert_int_equal(c.stops.len, 6);
    assert_memory_equal(c.stops.data, "a b\0c\0", 6);
    model_config_free(&c);
    c = read_folder(*state, START, "{\"stop_strings\": \"a b\", \"sequence_bias\": []}");
    assert_int_equal(c.search.groups, 1);
    assert_false(c.search.decays);
    assert_int_equal(c.stops.len, 4);
    assert_int_equal(c.search.biases.count, 0);
    model_config_free(&c);
}

/* By the last id, that of one token first; a sequence that comes again keeps its place and gets the last bias. */
FOLDER_TEST(groups_biased_sequences_by_their_last_ids)
{
    static const int32_t runs[] = { 2, 3, 1, 1, 5, 2, 4, 5, 3, 1, 2, 5 };
    static const float values[] = { 0.5f, 2, 7, -3 };
    FREED_BY(model_config_free)
    ModelConfig c = read_folder(*state, START,
                                "{\"sequence_bias\": [[[4, 5], -1.0], [[1, 2, 5], -3], [[5], 2.0], [[3, 1], 0.5], "
                                "[[4, 5], 7.0]]}");

    assert_int_equal(c.search.biases.count, COUNT(values));
    assert_int_equal(c.search.biases.runs.len, COUNT(runs));
    assert_memory_equal(c.search.biases.runs.data, runs, sizeof runs);
    assert_memory_equal(c.search.biases.values, values, sizeof values);
}

#define BAD_BIASES                                                                                                     \
    "sequence_bias must be a list of [ids, bias], with a list of ids from 0 to 10 and a bias from -1e+06 to 1e+06"

FOLDER_TEST(refuses_choices_that_do_not_fit)
{
    static const struct {
        const char *generation, *message;
    } cases[] = {
        { "{\"do_sample\": true, \"temperature\": 0}", "temperature must be a number from 1e-06 to 1e+06" },
        { "{\"do_sample\": true, \"top_p\": 2}", "top_p must be a number from 1e-06 to 1" },
        { "{\"do_sample\": true, \"top_k\": -1}", "top_k must be a whole number from 0 to 10000000" },
        { "{\"do_sample\": 1}", "do_sample must be true or false" },
        { "{\"num_beams\": 4, \"num_beam_groups\": 3}", "num_beams (4) must be divisible by num_beam_groups (3)" },
        { "{" CHOICES "}", "num_beam_groups needs a diversity_penalty above 0; otherwise all "
                           "groups are the same" },
        { "{" CHOICES ", \"diversity_penalty\": 1, \"do_sample\": true}",
          "num_beam_groups and do_sample cannot be used together" },
        { "{\"exponential_decay_length_penalty\": [5]}",
          "exponential_decay_length_penalty must be a list of a number of tokens and a factor "
          "from 1e-06 to 1e+06" },
        { "{\"sequence_bias\": {\"(1, 2)\": 0.5}}", BAD_BIASES },
        { "{\"sequence_bias\": [[[11], 0.5]]}", BAD_BIASES },
        { "{\"sequence_bias\": [[[1], 0.5], [[], 1]]}", BAD_BIASES },
        { "{\"stop_strings\": [\"a\", \"\"]}",
          "stop_strings must be a string or a list of strings, none of them empty" },
        { "{\"guidance_scale\": 2}", "guidance_scale is set, which dragoman does not support" },
    };
    char *folder = *state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        ModelConfig c = { 0 };
        FREED char *message = support_format("%s/generation_config.json: %s", folder, cases[i].message);
        Err err = { "" };
        c = read_folder(folder, START, NULL);
        model_config_free(&c);
        free(support_write_text(folder, "generation_config.json", cases[i].generation));
        assert_true(read_config(&c, folder, &err) != OK);
        assert_string_equal(err.text, message);
        model_config_free(&c);
    }
}

TESTS(test_generation_config);
