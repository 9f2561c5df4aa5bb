/* keep_rules.c - see keep_rules.h. */
#include "keep_rules.h"

#include <stdbool.h>
#include <stdlib.h>

#include <unicode/uchar.h>

#include "keep_expression.h"
#include "keep_patterns.h"
#include "keep_words.h"
#include "statement_blocks.h"
#include "utf8.h"

typedef struct {
    KeepExpression **items; /* [count] */
    size_t count, capacity;
} ExpressionList;

struct KeepRules {
    ExpressionList expressions, patterns;
    KeepWords *words; /* [word_count] */
    size_t word_count, word_capacity;
};

Status keep_rules_new(KeepRules **out, Err *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? OK : err_memory(err, "the rules");
}

static void free_expressions(ExpressionList *list)
{
    for (size_t i = 0; i < list->count; i++) keep_expression_free(list->items[i]);
    free(list->items);
}

void keep_rules_free(KeepRules *rules)
{
    if (!rules) return;
    free_expressions(&rules->expressions);
    free_expressions(&rules->patterns);
    for (size_t i = 0; i < rules->word_count; i++) keep_words_free(&rules->words[i]);
    free(rules->words);
    free(rules);
}

static Status add_expression(ExpressionList *list, const char *expression, Err *err)
{
    Status st = buf_grow_list(&list->items, &list->capacity, list->count, 1, sizeof *list->items, "the rules", err);

    if (st == OK) st = keep_expression_new(&list->items[list->count], expression, err);
    if (st == OK) list->count++;
    return st;
}

Status keep_rules_add_expression(KeepRules *rules, const char *expression, Err *err)
{
    return add_expression(&rules->expressions, expression, err);
}

Status keep_rules_add_patterns(KeepRules *rules, Err *err)
{
    Status st = OK;

    for (const KeepPattern *pattern = keep_patterns; st == OK && pattern->expression; pattern++)
        st = add_expression(&rules->patterns, pattern->expression, err);
    return st;
}

Status keep_rules_add_words(KeepRules *rules, const char *name, Buf *file, Err *err)
{
    Status st = buf_grow_list(&rules->words, &rules->word_capacity, rules->word_count, 1, sizeof *rules->words,
                              "the rules", err);

    if (st != OK) return st;
    rules->words[rules->word_count] = (KeepWords){ .count = 0 };
    return keep_words_read(&rules->words[rules->word_count++], name, file, err);
}

static Status add_matches(const ExpressionList *list, const char *text, size_t length, RangeList *out, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < list->count; i++)
        st = keep_expression_find(list->items[i], text, length, out, err);
    return st;
}

/* Appends what the user says. */
static Status add_chosen(const KeepRules *rules, const char *text, size_t length, RangeList *out, Err *err)
{
    Status st = add_matches(&rules->expressions, text, length, out, err);

    for (size_t i = 0; st == OK && i < rules->word_count; i++)
        st = keep_words_find(&rules->words[i], text, length, out, err);
    return st;
}

static int compare_ranges(const void *a, const void *b)
{
    const Range *x = a, *y = b;

    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

/* Whether a letter or a digit begins at byte `at`, or the text ends there. */
static bool is_word_after(const char *text, size_t length, size_t at)
{
    uint32_t code;

    if (at == length) return true;
    (void)utf8_next(text + at, length - at, &code);
    return u_isalnum((UChar32)code);
}

static bool is_word_before(const char *text, size_t at)
{
    uint32_t code;

    if (!at) return true;
    (void)utf8_previous(text, at, &code);
    return u_isalnum((UChar32)code);
}

/* The range without the white space at its ends that separates it from the words around it. */
static Range trim_range(const char *text, size_t length, Range range)
{
    if (is_word_before(text, range.begin))
        range.begin += utf8_leading_space(text + range.begin, range.end - range.begin);
    if (is_word_after(text, length, range.end))
        range.end -= utf8_trailing_space(text + range.begin, range.end - range.begin);
    return range;
}

/* Trims the ranges, and removes those that are left empty. */
static void trim(RangeList *list, const char *text, size_t length)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->len; i++) {
        const Range range = trim_range(text, length, list->data[i]);
        if (range.begin < range.end) list->data[kept++] = range;
    }
    list->len = kept;
}

/* Sorts the ranges and joins those that overlap. */
static void merge(RangeList *list)
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

