/* test_adapter.c - LoRA adapters: their paths, their settings, and merged tensors, compared with plain loops. */
#include "model_support.h"

#include <math.h>

#include "adapter.h"
#include "buf.h"
#include "path.h"

static const char base_config[] =
    "{\"model_type\": \"marian\", \"vocab_size\": 6, \"d_model\": 4, \"encoder_layers\": 1, \"decoder_layers\": 1,"
    " \"encoder_attention_heads\": 2, \"decoder_attention_heads\": 2, \"encoder_ffn_dim\": 8, \"decoder_ffn_dim\": 8,"
    " \"activation_function\": \"relu\", \"max_position_embeddings\": 16, \"pad_token_id\": 5, \"eos_token_id\": 0,"
    " \"decoder_start_token_id\": 5}";

/* A file of safetensors in the making. */
typedef struct {
    Buf header, data;
    unsigned seed;
} TensorFile;

#define Q      "model.encoder.layers.0.self_attn.q_proj"
#define FC1    "model.decoder.layers.0.fc1"
#define PREFIX "base_model.model."
#define A      ".lora_A.weight"
#define B      ".lora_B.weight"

/* Adds a tensor of random values; a vector has 0 columns. `type` is F32, F16 or BF16. */
static void add(TensorFile *file, const char *type, const char *name, size_t rows, size_t columns)
{
    const size_t begin = file->data.len, count = columns ? rows * columns : rows;

    for (size_t i = 0; i < count; i++) {
        float value = (float)(support_random(&file->seed) >> 8 & 0xffff) / 65536.0f - 0.5f;
        uint16_t half = dtype_f32_to_bf16(value);
        if (strcmp(type, "F16") == 0) half = (uint16_t)(0x3000 + (support_random(&file->seed) >> 8 & 0x87ff));
        if (strcmp(type, "F32") == 0)
            buf_put(&file->data, &value, sizeof value);
        else
            buf_put(&file->data, &half, sizeof half);
    }
    buf_put_format(&file->header, "%s\"%s\":{\"dtype\":\"%s\",\"shape\":[%zu", file->header.len ? "," : "{", name, type,
                   rows);
    if (columns) buf_put_format(&file->header, ",%zu", columns);
    buf_put_format(&file->header, "],\"data_offsets\":[%zu,%zu]}", begin, file->data.len);
}

static void write_tensors(TensorFile *file, const char *folder, const char *name)
{
    Buf whole = { 0 };

    buf_put_text(&file->header, file->header.len ? "}" : "{}");
    for (size_t i = 0; i < 8; i++) buf_put_byte(&whole, (char)((uint64_t)file->header.len >> 8 * i));
    buf_put(&whole, file->header.data, file->header.len);
    if (file->data.len) buf_put(&whole, file->data.data, file->data.len);
    free(support_write_file(folder, name, whole.data, whole.len));
    buf_free(&whole);
    buf_free(&file->header);
    buf_free(&file->data);
}

static char *make_folder(const char *parent, const char *name)
{
    char *path = support_path(parent, name);

    assert_int_equal(mkdir(path, 0700), 0);
    return path;
}

/* Writes the few tensors that the tests merge; only whole models are bound. */
static char *write_base(const char *parent, const char *name, const char *type)
{
    char *folder = make_folder(parent, name);
    TensorFile file = { .seed = 3 };

    free(support_write_text(folder, "config.json", base_config));
    add(&file, type, "model.shared.weight", 6, 4);
    add(&file, type, "lm_head.weight", 6, 4);
    add(&file, type, Q ".weight", 4, 4);
    add(&file, type, Q ".bias", 4, 0);
    add(&file, type, FC1 ".weight", 8, 4);
    write_tensors(&file, folder, "model.safetensors");
    return folder;
}

static char *begin_adapter(const char *parent, const char *name, const char *settings)
{
    char *folder = make_folder(parent, name);
    char *text = support_format("{\"peft_type\": \"LORA\", \"base_model_name_or_path\": \"../base\"%s%s}",
                                *settings ? ", " : "", settings);

    free(support_write_text(folder, "adapter_config.json", text));
    free(text);
    return folder;
}

/* An open model, merged, and the same without its adapters. */
typedef struct {
    Weights *merged, *base, *adapter;
    ModelConfig config;
} Merged;

