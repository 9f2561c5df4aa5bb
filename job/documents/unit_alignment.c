/* unit_alignment.c - see unit_alignment.h.
 *
 * The alignment is that of tokens. Tokens of the translation inside a word are joined, so that markup never divides a
 * word; a punctuation mark is a unit by itself, so that markup can end before it. The attention of marks to words and
 * of words to marks says little: a comma before a clause attends to the verb. So marks are linked with marks only.
 *
 * A kept part is a unit by itself, and linked with itself only: the model has seen a stand-in for it, or nothing. */
#include "unit_alignment.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>

#include "accelerators.h"
#include "public_status.h"
#include "projection.h"
#include "utf8.h"
#include "word_guess.h"
#include "words.h"

#define LEAST_WEIGHT 0.01f /* of a link; the rest of the attention is noise */

/* Of the link between a kept part and its place: markup gets it, even if this costs the words between. */
#define KEPT_WEIGHT 100.0f

/* Where links between tokens come from: one of the two. */
typedef struct {
    DragomanAlignment *alignment;
    const WordGuess *guess;
} LinkSource;

/* The tokens of one side as units: units[of[t]] is that of token t, NO_UNIT if the token has no text. */
#define NO_UNIT ((size_t)-1)
typedef struct {
    Range *units;  /* [count] */
    bool *is_mark; /* [count], without letters and digits */
    size_t count;
    size_t *of; /* [token_count] */
    size_t token_count;
    size_t *kept; /* [kept_count], the units of the kept parts */
    size_t kept_count;
} Side;

/* What a translation keeps. */
typedef struct {
    const Span *spans;   /* [count], in the order of the source */
    const Span **placed; /* [count], the same in the order of their places */
    size_t count;
} KeptSpans;

/* A text with its tokens, in order. */
typedef struct {
    const char *text; /* [length] */
    size_t length;
    const Range *tokens; /* [token_count] */
    size_t token_count;
    const KeptSpans *kept;
    bool is_target;
} SideText;

/* Kept part number `i` of a side. */
static Range kept_range(const SideText *text, size_t i)
{
    return text->is_target ? text->kept->placed[i]->place : text->kept->spans[i].source;
}

static void side_free(Side *side)
{
    free(side->units);
    free(side->is_mark);
    free(side->of);
    free(side->kept);
}

/* The range without the white space at its ends, and without what is before `begin`. */
static Range trim(const char *text, Range range, size_t begin)
{
    Range out = { range.begin > begin ? range.begin : begin, range.end };

    if (out.begin >= out.end) return (Range){ begin, begin };
    out.begin += utf8_leading_space(text + out.begin, out.end - out.begin);
    out.end -= utf8_trailing_space(text + out.begin, out.end - out.begin);
    return out;
}

/* Whether a letter or a digit ends at byte `at` of the text and another one, or a mark on it, begins there. */
static bool is_in_word(const char *text, size_t length, size_t at)
{
    uint32_t before, after;
    size_t start = at - 1;

    while (start && (text[start] & 0xc0) == 0x80) start--;
    (void)utf8_next(text + start, at - start, &before);
    (void)utf8_next(text + at, length - at, &after);
    return u_isalnum((UChar32)before) &&
           (u_isalnum((UChar32)after) || u_charType((UChar32)after) == U_NON_SPACING_MARK);
}

static bool has_letter_or_digit(const char *text, Range range)
{
    for (size_t at = range.begin; at < range.end;) {
        uint32_t code;
        at += utf8_next(text + at, range.end - at, &code);
        if (u_isalnum((UChar32)code)) return true;
    }
    return false;
}

/* Walks through the words of a text. */
typedef struct {
    const char *text;
    size_t length, begin, end;
} WordWalk;

/* Whether bytes before and after `at` belong to one word. Must be called with ascending `at`. */
static bool divides_word(WordWalk *walk, size_t at)
{
    while (walk->end <= at)
        if (!words_next(walk->text, walk->length, &walk->begin, &walk->end)) return false;
    return walk->begin < at && is_in_word(walk->text, walk->length, at);
}

