/* line_kept_join.c - see line_kept.h: the items in translations, and second attempts. */
#include <stdlib.h>
#include <string.h>

#include "capitals.h"
#include "kept_places.h"
#include "line_demands.h"
#include "line_kept.h"
#include "line_unknowns.h"
#include "number_check.h"
#include "number_text.h"

/* Appends the text of result `rank` of the segments [first, end). */
static Status decode(Buf *out, const Line *line, size_t first, size_t end, size_t rank, const LineRules *rules,
                     Err *err)
{
    IdList ids = { 0 };
    UnknownList unknowns = { 0 };
    RangeList ranges = { 0 };
    Status st = OK;

    for (size_t i = first; st == OK && i < end; i++) {
        const SegmentResult *result = line_result_of(&line->segments[i], rank);
        st = line_unknowns_add(&unknowns, &line->segments[i], result, ids.len, err);
        if (st == OK) st = line_append_ids(&ids, result, rules, err);
    }
    if (st == OK && unknowns.len) st = ranges_append(&ranges, (Range){ 0 }, ids.len, err);
    if (st == OK) st = tokenizer_decode(rules->tokenizer, ids.data, ids.len, out, ranges.data, err);
    if (st == OK && unknowns.len)
        st = line_unknowns_put(&unknowns, line, rules, &(DecodedIds){ ids.data, 0, ids.len, out, ranges.data }, err);
    ids_free(&ids);
    free(unknowns.data);
    ranges_free(&ranges);
    return st;
}

/* Whether every stand-in of the unit is exactly once in each of its `count` translations. */
static Status check_unit(const Line *line, size_t unit, size_t count, const LineRules *rules, bool *good, Err *err)
{
    const size_t first = unit ? line->units[unit - 1].segments_end : 0, end = line->units[unit].segments_end;
    KeptText text = { 0 };
    KeptEdit *places = NULL;
    Buf translation = { 0 };
    Status st = line_kept_write(&text, line, unit, rules, err);

    *good = true;
    if (st == OK) places = calloc(text.count, sizeof *places);
    if (st == OK && !places) st = err_memory(err, "the kept ranges");
    for (size_t rank = 0; st == OK && *good && rank < count; rank++) {
        buf_clear(&translation);
        st = decode(&translation, line, first, end, rank, rules, err);
        *good = st == OK && translation.len && kept_text_find(&text, translation.data, translation.len, places);
    }
    kept_text_free(&text);
    free(places);
    buf_free(&translation);
    return st;
}

/* The bytes of the unit in the text for the current model, without a language request. */
static Range unit_range(const Line *line, size_t unit, const LineRules *rules)
{
    const Buf *text = line_text(line);
    Range range = { line->units[unit].range.begin, line->units[unit].range.end };
    size_t request;

    if (line->kept) return (Range){ line->kept->units[unit].begin, range.end };
    request = unit ? 0 : tokenizer_language_length(rules->tokenizer, text->data, text->len);
    if (range.begin < request) range.begin = request < range.end ? request : range.end;
    return range;
}

/* Appends the numbers of the unit, unless a demand concerns them. */
static Status add_numbers(RangeList *numbers, const Line *line, size_t unit, const LineRules *rules, Err *err)
{
    const Range range = unit_range(line, unit, rules);
    RangeList found = { 0 };
    Status st = number_text_find_numbers(
        &found, (LineText){ line_text(line)->data + range.begin, range.end - range.begin }, err);

    for (size_t i = 0; st == OK && i < found.len; i++) {
        const Range number = { range.begin + found.data[i].begin, range.begin + found.data[i].end };
        if (!line_demands_concern(line, (Range){ number.begin, number.end }))
            st = ranges_append(numbers, number, 1, err);
    }
    ranges_free(&found);
    return st;
}

/* Appends the numbers of the unit if they differ from those of its best translation. Both have its stand-ins. */
static Status check_numbers(RangeList *numbers, const Line *line, size_t unit, const LineRules *rules, Err *err)
{
    const size_t first = unit ? line->units[unit - 1].segments_end : 0, end = line->units[unit].segments_end;
    const Range range = unit_range(line, unit, rules);
    LineText text = { line_text(line)->data + range.begin, range.end - range.begin };
    KeptText kept = { 0 };
    NumberCheck check = { 0 };
    Buf translation = { 0 };
    const LineRules *first_rules = line->source_rules ? line->source_rules : rules;
    const char *difference = NULL;
    Status st = OK;

    if (first == end || !number_text_has_digits(text)) return OK;
    if (line->kept && line->kept->units[unit].count) {
        st = line_kept_write(&kept, line, unit, rules, err);
        text = (LineText){ kept.text.data, kept.text.len };
    }
    if (st == OK) st = decode(&translation, line, first, end, 0, rules, err);
    number_check_set_languages(&check, tokenizer_source_language(first_rules->tokenizer),
                               tokenizer_target_language(rules->tokenizer));
    if (st == OK)
        st = number_check_compare(&check, text.data, text.len, translation.data, translation.len, &difference, err);
    if (st == OK && difference) st = add_numbers(numbers, line, unit, rules, err);
    kept_text_free(&kept);
    number_check_free(&check);
    buf_free(&translation);
    return st;
}

