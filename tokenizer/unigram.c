/* unigram.c - see unigram.h.
 * Viterbi over the bytes of the text: best[e] is the best sum of scores of
 * pieces that end at e,
 *     best[e] = max over pieces (s, e) of best[s] + score(piece)
 * in f32, the earlier start kept where two are equal. A character that no
 * piece covers by itself may be unknown: the lowest score less 10. Symbols
 * score 0.1 (bytes - 1). As SentencePiece 0.2.3, unigram_model.cc,
 * EncodeOptimized().
 * The pieces lie in a trie whose edges are one hash table: from a node by a
 * byte to a node. */
#include "unigram.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOT            0
#define UNKNOWN_PENALTY 10.0f
/* Sums are taken back to 0 beyond this, so that a long text keeps its digits. */
#define LARGEST_SUM 100000.0f

typedef enum { INNER, NORMAL, SYMBOL } NodeKind;

typedef struct {
    uint32_t parent;
    float score; /* of the piece that ends here */
    unsigned char byte, kind;
} Node;

struct Unigram {
    Node *nodes;
    size_t count, cap;
    uint32_t *slots; /* node ids, 0 is free: nothing leads to the root; `slot_count` is a power of two */
    size_t slot_count;
    float lowest; /* score of a normal piece */
};

static size_t slot_of(const Unigram *unigram, uint32_t parent, unsigned char byte)
{
    uint64_t h = ((uint64_t)parent << 8 | byte) * 0x9e3779b97f4a7c15u;
    size_t i = (size_t)(h >> 32) & (unigram->slot_count - 1);

    for (;; i = (i + 1) & (unigram->slot_count - 1)) {
        const Node *node = &unigram->nodes[unigram->slots[i]];
        if (unigram->slots[i] == 0 || (node->parent == parent && node->byte == byte)) return i;
    }
}

static Status grow_slots(Unigram *unigram, Err *err)
{
    size_t count = unigram->slot_count ? unigram->slot_count * 2 : 1024;
    uint32_t *slots = calloc(count, sizeof *slots);

    if (!slots) return err_memory(err, "a table of pieces");
    free(unigram->slots);
    unigram->slots = slots;
    unigram->slot_count = count;
    for (size_t i = 1; i < unigram->count; i++)
        slots[slot_of(unigram, unigram->nodes[i].parent, unigram->nodes[i].byte)] = (uint32_t)i;
    return OK;
}

static Status add_node(Unigram *unigram, uint32_t parent, unsigned char byte, Err *err)
{
    if (unigram->count == unigram->cap) {
        size_t cap = unigram->cap ? unigram->cap * 2 : 1024;
        Node *moved = cap <= UINT32_MAX / 2 ? realloc(unigram->nodes, cap * sizeof *moved) : NULL;
        if (!moved) return err_memory(err, "a table of pieces");
        unigram->nodes = moved;
        unigram->cap = cap;
    }
    unigram->nodes[unigram->count++] = (Node){ .parent = parent, .byte = byte, .kind = INNER };
    return unigram->count * 2 > unigram->slot_count ? grow_slots(unigram, err) : OK;
}

Status unigram_new(Unigram **out, Err *err)
{
    Unigram *unigram = calloc(1, sizeof *unigram);
    Status st;

    *out = NULL;
    if (!unigram) return err_memory(err, "a table of pieces");
    unigram->lowest = FLT_MAX;
    st = add_node(unigram, UINT32_MAX, 0, err);
    if (st == OK)
        *out = unigram;
    else
        unigram_free(unigram);
    return st;
}

void unigram_free(Unigram *unigram)
{
    if (!unigram) return;
    free(unigram->nodes);
    free(unigram->slots);
    free(unigram);
}

