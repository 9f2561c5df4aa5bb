/* document_output.c - see document_output.h.
 *
 * The alignment of tokens decides where markup goes. The tokens of one word in the translation are joined to one unit,
 * so that markup never divides a word. A punctuation mark is a separate unit, so that markup can end before it. The
 * attention between marks and words is not reliable (a comma before a clause attends to the verb), so punctuation marks
 * are linked only with punctuation marks.
 *
 * A kept part is a separate unit, linked only with its copy: the model has seen a placeholder for it, or nothing. */
#include "document_output.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>

#include "accelerators.h"
#include "projection.h"
#include "pseudo.h"
#include "public_status.h"
#include "utf8.h"
#include "word_guess.h"
#include "words.h"

#define LEAST_WEIGHT 0.01f /* the smallest weight of a link; smaller attention weights are noise */

/* Weight of the link between a kept part and its place in the translation. It is so large that the markup around a kept
 * part always goes to this place, even at the cost of other words. */
#define KEPT_WEIGHT 100.0f

/* --- The units of an alignment ------------------------------------------------ */

/* The source or the translation, divided into units. units[of[t]] is the unit of token t; of[t] is NO_UNIT if the token
 * belongs to no unit. */
#define NO_UNIT ((size_t)-1)
typedef struct {
    LineText text;
    const Range *tokens; /* [token_count] */
    size_t token_count;
    bool is_target;
    const Span **spans; /* [span_count], the kept parts, sorted by their places in this text */
    size_t span_count;

    Range *units;  /* [count] */
    bool *is_mark; /* [count]; the unit has no letters or digits */
    size_t count;
    size_t *of;      /* [token_count] */
    size_t *kept;    /* [span_count], the unit of each kept part, in the order of the source, or NO_UNIT */
    size_t kept_end; /* number of units up to and including the last kept part */
    size_t added;    /* how many of `spans` have got units so far */
} Side;

/* The place of the next span in the text. */
static Range next_span(const Side *side)
{
    return side->is_target ? side->spans[side->added]->place : side->spans[side->added]->source;
}

static void side_free(Side *side)
{
    free(side->spans);
    free(side->units);
    free(side->is_mark);
    free(side->of);
    free(side->kept);
}

/* Removes from the range the bytes before `begin`, and then the white space at its ends. */
static Range trim(const char *text, Range range, size_t begin)
{
    if (range.begin < begin) range.begin = begin;
    return range.begin < range.end ? ranges_trimmed(text, range) : (Range){ begin, begin };
}

/* Whether `at` is inside a word: after a letter or digit, and before another one or a combining mark. `word` starts as
 * {0}, and `at` must grow from call to call. */
static bool divides_word(LineText text, Range *word, size_t at)
{
    uint32_t before, after;

    while (word->end <= at)
        if (!words_next(text.data, text.len, &word->begin, &word->end)) return false;
    if (word->begin >= at) return false;
    (void)utf8_previous(text.data, at, &before);
    (void)utf8_next(text.data + at, text.len - at, &after);
    return u_isalnum((UChar32)before) &&
           (u_isalnum((UChar32)after) || u_charType((UChar32)after) == U_NON_SPACING_MARK);
}

/* Whether the next kept part begins before byte `end`. */
static bool has_span_before(const Side *side, size_t end)
{
    return side->added < side->span_count && next_span(side).begin < end;
}

/* Adds units for all remaining kept parts that begin before byte `end`. Returns the end of the last one, or `at`. */
static size_t add_spans(Side *side, const Span *kept, size_t end, size_t at)
{
    for (; has_span_before(side, end); side->added++) {
        const Range range = next_span(side);
        side->kept[side->spans[side->added] - kept] = side->count;
        side->units[side->count++] = range;
        side->kept_end = side->count;
        at = range.end;
    }
    return at;
}

static int compare_places(const void *a, const void *b)
{
    return ranges_compare_begin(&(*(const Span *const *)a)->place, &(*(const Span *const *)b)->place);
}

/* Makes a unit of each kept part in kept[side->span_count], and of each token outside of them. In the translation, the
 * tokens of a word become one unit. */
