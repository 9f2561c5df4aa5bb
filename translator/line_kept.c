/* line_kept.c - see line_kept.h: the items of a line and of its units. */
#include "line_kept.h"

#include <stdlib.h>
#include <string.h>

#include "number_text.h"
#include "placeholders.h"
#include "separators.h"
#include "target_prefix.h"
#include "unknown_text.h"
#include "utf8.h"

static bool is_inside_character(const Buf *text, size_t at)
{
    return at < text->len && ((unsigned char)text->data[at] & 0xc0) == 0x80;
}

static Status check_range(const Buf *text, const Range *ranges, size_t i, Err *err)
{
    const Range range = ranges[i];

    if (range.begin >= range.end) return err_set(err, ERR_USAGE, "kept range %zu is empty", i + 1);
    if (range.end > text->len)
        return err_set(err, ERR_USAGE, "kept range %zu ends at byte %zu, but the line has %zu bytes", i + 1, range.end,
                       text->len);
    if (i && range.begin < ranges[i - 1].end)
        return err_set(err, ERR_USAGE, "kept range %zu begins before the end of the range before it", i + 1);
    if (is_inside_character(text, range.begin) || is_inside_character(text, range.end))
        return err_set(err, ERR_USAGE, "kept range %zu begins or ends inside a character", i + 1);
    return OK;
}

static Status copy_ranges(RangeList *out, const Range *ranges, size_t count, Err *err)
{
    Status st = buf_grow_list(&out->data, &out->cap, out->len, count, sizeof *out->data, "the kept ranges", err);

    if (st != OK) return st;
    memcpy(out->data + out->len, ranges, count * sizeof *ranges);
    out->len += count;
    return OK;
}

typedef struct {
    Range range;
    size_t number;
} NumberedItem;

static int compare_items(const void *one, const void *other)
{
    const NumberedItem *a = one, *b = other;

    return (a->range.begin > b->range.begin) - (a->range.begin < b->range.begin);
}

/* Sorts the items of the text by their places. */
static Status sort_items(LineKept *kept, const RangeList *places, Err *err)
{
    NumberedItem *items = calloc(places->len, sizeof *items);

    if (!items) return err_memory(err, "the kept ranges");
    for (size_t i = 0; i < places->len; i++) items[i] = (NumberedItem){ places->data[i], i };
    qsort(items, places->len, sizeof *items, compare_items);
    for (size_t i = 0; i < places->len; i++) {
        kept->items.data[i] = items[i].range;
        kept->numbers[i] = items[i].number;
    }
    free(items);
    return OK;
}

/* Of ranges that begin at the same byte, the longest is the first. */
static int compare_ranges(const void *one, const void *other)
{
    const Range *a = one, *b = other;

    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    return (a->end < b->end) - (a->end > b->end);
}

static bool overlaps(Range one, Range other)
{
    return one.begin < other.end && other.begin < one.end;
}

/* Whether the request says what is to become of the range. Ranges ascend; *next, 0 at first, is the next kept one. */
static bool is_asked_for(const LineRequest *request, Range range, size_t *next)
{
    while (*next < request->kept_count && request->kept[*next].end <= range.begin) ++*next;
    if (*next < request->kept_count && overlaps(range, request->kept[*next])) return true;
    for (size_t i = 0; i < request->demand_count && !request->demands[i].anywhere; i++)
        if (overlaps(range, request->demands[i].range)) return true;
    return false;
}

/* Whether the list, which ascends, has this range. *next is 0 at first. */
static bool has_range(const RangeList *list, Range range, size_t *next)
{
    while (*next < list->len && list->data[*next].begin < range.begin) ++*next;
    return *next < list->len && list->data[*next].begin == range.begin && list->data[*next].end == range.end;
}

