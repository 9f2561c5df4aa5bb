/* line_read.c - see line.h: splits the text of a line into sentences, encodes them and cuts them into segments. */
#include <stdlib.h>
#include <string.h>

#include "capitals.h"
#include "line_demands.h"
#include "line_kept.h"
#include "segment.h"
#include "typography.h"

/* Longest language request at the start of a line, in bytes. A line with a longer one is not split, because every
 * sentence would repeat it. */
#define LANGUAGE_BYTES 256

/* What is read of a unit. */
typedef struct {
    size_t index;         /* of the unit */
    const KeptText *kept; /* without edits: the unit has no items */
    LineText text;        /* to encode */
    RangeList map;        /* of `text` to that before typography_append(); empty: nothing was replaced */
    TextPlace place;
} UnitRead;

static Status encode(Encoding *out, const LineRules *rules, const char *text, size_t len, Err *err)
{
    if (rules->pieces_in) return tokenizer_encode_pieces(rules->tokenizer, text, len, out, err);
    return tokenizer_encode(rules->tokenizer, text, len, out, err);
}

/* A stand-in is not divided if there is another choice. */
static void protect_stand_ins(unsigned char *kinds, const Encoding *whole, const UnitRead *unit)
{
    for (size_t i = 0, e = 0; i < whole->pieces && e < unit->kept->count; i++) {
        const size_t begin = whole->ranges->data[whole->body + i].begin;
        while (e < unit->kept->count && unit->place.head + unit->kept->edits[e].from.end <= begin) e++;
        if (e < unit->kept->count && unit->place.head + unit->kept->edits[e].from.begin < begin)
            kinds[i] = CUT_IN_CHARACTER;
    }
}

