/* test_transformer_config.c - folders of tests/golden/transformers with one fault each, and its message, from
 * the model or its tokenizer. */
#include "test_support.h"

#include <unistd.h>

#include "model_support.h"
#include "tokenizer.h"

#define GOLDEN GOLDEN_ROOT "/transformers/"

/* Makes a copy of a golden folder whose config.json has `from` replaced by `to`. */
static void make_folder(const char *folder, const char *name, const char *from, const char *to)
{
    char *relative = support_format(GOLDEN "%s", name), *golden = support_absolute(relative);
    char *path = support_path(golden, "config.json"), *config = support_read_file(path, NULL);
    const char *at = strstr(config, from);
    DIR *dir = opendir(golden);
    struct dirent *entry;
    char *changed;

    assert_non_null(dir);
    if (!at) fail_msg("%s does not hold %s", path, from);
    changed = support_format("%.*s%s%s", (int)(at - config), config, to, at + strlen(from));
    while ((entry = readdir(dir))) {
        FREED char *file = support_path(folder, entry->d_name);
        FREED char *original = support_path(golden, entry->d_name);
        unlink(file);
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, "config.json") != 0)
            assert_int_equal(symlink(original, file), 0);
    }
    closedir(dir);
    free(support_write_text(folder, "config.json", changed));
    free(changed);
    free(config);
    free(path);
    free(golden);
    free(relative);
}

typedef struct {
    const char *name, *from, *to;
    const char *message; /* follows the folder's name and a slash */
} Case;

/* The messages follow "FOLDER/file: ". */
static void check_all(const char *file, const Case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const Case *c = &cases[i];
        char *folder = support_folder_new(), *expected = support_format("%s/%s: %s", folder, file, c->message);
        Model *model;
        Err err = { "" };
        make_folder(folder, c->name, c->from, c->to);
        if (open_model(&model, folder, &err) == OK) fail_msg("%s: %s opened", c->name, c->to);
        assert_null(model);
        assert_string_equal(err.text, expected);
        support_folder_remove(folder);
        free(folder);
        free(expected);
    }
}

#define POST   "annotated-post-standard"
#define SCORED "score-08"
#define X48    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X384   X48 X48 X48 X48 X48 X48 X48 X48

TEST(rejects_wrong_and_unknown_settings)
{
#define UNKNOWN(key) "unknown setting " key " (docs/tutorial-models.md lists all settings)"
    static const Case cases[] = {
        { POST, "\"norm\"", "\"nrom\"", UNKNOWN("nrom") },
        { POST, "\"annotated\"", "\"anotated\"",
          "names is \"anotated\"; it must be one of \"annotated\", \"q_linear\", \"nn.Transformer\", "
          "\"fc_q\", \"w_concat\", \"w_qs\"" },
        { POST, "\"post\"", "\"behind\"", "norm is \"behind\"; it must be one of \"pre\", \"post\"" },
        { POST, "\"standard\"", "\"rms\"", "layer_norm is \"rms\"; it must be one of \"standard\", \"std\"" },
        { POST, "\"concatenated\"", "\"rotary\"",
          "position_encoding is \"rotary\"; it must be one of \"interleaved\", \"two_exponent\", "
          "\"concatenated\", \"halves\", \"learned\", \"stored\", \"none\"" },
        { POST, "\"heads\": 2", "\"heads\": 5", "d_model (12) is not a multiple of the 5 heads" },
        { POST, "\"heads\": 2,", "", "heads is missing (or encoder_heads and decoder_heads)" },
        { POST, "\"ffn\": 18", "\"encoder_ffn\": 18", "ffn is missing (or encoder_ffn and decoder_ffn)" },
        { POST, "\"start_id\": 0,", "", "start_id is missing" },
        { POST, "\"end_id\": 1", "\"end_id\": 24", "end_id must be a whole number from 0 to 23" },
        { POST, "\"end_id\": 1", "\"end_id\": 23", "end_id must be a whole number from 0 to 22" },
        { POST, "\"end_id\": 1", "\"end_id\": 1, \"source_end_id\": 1000",
          "source_end_id must be a whole number from 0 to 22" },
        { POST, "\"end_id\": 1", "\"end_id\": 1, \"source_start_id\": 23",
          "source_start_id must be a whole number from 0 to 22" },
        { POST, "1.7", "0", "softmax_temperature must be a number from 1e-06 to 1e+06" },
        { POST, "\"final_norm\": false", "\"bias\": {\"fnn\": false}", UNKNOWN("bias: fnn") },
        { POST, "\"final_norm\": false", "\"tie\": [\"target\", \"sourc\"]",
          "tie must be a list of \"source\", \"target\", \"output\"" },
        { POST, "\"final_norm\": false", "\"tie\": [\"source\", \"output\"]",
          "tie must be a list of \"target\" with \"source\", \"output\" or both" },
        { POST, "\"final_norm\": false", "\"tie\": [\"source\", \"target\"]",
          "tie shares one embedding matrix, but source_vocab_size is 23 and target_vocab_size is 24" },
        { SCORED, "\"additive\"", "\"bilinear\"",
          "function is \"bilinear\"; it must be one of \"scaled_dot\", \"dot\", \"general\", "
          "\"additive\", "
          "\"location\"" },
        { SCORED, "\"width\": 3", "\"widht\": 3", UNKNOWN("attention_score: encoder: widht") },
        { SCORED, ",\n   \"width\": 3", "", "attention_score: encoder: width is missing; a local window needs it" },
        { SCORED, "\"global\"", "\"global\", \"width\": 2",
          "attention_score: cross: width is allowed only with a local window" },
        { SCORED, "\"cross\"", "\"corss\"", UNKNOWN("attention_score: corss") },
        { "mapped-names", "\"output\": \"head\"", "\"out\": \"head\"",
          "weight_map: out is not the name of a weight (docs/tutorial-models.md lists them)" },
        { "mapped-names", "\"output\": \"head\"", "\"output\": 1", "weight_map: output: must be a string" },
    };

    check_all("config.json", cases, COUNT(cases));
}

