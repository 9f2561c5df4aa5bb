/* sp_runs.c - see sp_runs.h. */
#include "sp_runs.h"

#include <stdio.h>

/* Appends the range of the text [at, at + len). */
static Status add_range(const SpRanges *r, const char *at, size_t len, Err *err)
{
    const size_t begin = (size_t)(at - r->text);

    return ranges_append(r->ranges, ranges_origin(r->map, (Range){ begin, begin + len }), 1, err);
}

static Status emit(const SpSink *sink, const char *text, size_t len, Err *err)
{
    Status st = sink->ranges ? add_range(sink->ranges, text, len, err) : OK;

    return st == OK ? sink->each(sink->context, text, len, err) : st;
}

/* The range of byte `i` of an unknown text, in this character. SentencePiece gives a character's range to its last
 * byte; the bytes before that one are empty. */
static Status add_byte_range(const SpRanges *r, const char *text, size_t len, size_t i, Range character, Err *err)
{
    const bool is_last = i + 1 == character.end;

    if (r->style != SP_ORIGINS_SENTENCEPIECE)
        return r->whole_runs ? add_range(r, text, len, err) : add_range(r, text + i, 1, err);
    return add_range(r, text + character.begin, is_last ? character.end - character.begin : 0, err);
}

static Status emit_bytes(const SpSink *sink, const char *text, size_t len, Err *err)
{
    Range character = { 0, 0 };
    Status st = OK;

    for (size_t i = 0; st == OK && i < len; i++) {
        char piece[8];
        if (i == character.end) character = (Range){ i, i + sp_runs_character(text[i]) };
        if (character.end > len) character.end = len;
        snprintf(piece, sizeof piece, "<0x%02X>", (unsigned)(unsigned char)text[i]);
        if (sink->ranges) st = add_byte_range(sink->ranges, text, len, i, character, err);
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
