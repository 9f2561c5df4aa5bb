/* sp_check.c - see sp_model.h: validates a SentencePiece model.
 * The file is a protocol buffer, ModelProto of sentencepiece_model.proto:
 *   1 pieces (repeated)   1 piece, 2 score (f32), 3 type (NORMAL 1, UNKNOWN 2,
 *                         CONTROL 3, USER_DEFINED 4, UNUSED 5, BYTE 6)
 *   2 trainer_spec        3 model_type (UNIGRAM 1, BPE 2, WORD 3, CHAR 4),
 *                         24 treat_whitespace_as_suffix, 35 byte_fallback,
 *                         44 unk_surface
 *   3 normalizer_spec     2 precompiled_charsmap, 3 add_dummy_prefix,
 *                         4 remove_extra_whitespaces, 5 escape_whitespaces
 *   4 self_test_data
 *   5 denormalizer_spec   as normalizer_spec
 * A field number comes with a wire type: 0 varint, 1 eight bytes, 2 length and bytes, 5 four bytes. Groups (3, 4) are
 * obsolete and rejected. */
#include "sp_model.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "file_kind.h"
#include "utf8.h"

/* --- Fields of a protocol buffer. --- */

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

typedef struct {
    uint64_t number;
    unsigned wire; /* WIRE_VARINT, ... */
    uint64_t value;
    const unsigned char *data; /* WIRE_BYTES, WIRE_FIXED32 and WIRE_FIXED64 */
    size_t len;
} WireField;

static bool read_varint(ByteReader *wire, uint64_t *out)
{
    if (bytes_left(wire) && wire->data[wire->at] < 0x80) { /* the usual case: one byte */
        *out = wire->data[wire->at++];
        return true;
    }
    *out = 0;
    for (unsigned shift = 0; shift < 64 && bytes_left(wire); shift += 7) {
        const unsigned char byte = wire->data[wire->at++];
        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return true;
    }
    return false;
}

/* Reads one field and moves past it. Returns false if the bytes are not a complete field; wire->at is then
 * undefined. */
static bool wire_read(ByteReader *wire, WireField *field)
{
    uint64_t tag, count;

    *field = (WireField){ 0 };
    if (!read_varint(wire, &tag)) return false;
    field->number = tag >> 3;
    field->wire = tag & 7;
    if (field->number == 0 || field->number > 536870911) return false;
    switch (field->wire) {
    case WIRE_VARINT:
        return read_varint(wire, &field->value);
    case WIRE_FIXED64:
        count = 8;
        break;
    case WIRE_FIXED32:
        count = 4;
        break;
    case WIRE_BYTES:
        if (!read_varint(wire, &count)) return false;
        break;
    default:
        return false;
    }
    field->len = (size_t)count;
    return bytes_take(wire, count, &field->data);
}

/* The bytes of a WIRE_BYTES field, to be read as a message. */
static ByteReader wire_of(const WireField *field)
{
    return (ByteReader){ .data = field->data, .size = field->len };
}

/* --- The character map.
 * The trie is a double array (darts-clone) of u32 units. From the node in unit i, whose children start at base b = i
 * ^ offset(unit i), the byte c leads to unit b ^ c if the label there is c. A node with bit 8 set ends a key; unit b
 * then holds the key's value in 31 bits: the offset of its replacement in the strings.
 *     offset = (unit >> 10) << (bit 9 ? 8 : 0), label = unit & 0x800000ff
 * Nodes with the same ending share a base, so the nodes form a graph; the check visits each base once. --- */

#define MAX_MATCHES     32   /* size of SentencePiece's array for the matches at one position */
#define MAX_KEY         1024 /* bytes; limits the recursion */
#define MAX_REPLACEMENT 512  /* bytes; limits the growth of a text */
#define ON_PATH         UCHAR_MAX
#define LABEL_BITS      0x800000ffu

typedef struct {
    const unsigned char *units;
    size_t count;
    const char *strings;
    size_t strings_len;
    size_t longest;
    uint32_t *first, *next; /* index + 1 of a base's first child, and of the next child with the same base; 0: none */
    unsigned char *matches; /* [count], count_matches() of each base, + 1; 0: not visited */
    const char *fault;
} Trie;