/* Walks through the places where markup begins or ends. */
typedef struct {
    size_t *places; /* [count], sorted */
    size_t count, next;
} MarkupWalk;

static int compare_places(const void *a, const void *b)
{
    const size_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

static Status walk_begin(MarkupWalk *walk, const UnitText *text, Err *err)
{
    *walk = (MarkupWalk){ .places = malloc((2 * text->markup_count + 1) * sizeof *walk->places) };
    if (!walk->places) return err_memory(err, "the markup");
    for (size_t i = 0; i < text->markup_count; i++) {
        walk->places[walk->count++] = text->markup[i].text.begin;
        walk->places[walk->count++] = text->markup[i].text.end;
    }
    qsort(walk->places, walk->count, sizeof *walk->places, compare_places);
    return OK;
}

/* Whether one of the places is in [begin, end]. Must be called with ascending `begin`. */
static bool has_markup(MarkupWalk *walk, size_t begin, size_t end)
{
    while (walk->next < walk->count && walk->places[walk->next] < begin) walk->next++;
    return walk->next < walk->count && walk->places[walk->next] <= end;
}

Status keep_rules_find(const KeepRules *rules, const char *text, size_t length, RangeList *out, Err *err)
{
    Status st;

    ranges_clear(out);
    st = add_chosen(rules, text, length, out, err);
    trim(out, text, length);
    merge(out);
    return st;
}

/* Whether the format marks all of the range; `run` is its first run. */
static bool is_marked(const UnitText *text, size_t run, Range range)
{
    for (; run < text->run_count && text->runs[run].text.begin < range.end; run++)
        if (!text->runs[run].is_kept && text->runs[run].text.end > range.begin) return false;
    return true;
}

/* Appends the spans whose text is marked: each is one part, with the markup in it. */
static Status add_marked_spans(const UnitText *text, RangeList *out, Err *err)
{
    size_t run = 0;
    Status st = OK;

    for (size_t i = 0; st == OK && i < text->markup_count; i++) {
        const Range range = text->markup[i].text;
        while (run < text->run_count && text->runs[run].text.end <= range.begin) run++;
        if (range.begin < range.end && is_marked(text, run, range)) st = ranges_append(out, range, 1, err);
    }
    return st;
}

/* Appends the runs that the format marks. Runs that follow each other are one part, unless markup is between them. */
static Status add_marked(const UnitText *text, RangeList *out, MarkupWalk *walk, Err *err)
{
    const size_t first = out->len;
    Status st = OK;

    for (size_t i = 0; st == OK && i < text->run_count; i++) {
        const Run *run = &text->runs[i];
        Range *last = out->len > first ? &out->data[out->len - 1] : NULL;
        if (!run->is_kept || run->text.begin == run->text.end) continue;
        if (last && last->end == run->text.begin && !has_markup(walk, last->end, last->end))
            last->end = run->text.end;
        else
            st = ranges_append(out, run->text, 1, err);
    }
    return st;
}

/* A spelling of several characters belongs to a part as a whole. The ranges are in order. */
static void widen(RangeList *list, const UnitText *text)
{
    size_t run = 0;

    for (size_t i = 0; i < list->len; i++) {
        Range *range = &list->data[i];
        while (run < text->run_count && text->runs[run].text.end <= range->begin) run++;
        for (size_t at = run; at < text->run_count && text->runs[at].text.begin < range->end; at++) {
            const Run *spelling = &text->runs[at];
            if (spelling->kind != RUN_SPELLED && spelling->kind != RUN_ELEMENT) continue;
            if (spelling->text.begin < range->begin) range->begin = spelling->text.begin;
            if (spelling->text.end > range->end) range->end = spelling->text.end;
        }
    }
}

Status keep_rules_find_in_unit(const KeepRules *rules, const UnitText *text, RangeList *out, Err *err)
{
    MarkupWalk walk;
    Status st = walk_begin(&walk, text, err);

    ranges_clear(out);
    if (st == OK) st = add_chosen(rules, text->text, text->length, out, err);
    if (st == OK) st = add_matches(&rules->patterns, text->text, text->length, out, err);
    if (st == OK && rules->patterns.count) st = statement_blocks_find(text->text, text->length, out, err);
    if (st == OK) st = add_marked(text, out, &walk, err);
    if (st == OK) st = add_marked_spans(text, out, err);
    trim(out, text->text, text->length);
    merge(out);
    widen(out, text);
    merge(out);
    free(walk.places);
    return st;
}
