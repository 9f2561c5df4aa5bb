/* test_llm_config.c - how config.json of language models with a decoder only, and of T5Gemma, is read: defaults of the
 * families, and what is refused. tests/golden/test_llm_golden.c compares the arithmetic. */
#include "test_support.h"

#include <math.h>

#include "config.h"
#include "model_support.h"

#define SHAPE                                                                                                          \
    "\"hidden_size\": 12, \"intermediate_size\": 8, \"num_hidden_layers\": 4, \"num_attention_heads\": 2, "            \
    "\"vocab_size\": 11, \"eos_token_id\": [1, 3]"

static Status read_text(ModelConfig *out, const char *folder, const char *text, Err *err)
{
    Status st;

    free(support_write_text(folder, "config.json", text));
    st = read_config(out, folder, err);
    if (st != OK) model_config_free(out);
    return st;
}

static ModelConfig read_family(const char *folder, const char *family, const char *members)
{
    FREED char *text = support_format("{\"model_type\": \"%s\", " SHAPE "%s%s}", family, *members ? ", " : "", members);
    ModelConfig config;
    Err err = { "" };

    assert_ok(read_text(&config, folder, text, &err), &err);
    return config;
}

FOLDER_TEST(reads_the_defaults_of_each_language_model)
{
    static const struct {
        const char *family;
        size_t kv_heads, head_size, window, positions;
        float theta;
        bool bias, output_bias, tied, adds_one;
        HeadNorm head_norm;
        Activation activation;
    } cases[] = {
        { "llama", 2, 6, 0, 2048, 1e4f, false, false, false, false, HEAD_NORM_NONE, ACTIVATION_SWISH },
        { "qwen2", 2, 6, 0, 16384, 1e4f, true, false, false, false, HEAD_NORM_NONE, ACTIVATION_SWISH },
        { "qwen3", 2, 128, 0, 16384, 1e4f, false, false, false, false, HEAD_NORM_BEFORE_ROTARY, ACTIVATION_SWISH },
        { "hunyuan_v1_dense", 2, 6, 0, 2048, 1e4f, false, false, false, false, HEAD_NORM_AFTER_ROTARY,
          ACTIVATION_SWISH },
        { "gemma2", 4, 256, 2, 8192, 1e4f, false, false, true, true, HEAD_NORM_NONE, ACTIVATION_GELU_TANH },
        { "gemma3_text", 4, 256, 4, 16384, 1e6f, false, false, true, true, HEAD_NORM_BEFORE_ROTARY,
          ACTIVATION_GELU_TANH },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const bool is_gemma = cases[i].adds_one;
        FREED_BY(model_config_free)
        ModelConfig c = read_family(*state, cases[i].family, is_gemma ? "\"num_attention_heads\": 8" : "");
        size_t windows = 0;
        print_message("%s\n", cases[i].family);
        for (size_t l = 0; c.attention.window.layers && l < 4; l++) windows += c.attention.window.layers[l];
        assert_true(c.decoder_only && c.search.continues_source && c.embedding.shared && c.ffn.is_gated);
        assert_int_equal(c.encoder.layers, 0);
        assert_int_equal(c.encoder.vocab, 11);
        assert_int_equal(c.decoder.kv_heads, cases[i].kv_heads);
        assert_int_equal(c.decoder.head_size, cases[i].head_size);
        assert_int_equal(windows, cases[i].window);
        assert_int_equal(c.positions.max, cases[i].positions);
        assert_true(c.attention.rotary.theta == cases[i].theta);
        assert_int_equal(c.attention.rotary.size, cases[i].head_size);
        assert_int_equal(c.attention.use_bias, cases[i].bias);
        assert_int_equal(c.attention.use_bias && !c.attention.no_output_bias, cases[i].output_bias);
        assert_int_equal(c.output.tied, cases[i].tied);
        assert_int_equal(c.norm.adds_one, cases[i].adds_one);
        assert_int_equal(c.attention.head_norm, cases[i].head_norm);
        assert_int_equal(c.ffn.activation, cases[i].activation);
        assert_true(c.embedding.scale == (is_gemma ? sqrtf(12) : 1));
        assert_int_equal(c.search.eos.len, 2);
    }
}

