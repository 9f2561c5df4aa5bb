/* line_kept.c - see line.h: the items of a line and of its units, their places in translations, and second
 * attempts. */
#include "line.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include "capitals.h"
#include "chars.h"
#include "language_detector.h"
#include "placeholders.h"
#include "separators.h"
#include "target_text.h"
#include "text_parts.h"
#include "utf8.h"

/* --- The items of a line. */

static bool overlaps(Range one, Range other)
{
    return one.begin < other.end && other.begin < one.end;
}

static bool is_inside_character(const Buf *text, size_t at)
{
    return at < text->len && char_goes_on(text->data[at]);
}

/* Whether the part has letters, digits or punctuation outside of the term. */
static bool exceeds(const Buf *text, Range part, Range term)
{
    for (size_t at = part.begin; at < part.end;) {
        const bool is_outside = at < term.begin || at >= term.end;
        uint32_t code;
        at += utf8_next(text->data + at, part.end - at, &code);
        if (is_outside && (u_isalnum((UChar32)code) || u_ispunct((UChar32)code))) return true;
    }
    return false;
}

/* How the source and the target language write numbers. */
typedef struct {
    NumberStyle from, to;
} NumberStyles;

static NumberStyles styles_of(const LineRules *rules)
{
    return (NumberStyles){ text_parts_number_style(tokenizer_source_language(rules->tokenizer)),
                           text_parts_number_style(tokenizer_target_language(rules->tokenizer)) };
}

/* Keeps what dragoman writes itself in the part [begin, end) of the source, which has no letters: numbers that the
 * target language would read otherwise, or that have a sign, unless they share bytes with a range of `others`, which
 * ascend. Other numbers may be dates or sections. */
static Status keep_numbers(SpanList *items, const RangeList *others, const Buf *source, Range part, NumberStyles styles,
                           Err *err)
{
    const LineText text = { source->data + part.begin, part.end - part.begin };
    RangeList numbers = { 0 };
    Status st = text_parts_find_numbers(&numbers, text, err);

    for (size_t i = 0; st == OK && i < numbers.len; i++) {
        const Range number = numbers.data[i], whole = text_parts_with_sign(text, number);
        const bool has_sign = whole.end - whole.begin > number.end - number.begin &&
                              !text_parts_are_at(text, whole.begin, "§"); /* § 1.2 stays */
        Span span = span_at(DRAGOMAN_SPAN_FOUND, (Range){ part.begin + number.begin, part.begin + number.end });
        span.traits = SPAN_NUMBER;
        if (!has_sign && !text_parts_reads_otherwise((LineText){ text.data + number.begin, number.end - number.begin },
                                                     styles.from, styles.to))
            continue;
        if (!ranges_overlap(others->data, others->len, span.source)) st = spans_append(items, span, err);
    }
    ranges_free(&numbers);
    return st;
}

/* Keeps the numbers of the parts between the separators that have no letters. */
static Status keep_cells(SpanList *items, const Buf *source, size_t begin, const RangeList *separators,
                         const LineRules *rules, Err *err)
{
    const NumberStyles styles = styles_of(rules);
    RangeList others = { 0 };
    Status st = OK;

    for (size_t i = 0; st == OK && i < items->len; i++) st = ranges_append(&others, items->data[i].place, 1, err);
    for (size_t i = 0; st == OK && i <= separators->len; i++) {
        const Range cell = { i ? begin + separators->data[i - 1].end : begin,
                             i < separators->len ? begin + separators->data[i].begin : source->len };
        if (!language_has_letters(source->data + cell.begin, cell.end - cell.begin))
            st = keep_numbers(items, &others, source, cell, styles, err);
    }
    spans_sort_by_place(items);
    ranges_free(&others);
    return st;
}

/* Keeps all of a text without letters, such as 12 %: the numbers of keep_numbers(), unless they belong to what is the
 * same in every language, and the parts between them. */
