/* test_marian_config.c - the settings stored in Marian's models: how they are read, and
 * the messages for invalid and unsupported ones. */
#include "test_support.h"

#include "family.h"
#include "tree_file.h"

#define SETTINGS                                                                                                       \
    "type: transformer\ndim-emb: 16\nenc-depth: 2\ndec-depth: 3\ntransformer-heads: 4\ntransformer-dim-ffn: 32\n"      \
    "dim-vocabs: [7, 9]\nversion: v1.10.2 abc\n"

/* Reads SETTINGS followed by `lines`, whose keys override the earlier ones. */
static Status read_settings(ModelConfig *out, const char *lines, Err *err)
{
    char *text = support_format("%s%s", SETTINGS, lines);
    cJSON *tree = NULL;
    JsonReader r = { .err = err };

    r.st = yaml_tree_parse(&tree, text, strlen(text), "model.yml", NULL, err);
    r.json = (JsonObject){ tree, "model.yml" };
    family_set_defaults(out, &marian_nmt_family);
    if (r.st == OK) marian_nmt_family.read(out, &r);
    cJSON_Delete(tree);
    free(text);
    return r.st;
}

static ModelConfig read_good(const char *lines)
{
    ModelConfig config;
    Err err = { "" };

    assert_ok(read_settings(&config, lines, &err), &err);
    return config;
}

TEST(reads_the_layer_of_the_guided_alignment)
{
    static const struct {
        const char *line;
        size_t from_end;
    } cases[] = { { "", 1 },
                  { "transformer-guided-alignment-layer: last\n", 1 },
                  { "transformer-guided-alignment-layer: 3\n", 1 },
                  { "transformer-guided-alignment-layer: 1\n", 3 },
                  { "transformer-guided-alignment-layer: 4\n", 0 },
                  { "transformer-guided-alignment-layer: 0\n", 0 } };
    ModelConfig config;
    Err err;

    for (size_t i = 0; i < COUNT(cases); i++) {
        config = read_good(cases[i].line);
        assert_int_equal(config.alignment.layer_from_end, cases[i].from_end);
        assert_int_equal(config.alignment.heads, 1);
        model_config_free(&config);
    }
    assert_fails(read_settings(&config, "transformer-guided-alignment-layer: first\n", &err), ERR_FORMAT, &err,
                 "model.yml: transformer-guided-alignment-layer must be \"last\" or a number from 1 to 1000");
    model_config_free(&config);
}

static void check_steps(const SublayerSteps steps, const char *letters)
{
    for (; *letters; letters++, steps++)
        assert_int_equal(*steps, *letters == 'a' ? STEP_ADD : *letters == 'n' ? STEP_NORM : STEP_HIGHWAY);
    assert_int_equal(*steps, STEP_END);
}

TEST(turns_letters_into_steps_and_ignores_d)
{
    static const struct {
        const char *pre, *post, *top, *steps, *top_steps;
        NormKind norm;
        bool before;
    } cases[] = {
        { "", "dan", "", "an", "", NORM_FUSED, false },      { "n", "da", "n", "a", "n", NORM_FUSED, true },
        { "dn", "adnd", "da", "an", "a", NORM_FUSED, true }, { "r", "har", "hr", "han", "hn", NORM_RMS, true },
        { "", "", "", "", "", NORM_FUSED, false },           { "", "anhanha", "", "anhanha", "", NORM_FUSED, false },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        FREED char *lines = support_format("transformer-preprocess: \"%s\"\ntransformer-postprocess: \"%s\"\n"
                                           "transformer-postprocess-top: \"%s\"\ntransformer-depth-scaling: true\n",
                                           cases[i].pre, cases[i].post, cases[i].top);
        FREED_BY(model_config_free) ModelConfig c = read_good(lines);
        assert_int_equal(c.sublayer.pre_norm, cases[i].before);
        check_steps(c.sublayer.after, cases[i].steps);
        check_steps(c.sublayer.after_stack, cases[i].top_steps);
        assert_int_equal(c.norm.kind, cases[i].norm);
    }
}

TEST(selects_normed_keys_and_gelu_by_version)
{
    static const struct {
        const char *version;
        bool raw_encoder, first_normed;
        Activation gelu;
    } cases[] = {
        { "v1.9.56; e7f0a8b8", true, false, ACTIVATION_QUICK_GELU },
        { "v1.10.99", true, false, ACTIVATION_QUICK_GELU },
        { "v1.11.0", false, true, ACTIVATION_QUICK_GELU },
        { "1.12.2", false, true, ACTIVATION_QUICK_GELU },
        { "v1.12.3 f", false, true, ACTIVATION_GELU },
        { "v2.0", false, true, ACTIVATION_GELU },
        { "v1.12", false, true, ACTIVATION_QUICK_GELU },
        { "unknown", true, false, ACTIVATION_QUICK_GELU },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        FREED char *lines = support_format("transformer-preprocess: n\ntransformer-postprocess: a\nversion: %s\n"
                                           "transformer-ffn-activation: gelu\n",
                                           cases[i].version);
        FREED_BY(model_config_free) ModelConfig c = read_good(lines);
        print_message("%s\n", cases[i].version);
        assert_int_equal(c.encoder.norm_query_only, cases[i].raw_encoder);
        assert_true(c.decoder.norm_query_only);
        assert_int_equal(c.attention.norm_first_key, cases[i].first_normed);
        assert_int_equal(c.ffn.activation, cases[i].gelu);
    }
}