/* Sorts the ranges and joins those that overlap. */
static void join_ranges(RangeList *list)
{
    size_t kept = 0;

    if (list->len) qsort(list->data, list->len, sizeof *list->data, compare_ranges);
    for (size_t i = 0; i < list->len; i++) {
        Range *last = kept ? &list->data[kept - 1] : NULL;
        if (!last || list->data[i].begin >= last->end)
            list->data[kept++] = list->data[i];
        else if (list->data[i].end > last->end)
            last->end = list->data[i].end;
    }
    list->len = kept;
}

/* Adds separators to a list that ascends. Of a separator and another part that overlap, the first one counts. */
static Status add_separators(RangeList *out, const RangeList *separators, Err *err)
{
    size_t count = 0;
    Status st = ranges_append_all(out, separators->data, separators->len, err);

    if (st != OK || !separators->len) return st;
    qsort(out->data, out->len, sizeof *out->data, compare_ranges);
    for (size_t i = 0; i < out->len; i++)
        if (!count || out->data[count - 1].end <= out->data[i].begin) out->data[count++] = out->data[i];
    out->len = count;
    return OK;
}

/* Finds the parts of the text that are kept without being asked for: what the model cannot read, placeholders of
 * numbers, what no language writes differently, and separators. */
static Status find_others(RangeList *out, const RangeList *separators, LineText text, const LineRules *rules, Err *err)
{
    Status st = rules->keeps_unknown ? unknown_text_find(out, text, rules->tokenizer, err) : OK;

    if (st == OK && rules->keeps_unknown) st = placeholders_find(out, text.data, text.len, err);
    if (st == OK && rules->keeps_numbers) st = number_text_find_fixed(out, text, err);
    join_ranges(out);
    return st == OK ? add_separators(out, separators, err) : st;
}

/* Appends those that the request does not concern. */
static Status add_others(RangeList *out, const LineRequest *request, const RangeList *others, Err *err)
{
    size_t next = 0;
    Status st = OK;

    for (size_t i = 0; st == OK && i < others->len; i++)
        if (!is_asked_for(request, others->data[i], &next))
            st = copy_ranges(out, &(Range){ others->data[i].begin, others->data[i].end }, 1, err);
    return st;
}

/* Moves ranges of the text after a language request into the line. */
static void move_ranges(RangeList *ranges, size_t begin)
{
    for (size_t i = 0; i < ranges->len; i++) {
        ranges->data[i].begin += begin;
        ranges->data[i].end += begin;
    }
}

/* Makes items of the ranges of the view. The text is the source of the line. */
static Status set_items(Line *line, Err *err)
{
    const RangeList *ranges = &line->view.kept;
    LineKept *kept = line->kept;
    size_t *numbers = realloc(kept->numbers, ranges->len * sizeof *numbers), next = 0;
    bool *divides = realloc(kept->divides, ranges->len * sizeof *divides);
    Status st;

    if (numbers) kept->numbers = numbers;
    if (divides) kept->divides = divides;
    if (!numbers || !divides) return err_memory(err, "the kept ranges");
    kept->source.len = kept->items.len = 0;
    st = copy_ranges(&kept->source, ranges->data, ranges->len, err);
    if (st == OK) st = copy_ranges(&kept->items, ranges->data, ranges->len, err);
    for (size_t i = 0; i < ranges->len; i++) {
        if (i && ranges->data[i].begin < ranges->data[i - 1].begin) next = 0;
        kept->divides[i] = has_range(&kept->separators, ranges->data[i], &next);
    }
    return st == OK ? sort_items(kept, ranges, err) : st;
}