static Status merge_into(Merged *out, const char *path, Err *err)
{
    ModelFolder *folder;
    Status st = model_folder_open(&folder, path, err);

    *out = (Merged){ 0 };
    if (st == OK) st = model_config_read(&out->config, folder, NULL, err);
    if (st == OK) st = weights_open(&out->merged, folder, err);
    if (st == OK) st = adapter_merge(out->merged, folder, &out->config, err);
    if (st == OK) st = weights_open(&out->base, folder, err);
    if (st == OK) {
        size_t count;
        const ModelAdapter *adapters = model_folder_adapters(folder, &count);
        st = weights_open_adapter(&out->adapter, adapters[0].folder, err);
    }
    model_folder_close(folder);
    return st;
}

static void free_merged(Merged *m)
{
    weights_free(m->merged);
    weights_free(m->base);
    weights_free(m->adapter);
    model_config_free(&m->config);
}

static Merged merge(const char *path)
{
    Merged out;
    Err err;

    assert_ok(merge_into(&out, path, &err), &err);
    return out;
}

static float value_of(const Weights *weights, const char *name, size_t at)
{
    const Tensor *t = weights_find(weights, name);
    float value;

    if (!t) fail_msg("no tensor %s", name);
    tensor_read_f32(t, at, 1, &value);
    return value;
}

/* Returns the nearest value of the type, ties to even, found by trying all. */
static float nearest(const char *type, float value)
{
    const DType dtype = strcmp(type, "F16") == 0 ? DTYPE_F16 : DTYPE_BF16;
    float best = 0;

    if (strcmp(type, "F32") == 0) return value;
    for (uint32_t i = 0; i < 65536; i++) {
        const uint16_t half = (uint16_t)i;
        const float f = element_at(dtype, &half, 0);
        const double d = fabs((double)f - (double)value), least = fabs((double)best - (double)value);
        if (isfinite(f) && (d < least || (d == least && !(i & 1)))) best = f;
    }
    return best;
}

/* Checks NAME + scale * B A of the module, for one adapter. */
static void check_product(const Merged *m, const char *type, const char *module, size_t rank, size_t n, size_t k,
                          float scale)
{
    char a[128], b[128], name[128];
    float whole[64];

    snprintf(a, sizeof a, PREFIX "%s" A, module);
    snprintf(b, sizeof b, PREFIX "%s" B, module);
    snprintf(name, sizeof name, "%s.weight", module);
    tensor_read_f32(weights_find(m->merged, name), 0, n * k, whole);
    for (size_t i = 0; i < n * k; i++) {
        float sum = 0;
        for (size_t r = 0; r < rank; r++)
            sum += value_of(m->adapter, b, i / k * rank + r) * value_of(m->adapter, a, r * k + i % k);
        sum = nearest(type, value_of(m->base, name, i) + sum * scale);
        assert_true(whole[i] == sum);
        assert_true(value_of(m->merged, name, i) == sum);
    }
}

FOLDER_TEST(adds_scaled_products_as_peft_does_in_each_type)
{
    static const char *const types[] = { "F32", "F16", "BF16" };
    static const struct {
        const char *settings, *weight;
        float scale;
    } cases[] = {
        { "\"r\": 2, \"lora_alpha\": 3", "", 1.5f },
        { "\"r\": 2, \"lora_alpha\": 3, \"use_rslora\": true", "", 2.12132034f },
        { "\"r\": 2, \"lora_alpha\": 3", ":-0.5", -0.75f },
        { "\"r\": 8, \"lora_alpha\": 3, \"rank_pattern\": {\"q_proj\": 2}, \"alpha_pattern\": {\"encoder.*q_\": 7, "
          "\"^model\\\\.encoder\\\\.layers\\\\.\\\\d+\\\\..*\": 5}",
          "", 2.5f },
    };

    for (size_t type = 0; type < COUNT(types); type++) {
        FREED char *parent = make_folder(*state, types[type]), *base = write_base(parent, "base", types[type]);
        for (size_t i = 0; i < COUNT(cases); i++) {
            char name[8] = { (char)('a' + i), '\0' };
            FREED char *folder = begin_adapter(parent, name, cases[i].settings);
            FREED char *path = support_format("%s+%s%s", base, folder, cases[i].weight);
            TensorFile file = { .seed = 9 };
            Merged m;
            add(&file, i ? "F32" : "BF16", PREFIX Q A, 2, 4);
            add(&file, "F32", PREFIX Q B, 4, 2);
            write_tensors(&file, folder, "adapter_model.safetensors");
            m = merge(path);
            check_product(&m, types[type], Q, 2, 4, 4, cases[i].scale);
            assert_true(value_of(m.merged, FC1 ".weight", 3) == value_of(m.base, FC1 ".weight", 3));
            free_merged(&m);
        }
    }
}

