/* line.c - see line.h: reads a line, joins the translations of its segments, and passes it on to the next model. */
#include "line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "capitals.h"
#include "chars.h"
#include "segment.h"
#include "target_text.h"

/* --- Reading: the text is split into sentences, encoded and cut into segments. */

/* Longest language request at the start of a line, in bytes. A line with a longer one is not split, because every
 * sentence would repeat it. */
#define LANGUAGE_BYTES 256

/* A unit while it is read. */
typedef struct {
    Unit *unit;
    LineText text; /* to encode */
    Buf memory;    /* owns `text` if it differs from the text of the unit; else empty */
    Buf marks;     /* owns `text` if typography_append() has written it */
    RangeList map; /* from `text` to the text before typography_append(); empty: they are equal */
    TextPlace place;
} UnitRead;

static Status encode(Encoding *out, const LineRules *rules, const char *text, size_t len, Err *err)
{
    if (rules->pieces_in) return tokenizer_encode_pieces(rules->tokenizer, text, len, out, err);
    return tokenizer_encode(rules->tokenizer, text, len, out, err);
}

/* Returns kinds[i], the CutKind of a cut before piece i; NULL when out of memory. Cuts inside a stand-in are
 * CUT_IN_CHARACTER, the last choice for a cut. */
static unsigned char *read_kinds(const Encoding *whole, const Tokenizer *tokenizer, const UnitRead *read)
{
    const KeptText *kept = &read->unit->kept.text;
    SegmentScan scan = { 0 };
    unsigned char *kinds = malloc(whole->pieces);

    for (size_t i = 0, e = 0; kinds && i < whole->pieces; i++) {
        if (i && tokenizer_facts(tokenizer)->source_is_words) scan.space = true;
        kinds[i] =
            (unsigned char)segment_scan(&scan, tokenizer_source_spelling(tokenizer, whole->ids.data[whole->body + i]));
        if (!kept->count) continue;
        const size_t begin = whole->ranges->data[whole->body + i].begin;
        while (e < kept->count && read->place.head + kept->edits[e].from.end <= begin) e++;
        if (e < kept->count && read->place.head + kept->edits[e].from.begin < begin) kinds[i] = CUT_IN_CHARACTER;
    }
    return kinds;
}

/* Removes the last pieces of a text that is too long, so that it fits with its special tokens. The tokens after the
 * pieces then stand at the end of the last piece. Returns whether the text was too long. */
static bool crop(Line *line, Encoding *whole, size_t limit)
{
    const size_t after = whole->ids.len - whole->body - whole->pieces, special = whole->ids.len - whole->pieces;
    RangeList *ranges = whole->ranges;
    Range *last;
    int32_t *end;

    if (whole->ids.len <= limit || special >= limit) return false;
    end = whole->ids.data + whole->body + whole->pieces;
    whole->pieces = limit - special;
    memmove(whole->ids.data + whole->body + whole->pieces, end, after * sizeof *end);
    last = &ranges->data[limit - after - 1];
    for (size_t i = 1; i <= after; i++) last[i] = (Range){ last->end, last->end };
    ranges->len = limit;
    whole->ids.len = limit;
    line->cropped = limit;
    return true;
}

/* The byte of the unit where its last piece ends. The ranges are in the text that the model reads; `place` says where
 * this text comes from. */
static size_t end_of_pieces(const Encoding *whole, TextPlace place)
{
    const size_t end = whole->ranges->data[whole->body + whole->pieces - 1].end;

    return end > place.head ? end - place.head : 0;
}

/* Cuts a unit into segments. The limit includes the special tokens that each segment gets around its pieces. Adding
 * segments moves line->segments, so pointers to them are only valid when all units have been read. */
static Status cut(Line *line, const Encoding *whole, const UnitRead *read, const LineRules *rules, Err *err)
{
    const size_t special = whole->ids.len - whole->pieces, unit = line_source_ids(line)->len;
    unsigned char *kinds = NULL; /* NULL: the unit fits one segment */
    Status st = OK;

    if (!whole->pieces) return OK;
    if (rules->limit <= special)
        return err_set(err, ERR_UNSUPPORTED,
                       "the model accepts %zu tokens, and %zu of them are special tokens, so there is no room for text",
                       rules->limit, special);
    if (whole->ids.len > rules->limit) {
        line->wrapped = line->wrapped || !rules->asked_limit;
        kinds = read_kinds(whole, rules->tokenizer, read);
        if (!kinds) return err_memory(err, "the segments of a line");
    }
    for (size_t at = 0, count; st == OK && at < whole->pieces; at += count) {
        const size_t left = whole->pieces - at;
        Segment *segment;
        count = kinds ? segment_length(kinds + at, left, rules->limit - special) : left;
        st = buf_grow_list(&line->segments, &line->segment_room, line->segment_count, 1, sizeof *line->segments,
                           "the segments of a line", err);
        if (st != OK) break;
        segment = &line->segments[line->segment_count];
        *segment = (Segment){ .line = line,
                              .attempt = line->given ? ATTEMPT_SCORED : ATTEMPT_FREE,
                              .index = line->segment_count++,
                              .place = { unit, whole->body, count, at, left - count } };
        st = tokenizer_encode_part(whole, at, count, &segment->source, err);
    }
    free(kinds);
    return st;
}

/* If the maximum length depends on the source, it may be below the minimum length of the user: fails then. */
static Status check_length(const Segment *segment, const SearchParams *params, Err *err)
{
    const size_t source = segment->source.len, most = search_limit(params, source, 0, params->max_length);

    if (!(params->length_factor > 0) || params->min_length <= most) return OK;
    return err_set(err, ERR_USAGE,
                   SETTING(MIN_LENGTH) " %zu exceeds the max length %zu, which is %zu source tokens times the max "
                                       "length factor %g",
                   params->min_length, most, source, (double)params->length_factor);
}

