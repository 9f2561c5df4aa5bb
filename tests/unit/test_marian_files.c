/* test_marian_files.c - Marian's weights, *.npz and *.bin, valid and with each part wrong; YAML. */
#include "test_support.h"

#include "model_support.h"
#include "weights.h"
#include "tree_file.h"
#include "zip_support.h"

/* A NumPy array: header and values. */
typedef struct {
    unsigned char bytes[1024];
    size_t size;
} Array;

static Array array_of(const char *header, const void *numbers, size_t size)
{
    Array a = { .size = 10 };
    size_t length = strlen(header);

    memcpy(a.bytes, "\x93NUMPY\1\0", 8);
    a.bytes[8] = (unsigned char)length;
    a.bytes[9] = (unsigned char)(length >> 8);
    zip_support_bytes(a.bytes, &a.size, header, length);
    zip_support_bytes(a.bytes, &a.size, numbers, size);
    return a;
}

static Status open_npz(Weights **out, const char *folder, const char *name, const Array *a, Err *err)
{
    ZipSupport zip = { 0 };
    FREED char *path;
    Status st;

    zip_support_add(&zip, name, a->bytes, a->size, 0);
    zip_support_end(&zip, 0);
    path = support_write_file(folder, "model.npz", zip.bytes, zip.size);
    st = open_weights(out, path, err);
    return st;
}

/* Checks the message without the folder before it. */
static void check_message(const char *folder, const Err *err, const char *expected)
{
    size_t len = strlen(folder);

    assert_memory_equal(err->text, folder, len);
    assert_string_equal(err->text + len, expected);
}

static const float six[6] = { 1, 2, 3, 4, 5, 6 };

FOLDER_TEST(transposes_matrices_but_not_embeddings)
{
#define SHAPE(shape) "{'descr': '<f4', 'fortran_order': False, 'shape': " shape
    static const struct {
        const char *entry, *name;
        size_t rank, shape[2];
        float numbers[6];
    } cases[] = {
        { "encoder_l1_self_Wq.npy", "encoder_l1_self_Wq", 2, { 3, 2 }, { 1, 4, 2, 5, 3, 6 } },
        { "decoder_l1_rnn_W.npy", "decoder_l1_rnn_W", 2, { 3, 2 }, { 1, 4, 2, 5, 3, 6 } },
        { "decoder_ff_logit_out_W.npy", "decoder_ff_logit_out_Wt", 2, { 3, 2 }, { 1, 4, 2, 5, 3, 6 } },
        { "decoder_ff_logit_out_Wt.npy", "decoder_ff_logit_out_Wt", 2, { 2, 3 }, { 1, 2, 3, 4, 5, 6 } },
        { "Wemb.npy", "Wemb", 2, { 2, 3 }, { 1, 2, 3, 4, 5, 6 } },
        { "encoder_Wemb.npy", "encoder_Wemb", 2, { 2, 3 }, { 1, 2, 3, 4, 5, 6 } },
        { "encoder_l1_self_bq.npy", "encoder_l1_self_bq", 1, { 6, 0 }, { 1, 2, 3, 4, 5, 6 } },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const Array a = array_of(cases[i].rank == 2 ? SHAPE("(2, 3), }\n") : SHAPE("(1, 6), }\n"), six, sizeof six);
        FREED_BY(free_weights) Weights *weights;
        const Tensor *t;
        float found[6];
        Err err;
        assert_ok(open_npz(&weights, *state, cases[i].entry, &a, &err), &err);
        t = weights_find(weights, cases[i].name);
        assert_non_null(t);
        assert_int_equal(t->rank, cases[i].rank);
        assert_memory_equal(t->shape, cases[i].shape, t->rank * sizeof *t->shape);
        for (size_t first = 0; first < 6; first++) {
            tensor_read_f32(t, first, 6 - first, found);
            assert_memory_equal(found, cases[i].numbers + first, (6 - first) * sizeof *found);
        }
    }
}