static Status keep_all(SpanList *items, const Buf *source, const LineRules *rules, Err *err)
{
    const Range whole = ranges_trimmed(source->data, (Range){ 0, source->len });
    RangeList fixed = { 0 };
    size_t at = whole.begin, count;
    Status st = text_parts_find_fixed(&fixed, (LineText){ source->data, source->len }, err);

    if (st == OK) st = keep_numbers(items, &fixed, source, whole, styles_of(rules), err);
    count = items->len;
    for (size_t i = 0; st == OK && i <= count; i++) {
        const size_t end = i < count ? items->data[i].place.begin : whole.end;
        const Range between = ranges_trimmed(source->data, (Range){ at, end });
        if (between.begin < between.end) st = spans_append(items, span_at(DRAGOMAN_SPAN_FOUND, between), err);
        if (i < count) at = items->data[i].place.end;
    }
    spans_sort_by_place(items);
    ranges_free(&fixed);
    return st;
}

Status line_kept_new(Line *line, const DragomanRequest *request, const LineRules *rules, Err *err)
{
    const Buf *source = &line->source;
    const SpanList *asked = &request->kept, *demands = &request->demands;
    const size_t begin = rules ? tokenizer_language_length(rules->tokenizer, source->data, source->len) : 0;
    const LineText text = { source->data + begin, source->len - begin };
    RangeList separators = { 0 }, others = { 0 };
    SpanList *items = &line->kept;
    Status st;

    for (size_t i = 0; i < asked->len; i++) {
        const Range range = asked->data[i].source;
        if (range.begin >= range.end) return err_set(err, ERR_USAGE, "kept range %zu is empty", i + 1);
        if (range.end > source->len)
            return err_set(err, ERR_USAGE, "kept range %zu ends at byte %zu, but the line has %zu bytes", i + 1,
                           range.end, source->len);
        if (i && range.begin < asked->data[i - 1].source.end)
            return err_set(err, ERR_USAGE, "kept range %zu begins before the end of the range before it", i + 1);
        if (is_inside_character(source, range.begin) || is_inside_character(source, range.end))
            return err_set(err, ERR_USAGE, "kept range %zu begins or ends inside a character", i + 1);
    }
    st = spans_append_all(items, asked->data, asked->len, err);
    if (st == OK && rules && rules->keeps_numbers && !begin && !asked->len && !demands->len &&
        !line_prefix_text(line, rules).len && !language_has_letters(text.data, text.len))
        return keep_all(items, source, rules, err);
    if (st == OK && rules && line_is_split(line, rules)) st = separators_find(&separators, text.data, text.len, err);
    /* Find text that the model cannot read, placeholders, text that is the same in every language, and separators. If a
     * separator overlaps another part, only the one that begins first is kept. */
    if (st == OK && rules && rules->keeps_unknown) st = text_parts_find_unknown(&others, text, rules->tokenizer, err);
    if (st == OK && rules && rules->keeps_unknown) st = placeholders_find(&others, text.data, text.len, err);
    if (st == OK && rules && rules->keeps_numbers) st = text_parts_find_fixed(&others, text, err);
    ranges_merge(&others, true);
    if (st == OK) st = ranges_append_all(&others, separators.data, separators.len, err);
    ranges_merge(&others, false);
    /* Leave out what overlaps a part that the request keeps, and what a term covers (KB5034441, ☎). A part that exceeds
     * the term stays: the term is not to change the address invoice@example.com. Both lists of ranges ascend. */
    for (size_t i = 0, next = 0; st == OK && i < others.len; i++) {
        const Range found = { begin + others.data[i].begin, begin + others.data[i].end };
        bool is_asked;
        while (next < asked->len && asked->data[next].source.end <= found.begin) next++;
        is_asked = next < asked->len && overlaps(found, asked->data[next].source);
        for (size_t d = 0; d < demands->len && demands->data[d].kind == DRAGOMAN_SPAN_TERM; d++)
            is_asked |= overlaps(found, demands->data[d].source) && !exceeds(source, found, demands->data[d].source);
        if (!is_asked) st = spans_append(items, span_at(DRAGOMAN_SPAN_FOUND, found), err);
    }
    spans_sort_by_place(items);
    for (size_t i = 0; separators.len && i < items->len; i++) {
        const Range item = { items->data[i].source.begin - begin, items->data[i].source.end - begin };
        const Range *found = bsearch(&item, separators.data, separators.len, sizeof item, ranges_compare_begin);
        if (found && found->end == item.end) items->data[i].traits |= SPAN_DIVIDES;
    }
    if (st == OK && rules && rules->keeps_numbers && separators.len && !demands->len)
        st = keep_cells(items, source, begin, &separators, rules, err);
    ranges_free(&separators);
    ranges_free(&others);
    return st;
}