/* Returns kinds[i], the CutKind before piece i; NULL when out of memory. */
static unsigned char *read_kinds(const Encoding *whole, const Tokenizer *tokenizer, const UnitRead *unit)
{
    SegmentScan scan = { 0 };
    unsigned char *kinds = malloc(whole->pieces);

    for (size_t i = 0; kinds && i < whole->pieces; i++) {
        if (i && tokenizer_facts(tokenizer)->source_is_words) scan.space = true;
        kinds[i] =
            (unsigned char)segment_scan(&scan, tokenizer_source_piece(tokenizer, whole->ids.data[whole->body + i]));
    }
    if (kinds) protect_stand_ins(kinds, whole, unit);
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

static Status wrap(Line *line, const Encoding *whole, const UnitRead *text, const Tokenizer *tokenizer, size_t limit,
                   Err *err)
{
    unsigned char *kinds = read_kinds(whole, tokenizer, text);
    Status st = kinds ? OK : err_memory(err, "the segments of a line");
    size_t first = line->segment_count, unit = line_source_ids(line)->len, at = 0;

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

/* Removes the last pieces of a text that is too long, so that it fits with its special tokens. */
static void crop(Line *line, Encoding *whole, size_t limit)
{
    const size_t after = whole->ids.len - whole->body - whole->pieces, special = whole->ids.len - whole->pieces;
    RangeList *ranges = whole->ranges;
    int32_t *end;

    if (whole->ids.len <= limit || special >= limit) return;
    end = whole->ids.data + whole->body + whole->pieces;
    whole->pieces = limit - special;
    memmove(whole->ids.data + whole->body + whole->pieces, end, after * sizeof *end);
    if (ranges) memmove(ranges->data + limit - after, ranges->data + ranges->len - after, after * sizeof *ranges->data);
    if (ranges) ranges->len = limit;
    whole->ids.len = limit;
    line->cropped = limit;
}

/* Each segment gets the special tokens around its pieces, so they count. */
static Status cut(Line *line, const Encoding *whole, const UnitRead *text, const LineRules *rules, Err *err)
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
        line->wrapped = line->wrapped || !rules->asked_limit;
        return wrap(line, whole, text, rules->tokenizer, rules->limit - special, err);
    }
    st = add_segments(line, 1, err);
    if (st != OK) return st;
    segment = &line->segments[line->segment_count - 1];
    segment->place = (SegmentPlace){ line_source_ids(line)->len, whole->body, whole->pieces, 0, 0 };
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
static Status keep_source(Line *line, const Encoding *whole, bool ranges, TextPlace place, Err *err)
{
    const bool first = !line->pivot_count;
    Status st = OK;

    if (first) line->pieces += whole->pieces;
    if (first || ranges) st = ids_append_all(line_source_ids(line), whole->ids.data, whole->ids.len, err);
    if (st != OK || !ranges) return st;
    return token_ranges_add(line_source_ranges(line), whole->ranges->data, whole->ranges->len, place, err);
}

void line_forget_source(Line *line)
{
    if (!line->pivot_count) line->pieces = 0;
    ids_clear(line_source_ids(line));
    line_source_ranges(line)->len = 0;
}

/* Marks the unit's segments, the last ones of the line, if they need their attention. */
static void mark_segments(Line *line, size_t first, size_t unit)
{
    const bool located = line->kept && line->kept->units[unit].way == KEPT_LEFT_OUT;

    for (size_t i = first; i < line->segment_count; i++) line->segments[i].located = located;
}

/* Encodes the text and cuts it into segments. */
static Status encode_unit(Line *line, const UnitRead *unit, const LineRules *rules, Err *err)
{
    const SearchParams *params = rules->params;
    const size_t first = line->segment_count;
    RangeList ranges = { 0 };
    Encoding whole = { .ranges = rules->ranges || unit->kept->count ? &ranges : NULL };
    Status st = encode(&whole, rules, unit->text.data, unit->text.len, err);

    if (st == OK && unit->map.len) ranges_trace(&ranges, 0, &unit->map);
    if (st == OK && rules->crops) crop(line, &whole, rules->limit);
    if (st == OK) st = cut(line, &whole, unit, rules, err);
    if (st == OK && line->demands && line->segment_count > first)
        st = line_demands_attach(line, unit->index, first, rules, err);
    if (st == OK && params->length_factor > 0) st = check_lengths(line, first, params, err);
    if (st == OK && unit->kept->count) st = line_kept_trace(line, unit->index, unit->place.head, &ranges, err);
    if (st == OK) st = keep_source(line, &whole, rules->ranges, unit->place, err);
    mark_segments(line, first, unit->index);
    encoding_free(&whole);
    ranges_free(&ranges);
    return st;
}

/* Sets unit->text to that of the unit, with its language request. `memory` is for it. */
static Status find_text(Line *line, UnitRead *unit, const LineRules *rules, Buf *memory, Err *err)
{
    const Buf *text = line_text(line);
    const Range range = line->units[unit->index].range;
    Status st = line->kept ? line_kept_read(line, unit->index, rules, err) : OK;

    unit->text = (LineText){ text->data + range.begin, range.end - range.begin };
    if (unit->kept->count) unit->text = (LineText){ unit->kept->text.data, unit->kept->text.len };
    if (st != OK || !unit->place.head) return st;
    buf_put(memory, text->data + unit->place.request, unit->place.head);
    if (st == OK) buf_put(memory, unit->text.data, unit->text.len);
    if (st == OK) st = buf_check(memory, err);
    unit->text = (LineText){ memory->data, memory->len };
    return st;
}

/* Adds the part of a text between byte *begin and a hole, and goes on after the hole. */
static void put_part(RangeList *parts, size_t *begin, Range hole)
{
    if (hole.begin > *begin) LIST_PUT(parts, ((Range){ *begin, hole.begin }));
    if (hole.end > *begin) *begin = hole.end;
}

/* Finds out whether the text is in all capitals, apart from a language request and items. */
static Status find_capitals(Line *line, const LineRules *rules, Err *err)
{
    const Buf *text = line_text(line);
    size_t begin = tokenizer_language_length(rules->tokenizer, text->data, text->len);
    RangeList parts = { 0 };
    Status st;

    for (size_t i = 0; i < line_kept_count(line); i++) put_part(&parts, &begin, line->kept->items.data[i].place);
    put_part(&parts, &begin, (Range){ text->len, text->len });
    st = LIST_CHECK(&parts, "the parts of a line", err);
    line->capitals = st == OK && capitals_count(text->data, parts.data, parts.len) >= CAPITALS_LEAST;
    ranges_free(&parts);
    return st;
}

/* The parts of the unit's text that are neither a language request nor stand-ins. */
static Status find_parts(RangeList *parts, const UnitRead *unit, const Tokenizer *tokenizer, Err *err)
{
    const size_t head = unit->place.head, len = unit->text.len;
    size_t begin = tokenizer_language_length(tokenizer, unit->text.data, len);

    for (size_t i = 0; i < unit->kept->count; i++) {
        const Range group = unit->kept->edits[i].from;
        put_part(parts, &begin, (Range){ head + group.begin, head + group.end });
    }
    put_part(parts, &begin, (Range){ len, len });
    return LIST_CHECK(parts, "the parts of a line", err);
}

/* Whether the translation of the unit must contain or begin with something as it is. */
static bool is_bound(const Line *line, const UnitRead *unit, const LineRules *rules)
{
    return line_demands_concern(line, line->units[unit->index].range) ||
           (!line->segment_count && line_prefix_text(line, rules).len);
}

/* Converts a unit in all capitals to normal case, unless its translation must contain something. `memory` is that of
 * find_text(). */
static Status lower_capitals(Line *line, UnitRead *unit, const LineRules *rules, Buf *memory, Err *err)
{
    const CapitalsText kind = line_is_split(line, rules) ? CAPITALS_SENTENCE : CAPITALS_SOURCE;
    RangeList parts = { 0 };
    Status st;

    if (!rules->capitals || is_bound(line, unit, rules)) return OK;
    st = find_parts(&parts, unit, rules->tokenizer, err);
    if (st == OK && capitals_count(unit->text.data, parts.data, parts.len) >= (line->capitals ? 1 : CAPITALS_LEAST)) {
        if (!memory->len) buf_put(memory, unit->text.data, unit->text.len);
        if (st == OK) st = buf_check(memory, err);
        unit->text = (LineText){ memory->data, memory->len };
        if (st == OK)
            st = capitals_lower(memory->data, parts.data, parts.len, rules->tokenizer, kind,
                                &line->units[unit->index].capitals, err);
    }
    ranges_free(&parts);
    return st;
}

/* Replaces marks that the model has rarely seen. `memory` is that of find_text(), `marks` for the text without hyphens
 * that are not in ASCII. */
static Status read_typography(Line *line, UnitRead *unit, const LineRules *rules, Buf *memory, Buf *marks, Err *err)
{
    Unit *of = &line->units[unit->index];
    const Buf *text = line_text(line);
    Status st = OK;

    if (!rules->keeps_unknown || !typography_is_needed(unit->text)) return OK;
    if (!is_bound(line, unit, rules)) {
        if (!memory->len) buf_put(memory, unit->text.data, unit->text.len);
        if (st == OK) st = buf_check(memory, err);
        if (st != OK) return st;
        of->quotes = typography_read_quotes(memory->data, memory->len,
                                            (LineText){ text->data + of->range.end, text->len - of->range.end },
                                            &line->open_quote);
        unit->text = (LineText){ memory->data, memory->len };
    }
    st = typography_append(marks, unit->text, &unit->map, err);
    unit->text = (LineText){ marks->data, marks->len };
    return st;
}

/* Reads a unit, with the language request text[start..begin) before it. One that is copied has no segments. */
static Status read_unit(Line *line, size_t index, const LineRules *rules, size_t start, size_t begin, Err *err)
{
    static const KeptText none;
    UnitRead unit = { .index = index,
                      .kept = line->kept ? &line->kept->units[index].text : &none,
                      .place = { start, begin - start, line->units[index].range.begin } };
    Buf memory = { 0 }, marks = { 0 };
    Status st = OK;

    if (!line->kept || line->kept->units[index].way != KEPT_COPIED) {
        st = find_text(line, &unit, rules, &memory, err);
        if (st == OK) st = lower_capitals(line, &unit, rules, &memory, err);
        if (st == OK) st = read_typography(line, &unit, rules, &memory, &marks, err);
        if (st == OK) st = encode_unit(line, &unit, rules, err);
    }
    line->units[index].segments_end = line->segment_count;
    ranges_free(&unit.map);
    buf_free(&memory);
    buf_free(&marks);
    return st;
}

static Status new_units(Line *line, const LineRules *rules, const Range *ranges, size_t count, Err *err)
{
    Status st = OK;

    line->units = calloc(count, sizeof *line->units);
    if (!line->units) return err_memory(err, "the sentences of a line");
    for (size_t i = 0; i < count; i++) line->units[i].range = ranges[i];
    line->unit_count = count;
    if (rules->capitals) st = find_capitals(line, rules, err);
    return st == OK && line->kept ? line_kept_find(line, rules, err) : st;
}

static Status read_whole(Line *line, const LineRules *rules, const Buf *text, Err *err)
{
    Range all = { 0, text->len };
    Status st = new_units(line, rules, &all, 1, err);

    return st == OK ? read_unit(line, 0, rules, 0, 0, err) : st;
}

/* The sentences after the language request. */
static Status find_sentences(const Line *line, const LineRules *rules, const Buf *text, size_t begin, Range **ranges,
                             size_t *count, Err *err)
{
    Status st = sentences_find(rules->sentences, text->data + begin, text->len - begin, ranges, count, err);

    for (size_t i = 0; st == OK && i < *count; i++)
        (*ranges)[i] = (Range){ begin + (*ranges)[i].begin, begin + (*ranges)[i].end };
    if (st == OK && line->kept) st = line_kept_divide(line, ranges, count, err);
    if (st == OK && line->kept) line_kept_join(line->kept, *ranges, count);
    return st;
}

/* Returns the length of the language request before the text. An item is none. */
static size_t request_length(const Line *line, const LineRules *rules, const Buf *text)
{
    const size_t length = tokenizer_language_length(rules->tokenizer, text->data, text->len);

    return line->kept && line->kept->items.data[0].place.begin < length ? 0 : length;
}

/* Makes one sentence of all if the line has demands that any of them could meet, and all of them fit the model. */
static Status join_sentences(const Line *line, const LineRules *rules, Range *ranges, size_t *count, Err *err)
{
    Encoding whole = { 0 };
    Status st;

    if (*count < 2 || !line_demands_want_whole(line)) return OK;
    st = encode(&whole, rules, line_text(line)->data, ranges[*count - 1].end, err);
    if (st == OK && whole.ids.len <= rules->limit) {
        ranges[0].end = ranges[*count - 1].end;
        *count = 1;
    }
    encoding_free(&whole);
    return st;
}

/* The language request is translated with every sentence; it is not a sentence by itself. */
static Status read_sentences(Line *line, const LineRules *rules, const Buf *text, Err *err)
{
    size_t begin = request_length(line, rules, text), start = 0, count;
    Range *ranges;
    Status st;

    if (begin > LANGUAGE_BYTES) return read_whole(line, rules, text, err);
    st = find_sentences(line, rules, text, begin, &ranges, &count, err);
    if (st == OK && !count) {
        free(ranges);
        return line->kept ? OK : read_whole(line, rules, text, err);
    }
    if (st == OK) st = join_sentences(line, rules, ranges, &count, err);
    while (start < begin && text->data[start] == ' ') start++;
    if (st == OK) st = new_units(line, rules, ranges, count, err);
    for (size_t i = 0; st == OK && i < count; i++) st = read_unit(line, i, rules, start, begin, err);
    if (st == OK) line->units[0].range.begin = begin ? start : ranges[0].begin;
    free(ranges);
    return st;
}

Status line_read_text(Line *line, const LineRules *rules, Err *err)
{
    const Buf *text = line_text(line);
    Status st;

    if (segment_is_blank(text->data, text->len)) return OK;
    line->open_quote = 0;
    st = line_is_split(line, rules) ? read_sentences(line, rules, text, err) : read_whole(line, rules, text, err);
    if (line->segment_count > line->most_segments) line->most_segments = line->segment_count;
    return st;
}
