/* surface.c - see surface.h. */
#include "surface.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sp_runs.h"
#include "text.h"
#include "utf8.h"
#include "word_list.h"

static Status append_stripped(Buf *out, const char *text, size_t len, Err *err)
{
    size_t start = utf8_leading_space(text, len);

    return buf_append(out, text + start, len - start - utf8_trailing_space(text + start, len - start), err);
}

/* Replaces space symbols by spaces. They remain in pieces that SentencePiece does not know and in pieces that are
 * concatenated. */
static Status append_spaced(Buf *out, const char *text, size_t len, Err *err)
{
    size_t start = 0, i = 0;
    Status st = OK;

    while (st == OK && i + 3 <= len) {
        if (memcmp(text + i, SP_SPACE, 3) != 0) {
            i++;
            continue;
        }
        st = buf_append(out, text + start, i - start, err);
        if (st == OK) st = buf_append(out, " ", 1, err);
        start = i += 3;
    }
    return st == OK ? buf_append(out, text + start, len - start, err) : st;
}

static Status decode_stripped(DecodeStyle style, const SpModel *model, const char *const *pieces, size_t count,
                              Buf *out, Err *err)
{
    Buf decoded = { 0 }, text = { 0 };
    Status st = sp_shim_decode(model, pieces, count, &decoded, err);

    if (st == OK && style == DECODE_STRIPPED) {
        text = decoded;
        decoded = (Buf){ 0 };
    } else if (st == OK && decoded.len) {
        st = append_spaced(&text, decoded.data, decoded.len, err);
    }
    if (st == OK && text.len) st = append_stripped(out, text.data, text.len, err);
    buf_free(&decoded);
    buf_free(&text);
    return st;
}

/* True for "<0x00>" to "<0xFF>" if the model has byte pieces. */
static bool is_byte(const SpModel *model, const char *piece)
{
    return sp_shim_has_bytes(model) && strlen(piece) == 6 && text_begins_with(piece, "<0x") && piece[5] == '>';
}

static Status append_without_spaces(Buf *out, const char *piece, Err *err)
{
    const char *symbol;
    Status st = OK;

    for (; st == OK && (symbol = strstr(piece, SP_SPACE)); piece = symbol + strlen(SP_SPACE))
        st = buf_append(out, piece, (size_t)(symbol - piece), err);
    return st == OK ? buf_append_text(out, piece, err) : st;
}

/* Concatenates the pieces. Consecutive byte pieces are decoded together; the first piece loses its space symbols
 * unless `all_spaces`. */
static Status join(const SpModel *model, const char *const *pieces, size_t count, bool all_spaces, Buf *out, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < count;) {
        const char *piece = pieces[i];
        size_t bytes = 0;
        while (i + bytes < count && is_byte(model, pieces[i + bytes])) bytes++;
        if (bytes) {
            st = sp_shim_decode(model, pieces + i, bytes, out, err);
            i += bytes;
            continue;
        }
        if (i++ == 0 && !all_spaces)
            st = append_without_spaces(out, piece, err);
        else
            st = append_spaced(out, piece, strlen(piece), err);
    }
    return st;
}

static Status decode_joined(const SpModel *model, const char *const *pieces, size_t count, Buf *out, Err *err)
{
    Buf text = { 0 };
    Status st = join(model, pieces, count, true, &text, err);

    if (st == OK && text.len) st = append_stripped(out, text.data, text.len, err);
    buf_free(&text);
    return st;
}

static Status decode_pieces(DecodeStyle style, const SpModel *model, const char *const *pieces, size_t count, Buf *out,
                            Err *err)
{
    if (style == DECODE_WORDS) return word_list_join(pieces, count, out, err);
    if (style == DECODE_PLAIN) return sp_shim_decode(model, pieces, count, out, err);
    if (style == DECODE_METASPACE) return join(model, pieces, count, !sp_shim_adds_prefix(model), out, err);
    if (style == DECODE_JOINED) return decode_joined(model, pieces, count, out, err);
    return decode_stripped(style, model, pieces, count, out, err);
}

/* The slow classes decode the text between two added tokens separately, and put a space on both sides of each token. */
Status surface_decode(DecodeStyle style, const SpModel *model, const Added *added, const char *const *pieces,
                      size_t count, Buf *out, Err *err)
{
    bool parts = added && (style == DECODE_SURFACE || style == DECODE_STRIPPED || style == DECODE_JOINED);
    bool any = false, last;
    size_t next;
    Status st = OK;

    for (size_t i = 0; st == OK && i < count; i = next) {
        Buf text = { 0 };
        next = parts ? i : count;
        while (next < count && !added_has(added, pieces[next])) next++;
        last = next == count; /* the last text counts even if it is empty */
        if (next == i)
            st = buf_append_text(&text, pieces[next++], err);
        else
            st = decode_pieces(style, model, pieces + i, next - i, &text, err);
        if (st == OK && any && (text.len || last)) st = buf_append(out, " ", 1, err);
        if (st == OK && text.len) st = buf_append(out, text.data, text.len, err);
        any = any || text.len;
        buf_free(&text);
    }
    return st;
}