/* PEFT names the modules of the class, also in patterns, and the published models of Gemma 3 have other names. */
FOLDER_TEST(finds_renamed_tensors)
{
#define GEMMA_Q(root) root "layers.0.self_attn.q_proj"
#define GEMMA_HEAD    "language_model.lm_head.weight"
    static const char module[] = GEMMA_Q("language_model.model.") ".weight";
    FREED char *base = make_folder(*state, "base");
    FREED char *folder = begin_adapter(*state, "a",
                                       "\"r\": 2, \"lora_alpha\": 3, \"modules_to_save\": [\"lm_head\"], "
                                       "\"alpha_pattern\": {\"" GEMMA_Q("model.language_model.") "\": 6}");
    FREED char *path = support_format("%s+%s", base, folder);
    TensorFile stored = { .seed = 3 }, file = { .seed = 9 };
    float sum = 0;
    Merged m;

    free(support_write_text(base, "config.json", "{\"model_type\": \"gemma3\", \"text_config\": {}}"));
    add(&stored, "F32", module, 4, 4);
    add(&stored, "F32", "language_model.model.embed_tokens.weight", 6, 4);
    write_tensors(&stored, base, "model.safetensors");
    add(&file, "F32", PREFIX GEMMA_Q("model.language_model.") A, 2, 4);
    add(&file, "F32", PREFIX GEMMA_Q("model.language_model.") B, 4, 2);
    add(&file, "F32", PREFIX "lm_head.weight", 6, 4);
    write_tensors(&file, folder, "adapter_model.safetensors");
    m = merge(path);
    for (size_t r = 0; r < 2; r++) /* row 1, column 1 */
        sum += value_of(m.adapter, PREFIX GEMMA_Q("model.language_model.") B, 2 + r) *
               value_of(m.adapter, PREFIX GEMMA_Q("model.language_model.") A, r * 4 + 1);
    assert_true(value_of(m.merged, module, 5) == value_of(m.base, module, 5) + sum * 3);
    assert_false(m.config.output.tied);
    assert_true(value_of(m.merged, GEMMA_HEAD, 7) == value_of(m.adapter, PREFIX "lm_head.weight", 7));
    assert_true(value_of(m.merged, "language_model.model.embed_tokens.weight", 7) ==
                value_of(m.base, "language_model.model.embed_tokens.weight", 7));
    free_merged(&m);
#undef GEMMA_Q
#undef GEMMA_HEAD
}

/* A module is saved if the name of the class ends with the text. */
FOLDER_TEST(finds_saved_modules_of_language_models_by_the_names_of_the_class)
{
#define GEMMA_EMBEDDINGS "model.language_model.embed_tokens"
    static const char table[] = "language_model.model.embed_tokens.weight", head[] = "language_model.lm_head.weight";
    static const char new_table[] = PREFIX GEMMA_EMBEDDINGS ".weight", new_head[] = PREFIX "lm_head.weight";
    static const struct {
        const char *saved;
        bool has_table, has_head;
    } cases[] = {
        { "\"embed_tokens\"", true, false },
        { "\"" GEMMA_EMBEDDINGS "\"", true, false },
        { "\"model.lm_head\"", false, true },
        { "\"base_model.model.lm_head\", \"language_model.embed_tokens\"", true, true },
    };
    FREED char *base = make_folder(*state, "base");
    TensorFile stored = { .seed = 3 };

    free(support_write_text(base, "config.json", "{\"model_type\": \"gemma3\", \"text_config\": {}}"));
    add(&stored, "F32", table, 6, 4);
    write_tensors(&stored, base, "model.safetensors");
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char name[] = { (char)('a' + i), '\0' };
        FREED char *settings = support_format("\"modules_to_save\": [%s]", cases[i].saved);
        FREED char *folder = begin_adapter(*state, name, settings);
        TensorFile file = { .seed = 9 };
        Merged m;
        if (cases[i].has_table) add(&file, "F32", new_table, 6, 4);
        if (cases[i].has_head) add(&file, "F32", new_head, 6, 4);
        write_tensors(&file, folder, "adapter_model.safetensors");
        m = merge(folder);
        assert_true(m.config.embedding.shared);
        assert_false(m.config.output.tied);
        assert_true(value_of(m.merged, table, 7) ==
                    (cases[i].has_table ? value_of(m.adapter, new_table, 7) : value_of(m.base, table, 7)));
        assert_true(value_of(m.merged, head, 7) ==
                    (cases[i].has_head ? value_of(m.adapter, new_head, 7) : value_of(m.base, table, 7)));
        free_merged(&m);
    }