/* --- The items of its units. */

/* Appends the part of a sentence, without the white space around it, if it has something to translate. */
static void add_part(RangeList *parts, const char *text, Range part)
{
    part = ranges_trimmed(text, part);
    if (separators_divide_text(text, part)) LIST_PUT(parts, part);
}

/* Joins sentences of the text such that no item is in more than one. A sentence is extended over the following ones
 * until it contains every item that it shares bytes with. Items that share no bytes with a sentence stay between
 * sentences. */
static void join_sentences(const SpanList *items, RangeList *sentences)
{
    const size_t count = sentences->len;
    size_t next = 0;

    sentences->len = 0;
    for (size_t i = 0; i < count; i++) {
        Range sentence = sentences->data[i];
        while (next < items->len && items->data[next].place.begin < sentence.end) {
            const Range item = items->data[next++].place;
            if (item.end <= sentence.begin) continue;
            if (item.begin < sentence.begin) sentence.begin = item.begin;
            if (item.end > sentence.end) sentence.end = item.end;
            while (i + 1 < count && sentences->data[i + 1].begin < sentence.end) {
                i++;
                if (sentences->data[i].end > sentence.end) sentence.end = sentences->data[i].end;
            }
        }
        sentences->data[sentences->len++] = sentence;
    }
}

Status line_kept_divide(const Line *line, RangeList *sentences, Err *err)
{
    const SpanList *items = &line->kept;
    const char *text = line_text(line)->data;
    RangeList parts = { 0 };
    bool follows = false; /* a separator ends before the sentence */
    size_t next = 0;

    for (size_t i = 0; i < sentences->len; i++) {
        const Range sentence = sentences->data[i];
        const size_t limit = i + 1 < sentences->len ? sentences->data[i + 1].begin : SIZE_MAX;
        bool is_part = follows;
        size_t begin = sentence.begin;
        follows = false;
        for (; next < items->len && items->data[next].place.begin < limit; next++) {
            const Range item = items->data[next].place;
            if (!(items->data[next].traits & SPAN_DIVIDES)) continue;
            if (item.end <= begin || item.begin >= sentence.end) {
                is_part = true;
                follows = item.begin >= sentence.end;
            } else if (item.begin >= begin && item.end <= sentence.end) {
                add_part(&parts, text, (Range){ begin, item.begin });
                begin = item.end;
                is_part = true;
            }
        }
        if (is_part)
            add_part(&parts, text, (Range){ begin, sentence.end });
        else
            LIST_PUT(&parts, sentence);
    }
    ranges_free(sentences);
    *sentences = parts;
    join_sentences(items, sentences);
    return LIST_CHECK(sentences, "the sentences of a line", err);
}

/* The text of a unit, without a language request. */
static LineText unit_text(const Line *line, const Unit *unit)
{
    return (LineText){ line_text(line)->data + unit->begin, unit->range.end - unit->begin };
}

static KeptSource unit_source(const Line *line, const Unit *unit, const LineRules *rules)
{
    /* Whether the unit has the first segment of the line, or will have it. */
    const bool is_first = unit == line->units || !unit[-1].segments_end;

    return (KeptSource){ .text = unit_text(line, unit),
                         .spans = line->kept.data + unit->kept.first,
                         .count = unit->kept.count,
                         .offset = unit->begin,
                         .prefix = is_first ? line_prefix_text(line, rules) : (LineText){ NULL, 0 },
                         .others = { line->forms.data, line->forms.len } };
}

void line_kept_find(Line *line, const LineRules *rules)
{
    const SpanList *items = &line->kept;
    size_t next = 0;

    for (Unit *unit = line->units; unit < line->units + line->unit_count; unit++) {
        KeptUnit *kept = &unit->kept;
        const size_t before = kept->count;
        KeptSource source;
        size_t first;
        while (next < items->len && items->data[next].place.begin < unit->range.begin) next++;
        first = next;
        while (next < items->len && items->data[next].place.begin < unit->range.end) next++;
        if (first == next) continue;
        if (!kept->way) kept->way = rules->names ? KEPT_STAND_INS : KEPT_LEFT_OUT;
        kept->first = first;
        kept->count = next - first;
        kept->is_changed = kept->count != before;
        source = unit_source(line, unit, rules);
        /* The translation of the first unit has to begin with the prefix, even if the unit has only items. */
        if (!kept_text_is_needed(&source) && (unit > line->units || !line_prefix_text(line, rules).len))
            kept->way = KEPT_COPIED;
    }
}

