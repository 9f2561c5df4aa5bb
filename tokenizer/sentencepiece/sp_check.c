/* sp_check.c - see sp_check.h.
 * The file is a protocol buffer, ModelProto of sentencepiece_model.proto:
 *   1 pieces (repeated)   1 piece, 2 score (f32), 3 type (NORMAL 1, UNKNOWN 2,
 *                         CONTROL 3, USER_DEFINED 4, UNUSED 5, BYTE 6)
 *   2 trainer_spec        3 model_type (UNIGRAM 1, BPE 2, WORD 3, CHAR 4),
 *                         24 treat_whitespace_as_suffix, 35 byte_fallback,
 *                         44 unk_surface
 *   3 normalizer_spec     2 precompiled_charsmap, 3 add_dummy_prefix,
 *                         4 remove_extra_whitespaces, 5 escape_whitespaces
 *   4 self_test_data
 *   5 denormalizer_spec   as normalizer_spec */
#include "sp_check.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "file_kind.h"
#include "utf8.h"
#include "wire.h"

/* The largest model in use has 5 MB. The data made from a file can be 50 times its size, and SentencePiece counts in
 * int. */
#define MAX_FILE_BYTES ((size_t)1 << 26)
#define MAX_PIECES     ((size_t)1 << 24)
/* Size of SentencePiece's array for the user-defined symbols that begin at one position. */
#define MAX_NESTED_SYMBOLS 64
/* SentencePiece's default for unk_surface. */
#define UNKNOWN_TEXT " \xe2\x81\x87 "

/* One check of one file. */
typedef struct {
    const char *path;
    SpTraits *traits;
    Buf *model;                /* the bytes for libsentencepiece */
    Wire whole;                /* the file */
    size_t types[SP_BYTE + 1]; /* number of pieces of each type */
    bool found[256];           /* byte pieces */
    Err *err;
} Check;

static Status fault(const Check *check, const char *what)
{
    return err_set(check->err, ERR_FORMAT, "%s: broken SentencePiece model: %s", check->path, what);
}

static Status piece_fault(const Check *check, size_t index, const char *what)
{
    return err_set(check->err, ERR_FORMAT, "%s: broken SentencePiece model: piece %zu %s", check->path, index, what);
}

/* The fields of one piece; of a repeated field the last one counts. */
typedef struct {
    const char *text;
    size_t len;
    float score;
    uint64_t type;
} Piece;

