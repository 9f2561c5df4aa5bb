/* sp_runs.c - see sp_runs.h. */
#include "sp_runs.h"

#include <stdio.h>

/* Appends the range of the text [at, at + len). */
static Status add_range(const SpRanges *r, const char *at, size_t len, Err *err)
{
    const size_t begin = (size_t)(at - r->text);

    return ranges_append(r->ranges, ranges_origin(r->map, (ByteRange){ begin, begin + len }), 1, err);
}

/* The range of byte `i` of an unknown text. SentencePiece gives a character's range to its last byte; the bytes
 * before that one are empty. */
static Status add_byte_range(const SpRanges *r, const char *text, size_t len, size_t i, Err *err)
{
    size_t first = i;

    if (r->style != SP_ORIGINS_SENTENCEPIECE)
        return r->whole_runs ? add_range(r, text, len, err) : add_range(r, text + i, 1, err);
    while (first && ((unsigned char)text[first] & 0xc0) == 0x80) first--;
    if (i + 1 == len || ((unsigned char)text[i + 1] & 0xc0) != 0x80)
        return add_range(r, text + first, i + 1 - first, err);
    return add_range(r, text + first, 0, err);
}

static Status emit(const SpSink *sink, const char *text, size_t len, Err *err)
{
    Status st = sink->ranges ? add_range(sink->ranges, text, len, err) : OK;

    return st == OK ? sink->each(sink->context, text, len, err) : st;
}

static Status emit_bytes(const SpSink *sink, const char *text, size_t len, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < len; i++) {
        char piece[8];
        snprintf(piece, sizeof piece, "<0x%02X>", (unsigned)(unsigned char)text[i]);
        if (sink->ranges) st = add_byte_range(sink->ranges, text, len, i, err);
        if (st == OK) st = sink->each(sink->context, piece, 6, err);
    }
    return st;
}

Status sp_runs_end(SpRuns *runs, Err *err)
{
    const SpSink *sink = &runs->sink;
    const char *text = runs->unknown;

    runs->unknown = NULL;
    if (!text) return OK;
    return sink->bytes ? emit_bytes(sink, text, runs->unknown_len, err) : emit(sink, text, runs->unknown_len, err);
}

Status sp_runs_add(SpRuns *runs, const char *piece, size_t len, bool known, Err *err)
{
    Status st;

    if (!known) {
        if (!runs->unknown) {
            runs->unknown = piece;
            runs->unknown_len = 0;
        }
        runs->unknown_len += len;
        return OK;
    }
    st = sp_runs_end(runs, err);
    return st == OK ? emit(&runs->sink, piece, len, err) : st;
}