static Status side_allocate(Side *side, const SideText *text, Err *err)
{
    const size_t units = text->token_count + text->kept->count + 1;

    *side = (Side){ .units = calloc(units, sizeof *side->units),
                    .is_mark = calloc(units, sizeof *side->is_mark),
                    .of = calloc(text->token_count + 1, sizeof *side->of),
                    .token_count = text->token_count,
                    .kept = calloc(text->kept->count + 1, sizeof *side->kept) };
    return side->units && side->is_mark && side->of && side->kept ? OK : err_memory(err, "an alignment");
}

/* Adds the next kept part and returns where it ends. */
static size_t add_kept(Side *side, const SideText *text)
{
    const Range range = kept_range(text, side->kept_count);

    side->units[side->count] = range;
    side->kept[side->kept_count++] = side->count++;
    return range.end;
}

/* Whether the last unit is a kept part. */
static bool ends_with_kept(const Side *side)
{
    return side->kept_count && side->kept[side->kept_count - 1] + 1 == side->count;
}

/* Whether a kept part is left that begins before byte `end`. */
static bool has_kept_before(const Side *side, const SideText *text, size_t end)
{
    return side->kept_count < text->kept->count && kept_range(text, side->kept_count).begin < end;
}

/* The part of a token before the next kept part. */
static Range until_kept(const Side *side, const SideText *text, Range token)
{
    if (has_kept_before(side, text, token.end)) token.end = kept_range(text, side->kept_count).begin;
    return token;
}

/* Adds all kept parts that begin before byte `end`, and returns where the last unit ends. */
static size_t add_kept_before(Side *side, const SideText *text, size_t end, size_t at)
{
    while (has_kept_before(side, text, end)) at = add_kept(side, text);
    return at;
}

/* Makes units of the kept parts, and of what is left of the tokens. `join`: those that are parts of a word become one
 * unit. */
static Status side_find(Side *side, const SideText *text, bool join, Err *err)
{
    WordWalk walk = { text->text, text->length, 0, 0 };
    size_t at = 0;
    Status st = side_allocate(side, text, err);

    for (size_t i = 0; st == OK && i < text->token_count; i++) {
        const Range token = text->tokens[i];
        Range range;
        at = add_kept_before(side, text, trim(text->text, token, at).begin + 1, at);
        range = trim(text->text, until_kept(side, text, token), at);
        side->of[i] = NO_UNIT;
        if (range.begin < range.end) {
            if (join && side->count && !ends_with_kept(side) && range.begin == at && divides_word(&walk, at))
                side->units[side->count - 1].end = range.end;
            else
                side->units[side->count++] = range;
            side->of[i] = side->count - 1;
            at = range.end;
        }
        at = add_kept_before(side, text, token.end, at);
    }
    if (st == OK) (void)add_kept_before(side, text, text->length, at);
    for (size_t i = 0; st == OK && i < side->count; i++)
        side->is_mark[i] = !has_letter_or_digit(text->text, side->units[i]);
    return st;
}

/* The links between units; several may join the same two. */
typedef struct {
    ProjectionLink *items;
    size_t count, capacity;
} LinkList;

static Status append_link(LinkList *links, ProjectionLink link, Err *err)
{
    Status st =
        buf_grow_list(&links->items, &links->capacity, links->count, 1, sizeof *links->items, "an alignment", err);

    if (st == OK) links->items[links->count++] = link;
    return st;
}

/* `is_mark`: what the target is. */
static Status add_link(LinkList *links, const Side *sources, size_t target, bool is_mark, DragomanWeight weight,
                       Err *err)
{
    const size_t source = sources->of[weight.source];

    if (weight.probability < LEAST_WEIGHT || source == NO_UNIT || sources->is_mark[source] != is_mark) return OK;
    return append_link(links, (ProjectionLink){ source, target, weight.probability }, err);
}

