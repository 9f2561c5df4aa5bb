/* projection.c - see projection.h. Places are first found as ranges of targets, [begin, end), and then as bytes. */
#include "projection.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>

#include "accelerators.h"
#include "chars.h"
#include "utf8.h"

/* --- Markup inside words ------------------------------------------------------------- */

/* In a text with more markup, words are not divided: the time grows with the markup times the length of the text. */
#define MOST_MARKUP ((size_t)1000)

#define LONGEST_ENDING ((size_t)6)  /* bytes of the ending of a number */
#define LONGEST_NUMBER ((size_t)20) /* its digits */

static bool is_word_before(const char *text, size_t at)
{
    return u_isalnum((UChar32)utf8_code_before(text, at));
}

static bool is_word_after(const char *text, size_t length, size_t at)
{
    return u_isalnum((UChar32)utf8_code_at(text, length, at));
}

/* The word that contains the range and is longer than it; empty if there is none. */
static Range word_around(const UnitText *text, Range range)
{
    const Range none = { range.begin, range.begin };
    Range word = range;

    for (size_t at = range.begin; at < range.end; at++)
        if (!char_goes_on(text->text[at]) && !is_word_after(text->text, text->length, at)) return none;
    word.begin = accelerators_word(text->text, range.begin);
    while (is_word_after(text->text, text->length, word.end)) {
        uint32_t code;
        word.end += utf8_next(text->text + word.end, text->length - word.end, &code);
    }
    if (range.begin == range.end && (word.begin == range.begin || word.end == range.end)) return none;
    return word.begin == range.begin && word.end == range.end ? none : word;
}

static bool is_in_number(char c, bool is_roman)
{
    return is_roman ? char_is_among(c, "IVXLCDM") : char_is_digit(c);
}

/* Returns where the word begins in text[at..length); `length`: not found. An ending (4th) may follow a number. */
static size_t find_word(const char *text, size_t length, size_t at, const char *word, size_t size, bool is_number)
{
    const bool is_roman = is_in_number(*word, true);

    for (; at + size <= length; at++) {
        const char *found = memchr(text + at, word[0], length - size - at + 1);
        if (!found) break;
        at = (size_t)(found - text);
        /* The words are compared last, because this takes longer for a longer word. */
        if (is_word_before(text, at) || memcmp(found, word, size) != 0) continue;
        if (is_number ? !(at + size < length &&
                          (is_in_number(found[size], is_roman) || u_isupper((unsigned char)found[size])))
                      : !is_word_after(text, length, at + size))
            return at;
    }
    return length;
}

/* Returns where the translation contains the word or the number of the text; `length`: nowhere. */
static size_t find_copy(const UnitText *text, Range word, bool is_number, const char *translation, size_t length)
{
    const char *bytes = text->text + word.begin;
    const size_t size = word.end - word.begin;
    size_t copy = find_word(translation, length, 0, bytes, size, is_number);

    for (size_t at = find_word(text->text, text->length, 0, bytes, size, is_number); at < word.begin && copy < length;
         at = find_word(text->text, text->length, at + size, bytes, size, is_number))
        copy = find_word(translation, length, copy + size, bytes, size, is_number);
    return copy;
}

/* If a range of the text is the ending of a number (th in 4th), returns the number; otherwise an empty range. In
 * English, a space may be between the number and its ending. */
static Range number_of_ending(const UnitText *text, Range range)
{
    const Range none = { range.begin, range.begin };
    size_t letters = 0, at = range.begin;
    Range number; /* digits or Roman numerals, which are not part of a word */
    bool is_english, is_roman;

    if (range.begin == range.end || range.end - range.begin > LONGEST_ENDING) return none;
    if (is_word_after(text->text, text->length, range.end)) return none;
    while (at < range.end) {
        uint32_t code;
        at += utf8_next(text->text + at, range.end - at, &code);
        letters += u_isalpha((UChar32)code) && !u_isupper((UChar32)code);
        if (!u_isalpha((UChar32)code) && !(code == '.' && at == range.end)) return none;
    }
    if (!letters) return none;
    at = range.begin;
    is_english = chars_are_among(text->text + at, range.end - at, "st nd rd th");
    if (at && text->text[at - 1] == ' ' && is_english) at--;
    is_roman = at && is_in_number(text->text[at - 1], true);
    for (number = (Range){ at, at }; number.begin && at - number.begin <= LONGEST_NUMBER;) {
        if (!is_in_number(text->text[number.begin - 1], is_roman)) break;
        number.begin--;
    }
    if (is_word_before(text->text, number.begin)) return none;
    return is_english || number.end - number.begin > 1 || u_isdigit(text->text[number.begin]) ? number : none;
}