/* Lists the terms of the unit for its prompt: each with the first form that it may have. */
static Status list_terms(PromptTerms *out, const Line *line, Range unit, Err *err)
{
    const char *text = line_text(line)->data;

    for (size_t i = 0; i < line->demands.len; i++) {
        const Span *demand = &line->demands.data[i];
        const char *form = line->forms.data + demand->first_form;
        bool is_new =
            demand->kind == DRAGOMAN_SPAN_TERM && demand->form_count && demand->place.begin < demand->place.end;
        LineText term;
        if (demand->place.begin < unit.begin || demand->place.end > unit.end) continue;
        term = (LineText){ text + demand->place.begin, demand->place.end - demand->place.begin };
        for (size_t k = 0; is_new && k < out->len; k++) is_new = !chars_are_equal(out->data[k].term, term);
        if (is_new) LIST_PUT(out, ((PromptTerm){ term, { form, strlen(form) } }));
    }
    return LIST_CHECK(out, "the terms of a line", err);
}

/* Encodes the text, cuts it into segments and keeps the ids that the current model reads. If the items of the unit are
 * left out, marks its segments as `located`, so that attention is recorded. */
static Status encode_unit(Line *line, const UnitRead *read, const LineRules *rules, Err *err)
{
    const size_t first = line->segment_count;
    KeptUnit *kept = &read->unit->kept;
    RangeList ranges = { 0 };
    const bool has_demands = line->demands.len && line_demands_concern(line, read->unit->range);
    Encoding whole = { .ranges = rules->ranges || rules->crops || kept->way || has_demands ? &ranges : NULL };
    PromptTerms terms = { .len = 0 };
    bool is_cropped;
    Status st = OK;

    if (has_demands && rules->is_last && tokenizer_facts(rules->tokenizer)->takes_terms)
        st = list_terms(&terms, line, read->unit->range, err);
    whole.terms = terms.data;
    whole.term_count = terms.len;
    if (st == OK) st = encode(&whole, rules, read->text.data, read->text.len, err);

    if (st == OK && read->map.len) ranges_trace(&ranges, 0, &read->map);
    is_cropped = st == OK && rules->crops && crop(line, &whole, rules->limit);
    if (is_cropped && kept->way) line_kept_crop(line, read->unit, end_of_pieces(&whole, read->place));
    if (st == OK) st = cut(line, &whole, read, rules, err);
    for (size_t i = first; st == OK && i < line->segment_count; i++) {
        line->segments[i].located = kept->way == KEPT_LEFT_OUT;
        st = check_length(&line->segments[i], rules->params, err);
    }
    if (st == OK && kept->way) st = line_kept_trace(kept, read->place.head, &ranges, err);
    read->unit->end = read->unit->range.end;
    if (st == OK && is_cropped) read->unit->end = read->place.begin + end_of_pieces(&whole, read->place);
    if (st == OK && has_demands && line->segment_count > first)
        st = line_demands_attach(line, read->unit, first, &ranges, read->place, rules, err);
    if (st == OK) { /* the unit may have been read before */
        buf_free(&read->unit->replaced);
        read->unit->replaced = whole.replaced;
        whole.replaced = (Buf){ 0 };
    }
    if (st == OK && !line->pivot_count) line->pieces += whole.pieces;
    if (st == OK && (!line->pivot_count || rules->ranges))
        st = ids_append_all(line_source_ids(line), whole.ids.data, whole.ids.len, err);
    if (st == OK && rules->ranges)
        st = token_ranges_add(line_source_ranges(line), ranges.data, ranges.len, read->place, err);
    encoding_free(&whole);
    ranges_free(&ranges);
    free(terms.data);
    return st;
}

/* Appends the range from *begin to the beginning of the hole to `parts`, and moves *begin to the end of the hole. */
static void put_part(RangeList *parts, size_t *begin, Range hole)
{
    if (hole.begin > *begin) LIST_PUT(parts, ((Range){ *begin, hole.begin }));
    if (hole.end > *begin) *begin = hole.end;
}

/* Whether each translation by this model has to contain a text without a range. */
static bool has_must(const Line *line, const LineRules *rules)
{
    const SpanList *demands = &line->demands; /* terms, then texts without ranges */

    return rules->is_last && demands->len && demands->data[demands->len - 1].kind == DRAGOMAN_SPAN_MUST;
}

/* Whether the translation of the next unit has to contain a text without a range or to begin with a prefix. */
static bool is_bound(const Line *line, const LineRules *rules)
{
    return has_must(line, rules) || (!line->segment_count && line_prefix_text(line, rules).len);
}

/* Copies read->text to read->memory, where it can be changed, unless it is already there. */
static Status make_own(UnitRead *read, Err *err)
{
    Buf *memory = &read->memory;
    Status st;

    if (!memory->len) buf_put(memory, read->text.data, read->text.len);
    st = buf_check(memory, err);
    read->text = (LineText){ memory->data, memory->len };
    return st;
}

/* Converts a unit in all capitals to normal case, unless it is_bound(). A language request and stand-ins do not
 * change. */
static Status lower_capitals(Line *line, UnitRead *read, const LineRules *rules, Err *err)
{
    const CapitalsText kind = line_is_split(line, rules) ? CAPITALS_SENTENCE : CAPITALS_SOURCE;
    const size_t head = read->place.head, len = read->text.len;
    RangeList parts = { 0 };
    size_t begin;
    Status st;

    if (!rules->capitals || is_bound(line, rules)) return OK;
    begin = tokenizer_language_length(rules->tokenizer, read->text.data, len);
    for (size_t i = 0; i < read->unit->kept.text.count; i++) {
        const Range group = read->unit->kept.text.edits[i].from;
        put_part(&parts, &begin, (Range){ head + group.begin, head + group.end });
    }
    put_part(&parts, &begin, (Range){ len, len });
    st = LIST_CHECK(&parts, "the parts of a line", err);
    if (st == OK && capitals_count(read->text.data, parts.data, parts.len) >= (line->capitals ? 1 : CAPITALS_LEAST)) {
        st = make_own(read, err);
        if (st == OK)
            st = capitals_lower(read->memory.data, parts.data, parts.len, rules->tokenizer, kind, &read->unit->capitals,
                                err);
    }
    ranges_free(&parts);
    return st;
}

