/* sp_runs.c - see sp_runs.h. */
#include "sp_runs.h"

#include <stdio.h>

static Status emit_bytes(const SpSink *sink, const char *text, size_t len, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < len; i++) {
        char piece[8];
        snprintf(piece, sizeof piece, "<0x%02X>", (unsigned)(unsigned char)text[i]);
        st = sink->each(sink->context, piece, 6, err);
    }
    return st;
}

Status sp_runs_end(SpRuns *runs, Err *err)
{
    const SpSink *sink = &runs->sink;
    const char *text = runs->unknown;

    runs->unknown = NULL;
    if (!text) return OK;
    return sink->bytes ? emit_bytes(sink, text, runs->unknown_len, err)
                       : sink->each(sink->context, text, runs->unknown_len, err);
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
    return st == OK ? runs->sink.each(runs->sink.context, piece, len, err) : st;
}
