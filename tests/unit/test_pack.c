/* test_pack.c - packed models: reproducible bytes, the files inside, and
 * every kind of damage. */
#include "pack_support.h"

#include <cJSON.h>

#include "dragoman_tools.h"
#include "hash.h"
#include "json.h"
#include "model_support.h"
#include "option_fields.h"
#include "public_status.h"
#include "stored_file.h"
#include "model.h"
#include "packed_file.h"
#include "path.h"

#define MODEL GOLDEN_ROOT "/marian/swish-opus"

static bool file_exists(const char *path)
{
    Err err = { "" };
    bool exists;

    assert_ok(stored_file_exists(&exists, path, &err), &err);
    return exists;
}

/* Links the files of MODEL except its reference. */
static char *link_model(const char *folder)
{
    static const char *const names[] = { "config.json", "generation_config.json", "model.safetensors", "source.spm",
                                         "target.spm",  "tokenizer_config.json",  "vocab.json" };
    char *original = support_absolute(MODEL), *model = support_path(folder, "model");

    assert_int_equal(mkdir(model, 0700), 0);
    for (size_t i = 0; i < COUNT(names); i++) {
        FREED char *from = support_path(original, names[i]), *to = support_path(model, names[i]);
        assert_int_equal(symlink(from, to), 0);
    }
    free(original);
    return model;
}

/* Packs MODEL to "packed" in the folder. */
static char *pack_linked(const char *folder, Precision type)
{
    char *model = link_model(folder), *packed = pack_support_make(model, type, folder, "packed");

    free(model);
    return packed;
}

FOLDER_TEST(packs_the_same_folder_to_the_same_bytes)
{
    static const Precision types[] = { PRECISION_AUTO, PRECISION_F32, PRECISION_BF16, PRECISION_INT8 };
    FREED char *model = link_model(*state);

    for (size_t i = 0; i < COUNT(types); i++) {
        FREED char *a = pack_support_make(model, types[i], *state, "a"), *b, *x, *y;
        size_t n, m;
        assert_int_equal(setenv("DRAGOMAN_CPU", "scalar", 1), 0);
        b = pack_support_make(model, types[i], *state, "b");
        assert_int_equal(unsetenv("DRAGOMAN_CPU"), 0);
        x = support_read_file(a, &n);
        y = support_read_file(b, &m);
        assert_int_equal(n, m);
        assert_memory_equal(x, y, n);
        assert_int_equal(n % PACKED_ALIGN, 0);
    }
}

static void check_packed_file(const char *packed, const char *name, const char *bytes, size_t count)
{
    FREED char *path = support_path(packed, name);
    MappedFile file;
    Err err;

    assert_true(file_exists(path));
    assert_ok(stored_file_open(&file, path, &err), &err);
    assert_int_equal(file.size, count);
    if (count)
        assert_memory_equal(file.data, bytes, count);
    else
        assert_null(file.data);
    mapped_file_release(&file, 0, file.size);
    mapped_file_close(&file);
}

/* `reason` NULL: any message. */
static void check_missing_file(const char *packed, const char *name, const char *reason)
{
    FREED char *path = support_path(packed, name), *message = support_format("%s: %s", path, reason ? reason : "");
    MappedFile file;
    Err err;

    assert_false(file_exists(path));
    assert_int_equal(stored_file_open(&file, path, &err), ERR_IO);
    if (reason) assert_string_equal(err.text, message);
}

FOLDER_TEST(contains_the_files_of_the_folder)
{
    static const char *const names[] = { "config.json", "vocab.json", "source.spm" };
    char *model = link_model(*state), *packed;

    free(support_write_text(model, "empty.txt", ""));
    free(support_write_text(model, "a \"b\\c\".txt", "quoted"));
    free(support_write_text(model, ".hidden", "no"));
    free(support_write_text(model, "README.md", "no"));
    packed = pack_support_make(model, PRECISION_AUTO, *state, "packed");
    for (size_t i = 0; i < COUNT(names); i++) {
        FREED char *from = support_path(model, names[i]);
        size_t count;
        FREED char *bytes = support_read_file(from, &count);
        check_packed_file(packed, names[i], bytes, count);
    }
    check_packed_file(packed, "empty.txt", "", 0);
    check_packed_file(packed, "a \"b\\c\".txt", "quoted", 6);
    check_missing_file(packed, ".hidden", NULL);
    check_missing_file(packed, "README.md", NULL);
    free(packed);
    free(model);
}

FOLDER_TEST(names_missing_files)
{
    FREED char *packed = pack_linked(*state, PRECISION_AUTO);
    FREED char *name = support_format("%0300d", 0);

    check_missing_file(packed, name, NULL);
    check_missing_file(packed, "none.json", strerror(ENOENT));
    check_missing_file(packed, "config.json/below", strerror(ENOTDIR));
}