/* Replaces marks that the model has rarely seen: single quotation marks, and hyphens outside of ASCII. */
static Status read_typography(Line *line, UnitRead *read, const LineRules *rules, Err *err)
{
    const Buf *text = line_text(line);
    const size_t end = read->unit->range.end;
    Status st = OK;

    if (!rules->keeps_unknown || !typography_is_needed(read->text)) return OK;
    if (!is_bound(line, rules)) {
        st = make_own(read, err);
        if (st != OK) return st;
        read->unit->quotes = typography_read_quotes(read->memory.data, read->memory.len,
                                                    (LineText){ text->data + end, text->len - end }, &line->open_quote);
    }
    st = typography_append(&read->marks, read->text, &read->map, err);
    read->text = (LineText){ read->marks.data, read->marks.len };
    return st;
}

/* Reads a unit, with the language request before it. A unit that is copied has no segments. */
static Status read_unit(Line *line, Unit *unit, const LineRules *rules, Err *err)
{
    const char *text = line_text(line)->data;
    const Range request = line->request;
    UnitRead read = { .unit = unit,
                      .text = { text + unit->range.begin, unit->range.end - unit->range.begin },
                      .place = { request.begin, request.end - request.begin, unit->range.begin } };
    Status st = OK;

    if (unit->kept.way != KEPT_COPIED) {
        if (!line->segment_count) ids_clear(&line->kept_prefix);
        if (unit->kept.way) {
            st = line_kept_read(line, unit, rules, err);
            read.text = (LineText){ unit->kept.text.text.data, unit->kept.text.text.len };
        }
        if (st == OK && read.place.head) {
            buf_put(&read.memory, text + request.begin, read.place.head);
            buf_put(&read.memory, read.text.data, read.text.len);
            st = make_own(&read, err);
        }
        if (st == OK) st = lower_capitals(line, &read, rules, err);
        if (st == OK) st = read_typography(line, &read, rules, err);
        if (st == OK) st = encode_unit(line, &read, rules, err);
    }
    unit->segments_end = line->segment_count;
    ranges_free(&read.map);
    buf_free(&read.memory);
    buf_free(&read.marks);
    return st;
}

/* Moves the results of the unit's former segments, old[former], to its new segments from `first` on, unless the unit
 * was read differently this time. The first segment of a line is special: it has the prefix. */
static void move_results(Line *line, const Unit *unit, size_t first, Segment *old, Range former)
{
    const size_t count = former.end - former.begin;
    Segment *segments = line->segments + first;

    if (!count || line->segment_count - first != count || (first == 0) != (former.begin == 0)) return;
    old += former.begin;
    if (unit->kept.is_changed || segments->located != old->located) return;
    for (size_t i = 0; i < count; i++) {
        segments[i].results = old[i].results;
        segments[i].rescued = old[i].rescued;
        segments[i].attempt = ATTEMPT_NONE;
        old[i].results = (SegmentResults){ NULL, 0 };
    }
}

/* Reads all units. Before that, finds their items, and whether the text is in all capitals apart from items and a
 * language request. `old`: the former segments if units are read again; units that do not change keep their results. */
static Status read_units(Line *line, const LineRules *rules, Segment *old, Err *err)
{
    const Buf *text = line_text(line);
    size_t old_first = 0;
    Status st = OK;

    if (rules->capitals) {
        size_t begin = tokenizer_language_length(rules->tokenizer, text->data, text->len);
        RangeList parts = { 0 };
        for (size_t i = 0; i < line->kept.len; i++) put_part(&parts, &begin, line->kept.data[i].place);
        put_part(&parts, &begin, (Range){ text->len, text->len });
        st = LIST_CHECK(&parts, "the parts of a line", err);
        line->capitals = st == OK && capitals_count(text->data, parts.data, parts.len) >= CAPITALS_LEAST;
        ranges_free(&parts);
    }
    line->open_quote = 0;
    line->units[0].range.begin = line->units[0].begin;
    line_kept_find(line, rules);
    for (Unit *unit = line->units; st == OK && unit < line->units + line->unit_count; unit++) {
        const size_t first = line->segment_count, old_end = unit->segments_end;
        st = read_unit(line, unit, rules, err);
        if (st == OK && old) move_results(line, unit, first, old, (Range){ old_first, old_end });
        old_first = old_end;
    }
    if (line->request.end) line->units[0].range.begin = line->request.begin;
    if (line->segment_count > line->most_segments) line->most_segments = line->segment_count;
    return st;
}

/* Joins all sentences to one if the line has demands without ranges and the whole text fits the model. */
static Status join_sentences(const Line *line, const LineRules *rules, RangeList *sentences, Err *err)
{
    Encoding whole = { 0 };
    size_t end;
    Status st;

    if (sentences->len < 2 || !has_must(line, rules)) return OK;
    end = sentences->data[sentences->len - 1].end;
    st = encode(&whole, rules, line_text(line)->data, end, err);
    if (st == OK && whole.ids.len <= rules->limit) {
        sentences->data[0].end = end;
        sentences->len = 1;
    }
    encoding_free(&whole);
    return st;
}

/* Finds the sentences of the text from byte `begin` on. The language request before it becomes line->request, which is
 * put before every sentence. */
static Status find_sentences(Line *line, const LineRules *rules, size_t begin, RangeList *sentences, Err *err)
{
    const Buf *text = line_text(line);
    Status st = sentences_find(rules->sentences, text->data + begin, text->len - begin, sentences, err);

    for (size_t i = 0; st == OK && i < sentences->len; i++)
        sentences->data[i] = (Range){ begin + sentences->data[i].begin, begin + sentences->data[i].end };
    if (st == OK && line->kept.len) st = line_kept_divide(line, sentences, err);
    if (st == OK) st = join_sentences(line, rules, sentences, err);
    if (sentences->len) line->request = (Range){ 0, begin };
    while (line->request.begin < line->request.end && text->data[line->request.begin] == ' ') line->request.begin++;
    return st;
}

/* A text that no model reads is its own translation. If it has a language request, which ends at byte `begin`, or
 * numbers, makes a translation without the request and with the separators of the target language; also if it
 * has_must(), because a text that is missing is reported. */
