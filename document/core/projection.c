/* projection.c - see projection.h. Places are first found as ranges of targets, [begin, end), and then as bytes. */
#include "projection.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "copied_words.h"
#include "utf8.h"

/* The most elements that are placed by the alignment; the time grows with the square. */
#define MOST_ALIGNED ((size_t)1000)

/* The targets of an element. */
typedef struct {
    size_t begin, end;
    bool is_placed;
} TargetRange;

typedef struct {
    const ProjectionInput *in;
    const UnitText *text;
    size_t *lengths; /* [markup_count], bytes of text that a span encloses; 0 if they are no word: white space, or the
                            ending of a number */
    TargetRange *ranges; /* [markup_count] */
    size_t *order;       /* [markup_count]: parents first, then spans with more text, then empty elements */
    float *all;          /* [target_count], W(t) */
    float *part;         /* [target_count], W(t, S) of the current element */
    bool *is_taken;      /* [target_count], whether a sibling of the current element has it */
    bool *is_split;      /* [target_count + 1], whether the place before a target is inside a sibling */
} Projection;

/* The part of a source's bytes that is in the range; an empty source is in it or not. */
static float part_in(Range source, Range range)
{
    const size_t begin = source.begin > range.begin ? source.begin : range.begin;
    const size_t end = source.end < range.end ? source.end : range.end;

    if (source.begin == source.end) return source.begin >= range.begin && source.begin < range.end ? 1.0f : 0.0f;
    return begin < end ? (float)(end - begin) / (float)(source.end - source.begin) : 0.0f;
}

/* Sets part[] to the weights of the sources in a range of the text. */
static void weigh(const Projection *p, Range range, float *part)
{
    memset(part, 0, p->in->target_count * sizeof *part);
    for (size_t i = 0; i < p->in->link_count; i++) {
        const ProjectionLink *link = &p->in->links[i];
        part[link->target] += link->weight * part_in(p->in->sources[link->source], range);
    }
}

/* The targets of the element's parent. */
static TargetRange around(const Projection *p, size_t index)
{
    const size_t parent = p->text->markup[index].parent;

    return parent == MARKUP_ROOT ? (TargetRange){ 0, p->in->target_count, true } : p->ranges[parent];
}

static bool is_reserved(const Projection *p, size_t target)
{
    return p->in->is_reserved && p->in->is_reserved[target];
}

/* Notes what the siblings that are placed already have. */
static void find_siblings(Projection *p, size_t index)
{
    const Markup *markup = p->text->markup;

    memset(p->is_taken, 0, p->in->target_count * sizeof *p->is_taken);
    memset(p->is_split, 0, (p->in->target_count + 1) * sizeof *p->is_split);
    for (size_t i = 0; i < p->text->markup_count; i++) {
        const TargetRange *range = &p->ranges[i];
        if (i == index || !range->is_placed || markup[i].parent != markup[index].parent) continue;
        for (size_t t = range->begin; t < range->end; t++) {
            p->is_taken[t] = true;
            p->is_split[t] = p->is_split[t] || t > range->begin;
        }
    }
}

/* Whether the span with the weights in p->part may not go onto the target. */
static bool is_barred(const Projection *p, size_t target)
{
    return p->is_taken[target] || (is_reserved(p, target) && p->part[target] <= 0);
}

/* The maximum subarray of the targets that are free; the first and shortest of equals. Empty if no sum is above 0. */
static TargetRange best_targets(const Projection *p, TargetRange inside)
{
    TargetRange best = { inside.begin, inside.begin, true };
    float sum = 0, highest = 0;
    size_t begin = inside.begin;

    for (size_t t = inside.begin; t < inside.end; t++) {
        const bool barred = is_barred(p, t);
        if (barred || sum <= 0) {
            sum = 0;
            begin = barred ? t + 1 : t;
        }
        if (barred) continue;
        sum += p->part[t] - p->all[t] / 2;
        if (sum <= highest) continue;
        highest = sum;
        best = (TargetRange){ begin, t + 1, true };
    }
    return best;
}

/* The place for an element without text at byte `at` of the source. */
static TargetRange best_place(Projection *p, TargetRange inside, size_t at)
{
    size_t best = inside.begin;
    float sum = 0, highest = 0;
    bool found = false;

    weigh(p, (Range){ 0, at }, p->part);
    for (size_t b = inside.begin; b <= inside.end; b++) {
        if (b > inside.begin) sum += 2 * p->part[b - 1] - p->all[b - 1];
        if (p->is_split[b] || (found && sum <= highest)) continue;
        found = true;
        highest = sum;
        best = b;
    }
    return (TargetRange){ best, best, true };
}