#define MISSING(stored, ours) "tensor " stored " is missing (" ours " of the model that config.json describes)"
#define NOT_USED(stored)                                                                                               \
    "tensor " stored " is not used by the model that config.json describes; list it in \"ignore_tensors\" if it is "   \
    "not needed"

TEST(names_both_shapes_of_a_mismatched_tensor)
{
    static const Case cases[] = {
        { POST, "\"target_vocab_size\": 24", "\"target_vocab_size\": 25",
          "tensor tgt_embed.0.lut.weight: shape [24, 12], expected [25, 12]" },
        { POST, "\"ffn\": 18", "\"ffn\": 17",
          "tensor encoder.layers.0.feed_forward.w_1.weight: shape [18, 12], expected [17, 12]" },
        { POST, "\"decoder_layers\": 1", "\"decoder_layers\": 2",
          MISSING("decoder.layers.1.self_attn.linears.0.weight", "decoder.layers.1.self.query.weight") },
        { POST, "\"encoder_layers\": 2", "\"encoder_layers\": 1", NOT_USED("encoder.layers.1.feed_forward.w_1.bias") },
        { POST, "\"final_norm\": false", "\"final_norm\": true", MISSING("encoder.norm.a_2", "encoder.norm.weight") },
        { POST, "\"annotated\"", "\"q_linear\"",
          "tensor encoder.embed.embed.weight is missing (source_embedding.weight of the model that "
          "config.json describes)" },
        { POST, "\"final_norm\": false", "\"tie\": [\"target\", \"output\"]",
          MISSING("encoder.norm.a_2", "encoder.norm.weight") },
        { POST, "\"final_norm\": false", "\"final_norm\": false, \"tie\": [\"target\", \"output\"]",
          "tensors tgt_embed.0.lut.weight and generator.proj.weight differ, but \"tie\" in "
          "config.json says that they are equal" },
        { POST, "\"final_norm\": false", "\"final_norm\": false, \"bias\": {\"output\": false}",
          NOT_USED("generator.proj.bias") },
        { "q-linear-no-bias", "\"bias\": false", "\"bias\": {\"attention\": false, \"ffn\": false}",
          MISSING("out.bias", "output.bias") },
        { POST, "\"concatenated\"", "\"stored\"", MISSING("src_embed.1.pe", "source_positions") },
        { SCORED, "\"encoder\": {\n   \"function\": \"additive\"", "\"encoder\": {\n   \"function\": \"general\"",
          "tensor transformer.encoder.layers.0.self_attn.score.w: shape [2, 6, 12], expected "
          "[2, 6, 6]" },
        { SCORED, "\"encoder\": {\n   \"function\": \"additive\"", "\"encoder\": {\n   \"function\": \"location\"",
          "tensor transformer.encoder.layers.0.self_attn.score.w has 6 positions, fewer than "
          "max_positions (40) of config.json: set max_positions to 6" },
        { SCORED, "\"local-m\"", "\"local-p\"",
          MISSING("transformer.encoder.layers.0.self_attn.score.wp", "encoder.layers.0.self.score.wp") },
        { "mapped-names", "\"output\": \"head\"", "\"output\": \"head[1/2]\"",
          "tensor module.head.weight: shape [12, 12], expected [24, 12]" },
        /* A name that is too long for ".weight" is not taken for that of another tensor. */
        { "mapped-names", "\"output\": \"head\"", "\"output\": \"" X384 "[0/2]\"",
          "tensor module." X384 "[0/2] is missing (output.weight of the model that config.json "
          "describes)" },
    };

    check_all("model.safetensors", cases, COUNT(cases));
}

