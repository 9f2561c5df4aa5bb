/* sp_pieces.c - see sp_model.h.
 * One hash table maps strings to ids, with open addressing and at most half full. The hash of a string is computed
 * byte by byte,
 *     h(s c) = x ^ (x >> 32),   x = (h(s) ^ c) * factor modulo 2^64,   h("") = start,
 * so that a walk along a text hashes every byte once. Factor (odd) and start are random: hash.h says why. The
 * high bits select the slot. A slot holds the id + 1 in its lowest `bits` bits, and the bits of the hash above them; 0
 * is a free slot. Two small tables exclude most prefixes that are not pieces: a bit set by hash, and the
 * length of the longest piece for each hash of four bytes. */
#include "sp_model.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"

/* `longest` is indexed by the hash of this many bytes. */
#define HEAD 4

/* The slots of this many pieces are loaded together: the table is larger than the first-level cache. */
#define AHEAD 8

Status sp_pieces_new(SpPieces **out, Err *err)
{
    const HashKey key = keyed_hash_random_key();

    *out = calloc(1, sizeof **out);
    if (!*out) return err_memory(err, "a table of pieces");
    (*out)->lowest = FLT_MAX;
    (*out)->factor = keyed_hash(key, "factor", 6) | 1;
    (*out)->start = keyed_hash(key, "start", 5);
    return OK;
}

void sp_pieces_free(SpPieces *pieces)
{
    if (!pieces) return;
    buf_free(&pieces->text);
    str_map_free(pieces->merges);
    free(pieces->list);
    free(pieces->slots);
    free(pieces->longest);
    free(pieces->filter);
    free(pieces);
}

Status sp_pieces_add(SpPieces *pieces, const char *text, size_t len, float score, SpPieceType type, Err *err)
{
    size_t start = pieces->text.len;
    Status st;

    if (pieces->count > INT32_MAX / 2 || start > UINT32_MAX - len - 1) return err_memory(err, "a table of pieces");
    st = buf_grow_list(&pieces->list, &pieces->cap, pieces->count, 1, sizeof *pieces->list, "a table of pieces", err);
    if (st == OK) buf_put(&pieces->text, text, len);
    if (st == OK) buf_put_byte(&pieces->text, '\0');
    if (st == OK) st = buf_check(&pieces->text, err);
    if (st != OK) return st;
    if (type == SP_NORMAL && score < pieces->lowest) pieces->lowest = score;
    if (type == SP_USER_DEFINED) pieces->has_symbols = true;
    pieces->list[pieces->count++] = (SpPiece){ (uint32_t)start, (uint16_t)len, (uint8_t)type, score };
    return OK;
}

Status sp_pieces_add_merge(SpPieces *pieces, int32_t left, int32_t right, bool *added, Err *err)
{
    const int32_t pair[] = { left, right };
    Status st = pieces->merges ? OK : str_map_new(&pieces->merges, err);

    *added = false;
    if (st != OK) return st;
    return str_map_add(pieces->merges, (const char *)pair, sizeof pair, (int32_t)str_map_count(pieces->merges), added,
                       err);
}

static uint64_t hash_byte(const SpPieces *pieces, uint64_t hash, char c)
{
    hash = (hash ^ (unsigned char)c) * pieces->factor;
    return hash ^ hash >> 32;
}

static uint64_t hash_bytes(const SpPieces *pieces, const char *text, size_t len)
{
    uint64_t hash = pieces->start;

    for (size_t i = 0; i < len; i++) hash = hash_byte(pieces, hash, text[i]);
    return hash;
}

static bool is_text_piece(const SpPiece *piece)
{
    return piece->type == SP_NORMAL || piece->type == SP_USER_DEFINED || piece->type == SP_UNUSED;
}

/* The id in a slot, or -1 if the slot is free. */
static int32_t id_of(const SpPieces *pieces, uint32_t slot)
{
    return (int32_t)(slot & (((uint32_t)1 << pieces->bits) - 1)) - 1;
}

/* Returns the slot of a piece, or the free slot where it belongs. `of_texts`: only text pieces match; else others. */
static uint32_t *find_slot(const SpPieces *pieces, uint64_t hash, const char *text, size_t len, bool of_texts)
{
    const uint32_t mask = ((uint32_t)1 << pieces->bits) - 1;

    for (size_t i = hash >> (64 - pieces->bits);; i = (i + 1) & mask) {
        uint32_t *slot = &pieces->slots[i];
        const SpPiece *piece;
        if (!*slot) return slot;
        if ((*slot ^ (uint32_t)hash) & ~mask) continue;
        piece = &pieces->list[id_of(pieces, *slot)];
        if (piece->len == len && is_text_piece(piece) == of_texts &&
            memcmp(pieces->text.data + piece->start, text, len) == 0)
            return slot;
    }
}

