/* sp_steps.c - see sp_model.h: the origins of bytes, normalizing, passing on pieces, the two encoders, and decoding. */
#include "sp_model.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chars.h"
#include "text.h"
#include "utf8.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* --- Origins of bytes.
 * SentencePiece (0.2.3, normalizer.cc) notes for each normalized byte where the step that made it began in the text.
 * The range of a byte extends to where the step of the next byte began. So a run of spaces belongs to the piece that
 * begins with it, removed characters belong to the byte before them, and of several bytes that one step made only the
 * last one has a range that is not empty.
 * tokenizers (0.22.2, normalizer.rs, transform_range()) gives character k of a replacement the range of the replaced
 * character k, or of the last replaced character if there are fewer. A run of spaces has the range of its last space.
 * A space that is added before a word has the range of the word's first character; but if the spaces before a text are
 * joined, not removed, the space that is left has the range of the last one. --- */

/* One step of the normalizer: it replaced bytes [begin, end) of the text, and left out the first `dropped` spaces of
 * the replacement. */
typedef struct {
    const char *text; /* the whole text */
    size_t begin, end;
    size_t dropped;
} SpReplaced;

#define SPACE_SIZE (sizeof SP_SPACE - 1)

static void close_last(RangeList *map, size_t place)
{
    if (map->len) map->data[map->len - 1].end = place;
}

/* Appends to the map the origins of made[0..len), which a step has just made. */
static void note_origins(RangeList *map, SpOriginStyle style, SpReplaced replaced, const char *made, size_t len)
{
    Range old = { replaced.begin, replaced.begin };

    if (style == SP_ORIGINS_SENTENCEPIECE) {
        if (len) close_last(map, replaced.begin);
        ranges_put(map, old, len);
        return;
    }
    /* Each dropped space gives its range to the space before it, which stands for both. */
    for (size_t i = 0; i < replaced.dropped && old.end < replaced.end; i++) {
        uint32_t code;
        old.begin = old.end;
        old.end += utf8_next(replaced.text + old.begin, replaced.end - old.begin, &code);
        for (size_t k = 0; k < SPACE_SIZE && map->len >= SPACE_SIZE; k++) map->data[map->len - 1 - k] = old;
    }
    ranges_put_characters(map, replaced.text, old.end < replaced.end ? old.end : old.begin, replaced.end, made, len);
}

/* Gives the space that ends at map index `at` the range of the character after it. */
static void join_space(RangeList *map, size_t at)
{
    if (at >= map->len) return;
    for (size_t i = at - SPACE_SIZE; i < at; i++) map->data[i] = map->data[at];
}

/* Completes the map of made[0 .. map->len), which begins with an added space if `prefixed`. `end`: how much of the text
 * the normalizer has read. */
static void end_origins(RangeList *map, SpOriginStyle style, const char *text, const char *made, bool prefixed,
                        size_t end)
{
    if (style == SP_ORIGINS_SENTENCEPIECE) {
        close_last(map, end);
        return;
    }
    if (prefixed && map->len) {
        /* The added space still has an empty range. If a space precedes it in the text, it takes that range. */
        Range last = map->data[0];
        if (last.end) {
            do last.begin--;
            while (last.begin && char_goes_on(text[last.begin]));
            for (size_t i = 0; i < SPACE_SIZE; i++) map->data[i] = last;
        } else {
            join_space(map, SPACE_SIZE);
        }
    }
    for (size_t i = 0; style == SP_ORIGINS_TOKENIZERS_WORDS && i + SPACE_SIZE < map->len; i++)
        if (memcmp(made + i, SP_SPACE, SPACE_SIZE) == 0) {
            const Range range = map->data[i];
            const bool is_symbol = range.end - range.begin == SPACE_SIZE &&
                                   memcmp(text + range.begin, SP_SPACE, SPACE_SIZE) == 0; /* U+2581 in the text */
            if (!is_symbol) join_space(map, i + SPACE_SIZE);
        }
}

/* --- Normalizing.
 * Follows SentencePiece 0.2.3, normalizer.cc, Normalize(). Each step takes from the beginning of the text a
 * user-defined symbol, which stays unchanged, or the text that the longest rule of the character map matches, or one
 * character. --- */

/* The result of one step: `used` bytes of the text are replaced by text[0..len). */
typedef struct {
    const char *text;
    size_t len, used;
} Step;

