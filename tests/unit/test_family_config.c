/* test_family_config.c - how each family reads config.json: its defaults, and which
 * settings take precedence, as in the configuration classes of transformers 4.57.1. */
#include "test_support.h"

#include "config.h"
#include "model_support.h"

#define BART_SHAPE                                                                                                     \
    "\"d_model\": 4, \"encoder_layers\": 1, \"decoder_layers\": 2, \"encoder_attention_heads\": 2, "                   \
    "\"decoder_attention_heads\": 1, \"encoder_ffn_dim\": 8, \"decoder_ffn_dim\": 9, \"vocab_size\": 11"
#define T5_SHAPE "\"d_model\": 4, \"num_layers\": 3, \"num_heads\": 2, \"d_kv\": 5, \"d_ff\": 8, \"vocab_size\": 11"

static Status read_members(ModelConfig *out, const char *folder, const char *family, const char *members, Err *err)
{
    bool is_t5 = strstr(family, "t5") != NULL;
    char *text = support_format("{\"model_type\": \"%s\", %s%s%s}", family, is_t5 ? T5_SHAPE : BART_SHAPE,
                                *members ? ", " : "", members);
    Status st;

    free(support_write_text(folder, "config.json", text));
    free(text);
    st = read_config(out, folder, err);
    if (st != OK) model_config_free(out);
    return st;
}

/* Appends `members` to a config.json with the family's sizes. */
static ModelConfig read_family(const char *folder, const char *family, const char *members)
{
    ModelConfig config;
    Err err = { "" };

    assert_ok(read_members(&config, folder, family, members, &err), &err);
    return config;
}

static void expect_refusal(const char *folder, const char *family, const char *members, Status status,
                           const char *message)
{
    FREED char *expected = support_format("%s/config.json: %s", folder, message);
    ModelConfig config;
    Err err = { "" };

    assert_fails(read_members(&config, folder, family, members, &err), status, &err, expected);
}