static Status translate_copy(Line *line, const LineRules *rules, size_t begin, Err *err)
{
    const Buf *text = line_text(line);
    bool has_numbers = false;
    DragomanTranslation *out;
    Status st;

    for (size_t i = 0; i < line->kept.len; i++) has_numbers |= (line->kept.data[i].traits & SPAN_NUMBER) != 0;
    if (line->segment_count || line->given || (!has_numbers && !begin && !has_must(line, rules))) return OK;
    out = line->translations = calloc(1, sizeof *out);
    if (!out) return err_memory(err, "a translation");
    line->count = 1;
    out->confidence = (double)NAN;
    buf_put(&out->text, text->data + begin, text->len - begin);
    st = buf_check(&out->text, err);
    if (st == OK) st = spans_append_all(&out->items, line->kept.data, line->kept.len, err);
    if (st == OK) st = spans_append_all(&out->demands, line->demands.data, line->demands.len, err);
    if (st == OK) line_kept_copy(out, line, begin, text->len, 0);
    if (st == OK) line_kept_adapt(out, rules);
    spans_sort_by_source(out->items.data, out->items.len);
    return st;
}

/* Reads the text for the current model, unless it is blank. If the line is split, each sentence is a unit; a line that
 * consists only of items, which are copied, has no units, unless its translation has to begin with a prefix. If the
 * line is not split, all of its text is one unit. A language request is not a sentence; text that is a part of an item
 * is not a language request. */
static Status read_text(Line *line, const LineRules *rules, Err *err)
{
    const Buf *text = line_text(line);
    const size_t request = tokenizer_language_length(rules->tokenizer, text->data, text->len);
    const size_t begin = line->kept.len && line->kept.data[0].place.begin < request ? 0 : request;
    const bool splits = line_is_split(line, rules) && begin <= LANGUAGE_BYTES;
    RangeList units = { 0 };
    Status st = OK;

    line->request = (Range){ 0, 0 };
    if (segment_is_blank(text->data, text->len)) return OK;
    if (splits) st = find_sentences(line, rules, begin, &units, err);
    if (st == OK && !units.len && (!splits || !line->kept.len || line_prefix_text(line, rules).len))
        st = ranges_append(&units, (Range){ 0, text->len }, 1, err);
    if (st == OK && units.len) {
        line->units = calloc(units.len, sizeof *line->units);
        if (!line->units) st = err_memory(err, "the sentences of a line");
    }
    if (line->units) {
        line->unit_count = units.len;
        for (size_t i = 0; i < units.len; i++)
            line->units[i] = (Unit){ .range = units.data[i], .begin = units.data[i].begin };
        st = read_units(line, rules, NULL, err);
    }
    ranges_free(&units);
    return st == OK ? translate_copy(line, rules, begin, err) : st;
}

/* Bytes of memory per segment besides its ids: results, list nodes and allocator overhead. */
#define SEGMENT_COST (sizeof(Segment) + 128)

/* Estimates the memory of a line. The source ids and the ids of each translation are stored twice, in the line and in
 * its segments; ranges, scores and attention once. A translation is assumed to be as long as its source. */
static size_t cost_of(const Line *line, const LineRules *rules)
{
    const size_t range = rules->ranges ? sizeof(Range) : 0, score = rules->token_scores ? sizeof(float) : 0;
    const size_t kept = line->kept.len * (1 + rules->params->n_best) * sizeof(Span);
    size_t attention = 0, demands = line->forms.cap;

    for (size_t i = 0; i < line->demands.len; i++) demands += 256 * line->demands.data[i].form_count;
    for (size_t i = 0; rules->attention && i < line->segment_count; i++)
        attention += line->segments[i].source.len * (line->segments[i].source.len + 1) * sizeof(float);
    return sizeof *line + kept + demands + line->source.cap + line->source_ids.cap * (2 * sizeof(int32_t) + range) +
           line->segment_count * SEGMENT_COST + line->unit_count * sizeof(Unit) +
           rules->params->n_best * (line->pieces * (2 * sizeof(int32_t) + range + score) + attention);
}

static void free_segments(Segment *segments, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        segment_results_free(&segments[i].results);
        segment_results_free(&segments[i].earlier);
        ids_free(&segments[i].source);
        segment_demands_free(segments[i].demands);
    }
    free(segments);
}

static void free_units(Line *line)
{
    free_segments(line->segments, line->segment_count);
    line->segments = NULL;
    line->segment_count = line->segment_room = 0;
    for (size_t i = 0; i < line->unit_count; i++) {
        kept_text_free(&line->units[i].kept.text);
        ranges_free(&line->units[i].kept.tokens);
        buf_free(&line->units[i].replaced);
    }
    free(line->units);
    line->units = NULL;
    line->unit_count = 0;
}

/* --- Lines whose translation is known, and lines that are copied: no model reads them. */

/* Makes the known translation the only one. request->places are the places of the kept ranges in it. */
static Status read_known(Line *line, const LineRules *rules, const DragomanRequest *request, Err *err)
{
    const RangeList *places = &request->places;
    DragomanTranslation *translation;
    Status st = line_kept_new(line, request, rules, err);

    if (st == OK) st = line_demands_new(line, request, err);
    if (st != OK) return st;
    line->kept.len = 0; /* what dragoman has found in the source need not be in a known translation */
    st = spans_append_all(&line->kept, request->kept.data, request->kept.len, err);
    if (st != OK) return st;
    translation = line->translations = calloc(1, sizeof *translation);
    if (!translation) return err_memory(err, "a translation");
    line->count = 1;
    line->known = true;
    translation->confidence = (double)NAN;
    if (places->len != request->kept.len)
        return err_set(err, ERR_USAGE, "the line has %zu kept ranges, but the known translation has %zu places",
                       request->kept.len, places->len);
    for (size_t i = 0; st == OK && i < places->len; i++) {
        const Range place = places->data[i];
        Span span = request->kept.data[i];
        const size_t length = span.source.end - span.source.begin;
        if (place.begin > place.end || place.end > request->target.len || place.end - place.begin != length ||
            memcmp(request->text.data + span.source.begin, request->target.data + place.begin, length) != 0)
            return err_set(err, ERR_USAGE,
                           "place %zu of the known translation does not have the bytes of its kept range", i + 1);
        span.place = place;
        st = spans_append(&translation->items, span, err);
    }
    if (st == OK) st = spans_append_all(&translation->demands, line->demands.data, line->demands.len, err);
    if (st == OK) buf_put(&translation->text, request->target.data, request->target.len);
    if (st == OK) st = buf_check(&translation->text, err);
    return st == OK ? line_demands_find(line, rules ? rules->demand_tokens : NULL, err) : st;
}