/* Writes the text of the unit, with stand-ins if its `way` says so. If there are too few names, leaves its items
 * out. */
static Status write_unit(const Line *line, Unit *unit, const LineRules *rules, Err *err)
{
    const KeptSource source = unit_source(line, unit, rules);
    KeptUnit *kept = &unit->kept;
    Status st = OK;

    kept_text_free(&kept->text);
    if (kept->way == KEPT_STAND_INS) {
        st = kept_text_write(&kept->text, &source, rules->names, rules->numbers, err);
        if (st != OK || kept->text.count) return st;
        kept->way = KEPT_LEFT_OUT;
        kept_text_free(&kept->text);
    }
    return kept_text_write(&kept->text, &source, NULL, NULL, err);
}

/* Encodes the prefix with the stand-ins of the unit. If it is too long for a translation, leaves the items out. */
Status line_kept_read(Line *line, Unit *unit, const LineRules *rules, Err *err)
{
    const Buf *text = &unit->kept.text.prefix;
    Status st = write_unit(line, unit, rules, err);

    if (st != OK || !text->len) return st;
    ids_clear(&line->kept_prefix);
    st = target_prefix_encode(&line->kept_prefix, NULL,
                              &(TargetPrefix){ { text->data, text->len }, false, "the prefix" }, rules->tokenizer,
                              rules->params, err);
    if (st != OK || line->kept_prefix.len < rules->params->max_length) return st;
    ids_clear(&line->kept_prefix);
    unit->kept.way = KEPT_LEFT_OUT;
    return write_unit(line, unit, rules, err);
}

/* An item that is in one group with an item of the request, or with a part of the forced prefix, stays, too. */
void line_kept_crop(Line *line, Unit *unit, size_t length)
{
    KeptUnit *kept = &unit->kept;
    KeptText *text = &kept->text;
    Span *items = line->kept.data + kept->first;
    const size_t rest = line->kept.len - kept->first - kept->count;
    size_t item_count = 0, edit_count = 0, next = 0, removed;

    for (size_t e = 0; e < text->count; e++) {
        const size_t end = unit->begin + text->edits[e].to.end, first = next;
        bool stays = text->edits[e].from.begin < length || text->edits[e].prefix.end;
        for (; next < kept->count && items[next].place.begin < end; next++)
            stays |= items[next].kind != DRAGOMAN_SPAN_FOUND;
        if (!stays) continue;
        memmove(items + item_count, items + first, (next - first) * sizeof *items);
        item_count += next - first;
        text->edits[edit_count] = text->edits[e];
        text->edits[edit_count].group = edit_count;
        edit_count++;
    }
    removed = kept->count - item_count;
    memmove(items + item_count, items + kept->count, rest * sizeof *items);
    line->kept.len -= removed;
    for (Unit *later = unit + 1; later < line->units + line->unit_count; later++)
        if (later->kept.count) later->kept.first -= removed;
    kept->count = item_count;
    text->count = edit_count;
    if (!edit_count) {
        kept->way = KEPT_NONE;
        kept->is_changed = false;
    }
    if (text->text.len > length) text->text.len = length;
}

Status line_kept_trace(KeptUnit *kept, size_t head, RangeList *ranges, Err *err)
{
    ranges_clear(&kept->tokens);
    for (size_t i = 0; i < ranges->len; i++) {
        Range *range = &ranges->data[i];
        Range own = { range->begin > head ? range->begin - head : 0, range->end > head ? range->end - head : 0 };
        if (kept->way == KEPT_LEFT_OUT) LIST_PUT(&kept->tokens, own);
        if (head && range->end <= head) continue;
        kept_edits_trace(kept->text.edits, kept->text.count, &own, 1);
        *range = (Range){ own.begin + head, own.end + head };
    }
    return LIST_CHECK(&kept->tokens, "the kept ranges", err);
}