FOLDER_TEST(reads_the_defaults_of_each_family)
{
    static const struct {
        const char *family;
        Activation activation;
        bool gated, tied, scaled, output_bias;
        bool norm_before;
        size_t max_positions, offset;
        int32_t start, eos, forced_eos; /* -1: none */
    } cases[] = {
        { "bart", ACTIVATION_GELU, false, true, false, true, false, 1024, 2, 2, 2, 2 },
        { "mbart", ACTIVATION_GELU, false, true, false, true, true, 1024, 2, -1, 2, 2 },
        { "m2m_100", ACTIVATION_RELU, false, true, true, false, true, 1024, 2, 2, 2, -1 },
        { "t5", ACTIVATION_RELU, false, true, false, false, true, 0, 0, 0, 1, -1 },
        { "mt5", ACTIVATION_GELU_TANH, true, false, false, false, true, 0, 0, 0, 1, -1 },
        { "umt5", ACTIVATION_GELU_TANH, true, true, false, false, true, 0, 0, 0, 1, -1 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        FREED_BY(model_config_free) ModelConfig c = read_family(*state, cases[i].family, "");
        print_message("%s\n", cases[i].family);
        assert_int_equal(c.ffn.activation, cases[i].activation);
        assert_int_equal(c.ffn.is_gated, cases[i].gated);
        assert_int_equal(c.output.tied, cases[i].tied);
        assert_true(c.embedding.scale == (cases[i].scaled ? 2.0f : 1.0f));
        assert_int_equal(c.output.use_bias, cases[i].output_bias);
        assert_int_equal(c.sublayer.pre_norm, cases[i].norm_before);
        assert_int_equal(c.positions.max, cases[i].max_positions);
        assert_int_equal(c.positions.offset, cases[i].offset);
        assert_int_equal(c.search.start, cases[i].start);
        assert_int_equal(c.search.eos.len, 1);
        assert_int_equal(c.search.eos.data[0], cases[i].eos);
        assert_int_equal(c.search.forced_eos.len, cases[i].forced_eos < 0 ? 0 : 1);
        if (cases[i].forced_eos >= 0) assert_int_equal(c.search.forced_eos.data[0], cases[i].forced_eos);
        assert_int_equal(c.search.forced_bos, -1);
    }
}

FOLDER_TEST(accepts_different_stacks)
{
    ModelConfig c = read_family(*state, "bart", "");

    assert_int_equal(c.encoder.layers, 1);
    assert_int_equal(c.decoder.layers, 2);
    assert_int_equal(c.encoder.head_size, 2);
    assert_int_equal(c.decoder.head_size, 4);
    assert_int_equal(c.encoder.ffn, 8);
    assert_int_equal(c.decoder.ffn, 9);
    model_config_free(&c);
    c = read_family(*state, "t5", "\"num_decoder_layers\": 1");
    assert_int_equal(c.encoder.layers, 3);
    assert_int_equal(c.decoder.layers, 1);
    assert_int_equal(stack_width(&c.decoder), 10);
    model_config_free(&c);
    c = read_family(*state, "t5", "\"num_decoder_layers\": null");
    assert_int_equal(c.decoder.layers, 3);
    model_config_free(&c);
}

#define INDICTRANS                                                                                                     \
    "\"encoder_embed_dim\": 4, \"decoder_embed_dim\": 4, \"encoder_vocab_size\": 11, \"decoder_vocab_size\": 7"

FOLDER_TEST(reads_the_two_stacks_of_indictrans2)
{
    ModelConfig c = read_family(*state, "IndicTrans", INDICTRANS ", \"max_target_positions\": 300");

    assert_int_equal(c.encoder.vocab, 11);
    assert_int_equal(c.decoder.vocab, 7);
    assert_int_equal(c.positions.max_source, 210);
    assert_int_equal(c.positions.max, 300);
    assert_int_equal(c.positions.offset, 2);
    assert_int_equal(c.search.max_length, 255); /* not 20, the default of generate() */
    assert_true(c.embedding.scale == 2);
    assert_false(c.embedding.shared || c.embedding.has_layernorm || c.output.tied || c.sublayer.pre_norm);
    assert_false(sublayer_steps_have(c.sublayer.after_stack, STEP_NORM));
    model_config_free(&c);
    c = read_family(*state, "IndicTrans",
                    INDICTRANS ", \"encoder_normalize_before\": true, \"decoder_normalize_before\": true, "
                               "\"layernorm_embedding\": true, \"share_decoder_input_output_embed\": true, "
                               "\"scale_embedding\": false");
    assert_true(c.embedding.scale == 1);
    assert_true(c.embedding.has_layernorm && c.output.tied && c.sublayer.pre_norm);
    assert_true(sublayer_steps_have(c.sublayer.after_stack, STEP_NORM));
    model_config_free(&c);
    expect_refusal(*state, "IndicTrans", INDICTRANS ", \"decoder_normalize_before\": true", ERR_UNSUPPORTED,
                   "encoder_normalize_before and decoder_normalize_before must be equal");
    expect_refusal(*state, "IndicTrans", INDICTRANS ", \"rope_theta\": 10000", ERR_UNSUPPORTED,
                   "rope_theta: rotary positions are not supported");
    expect_refusal(*state, "IndicTrans",
                   "\"encoder_embed_dim\": 4, \"decoder_embed_dim\": 8, \"encoder_vocab_size\": 11", ERR_UNSUPPORTED,
                   "encoder_embed_dim (4) and decoder_embed_dim (8) must be equal");
}

/* transformers 5.24.0 writes other members. */
FOLDER_TEST(scales_the_output_of_t5_only_if_tied)
{
#define TIED    "\"tie_word_embeddings\": true"
#define VERSION ", \"transformers_version\": \"5.24.0\""
    static const struct {
        const char *family, *members;
        float scale;
        bool is_own_if_stored;
    } cases[] = {
        { "t5", "", 0.5f, false },
        { "t5", "\"tie_word_embeddings\": false", 1, false },
        { "t5", TIED ", \"scale_decoder_outputs\": false" VERSION, 1, true },
        { "t5", TIED ", \"scale_decoder_outputs\": true" VERSION, 0.5f, true },
        { "umt5", TIED ", \"scale_decoder_outputs\": false" VERSION, 1, true },
        { "mt5", TIED VERSION, 1, true },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        FREED_BY(model_config_free) ModelConfig c = read_family(*state, cases[i].family, cases[i].members);
        print_message("%s: %s\n", cases[i].family, cases[i].members);
        assert_true(c.output.scale == cases[i].scale);
        assert_int_equal(c.output.is_own_if_stored, cases[i].is_own_if_stored);
    }
}

FOLDER_TEST(prefers_the_parsed_values_of_feed_forward_proj)
{
    static const struct {
        const char *members;
        Activation activation;
        bool gated;
    } cases[] = {
        { "\"feed_forward_proj\": \"gated-gelu\"", ACTIVATION_GELU_TANH, true },
        { "\"feed_forward_proj\": \"gated-silu\"", ACTIVATION_SWISH, true },
        { "\"feed_forward_proj\": \"gelu\"", ACTIVATION_GELU, false },
        { "\"feed_forward_proj\": \"gated-gelu\", \"dense_act_fn\": \"gelu\"", ACTIVATION_GELU, true },
        { "\"feed_forward_proj\": \"gated-gelu\", \"is_gated_act\": false", ACTIVATION_GELU_TANH, false },
        { "\"dense_act_fn\": \"silu\", \"is_gated_act\": true", ACTIVATION_SWISH, true },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        FREED_BY(model_config_free) ModelConfig c = read_family(*state, "t5", cases[i].members);
        assert_int_equal(c.ffn.activation, cases[i].activation);
        assert_int_equal(c.ffn.is_gated, cases[i].gated);
        assert_string_equal(c.names->encoder.ffn_in,
                            cases[i].gated ? "layer.1.DenseReluDense.wi_1" : "layer.1.DenseReluDense.wi");
    }
}

FOLDER_TEST(rejects_tie_encoder_decoder_in_every_family)
{
    static const char *const families[] = { "marian", "bart", "mbart", "m2m_100", "t5", "mt5", "umt5" };

    for (size_t i = 0; i < COUNT(families); i++)
        expect_refusal(*state, families[i], "\"tie_encoder_decoder\": true", ERR_UNSUPPORTED,
                       "tie_encoder_decoder is true, which dragoman does not support");
}

FOLDER_TEST(old_bart_forces_bos_and_mbart_starts_with_it)
{
#define FORCE "\"force_bos_token_to_be_generated\": true"
    static const struct {
        const char *family, *members;
        int32_t forced_bos, start;
    } cases[] = {
        { "bart", FORCE, 0, 2 },
        { "bart", FORCE ", \"bos_token_id\": 5", 5, 2 },
        { "bart", FORCE ", \"forced_bos_token_id\": 3", 3, 2 },
        { "bart", "\"force_bos_token_to_be_generated\": false", -1, 2 },
        { "mbart", FORCE, -1, -1 },
        { "mbart", "\"bos_token_id\": 4", -1, 4 },
        { "mbart", "\"bos_token_id\": 4, \"decoder_start_token_id\": 3", -1, 3 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        FREED_BY(model_config_free) ModelConfig c = read_family(*state, cases[i].family, cases[i].members);
        print_message("%s: %s\n", cases[i].family, cases[i].members);
        assert_int_equal(c.search.forced_bos, cases[i].forced_bos);
        assert_int_equal(c.search.start, cases[i].start);
    }
}

FOLDER_TEST(rejects_members_that_do_not_fit)
{
#define NO_DEFAULT(key, size) key " is missing, and the family's default is not below vocab_size (" #size ")"
    static const struct {
        const char *family, *members;
        Status status;
        const char *message;
    } cases[] = {
        { "bart", "\"vocab_size\": 2, \"decoder_start_token_id\": 1", ERR_FORMAT, NO_DEFAULT("eos_token_id", 2) },
        { "bart", "\"vocab_size\": 2, \"decoder_start_token_id\": 1, \"eos_token_id\": 0", ERR_FORMAT,
          NO_DEFAULT("forced_eos_token_id", 2) },
        { "bart", "\"vocab_size\": 2", ERR_FORMAT, "decoder_start_token_id is missing" },
        { "t5", "\"vocab_size\": 1", ERR_FORMAT, NO_DEFAULT("eos_token_id", 1) },
        { "t5", "\"relative_attention_num_buckets\": 32, \"relative_attention_max_distance\": 16", ERR_FORMAT,
          "relative_attention_max_distance (16) must be more than half of relative_attention_num_buckets (32)" },
        { "t5", "\"num_heads\": 1048576", ERR_FORMAT, "num_heads * d_kv is 5242880, more than 1048576" },
        { "t5", "\"feed_forward_proj\": \"gated-maxout\"", ERR_UNSUPPORTED,
          "feed_forward_proj \"maxout\" is not supported" },
        { "t5", "\"dense_act_fn\": \"maxout\"", ERR_UNSUPPORTED, "dense_act_fn \"maxout\" is not supported" },
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        expect_refusal(*state, cases[i].family, cases[i].members, cases[i].status, cases[i].message);
}

TESTS(test_family_config);