/* --- Lines whose translation is given. A pair is not split into sentences and not cut, because nobody knows which part
 * of the translation belongs to which part of the source. */

/* Encodes the target as the model writes it: in normal case if the source was converted, with the special tokens around
 * it. */
static Status encode_target(Line *line, const LineRules *rules, Err *err)
{
    DragomanTranslation *given = line->given;
    const Buf *target = &given->text;
    const Range all = { 0, target->len };
    const SearchParams *params = rules->params;
    const int32_t first = params->forced_bos;
    RangeList ranges = { 0 };
    Encoding text = { .ranges = rules->ranges ? &ranges : NULL };
    Buf read = { 0 };
    bool changed, forced;
    Status st;

    buf_put(&read, target->data, target->len);
    st = buf_check(&read, err);
    if (st == OK && line->unit_count && line->units[0].capitals)
        st = capitals_lower(read.data, &all, 1, rules->tokenizer, CAPITALS_TARGET, &changed, err);
    if (st == OK)
        st = tokenizer_encode_translation(rules->tokenizer, read.data ? read.data : "", read.len, rules->pieces_out,
                                          &text, err);
    if (st == OK) {
        forced = first >= 0 && !(text.ids.len && *text.ids.data == first);
        given->forced = first >= 0; /* the ids begin with `first`: it is in the target or is put before it */
        if (forced) LIST_PUT(&given->ids, first);
        for (size_t i = 0; i < text.ids.len; i++) LIST_PUT(&given->ids, text.ids.data[i]);
        LIST_PUT(&given->ids, params->eos.data[0]);
        if (rules->ranges && forced) LIST_PUT(&given->ranges, ((Range){ 0, 0 }));
        ranges_put_all(&given->ranges, ranges.data, ranges.len);
        if (rules->ranges) LIST_PUT(&given->ranges, ((Range){ target->len, target->len }));
        st = LIST_CHECK(&given->ids, "a line", err);
        if (st == OK) st = LIST_CHECK(&given->ranges, "a line", err);
    }
    buf_free(&read);
    encoding_free(&text);
    ranges_free(&ranges);
    return st;
}

/* Sets line->refusal if the model does not accept the pair. A pair is refused if only one of its texts is blank; if
 * both are blank, there is nothing to score. */
static Status check_pair(Line *line, const LineRules *rules, Err *err)
{
    const Buf *target = &line->given->text;
    const bool no_source = segment_is_blank(line->source.data, line->source.len);
    const bool no_target = segment_is_blank(target->data, target->len);
    Buf *out = &line->refusal;

    if (no_source && no_target) return OK;
    if (no_source)
        buf_put_text(out, "the line has no source text");
    else if (no_target)
        buf_put_text(out, "the line has no target text; in a file of pairs, it follows the source text and a tab");
    else if (memchr(target->data, '\t', target->len))
        buf_put_text(out, "the target text contains a tab");
    else if (!line->segment_count)
        buf_put_text(out, "the source has no tokens");
    else if (line->segment_count > 1)
        buf_put_format(out, "the source has %zu tokens, but the model accepts at most %zu", line->source_ids.len,
                       rules->limit);
    else if (line->given->ids.len > rules->target_limit)
        buf_put_format(out, "the target has %zu tokens, but the model accepts at most %zu", line->given->ids.len,
                       rules->target_limit);
    if (out->len) {
        free_units(line);
        line->most_segments = 0;
        line->wrapped = false;
    }
    return buf_check(out, err);
}

static Status read_given(Line *line, const LineRules *rules, Err *err)
{
    const Buf *target = &line->given->text;
    const Range all = { 0, target->len };
    SearchParams params = *rules->params; /* shares the lists */
    LineRules whole = *rules;
    Status st;

    params.min_length = 0; /* nothing is searched */
    whole.params = &params;
    whole.sentences = NULL;
    whole.crops = false;
    whole.keeps_unknown = whole.keeps_numbers = false;
    whole.capitals = rules->capitals && capitals_count(target->data, &all, 1) >= CAPITALS_LEAST;
    st = read_text(line, &whole, err);
    line->cost = cost_of(line, &whole);
    if (st == OK) st = encode_target(line, &whole, err);
    if (st == OK) st = check_pair(line, &whole, err);
    if (st == OK) line->cost += line->given->text.cap + line->given->ids.cap * (sizeof(int32_t) + sizeof(Range));
    return st;
}

Status line_new(Line **out, const LineRules *rules, const DragomanRequest *request, uintptr_t tag, Err *err)
{
    const LineText text = request->text;
    Line *line = calloc(1, sizeof *line);
    Status st;

    *out = NULL;
    if (!line) return err_memory(err, "a line");
    line->tag = tag;
    line->owners = 1;
    line->pivot_confidence = 1;
    buf_put(&line->source, text.data, text.len);
    st = buf_check(&line->source, err);
    if (st == OK && request->is_known) {
        st = read_known(line, rules, request, err);
    } else if (st == OK && !rules) {
        /* The whole text is copied, so it becomes the only kept range; the ranges of the request are only checked. */
        st = line_kept_new(line, request, NULL, err);
        line->kept.len = 0;
        if (st == OK && !segment_is_blank(text.data, text.len))
            st = spans_append(&line->kept, span_at(DRAGOMAN_SPAN_KEPT, (Range){ 0, text.len }), err);
    } else if (st == OK && request->is_given) {
        line->given = calloc(1, sizeof *line->given);
        if (line->given) buf_put(&line->given->text, request->target.data, request->target.len);
        st = line->given ? buf_check(&line->given->text, err) : err_memory(err, "a line");
        if (st == OK) st = read_given(line, rules, err);
    } else if (st == OK) {
        line->asks_to_split = request->splits;
        line->has_prefix = request->has_prefix;
        if (line->has_prefix) buf_put(&line->prefix_text, request->prefix.data, request->prefix.len);
        st = buf_check(&line->prefix_text, err);
        if (st == OK) st = line_kept_new(line, request, rules, err);
        if (st == OK) st = line_demands_new(line, request, err);
        if (st == OK) st = read_text(line, rules, err);
        line->cost = cost_of(line, rules);
    }
    if (st == OK && (request->is_known || !rules))
        line->cost = sizeof *line + line->source.cap + line->count * sizeof *line->translations + request->target.len +
                     2 * request->kept.len * sizeof(Span);
    if (st == OK)
        *out = line;
    else
        line_free(line);
    return st;
}

