/* pair_format.c - see pair_format.h. */
#include "pair_format.h"

#include <string.h>

#include "format.h"
#include "json.h"

const char *const pair_format_names[] = { "text", "jsonl", NULL };

/* The notation of a format. */
typedef struct {
    const char *sum, *count, *mean;         /* before these values */
    const char *scores, *between, *closing; /* around those of the tokens */
} Notation;

static const Notation notations[] = {
    [PAIR_TEXT] = { "", "\t", "\t", "\t", " ", "" },
    [PAIR_JSONL] = { ",\"sum\":", ",\"count\":", ",\"mean\":", ",\"token_scores\":[", ",", "]" },
};

static Status append_number(Buf *out, const char *before, float number, Err *err)
{
    Status st = buf_append_text(out, before, err);

    return st == OK ? format_score(out, number, err) : st;
}

static Status append_token_scores(const DragomanLine *line, const Notation *n, Buf *out, Err *err)
{
    const size_t first = dragoman_line_forced(line, 0);
    size_t count;
    const float *scores = dragoman_line_token_scores(line, 0, &count);
    Status st = buf_append_text(out, n->scores, err);

    if (st == OK) st = format_scores(out, scores + first, count - first, n->between, err);
    return st == OK ? buf_append_text(out, n->closing, err) : st;
}

static Status append_tokens(const Dragoman *d, const DragomanLine *line, Buf *out, Err *err)
{
    const size_t first = dragoman_line_forced(line, 0);
    size_t count;
    const int32_t *ids = dragoman_line_ids(line, 0, &count);
    Status st = buf_append_text(out, ",\"tokens\":", err);

    return st == OK ? format_tokens(out, d, ids + first, count - first, err) : st;
}

static Status append_scores(const PairFormatter *f, const Dragoman *d, const DragomanLine *line, Buf *out, Err *err)
{
    const Notation *n = &notations[f->format];
    const float sum = dragoman_line_sum(line, 0);
    size_t count;
    Status st = append_number(out, n->sum, sum, err);

    (void)dragoman_line_ids(line, 0, &count);
    count -= dragoman_line_forced(line, 0);
    if (st == OK) st = buf_append_format(out, err, "%s%zu", n->count, count);
    if (st == OK) st = append_number(out, n->mean, sum / (float)count, err);
    if (st == OK && f->token_scores && f->format == PAIR_JSONL) st = append_tokens(d, line, out, err);
    return st == OK && f->token_scores ? append_token_scores(line, n, out, err) : st;
}

static Status append_alignment(const PairFormatter *f, const DragomanLine *line, Buf *out, Err *err)
{
    const bool json = f->format == PAIR_JSONL;
    Status st = json ? buf_append_text(out, ",\"alignment\":", err) : OK;

    return st == OK ? alignment_append(out, line, 0, f->alignment, f->unit, json, err) : st;
}

static Status begin(const PairFormatter *f, size_t number, Buf *out, Err *err)
{
    return f->format == PAIR_JSONL ? buf_append_format(out, err, "{\"line\":%zu", number) : OK;
}

static Status end(const PairFormatter *f, Buf *out, Err *err)
{
    return buf_append_text(out, f->format == PAIR_JSONL ? "}\n" : "\n", err);
}

Status pair_format_line(const PairFormatter *f, const Dragoman *d, const DragomanLine *line, Buf *out, Err *err)
{
    Status st = begin(f, dragoman_line_number(line), out, err);

    if (st == OK && dragoman_line_count(line))
        st = f->alignment.kind == ALIGNMENT_NONE ? append_scores(f, d, line, out, err)
                                                 : append_alignment(f, line, out, err);
    return st == OK ? end(f, out, err) : st;
}

Status pair_format_failure(const PairFormatter *f, size_t number, const char *reason, Buf *out, Err *err)
{
    Status st = begin(f, number, out, err);

    if (st == OK && f->format == PAIR_JSONL) st = buf_append_text(out, ",\"error\":", err);
    if (st == OK && f->format == PAIR_JSONL) st = json_string_append(out, reason, strlen(reason), err);
    return st == OK ? end(f, out, err) : st;
}