#undef GEMMA_EMBEDDINGS
}

FOLDER_TEST(merges_into_all_tied_embeddings)
{
    FREED char *folder = begin_adapter(*state, "a", "\"r\": 2, \"lora_alpha\": 2");
    TensorFile file = { .seed = 9 };
    Merged m;

    free(write_base(*state, "base", "BF16"));
    add(&file, "F32", PREFIX "model.shared.lora_embedding_A", 2, 6);
    add(&file, "F32", PREFIX "model.shared.lora_embedding_B", 4, 2);
    write_tensors(&file, folder, "adapter_model.safetensors");
    m = merge(folder);
    for (size_t i = 0; i < 24; i++) {
        float sum = 0;
        for (size_t r = 0; r < 2; r++)
            sum += value_of(m.adapter, PREFIX "model.shared.lora_embedding_A", r * 6 + i / 4) *
                   value_of(m.adapter, PREFIX "model.shared.lora_embedding_B", i % 4 * 2 + r);
        sum = nearest("BF16", value_of(m.base, "model.shared.weight", i) + nearest("BF16", sum));
        assert_true(value_of(m.merged, "model.shared.weight", i) == sum);
        assert_true(value_of(m.merged, "lm_head.weight", i) == sum);
    }
    assert_true(m.config.embedding.shared && m.config.output.tied);
    free_merged(&m);
}

FOLDER_TEST(replaces_saved_modules_and_biases)
{
    FREED char *folder = begin_adapter(*state, "a",
                                       "\"r\": 2, \"lora_alpha\": 1, \"bias\": \"all\", \"lora_bias\": true, "
                                       "\"modules_to_save\": [\"encoder.embed_tokens\"]");
    static const char encoder[] = "model.encoder.embed_tokens.weight";
    TensorFile file = { .seed = 9 };
    Merged m;

    free(write_base(*state, "base", "BF16"));
    add(&file, "F32", PREFIX "model.encoder.embed_tokens.weight", 6, 4);
    add(&file, "F32", PREFIX Q A, 2, 4);
    add(&file, "F32", PREFIX Q B, 4, 2);
    add(&file, "F32", PREFIX Q ".lora_B.bias", 4, 0);
    add(&file, "F32", PREFIX Q ".base_layer.bias", 4, 0);
    write_tensors(&file, folder, "adapter_model.safetensors");
    m = merge(folder);
    assert_false(m.config.embedding.shared);
    assert_true(m.config.output.tied);
    for (size_t i = 0; i < 24; i++) {
        assert_true(value_of(m.merged, encoder, i) ==
                    nearest("BF16", value_of(m.adapter, PREFIX "model.encoder.embed_tokens.weight", i)));
        assert_true(value_of(m.merged, "model.decoder.embed_tokens.weight", i) ==
                    value_of(m.base, "model.shared.weight", i));
    }
    for (size_t i = 0; i < 4; i++)
        assert_true(value_of(m.merged, Q ".bias", i) ==
                    nearest("BF16", nearest("BF16", value_of(m.adapter, PREFIX Q ".base_layer.bias", i)) +
                                        value_of(m.adapter, PREFIX Q ".lora_B.bias", i) * 0.5f));
    check_product(&m, "BF16", Q, 2, 4, 4, 0.5f);
    free_merged(&m);
}