static Step next_step(const SpTraits *traits, const char *text, size_t len)
{
    const Buf *map = &traits->normalizer.map;
    const size_t symbol = traits->pieces ? sp_pieces_symbol(traits->pieces, text, len) : 0; /* 0: a denormalizer */
    Step step = { .text = text };
    uint32_t code;

    if (symbol) return (Step){ text, symbol, symbol };
    if (map->len) step.used = sp_charsmap_match(map, text, len, &step.text, &step.len);
    if (!step.used) {
        step.used = step.len = utf8_next(text, len, &code);
        if (code == UTF8_INVALID) step = (Step){ REPLACEMENT, strlen(REPLACEMENT), 1 };
    }
    if (!traits->joins_white_space || !step.len || utf8_next(step.text, step.len, &code) < step.len ||
        !utf8_is_white_space(code))
        return step;
    return (Step){ " ", 1, step.used };
}

/* The number of bytes of the spaces that the text begins with. */
static size_t leading_spaces(const SpTraits *traits, const char *text, size_t len)
{
    size_t at = 0;

    while (at < len) {
        Step step = next_step(traits, text + at, len - at);
        if (step.len != 1 || *step.text != ' ') break;
        at += step.used;
    }
    return at;
}

/* Appends a space that stands for the bytes `from`; the range is empty if the text does not have the space. */
static void put_space(const SpTraits *traits, const char *text, Range from, const char *space, Buf *out, RangeList *map)
{
    buf_put_text(out, space);
    if (map) note_origins(map, traits->origins, (SpReplaced){ text, from.begin, from.end, 0 }, space, strlen(space));
}

Status sp_normalize(const SpTraits *traits, const char *text, size_t len, Buf *out, RangeList *map, Err *err)
{
    const SpNormalizer *rules = &traits->normalizer;
    const char *space = rules->escape_whitespaces ? SP_SPACE : " ";
    const size_t skipped = rules->remove_extra_whitespaces ? leading_spaces(traits, text, len) : 0, start = out->len;
    const bool prefix = rules->add_dummy_prefix && !traits->treat_whitespace_as_suffix;
    const size_t size = strlen(space);
    bool behind_space = rules->remove_extra_whitespaces;
    size_t end = len;
    Status st;

    if (skipped == len) {
        if (len && traits->keeps_end) put_space(traits, text, (Range){ len - 1, len }, space, out, map);
        st = buf_check(out, err);
        return st == OK && map ? ranges_check(map, err) : st;
    }
    if (prefix) put_space(traits, text, (Range){ skipped, skipped }, space, out, map);
    for (size_t at = skipped; at < len;) {
        Step step = next_step(traits, text + at, len - at);
        const size_t before = out->len, whole = step.len;
        for (; behind_space && step.len && *step.text == ' '; step.len--) step.text++;
        buf_put_replaced(out, step.text, step.len, " ", space);
        if (map)
            note_origins(map, traits->origins, (SpReplaced){ text, at, at + step.used, whole - step.len },
                         out->data ? out->data + before : "", out->len - before);
        if (step.len) behind_space = rules->remove_extra_whitespaces && step.text[step.len - 1] == ' ';
        at += step.used;
    }
    st = buf_check(out, err);
    if (st == OK && map) st = ranges_check(map, err);
    if (st != OK) return st;
    if (rules->remove_extra_whitespaces && !traits->keeps_end)
        while (out->len - start >= size && memcmp(out->data + out->len - size, space, size) == 0) out->len -= size;

    /* If spaces were removed at the end, the last range ends where they begin. */
    if (map && map->len != out->len - start) {
        map->len = out->len - start;
        end = map->data[map->len].begin;
    }
    if (rules->add_dummy_prefix && !prefix) put_space(traits, text, (Range){ end, end }, space, out, map);
    st = buf_check(out, err);
    if (st == OK && map) st = ranges_check(map, err);
    if (st == OK && map) end_origins(map, traits->origins, text, out->data ? out->data + start : "", prefix, end);
    return st;
}

/* --- Passing on pieces, from left to right. --- */