TEST(reads_separate_feed_forwards_of_the_decoder)
{
    ModelConfig c = read_good("transformer-ffn-depth: 3\n");

    assert_int_equal(c.decoder.ffn, 32);
    assert_int_equal(c.decoder.ffn_depth, 3);
    model_config_free(&c);
    c = read_good("transformer-ffn-depth: 3\ntransformer-decoder-dim-ffn: 5\ntransformer-decoder-ffn-depth: 1\n");
    assert_int_equal(c.encoder.ffn, 32);
    assert_int_equal(c.encoder.ffn_depth, 3);
    assert_int_equal(c.decoder.ffn, 5);
    assert_int_equal(c.decoder.ffn_depth, 1);
    model_config_free(&c);
}

TEST(rejects_invalid_and_unsupported_settings)
{
    static const struct {
        const char *lines, *message;
        Status status;
    } cases[] = {
        { "type: s2s", "type \"s2s\" is not supported: only \"transformer\" is", ERR_UNSUPPORTED },
        { "type: transformer-new", "type \"transformer-new\" is not supported: only \"transformer\" is",
          ERR_UNSUPPORTED },
        { "transformer-attention-mask: alibi",
          "transformer-attention-mask \"alibi\" is not supported: only \"default\" is", ERR_UNSUPPORTED },
        { "right-left: true", "right-left is not supported", ERR_UNSUPPORTED },
        { "transformer-pool: true", "transformer-pool is not supported", ERR_UNSUPPORTED },
        { "lemma-dim-emb: -1", "lemma-dim-emb: factored vocabularies are not supported", ERR_UNSUPPORTED },
        { "lemma-dim-emb: 64", "lemma-dim-emb: factored vocabularies are not supported", ERR_UNSUPPORTED },
        { "dim-emb: -16", "dim-emb must be a whole number from 1 to 1048576", ERR_FORMAT },
        { "dim-emb: 18", "dim-emb (18) is not a multiple of the 4 heads", ERR_FORMAT },
        { "transformer-ffn-depth: 1000000000", "transformer-ffn-depth must be a whole number from 1 to 1000",
          ERR_FORMAT },
        { "transformer-ffn-depth: 0", "transformer-ffn-depth must be a whole number from 1 to 1000", ERR_FORMAT },
        { "transformer-decoder-ffn-depth: -1", "transformer-decoder-ffn-depth must be a whole number from 0 to 1000",
          ERR_FORMAT },
        { "transformer-decoder-autoreg: average-attention\ntransformer-dim-aan: -2048",
          "transformer-dim-aan must be a whole number from 1 to 1048576", ERR_FORMAT },
        { "transformer-decoder-autoreg: average-attention\ntransformer-aan-depth: 1000000000",
          "transformer-aan-depth must be a whole number from 1 to 1000", ERR_FORMAT },
        { "transformer-decoder-autoreg: average-attention\ntransformer-aan-activation: maxout",
          "transformer-aan-activation \"maxout\" is not supported", ERR_UNSUPPORTED },
        { "transformer-decoder-autoreg: rnn\ndec-cell: gru",
          "transformer-decoder-autoreg \"rnn\" (dec-cell \"gru\") is not supported; use \"self-attention\", "
          "\"average-attention\", or \"rnn\" with \"ssru\"",
          ERR_UNSUPPORTED },
        { "transformer-preprocess: a", "transformer-preprocess: 'a' is not supported; the supported letters are dnr",
          ERR_UNSUPPORTED },
        { "transformer-preprocess: nn", "transformer-preprocess has more than 1 letters besides d", ERR_UNSUPPORTED },
        { "transformer-postprocess: daxn",
          "transformer-postprocess: 'x' is not supported; the supported letters are danrh", ERR_UNSUPPORTED },
        { "transformer-postprocess: anananan", "transformer-postprocess has more than 7 letters besides d",
          ERR_UNSUPPORTED },
        { "transformer-preprocess: n\ntransformer-postprocess: ar",
          "mixing n and r in transformer-preprocess and transformer-postprocess is not supported", ERR_UNSUPPORTED },
        { "transformer-tied-layers: [1, 1]",
          "transformer-tied-layers must have one number for each of the dec-depth layers", ERR_FORMAT },
        { "transformer-tied-layers: [1, 0, 1]", "transformer-tied-layers must hold numbers from 1 to 1000",
          ERR_FORMAT },
        { "tied-embeddings-all: true", "the embeddings are shared, but dim-vocabs are 7 and 9", ERR_FORMAT },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        FREED char *expected = support_format("model.yml: %s", cases[i].message);
        ModelConfig config;
        Err err = { "" };
        assert_fails(read_settings(&config, cases[i].lines, &err), cases[i].status, &err, expected);
        model_config_free(&config);
    }
}

TESTS(test_marian_config);
