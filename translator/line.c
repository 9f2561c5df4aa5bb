/* line.c - see line.h. */
#include "line.h"

#include <stdlib.h>

#include "segment.h"

/* The segments' memory beside the ids: results, list nodes, the allocator's. */
#define SEGMENT_COST (sizeof(Segment) + 128)

static Status encode(Encoding *out, const LineRules *rules, const Buf *text, Err *err)
{
    if (rules->pieces) return tokenizer_encode_pieces(rules->tokenizer, text->data, text->len, out, err);
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
    line->view.segments = count;
    for (size_t i = 0; i < count; i++) line->segments[i] = (Segment){ .line = line, .index = i };
    return OK;
}

static Status wrap(Line *line, const Encoding *whole, const Tokenizer *tokenizer, size_t limit, Err *err)
{
    unsigned char *kinds = read_kinds(whole, tokenizer);
    Status st = kinds ? OK : err_memory(err, "the segments of a line");
    size_t at = 0;

    if (st == OK) st = new_segments(line, count_segments(kinds, whole->pieces, limit), err);
    for (size_t i = 0; st == OK && i < line->view.segments; i++) {
        Segment *segment = &line->segments[i];
        size_t count = segment_length(kinds + at, whole->pieces - at, limit);
        st = tokenizer_encode_part(tokenizer, whole, at, count, &segment->part, err);
        segment->source = segment->part.data;
        segment->source_len = segment->part.len;
        at += count;
    }
    free(kinds);
    return st;
}

/* The special ids around the pieces count: each segment has them. The ids of
 * `whole` become the line's. */
static Status cut(Line *line, Encoding *whole, const LineRules *rules, Err *err)
{
    size_t special = whole->ids.len - whole->pieces;
    Status st = OK;

    line->view.pieces = whole->pieces;
    if (whole->pieces && rules->limit <= special)
        return err_set(err, ERR_UNSUPPORTED,
                       "the model takes %zu tokens at once, and %zu of them are special: no room for text",
                       rules->limit, special);
    if (whole->ids.len > rules->limit) {
        if (whole->pieces) st = wrap(line, whole, rules->tokenizer, rules->limit - special, err);
    } else if (whole->pieces) {
        st = new_segments(line, 1, err);
        if (st == OK) line->segments[0].source = whole->ids.data;
        if (st == OK) line->segments[0].source_len = whole->ids.len;
    }
    line->view.source_ids = whole->ids;
    whole->ids = (IdList){ 0 };
    return st;
}

Status line_new(Line **out, const LineRules *rules, const char *text, size_t len, uintptr_t tag, Err *err)
{
    Line *line = calloc(1, sizeof *line);
    Encoding whole = { 0 };
    Status st = line ? OK : err_memory(err, "a line");

    *out = NULL;
    if (st == OK) {
        line->view.tag = tag;
        st = buf_append(&line->view.source, text, len, err);
    }
    if (st == OK && !segment_is_blank(text, len)) {
        st = encode(&whole, rules, &line->view.source, err);
        if (st == OK) st = cut(line, &whole, rules, err);
    }
    if (st == OK) {
        /* Ids twice (the line's, the segments'), and as many again for each
         * translation, with its text. */
        line->cost = sizeof *line + line->view.source.cap + 2 * line->view.source_ids.cap * sizeof(int32_t) +
                     line->view.segments * SEGMENT_COST + line->view.pieces * rules->n_best * 2 * sizeof(int32_t);
        *out = line;
        line = NULL;
    }
    encoding_free(&whole);
    line_free(line);
    return st;
}

static void clear_segment(Segment *segment)
{
    for (size_t i = 0; i < segment->count; i++) ids_free(&segment->results[i].ids);
    free(segment->results);
    ids_free(&segment->part);
    *segment = (Segment){ .line = segment->line, .index = segment->index };
}

void line_free(Line *line)
{
    if (!line) return;
    for (size_t i = 0; i < line->view.segments; i++) clear_segment(&line->segments[i]);
    for (size_t i = 0; i < line->view.count; i++) {
        buf_free(&line->view.translations[i].text);
        ids_free(&line->view.translations[i].ids);
    }
    free(line->segments);
    free(line->view.translations);
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

    for (size_t i = 0; st == OK && i < line->view.segments; i++) {
        const SegmentResult *result = &line->segments[i].results[rank];
        out->score += result->score;
        st = ids_append_all(&out->ids, result->ids.data, result->ids.len, err);
    }
    if (st != OK) return st;
    if (rules->pieces) return join_pieces(&out->text, &out->ids, rules->tokenizer, err);
    return tokenizer_decode(rules->tokenizer, out->ids.data, out->ids.len, &out->text, err);
}

Status line_complete(Line *line, const LineRules *rules, Err *err)
{
    size_t count = line->view.segments ? line->segments[0].count : 0;
    Status st = OK;

    for (size_t i = 0; i < line->view.segments; i++)
        if (line->segments[i].count < count) count = line->segments[i].count;
    if (count) line->view.translations = calloc(count, sizeof *line->view.translations);
    if (count && !line->view.translations) return err_memory(err, "a translation");
    line->view.count = count;
    for (size_t i = 0; st == OK && i < count; i++) st = join(&line->view.translations[i], line, i, rules, err);
    for (size_t i = 0; i < line->view.segments; i++) clear_segment(&line->segments[i]);
    return st;
}
