/* sp_check.c - see sp_check.h.
 * The file is a protocol buffer, ModelProto of sentencepiece_model.proto:
 *   1 pieces (repeated)   1 piece, 2 score (f32), 3 type (NORMAL 1, UNKNOWN 2,
 *                         CONTROL 3, USER_DEFINED 4, UNUSED 5, BYTE 6)
 *   2 trainer_spec        3 model_type (UNIGRAM 1, BPE 2, WORD 3, CHAR 4),
 *                         35 byte_fallback
 *   3 normalizer_spec     2 precompiled_charsmap, 3 add_dummy_prefix
 *   4 self_test_data
 *   5 denormalizer_spec   as normalizer_spec
 * A field number is followed by a wire type: 0 varint, 1 eight bytes,
 * 2 length and bytes, 5 four bytes. Groups (3, 4) are long gone. */
#include "sp_check.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "str_map.h"
#include "utf8.h"

/* The largest model in use has 5 MB. What is made of a file is up to 50 times
 * its size, and SentencePiece counts in int. */
#define MAX_FILE_BYTES  ((size_t)1 << 26)
#define MAX_PIECES      ((size_t)1 << 24)
#define MAX_PIECE_BYTES 4096
#define LFS_POINTER     "version https://git-lfs.github.com/"
/* SentencePiece takes the user-defined symbols that begin at one position
 * into an array of 64. */
#define MAX_NESTED_SYMBOLS 64

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };
enum { TYPE_NORMAL = 1, TYPE_UNKNOWN = 2, TYPE_USER_DEFINED = 4, TYPE_BYTE = 6 };

typedef struct {
    const unsigned char *at, *end;
} Wire;

typedef struct {
    uint64_t number;
    unsigned wire; /* VARINT, ... */
    uint64_t value;
    const unsigned char *data; /* BYTES and the fixed ones */
    size_t len;
} Field;

/* One check of one file. */
typedef struct {
    const char *path;
    SpTraits *traits;
    StrMap *symbols; /* the user-defined ones */
    size_t unknowns;
    bool is_unigram;
    Err *err;
} Check;

static bool read_varint(Wire *wire, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; shift < 64 && wire->at < wire->end; shift += 7) {
        unsigned char byte = *wire->at++;
        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return true;
    }
    return false;
}

static bool read_field(Wire *wire, Field *field)
{
    uint64_t tag, count;

    *field = (Field){ 0 };
    if (!read_varint(wire, &tag)) return false;
    field->number = tag >> 3;
    field->wire = tag & 7;
    if (field->number == 0 || field->number > 536870911) return false;
    switch (field->wire) {
    case VARINT:
        return read_varint(wire, &field->value);
    case FIXED64:
        count = 8;
        break;
    case FIXED32:
        count = 4;
        break;
    case BYTES:
        if (!read_varint(wire, &count)) return false;
        break;
    default:
        return false;
    }
    if (count > (uint64_t)(wire->end - wire->at)) return false;
    field->data = wire->at;
    field->len = (size_t)count;
    wire->at += count;
    return true;
}

static Status fault(const Check *check, const char *what)
{
    return err_set(check->err, ERR_FORMAT, "%s: broken SentencePiece model: %s", check->path, what);
}

/* The fields of one piece; the last of several counts. */
typedef struct {
    const char *text;
    size_t len;
    float score;
    uint64_t type;
} Piece;

static bool read_piece(Field field, Piece *piece)
{
    Wire wire = { field.data, field.data + field.len };
    Field part;

    *piece = (Piece){ .type = TYPE_NORMAL };
    while (wire.at < wire.end) {
        if (!read_field(&wire, &part)) return false;
        if (part.number == 1 && part.wire == BYTES) {
            piece->text = (const char *)part.data;
            piece->len = part.len;
        } else if (part.number == 2 && part.wire == FIXED32) {
            uint32_t bits = (uint32_t)part.data[0] | (uint32_t)part.data[1] << 8 | (uint32_t)part.data[2] << 16 |
                            (uint32_t)part.data[3] << 24;
            memcpy(&piece->score, &bits, sizeof bits);
        } else if (part.number == 3 && part.wire == VARINT) {
            piece->type = part.value;
        } else if (part.number <= 3) {
            return false;
        }
    }
    return true;
}

static bool well_formed(const char *text, size_t len)
{
    uint32_t code;

    for (size_t i = 0; i < len;) {
        i += utf8_next(text + i, len - i, &code);
        if (code == UTF8_INVALID || code == 0) return false;
    }
    return true;
}

static Status check_piece(Check *check, Field field)
{
    size_t index = check->traits->pieces++;
    const char *what = NULL;
    Piece piece;
    bool added;

    if (index >= MAX_PIECES) return fault(check, "too many pieces");
    if (field.wire != BYTES || !read_piece(field, &piece))
        what = "cannot be read";
    else if (piece.len == 0)
        what = "is empty";
    else if (piece.len > MAX_PIECE_BYTES)
        what = "is too long";
    else if (!well_formed(piece.text, piece.len))
        what = "is not UTF-8 text";
    else if (!isfinite(piece.score))
        what = "has a score that is not a number";
    else if (piece.type < TYPE_NORMAL || piece.type > TYPE_BYTE)
        what = "has an unknown type";
    if (what) {
        return err_set(check->err, ERR_FORMAT, "%s: broken SentencePiece model: piece %zu %s", check->path, index,
                       what);
    }
    if (piece.type == TYPE_UNKNOWN) check->unknowns++;
    if (check->is_unigram && (piece.type == TYPE_NORMAL || piece.type == TYPE_USER_DEFINED)) {
        Status st = unigram_add(check->traits->unigram, piece.text, piece.len, piece.score,
                                piece.type == TYPE_USER_DEFINED, check->err);
        if (st != OK) return st;
    }
    if (piece.type != TYPE_USER_DEFINED) return OK;
    return str_map_add(check->symbols, piece.text, piece.len, 0, &added, check->err);
}