Status line_kept_new(Line *line, const LineRequest *request, const LineRules *rules, Err *err)
{
    const size_t count = request->kept_count;
    const size_t begin = rules ? tokenizer_language_length(rules->tokenizer, request->text.data, request->text.len) : 0;
    const LineText text = { request->text.data + begin, request->text.len - begin };
    RangeList *ranges = &line->view.kept;
    RangeList separators = { 0 }, others = { 0 };
    Status st = OK;

    for (size_t i = 0; st == OK && i < count; i++) st = check_range(&line->view.source, request->kept, i, err);
    if (st == OK && count) st = copy_ranges(ranges, request->kept, count, err);
    if (st == OK && rules && line_is_split(line, rules)) st = separators_find(&separators, text.data, text.len, err);
    if (st == OK && rules) st = find_others(&others, &separators, text, rules, err);
    move_ranges(&separators, begin);
    move_ranges(&others, begin);
    if (st == OK) st = add_others(ranges, request, &others, err);
    if (st == OK && ranges->len) {
        line->view.kept_unknown = ranges->len - count;
        line->kept = calloc(1, sizeof *line->kept);
        st = line->kept ? OK : err_memory(err, "the kept ranges");
        if (st == OK) {
            line->kept->separators = separators;
            separators = (RangeList){ 0 };
            st = set_items(line, err);
        }
    }
    ranges_free(&separators);
    ranges_free(&others);
    return st;
}

static bool shares_item(const LineKept *kept, Range range)
{
    const size_t i = kept ? token_ranges_find(kept->items.data, kept->items.len, range.begin) : 0;

    return kept && i < kept->items.len && overlaps(range, kept->items.data[i]);
}

static int compare_token_ranges(const void *one, const void *other)
{
    const Range *a = one, *b = other;

    return (a->begin > b->begin) - (a->begin < b->begin);
}

Status line_kept_add(Line *line, const RangeList *ranges, bool *added, Err *err)
{
    RangeList *kept = &line->view.kept;
    const size_t before = kept->len;
    Range *others;
    Status st = OK;

    for (size_t i = 0; st == OK && i < ranges->len; i++) {
        const Range range = ranges->data[i];
        if (!shares_item(line->kept, range)) st = copy_ranges(kept, &(Range){ range.begin, range.end }, 1, err);
    }
    *added = kept->len > before;
    if (st != OK || !*added) return st;
    if (!line->kept) line->kept = calloc(1, sizeof *line->kept);
    if (!line->kept) return err_memory(err, "the kept ranges");
    for (size_t i = before; st == OK && i < kept->len; i++)
        st = ranges_append(&line->kept->added, (Range){ kept->data[i].begin, kept->data[i].end }, 1, err);
    if (st != OK) return st;
    qsort(line->kept->added.data, line->kept->added.len, sizeof *line->kept->added.data, compare_ranges);
    line->view.kept_unknown += kept->len - before;
    others = kept->data + kept->len - line->view.kept_unknown;
    qsort(others, line->view.kept_unknown, sizeof *others, compare_token_ranges);
    return set_items(line, err);
}

static void free_units(LineKept *kept)
{
    for (size_t i = 0; kept->units && i < kept->unit_count; i++) ranges_free(&kept->units[i].tokens);
    free(kept->units);
    kept->units = NULL;
    kept->unit_count = 0;
    kept->has_prefix = false;
}

void line_kept_free(LineKept *kept)
{
    if (!kept) return;
    free_units(kept);
    ranges_free(&kept->source);
    ranges_free(&kept->separators);
    ranges_free(&kept->added);
    ranges_free(&kept->items);
    free(kept->numbers);
    free(kept->divides);
    ids_free(&kept->prefix);
    free(kept);
}

/* Appends the sentence [begin, end) without the white space around it, unless there is nothing to translate. */
static void add_part(Range *parts, size_t *count, const char *text, size_t begin, size_t end)
{
    begin += utf8_leading_space(text + begin, end - begin);
    end -= utf8_trailing_space(text + begin, end - begin);
    if (separators_divide_text(text, (Range){ begin, end })) parts[(*count)++] = (Range){ begin, end };
}

