/* test_ct2_file.c - model.bin of CTranslate2: valid, truncated, and with each number of its head wrong. */
#include "test_support.h"

#include "ct2_file.h"
#include "family.h"
#include "readers.h"

#define SOUND GOLDEN_ROOT "/ctranslate2/opennmt-v5-int8/model.bin"
#define OLD   GOLDEN_ROOT "/ctranslate2/opennmt-v1/model.bin"
#define PATH  "dir/model.bin"

/* Builds a small file byte by byte. */
typedef struct {
    unsigned char bytes[4096];
    size_t size;
} Writer;

static void put(Writer *w, uint64_t number, size_t width)
{
    for (size_t i = 0; i < width; i++) w->bytes[w->size++] = (unsigned char)(number >> 8 * i);
}

static void put_text(Writer *w, const char *text)
{
    put(w, strlen(text) + 1, 2);
    for (size_t i = 0; i <= strlen(text); i++) put(w, (unsigned char)text[i], 1);
}

static void put_head(Writer *w, uint32_t version, const char *spec, uint32_t revision, uint32_t count)
{
    w->size = 0;
    put(w, version, 4);
    put_text(w, spec);
    put(w, revision, 4);
    put(w, count, 4);
}

/* [2, 3] 8-bit numbers. */
static void put_matrix(Writer *w, const char *name)
{
    put_text(w, name);
    put(w, 2, 1);
    put(w, 2, 4);
    put(w, 3, 4);
    put(w, CT2_S8, 1);
    put(w, 6, 4);
    put(w, 0x060504030201, 6);
}

static void put_floats(Writer *w, const char *name, const float *values, uint32_t count)
{
    put_text(w, name);
    put(w, 1, 1);
    put(w, count, 4);
    put(w, CT2_F32, 1);
    put(w, 4 * count, 4);
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, values + i, sizeof bits);
        put(w, bits, 4);
    }
}

/* Reads a copy of exactly its size, so that the sanitizers see accesses outside it. */
static Status read_bytes(const void *bytes, size_t size, Err *err)
{
    FREED unsigned char *copy = malloc(size + !size);
    Weights *all;
    Status st;

    assert_non_null(copy);
    memcpy(copy, bytes, size);
    assert_ok(weights_new(&all, NULL, err), err);
    st = ctranslate2_read(all, &(FileView){ .path = PATH, .map = { .data = copy, .size = size } }, err);
    weights_free(all);
    return st;
}

static void check_fault(const Writer *w, Status status, const char *message)
{
    Err err;

    assert_fails(read_bytes(w->bytes, w->size, &err), status, &err, message);
}

TEST(rejects_a_file_truncated_anywhere)
{
    const char *const names[] = { SOUND, OLD };

    for (size_t f = 0; f < COUNT(names); f++) {
        size_t size;
        FREED char *bytes = support_read_file(names[f], &size);
        Err err;
        assert_ok(read_bytes(bytes, size, &err), &err);
        for (size_t cut = 0; cut < size; cut += cut < 3000 ? 1 : 997) {
            assert_int_not_equal(read_bytes(bytes, cut, &err), OK);
            assert_non_null(strstr(err.text, PATH));
        }
    }
}

TEST(reads_or_rejects_a_file_with_any_byte_changed)
{
    size_t size;
    FREED unsigned char *bytes = (unsigned char *)support_read_file(SOUND, &size);
    unsigned random = 1;
    Err err;

    for (size_t i = 0; i < 4000; i++) {
        size_t at;
        unsigned char old;
        (void)support_random(&random);
        at = i < 200 ? i : random % size;
        old = bytes[at];
        bytes[at] = (unsigned char)(random >> 24);
        if (read_bytes(bytes, size, &err) != OK) assert_non_null(strstr(err.text, PATH));
        bytes[at] = old;
    }
}

