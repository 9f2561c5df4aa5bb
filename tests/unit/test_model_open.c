/* test_model_open.c - a tiny Marian folder with one fault at a time, and its message. */
#include "session_support.h"

#include <math.h>

#include "buf.h"

static const char good_config[] =
    "{\"model_type\": \"marian\", \"vocab_size\": 6, \"d_model\": 4, \"encoder_layers\": 1, \"decoder_layers\": 1,\n"
    " \"encoder_attention_heads\": 2, \"decoder_attention_heads\": 2, \"encoder_ffn_dim\": 8, \"decoder_ffn_dim\": 8,\n"
    " \"activation_function\": \"relu\", \"scale_embedding\": true, \"max_position_embeddings\": 16,\n"
    " \"share_encoder_decoder_embeddings\": true, \"pad_token_id\": 5, \"eos_token_id\": 0,\n"
    " \"decoder_start_token_id\": 5, \"forced_eos_token_id\": 0, \"num_beams\": 2, \"max_length\": 12}";

/* A tensor of the folder; with 0 columns it is a vector. */
typedef struct {
    char name[80];
    size_t rows, columns;
} TestTensor;

typedef struct {
    TestTensor tensors[64];
    size_t count;
} TestTensors;

static void add(TestTensors *all, const char *prefix, const char *name, size_t rows, size_t columns)
{
    TestTensor *t = &all->tensors[all->count++];

    snprintf(t->name, sizeof t->name, "%s%s", prefix, name);
    t->rows = rows;
    t->columns = columns;
}

/* A weight and a bias. */
static void add_pair(TestTensors *all, const char *prefix, const char *name, size_t rows, size_t columns)
{
    char whole[160];

    snprintf(whole, sizeof whole, "%s%s", prefix, name);
    add(all, whole, ".weight", rows, columns);
    add(all, whole, ".bias", rows, 0);
}

static void add_layer(TestTensors *all, const char *prefix, bool decoder)
{
    static const char *const parts[] = { ".q_proj", ".k_proj", ".v_proj", ".out_proj" };
    static const char *const attentions[] = { "self_attn", "encoder_attn" };
    char name[80];

    for (size_t a = 0; a < (decoder ? 2 : 1); a++) {
        for (size_t p = 0; p < COUNT(parts); p++) {
            snprintf(name, sizeof name, "%s%s", attentions[a], parts[p]);
            add_pair(all, prefix, name, 4, 4);
        }
        snprintf(name, sizeof name, "%s_layer_norm", attentions[a]);
        add_pair(all, prefix, name, 4, 0);
    }
    add_pair(all, prefix, "fc1", 8, 4);
    add_pair(all, prefix, "fc2", 4, 8);
    add_pair(all, prefix, "final_layer_norm", 4, 0);
}

static TestTensors good_tensors(void)
{
    TestTensors all = { .count = 0 };

    add(&all, "", "model.shared.weight", 6, 4);
    add(&all, "", "final_logits_bias", 1, 6);
    add_layer(&all, "model.encoder.layers.0.", false);
    add_layer(&all, "model.decoder.layers.0.", true);
    return all;
}

static TestTensor *find(TestTensors *all, const char *name)
{
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->tensors[i].name, name) == 0) return &all->tensors[i];
    fail_msg("no tensor %s", name);
    return NULL;
}

/* Writes small F32 values of a fixed sequence; the last one of tensor `odd` is `value`. */
static void write_weights(const char *folder, const TestTensors *all, const char *odd, float value)
{
    Buf header = { 0 }, data = { 0 }, file = { 0 };
    unsigned seed = 1;

    buf_put_text(&header, "{");
    for (size_t i = 0; i < all->count; i++) {
        const TestTensor *t = &all->tensors[i];
        size_t floats = t->columns ? t->rows * t->columns : t->rows, begin = data.len;
        for (size_t j = 0; j < floats; j++) {
            float number = (float)(support_random(&seed) >> 8) / 65536.0f - 0.5f;
            if (odd && strcmp(odd, t->name) == 0 && j == floats - 1) number = value;
            buf_put(&data, &number, sizeof number);
        }
        buf_put_format(&header, "%s\"%s\":{\"dtype\":\"F32\",\"shape\":[%zu", i ? "," : "", t->name, t->rows);
        if (t->columns) buf_put_format(&header, ",%zu", t->columns);
        buf_put_format(&header, "],\"data_offsets\":[%zu,%zu]}", begin, data.len);
    }
    buf_put_text(&header, "}");
    for (size_t i = 0; i < 8; i++) buf_put_byte(&file, (char)((uint64_t)header.len >> 8 * i));
    buf_put(&file, header.data, header.len);
    buf_put(&file, data.data, data.len);
    free(support_write_file(folder, "model.safetensors", file.data, file.len));
    buf_free(&header);
    buf_free(&data);
    buf_free(&file);
}

