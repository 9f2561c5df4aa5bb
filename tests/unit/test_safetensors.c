/* test_safetensors.c - valid and broken model.safetensors files, with the exact message for each broken one. */
#include "test_support.h"

#include "model_support.h"
#include "weights.h"

#define FILE_NAME "model.safetensors"

/* A test file: the length, the header, `data` bytes 0, 1, 2... */
static char *write_safetensors(const char *folder, const char *header, size_t data)
{
    size_t length = strlen(header), size = 8 + length + data;
    char *bytes = malloc(size), *path;

    assert_non_null(bytes);
    for (size_t i = 0; i < 8; i++) bytes[i] = (char)((uint64_t)length >> (8 * i) & 0xff);
    memcpy(bytes + 8, header, length);
    for (size_t i = 0; i < data; i++) bytes[8 + length + i] = (char)i;
    path = support_write_file(folder, FILE_NAME, bytes, size);
    free(bytes);
    return path;
}

static Weights *open_sound(const char *folder, const char *header, size_t data)
{
    Weights *weights = NULL;
    Err err;
    FREED char *path = write_safetensors(folder, header, data);

    assert_ok(open_weights(&weights, folder, &err), &err);
    assert_string_equal(weights_path(weights), path);
    return weights;
}

/* Expects the message support_file_message(path, fault). */
static void check_fault(const char *folder, const char *path, Status status, const char *fault)
{
    Weights *weights = (Weights *)&status;
    FREED char *message = support_file_message(path, fault);
    Err err;

    assert_fails(open_weights(&weights, folder, &err), status, &err, message);
    assert_null(weights);
}

FOLDER_TEST(reads_name_type_shape_and_bytes_of_a_tensor)
{
    FREED_BY(free_weights)
    Weights *weights = open_sound(*state,
                                  "{\"__metadata__\":{\"format\":\"pt\",\"x\":\"\"},"
                                  "\"a.b\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
                                  "\"\xc3\xa9\\u00e9\":{\"shape\":[],\"data_offsets\":[24,26],\"dtype\":\"BF16\"}}   ",
                                  26);
    const Tensor *t = weights_find(weights, "a.b");

    assert_int_equal(weights_count(weights), 2);
    assert_ptr_equal(t, weights_at(weights, 0));
    assert_string_equal(t->name, "a.b");
    assert_string_equal(t->file, weights_path(weights));
    assert_int_equal(t->dtype, DTYPE_F32);
    assert_string_equal(t->dtype_name, "F32");
    assert_int_equal(t->rank, 2);
    assert_int_equal(t->shape[0], 2);
    assert_int_equal(t->shape[1], 3);
    assert_int_equal(t->count, 6);
    assert_int_equal(t->bytes, 24);
    assert_memory_equal(t->data, "\0\1\2\3\4\5\6\7", 8);
    t = weights_find(weights, "\xc3\xa9\xc3\xa9");
    assert_non_null(t);
    assert_int_equal(t->dtype, DTYPE_BF16);
    assert_int_equal(t->rank, 0);
    assert_int_equal(t->count, 1);
    assert_memory_equal(t->data, "\x18\x19", 2);
    assert_null(weights_find(weights, "a.B"));
    assert_null(weights_find(weights, "__metadata__"));
    assert_null(weights_find(weights, ""));
}

