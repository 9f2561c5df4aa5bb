/* line.c - see line.h. */
#include "line.h"

#include <math.h>
#include <stdlib.h>

#include "pivot_alignment.h"
#include "segment.h"

/* Memory of a segment besides its ids: results, list nodes and allocator overhead. */
#define SEGMENT_COST (sizeof(Segment) + 128)
/* Longest language request at the start of a line, in bytes. A line with a longer one is not split, because every
 * sentence would repeat it. */
#define LANGUAGE_BYTES 256

static Status encode(Encoding *out, const LineRules *rules, const char *text, size_t len, Err *err)
{
    if (rules->pieces_in) return tokenizer_encode_pieces(rules->tokenizer, text, len, out, err);
    return tokenizer_encode(rules->tokenizer, text, len, out, err);
}

/* Returns kinds[i], the CutKind before piece i; NULL when out of memory. */
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

/* Appends `count` segments. They may move until all segments of the line have been added. */
static Status add_segments(Line *line, size_t count, Err *err)
{
    Status st = buf_grow_list(&line->segments, &line->segment_room, line->segment_count, count, sizeof *line->segments,
                              "the segments of a line", err);

    for (size_t i = 0; st == OK && i < count; i++, line->segment_count++)
        line->segments[line->segment_count] = (Segment){ .line = line, .index = line->segment_count };
    return st;
}

/* The ids that the current model reads: for the first model those of the view. */
static IdList *source_ids(Line *line)
{
    DragomanLine *view = &line->view;

    return view->pivot_count ? &view->pivots[view->pivot_count - 1].source_ids : &view->source_ids;
}

static Status wrap(Line *line, const Encoding *whole, const Tokenizer *tokenizer, size_t limit, Err *err)
{
    unsigned char *kinds = read_kinds(whole, tokenizer);
    Status st = kinds ? OK : err_memory(err, "the segments of a line");
    size_t first = line->segment_count, unit = source_ids(line)->len, at = 0;

    if (st == OK) st = add_segments(line, count_segments(kinds, whole->pieces, limit), err);
    for (size_t i = first; st == OK && i < line->segment_count; i++) {
        size_t count = segment_length(kinds + at, whole->pieces - at, limit);
        line->segments[i].place = (SegmentPlace){ unit, whole->body, count, at, whole->pieces - at - count };
        st = tokenizer_encode_part(tokenizer, whole, at, count, &line->segments[i].source, err);
        at += count;
    }
    free(kinds);
    return st;
}

/* Each segment gets the special tokens around its pieces, so they count. */
static Status cut(Line *line, const Encoding *whole, const LineRules *rules, Err *err)
{
    size_t special = whole->ids.len - whole->pieces;
    Segment *segment;
    Status st;

    if (!whole->pieces) return OK;
    if (rules->limit <= special)
        return err_set(err, ERR_UNSUPPORTED,
                       "the model accepts %zu tokens, and %zu of them are special tokens, so there is no room for text",
                       rules->limit, special);
    if (whole->ids.len > rules->limit) {
        line->view.wrapped = line->view.wrapped || !rules->asked_limit;
        return wrap(line, whole, rules->tokenizer, rules->limit - special, err);
    }
    st = add_segments(line, 1, err);
    if (st != OK) return st;
    segment = &line->segments[line->segment_count - 1];
    segment->place = (SegmentPlace){ source_ids(line)->len, whole->body, whole->pieces, 0, 0 };
    return ids_append_all(&segment->source, whole->ids.data, whole->ids.len, err);
}

/* Checks the segments from `first` on: a max length that depends on the source may be below the min length that the
 * user asks for. */
static Status check_lengths(const Line *line, size_t first, const SearchParams *params, Err *err)
{
    for (size_t i = first; i < line->segment_count; i++) {
        const size_t source = line->segments[i].source.len;
        const size_t most = search_limit(params, source, 0, params->max_length);
        if (params->min_length > most)
            return err_set(
                err, ERR_USAGE,
                SETTING(MIN_LENGTH) " %zu exceeds the max length %zu, which is %zu source tokens times the max length "
                                    "factor %g",
                params->min_length, most, source, (double)params->length_factor);
    }
    return OK;
}