Status unigram_add(Unigram *unigram, const char *piece, size_t len, float score, bool symbol, Err *err)
{
    uint32_t at = ROOT;

    for (size_t i = 0; i < len; i++) {
        unsigned char byte = (unsigned char)piece[i];
        size_t slot = slot_of(unigram, at, byte);
        if (unigram->slots[slot] == 0) {
            uint32_t fresh = (uint32_t)unigram->count;
            Status st = add_node(unigram, at, byte, err);
            if (st != OK) return st;
            unigram->slots[slot_of(unigram, at, byte)] = fresh;
            at = fresh;
        } else {
            at = unigram->slots[slot];
        }
    }
    unigram->nodes[at].kind = symbol ? SYMBOL : NORMAL;
    unigram->nodes[at].score = symbol ? (float)(0.1 * (double)(len - 1)) : score;
    if (!symbol && score < unigram->lowest) unigram->lowest = score;
    return OK;
}

/* The best way to come to one place of the text. */
typedef struct {
    float sum;
    uint32_t start;      /* of the last piece */
    uint32_t next;       /* end of the piece that follows on the best way of all */
    bool reached, known; /* known: by a piece, not as an unknown character */
} Place;

static void offer(Place *place, size_t start, float sum, bool known)
{
    if (!place->reached || sum > place->sum) *place = (Place){ sum, (uint32_t)start, 0, true, known };
}

/* Bytes of the character that begins with this one. */
static size_t character_length(char lead)
{
    unsigned char c = (unsigned char)lead;

    return c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

/* Offers every piece that begins at `start`; *front is the furthest place
 * reached so far. True when one of them is the first character alone. */
static bool offer_pieces(const Unigram *unigram, const char *text, size_t len, size_t start, size_t character,
                         Place *places, size_t *front)
{
    float sum = places[start].sum;
    uint32_t at = ROOT;
    bool single = false;

    for (size_t end = start + 1; end <= len; end++) {
        const Node *node;
        at = unigram->slots[slot_of(unigram, at, (unsigned char)text[end - 1])];
        if (at == 0) break;
        node = &unigram->nodes[at];
        if (node->kind == INNER) continue;
        offer(&places[end], start, node->score + sum, true);
        if (end > *front) *front = end;
        if (end - start == character) single = true;
    }
    return single;
}

static void search(const Unigram *unigram, const char *text, size_t len, Place *places)
{
    float unknown = unigram->lowest - UNKNOWN_PENALTY;
    size_t front = 0, start = 0;

    while (start < len) {
        size_t character = character_length(text[start]);
        float sum = places[start].sum;
        if (character > len - start) character = len - start;
        for (size_t i = start; fabsf(sum) > LARGEST_SUM && i <= front; i++)
            if (places[i].reached) places[i].sum -= sum;
        if (!offer_pieces(unigram, text, len, start, character, places, &front)) {
            offer(&places[start + character], start, unknown + places[start].sum, false);
            if (start + character > front) front = start + character;
        }
        start += character;
    }
}

static Status give_bytes(const char *text, size_t len, UnigramFn each, void *context, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < len; i++) {
        char piece[8];
        snprintf(piece, sizeof piece, "<0x%02X>", (unsigned)(unsigned char)text[i]);
        st = each(context, piece, 6, err);
    }
    return st;
}

/* Follows the links back from the end, then gives the pieces in their order. */
static Status give_pieces(const char *text, size_t len, Place *places, bool bytes, UnigramFn each, void *context,
                          Err *err)
{
    Status st = OK;

    for (size_t end = len; end > 0; end = places[end].start) places[places[end].start].next = (uint32_t)end;
    for (size_t start = 0, end = 0; st == OK && start < len; start = end) {
        bool known;
        end = places[start].next;
        known = places[end].known;
        while (!known && end < len && !places[places[end].next].known) end = places[end].next;
        st = known || !bytes ? each(context, text + start, end - start, err)
                             : give_bytes(text + start, end - start, each, context, err);
    }
    return st;
}

Status unigram_cut(const Unigram *unigram, const char *text, size_t len, bool bytes, UnigramFn each, void *context,
                   Err *err)
{
    Place *places = len < UINT32_MAX ? calloc(len + 1, sizeof *places) : NULL;
    Status st;

    if (!places) return err_memory(err, "the pieces of a text");
    search(unigram, text, len, places);
    st = give_pieces(text, len, places, bytes, each, context, err);
    free(places);
    return st;
}