/* Writes the valid configuration with `from` replaced by `to`. */
static void write_config(const char *folder, const char *from, const char *to)
{
    const char *at = from ? strstr(good_config, from) : good_config;
    char *text;

    assert_non_null(at);
    text = support_format("%.*s%s%s", (int)(at - good_config), good_config, from ? to : "",
                          at + (from ? strlen(from) : 0));
    free(support_write_text(folder, "config.json", text));
    free(text);
}

/* Writes the valid folder with additional tensors. */
static void write_with(const char *folder, const char *const *names, size_t count)
{
    TestTensors all = good_tensors();

    write_config(folder, NULL, NULL);
    for (size_t i = 0; i < count; i++) add(&all, "", names[i], 4, 4);
    write_weights(folder, &all, NULL, 0);
}

/* `message` follows the folder's name and a slash. */
static void check_refused(const char *folder, Status status, const char *message)
{
    FREED char *expected = support_path(folder, message);
    Model *model;
    Err err = { "" };

    assert_fails(open_model(&model, folder, &err), status, &err, expected);
    assert_null(model);
}

FOLDER_TEST(opens_the_intact_folder_and_translates)
{
    int32_t source[] = { 1, 2, 3, 0 };
    SearchInput input = { .source = source, .source_len = 4 };
    Session *session;
    Model *model;
    Hypothesis found;
    size_t count = 0;
    Err err;

    write_with(*state, NULL, 0);
    assert_ok(open_model(&model, *state, &err), &err);
    assert_int_equal(model_config(model)->search.beams, 2);
    assert_int_equal(model_config(model)->search.max_length, 11);
    assert_string_equal(model_facts(model).stored_type, "F32");
    assert_ok(session_new(&session, model, &model_config(model)->search, 0, 4, &err), &err);
    found = session_support_translate(session, &input, 0, &count);
    assert_int_equal(count, 1);
    assert_true(found.len >= 1 && isfinite(found.score));
    assert_true(session_idle(session));
    session_free(session);
    model_free(model);
}

/* Another value of a key of good_config. */
#define CHANGE(key, from, to)  "\"" key "\": " from, "\"" key "\": " to
#define WEIGHTS                "model.safetensors: "
#define SIZE(key, least, most) key " must be a whole number from " #least " to " #most
#define INSTEAD                "for translation, use an OPUS-MT, M2M-100, NLLB-200, mBART-50 or MADLAD-400 model"
#define SUPPORTED                                                                                                      \
    " is not supported; dragoman supports marian, bart, mbart, m2m_100, IndicTrans, fsmt, seamless_m4t, "              \
    "seamless_m4t_v2, t5, mt5, umt5, transformer, ctranslate2, llama, mistral, qwen2, qwen3, gemma2, gemma3, "         \
    "gemma3_text, hunyuan_v1_dense, t5gemma"