TEST(rejects_mismatched_vocabularies)
{
    static const Case cases[] = {
        { POST, "\"unk_id\": 3,", "\"unk_id\": 3, \"vocab\": \"words.txt\",", "words.txt: No such file or directory" },
        { POST, "\"unk_id\": 3,", "\"unk_id\": 3, \"vocab\": \"../words.txt\",",
          "config.json: vocab must be the plain name of a file in the same folder" },
        { POST, "\"unk_id\": 3,", "\"unk_id\": 3, \"source_vocab\": \"source_vocab.txt\",",
          "config.json: give either vocab, or both source_vocab and target_vocab" },
        { POST, "\"unk_id\": 3,", "", "config.json: unk_id is missing" },
        { POST, "\"unk_id\": 3,", "\"unk_id\": 99,",
          "target_vocab.txt: no token has the id 99, the unk_id of config.json" },
        { POST, "\"unk_id\": 3,", "\"unk_id\": 3, \"source_unk_id\": 99,",
          "source_vocab.txt: no token has the id 99, the source's unk_id of config.json" },
        { POST, "\"source_vocab_size\": 23", "\"source_vocab_size\": 24",
          "source_vocab.txt: the vocabulary has 23 lines, but the model has 24 embeddings; if embeddings without a "
          "token "
          "follow, add an empty line for each" },
        { POST, "\"target_vocab_size\": 24", "\"target_vocab_size\": 64",
          "target_vocab.txt: the vocabulary has 24 lines, but the model has 64 embeddings; if embeddings without a "
          "token "
          "follow, add an empty line for each" },
        { "annotated-spm", "\"source_vocab_size\": 43", "\"source_vocab_size\": 45",
          "source.spm: the vocabulary has 43 pieces, but the model has 45 embeddings" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char *folder = support_folder_new(), *expected = support_path(folder, cases[i].message);
        Tokenizer *tokenizer;
        Err err = { "" };
        make_folder(folder, cases[i].name, cases[i].from, cases[i].to);
        if (open_tokenizer(&tokenizer, folder, "transformer", NULL, NULL, &err) == OK) fail_msg("%s", cases[i].to);
        assert_string_equal(err.text, expected);
        free(expected);
        support_folder_remove(folder);
        free(folder);
    }
}

/* Translations have 256 tokens by default. The stored positions of annotated-plain and score-14 have 40 rows, unlike
 * the preset and the key. */
TEST(opens_models_with_these_limits)
{
#define MAX "\"max_positions\": 40,"
    static const struct {
        const char *name, *from, *to;
        size_t positions, length; /* 0: any */
    } cases[] = {
        { POST, MAX, "\"max_positions\": 500,", 500, 256 },
        { POST, MAX, MAX, 40, 40 },
        { POST, MAX, "\"max_positions\": 500, \"max_length\": 20,", 500, 20 },
        { POST, MAX, "\"max_positions\": 500, \"max_length\": 80,", 500, 79 },
        { POST, MAX, "\"max_positions\": 500, \"max_new_tokens\": 80,", 500, 80 },
        { POST, MAX, "", 5000, 256 },
        { "annotated-plain", MAX, "", 40, 40 },
        { "annotated-plain", MAX, "\"max_positions\": 30,", 30, 30 },
        { "score-14", MAX, "", 40, 40 },
        /* Listed tensors and comments are ignored, and stored positions are used if they exist. */
        { POST, "\"encoder_layers\": 2", "\"encoder_layers\": 1, \"ignore_tensors\": [\"encoder.layers.1\"]", 40, 40 },
        { POST, "\"norm\"", "\"_why\": \"as in the paper\", \"norm\"", 40, 40 },
        { "annotated-plain", "\"stored\"", "\"interleaved\"", 0, 0 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        FREED char *folder = support_folder_new();
        Model *model;
        Err err = { "" };
        make_folder(folder, cases[i].name, cases[i].from, cases[i].to);
        assert_ok(open_model(&model, folder, &err), &err);
        if (cases[i].positions && (model_config(model)->positions.max != cases[i].positions ||
                                   model_config(model)->search.max_length != cases[i].length))
            fail_msg("%s, %s: %zu positions, %zu tokens", cases[i].name, cases[i].to,
                     model_config(model)->positions.max, model_config(model)->search.max_length);
        model_free(model);
        support_folder_remove(folder);
    }
}

TESTS(test_transformer_config);
