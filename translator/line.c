/* line.c - see line.h. */
#include "line.h"

#include <stdlib.h>

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

static Status wrap(Line *line, const Encoding *whole, const Tokenizer *tokenizer, size_t limit, Err *err)
{
    unsigned char *kinds = read_kinds(whole, tokenizer);
    Status st = kinds ? OK : err_memory(err, "the segments of a line");
    size_t first = line->segment_count, at = 0;

    if (st == OK) st = add_segments(line, count_segments(kinds, whole->pieces, limit), err);
    for (size_t i = first; st == OK && i < line->segment_count; i++) {
        size_t count = segment_length(kinds + at, whole->pieces - at, limit);
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
    return ids_append_all(&line->segments[line->segment_count - 1].source, whole->ids.data, whole->ids.len, err);
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

/* Encodes the text and cuts it into segments. The ids for the first model become those of the view. */
static Status read_unit(Line *line, Unit *unit, const LineRules *rules, const char *text, size_t len, Err *err)
{
    const SearchParams *params = rules->params;
    const size_t first = line->segment_count;
    Encoding whole = { 0 };
    Status st = encode(&whole, rules, text, len, err);

    if (st == OK) st = cut(line, &whole, rules, err);
    if (st == OK && params->length_factor > 0) st = check_lengths(line, first, params, err);
    if (st == OK && line->stage == 0) {
        line->view.pieces += whole.pieces;
        st = ids_append_all(&line->view.source_ids, whole.ids.data, whole.ids.len, err);
    }
    unit->segments_end = line->segment_count;
    encoding_free(&whole);
    return st;
}

/* Reads a sentence, with the language request text[start..begin) before it. */
static Status read_sentence(Line *line, Unit *unit, const LineRules *rules, const Buf *text, size_t start, size_t begin,
                            Err *err)
{
    const char *data = text->data + unit->range.begin;
    size_t len = unit->range.end - unit->range.begin;
    Buf both = { 0 };
    Status st;

    if (start == begin) return read_unit(line, unit, rules, data, len, err);
    st = buf_append(&both, text->data + start, begin - start, err);
    if (st == OK) st = buf_append(&both, data, len, err);
    if (st == OK) st = read_unit(line, unit, rules, both.data, both.len, err);
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

    return st == OK ? read_unit(line, line->units, rules, text->data, text->len, err) : st;
}

/* The language request is translated with every sentence; it is no sentence by itself. */
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

/* Ids are stored twice, in the line and in its segments, and twice again per translation with its text. */
static size_t cost_of(const Line *line, const LineRules *rules)
{
    return sizeof *line + line->view.source.cap + 2 * line->view.source_ids.cap * sizeof(int32_t) +
           line->segment_count * SEGMENT_COST + line->unit_count * sizeof(Unit) +
           line->view.pieces * rules->params->n_best * 2 * sizeof(int32_t);
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
    buf_free(&line->refusal);
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

/* The text for the current model: the source or the last pivot. */
static const Buf *text_of(const DragomanLine *view)
{
    return view->pivot_count ? &view->pivots[view->pivot_count - 1] : &view->source;
}

/* Joins pieces with spaces and omits special tokens. */
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

static Status join_segments(DragomanTranslation *out, const Line *line, size_t rank, size_t first, size_t end, Err *err)
{
    Status st = OK;

    for (size_t i = first; st == OK && i < end; i++) {
        const SegmentResult *result = &line->segments[i].results[rank];
        out->score += result->score;
        out->sum += result->sum;
        st = ids_append_all(&out->ids, result->ids.data, result->ids.len, err);
    }
    return st;
}

/* Appends text[left..right), which separates the sentence from the previous one, and the translation of the
 * sentence. */
static Status append_sentence(Buf *out, const Buf *text, size_t left, size_t right, const Buf *sentence, Err *err)
{
    Status st = buf_append(out, text->data + left, right - left, err);

    if (st == OK && left == right && out->len && sentence->len &&
        sentences_need_space(out->data, out->len, sentence->data, sentence->len))
        st = buf_append(out, " ", 1, err);
    return st == OK ? buf_append(out, sentence->data, sentence->len, err) : st;
}

/* White space at the start of a line that is not split belongs to its unit. */
static Status join_units(DragomanTranslation *out, const Line *line, size_t rank, const LineRules *rules, Err *err)
{
    const Buf *text = text_of(&line->view);
    size_t first = 0, left = 0;
    Buf sentence = { 0 };
    Status st = OK;

    for (size_t i = 0; st == OK && i < line->unit_count; i++) {
        const Unit *unit = &line->units[i];
        size_t ids = out->ids.len;
        st = join_segments(out, line, rank, first, unit->segments_end, err);
        buf_clear(&sentence);
        if (st == OK)
            st = tokenizer_decode(rules->tokenizer, out->ids.data + ids, out->ids.len - ids, &sentence, NULL, err);
        if (st == OK) st = append_sentence(&out->text, text, left, unit->range.begin, &sentence, err);
        first = unit->segments_end;
        left = unit->range.end;
    }
    if (st == OK) st = buf_append(&out->text, text->data + left, text->len - left, err);
    buf_free(&sentence);
    return st;
}

/* Pieces have no white space to restore between sentences. */
static Status join(DragomanTranslation *out, const Line *line, size_t rank, const LineRules *rules, Err *err)
{
    Status st;

    if (!rules->pieces_out) return join_units(out, line, rank, rules, err);
    st = join_segments(out, line, rank, 0, line->segment_count, err);
    return st == OK ? join_pieces(&out->text, &out->ids, rules->tokenizer, err) : st;
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

/* Converts the text to what another program would read from a pipe: one line of valid UTF-8. */
static Status append_pivot(DragomanLine *view, const Buf *text, Err *err)
{
    Buf *grown = realloc(view->pivots, (view->pivot_count + 1) * sizeof *grown), *pivot;
    size_t replaced;
    Status st;

    if (!grown) return err_memory(err, "the pivots of a line");
    view->pivots = grown;
    pivot = &grown[view->pivot_count++];
    *pivot = (Buf){ 0 };
    st = buf_append_clean(pivot, text->data ? text->data : "", text->len, &replaced, err);
    for (size_t i = 0; i < pivot->len; i++)
        if (pivot->data[i] == '\n') pivot->data[i] = ' ';
    return st;
}

Status line_pass_on(Line *line, const LineRules *next, Err *err)
{
    DragomanLine *view = &line->view;
    Buf before = view->count ? view->translations[0].text : *text_of(view); /* append_pivot() may move the pivots */
    Status st = append_pivot(view, &before, err);

    free_translations(view);
    free_segments(line); /* a line without segments still has units */
    line->stage++;
    return st == OK ? read_text(line, next, &view->pivots[view->pivot_count - 1], err) : st;
}