static Status side_find(Side *side, const Span *kept, Err *err)
{
    const char *text = side->text.data;
    const size_t most = side->token_count + side->span_count + 1;
    Range word = { 0, 0 };
    size_t at = 0;

    side->spans = calloc(side->span_count + 1, sizeof *side->spans);
    side->units = calloc(most, sizeof *side->units);
    side->is_mark = calloc(most, sizeof *side->is_mark);
    side->of = calloc(side->token_count + 1, sizeof *side->of);
    side->kept = calloc(side->span_count + 1, sizeof *side->kept);
    if (!side->spans || !side->units || !side->is_mark || !side->of || !side->kept)
        return err_memory(err, "an alignment");
    for (size_t i = 0; i < side->span_count; i++) {
        side->spans[i] = &kept[i];
        side->kept[i] = NO_UNIT;
    }
    if (side->is_target) qsort(side->spans, side->span_count, sizeof *side->spans, compare_places);

    for (size_t i = 0; i < side->token_count; i++) {
        const Range token = side->tokens[i];
        Range range = token;
        at = add_spans(side, kept, trim(text, token, at).begin + 1, at);
        if (has_span_before(side, token.end)) range.end = next_span(side).begin;
        range = trim(text, range, at);
        side->of[i] = NO_UNIT;
        if (range.begin < range.end) {
            if (side->is_target && side->count > side->kept_end && range.begin == at &&
                divides_word(side->text, &word, at))
                side->units[side->count - 1].end = range.end;
            else
                side->units[side->count++] = range;
            side->of[i] = side->count - 1;
            at = range.end;
        }
        at = add_spans(side, kept, token.end, at);
    }
    (void)add_spans(side, kept, side->text.len, at);
    for (size_t i = 0; i < side->count; i++)
        side->is_mark[i] =
            !words_has_letter_or_digit(text + side->units[i].begin, side->units[i].end - side->units[i].begin);
    return OK;
}

/* --- The places of markup ------------------------------------------------------ */

/* Links between source and target units; two units may have several links. */
typedef struct {
    ProjectionLink *data;
    size_t len, cap;
    bool failed;
} LinkList;

/* Links the units by the alignment or, if `alignment` is NULL, by `guess`. Links each kept part with its place. */
static void find_links(LinkList *links, DragomanAlignment *alignment, const WordGuess *guess, const Side *sources,
                       const Side *targets)
{
    for (size_t t = 0; t < targets->token_count; t++) {
        const size_t target = targets->of[t];
        size_t count = guess->sources.len ? 1 : 0;
        const DragomanWeight *weights =
            alignment ? dragoman_alignment_weights(alignment, t, &count) : &guess->weights[t];
        if (target == NO_UNIT) continue;
        for (size_t i = 0; i < count; i++) {
            const size_t source = sources->of[weights[i].source];
            if (weights[i].probability >= LEAST_WEIGHT && source != NO_UNIT &&
                sources->is_mark[source] == targets->is_mark[target])
                LIST_PUT(links, ((ProjectionLink){ source, target, weights[i].probability }));
        }
    }
    for (size_t i = 0; i < targets->span_count; i++)
        if (sources->kept[i] != NO_UNIT && targets->kept[i] != NO_UNIT)
            LIST_PUT(links, ((ProjectionLink){ sources->kept[i], targets->kept[i], KEPT_WEIGHT }));
}

/* Returns the kept part that contains all of `range`, the place of markup, or NULL. An empty range at the beginning of
 * a kept part is not in it. *part starts at 0, and `range` must move forward from call to call. */
static const Span *kept_around(const Span *kept, size_t count, Range range, size_t *part)
{
    const Span *span;

    while (*part < count && kept[*part].source.end <= range.begin) ++*part;
    if (*part == count) return NULL;
    span = &kept[*part];
    if (range.begin < span->source.begin || range.end > span->source.end) return NULL;
    return range.begin == range.end && range.begin == span->source.begin ? NULL : span;
}

/* Sets the places of the markup by the alignment or, if `alignment` is NULL, by `guess`. */
static Status project(DragomanAlignment *alignment, const WordGuess *guess, const UnitText *text, const Rendering *made,
                      const Span *kept, size_t count, Range *places, Err *err)
{
    Side sources = { .text = { text->text, text->length }, .span_count = count };
    Side targets = { .text = { made->text, made->length }, .span_count = count, .is_target = true };
    LinkList links = { .data = NULL };
    bool *reserved = NULL; /* [targets.count]; this unit is a kept part that contains markup */
    size_t part = 0;
    Status st;

    sources.tokens = alignment ? dragoman_alignment_sources(alignment, &sources.token_count) : guess->sources.data;
    targets.tokens = alignment ? dragoman_alignment_targets(alignment, &targets.token_count) : guess->targets.data;
    if (!alignment) sources.token_count = guess->sources.len;
    if (!alignment) targets.token_count = guess->targets.len;
    st = side_find(&sources, kept, err);
    if (st == OK) st = side_find(&targets, kept, err);
    if (st == OK) find_links(&links, alignment, guess, &sources, &targets);
    if (st == OK) st = LIST_CHECK(&links, "an alignment", err);
    if (st == OK) reserved = calloc(targets.count + 1, sizeof *reserved);
    if (st == OK && !reserved) st = err_memory(err, "an alignment");
    for (size_t i = 0; st == OK && i < text->markup_count; i++) {
        const Span *span = kept_around(kept, count, text->markup[i].text, &part);
        if (span && targets.kept[span - kept] != NO_UNIT) reserved[targets.kept[span - kept]] = true;
    }
    if (st == OK)
        st = projection_find(&(ProjectionInput){ .sources = sources.units,
                                                 .source_count = sources.count,
                                                 .targets = targets.units,
                                                 .is_mark = targets.is_mark,
                                                 .is_reserved = reserved,
                                                 .target_count = targets.count,
                                                 .links = links.data,
                                                 .link_count = links.len,
                                                 .target = made->text,
                                                 .target_length = made->length },
                             text, places, err);
    if (st == OK) projection_divide_words(text, made->text, made->length, places);
    part = 0;
    for (size_t i = 0; st == OK && i < text->markup_count; i++) { /* markup in a kept part stays there */
        const Range range = text->markup[i].text;
        const Span *span = kept_around(kept, count, range, &part);
        if (!span) continue;
        places[i].begin = range.begin - span->source.begin + span->place.begin;
        places[i].end = range.end - span->source.begin + span->place.begin;
    }
    free(reserved);
    free(links.data);
    side_free(&targets);
    side_free(&sources);
    return st;
}

