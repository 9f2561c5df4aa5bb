/* sp_decode.c - see sp_steps.h. Follows sentencepiece_processor.cc, Decode():
 *   control           no text
 *   unknown           unk_surface for the unknown piece; a string that is not a piece is copied
 *   bytes             consecutive ones are decoded together; each byte that belongs to no character
 *                     becomes U+FFFD
 *   others            space symbols become spaces; as long as there is no text, a leading space is removed
 *                     if the model added it
 * The denormalizer, a second normalizer that few models have, is applied to the text. */
#include "sp_steps.h"

#include <stdbool.h>
#include <string.h>

#include "sp_runs.h"
#include "text.h"
#include "utf8.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

typedef struct {
    const SpTraits *traits;
    Buf *out;
    size_t start;    /* start of this text in *out */
    bool first;      /* the leading space may still follow */
    bool first_seen; /* it was in the piece before */
    Err *err;
} Decoder;

/* Decodes byte pieces. The last one of a character receives its range in ranges[0 .. bytes->len), which may be NULL;
 * those before it are empty. */
static Status append_bytes(Decoder *decoder, const Buf *bytes, Range *ranges)
{
    Status st = OK;

    for (size_t i = 0, step; st == OK && i < bytes->len; i += step) {
        const size_t begin = decoder->out->len;
        uint32_t code;
        step = utf8_next(bytes->data + i, bytes->len - i, &code);
        if (code == UTF8_INVALID) {
            step = 1;
            st = buf_append_text(decoder->out, REPLACEMENT, decoder->err);
        } else {
            st = buf_append(decoder->out, bytes->data + i, step, decoder->err);
        }
        for (size_t k = 0; ranges && k < step; k++)
            ranges[i + k] = (Range){ begin, k + 1 < step ? begin : decoder->out->len };
    }
    return st;
}

static Status append_spaced(Decoder *decoder, const char *piece)
{
    const char *symbol;
    Status st = OK;

    for (; st == OK && (symbol = strstr(piece, SP_SPACE)); piece = symbol + strlen(SP_SPACE)) {
        st = buf_append(decoder->out, piece, (size_t)(symbol - piece), decoder->err);
        if (st == OK) st = buf_append(decoder->out, " ", 1, decoder->err);
    }
    return st == OK ? buf_append_text(decoder->out, piece, decoder->err) : st;
}

static Status append_piece(Decoder *decoder, const char *piece, int32_t id)
{
    const SpTraits *traits = decoder->traits;
    SpPieceType type = id < 0 ? SP_UNKNOWN : sp_pieces_type(traits->pieces, id);

    if (decoder->first_seen || decoder->out->len > decoder->start) decoder->first = false;
    decoder->first_seen = false;
    if (type == SP_CONTROL) return OK;
    if (type == SP_UNKNOWN) return buf_append_text(decoder->out, id < 0 ? piece : traits->unk_surface, decoder->err);
    if (decoder->first && (traits->add_dummy_prefix || traits->remove_extra_whitespaces) &&
        text_begins_with(piece, SP_SPACE)) {
        piece += strlen(SP_SPACE);
        decoder->first_seen = !traits->remove_extra_whitespaces;
    }
    return append_spaced(decoder, piece);
}

static Status decode(const SpTraits *traits, const char *const *pieces, size_t count, Buf *out, Range *ranges, Err *err)
{
    Decoder decoder = { .traits = traits, .out = out, .start = out->len, .first = true, .err = err };
    Buf bytes = { 0 };
    Status st = OK;

    for (size_t i = 0; st == OK && i < count; i++) {
        size_t len = strlen(pieces[i]), begin;
        int32_t id = sp_pieces_find(traits->pieces, pieces[i], len);
        if (id >= 0 && sp_pieces_type(traits->pieces, id) == SP_BYTE) {
            char byte = (char)sp_byte_of(pieces[i], len);
            st = buf_append(&bytes, &byte, 1, err);
            continue;
        }
        st = append_bytes(&decoder, &bytes, ranges ? ranges + i - bytes.len : NULL);
        buf_clear(&bytes);
        begin = out->len;
        if (st == OK) st = append_piece(&decoder, pieces[i], id);
        if (ranges) ranges[i] = (Range){ begin, out->len };
    }
    if (st == OK) st = append_bytes(&decoder, &bytes, ranges ? ranges + count - bytes.len : NULL);
    buf_free(&bytes);
    return st;
}

/* Appends the denormalized text. A piece ends before the first byte that was made of what follows it. */
static Status denormalize(const SpDenormalizer *rules, const Buf *text, Buf *out, Range *ranges, size_t count, Err *err)
{
    const SpTraits traits = { .add_dummy_prefix = rules->add_dummy_prefix,
                              .remove_extra_whitespaces = rules->remove_extra_whitespaces,
                              .escape_whitespaces = rules->escape_whitespaces,
                              .map = rules->map };
    const size_t start = out->len;
    RangeList map = { 0 };
    size_t at = 0;
    Status st = text->len ? sp_normalize(&traits, text->data, text->len, out, ranges ? &map : NULL, err) : OK;

    for (size_t i = 0; st == OK && ranges && i < count; i++) {
        const size_t begin = start + at;
        while (at < map.len && map.data[at].begin < ranges[i].end) at++;
        ranges[i] = (Range){ begin, start + at };
    }
    ranges_free(&map);
    return st;
}

Status sp_decode(const SpTraits *traits, const char *const *pieces, size_t count, Buf *out, Range *ranges, Err *err)
{
    Buf text = { 0 };
    Status st;

    if (!traits->denormalizer.map.len) return decode(traits, pieces, count, out, ranges, err);
    st = decode(traits, pieces, count, &text, ranges, err);
    if (st == OK) st = denormalize(&traits->denormalizer, &text, out, ranges, count, err);
    buf_free(&text);
    return st;
}