static uint32_t unit_at(const Trie *trie, size_t i)
{
    return (uint32_t)bytes_number(trie->units + 4 * i, 4);
}

static size_t unit_base(uint32_t unit, size_t i)
{
    return i ^ ((size_t)(unit >> 10) << ((unit & 1u << 9) >> 6));
}

static size_t trie_error(Trie *trie, const char *fault)
{
    trie->fault = fault;
    return 0;
}

/* The largest number of keys that end on one path down from `base`. */
static size_t count_matches(Trie *trie, size_t base, size_t depth)
{
    size_t most = 0;

    if ((base | 0xff) >= trie->count) return trie_error(trie, "the character map points outside itself");
    if (trie->matches[base] == ON_PATH || depth > MAX_KEY)
        return trie_error(trie, "a rule of the character map is too long or endless");
    if (trie->matches[base]) return trie->matches[base] - 1u;
    trie->matches[base] = ON_PATH;
    for (size_t next = trie->first[base]; next && !trie->fault; next = trie->next[next - 1]) {
        uint32_t unit = unit_at(trie, next - 1);
        size_t child = unit_base(unit, next - 1), below, ends = unit >> 8 & 1;
        below = ends + count_matches(trie, child, depth + 1);
        if (below > most) most = below;
        if (!trie->fault && ends) { /* the value of the key */
            const size_t value = unit_at(trie, child) & 0x7fffffff;
            if (value < trie->strings_len) {
                const size_t len = strnlen(trie->strings + value, trie->strings_len - value);
                if (len > trie->longest) trie->longest = len;
                if (len > MAX_REPLACEMENT) trie->fault = "a replacement in the character map is too long";
            } else {
                trie->fault = "a replacement lies outside the character map";
            }
        }
    }
    if (most > MAX_MATCHES) return trie_error(trie, "too many rules of the character map share a prefix");
    trie->matches[base] = (unsigned char)(most + 1);
    return most;
}

static const char NO_MEMORY[] = "out of memory for the character map";

const char *sp_charsmap_fault(const unsigned char *map, size_t size, size_t *longest)
{
    Trie trie = { 0 };
    size_t bytes;

    *longest = 0;
    if (size < 4) return "the character map is truncated";
    bytes = (uint32_t)bytes_number(map, 4);
    if (bytes > size - 4 || bytes == size - 4) return "the character map is truncated";
    if (bytes < 1024 || bytes % 4) return "the trie of the character map has a wrong size";
    trie.units = map + 4;
    trie.count = bytes / 4;
    trie.strings = (const char *)map + 4 + bytes;
    trie.strings_len = size - 4 - bytes;
    trie.matches = calloc(trie.count, 1);
    trie.first = calloc(trie.count, sizeof *trie.first);
    trie.next = calloc(trie.count, sizeof *trie.next);
    if (trie.matches && trie.first && trie.next) {
        /* A child's index and label give the base that leads to it, so one pass over all units finds the children of
         * every base. */
        for (size_t i = trie.count; i-- > 0;) {
            uint32_t unit = unit_at(&trie, i);
            size_t base = i ^ (unit & 0xff);
            if ((unit & LABEL_BITS) > 0xff || base >= trie.count) continue;
            trie.next[i] = trie.first[base];
            trie.first[base] = (uint32_t)i + 1;
        }
        (void)count_matches(&trie, unit_base(unit_at(&trie, 0), 0), 0);
    } else {
        trie.fault = NO_MEMORY;
    }
    free(trie.matches);
    free(trie.first);
    free(trie.next);
    *longest = trie.longest;
    return trie.fault;
}

size_t sp_charsmap_match(const Buf *map, const char *text, size_t len, const char **to, size_t *to_len)
{
    const unsigned char *bytes = (const unsigned char *)map->data;
    const Trie trie = { .units = bytes + 4 };
    const char *strings = map->data + 4 + (uint32_t)bytes_number(bytes, 4);
    size_t base = unit_base(unit_at(&trie, 0), 0), longest = 0;

    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        uint32_t unit = unit_at(&trie, base ^ c);
        if ((unit & LABEL_BITS) != c) break;
        base = unit_base(unit, base ^ c);
        if (!(unit >> 8 & 1)) continue;
        longest = i + 1;
        *to = strings + (unit_at(&trie, base) & 0x7fffffff);
    }
    if (longest) *to_len = strnlen(*to, (size_t)(map->data + map->len - *to));
    return longest;
}