void line_kept_pass_on(Line *line, const DragomanTranslation *best, const size_t *offsets)
{
    SpanList *items = &line->kept;

    if (!items->len) return;
    if (best) memcpy(items->data, best->items.data, items->len * sizeof *items->data);
    for (size_t i = 0; offsets && i < items->len; i++)
        items->data[i].place = clean_offsets_range(offsets, items->data[i].place);
    ids_clear(&line->kept_prefix);
    spans_sort_by_place(items);
}

/* --- Second attempts. */

/* Appends the text of the unit's translation `rank`, 0 for the best one. */
static Status decode(Buf *out, const Line *line, const Unit *unit, size_t rank, const LineRules *rules, Err *err)
{
    const Range segments = line_unit_segments(line, unit);
    IdList ids = { 0 };
    UnknownList unknowns = { 0 };
    Status st = OK;

    for (size_t i = segments.begin; st == OK && i < segments.end; i++)
        st = line_append_result(&ids, &unknowns, &line->segments[i], line_result_of(&line->segments[i], rank), rules,
                                err);
    if (st == OK)
        st = line_decode(&unknowns, line, rules, &(DecodedIds){ .ids = &ids, .text = out, .unit = unit }, err);
    ids_free(&ids);
    free(unknowns.data);
    return st;
}

/* Whether every stand-in of the unit occurs exactly once in each of its `count` translations. */
static Status check_unit(const Line *line, const Unit *unit, size_t count, const LineRules *rules, bool *good, Err *err)
{
    const KeptText *text = &unit->kept.text;
    KeptEdit *places = calloc(text->count, sizeof *places);
    Buf translation = { 0 };
    Status st = places ? OK : err_memory(err, "the kept ranges");

    *good = true;
    for (size_t rank = 0; st == OK && *good && rank < count; rank++) {
        buf_clear(&translation);
        st = decode(&translation, line, unit, rank, rules, err);
        *good = st == OK && translation.len &&
                kept_text_find(text, (LineText){ translation.data, translation.len }, places);
    }
    free(places);
    buf_free(&translation);
    return st;
}

/* Whether the translation has the unit of a number, or letters that are not Latin: it may have the unit in these. */
static bool has_unit(const Buf *translation, LineText unit)
{
    bool has_others = false;

    for (size_t at = 0, step; at < translation->len; at += step) {
        const size_t end = at + unit.len;
        UErrorCode fault = U_ZERO_ERROR;
        uint32_t code;
        step = utf8_next(translation->data + at, translation->len - at, &code);
        has_others |= u_isalpha((UChar32)code) && uscript_getScript((UChar32)code, &fault) != USCRIPT_LATIN;
        if (end <= translation->len && memcmp(translation->data + at, unit.data, unit.len) == 0 &&
            !u_isalpha((UChar32)utf8_code_before(translation->data, at)) &&
            !u_isalpha((UChar32)utf8_code_at(translation->data, translation->len, end)))
            return true;
    }
    return has_others;
}

/* Whether the translation spells the number as the text does, although it has another value in the target language. */
static bool is_misread(LineText number, NumberStyles styles, const RangeList *written, const Buf *translation)
{
    if (!text_parts_reads_otherwise(number, styles.from, styles.to)) return false;
    for (size_t i = 0; i < written->len; i++) {
        const Range range = written->data[i];
        if (range.end - range.begin == number.len &&
            memcmp(translation->data + range.begin, number.data, number.len) == 0)
            return true;
    }
    return false;
}

#define MOST_NUMBERS ((size_t)1000)

/* Reduces the numbers of the text to those that are misread in the translation, or have lost their units there. Of long
 * texts, only the first MOST_NUMBERS are looked at, to save time. */
static Status choose_misread(RangeList *numbers, LineText text, const Buf *translation, const LineRules *rules,
                             Err *err)
{
    const NumberStyles styles = styles_of(rules);
    RangeList written = { 0 };
    Status st = text_parts_find_numbers(&written, (LineText){ translation->data, translation->len }, err);
    size_t count = 0;

    for (size_t i = 0; st == OK && i < numbers->len && i < MOST_NUMBERS; i++) {
        const Range range = numbers->data[i], unit = text_parts_unit(text, range);
        const LineText number = { text.data + range.begin, range.end - range.begin };
        if ((unit.begin < unit.end &&
             !has_unit(translation, (LineText){ text.data + unit.begin, unit.end - unit.begin })) ||
            is_misread(number, styles, &written, translation))
            numbers->data[count++] = range;
    }
    numbers->len = count;
    ranges_free(&written);
    return st;
}