/* Sets places[text->markup_count] to the words of the translation `made` that translate the words inside the markup of
 * `text`. kept[count] are the kept parts in the order of the source. `line` gives the alignment. It is NULL for a
 * translation from the memory, which has no attention; then the alignment is guessed (word_guess.h). */
static Status place_markup(const UnitText *text, const DragomanLine *line, const Rendering *made, const Span *kept,
                           size_t count, Range *places, Err *err)
{
    DragomanAlignment *alignment = NULL;
    WordGuess guess = { .weights = NULL };
    UnitText moved = *text;
    Markup *markup = NULL;
    DragomanError error;
    Status st;

    if (!text->markup_count) return OK;
    if (text->accelerator) { /* move the mark before its word, so that it is put before the translation of the word */
        Range *mark;
        moved.markup = markup = malloc(text->markup_count * sizeof *markup);
        if (!markup) return err_memory(err, "a unit");
        memcpy(markup, text->markup, text->markup_count * sizeof *markup);
        mark = &markup[text->accelerator - 1].text;
        mark->begin = mark->end = accelerators_word(text->text, mark->begin);
    }
    if (line)
        st = public_status(dragoman_align(&alignment, line, 0, DRAGOMAN_TOKENS, &error), &error, err);
    else
        st = word_guess_find(&guess, (LineText){ text->text, text->length }, (LineText){ made->text, made->length },
                             err);
    if (st == OK) st = project(alignment, &guess, &moved, made, kept, count, places, err);
    dragoman_alignment_free(alignment);
    word_guess_free(&guess);
    free(markup);
    if (st == OK && text->accelerator) accelerators_move(text, made->text, made->length, places);
    return st;
}

/* --- The renderings of units ---------------------------------------------------- */

/* Discards the rendering of the previous unit, and makes room for the places of the markup. */
static Status restart(DocumentOutput *output, const UnitText *text, Err *err)
{
    buf_reuse(&output->made);
    output->kept.len = 0;
    return buf_grow_list(&output->places, &output->place_capacity, 0, text->markup_count + 1, sizeof *output->places,
                         "a unit", err);
}

static Rendering rendering_of(const DocumentOutput *output)
{
    return (Rendering){ output->made.len ? output->made.data : "", output->made.len, output->places, output->kept.data,
                        output->kept.len };
}

/* Sets *rendering to the translation in the memory or, if there is none, to the translation of the line. If the line
 * has no translation, sets it to the text itself. *rendering is valid until the next call. */
static Status render(DocumentOutput *output, const UnitText *text, const RoutedLine *line, Rendering *rendering,
                     Err *err)
{
    const bool is_translated = dragoman_line_count(line->line) > 0, remembers = output->memory && is_translated;
    size_t length = text->length, count = 0;
    const char *made = is_translated ? dragoman_line_translation(line->line, 0, &length) : text->text;
    const Span *kept = is_translated ? dragoman_line_kept(line->line, 0, &count) : NULL;
    MemoryHit hit = { .kept = NULL };
    Status st = restart(output, text, err);
    bool found;

    if (st == OK && remembers) st = memory_recall(output->memory, &line->context, text, &hit, err);
    found = hit.target.data;
    buf_put(&output->made, found ? hit.target.data : made, found ? hit.target.len : length);
    if (st == OK) st = buf_check(&output->made, err);
    for (size_t i = 0; st == OK && i < output->made.len; i++) /* a model may produce newlines */
        if (output->made.data[i] == '\n' || output->made.data[i] == '\r') output->made.data[i] = ' ';
    for (size_t i = 0; st == OK && !found && i < count; i++)
        if (kept[i].kind == DRAGOMAN_SPAN_KEPT) st = spans_append(&output->kept, kept[i], err);
    for (size_t i = 0; st == OK && (found || !is_translated) && i < text->kept_count; i++) {
        Span span = span_at(DRAGOMAN_SPAN_KEPT, text->kept[i]);
        if (found) span.place = hit.kept[i];
        st = spans_append(&output->kept, span, err);
    }
    if (st != OK) return st;
    *rendering = rendering_of(output);
    if (found && !hit.places)
        return place_markup(text, NULL, rendering, output->kept.data, output->kept.len, output->places, err);
    if (!found && is_translated) st = place_markup(text, line->line, rendering, kept, count, output->places, err);
    for (size_t i = 0; (found || !is_translated) && i < text->markup_count; i++)
        output->places[i] = found ? hit.places[i] : text->markup[i].text;
    return st == OK && remembers && !found ? memory_learn(output->memory, &line->context, text, rendering, err) : st;
}