void projection_divide_words(const UnitText *text, const char *translation, size_t length, Range *places)
{
    for (size_t i = 0; text->markup_count <= MOST_MARKUP && i < text->markup_count; i++) {
        const Markup *markup = &text->markup[i];
        const Range word = word_around(text, markup->text), number = number_of_ending(text, markup->text);
        const Range parent = markup->parent == MARKUP_ROOT ? (Range){ 0, length } : places[markup->parent];
        size_t copy = word.begin < word.end ? find_copy(text, word, false, translation, length) : length;
        size_t begin = copy + markup->text.begin - word.begin, end = begin + markup->text.end - markup->text.begin;
        /* Markup inside a word goes where the translation has this word. */
        if (copy < length && begin >= parent.begin && end <= parent.end) places[i] = (Range){ begin, end };
        if (number.begin == number.end) continue;
        /* The markup of an ending goes onto the letters after the same number. If there are none, it is empty. */
        copy = find_copy(text, number, true, translation, length);
        begin = end = copy + number.end - number.begin;
        if (copy == length || begin < parent.begin || begin > parent.end) continue;
        while (is_word_after(translation, length, end)) {
            uint32_t code;
            end += utf8_next(translation + end, length - end, &code);
        }
        places[i] = (Range){ begin, end - begin > LONGEST_ENDING || end > parent.end ? begin : end };
    }
}

/* --- Markup of whole words ----------------------------------------------------------- */

/* The most elements that are placed by the alignment; the time grows with the square. */
#define MOST_ALIGNED ((size_t)1000)

typedef struct {
    size_t length; /* bytes of text that a span encloses; 0: an empty element, white space or the ending of a number */
    Range range;   /* its targets */
    bool is_placed;
} Element;

typedef struct {
    float all, part; /* projection.h: W(t), and W(t, S) of the current element */
    bool is_taken;   /* it belongs to a sibling of the current element */
    bool is_split;   /* the place before this target is inside a sibling */
} Target;

typedef struct {
    const ProjectionInput *in;
    const UnitText *text;
    Element *elements; /* [markup_count] */
    size_t *order;     /* [markup_count]: parents first, then spans with more text, then empty elements */
    Target *targets;   /* [target_count + 1]; the last one is only for its is_split */
} Projection;

/* Sets the `part` of each target to its weights with the sources in a range of the text. A source that is partly in the
 * range counts with that part of its bytes. */
static void weigh(Projection *p, Range range)
{
    for (size_t t = 0; t < p->in->target_count; t++) p->targets[t].part = 0;
    for (size_t i = 0; i < p->in->link_count; i++) {
        const ProjectionLink *link = &p->in->links[i];
        const Range source = p->in->sources[link->source];
        const size_t begin = source.begin > range.begin ? source.begin : range.begin;
        const size_t end = source.end < range.end ? source.end : range.end;
        float part = begin < end ? (float)(end - begin) / (float)(source.end - source.begin) : 0.0f;
        if (source.begin == source.end) part = source.begin >= range.begin && source.begin < range.end ? 1.0f : 0.0f;
        p->targets[link->target].part += link->weight * part;
    }
}

static bool is_reserved(const Projection *p, size_t target)
{
    return p->in->is_reserved && p->in->is_reserved[target];
}

/* The contiguous free targets with the largest sum (projection.h); of equal sums, the first and shortest range. Empty
 * if no sum is above 0. */