/* Whether the range shares bytes with one of the first `before` items or with a term. */
static bool is_taken(const Line *line, size_t before, Range range)
{
    bool taken = spans_overlap(line->kept.data, before, range);

    for (size_t i = 0; !taken && i < line->demands.len && line->demands.data[i].kind == DRAGOMAN_SPAN_TERM; i++)
        taken = overlaps(range, line->demands.data[i].place);
    return taken;
}

/* Compares the numbers of the unit, as the model read it, with those of its best translation. If they differ, adds the
 * numbers as items, otherwise those that are misread; but not those that share bytes with one of the first `before`
 * items or with a term. */
static Status check_numbers(Line *line, const Unit *unit, size_t before, const LineRules *rules, Err *err)
{
    const Range segments = line_unit_segments(line, unit);
    const Buf *all = line_text(line);
    SpanList *items = &line->kept;
    size_t begin = unit->begin;
    LineText text, whole;
    Buf translation = { 0 };
    RangeList found = { 0 };
    bool differ = false;
    Status st;

    if (!before && unit == line->units) {
        const size_t request = tokenizer_language_length(rules->tokenizer, all->data, all->len);
        if (begin < request) begin = request < unit->range.end ? request : unit->range.end;
    }
    text = whole = (LineText){ all->data + begin, unit->end > begin ? unit->end - begin : 0 };
    if (segments.begin == segments.end || !text_parts_has_digits(text)) return OK;
    if (unit->kept.way) text = (LineText){ unit->kept.text.text.data, unit->kept.text.text.len };
    st = decode(&translation, line, unit, 0, rules, err);
    if (st == OK) st = text_parts_find_numbers(&found, whole, err);
    if (st == OK) st = line_compare_numbers(line, rules, text, &translation, &differ, err);
    if (st == OK && !differ) st = choose_misread(&found, whole, &translation, rules, err);
    for (size_t i = 0; st == OK && i < found.len; i++) {
        const Range bare = found.data[i], sign = text_parts_with_sign(whole, bare);
        Span span = span_at(DRAGOMAN_SPAN_FOUND, (Range){ begin + sign.begin, begin + sign.end });
        span.traits = SPAN_NUMBER;
        if (is_taken(line, before, span.source))
            span.source = span.place = (Range){ begin + bare.begin, begin + bare.end };
        if (!is_taken(line, before, span.source)) st = spans_append(items, span, err);
    }
    ranges_free(&found);
    buf_free(&translation);
    return st;
}

Status line_kept_check(Line *line, const LineRules *rules, bool *changed, Err *err)
{
    const size_t count = line_count_results(line, rules), before = line->kept.len;
    const bool keeps_numbers = rules->keeps_numbers && !line->pivot_count;
    Status st = OK;

    *changed = false;
    for (size_t i = 0; st == OK && count && i < line->unit_count; i++) {
        Unit *unit = &line->units[i];
        bool good = true;
        if (unit->kept.way == KEPT_STAND_INS) st = check_unit(line, unit, count, rules, &good, err);
        if (st == OK && good && keeps_numbers) st = check_numbers(line, unit, before, rules, err);
        if (st != OK || good) continue;
        unit->kept.way = KEPT_LEFT_OUT;
        *changed = true;
    }
    if (line->kept.len > before) {
        *changed = true;
        spans_sort_by_place(&line->kept);
    }
    return st;
}

/* --- The items in a translation. */

/* The text of the translation. Its data is never NULL, unlike that of an empty Buf. */
static LineText text_of(const Buf *translation)
{
    return (LineText){ translation->data ? translation->data : "", translation->len };
}