/* --- The document ----------------------------------------------------------------- */

void document_output_begin(DocumentOutput *output, DocumentContent content, OpenDocument *document, Memory *memory)
{
    if (output->progress.document) return;
    if (document->is_copied) content = DOCUMENT_IDENTITY;
    output->content = content;
    output->document = document;
    output->memory = memory;
    output->progress = (DocumentProgress){ .document = document->document,
                                           .encoding = document->encoding,
                                           .as_identity = content == DOCUMENT_IDENTITY };
}

static bool has_units(const DocumentOutput *output)
{
    return output->progress.unit < document_unit_count(output->progress.document);
}

static bool is_wanted(const DocumentOutput *output)
{
    return output->content != DOCUMENT_IDENTITY && document_is_wanted(output->progress.document, output->progress.unit);
}

/* Returns the next unit's text, with the parts that stay untranslated. */
static UnitText next_text(const DocumentOutput *output)
{
    const size_t unit = output->progress.unit;
    UnitText text = document_source(output->progress.document, unit);

    text.kept = kept_items_of(&output->document->kept, unit, &text.kept_count);
    return text;
}

/* Returns the buffer for output in UTF-8: output->text if it must still be converted or packed, otherwise `out`. */
static Buf *text_of(DocumentOutput *output, Buf *out)
{
    return output->document->encoding || output->document->package ? &output->text : out;
}

/* If the document is not in UTF-8, converts output->text to its encoding and appends it to `out`. */
static Status convert(DocumentOutput *output, bool is_last, Buf *out, Err *err)
{
    Status st;

    if (!output->document->encoding) return OK;
    st = text_encoding_append(output->document->encoding, output->text.data, output->text.len, is_last, out, err);
    buf_reuse(&output->text);
    return st;
}

Status document_output_line(DocumentOutput *output, const RoutedLine *line, Buf *out, Err *err)
{
    Buf *to = text_of(output, out);
    UnitText text;
    Rendering rendering;
    Status st = OK;

    while (st == OK && has_units(output) && !is_wanted(output))
        st = document_write_unit(&output->progress, NULL, to, err);
    if (st == OK && has_units(output)) {
        text = next_text(output);
        st = render(output, &text, line, &rendering, err);
        if (st == OK) st = part_order_restore(&output->order, &text, &rendering, err);
        if (st == OK) st = document_write_unit(&output->progress, &rendering, to, err);
    }
    return st == OK ? convert(output, false, out, err) : st;
}

Status document_output_end(DocumentOutput *output, Buf *out, Err *err)
{
    const OpenDocument *document = output->document;
    Buf *to = text_of(output, out);
    Status st = OK;

    while (st == OK && has_units(output)) {
        const bool is_pseudo = output->content == DOCUMENT_PSEUDO && is_wanted(output);
        Rendering rendering = { .text = NULL };
        if (is_pseudo) {
            const UnitText text = next_text(output);
            st = restart(output, &text, err);
            if (st == OK) st = pseudo_append(&text, &output->made, output->places, &output->kept, err);
            rendering = rendering_of(output);
        }
        if (st == OK) st = document_write_unit(&output->progress, is_pseudo ? &rendering : NULL, to, err);
    }
    if (st == OK) st = document_write_end(&output->progress, to, err);
    if (st == OK) st = convert(output, true, out, err);
    if (st == OK && document->package) st = package_write(document->package, &document->text, to, out, err);
    document_output_drop(output);
    return st;
}

void document_output_drop(DocumentOutput *output)
{
    document_progress_free(&output->progress);
    output->progress = (DocumentProgress){ .document = NULL };
    output->document = NULL;
    buf_reuse(&output->text);
}

void document_output_free(DocumentOutput *output)
{
    document_output_drop(output);
    buf_free(&output->text);
    buf_free(&output->made);
    free(output->places);
    spans_free(&output->kept);
    part_order_free(&output->order);
}