static Range best_targets(const Projection *p, Range inside)
{
    Range best = { inside.begin, inside.begin };
    float sum = 0, highest = 0;
    size_t begin = inside.begin;

    for (size_t t = inside.begin; t < inside.end; t++) {
        const bool barred = p->targets[t].is_taken || (is_reserved(p, t) && p->targets[t].part <= 0);
        if (barred || sum <= 0) {
            sum = 0;
            begin = barred ? t + 1 : t;
        }
        if (barred) continue;
        sum += p->targets[t].part - p->targets[t].all / 2;
        if (sum <= highest) continue;
        highest = sum;
        best = (Range){ begin, t + 1 };
    }
    return best;
}

/* The place for an empty element that is at byte `at` of the source. */
static Range best_place(Projection *p, Range inside, size_t at)
{
    size_t best = inside.begin;
    float sum = 0, highest = 0;
    bool found = false;

    weigh(p, (Range){ 0, at });
    for (size_t b = inside.begin; b <= inside.end; b++) {
        if (b > inside.begin) sum += 2 * p->targets[b - 1].part - p->targets[b - 1].all;
        if (p->targets[b].is_split || (found && sum <= highest)) continue;
        found = true;
        highest = sum;
        best = b;
    }
    return (Range){ best, best };
}

/* The free target with the largest `part`, the first of equals. Empty if all are 0. */
static Range best_target(const Projection *p, Range inside)
{
    Range best = { inside.begin, inside.begin };

    for (size_t t = inside.begin; t < inside.end; t++)
        if (!p->targets[t].is_taken && p->targets[t].part > (best.begin < best.end ? p->targets[best.begin].part : 0))
            best = (Range){ t, t + 1 };
    return best;
}

static bool is_free_word(const Projection *p, size_t target)
{
    return !p->targets[target].is_taken && !is_reserved(p, target) && !(p->in->is_mark && p->in->is_mark[target]);
}

/* The nearest free word to a place; of two at the same distance, the word after it. If none is free, the place. */
static Range next_word(const Projection *p, Range inside, Range at)
{
    size_t after = at.begin, before = after;

    while (after < inside.end && !is_free_word(p, after)) after++;
    while (before > inside.begin && !is_free_word(p, before - 1)) before--;
    if (after < inside.end && (before == inside.begin || after - at.begin <= at.begin - before))
        return (Range){ after, after + 1 };
    return before > inside.begin ? (Range){ before - 1, before } : at;
}

/* The places where an element that ends a line leaves no line of its parent empty. If there are too few targets for
 * this, all places in the parent. */