TEST(names_specifications_that_are_not_supported)
{
    static const struct {
        uint32_t version;
        const char *spec;
        uint32_t revision, count;
        const char *message;
        Status status;
    } cases[] = {
        { 7, "TransformerSpec", 7, 0, "version 7 of CTranslate2's format is not supported; expected 1 to 6",
          ERR_UNSUPPORTED },
        { 6, "TransformerSpec", 8, 0, "revision 8 of TransformerSpec is not supported; expected 1 to 7",
          ERR_UNSUPPORTED },
        { 6, "WhisperSpec", 3, 0, "WhisperSpec (speech recognition) is not a translation model", ERR_UNSUPPORTED },
        { 6, "NewSpec", 1, 0, "CTranslate2's \"NewSpec\" is not supported; expected TransformerSpec", ERR_UNSUPPORTED },
        { 6, "TransformerSpec", 7, 1000, "the head: cut off at byte 30 (is the download complete?)", ERR_FORMAT },
    };
    Writer w;

    for (size_t i = 0; i < COUNT(cases); i++) {
        FREED char *message = support_format(PATH ": %s", cases[i].message);
        put_head(&w, cases[i].version, cases[i].spec, cases[i].revision, cases[i].count);
        check_fault(&w, cases[i].status, message);
    }
}

/* A file with `matrices` times the matrix a/weight and, unless `count` is 0, its scales; and an alias b/weight. */
static void put_file(Writer *w, size_t matrices, const float *scales, uint32_t count, const char *aliased)
{
    put_head(w, 6, "TransformerSpec", 7, (uint32_t)matrices + (count > 0));
    for (size_t i = 0; i < matrices; i++) put_matrix(w, "a/weight");
    if (count) put_floats(w, "a/weight_scale", scales, count);
    put(w, aliased != NULL, 4);
    if (aliased) put_text(w, "b/weight");
    if (aliased) put_text(w, aliased);
}

TEST(names_numbers_that_do_not_fit)
{
    static const struct {
        size_t matrices;
        float scales[2];
        uint32_t count;
        const char *aliased, *message;
    } cases[] = {
        { 1, { 0 }, 0, NULL, PATH ": variable a/weight_scale is missing" },
        { 1, { 2, 0 }, 2, NULL, PATH ": variable a/weight: scale 1 must be positive and finite" },
        { 1, { 2, 4 }, 1, NULL, PATH ": variable a/weight_scale: expected 2 values of F32, found 1 of F32" },
        { 2, { 0 }, 0, NULL, PATH ": variable a/weight appears twice" },
        { 1, { 2, 4 }, 2, "d", PATH ": alias b/weight refers to d, which is missing" },
    };
    Writer w;

    for (size_t i = 0; i < COUNT(cases); i++) {
        put_file(&w, cases[i].matrices, cases[i].scales, cases[i].count, cases[i].aliased);
        check_fault(&w, ERR_FORMAT, cases[i].message);
    }
}

TEST(divides_integers_by_the_scale_of_their_row)
{
    const float scales[2] = { 2, 4 };
    Weights *all;
    float values[6];
    Writer w;
    Err err;

    put_file(&w, 1, scales, 2, "a/weight");
    assert_ok(weights_new(&all, NULL, &err), &err);
    assert_ok(ctranslate2_read(all, &(FileView){ .path = PATH, .map = { .data = w.bytes, .size = w.size } }, &err),
              &err);
    tensor_read_f32(weights_find(all, "b/weight"), 0, 6, values);
    for (size_t i = 0; i < 6; i++) assert_true(values[i] == (float)(i + 1) / scales[i / 3]);
    tensor_read_f32(weights_find(all, "a/weight"), 2, 3, values);
    for (size_t i = 0; i < 3; i++) assert_true(values[i] == (float)(i + 3) / scales[(i + 2) / 3]);
    weights_free(all);
}