/* A weight has the name that a packed model gives to one of its files. */
FOLDER_TEST(refuses_a_weight_with_a_reserved_name)
{
    static const char stored[] = "module.enc.block_0.self.norm.weight", taken[] = "files/a-file-that-has-a-tensor.text";
    static const char config[] =
        "{\"model_type\": \"transformer\", \"names\": \"annotated\", \"d_model\": 12, \"layers\": 1, \"heads\": 2,"
        "\"ffn\": 18, \"max_positions\": 40, \"start_id\": 0, \"end_id\": 1, \"unk_id\": 3, \"source_vocab_size\": 23,"
        "\"target_vocab_size\": 24, \"weight_map\": {\"encoder.layers.{i}\": \"module.enc.block_{i}\","
        "\"decoder.layers.{i}\": \"module.dec.block_{i}\", \"source_embedding\": \"module.words.in\","
        "\"target_embedding.weight\": \"module.words_out\", \"output\": \"module.head\","
        "\"encoder.norm\": \"module.encoder.norm\", \"decoder.norm\": \"module.decoder.norm\","
        "\"encoder.layers.{i}.self.norm.weight\": \"files/a-file-that-has-a-tensor.text\"}}";
    size_t size;
    FREED char *weights = support_read_file(GOLDEN_ROOT "/transformers/mapped-names/model.safetensors", &size);
    FREED char *path = support_path(*state, "packed"), *name;
    FREED char *model = support_path(*state, "model");
    char *header = strstr(weights + 8, stored), *expected;
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    Err err = { "" };

    assert_non_null(header);
    memcpy(header, taken, sizeof taken - 1);
    assert_int_equal(mkdir(model, 0700), 0);
    name = support_write_file(model, "model.safetensors", weights, size);
    free(support_write_text(model, "config.json", config));
    free(support_write_text(model, strchr(taken, '/') + 1, "text"));
    expected = support_format("%s: tensor %s: packed models reserve this name", name, taken);
    assert_int_equal(pack_model(model, PRECISION_AUTO, fd, path, &err), ERR_UNSUPPORTED);
    assert_string_equal(err.text, expected);
    assert_int_equal(close(fd), 0);
    free(expected);
}

static Status open_all(const char *path, Err *err)
{
    DragomanOptions options = option_fields_default();
    DragomanError error;
    DragomanStatus st;
    char *text;

    options.model = path;
    st = dragoman_describe(&options, &text, &error);
    dragoman_free_text(text);
    return public_status(st, &error, err);
}

/* Returns the offset of the first tensor that is neither a file nor a pad before all weights. The test does not
 * cover later pads. */
static size_t first_weight(const char *bytes)
{
    size_t header = 0, first = SIZE_MAX;
    cJSON *tree;
    const cJSON *item;
    Err err;

    for (size_t i = 8; i-- > 0;) header = header << 8 | (unsigned char)bytes[i];
    assert_ok(json_parse(&tree, bytes + 8, header, "header", &err), &err);
    cJSON_ArrayForEach(item, tree)
    {
        const cJSON *offsets = cJSON_GetObjectItemCaseSensitive(item, "data_offsets");
        if (!offsets || strncmp(item->string, "files/", 6) == 0 || strncmp(item->string, "pads/", 5) == 0) continue;
        if ((size_t)offsets->child->valuedouble < first) first = (size_t)offsets->child->valuedouble;
    }
    cJSON_Delete(tree);
    return 8 + header + first;
}

static void change_byte(int fd, size_t at, char byte)
{
    assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
}

FOLDER_TEST(detects_every_flipped_byte)
{
    FREED char *packed = pack_linked(*state, PRECISION_AUTO);
    size_t count, weights, tensors, at = 0;
    FREED char *bytes = support_read_file(packed, &count);
    int fd = open(packed, O_RDWR);
    Err err;

    assert_true(fd >= 0);
    weights = first_weight(bytes);
    assert_true(weights > 4000 && weights < count / 2);
    assert_ok(open_all(packed, &err), &err);
    while (at < count) {
        change_byte(fd, at, (char)(bytes[at] ^ (1 << at % 8)));
        if (at < weights) {
            if (open_all(packed, &err) == OK) fail_msg("byte %zu: not seen at opening", at);
        } else {
            (void)open_all(packed, &err);
        }
        if (model_verify(packed, &tensors, &err) == OK) fail_msg("byte %zu: not seen by --verify", at);
        change_byte(fd, at, bytes[at]);
        at += at < 200 ? 1 : at < weights ? 13 : 211;
    }
    assert_ok(open_all(packed, &err), &err);
    close(fd);
}