/* The number of bytes of the character that begins with this byte. */
static size_t character_size(char lead)
{
    const unsigned char c = (unsigned char)lead;

    return c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

/* Appends the range of the text [at, at + len), `count` times. */
static void add_range(const SpSink *sink, const char *at, size_t len, size_t count)
{
    const size_t begin = (size_t)(at - sink->text);

    ranges_put(sink->ranges, ranges_origin(sink->map, (Range){ begin, begin + len }), count);
}

static void emit(const SpSink *sink, const char *text, size_t len)
{
    if (sink->ranges) add_range(sink, text, len, 1);
    sink->each(sink->context, text, len);
}

/* Passes on an unknown text as byte pieces. SentencePiece gives the range of a character to its last byte; the ranges
 * of its other bytes are empty. */
static void emit_bytes(const SpSink *sink, const char *text, size_t len)
{
    const bool is_by_character = sink->style == SP_ORIGINS_SENTENCEPIECE;
    Range character = { 0, 0 };

    if (sink->ranges && sink->whole_runs && !is_by_character) add_range(sink, text, len, len);
    for (size_t i = 0; i < len; i++) {
        char piece[8];
        if (i == character.end) character = (Range){ i, i + character_size(text[i]) };
        if (character.end > len) character.end = len;
        snprintf(piece, sizeof piece, "<0x%02X>", (unsigned)(unsigned char)text[i]);
        if (sink->ranges && is_by_character)
            add_range(sink, text + character.begin, i + 1 == character.end ? character.end - character.begin : 0, 1);
        else if (sink->ranges && !sink->whole_runs)
            add_range(sink, text + i, 1, 1);
        sink->each(sink->context, piece, 6);
    }
}

/* Passes on the unknown text that is pending. Must be called after the last piece. */
static void end_unknown(SpSink *sink)
{
    if (sink->unknown) (sink->bytes ? emit_bytes : emit)(sink, sink->unknown, sink->unknown_len);
    sink->unknown = NULL;
}

static void add_piece(SpSink *sink, const char *piece, size_t len, bool known)
{
    if (known || sink->splits_unknown) {
        end_unknown(sink);
        emit(sink, piece, len);
        return;
    }
    if (!sink->unknown) {
        sink->unknown = piece;
        sink->unknown_len = 0;
    }
    sink->unknown_len += len;
}

/* --- Unigram.
 * Viterbi algorithm over the bytes of the text. best[e] is the highest sum of scores of pieces that end at e,
 *     best[e] = max over pieces (s, e) of best[s] + score(piece)
 * in f32; if two sums are equal, the earlier start is kept. A character that is not a piece by itself may become an
 * unknown piece with the lowest score - 10. User-defined symbols score 0.1 (bytes - 1). Follows SentencePiece 0.2.3,
 * unigram_model.cc, EncodeOptimized().
 * Versions of SentencePiece differ if two ways are equally good, as in "!!!!!": up to 0.2.1 rounding of the sum
 * decides, since 0.2.2 the first one found is kept. dragoman does the latter with every installed version of the
 * library. --- */

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

Status unigram_encode(const SpPieces *pieces, const char *text, size_t len, SpSink *sink, Err *err)
{
    Place *places = len < UINT32_MAX ? calloc(len + 1, sizeof *places) : NULL;
    const float unknown = pieces->lowest - UNKNOWN_PENALTY;

    if (!places) return err_memory(err, "the pieces of a text");
    /* `front` is the furthest position reached so far. */
    for (size_t start = 0, front = 0, character; start < len; start += character) {
        SpWalk walk = sp_pieces_walk(pieces, text + start, len - start);
        float sum = places[start].sum;
        bool single = false; /* one of the pieces is the first character alone */
        int32_t id;
        character = character_size(text[start]);
        if (character > len - start) character = len - start;
        for (size_t i = start; fabsf(sum) > LARGEST_SUM && i <= front; i++)
            if (places[i].reached) places[i].sum -= sum;
        sum = places[start].sum;
        while ((id = sp_pieces_next(&walk)) >= 0) {
            const SpPiece *piece = &pieces->list[id];
            float score = piece->score;
            if (piece->type == SP_UNUSED) continue;
            if (piece->type == SP_USER_DEFINED) score = (float)(0.1 * (double)(walk.len - 1));
            offer(&places[start + walk.len], start, score + sum, true);
            if (start + walk.len > front) front = start + walk.len;
            if (walk.len == character) single = true;
        }
        if (single) continue;
        offer(&places[start + character], start, unknown + sum, false);
        if (start + character > front) front = start + character;
    }
    /* Follow the links back from the end, then pass on the pieces in order. */
    for (size_t end = len; end > 0; end = places[end].start) places[places[end].start].next = (uint32_t)end;
    for (size_t start = 0, end = 0; start < len; start = end) {
        end = places[start].next;
        add_piece(sink, text + start, end - start, places[end].known);
    }
    end_unknown(sink);
    free(places);
    return OK;
}

/* --- BPE.
 * Follows SentencePiece 0.2.3, bpe_model.cc, SampleEncode().
 * The symbols form a linked list. Initially each is a character, or the longest user-defined piece that begins there;
 * the latter is never joined. A heap holds the pairs of neighbours that make a piece, highest score first, and
 * leftmost first if scores are equal. A pair whose symbols have changed since it was added is skipped: a symbol that
 * was joined to its predecessor is empty, and one that has grown changes the size of the pair.
 * tokenizers (models/bpe/word.rs) does the same with merges instead of scores. --- */

#define NONE UINT32_MAX

typedef struct {
    uint32_t start, len; /* in the text; len is 0 after the symbol was joined to another one */
    uint32_t before, next;
    int32_t id; /* its piece; -1: none */
    bool whole; /* user-defined, never joined */
} Symbol;

typedef struct {
    float score; /* of the piece, or the negated number of the merge */
    uint32_t left, right, size;
    int32_t id; /* the piece */
} Pair;

typedef struct {
    const SpPieces *pieces;
    const char *text;
    Symbol *symbols;
    struct {
        Pair *data;
        size_t len, cap;
        bool failed; /* LIST_CHECK() */
    } heap;
} Bpe;

static bool goes_first(const Pair *a, const Pair *b)
{
    return a->score > b->score || (a->score == b->score && a->left < b->left);
}

static Pair pop(Bpe *bpe)
{
    Pair *heap = bpe->heap.data, top = heap[0], last = heap[--bpe->heap.len];
    size_t at = 0;

    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < bpe->heap.len && goes_first(&heap[child + 1], &heap[child])) child++;
        if (child >= bpe->heap.len || !goes_first(&heap[child], &last)) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return top;
}