Status line_kept_divide(const Line *line, Range **sentences, size_t *count, Err *err)
{
    const LineKept *kept = line->kept;
    const char *text = line_text(line)->data;
    Range *parts = calloc(*count + kept->items.len + 1, sizeof *parts);
    size_t next = 0, made = 0;

    if (!parts) return err_memory(err, "the sentences of a line");
    for (size_t i = 0; i < *count; i++) {
        const Range sentence = (*sentences)[i];
        size_t begin = sentence.begin;
        for (; next < kept->items.len && kept->items.data[next].begin < sentence.end; next++) {
            const Range item = kept->items.data[next];
            if (!kept->divides[kept->numbers[next]] || item.begin < begin || item.end > sentence.end) continue;
            add_part(parts, &made, text, begin, item.begin);
            begin = item.end;
        }
        if (begin > sentence.begin)
            add_part(parts, &made, text, begin, sentence.end);
        else
            parts[made++] = sentence;
    }
    free(*sentences);
    *sentences = parts;
    *count = made;
    return OK;
}

/* A sentence takes over those after it, and what is between them, until it contains every item that it shares bytes
 * with. */
void line_kept_join(const LineKept *kept, Range *sentences, size_t *count)
{
    size_t next = 0, made = 0;

    for (size_t i = 0; i < *count; i++) {
        Range sentence = sentences[i];
        while (next < kept->items.len && kept->items.data[next].begin < sentence.end) {
            const Range item = kept->items.data[next++];
            if (item.end <= sentence.begin) continue;
            if (item.begin < sentence.begin) sentence.begin = item.begin;
            if (item.end > sentence.end) sentence.end = item.end;
            while (i + 1 < *count && sentences[i + 1].begin < sentence.end) {
                i++;
                if (sentences[i].end > sentence.end) sentence.end = sentences[i].end;
            }
        }
        sentences[made++] = sentence;
    }
    *count = made;
}

LineText line_kept_unit_text(const Line *line, size_t unit)
{
    const size_t begin = line->kept->units[unit].begin;

    return (LineText){ line_text(line)->data + begin, line->units[unit].range.end - begin };
}

/* Whether the unit has the first segment of the line, or will have it. */
static bool is_first(const Line *line, size_t unit)
{
    return !unit || !line->units[unit - 1].segments_end;
}

static SentenceItems unit_items(const Line *line, size_t index, const LineRules *rules)
{
    const KeptUnit *unit = &line->kept->units[index];
    SentenceItems items = { .ranges = line->kept->items.data + unit->first,
                            .count = unit->count,
                            .offset = unit->begin };

    if (is_first(line, index)) items.prefix = line_prefix_text(line, rules);
    items.others = line_demands_texts(line->demands);
    return items;
}

Status line_kept_find(Line *line, const LineRules *rules, Err *err)
{
    LineKept *kept = line->kept;
    size_t next = 0;

    if (!kept->units) {
        kept->units = calloc(line->unit_count, sizeof *kept->units);
        if (!kept->units) return err_memory(err, "the kept ranges");
        kept->unit_count = line->unit_count;
        for (size_t i = 0; i < line->unit_count; i++) kept->units[i].begin = line->units[i].range.begin;
    }
    for (size_t i = 0; i < line->unit_count; i++) {
        KeptUnit *unit = &kept->units[i];
        const size_t before = unit->count;
        SentenceItems items;
        LineText text;
        while (next < kept->items.len && kept->items.data[next].begin < line->units[i].range.begin) next++;
        unit->first = next;
        while (next < kept->items.len && kept->items.data[next].begin < line->units[i].range.end) next++;
        unit->count = next - unit->first;
        unit->is_changed = unit->count != before;
        if (!unit->count) continue;
        items = unit_items(line, i, rules);
        text = line_kept_unit_text(line, i);
        if (!kept_text_is_needed(text.data, text.len, &items))
            unit->way = KEPT_COPIED;
        else if (unit->way == KEPT_NONE)
            unit->way = rules->names ? KEPT_STAND_INS : KEPT_LEFT_OUT;
    }
    return OK;
}