static void free_translation(DragomanTranslation *translation)
{
    buf_free(&translation->text);
    ids_free(&translation->ids);
    ranges_free(&translation->ranges);
    soft_alignment_free(&translation->alignment);
    free(translation->scores.data);
    spans_free(&translation->items);
    spans_free(&translation->demands);
    ranges_free(&translation->units);
}

static void free_translations(Line *line)
{
    for (size_t i = 0; i < line->count; i++) free_translation(&line->translations[i]);
    free(line->translations);
    line->translations = NULL;
    line->count = 0;
}

void line_free(Line *line)
{
    if (!line || atomic_fetch_sub(&line->owners, 1) > 1) return;
    if (line->viewed) {
        line_free(line->viewed);
        free(line);
        return;
    }
    free_units(line);
    free_translations(line);
    for (size_t i = 0; i < line->pivot_count; i++) {
        LinePivot *pivot = &line->pivots[i];
        buf_free(&pivot->text);
        ids_free(&pivot->ids);
        ranges_free(&pivot->ranges);
        soft_alignment_free(&pivot->alignment);
        ids_free(&pivot->source_ids);
        ranges_free(&pivot->source_ranges);
    }
    free(line->pivots);
    buf_free(&line->source);
    ids_free(&line->source_ids);
    ranges_free(&line->source_ranges);
    spans_free(&line->kept);
    ids_free(&line->kept_prefix);
    spans_free(&line->demands);
    buf_free(&line->forms);
    if (line->given) free_translation(line->given);
    free(line->given);
    ids_free(&line->prefix);
    buf_free(&line->prefix_text);
    buf_free(&line->refusal);
    buf_free(&line->rest);
    free(line);
}

Line *line_view_new(Line *line)
{
    Line *view = calloc(1, sizeof *view);

    if (!view) return NULL;
    memcpy(view, line, offsetof(Line, owners));
    atomic_init(&view->owners, 1);
    view->viewed = line;
    return view;
}

/* Bytes of an allocation, with those that the allocator adds. */
static size_t block(size_t count, size_t unit)
{
    return count ? count * unit + 16 : 0;
}

static size_t tokens_bytes(const IdList *ids, const RangeList *ranges)
{
    return block(ids->cap, sizeof *ids->data) + block(ranges->cap, sizeof *ranges->data);
}

static size_t alignment_bytes(const SoftAlignment *alignment)
{
    size_t bytes = block(alignment->room, sizeof *alignment->blocks);

    for (size_t i = 0; i < alignment->count; i++) {
        const AlignmentBlock *b = &alignment->blocks[i];
        bytes += block(b->source_count, sizeof *b->sources) + block(b->targets * b->source_count, sizeof *b->values);
    }
    return bytes;
}

static size_t translation_bytes(const DragomanTranslation *translation)
{
    return sizeof *translation + block(translation->text.cap, 1) +
           tokens_bytes(&translation->ids, &translation->ranges) + alignment_bytes(&translation->alignment) +
           block(translation->scores.cap, sizeof *translation->scores.data) +
           block(translation->items.cap + translation->demands.cap, sizeof(Span)) +
           block(translation->units.cap, sizeof(Range));
}

size_t line_bytes(const Line *line)
{
    const Buf *texts[] = { &line->source, &line->forms, &line->prefix_text, &line->refusal, &line->rest };
    size_t bytes = block(1, sizeof *line) + block(line->pivot_count, sizeof *line->pivots) + block(line->count, 1) +
                   tokens_bytes(&line->source_ids, &line->source_ranges) +
                   block(line->kept.cap + line->demands.cap, sizeof(Span)) +
                   block(line->kept_prefix.cap + line->prefix.cap, sizeof(int32_t));

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) bytes += block(texts[i]->cap, 1);
    for (size_t i = 0; i < line->count; i++) bytes += translation_bytes(&line->translations[i]);
    if (line->given) bytes += translation_bytes(line->given);
    for (size_t i = 0; i < line->pivot_count; i++) {
        const LinePivot *pivot = &line->pivots[i];
        bytes += block(pivot->text.cap, 1) + tokens_bytes(&pivot->ids, &pivot->ranges) +
                 alignment_bytes(&pivot->alignment) + tokens_bytes(&pivot->source_ids, &pivot->source_ranges);
    }
    return bytes;
}

/* --- Joining the translations of the segments. */

/* The state of joining the translations of the segments to one translation. */
typedef struct {
    DragomanTranslation *out;
    const Line *line;
    size_t rank;
    const LineRules *rules;
    Buf sentence;         /* the text of the current unit */
    RangeList ranges;     /* of the ids of the unit in `sentence`, if needed */
    UnknownList unknowns; /* indices in the ids of the translation and in the source ids of the line */
} Joiner;

/* Appends the attention of a result, whose ids are appended next, as a block of the alignment. Moves it out of the
 * result, or copies it if other translations need it as well. */
static Status join_attention(const Joiner *j, const Segment *segment, SegmentResult *result, Err *err)
{
    const SegmentPlace *place = &segment->place;
    const size_t count = segment->source.len, size = result->ids.len * count;
    AlignmentBlock block = { j->out->ids.len, result->ids.len, calloc(count, sizeof *block.sources), count, NULL };
    Status st;

    if (segment->results.len == j->line->count) {
        block.values = result->attention;
        result->attention = NULL;
    } else if ((block.values = calloc(size, sizeof *block.values))) {
        memcpy(block.values, result->attention, size * sizeof *block.values);
    }
    st = block.sources && block.values ? OK : err_memory(err, "an alignment");
    for (size_t i = 0; st == OK && i < count; i++)
        block.sources[i] = place->unit + i + (i >= place->head ? place->skipped : 0) +
                           (i >= place->head + place->pieces ? place->left : 0);
    if (st == OK) st = soft_alignment_take(&j->out->alignment, &block, err);
    if (st == OK) return OK;
    free(block.sources);
    free(block.values);
    return st;
}