static bool read_piece(const WireField *field, Piece *piece)
{
    Wire wire = wire_of(field);
    WireField part;

    *piece = (Piece){ .type = SP_NORMAL };
    while (wire.at < wire.end) {
        if (!wire_read(&wire, &part)) return false;
        if (part.number == 1 && part.wire == WIRE_BYTES) {
            piece->text = (const char *)part.data;
            piece->len = part.len;
        } else if (part.number == 2 && part.wire == WIRE_FIXED32) {
            piece->score = wire_float(&part);
        } else if (part.number == 3 && part.wire == WIRE_VARINT) {
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
        code = (unsigned char)text[i];
        i += code < 0x80 ? 1 : utf8_next(text + i, len - i, &code);
        if (code == UTF8_INVALID || code == 0) return false;
    }
    return true;
}

int sp_byte_of(const char *piece, size_t len)
{
    static const char digits[] = "0123456789ABCDEF";
    const char *high, *low;

    if (len != 6 || memcmp(piece, "<0x", 3) != 0 || piece[5] != '>') return -1;
    high = memchr(digits, piece[3], 16);
    low = memchr(digits, piece[4], 16);
    return high && low ? (int)((high - digits) * 16 + (low - digits)) : -1;
}

/* Returns the fault of a piece, or NULL. */
static const char *piece_problem(const Piece *piece)
{
    if (piece->len == 0) return "is empty";
    if (piece->len > SP_PIECE_MAX) return "is too long";
    if (!well_formed(piece->text, piece->len)) return "is not UTF-8 text";
    if (!isfinite(piece->score)) return "has a score that is not a number";
    if (piece->type < SP_NORMAL || piece->type > SP_BYTE) return "has an unknown type";
    if (piece->type == SP_BYTE && sp_byte_of(piece->text, piece->len) < 0) return "is not a byte <0xNN>";
    return NULL;
}

static Status check_piece(Check *check, const WireField *field)
{
    size_t index = sp_pieces_count(check->traits->pieces);
    const char *what;
    Piece piece;

    if (index >= MAX_PIECES) return fault(check, "too many pieces");
    if (field->wire != WIRE_BYTES || !read_piece(field, &piece)) return piece_fault(check, index, "cannot be read");
    what = piece_problem(&piece);
    if (what) return piece_fault(check, index, what);
    check->types[piece.type]++;
    if (piece.type == SP_BYTE) check->found[sp_byte_of(piece.text, piece.len)] = true;
    return sp_pieces_add(check->traits->pieces, piece.text, piece.len, piece.score, (SpPieceType)piece.type,
                         check->err);
}

static Status check_trainer(Check *check, const WireField *field)
{
    Wire wire = wire_of(field);
    SpTraits *traits = check->traits;
    WireField part;

    while (wire.at < wire.end) {
        if (!wire_read(&wire, &part)) return fault(check, "its trainer_spec cannot be read");
        if (part.number == 3) {
            if (part.wire != WIRE_VARINT || part.value < SP_UNIGRAM || part.value > SP_CHAR)
                return fault(check, "its model_type is unknown");
            traits->kind = (SpKind)part.value;
        }
        if (part.number == 24 && part.wire == WIRE_VARINT) traits->treat_whitespace_as_suffix = part.value != 0;
        if (part.number == 35 && part.wire == WIRE_VARINT) traits->bytes = part.value != 0;
        if (part.number == 44 && part.wire == WIRE_BYTES) {
            free(traits->unk_surface);
            traits->unk_surface = strndup((const char *)part.data, part.len);
            if (!traits->unk_surface) return err_memory(check->err, "SentencePiece");
        }
    }
    return OK;
}

/* The fields of normalizer_spec or denormalizer_spec. */
typedef struct {
    bool add_dummy_prefix, remove_extra_whitespaces, escape_whitespaces;
    const unsigned char *map; /* [map_len] */
    size_t map_len;
} Normalizer;

static Status check_normalizer(Check *check, const WireField *field, Normalizer *spec)
{
    Wire wire = wire_of(field);
    bool seen = false;
    WireField part;

    while (wire.at < wire.end) {
        if (!wire_read(&wire, &part)) return fault(check, "its normalizer_spec cannot be read");
        if (part.number == 3 && part.wire == WIRE_VARINT) spec->add_dummy_prefix = part.value != 0;
        if (part.number == 4 && part.wire == WIRE_VARINT) spec->remove_extra_whitespaces = part.value != 0;
        if (part.number == 5 && part.wire == WIRE_VARINT) spec->escape_whitespaces = part.value != 0;
        if (part.number != 2) continue;
        if (part.wire != WIRE_BYTES || seen) return fault(check, "its normalizer_spec cannot be read");
        seen = true;
        spec->map = part.data;
        spec->map_len = part.len;
        if (part.len) {
            size_t longest;
            const char *what = sp_charsmap_fault(part.data, part.len, &longest);
            if (what) return fault(check, what);
            if (longest > check->traits->longest_replacement) check->traits->longest_replacement = longest;
        }
    }
    return OK;
}

static Status check_section(Check *check, const WireField *field)
{
    SpTraits *traits = check->traits;
    Normalizer spec = { .add_dummy_prefix = true, .remove_extra_whitespaces = true, .escape_whitespaces = true };
    Status st;

    if (field->number == 2) return check_trainer(check, field);
    if (field->number == 4) return OK;
    st = check_normalizer(check, field, &spec);
    if (field->number == 5) {
        traits->denormalizer.add_dummy_prefix = spec.add_dummy_prefix;
        traits->denormalizer.remove_extra_whitespaces = spec.remove_extra_whitespaces;
        traits->denormalizer.escape_whitespaces = spec.escape_whitespaces;
        return st == OK && spec.map_len ? buf_append(&traits->denormalizer.map, spec.map, spec.map_len, check->err)
                                        : st;
    }
    traits->add_dummy_prefix = spec.add_dummy_prefix;
    traits->remove_extra_whitespaces = spec.remove_extra_whitespaces;
    traits->escape_whitespaces = spec.escape_whitespaces;
    return st == OK && spec.map_len ? buf_append(&traits->map, spec.map, spec.map_len, check->err) : st;
}

/* Each of the sections 2 to 5 may occur only once. */
static Status check_fields(Check *check)
{
    Wire wire = check->whole;
    unsigned seen = 0;
    Status st = OK;
    WireField field;

    while (st == OK && wire.at < wire.end) {
        const unsigned char *at = wire.at;
        if (!wire_read(&wire, &field)) {
            return err_set(check->err, ERR_FORMAT, "%s: not a SentencePiece model: unreadable at byte %zu of %zu",
                           check->path, (size_t)(at - check->whole.at), (size_t)(check->whole.end - check->whole.at));
        }
        if (field.number == 1) st = check_piece(check, &field);
        if (field.number == 1 || field.number > 5) continue;
        if (field.wire != WIRE_BYTES) return fault(check, "a field has a wrong type");
        if (seen & 1u << field.number) return fault(check, "a section appears twice");
        seen |= 1u << field.number;
        st = check_section(check, &field);
    }
    return st;
}

static Status check_nesting(const Check *check)
{
    const SpPieces *pieces = check->traits->pieces;

    for (size_t i = 0; check->types[SP_USER_DEFINED] && i < sp_pieces_count(pieces); i++) {
        const char *text = sp_pieces_text(pieces, (int32_t)i);
        SpWalk walk = sp_pieces_walk(pieces, text, strlen(text));
        size_t nested = 0;
        int32_t id;
        if (sp_pieces_type(pieces, (int32_t)i) != SP_USER_DEFINED) continue;
        while ((id = sp_pieces_next(&walk)) >= 0) nested += sp_pieces_type(pieces, id) == SP_USER_DEFINED;
        if (nested > MAX_NESTED_SYMBOLS) return fault(check, "too many user-defined symbols share a prefix");
    }
    return OK;
}

static Status check_bytes(const Check *check)
{
    bool all = true;

    for (size_t i = 0; i < 256; i++) all = all && check->found[i];
    if (check->types[SP_BYTE] && !check->traits->bytes)
        return fault(check, "it has byte pieces but byte_fallback is off");
    return all || !check->traits->bytes ? OK : fault(check, "a byte piece is missing");
}

/* Checks the pieces as a whole. */
static Status check_pieces(Check *check)
{
    SpPieces *pieces = check->traits->pieces;
    int32_t duplicate;
    Status st;

    if (sp_pieces_count(pieces) == 0)
        return err_set(check->err, ERR_FORMAT, "%s: not a SentencePiece model: no pieces", check->path);
    if (check->types[SP_UNKNOWN] != 1) return fault(check, "it needs exactly one unknown piece");
    if (check->types[SP_NORMAL] + check->types[SP_USER_DEFINED] + check->types[SP_UNUSED] == 0)
        return fault(check, "no piece can occur in a text");
    st = sp_pieces_complete(pieces, &duplicate, check->err);
    check->traits->unused = check->types[SP_UNUSED] > 0;
    if (st == OK && duplicate >= 0) st = piece_fault(check, (size_t)duplicate, "appears twice");
    if (st == OK) st = check_bytes(check);
    return st == OK ? check_nesting(check) : st;
}

bool sp_check_can_encode(const SpTraits *traits)
{
    return traits->kind == SP_UNIGRAM || (traits->kind == SP_BPE && !traits->unused);
}

/* Copies everything except the self-test. */
static Status copy_whole(Check *check)
{
    Wire wire = check->whole;
    const unsigned char *at = wire.at;
    Status st = OK;
    WireField field;

    for (; st == OK && at < wire.end && wire_read(&wire, &field); at = wire.at)
        if (field.number != 4) st = buf_append(check->model, at, (size_t)(wire.at - at), check->err);
    return st;
}

Status sp_check_model(const unsigned char *data, size_t size, const char *path, Buf *model, SpTraits *traits, Err *err)
{
    Check check = { .path = path, .traits = traits, .model = model, .err = err };
    const MappedFile file = { .data = data, .size = size };
    Status st = file_kind_check(&file, path, "a SentencePiece model", err);

    if (st != OK) return st;
    if (size > MAX_FILE_BYTES)
        return err_set(err, ERR_FORMAT, "%s: not a SentencePiece model: the file is too large (%zu bytes)", path, size);
    *traits = (SpTraits){ .kind = SP_UNIGRAM,
                          .add_dummy_prefix = true,
                          .remove_extra_whitespaces = true,
                          .escape_whitespaces = true,
                          .longest_replacement = 4 };
    traits->unk_surface = strdup(UNKNOWN_TEXT);
    if (!traits->unk_surface) return err_memory(err, "SentencePiece");
    check.whole = (Wire){ data, data + size };
    st = sp_pieces_new(&traits->pieces, err);
    if (st == OK) st = check_fields(&check);
    if (st == OK) st = check_pieces(&check);
    return st == OK && !sp_check_can_encode(traits) ? copy_whole(&check) : st;
}

void sp_traits_free(SpTraits *traits)
{
    sp_pieces_free(traits->pieces);
    free(traits->unk_surface);
    buf_free(&traits->map);
    buf_free(&traits->denormalizer.map);
    *traits = (SpTraits){ 0 };
}