FOLDER_TEST(knows_the_size_of_every_dtype)
{
    static const struct {
        const char *name;
        unsigned bits;
        DType dtype;
    } types[] = {
        { "BOOL", 8, DTYPE_OTHER },    { "U8", 8, DTYPE_OTHER },          { "I8", 8, DTYPE_OTHER },
        { "U16", 16, DTYPE_OTHER },    { "I16", 16, DTYPE_OTHER },        { "U32", 32, DTYPE_OTHER },
        { "I32", 32, DTYPE_OTHER },    { "U64", 64, DTYPE_OTHER },        { "I64", 64, DTYPE_OTHER },
        { "F8_E5M2", 8, DTYPE_OTHER }, { "F8_E4M3", 8, DTYPE_OTHER },     { "F8_E8M0", 8, DTYPE_OTHER },
        { "F16", 16, DTYPE_F16 },      { "F8_E4M3FNUZ", 8, DTYPE_OTHER }, { "F8_E5M2FNUZ", 8, DTYPE_OTHER },
        { "BF16", 16, DTYPE_BF16 },    { "F32", 32, DTYPE_F32 },          { "F64", 64, DTYPE_F64 },
        { "C64", 64, DTYPE_OTHER },    { "F4", 4, DTYPE_OTHER },          { "F6_E2M3", 6, DTYPE_OTHER },
        { "F6_E3M2", 6, DTYPE_OTHER },
    };

    for (size_t i = 0; i < COUNT(types); i++) {
        unsigned bytes = types[i].bits * 12 / 8;
        FREED char *header =
            support_format("{\"t\":{\"dtype\":\"%s\",\"shape\":[3,4],\"data_offsets\":[0,%u]}}", types[i].name, bytes);
        FREED_BY(free_weights) Weights *weights = open_sound(*state, header, bytes);
        assert_int_equal(weights_at(weights, 0)->dtype, types[i].dtype);
        assert_string_equal(weights_at(weights, 0)->dtype_name, types[i].name);
        assert_int_equal(weights_at(weights, 0)->bytes, bytes);
    }
}