/* Finds the places of the groups in the translation. */
static Status find_places(const Line *line, const DragomanTranslation *out, const Unit *unit, const DecodedIds *decoded,
                          const LineRules *rules, KeptEdit *edits, Err *err)
{
    const KeptUnit *kept = &unit->kept;
    const Range segments = line_unit_segments(line, unit);
    const IdList *own = line_own_prefix(line, rules);
    const size_t length = own ? own->len : rules->prefix_len;
    KeptSentence parts = { .text = &kept->text,
                           .sentence = unit_text(line, unit),
                           .sources = &kept->tokens,
                           .translation = text_of(decoded->text),
                           .targets = decoded->ranges,
                           .first_target = decoded->first,
                           .alignment = &out->alignment };

    /* line_kept_check() has made sure that all stand-ins are there. */
    if (kept->way == KEPT_STAND_INS)
        return kept_text_find(&kept->text, parts.translation, edits) ? OK : err_internal(err, "a lost stand-in");
    if (segments.begin < segments.end) parts.first_source = line->segments[segments.begin].place.unit;
    /* Only the translation of the first segment of the line begins with the forced prefix. */
    if (!segments.begin && length && length <= decoded->ranges->len && !(rules->params->prefix_bias > 0))
        parts.forced = decoded->ranges->data[length - 1].end;
    kept_places_find(&parts, edits);
    return OK;
}

/* Puts the groups into the translation and sets the places of their items. If the unit was in capitals, converts the
 * rest of the translation to capitals. */
static Status put_groups(DragomanTranslation *out, const Line *line, const Unit *unit, const DecodedIds *decoded,
                         const LineRules *rules, Err *err)
{
    const KeptUnit *kept = &unit->kept;
    const Span *items = line->kept.data + kept->first;
    const KeptText *text = &kept->text;
    const LineText sentence = unit_text(line, unit);
    KeptEdit *edits = calloc(text->count, sizeof *edits);
    Buf made = { 0 };
    Status st = edits ? OK : err_memory(err, "the kept ranges");

    if (st == OK) st = find_places(line, out, unit, decoded, rules, edits, err);
    if (st == OK) st = kept_text_put(text, sentence, text_of(decoded->text), edits, &made, err);
    if (st == OK && unit->capitals) capitals_raise(made.data, made.len);
    for (size_t e = 0; st == OK && e < text->count; e++) {
        const Range group = text->edits[edits[e].group].to, to = edits[e].to;
        if (unit->capitals) memcpy(made.data + to.begin, sentence.data + group.begin, group.end - group.begin);
        for (size_t i = spans_find(items, kept->count, unit->begin + group.begin);
             i < kept->count && items[i].place.begin < unit->begin + group.end; i++) {
            const size_t begin = to.begin + items[i].place.begin - unit->begin - group.begin;
            out->items.data[kept->first + i].place =
                (Range){ begin, begin + items[i].place.end - items[i].place.begin };
        }
    }
    if (st == OK) {
        kept_edits_trace(edits, text->count, decoded->ranges->data, decoded->ranges->len);
        buf_free(decoded->text);
        *decoded->text = made;
    } else {
        buf_free(&made);
    }
    free(edits);
    return st;
}

void line_kept_adapt(DragomanTranslation *out, const LineRules *rules)
{
    NumberStyles styles;

    if (!out->items.len) return;
    styles = styles_of(rules);
    for (size_t i = 0; i < out->items.len; i++) {
        const Range place = out->items.data[i].place;
        if (out->items.data[i].traits & SPAN_NUMBER)
            text_parts_adapt_number(out->text.data + place.begin, place.end - place.begin, styles.from, styles.to);
    }
}

Status line_kept_put(DragomanTranslation *out, const Line *line, const Unit *unit, const DecodedIds *decoded,
                     const LineRules *rules, Err *err)
{
    const LineText sentence = unit_text(line, unit);

    if (unit->kept.way != KEPT_COPIED) return put_groups(out, line, unit, decoded, rules, err);
    line_kept_copy(out, line, unit->begin, unit->range.end, 0);
    buf_put(decoded->text, sentence.data, sentence.len);
    return buf_check(decoded->text, err);
}

void line_kept_copy(DragomanTranslation *out, const Line *line, size_t left, size_t right, size_t place)
{
    const SpanList *items = &line->kept;

    for (size_t i = spans_find(items->data, items->len, left); i < items->len && items->data[i].place.end <= right; i++)
        out->items.data[i].place =
            (Range){ place + items->data[i].place.begin - left, place + items->data[i].place.end - left };
}