/* Checks the message after the path of the folder. */
static void check_refused(const char *path, Status status, const char *folder, const char *message)
{
    FREED char *expected = support_format("%s%s", folder, message);
    Merged m;
    Err err;

    assert_fails(merge_into(&m, path, &err), status, &err, expected);
    free_merged(&m);
}

/* Settings of an adapter, and the message with which they are refused. */
typedef struct {
    const char *settings, *message;
} SettingsCase;

static void check_settings(const char *root, const SettingsCase *cases, size_t count, Status status)
{
    free(write_base(root, "base", "F32"));
    for (size_t i = 0; i < count; i++) {
        char name[8] = { (char)('a' + i), '\0' };
        FREED char *folder = begin_adapter(root, name, cases[i].settings);
        FREED char *message = support_format("/adapter_config.json: %s", cases[i].message);
        TensorFile file = { .seed = 9 };
        add(&file, "F32", PREFIX Q A, 2, 4);
        write_tensors(&file, folder, "adapter_model.safetensors");
        check_refused(folder, status, folder, message);
    }
}

#define MERGE_IT "merge it in Python with merge_and_unload() of peft, and give the folder of the result"

FOLDER_TEST(names_what_it_does_not_support)
{
    static const SettingsCase cases[] = {
        { "\"peft_type\": \"IA3\"",
          "peft_type \"IA3\" is not supported, only \"LORA\"; if peft can merge such adapters, " MERGE_IT },
        { "\"use_dora\": true", "use_dora (DoRA) is not supported: " MERGE_IT },
        { "\"use_new\": true", "use_new is not known: " MERGE_IT },
        { "\"layer_replication\": [[0, 1]]", "layer_replication (replicated layers) is not supported: " MERGE_IT },
        { "\"init_lora_weights\": \"pissa_niter_4\"",
          "init_lora_weights is \"pissa_niter_4\", which has changed the weights of the base: " MERGE_IT },
        { "\"alpha_pattern\": {\"(\": 1}", "alpha_pattern: ( is not a regular expression that dragoman can read" },
    };
    check_settings(*state, cases, COUNT(cases), ERR_UNSUPPORTED);
}

FOLDER_TEST(refuses_damaged_settings)
{
    static const SettingsCase cases[] = {
        { "\"r\": 0", "r must be a whole number from 1 to 1048576" },
        { "\"r\": 99999999999", "r must be a whole number from 1 to 1048576" },
        { "\"lora_alpha\": \"a\"", "lora_alpha must be a number from -1e+09 to 1e+09" },
        { "\"rank_pattern\": [1]", "rank_pattern must be an object, found a list" },
        { "\"rank_pattern\": {\"q\": 0}", "rank_pattern: q must be a number from 1 to 1.04858e+06, found 0" },
        { "\"modules_to_save\": [1]", "modules_to_save must be a list of names" },
    };
    check_settings(*state, cases, COUNT(cases), ERR_FORMAT);
}