/* The published folders of Gemma 3 leave out what has the default value. */
FOLDER_TEST(reads_the_text_model_of_gemma_3)
{
    static const char text[] =
        "{\"model_type\": \"gemma3\", \"eos_token_id\": [1, 106], \"text_config\": {\"hidden_size\": 2560, "
        "\"intermediate_size\": 10240, \"num_hidden_layers\": 34, \"sliding_window\": 1024, "
        "\"rope_scaling\": {\"factor\": 8.0, \"rope_type\": \"linear\"}}}";
    ModelConfig c;
    Err err;

    assert_ok(read_text(&c, *state, text, &err), &err);
    assert_int_equal(c.d_model, 2560);
    assert_int_equal(c.decoder.layers, 34);
    assert_int_equal(c.decoder.heads, 8);
    assert_int_equal(c.decoder.kv_heads, 4);
    assert_int_equal(c.decoder.head_size, 256);
    assert_int_equal(c.decoder.vocab, 262208);
    assert_true(c.attention.window.layers[4] && !c.attention.window.layers[5]);
    assert_int_equal(c.attention.window.width, 1024);
    assert_true(c.attention.rotary.theta == 1e6f && c.attention.window_rotary.theta == 1e4f);
    assert_true(c.attention.rotary.scaling == ROTARY_LINEAR && c.attention.rotary.factor == 8);
    assert_true(c.attention.window_rotary.scaling == ROTARY_PLAIN && c.attention.window_rotary.factor == 1);
    assert_true(c.attention.scale == 1.0f / 16);
    assert_int_equal(c.search.eos.data[1], 106);
    model_config_free(&c);
}

FOLDER_TEST(reads_both_stacks_of_t5gemma)
{
    static const char text[] =
        "{\"model_type\": \"t5gemma\", \"transformers_version\": \"%s\", \"bos_token_id\": 4, "
        "\"tie_word_embeddings\": %s, \"encoder\": {\"num_hidden_layers\": 3, \"num_key_value_heads\": 2, "
        "\"max_position_embeddings\": 64}, \"decoder\": {\"layer_types\": [\"full_attention\", "
        "\"sliding_attention\"], \"num_hidden_layers\": 2, \"tie_word_embeddings\": false}}";

    for (size_t i = 0; i < 2; i++) {
        FREED char *whole = support_format(text, i ? "5.24.0" : "4.57.1", i ? "false" : "true");
        ModelConfig c;
        Err err;
        assert_ok(read_text(&c, *state, whole, &err), &err);
        assert_false(c.decoder_only || c.search.continues_source || c.embedding.shared);
        assert_int_equal(c.d_model, 2304);
        assert_int_equal(c.encoder.layers, 3);
        assert_int_equal(c.encoder.kv_heads, 2);
        assert_int_equal(c.decoder.layers, 2);
        assert_int_equal(c.decoder.kv_heads, 4);
        assert_int_equal(c.decoder.vocab, 256000);
        assert_int_equal(c.positions.max, 64);
        assert_true(c.attention.window.encoder_layers[0] && !c.attention.window.encoder_layers[1]);
        assert_true(!c.attention.window.layers[0] && c.attention.window.layers[1]);
        assert_int_equal(c.attention.window.width, 4096);
        assert_int_equal(c.attention.window.encoder_width, i ? 4097 : 4096);
        assert_true(c.attention.score_cap == 50 && c.output.cap == 30);
        assert_int_equal(c.output.tied, !i);
        assert_int_equal(c.alignment.layer_from_end, 2);
        assert_int_equal(c.search.start, 4);
        assert_int_equal(c.search.eos.data[0], 1);
        model_config_free(&c);
    }
}