FOLDER_TEST(names_each_fault_of_the_configuration)
{
    static const struct {
        const char *from, *to;
        Status status;
        const char *message;
    } cases[] = {
        { "\"marian\"", "\"new\"", ERR_UNSUPPORTED, "model_type \"new\"" SUPPORTED },
        { "\"marian\"", "\"t5gemma2\"", ERR_UNSUPPORTED,
          "model_type \"t5gemma2\" is not supported: its layers are not those of T5; " INSTEAD },
        { "\"marian\"", "\"bloom\"", ERR_UNSUPPORTED,
          "model_type \"bloom\" is not supported: of the decoder-only language models, dragoman supports the types "
          "llama, mistral, qwen2, qwen3, gemma2, gemma3, gemma3_text and hunyuan_v1_dense" },
        { "\"marian\"", "\"loom\"", ERR_UNSUPPORTED, "model_type \"loom\"" SUPPORTED },
        { "\"marian\"", "7", ERR_FORMAT, "model_type must be a string" },
        { "\"model_type\": \"marian\",", "", ERR_FORMAT, "model_type is missing" },
        { "\"d_model\": 4,", "", ERR_FORMAT, "d_model is missing" },
        { CHANGE("d_model", "4", "\"4\""), ERR_FORMAT, SIZE("d_model", 1, 1048576) },
        { CHANGE("d_model", "4", "0"), ERR_FORMAT, SIZE("d_model", 1, 1048576) },
        { CHANGE("d_model", "4", "4.5"), ERR_FORMAT, SIZE("d_model", 1, 1048576) },
        { CHANGE("d_model", "4", "1e300"), ERR_FORMAT, SIZE("d_model", 1, 1048576) },
        { CHANGE("d_model", "4", "5"), ERR_FORMAT, "d_model (5) is not a multiple of encoder_attention_heads (2)" },
        { CHANGE("d_model", "4", "6"), ERR_FORMAT,
          WEIGHTS "tensor model.shared.weight: shape [6, 4], expected [6, 6]" },
        { CHANGE("d_model", "4", "1048576"), ERR_FORMAT,
          WEIGHTS "tensor model.shared.weight: shape [6, 4], expected [6, 1048576]" },
        { "\"vocab_size\": 6,", "", ERR_FORMAT, "vocab_size is missing" },
        { CHANGE("vocab_size", "6", "-6"), ERR_FORMAT, SIZE("vocab_size", 1, 16777216) },
        { CHANGE("vocab_size", "6", "5"), ERR_FORMAT, SIZE("decoder_start_token_id", 0, 4) },
        { "\"encoder_layers\": 1,", "", ERR_FORMAT, "encoder_layers is missing" },
        { CHANGE("encoder_layers", "1", "100000"), ERR_FORMAT, SIZE("encoder_layers", 1, 1000) },
        { CHANGE("encoder_layers", "1", "2"), ERR_FORMAT,
          WEIGHTS "tensor model.encoder.layers.1.self_attn.q_proj.weight is missing" },
        { CHANGE("decoder_layers", "1", "1000"), ERR_FORMAT,
          WEIGHTS "tensor model.decoder.layers.1.self_attn.q_proj.weight is missing" },
        { CHANGE("encoder_ffn_dim", "8", "1048576"), ERR_FORMAT,
          WEIGHTS "tensor model.encoder.layers.0.fc1.weight: shape [8, 4], expected [1048576, 4]" },
        { "\"decoder_attention_heads\": 2,", "", ERR_FORMAT, "decoder_attention_heads is missing" },
        { "\"relu\"", "\"maxout\"", ERR_UNSUPPORTED, "activation_function \"maxout\" is not supported" },
        { "\"relu\"", "\"prelu\"", ERR_FORMAT,
          WEIGHTS "tensor model.encoder.layers.0.activation_fn.weight is missing" },
        { "\"relu\"", "[]", ERR_FORMAT, "activation_function must be a string" },
        { CHANGE("scale_embedding", "true", "1"), ERR_FORMAT, "scale_embedding must be true or false" },
        { "\"scale_embedding\": true", "\"normalize_before\": true", ERR_UNSUPPORTED,
          "normalize_before is true, which dragoman does not support for marian models" },
        { "\"scale_embedding\": true", "\"normalize_embedding\": true", ERR_UNSUPPORTED,
          "normalize_embedding is true, which dragoman does not support for marian models" },
        { "\"scale_embedding\": true", "\"add_final_layer_norm\": true", ERR_UNSUPPORTED,
          "add_final_layer_norm is true, which dragoman does not support for marian models" },
        { CHANGE("max_position_embeddings", "16", "4000000000"), ERR_FORMAT,
          SIZE("max_position_embeddings", 2, 16384) },
        { CHANGE("eos_token_id", "0", "6"), ERR_FORMAT, "eos_token_id must hold ids from 0 to 5" },
        { CHANGE("eos_token_id", "0", "[0, \"1\"]"), ERR_FORMAT, "eos_token_id must hold ids from 0 to 5" },
        { CHANGE("decoder_start_token_id", "5", "-1"), ERR_FORMAT, SIZE("decoder_start_token_id", 0, 5) },
        { "\"decoder_start_token_id\": 5,", "", ERR_FORMAT, "decoder_start_token_id is missing" },
        { CHANGE("num_beams", "2", "100000"), ERR_FORMAT, SIZE("num_beams", 1, 1024) },
        { "\"num_beams\": 2", "\"num_return_sequences\": 2", ERR_FORMAT, SIZE("num_return_sequences", 1, 1) },
        { "\"num_beams\": 2", "\"early_stopping\": \"sometimes\"", ERR_FORMAT,
          "early_stopping must be true, false or \"never\"" },
        { "\"num_beams\": 2", "\"length_penalty\": \"x\"", ERR_FORMAT,
          "length_penalty must be a number from -100 to 100" },
        { "\"num_beams\": 2", "\"bad_words_ids\": [5]", ERR_FORMAT, "bad_words_ids must be a list of lists of ids" },
        { "\"num_beams\": 2", "\"bad_words_ids\": [[]]", ERR_FORMAT, "bad_words_ids must be a list of lists of ids" },
        { "\"num_beams\": 2", "\"bad_words_ids\": [[6]]", ERR_FORMAT, "bad_words_ids must hold ids from 0 to 5" },
        { "\"num_beams\": 2", "\"penalty_alpha\": 0.6", ERR_UNSUPPORTED,
          "penalty_alpha is set, which dragoman does not support" },
        { "\"num_beams\": 2", "\"num_beam_groups\": 2", ERR_FORMAT, SIZE("num_beam_groups", 1, 1) },
        { CHANGE("max_length", "12", "1"), ERR_FORMAT, "max_length allows no new token" },
        { CHANGE("max_length", "12", "1.5"), ERR_FORMAT, SIZE("max_length", 1, 1048576) },
    };
    const char *folder = *state;
    TestTensors all = good_tensors();

    write_weights(folder, &all, NULL, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const bool is_of_weights = strncmp(cases[i].message, WEIGHTS, strlen(WEIGHTS)) == 0;
        FREED char *message = support_format("%s%s", is_of_weights ? "" : "config.json: ", cases[i].message);
        write_config(folder, cases[i].from, cases[i].to);
        check_refused(folder, cases[i].status, message);
    }
}