/* Finds the units whose items have to be left out, and those whose numbers become items. */
static Status check_units(Line *line, const LineRules *rules, bool *changed, Err *err)
{
    const size_t count = line_count_results(line, rules);
    const bool keeps_numbers = rules->keeps_numbers && !line->stage;
    RangeList numbers = { 0 };
    bool added = false;
    Status st = OK;

    *changed = false;
    for (size_t i = 0; st == OK && count && i < line->unit_count; i++) {
        KeptUnit *unit = line->kept ? &line->kept->units[i] : NULL;
        bool good = true;
        if (unit && unit->way == KEPT_STAND_INS) st = check_unit(line, i, count, rules, &good, err);
        if (st == OK && good && keeps_numbers) st = check_numbers(&numbers, line, i, rules, err);
        if (st != OK || good) continue;
        unit->way = KEPT_LEFT_OUT;
        *changed = true;
    }
    if (st == OK && numbers.len) st = line_kept_add(line, &numbers, &added, err);
    *changed |= added;
    ranges_free(&numbers);
    return st;
}

/* Moves the results of the units that have been read in the same way as before. */
static void move_results(Line *line, Line *from)
{
    size_t first = 0, old = 0;

    for (size_t u = 0; u < line->unit_count; u++) {
        const size_t end = line->units[u].segments_end, old_end = from->units[u].segments_end;
        const bool same = first < end && old < old_end && !line->kept->units[u].is_changed &&
                          line->segments[first].located == from->segments[old].located;
        for (size_t i = 0; same && i < end - first; i++) {
            Segment *to = &line->segments[first + i], *segment = &from->segments[old + i];
            to->results = segment->results;
            to->count = segment->count;
            to->rescued = segment->rescued;
            segment->results = NULL;
            segment->count = 0;
        }
        first = end;
        old = old_end;
    }
}

static Status read_again(Line *line, const LineRules *rules, Err *err)
{
    Line old = { .segments = line->segments,
                 .segment_count = line->segment_count,
                 .units = line->units,
                 .unit_count = line->unit_count };
    Status st;

    line->segments = NULL;
    line->segment_count = line->segment_room = 0;
    line->units = NULL;
    line->unit_count = 0;
    line_forget_source(line);
    st = line_read_text(line, rules, err);
    if (st == OK) move_results(line, &old);
    line_free_segments(&old);
    return st;
}

Status line_kept_try_again(Line *line, const LineRules *rules, bool *again, Err *err)
{
    bool changed;
    Status st;

    *again = false;
    st = check_units(line, rules, &changed, err);
    if (st == OK && changed) st = read_again(line, rules, err);
    for (size_t i = 0; st == OK && i < line->segment_count; i++) *again |= !line->segments[i].results;
    return st;
}

/* Sets the places of the items of the groups whose edits are given. */
static void place_items(RangeList *out, const LineKept *kept, const KeptUnit *unit, const KeptText *text,
                        const KeptEdit *edits)
{
    const Range *items = kept->items.data + unit->first;

    for (size_t e = 0; e < text->count; e++) {
        const Range group = text->edits[edits[e].group].to;
        const size_t end = unit->begin + group.end;
        for (size_t i = token_ranges_find(items, unit->count, unit->begin + group.begin);
             i < unit->count && items[i].begin < end; i++) {
            const size_t begin = edits[e].to.begin + items[i].begin - unit->begin - group.begin;
            out->data[kept->numbers[unit->first + i]] = (Range){ begin, begin + items[i].end - items[i].begin };
        }
    }
}

/* The bytes of the forced prefix, with which the first segment of the line begins. */
static size_t forced_bytes(const Line *line, const KeptResult *result, const LineRules *rules)
{
    const size_t length = line_prefix_length(line, rules);

    if (result->first_segment || !length || length > result->ranges->len || rules->params->prefix_bias > 0) return 0;
    return result->ranges->data[length - 1].end;
}

/* The translation, which may be empty: a Buf without bytes has no data. */
static const char *text_of(const KeptResult *result)
{
    return result->text->data ? result->text->data : "";
}

static void find_places(const Line *line, const DragomanTranslation *out, const KeptResult *result,
                        const LineRules *rules, const KeptText *text, KeptEdit *edits)
{
    const KeptUnit *unit = &line->kept->units[result->unit];
    const bool has_segments = result->first_segment < line->units[result->unit].segments_end;
    const LineText sentence = line_kept_unit_text(line, result->unit);
    const KeptSentence parts = { .text = text,
                                 .sentence = sentence.data,
                                 .len = sentence.len,
                                 .sources = &unit->tokens,
                                 .first_source = has_segments ? line->segments[result->first_segment].place.unit : 0,
                                 .translation = text_of(result),
                                 .translation_len = result->text->len,
                                 .targets = result->ranges,
                                 .first_target = result->first_id,
                                 .alignment = &out->alignment,
                                 .forced = forced_bytes(line, result, rules) };

    /* line_kept_try_again() has found all stand-ins. */
    if (unit->way == KEPT_STAND_INS)
        (void)kept_text_find(text, text_of(result), result->text->len, edits);
    else
        kept_places_find(&parts, edits);
}