FOLDER_TEST(refuses_language_models_that_it_would_compute_wrongly)
{
    static const struct {
        const char *family, *members;
        Status status;
        const char *message;
    } cases[] = {
        { "llama", "\"quantization_config\": {\"quant_method\": \"fp8\"}", ERR_UNSUPPORTED,
          "quantization_config is set, which dragoman does not support for this type of model" },
        { "hunyuan_v1_dense", "\"num_experts\": 8", ERR_UNSUPPORTED,
          "num_experts is set, which dragoman does not support for this type of model" },
        { "hunyuan_v1_dense", "\"use_qk_norm\": false", ERR_UNSUPPORTED,
          "use_qk_norm is false, which dragoman does not support" },
        { "gemma3_text", "\"use_bidirectional_attention\": true", ERR_UNSUPPORTED,
          "use_bidirectional_attention is set, which dragoman does not support for this type of model" },
        { "llama", "\"rope_scaling\": {\"rope_type\": \"longrope\", \"factor\": 4}", ERR_UNSUPPORTED,
          "rope_scaling: rope_type \"longrope\" is not supported" },
        { "llama", "\"rope_parameters\": {\"rope_type\": \"proportional\"}", ERR_UNSUPPORTED,
          "rope_parameters: rope_type \"proportional\" is not supported" },
        { "llama", "\"rope_scaling\": {\"rope_type\": \"linear\"}", ERR_FORMAT, "factor is missing" },
        { "llama", "\"rope_scaling\": 4", ERR_FORMAT, "rope_scaling must be an object" },
        { "llama", "\"num_key_value_heads\": 3", ERR_FORMAT,
          "num_attention_heads (2) must be a multiple of num_key_value_heads (3)" },
        { "llama", "\"head_dim\": 5", ERR_UNSUPPORTED, "rotary positions of 5 elements are not supported" },
        { "gemma2", "\"num_attention_heads\": 8, \"layer_types\": [\"chunked_attention\"]", ERR_UNSUPPORTED,
          "layer_types: \"chunked_attention\" is not supported" },
        { "gemma2", "\"num_attention_heads\": 8, \"layer_types\": [\"full_attention\"]", ERR_FORMAT,
          "layer_types must name the types of num_hidden_layers (4) layers" },
        { "gemma3_text",
          "\"num_attention_heads\": 8, \"rope_parameters\": {\"full_attention\": {}, "
          "\"sliding_attention\": {\"partial_rotary_factor\": 0.5}}",
          ERR_UNSUPPORTED, "rope_parameters with two sizes (256 and 128 elements) are not supported" },
        { "gemma3", "", ERR_FORMAT, "text_config must be an object" },
        { "t5gemma", "\"encoder\": {}", ERR_FORMAT, "decoder must be an object" },
        { "t5gemma", "\"encoder\": {\"hidden_size\": 3584}, \"decoder\": {}", ERR_UNSUPPORTED,
          "encoder and decoder have different values of hidden_size, which dragoman does not support" },
        { "t5gemma", "\"encoder\": {}, \"decoder\": {\"sliding_window\": 8}", ERR_UNSUPPORTED,
          "encoder and decoder have different values of sliding_window, which dragoman does not support" },
        { "t5gemma", "\"encoder\": {\"layer_types\": [\"full_attention\"]}, \"decoder\": {}", ERR_FORMAT,
          "layer_types must name the types of num_hidden_layers (26) layers" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        FREED char *text = support_format("{\"model_type\": \"%s\", " SHAPE "%s%s}", cases[i].family,
                                          *cases[i].members ? ", " : "", cases[i].members);
        FREED char *expected = support_format("%s/config.json: %s", (char *)*state, cases[i].message);
        ModelConfig config;
        Err err = { "" };
        assert_fails(read_text(&config, *state, text, &err), cases[i].status, &err, expected);
    }
}

TESTS(test_llm_config);