Status line_kept_write(KeptText *out, const Line *line, size_t unit, const LineRules *rules, Err *err)
{
    const LineText text = line_kept_unit_text(line, unit);
    KeptUnit *kept = &line->kept->units[unit];
    const SentenceItems items = unit_items(line, unit, rules);
    Status st = OK;

    if (kept->way == KEPT_STAND_INS)
        st = kept_text_stand_in(out, text.data, text.len, &items, rules->names, rules->numbers, err);
    if (st == OK && kept->way == KEPT_STAND_INS && !out->count) {
        kept->way = KEPT_LEFT_OUT; /* there are not enough names */
        kept_text_free(out);
    }
    if (st == OK && kept->way == KEPT_LEFT_OUT) st = kept_text_leave_out(out, text.data, text.len, &items, err);
    return st;
}

/* Encodes the prefix with the stand-ins of the unit; *fits: there is room for it. */
static Status encode_prefix(LineKept *kept, const Buf *text, const LineRules *rules, bool *fits, Err *err)
{
    const TargetPrefix prefix = { { text->data, text->len }, false, "the prefix" };
    PrefixFacts facts;
    Status st;

    ids_clear(&kept->prefix);
    st = target_prefix_encode(&kept->prefix, &facts, &prefix, rules->tokenizer, rules->params, err);
    *fits = kept->has_prefix = st == OK && kept->prefix.len < rules->params->max_length;
    return st;
}

Status line_kept_read(KeptText *out, Line *line, size_t unit, const LineRules *rules, Err *err)
{
    LineKept *kept = line->kept;
    bool fits = true;
    Status st = line_kept_write(out, line, unit, rules, err);

    if (is_first(line, unit)) kept->has_prefix = false;
    if (st == OK && out->prefix.len) st = encode_prefix(kept, &out->prefix, rules, &fits, err);
    if (st != OK || fits) return st;
    kept->units[unit].way = KEPT_LEFT_OUT;
    kept_text_free(out);
    return line_kept_write(out, line, unit, rules, err);
}

/* Appends the range of a token in the text without the language request. */
static Status keep_token(KeptUnit *unit, Range range, size_t head, Err *err)
{
    range.begin = range.begin > head ? range.begin - head : 0;
    range.end = range.end > head ? range.end - head : 0;
    return ranges_append(&unit->tokens, range, 1, err);
}

Status line_kept_trace(Line *line, size_t unit, const KeptText *text, size_t head, RangeList *ranges, Err *err)
{
    KeptUnit *kept = &line->kept->units[unit];
    Status st = OK;

    ranges_clear(&kept->tokens);
    for (size_t i = 0; st == OK && i < ranges->len; i++) {
        Range *range = &ranges->data[i];
        if (kept->way == KEPT_LEFT_OUT) st = keep_token(kept, *range, head, err);
        if (head && range->end <= head) continue;
        range->begin = range->begin > head ? range->begin - head : 0;
        range->end -= head;
        kept_edits_trace(text->edits, text->count, range, 1);
        range->begin += head;
        range->end += head;
    }
    return st;
}

Status line_kept_pass_on(Line *line, const DragomanTranslation *best, const char *cleaned, Err *err)
{
    RangeList *places = &line->view.kept;
    Status st = OK;

    if (best) memcpy(places->data, best->kept.data, places->len * sizeof *places->data);
    if (cleaned) st = token_ranges_clean(places, cleaned, err);
    free_units(line->kept);
    return st == OK ? sort_items(line->kept, places, err) : st;
}

Status line_kept_blank(Buf *out, const Buf *text, const RangeList *items, Err *err)
{
    Status st = buf_append(out, text->data, text->len, err);

    for (size_t i = 0; st == OK && i < items->len; i++)
        memset(out->data + items->data[i].begin, ' ', items->data[i].end - items->data[i].begin);
    return st;
}
