/* surface.c - see surface.h. */
#include "surface.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sp_shim.h"
#include "text.h"
#include "utf8.h"
#include "vocab.h"

/* The pieces that are decoded, and their ranges. */
typedef struct {
    const SpModel *model;
    const char *const *pieces; /* [count] */
    size_t count;
    Range *ranges; /* [count], or NULL: not asked for */
} Pieces;

static size_t limit(size_t at, size_t first, size_t end)
{
    return at < first ? first : at > end ? end : at;
}

/* Moves ranges in a text to where text[begin, end) was copied to. */
static void move_ranges(const Pieces *p, size_t begin, size_t end, size_t to)
{
    for (size_t i = 0; p->ranges && i < p->count; i++) {
        Range *range = &p->ranges[i];
        *range = (Range){ limit(range->begin, begin, end) - begin + to, limit(range->end, begin, end) - begin + to };
    }
}

/* Appends the text of the pieces without white space at its ends. */
static Status append_stripped(const Pieces *p, const Buf *text, Buf *out, Err *err)
{
    const size_t start = utf8_leading_space(text->data, text->len);
    const size_t end = text->len - utf8_trailing_space(text->data + start, text->len - start);

    move_ranges(p, start, end, out->len);
    return buf_append(out, text->data + start, end - start, err);
}

/* Replaces space symbols by spaces. They remain in pieces that SentencePiece does not know and in pieces that are
 * concatenated. */
static Status append_spaced(Buf *out, const char *text, size_t len, Err *err)
{
    return buf_append_replaced(out, text, len, SP_SPACE, " ", err);
}

/* The place that `at` gets when space symbols become spaces. `from` and `lost` are the state of a scan of the text:
 * its place, and the bytes lost before it. */
static size_t spaced_place(const Buf *text, size_t at, size_t *from, size_t *lost)
{
    while (*from < at) {
        const bool symbol = *from + 3 <= text->len && memcmp(text->data + *from, SP_SPACE, 3) == 0;
        *from += symbol ? 3 : 1;
        *lost += symbol ? 2 : 0;
    }
    return *from - *lost;
}

/* True for "<0x00>" to "<0xFF>" if the model has byte pieces. */
static bool is_byte(const SpModel *model, const char *piece)
{
    return sp_shim_has_bytes(model) && strlen(piece) == 6 && text_begins_with(piece, "<0x") && piece[5] == '>';
}

/* Concatenates the pieces. Consecutive byte pieces are decoded together; the first piece loses its space symbols
 * unless `all_spaces`. */
static Status join(const Pieces *p, bool all_spaces, Buf *out, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < p->count;) {
        const char *piece = p->pieces[i];
        const size_t begin = out->len;
        size_t bytes = 0;
        while (i + bytes < p->count && is_byte(p->model, p->pieces[i + bytes])) bytes++;
        if (bytes) {
            st = sp_shim_decode(p->model, p->pieces + i, bytes, out, p->ranges ? p->ranges + i : NULL, err);
            i += bytes;
            continue;
        }
        if (i == 0 && !all_spaces)
            st = buf_append_replaced(out, piece, strlen(piece), SP_SPACE, "", err);
        else
            st = append_spaced(out, piece, strlen(piece), err);
        if (p->ranges) p->ranges[i] = (Range){ begin, out->len };
        i++;
    }
    return st;
}

/* Decodes the pieces, and leaves out white space at the ends. */
static Status decode_stripped(DecodeStyle style, const Pieces *p, Buf *out, Err *err)
{
    Buf decoded = { 0 }, text = { 0 };
    Status st = style == DECODE_JOINED ? join(p, true, &text, err)
                                       : sp_shim_decode(p->model, p->pieces, p->count,
                                                        style == DECODE_STRIPPED ? &text : &decoded, p->ranges, err);

    if (st == OK && decoded.len) {
        /* Turn ranges in the text into those that they get when space symbols become spaces. */
        size_t from = 0, lost = 0;
        for (size_t i = 0; p->ranges && i < p->count; i++) {
            p->ranges[i].begin = spaced_place(&decoded, p->ranges[i].begin, &from, &lost);
            p->ranges[i].end = spaced_place(&decoded, p->ranges[i].end, &from, &lost);
        }
        st = append_spaced(&text, decoded.data, decoded.len, err);
    }
    if (st == OK && text.len)
        st = append_stripped(p, &text, out, err);
    else if (st == OK)
        move_ranges(p, 0, 0, out->len);
    buf_free(&decoded);
    buf_free(&text);
    return st;
}

static Status decode_pieces(DecodeStyle style, const Pieces *p, Buf *out, Err *err)
{
    if (style == DECODE_WORDS) return word_list_join(p->pieces, p->count, out, p->ranges, err);
    if (style == DECODE_PLAIN) return sp_shim_decode(p->model, p->pieces, p->count, out, p->ranges, err);
    if (style == DECODE_METASPACE) {
        const SpStart start = sp_shim_start(p->model);
        Buf text = { 0 };
        size_t space;
        Status st;

        if (start != SP_START_SPACE) return join(p, start == SP_START_KEPT, out, err);
        st = join(p, true, &text, err);
        space = text.len && *text.data == ' ';
        move_ranges(p, space, text.len, out->len);
        if (st == OK && text.len) st = buf_append(out, text.data + space, text.len - space, err);
        buf_free(&text);
        return st;
    }
    return decode_stripped(style, p, out, err);
}

/* The slow classes decode the text between two added tokens separately, and put a space on both sides of each token. */
Status surface_decode(DecodeStyle style, const SpModel *model, const Added *added, const char *const *pieces,
                      size_t count, Buf *out, Range *ranges, Err *err)
{
    bool parts = added && (style == DECODE_SURFACE || style == DECODE_STRIPPED || style == DECODE_JOINED);
    bool any = false, last;
    size_t next;
    Status st = OK;

    for (size_t i = 0; st == OK && i < count; i = next) {
        Pieces part = { model, pieces + i, 1, ranges ? ranges + i : NULL };
        Buf text = { 0 };
        next = parts ? i : count;
        while (next < count && !added_has(added, pieces[next])) next++;
        last = next == count; /* the last text counts even if it is empty */
        if (next > i) {
            part.count = next - i;
            st = decode_pieces(style, &part, &text, err);
        } else { /* an added token */
            st = buf_append_text(&text, pieces[i], err);
            if (part.ranges) *part.ranges = (Range){ 0, text.len };
        }
        next = i + part.count;
        if (st == OK && any && (text.len || last)) st = buf_append(out, " ", 1, err);
        move_ranges(&part, 0, text.len, out->len);
        if (st == OK && text.len) st = buf_append(out, text.data, text.len, err);
        any = any || text.len;
        buf_free(&text);
    }
    return st;
}

/* The value of a digit in upper case, as in the names of byte pieces; -1 for another character. */
static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

Status surface_append(DecodeStyle style, const SpModel *model, const Added *added, const char *piece, Buf *out,
                      Err *err)
{
    Status st;

    if (style == DECODE_WORDS || (added && added_has(added, piece))) {
        st = buf_append(out, " ", 1, err);
        return st == OK ? buf_append_text(out, piece, err) : st;
    }
    if (model && is_byte(model, piece) && hex_digit(piece[3]) >= 0 && hex_digit(piece[4]) >= 0) {
        const char byte = (char)(hex_digit(piece[3]) * 16 + hex_digit(piece[4]));
        return buf_append(out, &byte, 1, err);
    }
    return append_spaced(out, piece, strlen(piece), err);
}