/* --- The file. --- */

/* The largest model in use has 5 MB. The data made from a file can be 50 times its size, and SentencePiece counts bytes
 * in int. */
#define MAX_FILE_BYTES ((size_t)1 << 26)
#define MAX_PIECES     ((size_t)1 << 24)
/* Size of SentencePiece's array for the user-defined symbols that begin at one position. */
#define MAX_NESTED_SYMBOLS 64
/* SentencePiece's default for unk_surface. */
#define UNKNOWN_TEXT " \xe2\x81\x87 "

typedef struct {
    const char *path;
    const SpTraits *twin; /* NULL: none; see sp_check_model() */
    SpTraits *traits;
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
} PieceFields;

static bool read_piece(const WireField *field, PieceFields *piece)
{
    ByteReader wire = wire_of(field);
    WireField part;

    *piece = (PieceFields){ .type = SP_NORMAL };
    if (field->wire != WIRE_BYTES) return false;
    while (bytes_left(&wire)) {
        if (!wire_read(&wire, &part)) return false;
        if (part.number == 1 && part.wire == WIRE_BYTES) {
            piece->text = (const char *)part.data;
            piece->len = part.len;
        } else if (part.number == 2 && part.wire == WIRE_FIXED32) {
            piece->score = bytes_float(part.data);
        } else if (part.number == 3 && part.wire == WIRE_VARINT) {
            piece->type = part.value;
        } else if (part.number <= 3) {
            return false;
        }
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

static Status check_piece(const Check *check, const WireField *field)
{
    const size_t index = check->traits->pieces->count;
    const char *what = NULL;
    PieceFields piece;

    if (index >= MAX_PIECES) return fault(check, "too many pieces");
    if (!read_piece(field, &piece))
        what = "cannot be read";
    else if (piece.len == 0)
        what = "is empty";
    else if (piece.len > SP_PIECE_MAX)
        what = "is too long";
    else if (utf8_clean_length(piece.text, piece.len) < piece.len)
        what = "is not UTF-8 text";
    else if (!isfinite(piece.score))
        what = "has a score that is not a number";
    else if (piece.type < SP_NORMAL || piece.type > SP_BYTE)
        what = "has an unknown type";
    else if (piece.type == SP_BYTE && sp_byte_of(piece.text, piece.len) < 0)
        what = "is not a byte <0xNN>";
    if (what) return piece_fault(check, index, what);
    return sp_pieces_add(check->traits->pieces, piece.text, piece.len, piece.score, (SpPieceType)piece.type,
                         check->err);
}

/* True if the twin has the same map. Its longest replacement is that of this map if it has no other map. */
static bool is_known(const Check *check, const Buf *map)
{
    const SpTraits *twin = check->twin;

    return twin && twin->normalizer.map.len == map->len && !twin->denormalizer.map.len &&
           memcmp(twin->normalizer.map.data, map->data, map->len) == 0;
}

static Status check_map(const Check *check, const SpNormalizer *normalizer)
{
    const Buf *map = &normalizer->map;
    size_t longest = 0;
    const char *what = NULL;

    if (map->len && is_known(check, map))
        longest = check->twin->longest_replacement;
    else if (map->len)
        what = sp_charsmap_fault((const unsigned char *)map->data, map->len, &longest);
    if (what == NO_MEMORY) return err_memory(check->err, "the character map");
    if (what) return fault(check, what);
    if (longest > check->traits->longest_replacement) check->traits->longest_replacement = longest;
    return OK;
}

/* Reads normalizer_spec or denormalizer_spec. */
static Status read_normalizer(const Check *check, const WireField *field, SpNormalizer *out)
{
    ByteReader wire = wire_of(field);
    bool seen = false;
    WireField part;
    Status st;

    while (bytes_left(&wire)) {
        if (!wire_read(&wire, &part)) return fault(check, "its normalizer_spec cannot be read");
        if (part.number == 3 && part.wire == WIRE_VARINT) out->add_dummy_prefix = part.value != 0;
        if (part.number == 4 && part.wire == WIRE_VARINT) out->remove_extra_whitespaces = part.value != 0;
        if (part.number == 5 && part.wire == WIRE_VARINT) out->escape_whitespaces = part.value != 0;
        if (part.number != 2) continue;
        if (part.wire != WIRE_BYTES || seen) return fault(check, "its normalizer_spec cannot be read");
        seen = true;
        buf_put(&out->map, part.data, part.len);
        st = buf_check(&out->map, check->err);
        if (st == OK) st = check_map(check, out);
        if (st != OK) return st;
    }
    return OK;
}

static Status read_trainer(const Check *check, const WireField *field)
{
    SpTraits *traits = check->traits;
    ByteReader wire = wire_of(field);
    WireField part;

    while (bytes_left(&wire)) {
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

/* Reads the whole file. Each of the sections 2 to 5 may occur only once. */
static Status read_fields(const Check *check, ByteReader wire)
{
    SpTraits *traits = check->traits;
    unsigned seen = 0;
    Status st = OK;
    WireField field;

    while (st == OK && bytes_left(&wire)) {
        const size_t at = wire.at;
        if (!wire_read(&wire, &field))
            return err_set(check->err, ERR_FORMAT, "%s: not a SentencePiece model: unreadable at byte %zu of %zu",
                           check->path, at, wire.size);
        if (field.number == 1) st = check_piece(check, &field);
        if (field.number == 1 || field.number > 5) continue;
        if (field.wire != WIRE_BYTES) return fault(check, "a field has a wrong type");
        if (seen & 1u << field.number) return fault(check, "a section appears twice");
        seen |= 1u << field.number;
        if (field.number == 2) st = read_trainer(check, &field);
        if (field.number == 3) st = read_normalizer(check, &field, &traits->normalizer);
        if (field.number == 5) st = read_normalizer(check, &field, &traits->denormalizer);
    }
    return st;
}

/* Completes the pieces and checks them as a whole. */
static Status check_pieces(const Check *check)
{
    SpPieces *pieces = check->traits->pieces;
    size_t types[SP_BYTE + 1] = { 0 }; /* number of pieces of each type */
    int32_t duplicate;
    Status st;

    if (pieces->count == 0)
        return err_set(check->err, ERR_FORMAT, "%s: not a SentencePiece model: no pieces", check->path);
    for (size_t i = 0; i < pieces->count; i++) types[pieces->list[i].type]++;
    if (types[SP_UNKNOWN] != 1 && (types[SP_UNKNOWN] || !(check->traits->byte_level || check->traits->moses)))
        return fault(check, "it needs exactly one unknown piece");
    if (types[SP_NORMAL] + types[SP_USER_DEFINED] + types[SP_UNUSED] == 0)
        return fault(check, "no piece can occur in a text");
    st = sp_pieces_complete(pieces, &duplicate, check->err);
    check->traits->unused = types[SP_UNUSED] > 0;
    if (st == OK && duplicate >= 0) st = piece_fault(check, (size_t)duplicate, "appears twice");
    if (st != OK) return st;
    if (types[SP_BYTE] && !check->traits->bytes) return fault(check, "it has byte pieces but byte_fallback is off");
    /* The reader of a model with merges has checked which ones may be missing. */
    if (check->traits->bytes && !pieces->merges && types[SP_BYTE] < 256) return fault(check, "a byte piece is missing");
    for (size_t i = 0; types[SP_USER_DEFINED] && i < pieces->count; i++) {
        const SpPiece *piece = &pieces->list[i];
        SpWalk walk = sp_pieces_walk(pieces, pieces->text.data + piece->start, piece->len);
        size_t nested = 0;
        int32_t id;
        if (piece->type != SP_USER_DEFINED) continue;
        while ((id = sp_pieces_next(&walk)) >= 0) nested += pieces->list[id].type == SP_USER_DEFINED;
        if (nested > MAX_NESTED_SYMBOLS) return fault(check, "too many user-defined symbols share a prefix");
    }
    return OK;
}

bool sp_check_can_encode(const SpTraits *traits)
{
    return traits->kind == SP_UNIGRAM || (traits->kind == SP_BPE && !traits->unused);
}

Status sp_traits_init(SpTraits *traits, Err *err)
{
    const SpNormalizer usual = { .add_dummy_prefix = true,
                                 .remove_extra_whitespaces = true,
                                 .escape_whitespaces = true };

    *traits = (SpTraits){ .kind = SP_UNIGRAM, .normalizer = usual, .denormalizer = usual, .longest_replacement = 4 };
    traits->unk_surface = strdup(UNKNOWN_TEXT);
    return traits->unk_surface ? sp_pieces_new(&traits->pieces, err) : err_memory(err, "SentencePiece");
}

static Status add_spellings(SpTraits *traits, Err *err)
{
    const SpPieces *pieces = traits->pieces;
    Buf bytes = { 0 };

    traits->starts = calloc(pieces->count + 1, sizeof *traits->starts);
    if (!traits->starts) return err_memory(err, "the spellings of pieces");
    for (size_t i = 0; i < pieces->count; i++) {
        const char *text = sp_pieces_text(pieces, (int32_t)i);
        traits->starts[i] = (uint32_t)traits->spellings.len;
        buf_clear(&bytes);
        if (traits->byte_level)
            byte_level_put(&bytes, text);
        else
            buf_put_replaced(&bytes, text, strlen(text), MOSES_END, " ");
        buf_put_replaced(&traits->spellings, bytes.data, bytes.len, " ", SP_SPACE);
        buf_put_byte(&traits->spellings, '\0');
    }
    traits->spellings.failed |= bytes.failed;
    buf_free(&bytes);
    return buf_check(&traits->spellings, err);
}

const char *sp_piece_spelling(const SpTraits *traits, const char *piece)
{
    const int32_t id = traits->starts ? sp_pieces_find(traits->pieces, piece, strlen(piece)) : -1;

    return id < 0 ? piece : traits->spellings.data + traits->starts[id];
}

Status sp_check_traits(SpTraits *traits, const char *path, Err *err)
{
    const Check check = { .path = path, .traits = traits, .err = err };
    Status st = check_map(&check, &traits->normalizer);

    if (st == OK) st = check_pieces(&check);
    if (st != OK || !(traits->byte_level || traits->moses)) return st;
    if (traits->byte_level) byte_level_complete(traits->byte_level, traits->pieces);
    return add_spellings(traits, err);
}

Status sp_check_model(const FileView *file, const SpTraits *twin, Buf *model, SpTraits *traits, Err *err)
{
    const Check check = { .path = file->path, .twin = twin, .traits = traits, .err = err };
    const unsigned char *data = file->map.data;
    const size_t size = file->map.size;
    ByteReader wire = { .data = data, .size = size };
    WireField field;
    Status st = file_kind_check(&file->map, file->path, "a SentencePiece model", err);

    if (st != OK) return st;
    if (size > MAX_FILE_BYTES)
        return err_set(err, ERR_FORMAT, "%s: not a SentencePiece model: the file is too large (%zu bytes)", file->path,
                       size);
    st = sp_traits_init(traits, err);
    if (st == OK) st = read_fields(&check, wire);
    if (st == OK) st = check_pieces(&check);
    traits->start = traits->normalizer.add_dummy_prefix ? SP_START_PIECE : SP_START_KEPT;
    if (st != OK || sp_check_can_encode(traits)) return st;
    /* libsentencepiece gets everything except the self-test. */
    for (size_t at = 0; bytes_left(&wire) && wire_read(&wire, &field); at = wire.at)
        if (field.number != 4) buf_put(model, data + at, wire.at - at);
    return buf_check(model, err);
}

void sp_traits_free(SpTraits *traits)
{
    sp_pieces_free(traits->pieces);
    byte_level_free(traits->byte_level);
    moses_free(traits->moses);
    buf_free(&traits->spellings);
    free(traits->starts);
    free(traits->unk_surface);
    buf_free(&traits->normalizer.map);
    buf_free(&traits->denormalizer.map);
    *traits = (SpTraits){ 0 };
}
