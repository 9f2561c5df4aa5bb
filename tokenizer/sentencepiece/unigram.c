/* unigram.c - see sp_steps.h.
 * Viterbi algorithm over the bytes of the text. best[e] is the highest sum of scores of pieces that end at e,
 *     best[e] = max over pieces (s, e) of best[s] + score(piece)
 * in f32; if two sums are equal, the earlier start is kept. A character that is not a piece by itself may become an
 * unknown piece with the lowest score - 10. User-defined symbols score 0.1 (bytes - 1). Follows SentencePiece 0.2.3,
 * unigram_model.cc, EncodeOptimized().
 * Versions of SentencePiece differ if two ways are equally good, as in "!!!!!": up to 0.2.1 rounding of the sum
 * decides, since 0.2.2 the first one found is kept. dragoman does the latter with every installed version of the
 * library. */
#include "sp_steps.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN_PENALTY 10.0f
/* When sums exceed this, they are shifted back to 0, so that a long text does not lose precision. */
#define LARGEST_SUM 100000.0f

/* The best way to reach one position of the text. */
typedef struct {
    float sum;
    uint32_t start;      /* start of the last piece */
    uint32_t next;       /* end of the next piece on the best path */
    bool reached, known; /* known: the last piece is not an unknown character */
} Place;

static void offer(Place *place, size_t start, float sum, bool known)
{
    if (!place->reached || sum > place->sum) *place = (Place){ sum, (uint32_t)start, 0, true, known };
}

static float score_of(const SpPieces *pieces, int32_t id, size_t len)
{
    bool symbol = sp_pieces_type(pieces, id) == SP_USER_DEFINED;

    return symbol ? (float)(0.1 * (double)(len - 1)) : sp_pieces_score(pieces, id);
}

/* Tries every piece that begins at `start`; *front is the furthest position reached so far. Returns true if one of
 * the pieces is the first character alone. */
static bool offer_pieces(const SpPieces *pieces, const char *text, size_t len, size_t start, size_t character,
                         Place *places, size_t *front)
{
    SpWalk walk = sp_pieces_walk(pieces, text + start, len - start);
    float sum = places[start].sum;
    bool single = false;
    int32_t id;

    while ((id = sp_pieces_next(&walk)) >= 0) {
        if (sp_pieces_type(pieces, id) == SP_UNUSED) continue;
        offer(&places[start + walk.len], start, score_of(pieces, id, walk.len) + sum, true);
        if (start + walk.len > *front) *front = start + walk.len;
        if (walk.len == character) single = true;
    }
    return single;
}

static void search(const SpPieces *pieces, const char *text, size_t len, Place *places)
{
    float unknown = sp_pieces_lowest(pieces) - UNKNOWN_PENALTY;
    size_t front = 0, start = 0;

    while (start < len) {
        size_t character = sp_runs_character(text[start]);
        float sum = places[start].sum;
        if (character > len - start) character = len - start;
        for (size_t i = start; fabsf(sum) > LARGEST_SUM && i <= front; i++)
            if (places[i].reached) places[i].sum -= sum;
        if (!offer_pieces(pieces, text, len, start, character, places, &front)) {
            offer(&places[start + character], start, unknown + places[start].sum, false);
            if (start + character > front) front = start + character;
        }
        start += character;
    }
}

/* Follows the links back from the end, then passes on the pieces in order. */
static Status emit_pieces(const char *text, size_t len, Place *places, const SpSink *sink, Err *err)
{
    SpRuns runs = { .sink = *sink };
    Status st = OK;

    for (size_t end = len; end > 0; end = places[end].start) places[places[end].start].next = (uint32_t)end;
    for (size_t start = 0, end = 0; st == OK && start < len; start = end) {
        end = places[start].next;
        st = sp_runs_add(&runs, text + start, end - start, places[end].known, err);
    }
    return st == OK ? sp_runs_end(&runs, err) : st;
}

Status unigram_encode(const SpPieces *pieces, const char *text, size_t len, const SpSink *sink, Err *err)
{
    Place *places = len < UINT32_MAX ? calloc(len + 1, sizeof *places) : NULL;
    Status st;

    if (!places) return err_memory(err, "the pieces of a text");
    search(pieces, text, len, places);
    st = emit_pieces(text, len, places, sink, err);
    free(places);
    return st;
}