/* Keeps the ids that the current model reads. */
static Status keep_source(Line *line, const Encoding *whole, TextPlace place, Err *err)
{
    DragomanLine *view = &line->view;
    LinePivot *pivot = view->pivot_count ? &view->pivots[view->pivot_count - 1] : NULL;
    TokenRanges *ranges = pivot ? &pivot->source_ranges : &view->source_ranges;
    Status st = OK;

    if (!pivot) view->pieces += whole->pieces;
    if (!pivot || whole->ranges) st = ids_append_all(source_ids(line), whole->ids.data, whole->ids.len, err);
    if (st != OK || !whole->ranges) return st;
    return token_ranges_add(ranges, whole->ranges->data, whole->ranges->len, place, err);
}

/* Encodes the text and cuts it into segments. */
static Status read_unit(Line *line, Unit *unit, const LineRules *rules, const char *text, size_t len, TextPlace place,
                        Err *err)
{
    const SearchParams *params = rules->params;
    const size_t first = line->segment_count;
    RangeList ranges = { 0 };
    Encoding whole = { .ranges = rules->ranges ? &ranges : NULL };
    Status st = encode(&whole, rules, text, len, err);

    if (st == OK) st = cut(line, &whole, rules, err);
    if (st == OK && params->length_factor > 0) st = check_lengths(line, first, params, err);
    if (st == OK) st = keep_source(line, &whole, place, err);
    unit->segments_end = line->segment_count;
    encoding_free(&whole);
    ranges_free(&ranges);
    return st;
}

/* Reads a sentence, with the language request text[start..begin) before it. */
static Status read_sentence(Line *line, Unit *unit, const LineRules *rules, const Buf *text, size_t start, size_t begin,
                            Err *err)
{
    const TextPlace place = { start, begin - start, unit->range.begin };
    const char *data = text->data + unit->range.begin;
    size_t len = unit->range.end - unit->range.begin;
    Buf both = { 0 };
    Status st;

    if (start == begin) return read_unit(line, unit, rules, data, len, place, err);
    st = buf_append(&both, text->data + start, begin - start, err);
    if (st == OK) st = buf_append(&both, data, len, err);
    if (st == OK) st = read_unit(line, unit, rules, both.data, both.len, place, err);
    buf_free(&both);
    return st;
}

static Status new_units(Line *line, const SentenceRange *ranges, size_t count, Err *err)
{
    line->units = calloc(count, sizeof *line->units);
    if (!line->units) return err_memory(err, "the sentences of a line");
    for (size_t i = 0; i < count; i++) line->units[i].range = ranges[i];
    line->unit_count = count;
    return OK;
}

static Status read_whole(Line *line, const LineRules *rules, const Buf *text, Err *err)
{
    SentenceRange all = { 0, text->len };
    Status st = new_units(line, &all, 1, err);

    return st == OK ? read_unit(line, line->units, rules, text->data, text->len, (TextPlace){ 0 }, err) : st;
}

/* The language request is translated with every sentence; it is not a sentence by itself. */
static Status read_sentences(Line *line, const LineRules *rules, const Buf *text, Err *err)
{
    size_t begin = tokenizer_language_length(rules->tokenizer, text->data, text->len), start = 0, count;
    SentenceRange *ranges;
    Status st;

    if (begin > LANGUAGE_BYTES) return read_whole(line, rules, text, err);
    st = sentences_find(rules->sentences, text->data + begin, text->len - begin, &ranges, &count, err);
    if (st == OK && !count) return read_whole(line, rules, text, err);
    while (start < begin && text->data[start] == ' ') start++;
    for (size_t i = 0; st == OK && i < count; i++)
        ranges[i] = (SentenceRange){ begin + ranges[i].begin, begin + ranges[i].end };
    if (st == OK) st = new_units(line, ranges, count, err);
    for (size_t i = 0; st == OK && i < count; i++)
        st = read_sentence(line, &line->units[i], rules, text, start, begin, err);
    if (st == OK) line->units[0].range.begin = begin ? start : ranges[0].begin;
    free(ranges);
    return st;
}