/* The symbols are complete when every piece has been seen, so each is looked
 * at in a second pass over the file. */
static Status check_nesting(Check *check, Field field)
{
    size_t nested = 0;
    Piece piece;

    if (!read_piece(field, &piece) || piece.type != TYPE_USER_DEFINED) return OK;
    for (size_t len = 1; len <= piece.len; len++)
        if (str_map_get(check->symbols, piece.text, len, -1) == 0) nested++;
    return nested > MAX_NESTED_SYMBOLS ? fault(check, "too many user-defined symbols begin alike") : OK;
}

/* Whether the model's kind is unigram, as it is when nothing is said. The
 * trainer_spec comes behind the pieces, which need to know. */
static bool find_kind(Wire wire)
{
    bool unigram = true;
    Field field, part;

    while (read_field(&wire, &field)) {
        Wire inner = { field.data, field.data + field.len };
        if (field.number != 2 || field.wire != BYTES) continue;
        while (read_field(&inner, &part))
            if (part.number == 3) unigram = part.value == 1;
    }
    return unigram;
}

static Status check_trainer(Check *check, Field field)
{
    Wire wire = { field.data, field.data + field.len };
    Field part;

    while (wire.at < wire.end) {
        if (!read_field(&wire, &part)) return fault(check, "its trainer_spec cannot be read");
        if (part.number == 3 && (part.wire != VARINT || part.value < 1 || part.value > 4))
            return fault(check, "its model_type is unknown");
        if (part.number == 35 && part.wire == VARINT) check->traits->bytes = part.value != 0;
    }
    return OK;
}

/* normalizer_spec or denormalizer_spec. */
static Status check_normalizer(Check *check, Field field, bool *adds_prefix)
{
    Wire wire = { field.data, field.data + field.len };
    bool seen = false;
    Field part;

    while (wire.at < wire.end) {
        if (!read_field(&wire, &part)) return fault(check, "its normalizer_spec cannot be read");
        if (part.number == 3 && part.wire == VARINT) *adds_prefix = part.value != 0;
        if (part.number != 2) continue;
        if (part.wire != BYTES || seen) return fault(check, "its normalizer_spec cannot be read");
        seen = true;
        if (part.len) {
            size_t longest;
            const char *what = sp_charsmap_fault(part.data, part.len, &longest);
            if (what) return fault(check, what);
            if (longest > check->traits->longest_replacement) check->traits->longest_replacement = longest;
        }
    }
    return OK;
}

/* One field of the file; `seen` has a bit for each that may be there once. */
static Status check_field(Check *check, Field field, unsigned *seen)
{
    bool ignored = false;

    if (field.number == 1) return check_piece(check, field);
    if (field.number > 5) return OK;
    if (field.wire != BYTES) return fault(check, "a field has a wrong type");
    if (*seen & 1u << field.number) return fault(check, "a section is there twice");
    *seen |= 1u << field.number;
    if (field.number == 2) return check_trainer(check, field);
    if (field.number == 3) return check_normalizer(check, field, &check->traits->adds_prefix);
    if (field.number == 5) return check_normalizer(check, field, &ignored);
    return OK;
}

static Status check_fields(Check *check, Wire wire, Buf *model)
{
    const unsigned char *start = wire.at;
    unsigned seen = 0;
    Status st = OK;
    Field field;

    while (st == OK && wire.at < wire.end) {
        const unsigned char *at = wire.at;
        if (!read_field(&wire, &field)) {
            return err_set(check->err, ERR_FORMAT, "%s: not a SentencePiece model: unreadable at byte %zu of %zu",
                           check->path, (size_t)(at - start), (size_t)(wire.end - start));
        }
        st = check_field(check, field, &seen);
        if (st == OK && field.number != 4) st = buf_append(model, at, (size_t)(wire.at - at), check->err);
    }
    return st;
}

Status sp_check_model(const unsigned char *data, size_t size, const char *path, Buf *model, SpTraits *traits, Err *err)
{
    Check check = { .path = path, .traits = traits, .err = err };
    Wire wire = { data, data + size };
    Status st;
    Field field;

    *traits = (SpTraits){ .adds_prefix = true, .longest_replacement = 4 };
    if (size == 0) return err_set(err, ERR_FORMAT, "%s: is empty", path);
    check.is_unigram = find_kind(wire);
    if (size >= strlen(LFS_POINTER) && memcmp(data, LFS_POINTER, strlen(LFS_POINTER)) == 0)
        return err_set(err, ERR_FORMAT, "%s: is a Git LFS pointer, not the file itself: run \"git lfs pull\"", path);
    if (size > MAX_FILE_BYTES)
        return err_set(err, ERR_FORMAT, "%s: not a SentencePiece model: %zu bytes are too many", path, size);
    st = str_map_new(&check.symbols, err);
    if (st == OK) st = unigram_new(&traits->unigram, err);
    if (st == OK) st = check_fields(&check, wire, model);
    if (st == OK && traits->pieces == 0)
        st = err_set(err, ERR_FORMAT, "%s: not a SentencePiece model: no pieces", path);
    if (st == OK && check.unknowns != 1) st = fault(&check, "it needs exactly one unknown piece");
    while (st == OK && str_map_count(check.symbols) && read_field(&wire, &field))
        if (field.number == 1) st = check_nesting(&check, field);
    str_map_free(check.symbols);
    if (st != OK || !check.is_unigram) {
        unigram_free(traits->unigram);
        traits->unigram = NULL;
    }
    return st;
}