/* Adds two neighbours to the heap if they make a piece. */
static void offer_pair(Bpe *bpe, uint32_t left, uint32_t right)
{
    const StrMap *merges = bpe->pieces->merges;
    const Symbol *a, *b;
    int32_t id, merge = -1;

    if (left == NONE || right == NONE) return;
    a = &bpe->symbols[left];
    b = &bpe->symbols[right];
    if (a->whole || b->whole) return;
    if (merges) {
        const int32_t ids[] = { a->id, b->id };
        merge = str_map_get(merges, (const char *)ids, sizeof ids, -1);
        if (merge < 0) return;
    }
    id = sp_pieces_find_text(bpe->pieces, bpe->text + a->start, a->len + b->len);
    if (id < 0) return;
    const Pair pair = { merges ? -(float)merge : bpe->pieces->list[id].score, left, right, a->len + b->len, id };
    LIST_PUT(&bpe->heap, pair);
    if (bpe->heap.failed) return;
    Pair *heap = bpe->heap.data;
    size_t at = bpe->heap.len - 1;
    for (; at > 0 && goes_first(&pair, &heap[(at - 1) / 2]); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = pair;
}

Status bpe_encode(const SpPieces *pieces, const char *text, size_t len, SpSink *sink, Err *err)
{
    Bpe bpe = { .pieces = pieces, .text = text };
    uint32_t count = 0;
    Status st;

    if (len == 0) return OK;
    if (pieces->ignores_merges && sp_pieces_find_text(pieces, text, len) >= 0) {
        add_piece(sink, text, len, true);
        return OK;
    }
    if (len < UINT32_MAX) bpe.symbols = malloc(len * sizeof *bpe.symbols);
    if (!bpe.symbols) return err_memory(err, "the pieces of a text");
    for (size_t at = 0; at < len; count++) {
        /* tokenizers has split off the symbols before. */
        const size_t whole = pieces->merges ? 0 : sp_pieces_symbol(pieces, text + at, len - at);
        size_t size = whole ? whole : character_size(text[at]);
        if (size > len - at || (pieces->suffix && len - at - size == pieces->suffix)) size = len - at;
        const int32_t id = sp_pieces_find_text(pieces, text + at, size);
        bpe.symbols[count] =
            (Symbol){ (uint32_t)at, (uint32_t)size, count ? count - 1 : NONE, count + 1, id, whole > 0 };
        at += size;
    }
    bpe.symbols[count - 1].next = NONE;
    for (uint32_t i = 1; i < count; i++) offer_pair(&bpe, i - 1, i);
    while (bpe.heap.len) {
        const Pair pair = pop(&bpe);
        Symbol *left = &bpe.symbols[pair.left], *right = &bpe.symbols[pair.right];
        if (!left->len || !right->len || left->len + right->len != pair.size) continue;
        left->len = pair.size;
        left->id = pair.id;
        left->next = right->next;
        right->len = 0;
        if (left->next != NONE) bpe.symbols[left->next].before = pair.left;
        offer_pair(&bpe, left->before, pair.left);
        offer_pair(&bpe, pair.left, left->next);
    }
    st = LIST_CHECK(&bpe.heap, "the pieces of a text", err);
    for (uint32_t i = 0; st == OK && i != NONE; i = bpe.symbols[i].next) {
        const char *piece = text + bpe.symbols[i].start;
        const size_t size = bpe.symbols[i].len;
        add_piece(sink, piece, size, bpe.symbols[i].id >= 0);
    }
    end_unknown(sink);
    free(bpe.symbols);
    free(bpe.heap.data);
    return st;
}

/* --- fastBPE of words (moses.h). --- */

Status moses_encode(const SpTraits *traits, const char *text, size_t len, SpPieceFn each, void *context,
                    RangeList *ranges, Err *err)
{
    static const char end[] = MOSES_END;
    Buf words = { 0 }, word = { 0 };
    RangeList origins = { 0 }, map = { 0 };
    SpSink sink = { .each = each,
                    .context = context,
                    .ranges = ranges,
                    .map = &map,
                    .style = SP_ORIGINS_TOKENIZERS,
                    .splits_unknown = true };
    Status st = moses_apply(traits->moses, MOSES_WORDS, text, len, &words, ranges ? &origins : NULL, err);

    ranges_let_ascend(&origins); /* a quote and a full stop may have changed places */
    for (size_t at = 0, size; st == OK && at < words.len; at += size + 1) {
        const char *space = memchr(words.data + at, ' ', words.len - at);
        size = (space ? (size_t)(space - words.data) : words.len) - at;
        if (!size) continue;
        buf_clear(&word);
        ranges_clear(&map);
        buf_put(&word, words.data + at, size);
        buf_put(&word, end, strlen(end));
        if (ranges) ranges_put_all(&map, origins.data + at, size);
        if (ranges) ranges_put(&map, origins.data[at + size - 1], strlen(end));
        st = buf_check(&word, err);
        if (st == OK) st = ranges_check(&map, err);
        sink.text = word.data;
        if (st == OK) st = bpe_encode(traits->pieces, word.data, word.len, &sink, err);
    }
    if (st == OK && ranges) st = ranges_check(ranges, err);
    buf_free(&words);
    buf_free(&word);
    ranges_free(&origins);
    ranges_free(&map);
    return st;
}

/* --- Decoding.
 * Follows sentencepiece_processor.cc, Decode():
 *   control           no text
 *   unknown           unk_surface for the unknown piece; a string that is not a piece is copied
 *   bytes             consecutive ones are decoded together; each byte that belongs to no character
 *                     becomes U+FFFD
 *   others            space symbols become spaces; as long as there is no text, a leading space is removed
 *                     if the model added it
 * The denormalizer, a second normalizer that few models have, is applied to the text. --- */

typedef struct {
    const SpTraits *traits;
    Buf *out;
    size_t start;    /* start of this text in *out */
    bool first;      /* the leading space has not been seen yet */
    bool first_seen; /* the previous piece had it */
} Decoder;

/* Decodes byte pieces. ranges[0 .. bytes->len) receives their ranges, or is NULL: the last piece of a character has all
 * its bytes, the others have empty ranges. */
static void put_bytes(Decoder *decoder, const Buf *bytes, Range *ranges)
{
    for (size_t i = 0, step; i < bytes->len; i += step) {
        const size_t begin = decoder->out->len;
        uint32_t code;
        step = utf8_next(bytes->data + i, bytes->len - i, &code);
        if (code == UTF8_INVALID) {
            step = 1;
            if (!decoder->traits->drops_broken) buf_put_text(decoder->out, REPLACEMENT);
        } else {
            buf_put(decoder->out, bytes->data + i, step);
        }
        for (size_t k = 0; ranges && k < step; k++)
            ranges[i + k] = (Range){ begin, k + 1 < step ? begin : decoder->out->len };
    }
}

static void put_piece(Decoder *decoder, const char *piece, int32_t id)
{
    const SpTraits *traits = decoder->traits;
    const bool removes = traits->normalizer.remove_extra_whitespaces;
    const unsigned type = id < 0 ? SP_UNKNOWN : traits->pieces->list[id].type;

    if (decoder->first_seen || decoder->out->len > decoder->start) decoder->first = false;
    decoder->first_seen = false;
    if (type == SP_CONTROL) return;
    if (type == SP_UNKNOWN) {
        buf_put_text(decoder->out, id < 0 ? piece : traits->unk_surface);
        return;
    }
    if (decoder->first && (traits->normalizer.add_dummy_prefix || removes) && text_begins_with(piece, SP_SPACE)) {
        piece += strlen(SP_SPACE);
        decoder->first_seen = !removes;
    }
    buf_put_replaced(decoder->out, piece, strlen(piece), SP_SPACE, " ");
}

static Status decode(const SpTraits *traits, const char *const *pieces, size_t count, Buf *out, Range *ranges, Err *err)
{
    Decoder decoder = { .traits = traits, .out = out, .start = out->len, .first = true };
    Buf bytes = { 0 };
    Status st;

    for (size_t i = 0; i < count; i++) {
        const size_t len = strlen(pieces[i]);
        const int32_t id = sp_pieces_find(traits->pieces, pieces[i], len);
        size_t begin;
        if (id >= 0 && traits->pieces->list[id].type == SP_BYTE) {
            buf_put_byte(&bytes, (char)sp_byte_of(pieces[i], len));
            continue;
        }
        put_bytes(&decoder, &bytes, ranges ? ranges + i - bytes.len : NULL);
        buf_clear(&bytes);
        begin = out->len;
        put_piece(&decoder, pieces[i], id);
        if (ranges) ranges[i] = (Range){ begin, out->len };
    }
    put_bytes(&decoder, &bytes, ranges ? ranges + count - bytes.len : NULL);
    st = buf_check(&bytes, err);
    buf_free(&bytes);
    return st == OK ? buf_check(out, err) : st;
}

Status sp_decode(const SpTraits *traits, const char *const *pieces, size_t count, Buf *out, Range *ranges, Err *err)
{
    const SpTraits rules = { .normalizer = traits->denormalizer };
    const size_t start = out->len;
    Buf text = { 0 };
    RangeList map = { 0 };
    size_t at = 0;
    Status st;

    if (traits->byte_level) return byte_level_decode(pieces, count, out, ranges, err);
    if (traits->moses) {
        for (size_t i = 0; i < count; i++) {
            const size_t begin = text.len;
            buf_put_replaced(&text, pieces[i], strlen(pieces[i]), MOSES_END, " ");
            if (ranges) ranges[i] = (Range){ begin, text.len };
        }
        st = buf_check(&text, err);
    } else if (!traits->denormalizer.map.len) {
        return decode(traits, pieces, count, out, ranges, err);
    } else {
        st = decode(traits, pieces, count, &text, ranges, err);
    }
    if (st == OK && text.len && traits->moses)
        st = moses_join(traits->moses, text.data, text.len, out, ranges ? &map : NULL, err);
    else if (st == OK && text.len)
        st = sp_normalize(&rules, text.data, text.len, out, ranges ? &map : NULL, err);
    /* The range of a piece ends before the first byte that was made from text after the piece. */
    for (size_t i = 0; st == OK && ranges && i < count; i++) {
        const size_t begin = start + at;
        while (at < map.len && map.data[at].begin < ranges[i].end) at++;
        ranges[i] = (Range){ begin, start + at };
    }
    ranges_free(&map);
    buf_free(&text);
    return st;
}
