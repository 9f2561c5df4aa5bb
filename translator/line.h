/* line.h - one line of input on its way: its sentences, where it is split, their
 * pieces, the segments that a model translates, and what came of them; then the same with the next model,
 * where the translation goes on to one. */
#ifndef DRAGOMAN_LINE_H
#define DRAGOMAN_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "dragoman.h"
#include "err.h"
#include "search.h"
#include "sentences.h"
#include "tokenizer.h"

typedef struct {
    Buf text;
    float score, sum;
    IdList ids;
} DragomanTranslation;

/* What the caller sees, as dragoman.h says. */
struct DragomanLine {
    size_t number;
    uintptr_t tag;
    Buf source;
    IdList source_ids;
    Buf *pivots; /* [pivot_count] */
    size_t pivot_count;
    size_t segments;
    bool wrapped;
    size_t count;
    DragomanTranslation *translations; /* [count] */
    size_t pieces;
};

/* One n-best entry of a segment. */
typedef struct {
    IdList ids;
    float score, sum;
} SegmentResult;

typedef struct Line Line;

/* What the model takes at once: a line, a sentence of it, or a part of what is too long. */
typedef struct Segment {
    Line *line;
    size_t index;           /* in the line */
    IdList source;          /* ids as the encoder takes them */
    SegmentResult *results; /* [count], best first; NULL until it is translated */
    size_t count;
    struct Segment *next; /* the scheduler's queue */
} Segment;

/* What the tokenizer gets at once: the text of a line, or a sentence of it. */
typedef struct {
    SentenceRange range; /* in the text; what lies between two units is kept */
    size_t segments_end; /* index after that of its last segment */
} Unit;

struct Line {
    DragomanLine view;
    size_t stage;      /* the model it is with: 0 is the first */
    Segment *segments; /* [segment_count], of this model */
    size_t segment_count, segment_room;
    Unit *units; /* [unit_count], of this model */
    size_t unit_count;
    bool broken; /* the model computes no finite numbers for it: it has no translation */
    size_t cost; /* bytes that the line takes under way, about; line_new(): with one model */

    /* The scheduler's, under its lock. */
    size_t open; /* segments not yet translated */
    bool ready;
    Line *next;
};

/* How a model's lines are read and written. */
typedef struct {
    const Tokenizer *tokenizer;
    bool pieces_in, pieces_out; /* text is pieces separated by spaces */
    Sentences *sentences;       /* NULL: a line is one unit */
    size_t limit;               /* source ids a segment, special ones included */
    bool asked_limit;           /* the user's: nothing that is cut for it is too long for the model */
    const SearchParams *params;
} LineRules;

/* Splits the text into sentences, if the rules say so, tokenizes and cuts them
 * into segments: none for a line without a piece. OK: the caller owns *out and ends it with line_free(). */
MUST_USE Status line_new(Line **out, const LineRules *rules, const char *text, size_t len, uintptr_t tag, Err *err);
void line_free(Line *line); /* NULL is allowed */

/* Copies one more hypothesis, the next best, into the segment; `room` is how
 * many will come. */
MUST_USE Status line_add_result(Segment *segment, size_t room, Hypothesis hypothesis, Err *err);

/* All segments are translated: joins rank i of each into translation i, and
 * decodes the text. Sentences get back the white space around them. */
MUST_USE Status line_complete(Line *line, const LineRules *rules, Err *err);

/* Hands a completed line on to the next model, whose rules these are: its best
 * translation, or a text that had no piece, becomes the source, and a pivot of
 * the view. */
MUST_USE Status line_pass_on(Line *line, const LineRules *next, Err *err);

#endif
