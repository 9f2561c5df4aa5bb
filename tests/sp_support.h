/* sp_support.h - writes SentencePiece models for the tests, field by field. */
#ifndef DRAGOMAN_SP_SUPPORT_H
#define DRAGOMAN_SP_SUPPORT_H

#include "test_support.h"

#include <fcntl.h>

#include "buf.h"
#include "model_support.h"
#include "sp_model.h"
#include "view_support.h"

typedef struct {
    const char *text;
    float score;
    SpPieceType type; /* 0: SP_NORMAL */
} SpRow;

/* Returns the complete pieces of the rows, up to one without a text. `duplicate` is that of sp_pieces_complete(). */
static inline SpPieces *sp_support_pieces(const SpRow *rows, int32_t duplicate)
{
    SpPieces *pieces;
    int32_t found;
    Err err;

    assert_ok(sp_pieces_new(&pieces, &err), &err);
    for (; rows->text; rows++) {
        const SpPieceType type = rows->type ? rows->type : SP_NORMAL;
        assert_ok(sp_pieces_add(pieces, rows->text, strlen(rows->text), rows->score, type, &err), &err);
    }
    assert_ok(sp_pieces_complete(pieces, &found, &err), &err);
    assert_int_equal(found, duplicate);
    return pieces;
}

static inline void sp_support_add_varint(Buf *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7) buf_put_byte(out, (char)((value & 0x7f) | 0x80));
    buf_put_byte(out, (char)value);
}

static inline void sp_support_add_bytes(Buf *out, unsigned field, const void *bytes, size_t count)
{
    sp_support_add_varint(out, field << 3 | 2);
    sp_support_add_varint(out, count);
    buf_put(out, bytes, count);
}

static inline void sp_support_add_number(Buf *out, unsigned field, uint64_t value)
{
    sp_support_add_varint(out, field << 3);
    sp_support_add_varint(out, value);
}

static inline void sp_support_add_piece_bytes(Buf *model, const char *piece, size_t len, float score, unsigned type)
{
    FREED_BY(buf_free) Buf part = { 0 };

    sp_support_add_bytes(&part, 1, piece, len);
    buf_put_byte(&part, 2 << 3 | 5);
    buf_put(&part, &score, sizeof score); /* assumes a little-endian machine */
    sp_support_add_number(&part, 3, type);
    sp_support_add_bytes(model, 1, part.data, part.len);
}

static inline void sp_support_add_piece(Buf *model, const char *piece, float score, unsigned type)
{
    sp_support_add_piece_bytes(model, piece, strlen(piece), score, type);
}

/* A model with the pieces <unk>, U+2581, "a", "b" and "ab". */
static inline Buf sp_support_small_model(void)
{
    Buf model = { 0 };

    sp_support_add_piece(&model, "<unk>", 0, SP_UNKNOWN);
    sp_support_add_piece(&model, "\xe2\x96\x81", -1, SP_NORMAL);
    sp_support_add_piece(&model, "a", -2, SP_NORMAL);
    sp_support_add_piece(&model, "b", -3, SP_NORMAL);
    sp_support_add_piece(&model, "ab", -4, SP_NORMAL);
    return model;
}

/* A double array with one base per block of 256 units; the base of the root is 256. */
#define SP_BLOCKS 40
typedef struct {
    uint32_t units[SP_BLOCKS * 256];
} SpArray;

static inline uint32_t sp_support_unit(size_t i, size_t base, uint32_t label, bool ends)
{
    return (uint32_t)((i ^ base) << 10) | (uint32_t)ends << 8 | label;
}

/* Keys "a", "aa", ... up to `count`, each with the replacement strings + value. */
static inline SpArray *sp_support_chain(size_t count, uint32_t value)
{
    SpArray *array = calloc(1, sizeof *array);

    assert_non_null(array);
    for (size_t i = 0; i < SP_BLOCKS * 256; i++) array->units[i] = 0x800000ff; /* equal to no label */
    array->units[0] = sp_support_unit(0, 256, 0, false);
    for (size_t k = 1; k <= count; k++) {
        size_t at = k * 256 + 'a', base = (k + 1) * 256;
        array->units[at] = sp_support_unit(at, base, 'a', true);
        array->units[base] = 0x80000000u | value;
    }
    return array;
}

/* Adds a character map of the array, which is freed, and the string "b" to a normalizer_spec. */
static inline void sp_support_add_map(Buf *spec, SpArray *array, size_t units)
{
    uint32_t bytes = (uint32_t)(units * 4);
    FREED_BY(buf_free) Buf map = { 0 };

    buf_put(&map, &bytes, 4);
    buf_put(&map, array->units, bytes);
    buf_put(&map, "b", 2);
    sp_support_add_bytes(spec, 2, map.data, map.len);
    free(array);
}

static inline void sp_support_join(void *context, const char *piece, size_t len)
{
    buf_put(context, piece, len);
    buf_put_byte(context, '|');
}

/* The pieces of the text, each followed by a bar. */
static inline char *sp_support_encode(const SpModel *model, const char *text)
{
    Buf out = { 0 };
    Err err;

    buf_put(&out, "", 0);
    assert_ok(sp_shim_encode(model, (SpEdges){ 0 }, text, strlen(text), sp_support_join, &out, NULL, &err), &err);
    return out.data;
}

static inline void sp_support_check_encode(const SpModel *model, const char *text, const char *pieces)
{
    FREED char *got = sp_support_encode(model, text);

    assert_string_equal(got, pieces);
}

static inline SpModel *sp_support_open(const char *folder, Buf *model)
{
    FREED char *path = support_write_file(folder, "test.spm", model->data, model->len);
    SpModel *opened;
    Err err;

    assert_ok(READ_FILE(sp_shim_open, &opened, path, &err), &err);
    buf_free(model);
    return opened;
}

/* Opens the model while stderr and stdout go to a file, which must stay empty. */
static inline Status sp_support_open_quietly(SpModel **out, const char *folder, const char *path, Err *err)
{
    FREED char *log = support_path(folder, "printed");
    int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600), saved_out, saved_err;
    struct stat info;
    Status st;

    assert_true(fd >= 0);
    fflush(NULL);
    saved_out = dup(1);
    saved_err = dup(2);
    dup2(fd, 1);
    dup2(fd, 2);
    st = READ_FILE(sp_shim_open, out, path, err);
    fflush(NULL);
    dup2(saved_out, 1);
    dup2(saved_err, 2);
    close(saved_out);
    close(saved_err);
    assert_int_equal(fstat(fd, &info), 0);
    close(fd);
    assert_int_equal(info.st_size, 0);
    return st;
}

/* Checks that the model is refused with support_file_message(PATH, message), and frees it. */
static inline void sp_support_check_refused(const char *folder, Buf *model, const char *message)
{
    FREED char *path = support_write_file(folder, "test.spm", model->data, model->len);
    FREED char *whole = support_file_message(path, message);
    SpModel *opened;
    Err err = { { 0 } };

    assert_fails(sp_support_open_quietly(&opened, folder, path, &err), ERR_FORMAT, &err, whole);
    assert_null(opened);
    buf_free(model);
}

#endif