/* Appends the ids of these segments, their scores and their attention. */
static Status join_segments(Joiner *j, Range segments, Err *err)
{
    DragomanTranslation *out = j->out;
    Status st = OK;

    for (size_t i = segments.begin; st == OK && i < segments.end; i++) {
        const Segment *segment = &j->line->segments[i];
        SegmentResult *result = line_result_of(segment, j->rank);
        out->score += result->score;
        out->sum += result->sum;
        out->flags |= result->flags;
        line_features_join(&out->features, &result->features);
        if (result->attention) st = join_attention(j, segment, result, err);
        for (size_t t = 0; j->rules->token_scores && result->token_scores && t < result->ids.len; t++)
            LIST_PUT(&out->scores, result->token_scores[t]);
        if (st == OK) st = line_append_result(&out->ids, &j->unknowns, segment, result, j->rules, err);
    }
    return st == OK ? LIST_CHECK(&out->scores, "the scores of tokens", err) : st;
}

/* Appends ranges[0..count) of a text that begins at byte `begin` of the translation. */
static Status add_ranges(const Joiner *j, const Range *ranges, size_t count, size_t begin, Err *err)
{
    return j->rules->ranges ? token_ranges_add(&j->out->ranges, ranges, count, (TextPlace){ 0, 0, begin }, err) : OK;
}

/* Joins pieces with spaces and omits special tokens, whose ranges are empty. */
static Status join_pieces(const Joiner *j, Err *err)
{
    const Tokenizer *tokenizer = j->rules->tokenizer;
    const IdList *ids = &j->out->ids;
    Buf *text = &j->out->text;
    Status st = OK;

    for (size_t i = 0, next = 0; st == OK && i < ids->len; i++) {
        const UnknownToken *unknown = line_unknowns_next(&j->unknowns, &next, i);
        const bool omitted = !unknown && tokenizer_target_is_special(tokenizer, ids->data[i]);
        Range range;
        if (text->len && !omitted) buf_put_byte(text, ' ');
        range.begin = text->len;
        if (unknown)
            line_unknowns_put_piece(text, j->line, unknown->source, j->rules);
        else if (!omitted)
            buf_put_text(text, tokenizer_target_piece(tokenizer, ids->data[i]));
        range.end = text->len;
        st = add_ranges(j, &range, 1, 0, err);
    }
    return st == OK ? buf_check(text, err) : st;
}

/* For each unit: joins the ids of its segments, decodes them to text, converts the text to capitals if the unit was in
 * capitals, and puts the items of the unit into it. Copies the text between units, except a single space after a
 * full-width mark. If the line is not split, white space at its start belongs to the unit. */
static Status join_units(Joiner *j, Err *err)
{
    const Line *line = j->line;
    const Buf *text = line_text(line);
    DragomanTranslation *to = j->out;
    Buf *out = &to->text, *sentence = &j->sentence;
    size_t left = 0;
    Status st = spans_append_all(&to->items, line->kept.data, line->kept.len, err);

    if (st == OK) st = spans_append_all(&to->demands, line->demands.data, line->demands.len, err);

    for (const Unit *unit = line->units; st == OK && unit < line->units + line->unit_count; unit++) {
        const size_t right = unit->range.begin;
        const bool needs_ranges = j->rules->ranges || line->kept.len || line->demands.len;
        const Range segments = line_unit_segments(line, unit);
        const DecodedIds decoded = {
            &to->ids, to->ids.len, sentence, needs_ranges ? &j->ranges : NULL, unit, &to->flags
        };
        buf_clear(sentence);
        ranges_clear(&j->ranges);
        st = join_segments(j, segments, err);
        if (st == OK) st = line_decode(&j->unknowns, line, j->rules, &decoded, err);
        if (st != OK) return st;
        typography_write_quotes(sentence->data, sentence->len, &unit->quotes);
        if (unit->kept.way)
            st = line_kept_put(to, line, unit, &decoded, j->rules, err);
        else if (unit->capitals)
            capitals_raise(sentence->data, sentence->len);
        if (st != OK) return st;

        if (right - left == 1 && text->data[left] == ' ' && sentences_end_in_full_width(out->data, out->len) &&
            !spans_overlap(line->kept.data, line->kept.len, (Range){ left, right }))
            left++;
        line_kept_copy(to, line, left, right, out->len);
        buf_put(out, text->data + left, right - left);
        if (left == right && out->len && sentence->len &&
            sentences_need_space(out->data, out->len, sentence->data, sentence->len))
            buf_put_byte(out, ' ');
        st = add_ranges(j, j->ranges.data, j->ranges.len, out->len, err);
        if (line->demands.len) LIST_PUT(&to->units, ((Range){ out->len, out->len + sentence->len }));
        for (size_t i = 0; i < unit->kept.count; i++) {
            Range *place = &to->items.data[unit->kept.first + i].place;
            *place = (Range){ out->len + place->begin, out->len + place->end };
        }
        buf_put(out, sentence->data, sentence->len);
        if (segments.end == segments.begin + 1 && line->segments[segments.begin].demands)
            st = line_demands_place(to, &line->segments[segments.begin],
                                    line_result_of(&line->segments[segments.begin], j->rank), &j->ranges,
                                    out->len - sentence->len, j->rules->is_last, err);
        left = unit->range.end;
    }
    if (st == OK && line->unit_count) line_kept_copy(to, line, left, text->len, out->len);
    buf_put(out, text->data + left, text->len - left);
    if (st == OK) st = LIST_CHECK(&to->units, "the demands of a line", err);
    if (st == OK) st = buf_check(out, err);
    if (st == OK) line_kept_adapt(to, j->rules);
    return st;
}

/* Joins result `rank` of all segments to *out, which starts as {0}, and decodes it. The white space around sentences is
 * restored, except in a translation as pieces. A given translation keeps its text and ranges. Moves the attention out
 * of the results. */