FOLDER_TEST(rejects_truncated_files)
{
    FREED char *packed = pack_linked(*state, PRECISION_AUTO);
    size_t count, tensors;
    FREED char *bytes = support_read_file(packed, &count);
    Err err;

    for (size_t left = 0; left < count; left += left < 200 ? 1 : 313) {
        assert_int_equal(truncate(packed, 0), 0);
        free(support_write_file(*state, "packed", bytes, left));
        assert_int_not_equal(open_all(packed, &err), OK);
        if (strstr(err.text, "No such file")) fail_msg("%zu bytes: %s", left, err.text);
        assert_int_not_equal(model_verify(packed, &tensors, &err), OK);
    }
}

/* Writes a changed header with a correct checksum. */
static void write_header(char *bytes, const char *from, const char *to)
{
    size_t header = 8;
    char *at, digits[PACKED_DIGITS + 1];

    for (size_t i = 8; i-- > 0;) header += (size_t)(unsigned char)bytes[i] << 8 * i;
    at = strstr(bytes + 8, from);
    assert_non_null(at);
    assert_int_equal(strlen(from), strlen(to));
    memcpy(at, to, strlen(to));
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)packed_file_header_hash(bytes, header));
    memcpy(bytes + PACKED_HASH_AT, digits, PACKED_DIGITS);
}

typedef struct {
    const char *from, *to, *message; /* "@": the path; NULL: any */
} Lie;

static void check_lies(const char *folder, Precision type, const Lie *lies, size_t lie_count)
{
    FREED char *packed = pack_linked(folder, type);
    size_t count;
    FREED char *bytes = support_read_file(packed, &count);
    Err err;

    for (size_t i = 0; i < lie_count; i++) {
        char *copy = support_alloc(count + 1), *message;
        memcpy(copy, bytes, count);
        write_header(copy, lies[i].from, lies[i].to);
        free(support_write_file(folder, "packed", copy, count));
        free(copy);
        assert_int_not_equal(open_all(packed, &err), OK);
        if (!lies[i].message) continue;
        message = support_format("%s%s", packed, lies[i].message + 1);
        assert_string_equal(err.text, message);
        free(message);
    }
}

#define TABLE   "matrices/encoder.table"
#define T(rest) "\"" TABLE rest

FOLDER_TEST(rejects_each_wrong_header_field)
{
    static const Lie lies[] = {
        { T("\":{\"dtype\":\"F32\""), T("\":{\"dtype\":\"I32\""),
          "@: tensor " TABLE ": type I32, expected F32, F16, BF16 or F64" },
        { T("\":{\"dtype\":\"F32\",\"shape\":[8,32,16]"), T("\":{\"dtype\":\"F32\",\"shape\":[8,16,32]"),
          "@: tensor " TABLE ": shape [8, 16, 32], expected [8, 32, 16]" },
        { T("\":{"), "\"matrices/encoder.tabel\":{", "@: tensor " TABLE " is missing" },
        { "\"dragoman.packed\":\"1\"", "\"dragoman.packed\":\"7\"", "@: packed model of version 7, expected 1" },
        { "\"files/config.json\":{\"dtype\":\"U8\"", "\"files/config.json\":{\"dtype\":\"I8\"", NULL },
        { "\"pads/1\":\"", "\"pads/0\":\"", "@: tensor pads/1 has no checksum" },
        { "\"files/config.json\":\"", "\"files/config.jsoN\":\"",
          "@/config.json: checksum mismatch: the file is corrupt" },
    };

    check_lies(*state, PRECISION_AUTO, lies, COUNT(lies));
}

FOLDER_TEST(rejects_each_wrong_field_of_int8_matrices)
{
    static const Lie lies[] = {
        { T("\":{\"dtype\":\"I8\",\"shape\":[8,16,16,4]"), T("\":{\"dtype\":\"I8\",\"shape\":[8,16,4,16]"),
          "@: tensor " TABLE ": shape [8, 16, 4, 16], expected [8, 16, 16, 4]" },
        { T("\":{\"dtype\":\"I8\""), T("\":{\"dtype\":\"U8\""),
          "@: tensor " TABLE ": type U8, expected F32, F16, BF16 or F64" },
        { T(".scales\":{\"dtype\":\"F32\""), T(".scales\":{\"dtype\":\"I32\""),
          "@: tensor " TABLE ".scales: type I32, expected F32" },
        { T(".scales\":{"), T(".skales\":{"), "@: tensor " TABLE ".scales is missing" },
        { T(".corrections\":{\"dtype\":\"I32\""), T(".corrections\":{\"dtype\":\"F32\""),
          "@: tensor " TABLE ".corrections: type F32, expected I32" },
        { T(".corrections\":{"), T(".korrections\":{"), "@: tensor " TABLE ".corrections is missing" },
    };

    check_lies(*state, PRECISION_INT8, lies, COUNT(lies));
}