FOLDER_TEST(reads_valid_files_of_unusual_form)
{
    static const struct {
        const char *header;
        size_t data, tensors;
    } files[] = {
        { "{}", 0, 0 },
        { "{\"__metadata__\":{}}", 0, 0 },
        { "{\"__metadata__\":null}", 0, 0 },
        { "{ \"t\" :\t{\n\"dtype\" : \"U8\", \"shape\" : [ ] , \"data_offsets\" : [ 0 , 1 ] } } \n", 1, 1 },
        { "{\"\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1, 1 },
        { "{\"t\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,1],\"data_offsets\":[0,1]}}", 1, 1 },
        { "{\"t\":{\"dtype\":\"U8\",\"shape\":[0,9007199254740991,9],\"data_offsets\":[0,0]}}", 0, 1 },
        { "{\"t\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1],\"Dtype\":5,\"more\":{}}}", 1, 1 },
        /* The order of the header differs from that of the data; some tensors are empty. */
        { "{\"c\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[3,5]},"
          "\"e\":{\"dtype\":\"F64\",\"shape\":[0],\"data_offsets\":[3,3]},"
          "\"b\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[1,3]},"
          "\"f\":{\"dtype\":\"F64\",\"shape\":[0],\"data_offsets\":[5,5]},"
          "\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}",
          5, 5 },
    };

    for (size_t i = 0; i < COUNT(files); i++) {
        FREED_BY(free_weights) Weights *weights = open_sound(*state, files[i].header, files[i].data);
        assert_int_equal(weights_count(weights), files[i].tensors);
    }
}

FOLDER_TEST(released_weights_can_be_read_again)
{
    FREED_BY(free_weights)
    Weights *weights = open_sound(*state,
                                  "{\"a\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]},"
                                  "\"b\":{\"dtype\":\"F32\",\"shape\":[64,256],\"data_offsets\":[3,65539]},"
                                  "\"c\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[65539,65539]}}",
                                  65539);
    const Tensor *t = weights_find(weights, "b");
    float before[64], after[64];

    tensor_read_f32(t, 16320, 64, before);
    for (size_t i = 0; i < weights_count(weights); i++) weights_release(weights, weights_at(weights, i));
    tensor_read_f32(t, 16320, 64, after);
    assert_memory_equal(before, after, sizeof before);
    assert_memory_equal(t->data, "\x03\x04\x05", 3);
}

FOLDER_TEST(opens_many_tensors_in_less_than_quadratic_time)
{
    enum { TENSORS = 100000 };
    char *header = malloc(TENSORS * 80 + 3), *end = header;
    FREED_BY(free_weights) Weights *weights;

    assert_non_null(header);
    for (int i = TENSORS; i-- > 0;)
        end += sprintf(end, "%c\"layer.%d\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[%d,%d]}",
                       end == header ? '{' : ',', i, i, i + 1);
    memcpy(end, "}", 2);
    weights = open_sound(*state, header, TENSORS);
    assert_int_equal(weights_count(weights), TENSORS);
    for (int i = 0; i < TENSORS; i += 97) {
        char name[32];
        snprintf(name, sizeof name, "layer.%d", i);
        assert_int_equal(weights_find(weights, name)->data[0], i & 0xff);
    }
    free(header);
}

/* One tensor "t" with these members. */
#define T(members) "{\"t\":{" members "}}"
#define U8(name, begin, end)                                                                                           \
    "\"" name "\":{\"dtype\":\"U8\",\"shape\":[" #end "],\"data_offsets\":[" #begin "," #end "]}"
#define SHAPE(shape)     T("\"dtype\":\"F32\",\"shape\":" shape ",\"data_offsets\":[0,4]")
#define DTYPE(dtype)     T("\"dtype\":" dtype ",\"shape\":[1],\"data_offsets\":[0,4]")
#define OFFSETS(offsets) T("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":" offsets)
#define TWO(b, c, d)                                                                                                   \
    "{\"one\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"                                                \
    "\"two\":{\"dtype\":\"U8\",\"shape\":[" #d "],\"data_offsets\":[" #b "," #c "]}}"

typedef struct {
    const char *header;
    size_t data;
    const char *fault;
} Broken;

#define TYPE_FOUND  "tensor t: dtype must be F32, F16, BF16 or another type of safetensors, found "
#define WHOLE(name) "tensor t: " name " must be a whole number below 2^53, found "
#define TWO_NUMBERS "tensor t: data_offsets must be a list of 2 numbers, found "

static const Broken BROKEN_HEADERS[] = {
    { "", 4, "the header is empty" },
    { " {}", 0, "not a safetensors file: the header begins with byte 0x20, not with {" },
    { "[]", 0, "not a safetensors file: the header begins with byte 0x5b, not with {" },
    { "\xef\xbb\xbf{}", 0, "not a safetensors file: the header begins with byte 0xef, not with {" },
    { "{", 0, "not valid JSON near byte 0" },
    { "{\"t\":{\"dtype\":\"F32\"", 4, "not valid JSON near byte 18" },
    { "{} {}", 0, "text after the JSON object" },
    { "{\"t\xff\":0}", 0, "not valid JSON: ill-formed UTF-8 at byte 3" },
    { "{\"t\":5}", 0, "tensor t: must be an object, found 5" },
    { "{\"t\":[]}", 0, "tensor t: must be an object, found a list" },
    { "{\"t\":null}", 0, "tensor t: must be an object, found null" },
    { "{\"t\":{}}", 0, "tensor t: dtype is missing" },
    { "{\"t\":{\"Dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "tensor t: dtype is missing" },
    { T("\"dtype\":\"F32\",\"data_offsets\":[0,4]"), 4, "tensor t: shape is missing" },
    { T("\"dtype\":\"F32\",\"shape\":[1]"), 4, "tensor t: data_offsets is missing" },
    { T("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"shape\":[1]"), 4, "tensor t: shape appears twice" },
    { T("\"dtype\":\"F32\",\"dtype\":\"F32\""), 4, "tensor t: dtype appears twice" },
    { "{\"__metadata__\":5}", 0, "__metadata__ must be an object, found 5" },
    { "{\"__metadata__\":\"x\"}", 0, "__metadata__ must be an object, found \"x\"" },
    { "{\"__metadata__\":{\"a\":\"b\",\"n\":1}}", 0, "__metadata__: n must be a string, found 1" },
    { "{\"__metadata__\":{\"a\":{}}}", 0, "__metadata__: a must be a string, found an object" },
    { "{\"__metadata__\":{},\"__metadata__\":{}}", 0, "__metadata__ appears twice" },
    { DTYPE("\"F33\""), 4, TYPE_FOUND "\"F33\"" },
    { DTYPE("\"f32\""), 4, TYPE_FOUND "\"f32\"" },
    { DTYPE("\"\""), 4, TYPE_FOUND "\"\"" },
    { DTYPE("32"), 4, TYPE_FOUND "32" },
    { DTYPE("[\"F32\"]"), 4, TYPE_FOUND "a list" },
    { DTYPE("\"F32F32F32F32F32F32F32F32F32F32F32F32F32F32F32F32\""), 4, TYPE_FOUND "a long string" },
    { SHAPE("1"), 4, "tensor t: shape must be a list, found 1" },
    { SHAPE("\"[1]\""), 4, "tensor t: shape must be a list, found \"[1]\"" },
    { SHAPE("{\"0\":1}"), 4, "tensor t: shape must be a list, found an object" },
    { SHAPE("[1,1,1,1,1,1,1,1,1]"), 4, "tensor t: shape has 9 dimensions, at most 8 are allowed" },
    { SHAPE("[1,-1]"), 4, WHOLE("shape[1]") "-1" },
    { SHAPE("[\"1\"]"), 4, WHOLE("shape[0]") "\"1\"" },
    { SHAPE("[0.5]"), 4, WHOLE("shape[0]") "0.5" },
    { SHAPE("[null]"), 4, WHOLE("shape[0]") "null" },
    { SHAPE("[true]"), 4, WHOLE("shape[0]") "true" },
    { SHAPE("[1e300]"), 4, WHOLE("shape[0]") "1.0000000000000001e+300" },
    { SHAPE("[1e999]"), 4, WHOLE("shape[0]") "inf" },
    { SHAPE("[18446744073709551617]"), 4, WHOLE("shape[0]") "1.8446744073709552e+19" },
    { SHAPE("[4294967296,4294967296]"), 4, "tensor t: shape: too many elements" },
    { SHAPE("[4611686018427387904,4]"), 4, WHOLE("shape[0]") "4.6116860184273879e+18" },
    { SHAPE("[9007199254740991,1024]"), 4, "tensor t: shape: too many elements" },
    { SHAPE("[65536,65536,65536,65536]"), 4, "tensor t: shape: too many elements" },
    { SHAPE("[2]"), 4, "tensor t: data_offsets are 4 bytes, but 2 elements of F32 take 8" },
    { SHAPE("[0]"), 4, "tensor t: data_offsets are 4 bytes, but 0 elements of F32 take 0" },
    { T("\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,1]"), 1, "tensor t: 3 elements of F4 end inside a byte" },
    { OFFSETS("4"), 4, TWO_NUMBERS "4" },
    { OFFSETS("[]"), 4, TWO_NUMBERS "a list of another length" },
    { OFFSETS("[0]"), 4, TWO_NUMBERS "a list of another length" },
    { OFFSETS("[0,4,8]"), 4, TWO_NUMBERS "a list of another length" },
    { OFFSETS("{\"a\":0,\"b\":4}"), 4, TWO_NUMBERS "an object" },
    { OFFSETS("[\"0\",\"4\"]"), 4, WHOLE("data_offsets[0]") "\"0\"" },
    { OFFSETS("[-4,0]"), 4, WHOLE("data_offsets[0]") "-4" },
    { OFFSETS("[0,3.5]"), 4, WHOLE("data_offsets[1]") "3.5" },
    { OFFSETS("[0,1e300]"), 4, WHOLE("data_offsets[1]") "1.0000000000000001e+300" },
    { OFFSETS("[0,18446744073709551620]"), 4, WHOLE("data_offsets[1]") "1.8446744073709552e+19" },
    { OFFSETS("[4,0]"), 4, "tensor t: data_offsets end at 0 before they begin at 4" },
    { OFFSETS("[0,5]"), 4, "tensor t: data_offsets end at 5, but the file has 4 bytes of data" },
    { OFFSETS("[9007199254740987,9007199254740991]"), 4,
      "tensor t: data_offsets end at 9007199254740991, but the file has 4 bytes of data" },
    { OFFSETS("[0,4]"), 3, "tensor t: data_offsets end at 4, but the file has 3 bytes of data" },
    { OFFSETS("[0,4]"), 5, "5 bytes of data, but the tensors end at 4" },
    { OFFSETS("[1,5]"), 5, "tensor t: begins at byte 1 of the data, but nothing uses those from 0 on" },
    { "{}", 1, "1 bytes of data, but the tensors end at 0" },
    { TWO(0, 4, 4), 4, "tensor two: begins at byte 0 of the data, inside of tensor one that ends at 4" },
    { TWO(3, 7, 4), 7, "tensor two: begins at byte 3 of the data, inside of tensor one that ends at 4" },
    { TWO(1, 2, 1), 4, "tensor two: begins at byte 1 of the data, inside of tensor one that ends at 4" },
    { TWO(2, 2, 0), 4, "tensor two: begins at byte 2 of the data, inside of tensor one that ends at 4" },
    { TWO(5, 8, 3), 8, "tensor two: begins at byte 5 of the data, but nothing uses those from 4 on" },
    { TWO(4, 8, 4), 9, "9 bytes of data, but the tensors end at 8" },
    { "{" U8("t", 0, 4) "," U8("t", 0, 4) "}", 4, "tensor t: appears twice" },
    { "{" U8("t", 0, 4) "," U8("\\u0074", 0, 4) "}", 4, "tensor t: appears twice" },
    { "{\"a\\nb\xc2\x9bm\":0}", 0, "tensor a?b?m: must be an object, found 0" },
};

static void check_header(const char *folder, const char *header, size_t data, const char *fault)
{
    FREED char *path = write_safetensors(folder, header, data);

    check_fault(folder, path, ERR_FORMAT, fault);
}

FOLDER_TEST(reports_each_broken_header)
{
    for (size_t i = 0; i < COUNT(BROKEN_HEADERS); i++)
        check_header(*state, BROKEN_HEADERS[i].header, BROKEN_HEADERS[i].data, BROKEN_HEADERS[i].fault);
}

FOLDER_TEST(reports_each_broken_length)
{
    static const struct {
        const char *bytes;
        size_t count;
        const char *fault;
    } files[] = {
        { "", 0, "is empty" },
        { "\2", 1, "1 bytes are too few for a safetensors file" },
        { "\2\0\0\0\0\0\0", 7, "7 bytes are too few for a safetensors file" },
        { "\2\0\0\0\0\0\0\0", 8, "cut off: a header of 2 bytes, but the file has only 0 after its length" },
        { "\2\0\0\0\0\0\0\0{", 9, "cut off: a header of 2 bytes, but the file has only 1 after its length" },
        { "\0\xe1\xf5\5\0\0\0\0{}", 10,
          "cut off: a header of 100000000 bytes, but the file has only 2 after its length" },
        { "\1\xe1\xf5\5\0\0\0\0{}", 10,
          "not a safetensors file: a header of 100000001 bytes, at most 100000000 are allowed" },
        { "\2\0\0\0\0\0\0\x80{}", 10,
          "not a safetensors file: a header of 9223372036854775810 bytes, at most 100000000 are allowed" },
        { "\xff\xff\xff\xff\xff\xff\xff\xff{}", 10,
          "not a safetensors file: a header of 18446744073709551615 bytes, at most 100000000 are allowed" },
        { "\xf8\xff\xff\xff\xff\xff\xff\xff{}", 10,
          "not a safetensors file: a header of 18446744073709551608 bytes, at most 100000000 are allowed" },
        { "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", 63,
          "is a Git LFS pointer, not the file itself: run \"git lfs pull\"" },
        { "PK\3\4\0\0\0\0\0\0", 10, "cut off: a header of 67324752 bytes, but the file has only 2 after its length" },
    };

    for (size_t i = 0; i < COUNT(files); i++) {
        FREED char *path = support_write_file(*state, FILE_NAME, files[i].bytes, files[i].count);
        check_fault(*state, path, ERR_FORMAT, files[i].fault);
    }
}

/* Neither exhausts the stack or the memory; a long name is truncated to show the error. */
FOLDER_TEST(rejects_huge_headers)
{
    enum { DEPTH = 1000000, VALUES = 5000000 };
    char *header = support_alloc(2 * VALUES + 16), fault[512];

    memcpy(header, "{\"t\":", 5);
    memset(header + 5, '[', DEPTH);
    check_header(*state, header, 0, "not valid JSON near byte 1004");
    memcpy(header, "{\"t\":[0", 7);
    for (size_t i = 0; i < VALUES; i++) memcpy(header + 7 + 2 * i, ",0", 2);
    memcpy(header + 7 + 2 * (size_t)VALUES, "]}", 3);
    check_header(*state, header, 0, "not valid JSON: too many values at byte 8388609");
    memset(header, 'n', 3000);
    memcpy(header, "{\"", 2);
    memcpy(header + 3000, "\":1}", 5);
    memset(fault, 'n', sizeof fault);
    memcpy(fault, "tensor ", 7);
    memcpy(fault + 207, ": must be an object, found 1", 29);
    check_header(*state, header, 0, fault);
    free(header);
}

/* The only prefix that is accepted must be the whole file. */
FOLDER_TEST(rejects_a_file_truncated_anywhere)
{
    FREED char *path = write_safetensors(*state, TWO(4, 8, 4), 8);
    size_t size;
    char *bytes = support_read_file(path, &size);

    for (size_t count = 0; count < size; count++) {
        Weights *weights = NULL;
        Err err = { "" };
        free(support_write_file(*state, FILE_NAME, bytes, count));
        assert_int_equal(open_weights(&weights, *state, &err), ERR_FORMAT);
        assert_null(weights);
        assert_memory_equal(err.text, path, strlen(path));
        assert_null(strchr(err.text, '\n'));
    }
    free(support_write_file(*state, FILE_NAME, bytes, 8 + size - 16));
    check_fault(*state, path, ERR_FORMAT, "tensor one: data_offsets end at 4, but the file has 0 bytes of data");
    free(bytes);
}

/* A changed file that is accepted must be readable. */
FOLDER_TEST(reads_or_rejects_a_file_with_any_byte_changed)
{
    static const unsigned char masks[] = { 0x01, 0x02, 0x04, 0x10, 0x20, 0x80, 0xff };
    FREED char *path = write_safetensors(*state, TWO(4, 8, 4), 8);
    size_t size, refused = 0;
    char *bytes = support_read_file(path, &size);

    for (size_t i = 0; i < size * COUNT(masks); i++) {
        FREED_BY(free_weights) Weights *weights = NULL;
        Err err = { "" };
        unsigned sum = 0;
        bytes[i / COUNT(masks)] ^= (char)masks[i % COUNT(masks)];
        free(support_write_file(*state, FILE_NAME, bytes, size));
        bytes[i / COUNT(masks)] ^= (char)masks[i % COUNT(masks)];
        if (open_weights(&weights, *state, &err) != OK) {
            refused++;
            assert_memory_equal(err.text, path, strlen(path));
            continue;
        }
        for (size_t t = 0; t < weights_count(weights); t++)
            for (size_t b = 0; b < weights_at(weights, t)->bytes; b++) sum += weights_at(weights, t)->data[b];
        assert_true(sum <= 8 * 255);
    }
    assert_true(refused > size);
    free(bytes);
}

FOLDER_TEST(rejects_special_files_at_once)
{
    FREED char *path = support_path(*state, FILE_NAME);

    assert_int_equal(mkdir(path, 0700), 0);
    check_fault(*state, path, ERR_IO, "is a directory, not a file");
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    check_fault(*state, path, ERR_IO, "is not a regular file");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/dev/zero", path), 0);
    check_fault(*state, path, ERR_IO, "is not a regular file");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("gone", path), 0);
    check_fault(*state, path, ERR_IO, "is a link to gone, which does not exist");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink(FILE_NAME, path), 0);
    check_fault(*state, path, ERR_IO, "is a loop of links: Too many levels of symbolic links");
}

FOLDER_TEST(names_an_unreadable_file)
{
    char *path = write_safetensors(*state, "{}", 0);

    assert_int_equal(chmod(path, 0), 0);
    if (access(path, R_OK) == 0) {
        free(path);
        skip_because("root reads every file");
    }
    check_fault(*state, path, ERR_IO, strerror(EACCES));
    free(path);
}

TESTS(test_safetensors);
