/* unit_rendering.c - see unit_rendering.h.
 *
 * The alignment is that of tokens. Tokens of the translation inside a word are joined, so that markup never divides a
 * word; a punctuation mark is a unit by itself, so that markup can end before it. The attention of marks to words and of
 * words to marks says little: a comma before a clause attends to the verb. So marks are linked with marks only. */
#include "unit_rendering.h"

#include <stdlib.h>

#include <unicode/uchar.h>

#include "copied_words.h"
#include "library.h"
#include "projection.h"
#include "pseudo.h"
#include "utf8.h"
#include "words.h"

#define LEAST_WEIGHT 0.01f /* of a link; the rest of the attention is noise */

/* The tokens of one side as units: units[of[t]] is that of token t, NO_UNIT if the token has no text. */
#define NO_UNIT ((size_t)-1)
typedef struct {
    ByteRange *units; /* [count] */
    bool *is_mark;    /* [count], without letters and digits */
    size_t count;
    size_t *of; /* [token_count] */
    size_t token_count;
} Side;

static void side_free(Side *side)
{
    free(side->units);
    free(side->is_mark);
    free(side->of);
}

/* The range without the white space at its ends, and without what is before `begin`. */
static ByteRange trim(const char *text, DragomanRange range, size_t begin)
{
    ByteRange out = { range.begin > begin ? range.begin : begin, range.end };

    if (out.begin >= out.end) return (ByteRange){ begin, begin };
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

static bool has_letter_or_digit(const char *text, ByteRange range)
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

/* Makes units of the tokens. `join`: those that are parts of a word become one unit. */
static Status side_find(Side *side, const char *text, size_t length, const DragomanRange *tokens, size_t count,
                        bool join, Err *err)
{
    WordWalk walk = { text, length, 0, 0 };
    size_t at = 0;

    *side = (Side){ .units = calloc(count + 1, sizeof *side->units),
                    .is_mark = calloc(count + 1, sizeof *side->is_mark),
                    .of = calloc(count + 1, sizeof *side->of),
                    .token_count = count };
    if (!side->units || !side->is_mark || !side->of) return err_memory(err, "an alignment");
    for (size_t i = 0; i < count; i++) {
        const ByteRange range = trim(text, tokens[i], at);
        side->of[i] = NO_UNIT;
        if (range.begin == range.end) continue;
        if (join && side->count && range.begin == at && divides_word(&walk, at))
            side->units[side->count - 1].end = range.end;
        else
            side->units[side->count++] = range;
        side->of[i] = side->count - 1;
        at = range.end;
    }
    for (size_t i = 0; i < side->count; i++) side->is_mark[i] = !has_letter_or_digit(text, side->units[i]);
    return OK;
}

/* The links between units; several may join the same two. */
typedef struct {
    ProjectionLink *items;
    size_t count, capacity;
} LinkList;

/* `is_mark`: what the target is. */
static Status add_row(LinkList *links, const Side *sources, size_t target, bool is_mark, const float *row, Err *err)
{
    Status st = OK;

    for (size_t s = 0; st == OK && s < sources->token_count; s++) {
        if (row[s] < LEAST_WEIGHT || sources->of[s] == NO_UNIT || sources->is_mark[sources->of[s]] != is_mark) continue;
        st = buf_grow_list(&links->items, &links->capacity, links->count, 1, sizeof *links->items, "an alignment", err);
        if (st == OK) links->items[links->count++] = (ProjectionLink){ sources->of[s], target, row[s] };
    }
    return st;
}

static Status find_links(LinkList *links, DragomanAlignment *alignment, const Side *sources, const Side *targets,
                         Err *err)
{
    float *row = calloc(sources->token_count + 1, sizeof *row);
    Status st = row ? OK : err_memory(err, "an alignment");

    for (size_t t = 0; st == OK && t < targets->token_count; t++) {
        if (targets->of[t] == NO_UNIT) continue;
        dragoman_alignment_row(alignment, t, row);
        st = add_row(links, sources, targets->of[t], targets->is_mark[targets->of[t]], row, err);
    }
    free(row);
    return st;
}

static Status project(DragomanAlignment *alignment, const UnitText *text, const Rendering *made, ByteRange *places,
                      Err *err)
{
    size_t source_count, target_count;
    const DragomanRange *source = dragoman_alignment_sources(alignment, &source_count);
    const DragomanRange *target = dragoman_alignment_targets(alignment, &target_count);
    Side sources = { 0 }, targets = { 0 };
    LinkList links = { 0 };
    Status st = side_find(&sources, text->text, text->length, source, source_count, false, err);

    if (st == OK) st = side_find(&targets, made->text, made->length, target, target_count, true, err);
    if (st == OK) st = find_links(&links, alignment, &sources, &targets, err);
    if (st == OK)
        st = projection_find(&(ProjectionInput){ .sources = sources.units,
                                                 .source_count = sources.count,
                                                 .targets = targets.units,
                                                 .is_mark = targets.is_mark,
                                                 .target_count = targets.count,
                                                 .links = links.items,
                                                 .link_count = links.count,
                                                 .target_length = made->length },
                             text, places, err);
    free(links.items);
    side_free(&targets);
    side_free(&sources);
    return st;
}

static Status align(const UnitText *text, const DragomanLine *line, const Rendering *made, ByteRange *places, Err *err)
{
    DragomanAlignment *alignment;
    DragomanError error;
    Status st = library_status(dragoman_align(&alignment, line, 0, DRAGOMAN_TOKENS, &error), &error, err);

    if (st != OK) return st;
    st = project(alignment, text, made, places, err);
    if (st == OK) copied_words_divide(text, made->text, made->length, places);
    dragoman_alignment_free(alignment);
    return st;
}

/* Makes room for the places, and forgets the text. */
static Status restart(UnitRendering *memory, const UnitText *text, Err *err)
{
    buf_reuse(&memory->text);
    return buf_grow_list(&memory->places, &memory->capacity, 0, text->markup_count + 1, sizeof *memory->places,
                         "a unit", err);
}

/* Appends a text with spaces instead of the newlines that a model may produce. Bytes stay where they are. */
static Status append_line(Buf *out, const char *text, size_t length, Err *err)
{
    Status st = buf_append(out, text, length, err);

    for (size_t i = 0; st == OK && i < length; i++)
        if (out->data[i] == '\n' || out->data[i] == '\r') out->data[i] = ' ';
    return st;
}

Status unit_rendering_translate(UnitRendering *memory, const UnitText *text, const DragomanLine *line,
                                Rendering *rendering, Err *err)
{
    const bool translated = dragoman_line_count(line) > 0;
    size_t length = text->length;
    const char *made = translated ? dragoman_line_translation(line, 0, &length) : text->text;
    Status st = restart(memory, text, err);

    if (st == OK) st = append_line(&memory->text, made, length, err);
    if (st != OK) return st;
    *rendering = (Rendering){ length ? memory->text.data : "", length, memory->places };
    if (translated && text->markup_count) return align(text, line, rendering, memory->places, err);
    for (size_t i = 0; i < text->markup_count; i++) memory->places[i] = text->markup[i].text;
    return OK;
}

Status unit_rendering_pseudo(UnitRendering *memory, const UnitText *text, Rendering *rendering, Err *err)
{
    Status st = restart(memory, text, err);

    if (st == OK) st = pseudo_append(text, &memory->text, memory->places, err);
    if (st == OK) *rendering = (Rendering){ memory->text.data, memory->text.len, memory->places };
    return st;
}

void unit_rendering_free(UnitRendering *memory)
{
    buf_free(&memory->text);
    free(memory->places);
}