FOLDER_TEST(names_the_position_of_broken_json)
{
    const char *folder = *state;
    TestTensors all = good_tensors();
    Err err = { "" };
    char *expected;
    Model *model;

    write_weights(folder, &all, NULL, 0);
    expected =
        support_format("%s: not a model: model.safetensors has no config.json beside it: download config.json, too; a "
                       "model's folder has config.json, weights (safetensors, .bin or .npz) and a tokenizer",
                       folder);
    assert_fails(open_model(&model, folder, &err), ERR_IO, &err, expected);
    free(expected);
    free(support_write_text(folder, "config.json", ""));
    check_refused(folder, ERR_FORMAT, "config.json is empty");
    free(support_write_text(folder, "config.json", "[1, 2]"));
    check_refused(folder, ERR_FORMAT, "config.json is not a JSON object");
    write_config(folder, NULL, NULL);
    free(support_write_text(folder, "generation_config.json", "{\"num_beams\": 0}"));
    check_refused(folder, ERR_FORMAT, "generation_config.json: num_beams must be a whole number from 1 to 1024");
}

FOLDER_TEST(names_each_fault_of_the_weights)
{
    static const struct {
        const char *name;
        size_t rows, columns;
        const char *shapes;
    } cases[] = {
        { "model.shared.weight", 7, 4, "[7, 4], expected [6, 4]" },
        { "model.shared.weight", 24, 0, "[24], expected [6, 4]" },
        { "final_logits_bias", 2, 3, "[2, 3], expected [1, 6]" },
        { "model.encoder.layers.0.self_attn.k_proj.weight", 4, 5, "[4, 5], expected [4, 4]" },
        { "model.decoder.layers.0.encoder_attn.v_proj.bias", 3, 0, "[3], expected [4]" },
        { "model.decoder.layers.0.final_layer_norm.weight", 0, 0, "[0], expected [4]" },
    };
    const char *folder = *state;

    write_config(folder, NULL, NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TestTensors all = good_tensors();
        TestTensor *t = find(&all, cases[i].name);
        char *message;
        t->rows = cases[i].rows;
        t->columns = cases[i].columns;
        write_weights(folder, &all, NULL, 0);
        message = support_format(WEIGHTS "tensor %s: shape %s", cases[i].name, cases[i].shapes);
        check_refused(folder, ERR_FORMAT, message);
        free(message);
    }
}

