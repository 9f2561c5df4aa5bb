/* test_file_kind.c - recognition of files that are not what they should be. */
#include "test_support.h"

#include "file_kind.h"

#define READS "; dragoman reads safetensors, .bin and .npz"

typedef struct {
    const char *path, *bytes;
    size_t size;
    const char *message; /* after the path; NULL: the file is not recognized */
} Case;

#define FILE_OF(path, bytes, message)                                                                                  \
    {                                                                                                                  \
        path, bytes, sizeof(bytes) - 1, message                                                                        \
    }

static void check(const Case *cases, size_t count, bool is_foreign)
{
    for (size_t i = 0; i < count; i++) {
        const Case *c = &cases[i];
        const MappedFile file = { .data = (const unsigned char *)c->bytes, .size = c->size };
        char *wanted = c->message ? support_file_message(c->path, c->message) : support_format("%s", "");
        Err err = { "" };
        const Status st = is_foreign ? file_kind_check_foreign(&file, c->path, &err)
                                     : file_kind_check(&file, c->path, "a safetensors file", &err);
        if (st != (c->message ? ERR_FORMAT : OK) || strcmp(err.text, wanted) != 0)
            fail_msg("case %zu: %s instead of %s", i, err.text, wanted);
        free(wanted);
    }
}

TEST(names_unexpected_content)
{
#define TEXT "is text, not a safetensors file: did the download fail?"
    static const Case cases[] = {
        FILE_OF("a", "", "is empty"),
        FILE_OF("a", "version https://git-lfs.github.com/spec/v1\noid",
                "is a Git LFS pointer, not the file itself: run \"git lfs pull\""),
        FILE_OF("a", "<!DOCTYPE html>", TEXT),
        FILE_OF("a", "Entry not found", TEXT),
        FILE_OF("a", "{\"error\":\"Not found\"}\r\n", TEXT),
        FILE_OF("a", "Zugriff f\xc3\xbcr Fremde", TEXT),
        FILE_OF("a", "GGUF\3\0\0\0", "is a GGUF file" READS),
        FILE_OF("a", "lmgg\1\0\0\0", "is a GGML file" READS),
        FILE_OF("a", "\x89HDF\r\n\x1a\n\0", "is an HDF5 file (TensorFlow, Keras)" READS),
        FILE_OF("a", "\x1c\0\0\0TFL3", "is a TensorFlow Lite model" READS),
        FILE_OF("a", "PK\3\4", NULL),
        FILE_OF("a", "\x80\2}q\0.", NULL),
        FILE_OF("a", "\xff\xff\xff", NULL),
        FILE_OF("a", "Zugriff f\xfcr Fremde", NULL),
        FILE_OF("a", "a\0", NULL),
    };

    check(cases, COUNT(cases), false);
}

TEST(names_formats_and_archives)
{
#define UNPACK "; unpack it and give the folder"
#define ALONE  "contains only weights: give the folder that also has config.json and the tokenizer"
    static const Case cases[] = {
        FILE_OF("m.onnx", "x", "is an ONNX model" READS),
        FILE_OF("m", "\x08\x08\x12\7pytorch", "is an ONNX model" READS),
        FILE_OF("m.msgpack", "\x84", "is a Flax model" READS),
        FILE_OF("m.ot", "PK\3\4", "is a model of rust-bert" READS),
        FILE_OF("m", "GGUF", "is a GGUF file" READS),
        FILE_OF("m", "PK\3\4 and so on", "is a zip archive" UNPACK),
        FILE_OF("m", "PK\3\4..........................archive/data.pkl", ALONE),
        FILE_OF("m", "PK\3\4..........................weight.npy", ALONE),
        FILE_OF("m", "\x80\2\x8a\nl\xfc", ALONE),
        FILE_OF("m", "\x10\0\0\0\0\0\0\0{\"a\"", ALONE),
        FILE_OF("m", "\x1f\x8b\x08", "is compressed by gzip" UNPACK),
        FILE_OF("m", "\xfd\x37zXZ\0", "is compressed by xz" UNPACK),
        FILE_OF("m", "BZh9", "is compressed by bzip2" UNPACK),
        FILE_OF("m", "\x28\xb5\x2f\xfd", "is compressed by zstd" UNPACK),
        FILE_OF("m", "7z\xbc\xaf\x27\x1c", "is a 7z archive" UNPACK),
        FILE_OF("m", "", NULL),
        FILE_OF("m", "what is this\1", NULL),
    };

    check(cases, COUNT(cases), true);
}

/* Text is recognized by its beginning, which may end inside a character. */
TEST(recognizes_long_text)
{
    unsigned char bytes[600];
    MappedFile file = { .data = bytes, .size = sizeof bytes };
    Err err;

    for (size_t i = 0; i < sizeof bytes; i += 3) memcpy(bytes + i, "\xe4\xb8\xad", 3);
    assert_int_equal(file_kind_check(&file, "a", "b", &err), ERR_FORMAT);
    file.size--;
    assert_int_equal(file_kind_check(&file, "a", "b", &err), ERR_FORMAT);
    bytes[100] = '\0';
    assert_ok(file_kind_check(&file, "a", "b", &err), &err);
}

TESTS(test_file_kind);
