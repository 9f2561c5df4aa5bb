/* sp_runs.h - passes on the pieces of a text from left to right. Adjacent unknown pieces are merged into one, or are
 * split into byte pieces <0xNN>. */
#ifndef DRAGOMAN_SP_RUNS_H
#define DRAGOMAN_SP_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "sp_origins.h"

/* Receives one piece (not NUL-terminated). Any status except OK ends the encoding. */
typedef Status (*SpPieceFn)(void *context, const char *piece, size_t len, Err *err);

/* Where the ranges of the pieces go, and what they are computed from. */
typedef struct {
    const char *text;     /* the normalized text, which the pieces are parts of */
    const RangeList *map; /* the origins of its bytes */
    SpOriginStyle style;
    bool whole_runs;   /* SP_ORIGINS_TOKENIZERS: each byte piece has the range of its whole run (Unigram) */
    RangeList *ranges; /* receives one range for each piece */
} SpRanges;

/* The receiver of the pieces, and the treatment of unknown ones. */
typedef struct {
    bool bytes;
    SpPieceFn each;
    void *context;
    const SpRanges *ranges; /* NULL: not asked for */
} SpSink;

typedef struct {
    SpSink sink;
    const char *unknown; /* start of the pending unknown piece, or NULL */
    size_t unknown_len;
} SpRuns;

/* The number of bytes of the character that begins with this byte. */
static inline size_t sp_runs_character(char lead)
{
    const unsigned char c = (unsigned char)lead;

    return c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

MUST_USE Status sp_runs_add(SpRuns *runs, const char *piece, size_t len, bool known, Err *err);
/* Must be called after the last piece. */
MUST_USE Status sp_runs_end(SpRuns *runs, Err *err);

#endif