/* A query is apart only in models whose family stores it so. */
FOLDER_TEST(rejects_a_query_that_the_family_does_not_store)
{
    FREED char *packed = pack_support_make(GOLDEN_ROOT "/ctranslate2/marian-f32", PRECISION_AUTO, *state, "packed");
    size_t count;
    FREED char *bytes = support_read_file(packed, &count), *copy = support_alloc(count + 1);
    Err err;

    memcpy(copy, bytes, count);
    write_header(copy, "\"matrices/decoder.layers.0.cross.query\":{", "\"matrices/decoder.layers.0.self.query\": {");
    free(support_write_file(*state, "packed", copy, count));
    assert_int_equal(open_all(packed, &err), ERR_FORMAT);
}

FOLDER_TEST(rejects_files_that_are_not_packed_models)
{
    FREED char *path = support_write_text(*state, "file", "{}\1");
    char *message = support_format("%s is neither a model's folder nor a packed model", path);
    size_t tensors;
    Err err;

    assert_int_equal(open_all(path, &err), ERR_FORMAT);
    assert_memory_equal(err.text, message, strlen(message));
    assert_fails(model_verify(path, &tensors, &err), ERR_FORMAT, &err, message);
    free(message);
    message = support_format("%s is a folder: only packed models have checksums", (char *)*state);
    assert_fails(model_verify(*state, &tensors, &err), ERR_USAGE, &err, message);
    free(message);
}

FOLDER_TEST(refuses_to_pack_what_cannot_be_opened)
{
    char *model = link_model(*state), *packed = pack_support_make(model, PRECISION_AUTO, *state, "packed");
    FREED char *other = support_path(*state, "other"), *vocab = support_path(model, "vocab.json");
    char *message;
    int fd = open(other, O_RDWR | O_CREAT, 0600);
    DragomanOptions options = option_fields_default();
    DragomanError error;
    Err err;

    options.model = model;
    assert_true(fd >= 0);
    message = support_format("%s is already packed", packed);
    assert_fails(pack_model(packed, PRECISION_AUTO, fd, other, &err), ERR_USAGE, &err, message);
    free(message);
    assert_int_equal(unlink(vocab), 0);
    message =
        support_format("%s: vocab.json is missing, which has the ids of the model's pieces; copy it from the model "
                       "on the hub that this one was made from, or save the tokenizer into this folder with "
                       "save_pretrained() of transformers",
                       model);
    assert_int_equal(dragoman_pack(&options, fd, other, NULL, &error), DRAGOMAN_ERROR_IO);
    assert_string_equal(error.message, message);
    free(message);
    close(fd);
    free(packed);
    free(model);
}

FOLDER_TEST(refuses_files_that_would_become_corrupt)
{
    static const struct {
        const char *content, *reason;
        int flags;
    } rows[] = { { "a", "is not empty; a model can be packed only to an empty file", 0 },
                 { "", "is open for appending; a model can be packed only without O_APPEND", O_APPEND } };

    for (size_t i = 0; i < COUNT(rows); i++) {
        FREED char *path = support_write_text(*state, "packed", rows[i].content);
        FREED char *message = support_file_message(path, rows[i].reason);
        int fd = open(path, O_RDWR | rows[i].flags), pipes[2];
        Err err;
        assert_true(fd >= 0);
        assert_fails(pack_model(MODEL, PRECISION_AUTO, fd, path, &err), ERR_USAGE, &err, message);
        assert_int_equal(pipe(pipes), 0);
        assert_fails(pack_model(MODEL, PRECISION_AUTO, pipes[1], "pipe", &err), ERR_USAGE, &err,
                     "pipe is not a regular file");
        close(pipes[0]);
        close(pipes[1]);
        close(fd);
    }
}

/* The first stored tensor of MODEL is a weight. */
FOLDER_TEST(refuses_to_pack_nan_and_infinity)
{
    static const unsigned char nan[] = { 0, 0, 0xc0, 0x7f };
    FREED char *model = link_model(*state);
    FREED char *path = support_path(model, "model.safetensors"), *other;
    size_t count;
    FREED char *bytes = support_read_file(path, &count);
    int fd;
    Err err;

    memcpy(bytes + count - sizeof nan, nan, sizeof nan);
    assert_int_equal(unlink(path), 0);
    free(support_write_file(model, "model.safetensors", bytes, count));
    other = support_path(*state, "other");
    fd = open(other, O_RDWR | O_CREAT, 0600);
    assert_int_equal(pack_model(model, PRECISION_BF16, fd, other, &err), ERR_FORMAT);
    assert_non_null(strstr(err.text, "holds NaN or infinity at element"));
    close(fd);
}

TESTS(test_pack);