/* The free target with the largest weight in p->part, the first of equals. Empty if no target has one. */
static TargetRange best_target(const Projection *p, TargetRange inside)
{
    TargetRange best = { inside.begin, inside.begin, true };

    for (size_t t = inside.begin; t < inside.end; t++)
        if (!p->is_taken[t] && p->part[t] > (best.begin < best.end ? p->part[best.begin] : 0))
            best = (TargetRange){ t, t + 1, true };
    return best;
}

static bool is_free_word(const Projection *p, size_t target)
{
    return !p->is_taken[target] && !is_reserved(p, target) && !(p->in->is_mark && p->in->is_mark[target]);
}

/* The free word next to a place, rather after it. Returns the place if there is none. */
static TargetRange next_word(const Projection *p, TargetRange inside, TargetRange at)
{
    size_t after = at.begin, before = after;

    while (after < inside.end && !is_free_word(p, after)) after++;
    while (before > inside.begin && !is_free_word(p, before - 1)) before--;
    if (after < inside.end && (before == inside.begin || after - at.begin <= at.begin - before))
        return (TargetRange){ after, after + 1, true };
    return before > inside.begin ? (TargetRange){ before - 1, before, true } : at;
}

static TargetRange span_targets(Projection *p, TargetRange inside, const Markup *markup)
{
    TargetRange found;

    weigh(p, markup->text, p->part);
    found = best_targets(p, inside);
    if (found.begin == found.end) found = best_target(p, inside);
    if (found.begin < found.end) return found;
    return next_word(p, inside, best_place(p, inside, markup->text.begin));
}

/* The places for an element that ends a line: such that no line of the parent becomes empty, if there are enough
 * targets. */
static TargetRange line_ends(const Projection *p, size_t index, TargetRange inside)
{
    const Markup *markup = p->text->markup;
    TargetRange out = { inside.begin + 1, inside.end - 1, false };

    for (size_t i = 0; i < p->text->markup_count; i++) {
        if (i == index || !markup[i].is_space || markup[i].parent != markup[index].parent) continue;
        if (i > index)
            out.end -= out.end > 0;
        else if (p->ranges[i].begin >= out.begin)
            out.begin = p->ranges[i].begin + 1;
    }
    return inside.begin < inside.end && out.begin <= out.end ? out : inside;
}

/* Whether the target is a mark directly after another target: a comma, a closing quote. */
static bool is_closing_mark(const Projection *p, size_t target)
{
    const Range *targets = p->in->targets;

    return p->in->is_mark && target && target < p->in->target_count && p->in->is_mark[target] &&
           targets[target - 1].end == targets[target].begin;
}

/* The place for an element that ends a line: after the marks that follow the best place; before the last word, if there
 * would be nothing else on the next line. */
static TargetRange line_end(Projection *p, TargetRange inside, size_t at)
{
    const TargetRange best = best_place(p, inside, at);
    size_t place = best.begin;

    while (place < inside.end && is_closing_mark(p, place)) place++;
    while (place > inside.begin && is_closing_mark(p, place)) place--;
    return p->is_split[place] || is_closing_mark(p, place) ? best : (TargetRange){ place, place, true };
}

static void place(Projection *p, size_t index)
{
    const Markup *markup = &p->text->markup[index];
    const TargetRange inside = around(p, index);

    find_siblings(p, index);
    if (markup->is_space)
        p->ranges[index] = line_end(p, line_ends(p, index, inside), markup->text.begin);
    else if (!p->lengths[index])
        p->ranges[index] = best_place(p, inside, markup->text.begin);
    else
        p->ranges[index] = span_targets(p, inside, markup);
}

/* Puts the children of each parent in the order in which they are placed. The markup is sorted by parents. */
static Status choose_order(Projection *p, Err *err)
{
    const Markup *markup = p->text->markup;
    const size_t count = p->text->markup_count;
    size_t at = 0;

    p->order = malloc((count + 1) * sizeof *p->order);
    if (!p->order) return err_memory(err, "the markup");
    for (size_t i = 0; i < count; i++)
        if (!markup[i].is_empty) p->order[at++] = i;
    for (size_t i = 1; i < at; i++) {
        const size_t moved = p->order[i];
        size_t to = i;
        for (; to && p->lengths[p->order[to - 1]] < p->lengths[moved]; to--) p->order[to] = p->order[to - 1];
        p->order[to] = moved;
    }
    for (size_t i = 0; i < count; i++)
        if (markup[i].is_empty) p->order[at++] = i;
    return OK;
}

