/* line.c - see line.h. */
#include "line.h"

#include <stdlib.h>

#include "segment.h"
#include "utf8.h"

/* The segments' memory beside the ids: results, list nodes, the allocator's. */
#define SEGMENT_COST (sizeof(Segment) + 128)

static Status encode(Encoding *out, const LineRules *rules, const Buf *text, Err *err)
{
    if (rules->pieces_in) return tokenizer_encode_pieces(rules->tokenizer, text->data, text->len, out, err);
    return tokenizer_encode(rules->tokenizer, text->data, text->len, out, err);
}

/* kinds[i] is the kind of a cut in front of piece i. */
static unsigned char *read_kinds(const Encoding *whole, const Tokenizer *tokenizer)
{
    SegmentScan scan = { 0 };
    unsigned char *kinds = malloc(whole->pieces);

    for (size_t i = 0; kinds && i < whole->pieces; i++) {
        if (i && tokenizer_source_is_words(tokenizer)) scan.space = true;
        kinds[i] =
            (unsigned char)segment_scan(&scan, tokenizer_source_piece(tokenizer, whole->ids.data[whole->body + i]));
    }
    return kinds;
}

static size_t count_segments(const unsigned char *kinds, size_t pieces, size_t limit)
{
    size_t count = 0;

    for (size_t at = 0; at < pieces; count++) at += segment_length(kinds + at, pieces - at, limit);
    return count;
}

static Status new_segments(Line *line, size_t count, Err *err)
{
    line->segments = calloc(count, sizeof *line->segments);
    if (!line->segments) return err_memory(err, "the segments of a line");
    line->segment_count = count;
    if (count > line->view.segments) line->view.segments = count;
    for (size_t i = 0; i < count; i++) line->segments[i] = (Segment){ .line = line, .index = i };
    return OK;
}

static Status wrap(Line *line, const Encoding *whole, const Tokenizer *tokenizer, size_t limit, Err *err)
{
    unsigned char *kinds = read_kinds(whole, tokenizer);
    Status st = kinds ? OK : err_memory(err, "the segments of a line");
    size_t at = 0;

    if (st == OK) st = new_segments(line, count_segments(kinds, whole->pieces, limit), err);
    for (size_t i = 0; st == OK && i < line->segment_count; i++) {
        size_t count = segment_length(kinds + at, whole->pieces - at, limit);
        st = tokenizer_encode_part(tokenizer, whole, at, count, &line->segments[i].source, err);
        at += count;
    }
    free(kinds);
    return st;
}

/* The special ids around the pieces count: each segment has them. */
static Status cut(Line *line, const Encoding *whole, const LineRules *rules, Err *err)
{
    size_t special = whole->ids.len - whole->pieces;
    Status st;

    if (!whole->pieces) return OK;
    if (rules->limit <= special)
        return err_set(err, ERR_UNSUPPORTED,
                       "the model takes %zu tokens at once, and %zu of them are special: no room for text",
                       rules->limit, special);
    if (whole->ids.len > rules->limit) return wrap(line, whole, rules->tokenizer, rules->limit - special, err);
    st = new_segments(line, 1, err);
    return st == OK ? ids_append_all(&line->segments[0].source, whole->ids.data, whole->ids.len, err) : st;
}

/* The text becomes segments; the first model's ids become the view's. */
static Status read_text(Line *line, const LineRules *rules, const Buf *text, Err *err)
{
    Encoding whole = { 0 };
    Status st = OK;

    if (segment_is_blank(text->data, text->len)) return OK;
    st = encode(&whole, rules, text, err);
    if (st == OK) st = cut(line, &whole, rules, err);
    if (st == OK && line->stage == 0) {
        line->view.pieces = whole.pieces;
        line->view.source_ids = whole.ids;
        whole.ids = (IdList){ 0 };
    }
    encoding_free(&whole);
    return st;
}

/* Ids twice (the line's, the segments'), and as many again for each
 * translation, with its text. */
static size_t cost_of(const Line *line, const LineRules *rules)
{
    return sizeof *line + line->view.source.cap + 2 * line->view.source_ids.cap * sizeof(int32_t) +
           line->segment_count * SEGMENT_COST + line->view.pieces * rules->n_best * 2 * sizeof(int32_t);
}

Status line_new(Line **out, const LineRules *rules, const char *text, size_t len, uintptr_t tag, Err *err)
{
    Line *line = calloc(1, sizeof *line);
    Status st = line ? OK : err_memory(err, "a line");

    *out = NULL;
    if (st == OK) {
        line->view.tag = tag;
        st = buf_append(&line->view.source, text, len, err);
    }
    if (st == OK) st = read_text(line, rules, &line->view.source, err);
    if (st == OK) {
        line->cost = cost_of(line, rules);
        *out = line;
        line = NULL;
    }
    line_free(line);
    return st;
}

