/* pair_format.c - see pair_format.h. */
#include "pair_format.h"

#include <string.h>

#include "format.h"
#include "json.h"

const char *const pair_format_names[] = { "text", "jsonl", NULL };

/* What is written before the values of a pair, and around the scores of its tokens. */
typedef struct {
    const char *sum, *count, *mean;
    const char *scores, *between, *closing;
} Notation;

static const Notation notations[] = {
    [PAIR_TEXT] = { "", "\t", "\t", "\t", " ", "" },
    [PAIR_JSONL] = { ",\"sum\":", ",\"count\":", ",\"mean\":", ",\"token_scores\":[", ",", "]" },
};

/* Ids that the model is forced to write do not count. */
static void put_scores(const PairFormatter *f, const Dragoman *d, const DragomanLine *line, Buf *out)
{
    const Notation *n = &notations[f->format];
    const size_t first = dragoman_line_forced(line, 0);
    const float sum = dragoman_line_sum(line, 0);
    size_t count;
    const int32_t *ids = dragoman_line_ids(line, 0, &count);
    const float *scores = dragoman_line_token_scores(line, 0, NULL);

    count -= first;
    buf_put_text(out, n->sum);
    format_put_score(out, sum);
    buf_put_format(out, "%s%zu%s", n->count, count, n->mean);
    format_put_score(out, sum / (float)count);
    if (!f->token_scores) return;
    if (f->format == PAIR_JSONL) {
        buf_put_text(out, ",\"tokens\":");
        format_put_tokens(out, d, ids + first, count);
    }
    buf_put_text(out, n->scores);
    format_put_scores(out, scores + first, count, n->between);
    buf_put_text(out, n->closing);
}

Status pair_format_line(const PairFormatter *f, const Dragoman *d, const DragomanLine *line, Buf *out, Err *err)
{
    const bool json = f->format == PAIR_JSONL;
    Status st = OK;

    if (json) buf_put_format(out, "{\"line\":%zu", dragoman_line_number(line));
    if (dragoman_line_count(line) && f->alignment.kind == ALIGNMENT_NONE) {
        put_scores(f, d, line, out);
    } else if (dragoman_line_count(line)) {
        if (json) buf_put_text(out, ",\"alignment\":");
        st = alignment_append(out, line, 0, f->alignment, f->unit, json, err);
    }
    buf_put_text(out, json ? "}\n" : "\n");
    return st == OK ? buf_check(out, err) : st;
}

Status pair_format_failure(const PairFormatter *f, size_t number, const char *reason, Buf *out, Err *err)
{
    if (f->format == PAIR_JSONL) {
        buf_put_format(out, "{\"line\":%zu,\"error\":", number);
        json_put_string(out, reason, strlen(reason));
        buf_put_byte(out, '}');
    }
    buf_put_byte(out, '\n');
    return buf_check(out, err);
}