FOLDER_TEST(names_every_missing_tensor)
{
    const char *folder = *state;
    TestTensors good = good_tensors();

    write_config(folder, NULL, NULL);
    for (size_t i = 0; i < good.count; i++) {
        TestTensors all = good;
        char message[160];
        if (strcmp(good.tensors[i].name, "final_logits_bias") == 0) continue; /* may be missing: zeros */
        strcpy(all.tensors[i].name, "something.else");
        write_weights(folder, &all, NULL, 0);
        snprintf(message, sizeof message, "model.safetensors: tensor %s is missing", good.tensors[i].name);
        check_refused(folder, ERR_FORMAT, message);
    }
}

static void check_warning(const char *folder, const char *const *names, size_t count, const char *message)
{
    FREED char *expected = message ? support_path(folder, message) : NULL;
    Model *model;
    Err err;

    write_with(folder, names, count);
    assert_ok(open_model(&model, folder, &err), &err);
    if (expected)
        assert_string_equal(model_facts(model).warning, expected);
    else
        assert_null(model_facts(model).warning);
    model_free(model);
}

FOLDER_TEST(warns_about_unused_tensors)
{
    static const char *const unused[] = { "model.decoder.layers.0.adapter.weight", "lm_head.weight",
                                          "model.encoder.projection.weight" };
    static const char *const known[] = { "lm_head.weight", "model.encoder.embed_tokens.weight",
                                         "model.decoder.embed_tokens.weight" };

    check_warning(*state, known, 0, NULL);
    check_warning(*state, known, COUNT(known), NULL);
    check_warning(*state, unused, 1,
                  "model.safetensors: tensor model.decoder.layers.0.adapter.weight is not used by any layer");
    check_warning(*state, unused, COUNT(unused),
                  "model.safetensors: 2 tensors are not used by any layer; the first is "
                  "model.decoder.layers.0.adapter.weight");
}

FOLDER_TEST(rejects_more_layers_than_configured)
{
    static const char *const more[] = { "model.decoder.layers.1.fc1.weight" };

    write_with(*state, more, 1);
    check_refused(*state, ERR_FORMAT,
                  "model.safetensors: tensor model.decoder.layers.1.fc1.weight: belongs to decoder layer 2, but the "
                  "model's configuration has only 1");
}

FOLDER_TEST(rejects_nan_and_infinity)
{
    const char *folder = *state;
    TestTensors all = good_tensors();

    write_config(folder, NULL, NULL);
    write_weights(folder, &all, "model.decoder.layers.0.fc2.weight", NAN);
    check_refused(folder, ERR_FORMAT,
                  "model.safetensors: tensor model.decoder.layers.0.fc2.weight: holds NaN or infinity at "
                  "element 31");
    write_weights(folder, &all, "model.encoder.layers.0.fc1.bias", INFINITY);
    check_refused(folder, ERR_FORMAT,
                  "model.safetensors: tensor model.encoder.layers.0.fc1.bias: holds NaN or infinity at element 7");
}

FOLDER_TEST(rejects_sentences_that_do_not_fit_the_model)
{
    const int32_t source[17] = { 1, 9 }, prefix[] = { -1 };
    const struct {
        SearchInput input;
        const char *message;
    } cases[] = {
        { { .source = source, .source_len = 17 },
          "the sentence has 17 pieces, but must have at least 1 and at most 16" },
        { { .source = source, .source_len = 0 }, "the sentence has 0 pieces, but must have at least 1 and at most 16" },
        { { .source = source, .source_len = 2 }, "source id 9 is outside the vocabulary of 6 entries" },
        { { .source = source, .source_len = 1, .prefix = prefix, .prefix_len = 1 },
          "prefix id -1 is outside the vocabulary of 6 entries" },
    };
    SearchParams params;
    Session *session;
    Model *model;
    Err err;

    write_with(*state, NULL, 0);
    assert_ok(open_model(&model, *state, &err), &err);
    assert_ok(search_params_copy(&params, &model_config(model)->search, &err), &err);
    params.max_length = 17;
    assert_fails(session_new(&session, model, &params, 0, 4, &err), ERR_USAGE, &err,
                 "the maximum length is 17, but the model has only 16 positions");
    params.max_length = 11;
    assert_ok(session_new(&session, model, &params, 0, 4, &err), &err);
    assert_int_equal(session_room(session), 2);
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_fails(session_add(session, &cases[i].input, 1, &err), ERR_USAGE, &err, cases[i].message);
    session_free(session);
    search_params_free(&params);
    model_free(model);
}

TESTS(test_model_open);