FOLDER_TEST(reports_each_fault_of_an_array)
{
    static const struct {
        const char *header, *fault;
    } cases[] = {
        { "{'descr': '|O', 'fortran_order': False, 'shape': (6,), }\n",
          "holds pickled Python objects, which are not read" },
        { "{'descr': '<c8', 'fortran_order': False, 'shape': (6,), }\n",
          "type '<c8' is not supported; expected '<f4'" },
        { "{'descr': '>f4', 'fortran_order': False, 'shape': (6,), }\n",
          "type '>f4' is not supported; expected '<f4'" },
        { "{'descr': '<f4', 'fortran_order': True, 'shape': (6,), }\n",
          "its order is that of Fortran, which is not supported" },
        { "{'descr': '<f4', 'fortran_order': False}\n", "the header has no shape" },
        { SHAPE("(6\n"), "invalid shape" },
        { SHAPE("(-1,)\n"), "invalid shape" },
        { SHAPE("(1,1,1,1,1,1,1,1,1)\n"), "invalid shape" },
        { SHAPE("(999999999999, 999999999999)\n"), "shape: too many elements" },
        { SHAPE("(7,), }\n"), "its shape needs 28 bytes, but there are 24" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        Array a = array_of(cases[i].header, six, sizeof six);
        FREED char *message = support_format("/model.npz: array a: %s", cases[i].fault);
        Weights *weights;
        Err err;
        assert_int_not_equal(open_npz(&weights, *state, "a.npy", &a, &err), OK);
        assert_null(weights);
        check_message(*state, &err, message);
    }
}

FOLDER_TEST(names_an_entry_that_is_not_an_array)
{
    Array a = array_of("{}", six, 0);
    Weights *weights;
    Err err;

    assert_int_equal(open_npz(&weights, *state, "readme.txt", &a, &err), ERR_FORMAT);
    check_message(*state, &err, "/model.npz: entry readme.txt is not a NumPy array");
    a.bytes[9] = 1;
    assert_int_equal(open_npz(&weights, *state, "a.npy", &a, &err), ERR_FORMAT);
    check_message(*state, &err, "/model.npz: array a: not a NumPy array");
}

/* One tensor "encoder_l1_self_Wq" [2, 3] of int8 values and their multiplier. */
static size_t make_bin(unsigned char *b)
{
    static const char name[] = "encoder_l1_self_Wq";
    const float multiplier = 2;
    size_t n = 0, start;

    zip_support_number(b, &n, 1, 8);
    zip_support_number(b, &n, 1, 8);
    zip_support_number(b, &n, sizeof name, 8);
    zip_support_number(b, &n, 0x4101, 8);
    zip_support_number(b, &n, 2, 8);
    zip_support_number(b, &n, 256, 8);
    zip_support_bytes(b, &n, name, sizeof name);
    zip_support_number(b, &n, 2, 4);
    zip_support_number(b, &n, 3, 4);
    zip_support_number(b, &n, 256 - n - 8, 8);
    zip_support_number(b, &n, 0, 256 - n);
    start = n;
    zip_support_bytes(b, &n, "\x7f\x81\1\2\3\4", 6);
    zip_support_bytes(b, &n, &multiplier, 4);
    zip_support_number(b, &n, 0, start + 256 - n);
    return n;
}

static Status open_bin(Weights **out, const char *folder, const unsigned char *bytes, size_t size, Err *err)
{
    free(support_write_file(folder, "model.bin", bytes, size));
    return open_weights(out, folder, err);
}

FOLDER_TEST(reads_int8_matrices_and_their_unit)
{
    static const float expected[6] = { 63.5f, -63.5f, 0.5f, 1, 1.5f, 2 };
    unsigned char bytes[1024];
    size_t size = make_bin(bytes);
    FREED_BY(free_weights) Weights *weights;
    const Tensor *t;
    float found[6];
    Err err;

    assert_ok(open_bin(&weights, *state, bytes, size, &err), &err);
    t = weights_at(weights, 0);
    assert_int_equal(t->shape[0], 3);
    assert_int_equal(t->shape[1], 2);
    tensor_read_f32(t, 0, 6, found);
    assert_memory_equal(found, expected, sizeof found);
}

/* Each case overwrites one number in the file and expects one message. */
FOLDER_TEST(checks_each_number_of_a_binary_file)
{
    static const struct {
        size_t at, width;
        uint64_t number;
        const char *fault;
    } cases[] = {
        { 16, 8, 5000, "cut off or corrupt: ends inside its names" },
        { 51, 1, 0, "a tensor has an invalid name" },
        { 24, 8, 0x1801,
          "tensor encoder_l1_self_Wq: type 0x1801 is not supported (it is packed for one kind of CPU: "
          "convert model.npz instead)" },
        { 32, 8, 1000000, "cut off or corrupt: ends inside its shapes" },
        { 32, 8, 9, "tensor encoder_l1_self_Wq has 9 dimensions, at most 8 are allowed" },
        { 40, 8, 1024,
          "tensor encoder_l1_self_Wq: its shape needs 6 bytes, its header says 1024, and 256 are left in "
          "the file" },
        { 40, 8, 6, "tensor encoder_l1_self_Wq: the multiplier after its values is missing or not positive" },
        { 67, 4, UINT32_MAX, "tensor encoder_l1_self_Wq: invalid shape" },
        { 67, 4, 1 << 20,
          "tensor encoder_l1_self_Wq: its shape needs 3145728 bytes, its header says 256, and 256 are "
          "left in the file" },
        { 75, 8, 5000, "cut off or corrupt: ends inside its padding" },
        { 262, 4, 0, "tensor encoder_l1_self_Wq: the multiplier after its values is missing or not positive" },
        { 262, 4, 0x7f800000, "tensor encoder_l1_self_Wq: the multiplier after its values is missing or not positive" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        unsigned char bytes[1024];
        size_t size = make_bin(bytes), at = cases[i].at;
        FREED char *message = support_format("/model.bin: %s", cases[i].fault);
        Weights *weights;
        Err err;
        zip_support_number(bytes, &at, cases[i].number, cases[i].width);
        assert_int_not_equal(open_bin(&weights, *state, bytes, size, &err), OK);
        check_message(*state, &err, message);
    }
}

TEST(reads_numbers_strings_and_lists_of_yaml)
{
    static const char text[] = "a: 1\nb: -2.5e1\nc: word\nd: \"7\"\ne: [1, x]\nf:\n  - true\ng: ~\nh: 1.9.56\n";
    cJSON *tree;
    char *json;
    Err err;

    assert_ok(yaml_tree_parse(&tree, text, strlen(text), "y", NULL, &err), &err);
    json = cJSON_PrintUnformatted(tree);
    assert_string_equal(
        json,
        "{\"a\":1,\"b\":-25,\"c\":\"word\",\"d\":\"7\",\"e\":[1,\"x\"],\"f\":[true],\"g\":null,\"h\":\"1.9.56\"}");
    cJSON_free(json);
    cJSON_Delete(tree);
}

TEST(rejects_unsupported_yaml)
{
    static const struct {
        const char *text, *fault;
    } cases[] = {
        { "a: &x 1\n", "y: line 1: anchors are not supported" },
        { "a: 1\nb: *x\n", "y: line 2: aliases are not supported" },
        { "a: [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]", "y: line 1: collections are nested too deeply" },
        { "? [a]\n: 1\n", "y: line 1: a key that is not a scalar" },
        { "a: 1\n---\nb: 2\n", "y: line 3: a second document" },
        { "- a\n", "y is not a YAML mapping" },
        { "", "y is not a YAML mapping" },
        { "a: [1\n", "y: line 2: not valid YAML: did not find expected ',' or ']'" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        cJSON *tree;
        Err err;
        assert_fails(yaml_tree_parse(&tree, cases[i].text, strlen(cases[i].text), "y", NULL, &err), ERR_FORMAT, &err,
                     cases[i].fault);
        assert_null(tree);
    }
}

TESTS(test_marian_files);