/* Converts the translation to capitals, except for the groups, which are bytes of the sentence. */
static void raise_others(Buf *made, LineText sentence, const KeptText *text, const KeptEdit *edits)
{
    capitals_raise(made->data, made->len);
    for (size_t e = 0; e < text->count; e++) {
        const Range group = text->edits[edits[e].group].to;
        memcpy(made->data + edits[e].to.begin, sentence.data + group.begin, group.end - group.begin);
    }
}

static Status put_groups(DragomanTranslation *out, const Line *line, const KeptResult *result, const LineRules *rules,
                         const KeptText *text, Err *err)
{
    const LineText sentence = line_kept_unit_text(line, result->unit);
    KeptEdit *edits = calloc(text->count, sizeof *edits);
    Buf made = { 0 };
    Status st = edits ? OK : err_memory(err, "the kept ranges");

    if (st == OK) find_places(line, out, result, rules, text, edits);
    if (st == OK) st = kept_text_put(text, sentence, text_of(result), result->text->len, edits, &made, err);
    if (st == OK && line->units[result->unit].capitals) raise_others(&made, sentence, text, edits);
    if (st == OK) {
        kept_edits_trace(edits, text->count, result->ranges->data, result->ranges->len);
        place_items(&out->kept, line->kept, &line->kept->units[result->unit], text, edits);
        buf_clear(result->text);
        st = buf_append(result->text, made.data, made.len, err);
    }
    buf_free(&made);
    free(edits);
    return st;
}

static Status copy_unit(DragomanTranslation *out, const Line *line, const KeptResult *result, Err *err)
{
    const LineText sentence = line_kept_unit_text(line, result->unit);
    const LineKept *kept = line->kept;
    const KeptUnit *unit = &kept->units[result->unit];

    for (size_t i = unit->first; i < unit->first + unit->count; i++)
        out->kept.data[kept->numbers[i]] =
            (Range){ kept->items.data[i].begin - unit->begin, kept->items.data[i].end - unit->begin };
    return buf_append(result->text, sentence.data, sentence.len, err);
}

static Status make_room(RangeList *out, size_t count, Err *err)
{
    Status st =
        buf_grow_list(&out->data, &out->cap, out->len, count - out->len, sizeof *out->data, "the kept ranges", err);

    if (st == OK) out->len = count;
    return st;
}

static int compare_begins(const void *one, const void *other)
{
    const Range *a = one, *b = other;

    return (a->begin > b->begin) - (a->begin < b->begin);
}

/* Whether item i is a number of a second attempt. */
static bool is_added(const LineKept *kept, size_t i)
{
    const Range source = { kept->source.data[kept->numbers[i]].begin, 0 };

    return kept->added.len && bsearch(&source, kept->added.data, kept->added.len, sizeof source, compare_begins);
}

/* Writes the unit's numbers of a second attempt as the target language does. */
static void adapt_numbers(DragomanTranslation *out, const Line *line, const KeptResult *result, const LineRules *rules)
{
    const LineKept *kept = line->kept;
    const KeptUnit *unit = &kept->units[result->unit];
    const NumberStyle from = number_text_style(tokenizer_source_language(rules->tokenizer));
    const NumberStyle to = number_text_style(tokenizer_target_language(rules->tokenizer));

    for (size_t i = unit->first; i < unit->first + unit->count; i++) {
        const Range *place = &out->kept.data[kept->numbers[i]];
        if (is_added(kept, i))
            number_text_adapt(result->text->data + place->begin, place->end - place->begin, from, to);
    }
}

Status line_kept_put(DragomanTranslation *out, const Line *line, const KeptResult *result, const LineRules *rules,
                     Err *err)
{
    KeptText text = { 0 };
    Status st = make_room(&out->kept, line->kept->items.len, err);

    if (st != OK || !line->kept->units[result->unit].count) return st;
    if (line->kept->units[result->unit].way == KEPT_COPIED) {
        st = copy_unit(out, line, result, err);
    } else {
        st = line_kept_write(&text, line, result->unit, rules, err);
        if (st == OK) st = put_groups(out, line, result, rules, &text, err);
        kept_text_free(&text);
    }
    if (st == OK) adapt_numbers(out, line, result, rules);
    return st;
}

void line_kept_copy(DragomanTranslation *out, const Line *line, size_t left, size_t right, size_t place)
{
    const RangeList *items = &line->kept->items;

    for (size_t i = token_ranges_find(items->data, items->len, left); i < items->len && items->data[i].end <= right;
         i++)
        out->kept.data[line->kept->numbers[i]] =
            (Range){ place + items->data[i].begin - left, place + items->data[i].end - left };
}

void line_kept_move(DragomanTranslation *out, const Line *line, size_t unit, size_t offset)
{
    const KeptUnit *kept = &line->kept->units[unit];

    for (size_t i = kept->first; i < kept->first + kept->count; i++) {
        Range *place = &out->kept.data[line->kept->numbers[i]];
        place->begin += offset;
        place->end += offset;
    }
}