static size_t filter_bit(const SpPieces *pieces, uint64_t hash)
{
    return hash >> (64 - pieces->bits - 3);
}

static uint16_t *longest_of(const SpPieces *pieces, const char *text)
{
    return &pieces->longest[hash_bytes(pieces, text, HEAD) >> (64 - pieces->bits)];
}

/* Returns false if another piece has the same string. */
static bool index_piece(SpPieces *pieces, size_t id, uint64_t hash)
{
    const SpPiece *piece = &pieces->list[id];
    const char *text = pieces->text.data + piece->start;
    const bool is_text = is_text_piece(piece);
    uint32_t *slot = find_slot(pieces, hash, text, piece->len, is_text);
    const size_t bit = filter_bit(pieces, hash);
    uint16_t *longest;

    if (*slot) return false;
    *slot = ((uint32_t)hash & ~(((uint32_t)1 << pieces->bits) - 1)) | ((uint32_t)id + 1);
    if (!is_text) return true;
    pieces->filter[bit / 8] |= (uint8_t)(1u << bit % 8);
    if (piece->len <= HEAD) return true;
    longest = longest_of(pieces, text);
    if (piece->len > *longest) *longest = piece->len;
    return true;
}

Status sp_pieces_complete(SpPieces *pieces, int32_t *duplicate, Err *err)
{
    size_t slots;

    *duplicate = -1;
    for (pieces->bits = 4; (size_t)1 << pieces->bits < 2 * pieces->count;) pieces->bits++;
    slots = (size_t)1 << pieces->bits;
    pieces->slots = zeroed_table(slots, sizeof *pieces->slots);
    pieces->longest = zeroed_table(slots, sizeof *pieces->longest);
    pieces->filter = zeroed_table(slots, 1);
    if (!pieces->slots || !pieces->longest || !pieces->filter) return err_memory(err, "a table of pieces");
    for (size_t id = 0; id < pieces->count && *duplicate < 0; id += AHEAD) {
        const size_t count = pieces->count - id < AHEAD ? pieces->count - id : AHEAD;
        uint64_t hashes[AHEAD];
        for (size_t i = 0; i < count; i++) {
            const SpPiece *piece = &pieces->list[id + i];
            hashes[i] = hash_bytes(pieces, pieces->text.data + piece->start, piece->len);
            __builtin_prefetch(&pieces->slots[hashes[i] >> (64 - pieces->bits)], 1);
        }
        for (size_t i = 0; i < count && *duplicate < 0; i++)
            if (!index_piece(pieces, id + i, hashes[i])) *duplicate = (int32_t)(id + i);
    }
    return OK;
}

const char *sp_pieces_text(const SpPieces *pieces, int32_t id)
{
    return pieces->text.data + pieces->list[id].start;
}

static int32_t find(const SpPieces *pieces, const char *text, size_t len, bool of_texts)
{
    return id_of(pieces, *find_slot(pieces, hash_bytes(pieces, text, len), text, len, of_texts));
}

int32_t sp_pieces_find(const SpPieces *pieces, const char *text, size_t len)
{
    int32_t id = find(pieces, text, len, false);

    return id >= 0 ? id : find(pieces, text, len, true);
}

int32_t sp_pieces_find_text(const SpPieces *pieces, const char *text, size_t len)
{
    return find(pieces, text, len, true);
}

SpWalk sp_pieces_walk(const SpPieces *pieces, const char *text, size_t len)
{
    size_t longest = len < HEAD ? len : *longest_of(pieces, text);

    if (longest < HEAD) longest = HEAD;
    return (SpWalk){ pieces, text, pieces->start, 0, len < longest ? len : longest };
}

int32_t sp_pieces_next(SpWalk *walk)
{
    const SpPieces *pieces = walk->pieces;

    while (walk->len < walk->limit) {
        size_t bit;
        int32_t id;
        walk->hash = hash_byte(pieces, walk->hash, walk->text[walk->len++]);
        bit = filter_bit(pieces, walk->hash);
        if (!(pieces->filter[bit / 8] >> bit % 8 & 1)) continue;
        id = id_of(pieces, *find_slot(pieces, walk->hash, walk->text, walk->len, true));
        if (id >= 0) return id;
    }
    return -1;
}

size_t sp_pieces_symbol(const SpPieces *pieces, const char *text, size_t len)
{
    SpWalk walk = sp_pieces_walk(pieces, text, len);
    size_t longest = 0;
    int32_t id;

    while (pieces->has_symbols && (id = sp_pieces_next(&walk)) >= 0)
        if (pieces->list[id].type == SP_USER_DEFINED) longest = walk.len;
    return longest;
}
