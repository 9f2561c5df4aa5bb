/* file_kind.c - see file_kind.h. */
#include "file_kind.h"

#include <stdint.h>
#include <string.h>

#include "bytes.h"
#include "text.h"
#include "utf8.h"

#define READS  "dragoman reads safetensors, .bin and .npz"
#define UNPACK "unpack it and give the folder"

#define LEGACY_WITHIN  ((size_t)32) /* the magic number is in these first bytes */
#define MARIAN_VERSION 1
#define MARIAN_START   ((size_t)16)
#define MARIAN_HEADER  ((size_t)32) /* bytes per tensor */

/* A format and its magic number, `size` bytes at offset `at`. */
typedef struct {
    size_t at;
    const char *magic;
    size_t size;
    const char *what, *advice;
} FileKind;

static const FileKind formats[] = {
    { 0, "GGUF", 4, "a GGUF file", READS },
    { 0, "lmgg", 4, "a GGML file", READS },
    { 0, "fmgg", 4, "a GGML file", READS },
    { 0, "tjgg", 4, "a GGML file", READS },
    { 0, "\x89HDF\r\n\x1a\n", 8, "an HDF5 file (TensorFlow, Keras)", READS },
    { 4, "TFL3", 4, "a TensorFlow Lite model", READS },
};

static const FileKind archives[] = {
    { 257, "ustar", 5, "a tar archive", UNPACK },           { 0, "PK\x03\x04", 4, "a zip archive", UNPACK },
    { 0, "\x1f\x8b", 2, "compressed by gzip", UNPACK },     { 0, "BZh", 3, "compressed by bzip2", UNPACK },
    { 0, "\xfd\x37zXZ", 5, "compressed by xz", UNPACK },    { 0, "\x28\xb5\x2f\xfd", 4, "compressed by zstd", UNPACK },
    { 0, "7z\xbc\xaf\x27\x1c", 6, "a 7z archive", UNPACK },
};

static const struct {
    const char *ending, *what;
} names[] = {
    { ".gguf", "a GGUF file" },       { ".onnx", "an ONNX model" },      { ".h5", "an HDF5 file (TensorFlow, Keras)" },
    { ".msgpack", "a Flax model" },   { ".ot", "a model of rust-bert" }, { ".tflite", "a TensorFlow Lite model" },
    { ".pb", "a TensorFlow model" },  { ".mlmodel", "a Core ML model" }, { ".engine", "a TensorRT engine" },
    { ".keras", "a model of Keras" },
};

static const FileKind *find_kind(const MappedFile *file, const FileKind *kinds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (mapped_file_has(file, kinds[i].at, kinds[i].magic, kinds[i].size)) return &kinds[i];
    return NULL;
}

bool file_kind_is_lfs_pointer(const MappedFile *file)
{
    static const char head[] = "version https://git-lfs";

    return mapped_file_has(file, 0, head, sizeof head - 1);
}

Status file_kind_refuse_lfs_pointer(const char *path, Err *err)
{
    return err_set(err, ERR_FORMAT, "%s is a Git LFS pointer, not the file itself: run \"git lfs pull\"", path);
}

/* The magic number 0x1950a86a20f9469cfc6c, as a pickle stores it. */
static const unsigned char LEGACY_MAGIC[] = { 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19 };

bool file_kind_is_legacy_torch(const MappedFile *file)
{
    size_t end = file->size < LEGACY_WITHIN ? file->size : LEGACY_WITHIN;

    if (!end || file->data[0] != 0x80) return false;
    for (size_t i = 1; i + sizeof LEGACY_MAGIC <= end; i++)
        if (memcmp(file->data + i, LEGACY_MAGIC, sizeof LEGACY_MAGIC) == 0) return true;
    return false;
}

bool file_kind_is_marian(const MappedFile *file)
{
    return file->size >= MARIAN_START && bytes_number(file->data, 8) == MARIAN_VERSION &&
           bytes_number(file->data + 8, 8) <= (file->size - MARIAN_START) / MARIAN_HEADER;
}

/* Returns whether the file begins with UTF-8 text. */
static bool is_text(const MappedFile *file)
{
    const size_t most = 256, size = file->size < most ? file->size : most;
    size_t step;

    for (size_t i = 0; i < size; i += step) {
        uint32_t code;
        step = utf8_next((const char *)file->data + i, file->size - i, &code);
        if (code == UTF8_INVALID || code == 0x7f || (code < 0x20 && !(code >= '\t' && code <= '\r'))) return false;
    }
    return size > 0;
}

static Status refuse_format(const FileKind *kind, const char *path, Err *err)
{
    return err_set(err, ERR_FORMAT, "%s is %s; %s", path, kind->what, kind->advice);
}

Status file_kind_check(const MappedFile *file, const char *path, const char *expected, Err *err)
{
    const FileKind *kind = find_kind(file, formats, sizeof formats / sizeof *formats);

    if (file->size == 0) return err_set(err, ERR_FORMAT, "%s is empty", path);
    if (file_kind_is_lfs_pointer(file)) return file_kind_refuse_lfs_pointer(path, err);
    if (kind) return refuse_format(kind, path, err);
    if (!is_text(file)) return OK;
    return err_set(err, ERR_FORMAT, "%s is text, not %s: did the download fail?", path, expected);
}

/* Returns whether the name of a zip archive's first entry contains `part`. */
static bool first_entry_has(const MappedFile *file, const char *part)
{
    const size_t len = strlen(part), end = file->size < 200 ? file->size : 200;

    for (size_t i = 30; mapped_file_has(file, 0, "PK\x03\x04", 4) && i + len <= end; i++)
        if (memcmp(file->data + i, part, len) == 0) return true;
    return false;
}

Status file_kind_check_foreign(const MappedFile *file, const char *path, Err *err)
{
    const FileKind *kind = find_kind(file, formats, sizeof formats / sizeof *formats);
    const char *by_name = file_kind_by_name(path);
    /* An ONNX protobuf begins with the format version, then the producer or the graph. */
    const bool is_onnx = file->size > 3 && file->data[0] == 0x08 && file->data[1] >= 1 && file->data[1] < 32 &&
                         (file->data[2] == 0x12 || file->data[2] == 0x3a);
    /* Weights in a format that dragoman reads. */
    const bool is_weights = mapped_file_has(file, 7, "\0{\"", 3) || mapped_file_has(file, 0, "\x80\x02", 2) ||
                            first_entry_has(file, "/data.pkl") || first_entry_has(file, ".npy");

    if (kind) return refuse_format(kind, path, err);
    if (by_name || is_onnx)
        return err_set(err, ERR_FORMAT, "%s is %s; " READS, path, by_name ? by_name : "an ONNX model");
    if (is_weights)
        return err_set(err, ERR_FORMAT,
                       "%s: contains only weights: give the folder that also has config.json and the tokenizer", path);
    kind = find_kind(file, archives, sizeof archives / sizeof *archives);
    return kind ? refuse_format(kind, path, err) : OK;
}

const char *file_kind_by_name(const char *path)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_ends_with(path, names[i].ending)) return names[i].what;
    return NULL;
}