FOLDER_TEST(names_tensors_that_do_not_fit)
{
    static const struct {
        struct {
            const char *name;
            size_t rows, columns;
        } tensors[2];
        const char *message;
    } cases[] = {
        { { { PREFIX Q A, 2, 4 } }, "tensor " PREFIX Q A ": there is no lora_B.weight of the same module" },
        { { { PREFIX Q B, 4, 2 } }, "tensor " PREFIX Q B ": there is no lora_A.weight of the same module" },
        { { { PREFIX Q A, 2, 5 }, { PREFIX Q B, 4, 2 } },
          "tensors of " Q " are for a matrix of 4 x 5, but " Q
          ".weight of the model is 4 x 4: is this the right base?" },
        { { { PREFIX Q A, 3, 4 }, { PREFIX Q B, 4, 3 } },
          "tensor " PREFIX Q B ": rank 3, but adapter_config.json says 2" },
        { { { PREFIX Q A, 3, 4 }, { PREFIX Q B, 4, 2 } },
          "tensor " PREFIX Q B ": its rank is not that of its partner" },
        { { { PREFIX Q A, 4, 0 }, { PREFIX Q B, 4, 2 } }, "tensor " PREFIX Q B ": a wrong number of dimensions" },
        { { { PREFIX Q ".lora_magnitude_vector", 4, 0 } },
          "tensor " PREFIX Q ".lora_magnitude_vector: the model BASE has no tensor " Q ".lora_magnitude_vector" },
        { { { PREFIX "model.shared.weight", 7, 4 } },
          "tensor " PREFIX "model.shared.weight: 7 x 4, but the model has 6 x 4: if its vocabulary was changed for "
          "training, " MERGE_IT },
        { { { NULL, 0, 0 } }, "has no tensors" },
    };
    FREED char *base = write_base(*state, "base", "F32"), *weights = support_path(base, "model.safetensors");

    for (size_t i = 0; i < COUNT(cases); i++) {
        char name[8] = { (char)('a' + i), '\0' };
        FREED char *folder = begin_adapter(*state, name, "\"r\": 2");
        FREED char *path = support_format("%s+%s", base, folder);
        const char *message = cases[i].message, *model = strstr(message, "BASE");
        FREED char *whole = model ? support_format(": %.*s%s%s", (int)(model - message), message, weights, model + 4)
                                  : support_format(": %s", message);
        FREED char *expected = support_format("/adapter_model.safetensors%s", whole);
        TensorFile file = { .seed = 9 };
        for (size_t j = 0; j < 2 && cases[i].tensors[j].name; j++)
            add(&file, "F32", cases[i].tensors[j].name, cases[i].tensors[j].rows, cases[i].tensors[j].columns);
        write_tensors(&file, folder, "adapter_model.safetensors");
        check_refused(path, ERR_FORMAT, folder, expected);
    }
}

static void check_parts(const char *text, size_t path, size_t length, double weight)
{
    const ModelPathPart part = model_path_part(text);

    assert_int_equal(part.path, path);
    assert_int_equal(part.length, length);
    assert_true(part.weight == weight);
}

FOLDER_TEST(reads_paths_with_adapters)
{
    FREED char *base = write_base(*state, "base", "F32"), *odd = make_folder(*state, "a+b:2");
    FREED char *adapter = begin_adapter(*state, "adapter", "\"r\": 2"), *none = support_path(*state, "none");
    FREED char *odd_path = support_format("%s:0.5+c", odd), *weighted = support_format("%s:2+%s", base, adapter);
    FREED char *no_adapter = support_format("%s+%s", base, base),
               *twice = support_format("%s+%s:0.5", adapter, adapter);
    FREED char *alone = begin_adapter(*state, "alone", "\"base_model_name_or_path\": \"org/name\"");
    FREED char *missing = support_format("%s+%s", base, none);
    ModelFolder *folder;
    const ModelAdapter *adapters;
    size_t count;
    FREED char *name = NULL;
    Err err;

    check_parts("m+a:0.5+b", 1, 1, 1);
    check_parts("a:0.5+b", 1, 5, 0.5);
    check_parts("argos:fr-en+b", 11, 11, 1);
    check_parts("a:-1e9", 6, 6, 1);
    check_parts(odd_path, strlen(odd), strlen(odd) + 4, 0.5);

    assert_ok(model_folder_open(&folder, twice, &err), &err);
    adapters = model_folder_adapters(folder, &count);
    assert_int_equal(count, 2);
    assert_true(adapters[0].weight == 1 && adapters[1].weight == 0.5);
    assert_string_equal(model_folder_path(adapters[1].folder), adapter);
    model_folder_close(folder);

    assert_ok(model_folder_missing_base(&name, adapter, &err), &err);
    assert_null(name);
    assert_ok(model_folder_missing_base(&name, alone, &err), &err);
    assert_string_equal(name, "org/name");

    check_refused(weighted, ERR_USAGE, weighted, ": only an adapter has a weight");
    check_refused(no_adapter, ERR_USAGE, base, ": not an adapter: adapter_config.json is missing");
    check_refused(missing, ERR_IO, none, ": No such file or directory");
    check_refused("m+", ERR_USAGE, "m+", ": a path is empty; write BASE+ADAPTER");
    FREED char *text = support_format(
        ": its base model \"org/name\" is not on this machine: download it, or name its folder: BASE+%s", alone);
    check_refused(alone, ERR_IO, alone, text);
    check_refused(adapter, ERR_IO, adapter, ": no weights: expected adapter_model.safetensors or adapter_model.bin");
}

TESTS(test_adapter);