static Status read_text(Line *line, const LineRules *rules, const Buf *text, Err *err)
{
    Status st;

    if (segment_is_blank(text->data, text->len)) return OK;
    st = rules->sentences ? read_sentences(line, rules, text, err) : read_whole(line, rules, text, err);
    if (line->segment_count > line->view.segments) line->view.segments = line->segment_count;
    return st;
}

/* A translation is assumed to be as long as its source. */
static size_t attention_cost(const Line *line)
{
    size_t values = 0;

    for (size_t i = 0; i < line->segment_count; i++)
        values += line->segments[i].source.len * (line->segments[i].source.len + 1);
    return values * sizeof(float);
}

/* Ids are stored twice, in the line and in its segments, and twice again per translation with its text; ranges, scores
 * and attention are stored once. */
static size_t cost_of(const Line *line, const LineRules *rules)
{
    const size_t range = rules->ranges ? sizeof(DragomanRange) : 0;
    const size_t score = rules->token_scores ? sizeof(float) : 0;
    const size_t attention = rules->attention ? attention_cost(line) : 0;

    return sizeof *line + line->view.source.cap + line->view.source_ids.cap * (2 * sizeof(int32_t) + range) +
           line->segment_count * SEGMENT_COST + line->unit_count * sizeof(Unit) +
           rules->params->n_best * (line->view.pieces * (2 * sizeof(int32_t) + range + score) + attention);
}