/* Where an element between the targets b - 1 and b goes: after the white space between them if it is so in the source;
 * before as many spaces as there, but after one, if there are several. */
static size_t byte_between(const Projection *p, size_t b, size_t at)
{
    const ProjectionInput *in = p->in;
    const char *text = p->text->text;
    const bool is_after_space = at && text[at - 1] == ' ' && at < p->text->length;
    size_t place, least, spaces = 0;

    if (b && (b == in->target_count || !is_after_space)) return in->targets[b - 1].end;
    if (b == in->target_count) return 0;
    place = in->targets[b].begin;
    least = b ? in->targets[b - 1].end + 1 : place;
    while (text[at + spaces] == ' ' && place > least && in->target[place - 1] == ' ') {
        place--;
        spaces++;
    }
    return place;
}

static size_t clamp(size_t value, Range range)
{
    return value < range.begin ? range.begin : value > range.end ? range.end : value;
}

/* The bytes of the targets of an element; those of its parent are known. */
static Range bytes_of(const Projection *p, size_t index, const Range *places)
{
    const ProjectionInput *in = p->in;
    const Markup *markup = &p->text->markup[index];
    const TargetRange range = p->ranges[index];
    const Range all = { 0, in->target_length };
    size_t at;

    if (range.begin < range.end) return (Range){ in->targets[range.begin].begin, in->targets[range.end - 1].end };
    at = clamp(byte_between(p, range.begin, markup->text.begin),
               markup->parent == MARKUP_ROOT ? all : places[markup->parent]);
    return (Range){ at, at };
}

/* For very many elements: places them in proportion to the number of bytes, which takes no time and keeps the tree. */
static void place_in_proportion(Projection *p)
{
    const size_t length = p->text->length, targets = p->in->target_count;

    for (size_t i = 0; i < p->text->markup_count; i++) {
        const Range text = p->text->markup[i].text;
        p->ranges[i] =
            (TargetRange){ length ? text.begin * targets / length : 0, length ? text.end * targets / length : 0, true };
    }
}

static void measure_spans(Projection *p)
{
    for (size_t i = 0; i < p->text->markup_count; i++) {
        const Range range = p->text->markup[i].text;
        const size_t length = range.end - range.begin;
        if (utf8_leading_space(p->text->text + range.begin, length) < length && !copied_words_is_ending(p->text, range))
            p->lengths[i] = length;
    }
}

static Status allocate(Projection *p, Err *err)
{
    const size_t targets = p->in->target_count + 1;

    p->lengths = calloc(p->text->markup_count + 1, sizeof *p->lengths);
    p->ranges = calloc(p->text->markup_count + 1, sizeof *p->ranges);
    p->all = calloc(targets, sizeof *p->all);
    p->part = calloc(targets, sizeof *p->part);
    p->is_taken = calloc(targets, sizeof *p->is_taken);
    p->is_split = calloc(targets, sizeof *p->is_split);
    if (!p->lengths || !p->ranges || !p->all || !p->part || !p->is_taken || !p->is_split)
        return err_memory(err, "the markup");
    measure_spans(p);
    return p->text->markup_count > MOST_ALIGNED ? OK : choose_order(p, err);
}

Status projection_find(const ProjectionInput *input, const UnitText *text, Range *places, Err *err)
{
    Projection p = { .in = input, .text = text };
    Status st = allocate(&p, err);

    if (st == OK) {
        for (size_t i = 0; i < input->link_count; i++) p.all[input->links[i].target] += input->links[i].weight;
        if (text->markup_count > MOST_ALIGNED)
            place_in_proportion(&p);
        else
            for (size_t i = 0; i < text->markup_count; i++) place(&p, p.order[i]);
        for (size_t i = 0; i < text->markup_count; i++) places[i] = bytes_of(&p, i, places);
    }
    free(p.lengths);
    free(p.ranges);
    free(p.order);
    free(p.all);
    free(p.part);
    free(p.is_taken);
    free(p.is_split);
    return st;
}