static void free_segments(Line *line)
{
    for (size_t i = 0; i < line->segment_count; i++) {
        Segment *segment = &line->segments[i];
        for (size_t k = 0; k < segment->count; k++) ids_free(&segment->results[k].ids);
        free(segment->results);
        ids_free(&segment->source);
    }
    free(line->segments);
    line->segments = NULL;
    line->segment_count = 0;
}

static void free_translations(DragomanLine *view)
{
    for (size_t i = 0; i < view->count; i++) {
        buf_free(&view->translations[i].text);
        ids_free(&view->translations[i].ids);
    }
    free(view->translations);
    view->translations = NULL;
    view->count = 0;
}

void line_free(Line *line)
{
    if (!line) return;
    free_segments(line);
    free_translations(&line->view);
    for (size_t i = 0; i < line->view.pivot_count; i++) buf_free(&line->view.pivots[i]);
    free(line->view.pivots);
    buf_free(&line->view.source);
    ids_free(&line->view.source_ids);
    free(line);
}

Status line_add_result(Segment *segment, size_t room, Hypothesis hypothesis, Err *err)
{
    SegmentResult *result;
    Status st;

    if (!segment->results) segment->results = calloc(room, sizeof *segment->results);
    if (!segment->results) return err_memory(err, "a translation");
    result = &segment->results[segment->count];
    result->score = hypothesis.score;
    result->sum = hypothesis.sum;
    st = ids_append_all(&result->ids, hypothesis.ids, hypothesis.len, err);
    segment->count++;
    return st;
}

/* Pieces separated by spaces, without the special ones, as the text has none. */
static Status join_pieces(Buf *out, const IdList *ids, const Tokenizer *tokenizer, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < ids->len; i++) {
        if (tokenizer_target_is_special(tokenizer, ids->data[i])) continue;
        if (out->len) st = buf_append(out, " ", 1, err);
        if (st == OK) st = buf_append_text(out, tokenizer_target_piece(tokenizer, ids->data[i]), err);
    }
    return st;
}

static Status join(DragomanTranslation *out, const Line *line, size_t rank, const LineRules *rules, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < line->segment_count; i++) {
        const SegmentResult *result = &line->segments[i].results[rank];
        out->score += result->score;
        out->sum += result->sum;
        st = ids_append_all(&out->ids, result->ids.data, result->ids.len, err);
    }
    if (st != OK) return st;
    if (rules->pieces_out) return join_pieces(&out->text, &out->ids, rules->tokenizer, err);
    return tokenizer_decode(rules->tokenizer, out->ids.data, out->ids.len, &out->text, err);
}

Status line_complete(Line *line, const LineRules *rules, Err *err)
{
    size_t count = line->segment_count ? line->segments[0].count : 0;
    Status st = OK;

    for (size_t i = 0; i < line->segment_count; i++)
        if (line->segments[i].count < count) count = line->segments[i].count;
    if (count) line->view.translations = calloc(count, sizeof *line->view.translations);
    if (count && !line->view.translations) return err_memory(err, "a translation");
    line->view.count = count;
    for (size_t i = 0; st == OK && i < count; i++) st = join(&line->view.translations[i], line, i, rules, err);
    free_segments(line);
    return st;
}

/* As another program would read the text from a pipe: one line, without
 * what is no text. */
static Status append_pivot(DragomanLine *view, const Buf *text, Err *err)
{
    Buf *grown = realloc(view->pivots, (view->pivot_count + 1) * sizeof *grown), *pivot;
    size_t replaced;
    Status st;

    if (!grown) return err_memory(err, "the pivots of a line");
    view->pivots = grown;
    pivot = &grown[view->pivot_count++];
    *pivot = (Buf){ 0 };
    st = utf8_append_clean(pivot, text->data ? text->data : "", text->len, &replaced, err);
    for (size_t i = 0; i < pivot->len; i++)
        if (pivot->data[i] == '\n') pivot->data[i] = ' ';
    return st;
}

Status line_pass_on(Line *line, const LineRules *next, Err *err)
{
    DragomanLine *view = &line->view;
    const Buf *text = view->count         ? &view->translations[0].text
                      : view->pivot_count ? &view->pivots[view->pivot_count - 1]
                                          : &view->source;
    Buf before = *text; /* appending may move the pivots */
    Status st = append_pivot(view, &before, err);

    free_translations(view);
    line->stage++;
    return st == OK ? read_text(line, next, &view->pivots[view->pivot_count - 1], err) : st;
}