/* A 16-bit number becomes an f32, which has two bytes more. */
static char *replace_number(char *bytes, size_t *size, const char *name, float value)
{
    char *changed = support_alloc(*size + 2);
    size_t at = 0;

    while (strcmp(bytes + at, name) != 0) at++;
    at += strlen(name) + 1; /* then rank, type, u32 bytes, number */
    assert_memory_equal(bytes + at, "\0\2\2\0\0\0", 6);
    memcpy(changed, bytes, at);
    memcpy(changed + at, "\0\0\4\0\0\0", 6);
    memcpy(changed + at + 6, &value, sizeof value);
    memcpy(changed + at + 10, bytes + at + 8, *size - at - 8);
    *size += 2;
    free(bytes);
    return changed;
}

static char *write_with_heads(const char *folder, float heads)
{
    size_t size;
    char *bytes = support_read_file(SOUND, &size), *path;

    bytes = replace_number(bytes, &size, "encoder/num_heads", heads);
    bytes = replace_number(bytes, &size, "decoder/num_heads", heads);
    path = support_write_file(folder, "model.bin", bytes, size);
    free(bytes);
    return path;
}

FOLDER_TEST(rejects_heads_that_do_not_divide_their_rows)
{
    static const float wrong[] = { -1, 0, 0.5f, 5, 73, 0x1p31f, 0x1p63f, 0x1p64f, 3e38f };
    ModelFolder *folder;
    Err err;

    for (size_t i = 0; i < COUNT(wrong); i++) {
        ModelConfig config;
        FREED char *path = write_with_heads(*state, wrong[i]);
        FREED char *message =
            support_format("%s: variable encoder/layer_0/self_attention/linear_0/weight: 72 rows cannot "
                           "be split into queries, keys and values of %g heads",
                           path, (double)wrong[i]);
        assert_ok(model_folder_open(&folder, *state, &err), &err);
        assert_fails(model_config_read(&config, folder, NULL, &err), ERR_FORMAT, &err, message);
        model_config_free(&config);
        model_folder_close(folder);
    }
}

#define SIZES                                                                                                          \
    "\"model_type\": \"ctranslate2\", \"source_vocab_size\": 9, \"target_vocab_size\": 9, \"heads\": 2, "              \
    "\"head_size\": 4, \"encoder_layers\": 1, \"encoder_ffn\": 8, \"decoder_layers\": 1, \"decoder_ffn\": 8"

FOLDER_TEST(rejects_a_packed_record_with_a_wrong_field)
{
    const struct {
        const char *text;
        Status status;
        const char *message;
    } cases[] = {
        { "{ \"d_model\": 8, " SIZES " }", OK, NULL },
        { "{ " SIZES " }", ERR_FORMAT, "d_model is missing" },
        { "{ \"d_model\": 0, " SIZES " }", ERR_FORMAT, "d_model must be a whole number from 1 to 1048576" },
        { "{ \"d_model\": 8, " SIZES ", \"gated\": 1 }", ERR_FORMAT, "gated must be true or false" },
        { "{ \"d_model\": 8, " SIZES ", \"output_scale\": 1e9 }", ERR_FORMAT,
          "output_scale must be a number from -1e+06 to 1e+06" },
        { "{ \"d_model\": 8, " SIZES ", \"activation\": \"step\" }", ERR_UNSUPPORTED,
          "activation \"step\" is not supported" },
        { "{ \"d_model\": 8, " SIZES ", \"relative_buckets\": 8 }", ERR_FORMAT,
          "relative_attention_max_distance (0) must be more than half of the 8 buckets" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        FREED char *path = support_write_file(*state, "config.json", cases[i].text, strlen(cases[i].text));
        FREED char *message = support_format("%s: %s", path, cases[i].message ? cases[i].message : "");
        ModelFolder *folder;
        ModelConfig config;
        Err err;
        Status st;
        assert_ok(model_folder_open(&folder, *state, &err), &err);
        st = model_config_read(&config, folder, NULL, &err);
        if (cases[i].message)
            assert_fails(st, cases[i].status, &err, message);
        else
            assert_ok(st, &err);
        model_config_free(&config);
        model_folder_close(folder);
    }
}

TESTS(test_ct2_file);