Status line_new(Line **out, const LineRules *rules, const char *text, size_t len, uintptr_t tag, Err *err)
{
    Line *line = calloc(1, sizeof *line);
    Status st = line ? OK : err_memory(err, "a line");

    *out = NULL;
    if (st == OK) {
        line->view.tag = tag;
        line->view.pivot_confidence = 1;
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

void line_free_results(SegmentResult *results, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ids_free(&results[i].ids);
        free(results[i].attention);
        free(results[i].token_scores);
    }
    free(results);
}

void line_free_segments(Line *line)
{
    for (size_t i = 0; i < line->segment_count; i++) {
        Segment *segment = &line->segments[i];
        line_free_results(segment->results, segment->count);
        line_free_results(segment->first_results, segment->first_count);
        ids_free(&segment->source);
    }
    free(line->segments);
    line->segments = NULL;
    line->segment_count = line->segment_room = 0;
    free(line->units);
    line->units = NULL;
    line->unit_count = 0;
}

static void free_translations(DragomanLine *view)
{
    for (size_t i = 0; i < view->count; i++) {
        buf_free(&view->translations[i].text);
        ids_free(&view->translations[i].ids);
        token_ranges_free(&view->translations[i].ranges);
        soft_alignment_free(&view->translations[i].alignment);
        free(view->translations[i].scores.data);
    }
    free(view->translations);
    view->translations = NULL;
    view->count = 0;
}

static void free_pivots(DragomanLine *view)
{
    for (size_t i = 0; i < view->pivot_count; i++) {
        LinePivot *pivot = &view->pivots[i];
        buf_free(&pivot->text);
        ids_free(&pivot->ids);
        token_ranges_free(&pivot->ranges);
        soft_alignment_free(&pivot->alignment);
        ids_free(&pivot->source_ids);
        token_ranges_free(&pivot->source_ranges);
    }
    free(view->pivots);
}

void line_free(Line *line)
{
    if (!line) return;
    line_free_segments(line);
    free_translations(&line->view);
    free_pivots(&line->view);
    buf_free(&line->view.source);
    ids_free(&line->view.source_ids);
    given_target_free(line->given);
    buf_free(&line->refusal);
    token_ranges_free(&line->view.source_ranges);
    free(line);
}

/* Continues the alignment with the last pivot to the source of the line. */
static Status continue_alignment(DragomanTranslation *translation, const DragomanLine *view, Err *err)
{
    const LinePivot *pivot = &view->pivots[view->pivot_count - 1];
    const PivotTokens tokens = { &pivot->alignment, &pivot->ranges, &pivot->source_ranges };

    return pivot_alignment_pass(&translation->alignment, &tokens, view->source_ids.len, err);
}

/* After the first model, the alignment is continued through the last pivot to the source. */
static Status complete_translation(Line *line, size_t rank, const LineRules *rules, Err *err)
{
    DragomanLine *view = &line->view;
    DragomanTranslation *translation = &view->translations[rank];
    Status st = line_join(translation, line, rank, rules, err);

    translation->confidence = (double)NAN; /* until it is judged */
    if (!rules->judged) translation->flags = 0;
    if (st == OK && rules->attention && view->pivot_count) st = continue_alignment(translation, view, err);
    return st;
}

Status line_complete(Line *line, const LineRules *rules, Err *err)
{
    size_t count = line->segment_count ? line->segments[0].count : 0;
    Status st = OK;

    for (size_t i = 0; i < line->segment_count; i++) {
        if (line->segments[i].count < count) count = line->segments[i].count;
        line->view.rescued |= line->segments[i].rescued;
    }
    if (count) line->view.translations = calloc(count, sizeof *line->view.translations);
    if (count && !line->view.translations) return err_memory(err, "a translation");
    line->view.count = count;
    for (size_t i = 0; st == OK && i < count; i++) st = complete_translation(line, i, rules, err);
    line_free_segments(line);
    return st;
}

/* Converts the text to what another program would read from a pipe: one line of valid UTF-8. */
static Status clean_pivot(LinePivot *pivot, const Buf *text, Err *err)
{
    size_t replaced;
    Status st = buf_append_clean(&pivot->text, text->data ? text->data : "", text->len, &replaced, err);

    for (size_t i = 0; i < pivot->text.len; i++)
        if (pivot->text.data[i] == '\n') pivot->text.data[i] = ' ';
    return st == OK && replaced ? token_ranges_clean(&pivot->ranges, text->data, err) : st;
}

/* Appends a pivot with the best translation, or with the text itself if there is none. Moves the translation's tokens
 * to it. */
static Status append_pivot(Line *line, bool ranges, Err *err)
{
    DragomanLine *view = &line->view;
    DragomanTranslation *best = view->count ? view->translations : NULL;
    LinePivot *grown = realloc(view->pivots, (view->pivot_count + 1) * sizeof *grown), *pivot;
    Status st;

    if (!grown) return err_memory(err, "the pivots of a line");
    view->pivots = grown;
    pivot = &grown[view->pivot_count];
    *pivot = (LinePivot){ .ids = { 0 } };
    if (best) {
        view->pivot_flags |= best->flags;
        view->pivot_confidence = best->confidence;
    }
    if (best && ranges) {
        pivot->ids = best->ids;
        pivot->ranges = best->ranges;
        pivot->alignment = best->alignment;
        best->ids = (IdList){ 0 };
        best->ranges = (TokenRanges){ 0 };
        best->alignment = (SoftAlignment){ 0 };
    }
    st = clean_pivot(pivot, best ? &best->text : line_text(line), err);
    view->pivot_count++;
    return st;
}

Status line_pass_on(Line *line, const LineRules *next, Err *err)
{
    DragomanLine *view = &line->view;
    Status st = append_pivot(line, next->ranges, err);

    free_translations(view);
    line_free_segments(line); /* a line without segments still has units */
    line->stage++;
    return st == OK ? read_text(line, next, line_text(line), err) : st;
}