static const DragomanWeight *weights_of(const LinkSource *from, size_t target, size_t *count)
{
    if (from->alignment) return dragoman_alignment_weights(from->alignment, target, count);
    *count = from->guess->sources.count ? 1 : 0;
    return &from->guess->weights[target];
}

static Status find_links(LinkList *links, const LinkSource *from, const Side *sources, const Side *targets, Err *err)
{
    Status st = OK;

    for (size_t t = 0; st == OK && t < targets->token_count; t++) {
        size_t count;
        const size_t target = targets->of[t];
        const DragomanWeight *weights = weights_of(from, t, &count);
        if (target == NO_UNIT) continue;
        for (size_t i = 0; st == OK && i < count; i++)
            st = add_link(links, sources, target, targets->is_mark[target], weights[i], err);
    }
    return st;
}

static int compare_places(const void *a, const void *b)
{
    const Span *x = *(const Span *const *)a, *y = *(const Span *const *)b;

    return x->place.begin < y->place.begin ? -1 : x->place.begin > y->place.begin;
}

/* Sets kept->placed. */
static Status order_kept(KeptSpans *kept, Err *err)
{
    kept->placed = calloc(kept->count + 1, sizeof *kept->placed);
    if (!kept->placed) return err_memory(err, "an alignment");
    for (size_t i = 0; i < kept->count; i++) kept->placed[i] = &kept->spans[i];
    qsort(kept->placed, kept->count, sizeof *kept->placed, compare_places);
    return OK;
}

static Status link_kept(LinkList *links, const Side *sources, const Side *targets, const KeptSpans *kept, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < targets->kept_count; i++) {
        const size_t source = sources->kept[kept->placed[i] - kept->spans];
        st = append_link(links, (ProjectionLink){ source, targets->kept[i], KEPT_WEIGHT }, err);
    }
    return st;
}

/* The kept part that the markup is inside, or around; NULL: none. What is at its beginning is before it. `part` starts
 * at 0, and the ranges of the markup ascend. */
static const Span *kept_around(const KeptSpans *kept, Range range, size_t *part)
{
    const Span *span;

    while (*part < kept->count && kept->spans[*part].source.end <= range.begin) ++*part;
    if (*part == kept->count) return NULL;
    span = &kept->spans[*part];
    if (range.begin < span->source.begin || range.end > span->source.end) return NULL;
    return range.begin == range.end && range.begin == span->source.begin ? NULL : span;
}

/* Finds the targets that are kept parts with markup of their own. */
static Status find_reserved(bool **reserved, const UnitText *text, const Side *targets, const KeptSpans *kept, Err *err)
{
    bool *has_markup = calloc(kept->count + 1, sizeof *has_markup);
    size_t part = 0;

    *reserved = calloc(targets->count + 1, sizeof **reserved);
    if (!has_markup || !*reserved) {
        free(has_markup);
        return err_memory(err, "an alignment");
    }
    for (size_t i = 0; i < text->markup_count; i++) {
        const Span *span = kept_around(kept, text->markup[i].text, &part);
        if (span) has_markup[span - kept->spans] = true;
    }
    for (size_t i = 0; i < targets->kept_count; i++)
        (*reserved)[targets->kept[i]] = has_markup[kept->placed[i] - kept->spans];
    free(has_markup);
    return OK;
}

/* Puts markup that is inside a kept part, or around one, into the same place in the translation. */
static void place_in_kept(const UnitText *text, const KeptSpans *kept, Range *places)
{
    size_t part = 0;

    for (size_t i = 0; i < text->markup_count; i++) {
        const Range range = text->markup[i].text;
        const Span *span = kept_around(kept, range, &part);
        if (!span) continue;
        places[i].begin = range.begin - span->source.begin + span->place.begin;
        places[i].end = range.end - span->source.begin + span->place.begin;
    }
}

