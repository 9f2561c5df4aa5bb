/* sp_build.c - see sp_build.h. The head of sp_check.c lists the fields; in addition, field 1 of normalizer_spec is
 * its name. */
#include "sp_build.h"

#include <stdint.h>
#include <string.h>

enum { VARINT = 0, BYTES = 2, FIXED32 = 5 };
enum { UNIGRAM = 1, BPE = 2 };

static Status add_varint(Buf *out, uint64_t value, Err *err)
{
    unsigned char bytes[10];
    size_t count = 0;

    for (; value >= 0x80; value >>= 7) bytes[count++] = (unsigned char)(value | 0x80);
    bytes[count++] = (unsigned char)value;
    return buf_append(out, bytes, count, err);
}

static Status add_number(Buf *out, unsigned field, uint64_t value, Err *err)
{
    Status st = add_varint(out, field << 3 | VARINT, err);

    return st == OK ? add_varint(out, value, err) : st;
}

static Status add_bytes(Buf *out, unsigned field, const void *bytes, size_t count, Err *err)
{
    Status st = add_varint(out, field << 3 | BYTES, err);

    if (st == OK) st = add_varint(out, count, err);
    return st == OK && count ? buf_append(out, bytes, count, err) : st;
}

static Status add_float(Buf *out, unsigned field, float value, Err *err)
{
    unsigned char bytes[4];
    uint32_t bits;
    Status st = add_varint(out, field << 3 | FIXED32, err);

    memcpy(&bits, &value, sizeof bits);
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(bits >> 8 * i);
    return st == OK ? buf_append(out, bytes, sizeof bytes, err) : st;
}

/* The number of bytes of a value as a varint. */
static size_t varint_length(uint64_t value)
{
    size_t count = 1;

    for (; value >= 0x80; value >>= 7) count++;
    return count;
}

Status sp_build_piece(Buf *model, const char *piece, size_t len, float score, SpPieceType type, Err *err)
{
    /* 1 piece: tag, length, text; 2 score: tag, 4 bytes; 3 type: tag, 1 byte */
    size_t size = 1 + varint_length(len) + len + 5 + 2;
    Status st = add_varint(model, 1 << 3 | BYTES, err);

    if (st == OK) st = add_varint(model, size, err);
    if (st == OK) st = add_bytes(model, 1, piece, len, err);
    if (st == OK) st = add_float(model, 2, score, err);
    return st == OK ? add_number(model, 3, type, err) : st;
}

static Status add_trainer(Buf *model, const SpSettings *settings, Err *err)
{
    Buf part = { 0 };
    Status st = add_number(&part, 3, settings->bpe ? BPE : UNIGRAM, err);

    if (st == OK) st = add_number(&part, 35, settings->bytes, err);
    if (st == OK) st = add_bytes(model, 2, part.data, part.len, err);
    buf_free(&part);
    return st;
}

Status sp_build_settings(Buf *model, const SpSettings *settings, Err *err)
{
    static const char name[] = "user_defined";
    Buf part = { 0 };
    Status st = add_trainer(model, settings, err);

    if (st == OK) st = add_bytes(&part, 1, name, sizeof name - 1, err);
    if (st == OK) st = add_bytes(&part, 2, settings->charsmap->data, settings->charsmap->len, err);
    if (st == OK) st = add_number(&part, 3, settings->add_dummy_prefix, err);
    if (st == OK) st = add_number(&part, 4, settings->remove_extra_whitespaces, err);
    if (st == OK) st = add_number(&part, 5, true, err);
    if (st == OK) st = add_bytes(model, 3, part.data, part.len, err);
    buf_free(&part);
    return st;
}