static Range line_ends(const Projection *p, size_t index, Range inside)
{
    const Markup *markup = p->text->markup;
    Range out = { inside.begin + 1, inside.end - 1 };

    for (size_t i = 0; i < p->text->markup_count; i++) {
        if (i == index || !markup[i].is_space || markup[i].parent != markup[index].parent) continue;
        if (i > index)
            out.end -= out.end > 0;
        else if (p->elements[i].range.begin >= out.begin)
            out.begin = p->elements[i].range.begin + 1;
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

/* The place for an element that ends a line: after the closing marks that follow the best place, or, if these go on
 * beyond `inside`, before the word that they follow. */
static Range line_end(Projection *p, Range inside, size_t at)
{
    const Range best = best_place(p, inside, at);
    size_t place = best.begin;

    while (place < inside.end && is_closing_mark(p, place)) place++;
    while (place > inside.begin && is_closing_mark(p, place)) place--;
    return p->targets[place].is_split || is_closing_mark(p, place) ? best : (Range){ place, place };
}

static void place(Projection *p, size_t index)
{
    const Markup *markup = &p->text->markup[index];
    const Range all = { 0, p->in->target_count };
    const Range inside = markup->parent == MARKUP_ROOT ? all : p->elements[markup->parent].range;
    Element *element = &p->elements[index];

    /* Marks the targets of the siblings that have been placed. */
    for (size_t t = 0; t <= p->in->target_count; t++) p->targets[t].is_taken = p->targets[t].is_split = false;
    for (size_t i = 0; i < p->text->markup_count; i++) {
        const Range range = p->elements[i].range;
        if (i == index || !p->elements[i].is_placed || p->text->markup[i].parent != markup->parent) continue;
        for (size_t t = range.begin; t < range.end; t++) {
            p->targets[t].is_taken = true;
            p->targets[t].is_split |= t > range.begin;
        }
    }
    element->is_placed = true;
    if (markup->is_space) {
        element->range = line_end(p, line_ends(p, index, inside), markup->text.begin);
    } else if (!element->length) {
        element->range = best_place(p, inside, markup->text.begin);
    } else {
        weigh(p, markup->text);
        element->range = best_targets(p, inside);
        if (element->range.begin == element->range.end) element->range = best_target(p, inside);
        if (element->range.begin == element->range.end)
            element->range = next_word(p, inside, best_place(p, inside, markup->text.begin));
    }
}

/* Sets p->order, the order in which elements are placed: spans with more text first, then empty elements. Parents stay
 * before their children, because they have at least as much text and precede them in the markup. */
static void choose_order(Projection *p)
{
    const Markup *markup = p->text->markup;
    const size_t count = p->text->markup_count;
    size_t at = 0;

    for (size_t i = 0; i < count; i++)
        if (!markup[i].is_empty) p->order[at++] = i;
    for (size_t i = 1; i < at; i++) {
        const size_t moved = p->order[i];
        size_t to = i;
        for (; to && p->elements[p->order[to - 1]].length < p->elements[moved].length; to--)
            p->order[to] = p->order[to - 1];
        p->order[to] = moved;
    }
    for (size_t i = 0; i < count; i++)
        if (markup[i].is_empty) p->order[at++] = i;
}

/* Where an element between the targets b - 1 and b goes: after the white space between them if the element follows a
 * space in the source, otherwise before it. If spaces also follow the element in the source, the same number of spaces
 * stays after it, but at least one stays before it. */
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

/* Returns the bytes of the targets of an element. The bytes of its parent are already in `places`. */
static Range bytes_of(const Projection *p, size_t index, const Range *places)
{
    const ProjectionInput *in = p->in;
    const Markup *markup = &p->text->markup[index];
    const Range range = p->elements[index].range;
    const Range all = { 0, in->target_length }, parent = markup->parent == MARKUP_ROOT ? all : places[markup->parent];
    size_t at;

    if (range.begin < range.end) return (Range){ in->targets[range.begin].begin, in->targets[range.end - 1].end };
    at = byte_between(p, range.begin, markup->text.begin);
    if (at < parent.begin) at = parent.begin;
    if (at > parent.end) at = parent.end;
    return (Range){ at, at };
}

Status projection_find(const ProjectionInput *input, const UnitText *text, Range *places, Err *err)
{
    const size_t length = text->length, targets = input->target_count, count = text->markup_count;
    Projection p = { .in = input,
                     .text = text,
                     .elements = calloc(count + 1, sizeof *p.elements),
                     .order = calloc(count + 1, sizeof *p.order),
                     .targets = calloc(targets + 1, sizeof *p.targets) };
    const bool has_memory = p.elements && p.order && p.targets;

    for (size_t i = 0; has_memory && i < count; i++) {
        const Range range = text->markup[i].text;
        const size_t bytes = range.end - range.begin;
        const Range number = number_of_ending(text, range); /* an ending is placed like an empty element */
        if (!utf8_is_blank(text->text + range.begin, bytes) && number.begin == number.end) p.elements[i].length = bytes;
        if (count > MOST_ALIGNED && length) /* in proportion to the bytes: fast, and the tree stays well-formed */
            p.elements[i].range = (Range){ range.begin * targets / length, range.end * targets / length };
    }
    if (has_memory && count <= MOST_ALIGNED) {
        for (size_t i = 0; i < input->link_count; i++) p.targets[input->links[i].target].all += input->links[i].weight;
        choose_order(&p);
        for (size_t i = 0; i < count; i++) place(&p, p.order[i]);
    }
    for (size_t i = 0; has_memory && i < count; i++) places[i] = bytes_of(&p, i, places);
    free(p.elements);
    free(p.order);
    free(p.targets);
    return has_memory ? OK : err_memory(err, "the markup");
}