/* Sets the tokens of both sides. */
static void find_tokens(const LinkSource *from, SideText *source, SideText *target)
{
    if (from->alignment) {
        source->tokens = dragoman_alignment_sources(from->alignment, &source->token_count);
        target->tokens = dragoman_alignment_targets(from->alignment, &target->token_count);
        return;
    }
    source->tokens = from->guess->sources.items;
    source->token_count = from->guess->sources.count;
    target->tokens = from->guess->targets.items;
    target->token_count = from->guess->targets.count;
}

static Status project(const LinkSource *from, const UnitText *text, const Rendering *made, const KeptSpans *kept,
                      Range *places, Err *err)
{
    SideText source = { .text = text->text, .length = text->length, .kept = kept };
    SideText target = { .text = made->text, .length = made->length, .kept = kept, .is_target = true };
    Side sources = { 0 }, targets = { 0 };
    LinkList links = { 0 };
    bool *reserved = NULL;
    Status st;

    find_tokens(from, &source, &target);
    st = side_find(&sources, &source, false, err);
    if (st == OK) st = side_find(&targets, &target, true, err);
    if (st == OK) st = find_links(&links, from, &sources, &targets, err);
    if (st == OK) st = link_kept(&links, &sources, &targets, kept, err);
    if (st == OK) st = find_reserved(&reserved, text, &targets, kept, err);
    if (st == OK)
        st = projection_find(&(ProjectionInput){ .sources = sources.units,
                                                 .source_count = sources.count,
                                                 .targets = targets.units,
                                                 .is_mark = targets.is_mark,
                                                 .is_reserved = reserved,
                                                 .target_count = targets.count,
                                                 .links = links.items,
                                                 .link_count = links.count,
                                                 .target = made->text,
                                                 .target_length = made->length },
                             text, places, err);
    if (st == OK) projection_divide_words(text, made->text, made->length, places);
    if (st == OK) place_in_kept(text, kept, places);
    free(reserved);
    free(links.items);
    side_free(&targets);
    side_free(&sources);
    return st;
}

/* `line` is NULL for a translation by a person. */
static Status align(const UnitText *text, const DragomanLine *line, const Rendering *made, const KeptSpans *kept,
                    Range *places, Err *err)
{
    DragomanAlignment *alignment = NULL;
    WordGuess guess = { .weights = NULL };
    DragomanError error;
    Status st;

    if (line)
        st = public_status(dragoman_align(&alignment, line, 0, DRAGOMAN_TOKENS, &error), &error, err);
    else
        st = word_guess_find(&guess, (WordText){ text->text, text->length }, (WordText){ made->text, made->length },
                             err);
    if (st == OK) st = project(&(LinkSource){ alignment, &guess }, text, made, kept, places, err);
    dragoman_alignment_free(alignment);
    word_guess_free(&guess);
    return st;
}

/* Places the mark of an accelerator before the word that translates the marked one. */
static Status align_with_mark(const UnitText *text, const DragomanLine *line, const Rendering *made,
                              const KeptSpans *kept, Range *places, Err *err)
{
    Markup *markup = malloc(text->markup_count * sizeof *markup);
    UnitText moved = *text;
    Range *mark;
    Status st;

    if (!markup) return err_memory(err, "a unit");
    memcpy(markup, text->markup, text->markup_count * sizeof *markup);
    mark = &markup[text->accelerator - 1].text;
    mark->begin = mark->end = accelerators_word(text->text, mark->begin);
    moved.markup = markup;
    st = align(&moved, line, made, kept, places, err);
    free(markup);
    if (st == OK) accelerators_move(text, made->text, made->length, places);
    return st;
}

Status unit_alignment_place(const UnitText *text, const DragomanLine *line, const Rendering *made, const Span *kept,
                            size_t count, Range *places, Err *err)
{
    KeptSpans spans = { .spans = kept, .count = count };
    Status st = order_kept(&spans, err);

    if (st == OK) st = (text->accelerator ? align_with_mark : align)(text, line, made, &spans, places, err);
    free(spans.placed);
    return st;
}