static Status join(DragomanTranslation *out, const Line *line, size_t rank, const LineRules *rules, Err *err)
{
    Joiner j = { .out = out, .line = line, .rank = rank, .rules = rules };
    DragomanTranslation *given = line->given;
    size_t at = 0;
    Status st =
        given || rules->pieces_out ? join_segments(&j, (Range){ 0, line->segment_count }, err) : join_units(&j, err);

    if (given) {
        out->text = given->text;
        out->ranges = given->ranges;
        out->forced = given->forced;
        given->text = (Buf){ 0 };
        given->ranges = (RangeList){ 0 };
    } else if (st == OK && rules->pieces_out) {
        st = join_pieces(&j, err);
    }
    /* Put the end tokens back that line_append_result() has replaced. */
    for (size_t i = 0; st == OK && !given && rules->chosen_ends && i < line->segment_count; i++) {
        const IdList *ids = &line_result_of(&line->segments[i], rank)->ids;
        if (ids->len) memcpy(out->ids.data + at, ids->data, ids->len * sizeof *ids->data);
        at += ids->len;
    }
    buf_free(&j.sentence);
    ranges_free(&j.ranges);
    free(j.unknowns.data);
    return st;
}

/* --- The steps of a line. */

Status line_try_again(Line *line, const LineRules *rules, bool *again, Err *err)
{
    Segment *old = line->segments;
    const size_t count = line->segment_count;
    bool changed;
    Status st = line_kept_check(line, rules, &changed, err);

    *again = false;
    if (st != OK || !changed) return st;
    /* Read all units again. */
    line->segments = NULL;
    line->segment_count = line->segment_room = 0;
    if (!line->pivot_count) line->pieces = 0;
    ids_clear(line_source_ids(line));
    ranges_clear(line_source_ranges(line));
    for (size_t i = 0; i < line->unit_count; i++) {
        line->units[i].capitals = false;
        line->units[i].quotes = (QuoteMarks){ 0 };
    }
    st = read_units(line, rules, old, err);
    free_segments(old, count);
    for (size_t i = 0; i < line->segment_count; i++) *again |= !line->segments[i].results.len;
    return st;
}

/* For later models, combines the alignment with that of the last pivot, so that it refers to the source of the line. */
Status line_complete(Line *line, const LineRules *rules, Err *err)
{
    const size_t count = line_count_results(line, rules);
    const LinePivot *pivot = line->pivot_count ? &line->pivots[line->pivot_count - 1] : NULL;
    Status st = OK;

    for (size_t i = 0; i < line->segment_count; i++) line->rescued |= line->segments[i].rescued;
    if (count) line->translations = calloc(count, sizeof *line->translations);
    if (count && !line->translations) return err_memory(err, "a translation");
    line->count = count;
    for (size_t i = 0; st == OK && i < count; i++) {
        DragomanTranslation *translation = &line->translations[i];
        st = join(translation, line, i, rules, err);
        translation->confidence = (double)NAN; /* until it is judged */
        if (!rules->judged) translation->flags = 0;
        if (!rules->attention) soft_alignment_free(&translation->alignment); /* it was needed to place items */
        spans_sort_by_source(translation->items.data, translation->items.len);
        if (st == OK && rules->attention && pivot)
            st = pivot_alignment_pass(&translation->alignment,
                                      &(PivotTokens){ &pivot->alignment, &pivot->ranges, &pivot->source_ranges },
                                      line->source_ids.len, err);
    }
    if (!line->segment_count) st = translate_copy(line, rules, line->request.end, err); /* by line_try_again() */
    if (st == OK && rules->is_last) st = line_demands_find(line, rules->demand_tokens, err);
    free_units(line);
    return st;
}

/* The pivot becomes one line of valid UTF-8, just as if another program read the translation from a pipe. */
Status line_pass_on(Line *line, const LineRules *next, Err *err)
{
    DragomanTranslation *best = line->count ? line->translations : NULL;
    LinePivot *grown = realloc(line->pivots, (line->pivot_count + 1) * sizeof *grown), *pivot;
    const Buf *text;
    size_t replaced, *offsets = NULL;
    Status st;

    if (!grown) return err_memory(err, "the pivots of a line");
    line->pivots = grown;
    text = best ? &best->text : line_text(line);
    pivot = &grown[line->pivot_count];
    *pivot = (LinePivot){ .ids = { 0 } };
    if (best) {
        line->pivot_flags |= best->flags;
        line->pivot_confidence = best->confidence;
    }
    if (best && next->ranges) {
        pivot->ids = best->ids;
        pivot->ranges = best->ranges;
        pivot->alignment = best->alignment;
        best->ids = (IdList){ 0 };
        best->ranges = (RangeList){ 0 };
        best->alignment = (SoftAlignment){ 0 };
    }
    buf_put_clean(&pivot->text, text->data ? text->data : "", text->len, &replaced);
    st = buf_check(&pivot->text, err);
    for (size_t i = 0; i < pivot->text.len; i++)
        if (pivot->text.data[i] == '\n') pivot->text.data[i] = ' ';
    if (st == OK && replaced) st = clean_offsets_new(&offsets, text, err);
    if (st == OK) {
        line_kept_pass_on(line, best, offsets);
        line_demands_pass_on(line, best, offsets);
        for (size_t i = 0; offsets && i < pivot->ranges.len; i++)
            pivot->ranges.data[i] = clean_offsets_range(offsets, pivot->ranges.data[i]);
    }
    free(offsets);
    line->pivot_count++;

    free_translations(line);
    free_units(line); /* a line without segments still has units */
    if (st == OK) st = read_text(line, next, err);
    if (st == OK && !line->segment_count)
        spans_sort_by_source(line->kept.data, line->kept.len); /* its text is the translation */
    return st;
}

/* --- The forced beginning of the translation. */

Status line_encode_prefix(Line *line, const LineRules *last, Err *err)
{
    const LineText text = { line->prefix_text.data, line->prefix_text.len };
    const TargetPrefix target = { text, last->pieces_out, "the prefix" };
    Status st = target_prefix_encode(&line->prefix, NULL, &target, last->tokenizer, last->params, err);

    line->cost += line->prefix.cap * sizeof(int32_t) + text.len;
    return st == OK ? target_prefix_check_room(&line->prefix, target.name, last->params, err) : st;
}
