/* document_builder.c - see document_builder.h. A TextBuilder collects one text of the document as a list of events. At
 * the end of the text, choose_words() finds the events that stand for words, and text_end() divides the list at line
 * breaks. For each part, match_markup() finds the spans, trim() removes what surrounds the text, and end_part() adds
 * the rest to the document. */
#include "document_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>

#include "accelerators.h"
#include "buf.h"
#include "chars.h"
#include "document_formats.h"
#include "document_parts.h"
#include "icu_message.h"
#include "placeholders.h"
#include "ranges.h"
#include "sentences.h"
#include "statement_blocks.h"
#include "text_events.h"
#include "utf8.h"

/* --- One text. */

/* Starts as { .builder, .source = bytes of the document }; document_builder_finish() frees its memory. */
typedef struct {
    DocumentBuilder *builder;
    const char *source;
    Event *events; /* [count], in the order of their bytes, without gaps from `begin` to `end` */
    size_t count, capacity;
    Buf text;
    size_t length; /* of the text so far */
    size_t begin, end;
    unsigned context, next_context; /* of the text, and of the parts after a line break */
    ArgumentRule arguments;
    bool is_kept;
    bool is_whole;   /* line breaks do not divide it */
    bool is_message; /* it may be a message of ICU */
} TextBuilder;

/* The first failure is remembered in `status` and `err`; after it, calls of the format are ignored. */
struct DocumentBuilder {
    Document *document;
    const char *bytes;             /* of the document; those of document->file may have been moved */
    TextBuilder texts[TEXT_DEPTH]; /* each is in the markup of the text before it */
    size_t depth;                  /* number of texts that have begun and not ended */
    ArgumentRule arguments;        /* of texts that begin later */
    const SpellingRules *embedded; /* document_builder_embed(); NULL: texts are not in embedded data */
    const char *accelerators;      /* the characters that mark accelerators (accelerators.h); NULL: none */
    bool has_target;               /* `target` is set */
    PluralTarget target;           /* document_builder_target() */
    Status status;
    Err err;
};

static void fail_internal(DocumentBuilder *b, size_t at, const char *what)
{
    Err reason;

    (void)err_internal(&reason, what);
    document_builder_fail(b, at, "%s", reason.text);
}

/* What the event adds to the text; nothing for markup. */
static LineText text_of(const TextBuilder *b, const Event *event)
{
    return text_event_text(event, b->source, &b->text);
}

static void check_text(TextBuilder *b)
{
    if (b->builder->status == OK) b->builder->status = buf_check(&b->text, &b->builder->err);
}

static bool make_room(TextBuilder *b, size_t more)
{
    if (b->builder->status == OK)
        b->builder->status =
            buf_grow_list(&b->events, &b->capacity, b->count, more, sizeof *b->events, "a text", &b->builder->err);
    return b->builder->status == OK;
}

/* Makes an event for a space that has no bytes in the document. */
static Event make_space(TextBuilder *b, size_t at)
{
    buf_put_byte(&b->text, ' ');
    check_text(b);
    return (Event){ EVENT_SPELLED, .bytes = { at, at }, .text = b->text.len - 1, .length = 1, .partner = NO_PARTNER };
}

/* --- Events as the format reports them ------------------------------------------- */

/* Adds an event. Plain bytes are added to the last event, if it also has plain bytes. */
static void push(TextBuilder *b, const Event *event)
{
    Event *last = b->count ? &b->events[b->count - 1] : NULL;

    if (b->count == UNIT_PARTS || b->length > UNIT_BYTES)
        document_builder_fail(b->builder, b->begin,
                              "a text has more than %zu bytes or %zu tags, which is not supported", UNIT_BYTES,
                              UNIT_PARTS);
    if (document_builder_failed(b->builder)) return;
    b->end = event->bytes.end;
    if (last && event->kind == EVENT_PLAIN && last->kind == EVENT_PLAIN && last->is_kept == b->is_kept) {
        last->bytes.end = event->bytes.end;
        return;
    }
    if (!make_room(b, 1)) return;
    last = &b->events[b->count++];
    *last = *event;
    last->is_kept = b->is_kept;
    last->partner = NO_PARTNER;
}

/* Whether a text contains a newline, a carriage return or a NUL. */
static bool breaks_line(const char *text, size_t length)
{
    return memchr(text, '\n', length) || memchr(text, '\r', length) || memchr(text, '\0', length);
}

/* The last event, if it ends at byte `at` and is_kept did not change after it; otherwise NULL. */
static Event *event_before(const TextBuilder *b, size_t at)
{
    Event *last = b->count ? &b->events[b->count - 1] : NULL;

    return last && last->bytes.end == at && last->is_kept == b->is_kept ? last : NULL;
}

/* Returns how many events form the blank at the end of the text: 1 for a space, 2 for a space without bytes and the
 * element after it; 0: the text does not end in a blank. The blank can become part of a line break that follows. */
static size_t count_blank(const TextBuilder *b, size_t at)
{
    const Event *last = event_before(b, at), *before = last && b->count > 1 ? last - 1 : NULL;

    if (!last) return 0;
    if ((last->kind == EVENT_SPELLED || last->kind == EVENT_BREAK) && last->bytes.begin < last->bytes.end)
        return last->length == 1 && b->text.data[last->text] == ' ';
    if (last->kind != EVENT_EMPTY || last->break_kind || !before || before->kind != EVENT_SPELLED) return 0;
    return before->bytes.begin == before->bytes.end && before->bytes.end == last->bytes.begin ? 2 : 0;
}

/* Removes the blanks before byte `at` from the text, and returns where they begin. */
static size_t take_blanks(TextBuilder *b, size_t at)
{
    Event *last;

    for (size_t count = count_blank(b, at); count; count = count_blank(b, at)) {
        b->count -= count;
        at = b->end = b->events[b->count].bytes.begin;
    }
    last = event_before(b, at);
    if (!last || last->kind != EVENT_PLAIN) return at;
    while (last->bytes.end > last->bytes.begin && char_is_blank(b->source[last->bytes.end - 1])) last->bytes.end--;
    b->end = last->bytes.end;
    b->count -= last->bytes.begin == last->bytes.end;
    return b->end;
}

/* Adds a space without bytes, which separates words, and after it an empty element. */
static void push_space(TextBuilder *b, const Event *element)
{
    const Event space = make_space(b, element->bytes.begin);

    push(b, &space);
    push(b, element);
}

/* Adds an empty element that separates words, and before it a space without bytes. The blanks around the element become
 * part of it. Line breaks that follow each other become one element. */
static void push_separator(TextBuilder *b, Event event)
{
    Event *last = event_before(b, event.bytes.begin);

    if (last && last->break_kind && event.break_kind) {
        last->bytes.end = b->end = event.bytes.end;
        last->break_kind = BREAK_ALWAYS;
        return;
    }
    event.bytes.begin = take_blanks(b, event.bytes.begin);
    push_space(b, &event);
}

/* Adds an empty element for a text of newlines, carriage returns or NULs. */
static void push_line_break(TextBuilder *b, Range bytes, const char *text, size_t length)
{
    Event event = { .kind = EVENT_EMPTY, .bytes = bytes };
    size_t breaks = 0;

    for (size_t i = 0; i < length; i++)
        breaks += text[i] == '\n' || (text[i] == '\r' && !(i + 1 < length && text[i + 1] == '\n'));
    event.break_kind = breaks > 1 ? BREAK_ALWAYS : BREAK_NEWLINE;
    if (breaks)
        push_separator(b, event);
    else
        push(b, &(Event){ .kind = EVENT_EMPTY, .bytes = bytes });
}

/* Adds the plain blanks at byte `at` to the line break that ends there, and returns where they end. */
static size_t add_blanks(TextBuilder *b, size_t at, size_t end)
{
    Event *last = event_before(b, at);

    if (!last || !last->break_kind) return at;
    return last->bytes.end = b->end = chars_skip_blanks(b->source, at, end);
}

/* Returns the length of the hint at the beginning of a text; 0: there is none, or the text is kept with its hints. */
static size_t hint_length(const TextBuilder *b, const char *text, size_t length)
{
    return b->is_kept ? 0 : char_hint_length(text, length);
}

/* Adds an event with a copy of its text. */
static void push_text(TextBuilder *b, Event event, const char *text)
{
    event.text = b->text.len;
    buf_put(&b->text, text, event.length);
    check_text(b);
    b->length += event.length;
    push(b, &event);
}

static void push_spelled(TextBuilder *b, Event event, const char *text)
{
    const bool is_blank = event.kind == EVENT_SPELLED && event.length == 1 && *text == ' ';
    Event *last = event_before(b, event.bytes.begin);

    if (last && last->break_kind && event.length == 1 && *text == ' ')
        last->bytes.end = b->end = event.bytes.end;
    else if (is_blank && !b->is_kept && event.bytes.begin < event.bytes.end) /* an element: it stays in its place */
        push_space(b, &(Event){ .kind = EVENT_EMPTY, .is_blank = true, .bytes = event.bytes });
    else if (hint_length(b, text, event.length) == event.length)
        push(b, &(Event){ .kind = EVENT_EMPTY, .is_hint = true, .bytes = event.bytes });
    else if (breaks_line(text, event.length))
        push_line_break(b, event.bytes, text, event.length);
    else
        push_text(b, event, text);
}

/* --- Marks of accelerators ------------------------------------------------------- */

/* Splits a plain event: byte `at` becomes an empty element, and the bytes before and after it become plain events. */
static void split_at_mark(TextBuilder *b, size_t index, size_t at)
{
    const Event whole = b->events[index];
    const size_t begin = whole.bytes.begin + at;
    Event parts[3] = { whole, whole, whole };
    size_t count = 0;

    if (!make_room(b, 2)) return;
    parts[0].bytes.end = parts[1].bytes.begin = begin;
    parts[1].bytes.end = parts[2].bytes.begin = begin + 1;
    parts[1].kind = EVENT_EMPTY;
    parts[1].is_mark = true;
    for (size_t i = 0; i < 3; i++)
        if (parts[i].bytes.begin < parts[i].bytes.end) parts[count++] = parts[i];
    memmove(b->events + index + count, b->events + index + 1, (b->count - index - 1) * sizeof *b->events);
    memcpy(b->events + index, parts, count * sizeof *parts);
    b->count += count - 1;
}

/* Turns the mark of an accelerator in a short text into an empty element, if the mark is a plain byte or the whole text
 * of another event. Kept text has no mark. */
static void take_mark(TextBuilder *b)
{
    Buf text = { 0 };
    size_t at = ACCELERATOR_NONE, index = 0, length;

    if (document_builder_failed(b->builder) || !b->builder->accelerators || b->length > ACCELERATOR_TEXT) return;
    for (size_t i = 0; i < b->count; i++) {
        const LineText part = text_of(b, &b->events[i]);
        buf_put(&text, part.data, part.len);
        if (!text.failed && part.len && b->events[i].is_kept) memset(text.data + text.len - part.len, 0, part.len);
    }
    b->builder->status = buf_check(&text, &b->builder->err);
    if (!document_builder_failed(b->builder) && text.len)
        at = accelerators_find(text.data, text.len, b->builder->accelerators);
    buf_free(&text);
    if (at == ACCELERATOR_NONE) return;
    while ((length = text_of(b, &b->events[index]).len) <= at) { /* the mark is in one of the events */
        at -= length;
        index++;
    }
    if (b->events[index].kind == EVENT_PLAIN) {
        split_at_mark(b, index, at);
    } else if (length == 1) {
        b->events[index].kind = EVENT_EMPTY;
        b->events[index].is_mark = true;
    }
}

/* --- Blocks of templates whose tags are empty elements ----------------------------
 * {% if x %}...{% endif %} in HTML and Markdown. Inside a sentence, both tags become a span whose text is kept: see
 * statement_blocks.h. */

#define SPAN_KEY UINT64_MAX

static bool is_tag(const TextBuilder *b, const Event *event)
{
    return event->kind == EVENT_EMPTY &&
           statement_blocks_begins_tag(b->source + event->bytes.begin, event->bytes.end - event->bytes.begin);
}

/* Like text_of(), but returns the bytes of an event that is a tag of a template. */
static LineText text_or_tag(const TextBuilder *b, const Event *event)
{
    if (!is_tag(b, event)) return text_of(b, event);
    return (LineText){ b->source + event->bytes.begin, event->bytes.end - event->bytes.begin };
}

/* Turns blocks that begin and end with elements and have text between them into spans. Without text, the tags stay
 * empty elements, because a span would get a word of the translation. */
static void make_spans(TextBuilder *b, const RangeList *blocks)
{
    size_t block = 0, first = NO_PARTNER, at = 0, length;
    bool has_text = false; /* whether text follows the event `first` */

    for (size_t i = 0; i < b->count && block < blocks->len; i++, at += length) {
        const LineText text = text_of(b, &b->events[i]);
        length = text_or_tag(b, &b->events[i]).len;
        has_text |= !utf8_is_blank(text.data, text.len);
        if (!is_tag(b, &b->events[i])) continue;
        if (at == blocks->data[block].begin) {
            first = i;
            has_text = false;
        }
        while (block < blocks->len && blocks->data[block].end < at + length) block++;
        if (block == blocks->len || blocks->data[block].end != at + length) continue;
        block++;
        if (first != NO_PARTNER && has_text) {
            b->events[first].kind = EVENT_OPEN;
            b->events[i].kind = EVENT_CLOSE;
            b->events[first].key = b->events[i].key = SPAN_KEY;
        }
        first = NO_PARTNER;
    }
}

/* Marks the tags of statements, whose order must not change, and turns the elements at both ends of blocks into an
 * opening and a closing tag. */
static void take_statements(TextBuilder *b)
{
    RangeList blocks = { 0 };
    Buf text = { 0 };
    DocumentBuilder *builder = b->builder;
    bool has_statements = false;

    for (size_t i = 0; i < b->count; i++) {
        Event *event = &b->events[i];
        event->is_ordered =
            is_tag(b, event) &&
            statement_blocks_is_statement_tag(b->source + event->bytes.begin, event->bytes.end - event->bytes.begin);
        has_statements |= event->is_ordered;
    }
    if (builder->status != OK || !has_statements) return;
    for (size_t i = 0; i < b->count; i++) {
        const LineText part = text_or_tag(b, &b->events[i]);
        buf_put(&text, part.data, part.len);
    }
    builder->status = buf_check(&text, &builder->err);
    if (builder->status == OK) builder->status = statement_blocks_find(text.data, text.len, &blocks, &builder->err);
    if (builder->status == OK) make_spans(b, &blocks);
    ranges_free(&blocks);
    buf_free(&text);
}

/* --- Line breaks that divide the text --------------------------------------------- */

/* Returns the end of the part of the text that begins at the event `first`: after the first line break that has text on
 * both sides and is not inside a sentence. If there is none, returns the number of events. An element that stands for a
 * word counts as text. */
static size_t text_end(const TextBuilder *b, size_t first)
{
    LineBefore before = { 0 };
    const Event *end = NULL; /* the first line break after the text so far */
    LineBreakKind kind = BREAK_NEWLINE;
    bool is_kept = true; /* whether all text so far is kept */
    size_t line = first;

    while (line < b->count && !b->events[line].break_kind) line++;
    if (line == b->count) return b->count;
    for (size_t i = first; i < b->count; i++) {
        const Event *event = &b->events[i];
        const LineText text = text_of(b, event);
        const size_t front = utf8_leading_space(text.data, text.len);
        uint32_t code;
        if (front < text.len) {
            (void)utf8_next(text.data + front, text.len - front, &code);
            if (end && (is_kept || !line_breaks_goes_on(&before, code, kind))) return (size_t)(end - b->events) + 1;
            end = NULL;
            is_kept &= event->is_kept;
        } else if (!text_event_is_text(event) && event->break_kind && !event->is_kept && before.last) {
            kind = end ? BREAK_ALWAYS : event->break_kind;
            if (!end) end = event;
        }
        for (size_t at = 0; at < text.len;) {
            at += utf8_next(text.data + at, text.len - at, &code);
            line_breaks_add(&before, event->kind == EVENT_WORD ? 'X' : code);
        }
    }
    return b->count;
}

/* --- Spans ------------------------------------------------------------------------- */

/* Turns a tag whose partner is not in the text into an empty element. Such tags keep their order: otherwise, the tags
 * of elements that continue in another text could cross. */
static void make_single(Event *event)
{
    event->kind = EVENT_EMPTY;
    event->is_ordered = true;
}

/* Finds the partners of the tags. A closing tag closes the innermost open span with its key; the spans that are open
 * inside this one are not balanced. */
static void match_markup(TextBuilder *b)
{
    size_t open[MARKUP_DEPTH], depth = 0;

    for (size_t i = 0; i < b->count; i++) {
        Event *event = &b->events[i];
        if (event->kind == EVENT_OPEN && depth < MARKUP_DEPTH) {
            open[depth++] = i;
        } else if (event->kind == EVENT_OPEN) {
            make_single(event);
        } else if (event->kind == EVENT_CLOSE) {
            size_t found = depth;
            while (found && b->events[open[found - 1]].key != event->key) found--;
            if (!found) {
                make_single(event);
                continue;
            }
            while (depth > found) make_single(&b->events[open[--depth]]);
            event->partner = open[--depth];
            b->events[event->partner].partner = i;
        }
    }
    while (depth) make_single(&b->events[open[--depth]]);
}

/* The fewest letters of a word after which a reference to a note may be. */
#define SHORTEST_WORD 3

/* Whether the text of a span may be a reference to a note: only digits, *, brackets, commas, daggers and §. */
static bool is_reference_text(const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        uint32_t code;
        at += utf8_next(text + at, length - at, &code);
        if (code == UTF8_INVALID) return false;
        if (!(U_GET_GC_MASK((UChar32)code) & U_GC_N_MASK) && !strchr("*[],", code < 128 ? (int)code : 'x') &&
            code != 0x2020 && code != 0x2021 && code != 0xa7) /* daggers, section sign */
            return false;
    }
    return true;
}

/* The text before or after the markup at `index`; empty if there is none. */
static LineText text_beside(const TextBuilder *b, size_t index, bool is_before)
{
    while (is_before ? index-- > 0 : ++index < b->count)
        if (text_event_is_text(&b->events[index])) return text_of(b, &b->events[index]);
    return (LineText){ "", 0 };
}

/* Whether a word or a sentence ends before the markup. Short words do not count, because of m2 and CO2. */
static bool follows_word(const TextBuilder *b, size_t index)
{
    const LineText text = text_beside(b, index, true);
    size_t at = text.len, letters = 0;

    while (at && letters < SHORTEST_WORD) {
        uint32_t code;
        at = utf8_previous(text.data, at, &code);
        if (code != UTF8_INVALID && u_isalpha((UChar32)code))
            letters++;
        else
            return !letters && ((code < 128 && strchr(".!?)\"", (int)code)) ||
                                (code != UTF8_INVALID && u_charType((UChar32)code) == U_FINAL_PUNCTUATION));
    }
    return letters == SHORTEST_WORD;
}

/* Whether the span that opens at the event `index` is a reference to a note, such as <sup>1</sup>: digits, symbols or
 * brackets alone, after a word of at least three letters or the end of a sentence, and not before a word. */
static bool is_reference(const TextBuilder *b, size_t index)
{
    const size_t last = b->events[index].partner;
    bool has_any = false;
    LineText next;

    if (b->events[index].kind != EVENT_OPEN) return false;
    for (size_t i = index + 1; i < last; i++) {
        const LineText text = text_of(b, &b->events[i]);
        if (!is_reference_text(text.data, text.len)) return false;
        has_any |= text_event_is_text(&b->events[i]);
    }
    if (!has_any || !follows_word(b, index)) return false;
    next = text_beside(b, last, false);
    return !u_isalnum((UChar32)utf8_code_at(next.data, next.len, 0));
}

/* Whether the event `index` opens a span that contains white space alone, such as <b> </b> between two words. Editors
 * write many such spans. Their formatting belongs to no word, and must not become the formatting of one. Kept white
 * space, the mark of an accelerator and labels do not count as white space. */
static bool is_blank_span(const TextBuilder *b, size_t index)
{
    const size_t last = b->events[index].partner;
    bool has_any = false;

    if (b->events[index].kind != EVENT_OPEN || b->events[last].is_label) return false;
    for (size_t i = index + 1; i < last; i++) {
        const Event *event = &b->events[i];
        const LineText text = text_of(b, event);
        if (event->is_mark || (text_event_is_text(event) && event->is_kept)) return false;
        if (!utf8_is_blank(text.data, text.len)) return false;
        has_any |= text_event_is_text(event);
    }
    return has_any;
}

/* Turns spans without words into empty elements: references to notes, which the translator would take for parts of the
 * words before them, and white space. Adds a space without bytes before such white space if no other space is beside
 * it. */
static void take_spans(TextBuilder *b)
{
    size_t count = 0;
    bool has_space = true; /* at the end of the text so far */

    for (size_t i = 0; i < b->count; i++) {
        Event event = b->events[i];
        const bool is_blank = is_blank_span(b, i);
        LineText text;
        if (is_blank || is_reference(b, i)) {
            i = event.partner;
            event.bytes.end = b->events[i].bytes.end;
            event.kind = EVENT_EMPTY;
        }
        if (is_blank && !has_space) {
            text = text_beside(b, i, false);
            has_space = !utf8_leading_space(text.data, text.len);
            if (has_space) b->events[count++] = make_space(b, event.bytes.begin);
        }
        text = text_of(b, &event);
        if (text_event_is_text(&event)) has_space = utf8_trailing_space(text.data, text.len) > 0;
        event.partner = NO_PARTNER;
        b->events[count++] = event;
    }
    b->count = count;
    match_markup(b);
}

/* --- White space and markup around the text ---------------------------------------- */

/* Returns how many bytes of an event are white space at its front or its back. All bytes of a spelling count if the
 * spelling stands for white space alone, otherwise none. */
static size_t space_at(const TextBuilder *b, const Event *event, bool is_front)
{
    const LineText text = text_of(b, event);
    const size_t space = is_front || event->kind != EVENT_PLAIN ? utf8_leading_space(text.data, text.len)
                                                                : utf8_trailing_space(text.data, text.len);

    if (event->kind == EVENT_PLAIN) return space;
    return space == text.len ? event->bytes.end - event->bytes.begin : 0;
}

/* Removes white space and empty elements at the front or the back. The mark of an accelerator at the front stays,
 * because it belongs to the text after it. A hint stays, because spellings may depend on it: a # after a hint does not
 * begin a line. */
static void trim_end(TextBuilder *b, Range *range, bool is_front)
{
    while (range->begin < range->end) {
        Event *event = &b->events[is_front ? range->begin : range->end - 1];
        if (event->kind != EVENT_EMPTY || event->is_hint || (event->is_mark && is_front)) {
            size_t space;
            if (!text_event_is_text(event)) return;
            space = space_at(b, event, is_front);
            if (event->bytes.begin + space < event->bytes.end) {
                event->bytes.begin += is_front ? space : 0;
                event->bytes.end -= is_front ? 0 : space;
                return;
            }
        }
        range->begin += is_front;
        range->end -= !is_front;
    }
}

/* Moves white space at the front, after opening tags, into the bytes of the tag before it; or white space at the back,
 * before closing tags, into the bytes of the tag after it. */
static void absorb_space(TextBuilder *b, const Range *range, bool is_front)
{
    Event *tag = NULL;

    for (size_t k = 0; k < range->end - range->begin; k++) {
        Event *event = &b->events[is_front ? range->begin + k : range->end - 1 - k];
        size_t space;
        if (event->kind == EVENT_NONE) return;
        if (!text_event_is_text(event)) {
            tag = event;
            continue;
        }
        space = tag ? space_at(b, event, is_front) : 0;
        if (space && is_front) {
            tag->bytes.end += space;
            event->bytes.begin += space;
        } else if (space) {
            tag->bytes.begin -= space;
            event->bytes.end -= space;
        }
        if (event->bytes.begin < event->bytes.end) return;
        event->kind = EVENT_NONE;
    }
}

/* Returns the events of the text without the white space, the empty elements and the spans around the whole text. White
 * space inside its first and last tags moves into the bytes of these tags. */
static Range trim(TextBuilder *b)
{
    Range range = { 0, b->count };

    for (;;) {
        trim_end(b, &range, true);
        trim_end(b, &range, false);
        if (range.begin >= range.end || b->events[range.begin].kind != EVENT_OPEN ||
            b->events[range.begin].partner != range.end - 1 || b->events[range.end - 1].is_label)
            break;
        range.begin++;
        range.end--;
    }
    absorb_space(b, &range, true);
    absorb_space(b, &range, false);
    return range;
}

/* --- Messages of ICU ----------------------------------------------------------------- */

/* If the text, which ends at byte *at, is a message of ICU, replaces its events and sets *at to the end of its new
 * bytes. Returns how apostrophes are written. */
static MessageRule divide_message(TextBuilder *b, size_t *at)
{
    DocumentBuilder *builder = b->builder;
    Document *doc = builder->document;
    MessageEvents m = { .source = b->source,
                        .bytes = { b->begin, *at },
                        .text = &b->text,
                        .target = document_builder_target(builder),
                        .spelling = builder->embedded ? builder->embedded : doc->format->spelling,
                        .context = b->next_context,
                        .strings = &doc->strings };
    const size_t start = doc->strings.len;
    Range range = { 0, b->count };

    trim_end(b, &range, true);
    trim_end(b, &range, false);
    m.old = b->events + range.begin;
    m.count = range.end - range.begin;
    if (builder->status == OK && m.count) builder->status = message_events_make(&m, &builder->err);
    if (doc->strings.len > DOCUMENT_BYTES)
        document_builder_fail(builder, b->begin, "the plural messages have more than %zu MB; split the document",
                              DOCUMENT_BYTES >> 20);
    if (!m.rule || builder->status != OK) {
        free(m.events.data);
        doc->strings.len = start;
        return MESSAGE_NONE;
    }
    free(b->events);
    b->events = m.events.data;
    b->count = m.events.len;
    b->capacity = m.events.cap;
    b->source = doc->strings.data;
    b->begin = start;
    b->is_whole = false;
    *at = doc->strings.len;
    return m.rule;
}

/* --- The text in the document ------------------------------------------------------ */

/* Adds the markup of the text to the end of Document.markup. Returns 1 + the index of the mark of an accelerator; 0:
 * there is none. */
static uint32_t emit_markup(const TextBuilder *b, const Range *range, Document *doc, bool with_hints)
{
    const size_t start = doc->markup.len;
    size_t parent = MARKUP_ROOT, at = 0; /* the innermost open span, and the bytes of text so far */
    const Event *before = NULL;          /* the last text */
    uint32_t accelerator = 0;

    for (size_t i = range->begin; i < range->end && !doc->markup.failed; i++) {
        const Event *event = &b->events[i];
        const bool is_empty = event->kind == EVENT_EMPTY;
        const size_t index = doc->markup.len - start;
        if (text_event_is_text(event)) {
            at += text_of(b, event).len;
            before = event;
        } else if (event->kind == EVENT_CLOSE) {
            Markup *markup = &doc->markup.data[start + parent];
            markup->close = event->bytes;
            markup->is_label = event->is_label;
            markup->text.end = at;
            parent = markup->parent;
        } else if (event->kind != EVENT_NONE && (with_hints || !event->is_hint)) {
            LIST_PUT(&doc->markup,
                     ((Markup){ .parent = parent,
                                .is_empty = is_empty,
                                .is_ordered = is_empty && event->is_ordered,
                                .is_space = is_empty && before && before->bytes.begin == before->bytes.end &&
                                            before->bytes.end == event->bytes.begin,
                                .is_blank = event->is_blank,
                                .open = event->bytes,
                                .close = { event->bytes.end, event->bytes.end },
                                .text = { at, at } }));
            if (event->kind == EVENT_OPEN) parent = index;
            if (event->is_mark) accelerator = (uint32_t)index + 1;
        }
    }
    return accelerator;
}

/* Appends the text of the events [first, last), which ends at byte `at`, to the texts of the document. */
static void end_part(TextBuilder *b, size_t first, size_t last, size_t at)
{
    static const RunKind kinds[] = {
        [EVENT_PLAIN] = RUN_PLAIN, [EVENT_SPELLED] = RUN_SPELLED, [EVENT_BREAK] = RUN_BREAK, [EVENT_WORD] = RUN_ELEMENT
    };
    DocumentBuilder *builder = b->builder;
    Document *doc = builder->document;
    TextBuilder part = *b;
    TextPart text = { .text = doc->text.len,
                      .run = doc->runs.len,
                      .markup = doc->markup.len,
                      .arguments = b->arguments,
                      .context = first ? b->next_context : b->context };
    Range range;
    size_t kept_end = 0;
    bool has_hints = false;

    if (first) part.events += first; /* without events, the list is NULL */
    part.count = last - first;
    match_markup(&part);
    for (size_t i = 0; i < part.count; i++) { /* text between the tags of a statement is kept if both are in the part */
        if (part.events[i].kind == EVENT_OPEN && part.events[i].key == SPAN_KEY) kept_end = part.events[i].partner;
        if (i < kept_end) part.events[i].is_kept = true;
    }
    take_spans(&part);
    b->text = part.text;
    if (builder->status != OK) return;
    range = trim(&part);
    text.bytes = range.begin < range.end
                     ? (Range){ part.events[range.begin].bytes.begin, part.events[range.end - 1].bytes.end }
                     : (Range){ at, at };
    text.prefix = (Range){ b->begin, text.bytes.begin };
    text.suffix = (Range){ text.bytes.end, at };
    b->begin = at;
    for (size_t i = range.begin; i < range.end; i++) {
        const Event *event = &part.events[i];
        const LineText added = text_of(&part, event);
        const size_t begin = doc->text.len - text.text;
        has_hints |= event->is_hint;
        if (!text_event_is_text(event)) continue;
        buf_put(&doc->text, added.data, added.len);
        LIST_PUT(&doc->runs, ((Run){ kinds[event->kind], event->is_kept, { begin, begin + added.len }, event->bytes }));
    }
    text.length = doc->text.len - text.text;
    text.run_count = doc->runs.len - text.run;
    buf_put_byte(&doc->text, '\0');
    text.accelerator = emit_markup(&part, &range, doc, false);
    text.markup_with_hints = text.markup;
    text.markup_with_hints_count = text.markup_count = doc->markup.len - text.markup;
    if (has_hints) {
        text.markup_with_hints = doc->markup.len;
        (void)emit_markup(&part, &range, doc, true);
        text.markup_with_hints_count = doc->markup.len - text.markup_with_hints;
    }
    LIST_PUT(&doc->texts, text);
    doc->texts.failed |= doc->text.failed || doc->runs.failed || doc->markup.failed;
    builder->status = LIST_CHECK(&doc->texts, "a text", &builder->err);
}

/* Says that placeholders in the text cannot get numbers. */
static void text_builder_forbid_numbers(TextBuilder *b)
{
    if (b->arguments) b->arguments = ARGUMENTS_IN_ORDER;
}

/* --- The texts of a document. */

BuilderInput document_builder_input(const DocumentBuilder *b)
{
    const DocumentFile *file = &b->document->file;

    return (BuilderInput){ .bytes = file->bytes,
                           .begin = chars_skip_mark(file->bytes, 0, file->size),
                           .end = file->size,
                           .options = b->document->options,
                           .name = file->name,
                           .format = b->document->format };
}

/* Returns the line and the column of byte `at`. The column is in code points. */
static DocumentFault find_place(const DocumentBuilder *b, size_t at)
{
    const DocumentFile *file = &b->document->file;
    DocumentFault place = { .line = 1, .column = 1 };

    at = document_parts_origin(b->document, at);
    for (size_t i = 0; i < at && i < file->size; i++) {
        if (file->bytes[i] == '\n')
            place.line++, place.column = 1;
        else if (!char_goes_on(file->bytes[i]))
            place.column++;
    }
    return place;
}

void document_builder_fail(DocumentBuilder *b, size_t at, const char *format, ...)
{
    DocumentFault place;
    va_list args;
    Err reason;

    if (b->status != OK) return;
    place = find_place(b, at);
    va_start(args, format);
    (void)err_set_list(&reason, OK, format, args);
    va_end(args);
    b->status =
        err_set(&b->err, ERR_FORMAT, "%s:%zu:%zu: %s", b->document->file.name, place.line, place.column, reason.text);
}

void document_builder_fail_memory(DocumentBuilder *b)
{
    if (b->status == OK) b->status = err_memory(&b->err, b->document->file.name);
}

bool document_builder_check(DocumentBuilder *b, Status st)
{
    if (st != OK) document_builder_fail_memory(b);
    return b->status == OK;
}

void document_builder_fault(DocumentBuilder *b, size_t line, size_t column, const char *reason)
{
    if (b->status == OK)
        LIST_PUT(&b->document->faults, ((DocumentFault){ .line = line, .column = column, .reason = reason }));
}

void document_builder_warn(DocumentBuilder *b, size_t at, const char *format, ...)
{
    char text[sizeof b->err.text];
    Buf *warnings = &b->document->warnings;
    va_list args;

    if (b->status != OK) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *c = text; *c; c++)
        if (char_is_newline(*c)) *c = ' ';
    if (at != WHOLE_DOCUMENT) {
        const DocumentFault place = find_place(b, at);
        buf_put_format(warnings, ":%zu:%zu", place.line, place.column);
    }
    buf_put_format(warnings, ": %s\n", text);
}

bool document_builder_failed(const DocumentBuilder *b)
{
    return b->status != OK;
}

bool document_builder_is_in_text(const DocumentBuilder *b)
{
    return b->depth > 0;
}

bool document_builder_can_begin(const DocumentBuilder *b)
{
    return b->depth < TEXT_DEPTH;
}

void document_builder_begin(DocumentBuilder *b, unsigned context, size_t at)
{
    TextBuilder *text;

    if (!document_builder_can_begin(b)) {
        fail_internal(b, at, "the format nests too many texts");
        return;
    }
    text = &b->texts[b->depth++];
    text->count = text->length = 0;
    buf_reuse(&text->text);
    text->begin = text->end = at;
    text->context = text->next_context = context;
    text->arguments = b->arguments;
    text->source = b->document->file.bytes;
    text->is_kept = text->is_whole = text->is_message = false;
}

/* The innermost text that has begun. */
static TextBuilder *current_text(DocumentBuilder *b)
{
    return &b->texts[b->depth ? b->depth - 1 : 0];
}

void document_builder_arguments(DocumentBuilder *b, ArgumentRule rule)
{
    b->arguments = rule;
}

void document_builder_divided(DocumentBuilder *b)
{
    text_builder_forbid_numbers(current_text(b));
}

/* Returns the current text, to which the caller adds the bytes from `at` on. If the format left out bytes before `at`,
 * they become an empty element. Returns NULL after a failure, also if the format reports bytes twice. */
static TextBuilder *text_to(DocumentBuilder *builder, size_t at)
{
    TextBuilder *b = current_text(builder);

    if (at < b->end) fail_internal(builder, b->begin, "the format reported bytes twice");
    if (at > b->end) push(b, &(Event){ .kind = EVENT_EMPTY, .bytes = { b->end, at } });
    return builder->status == OK ? b : NULL;
}

static void add(DocumentBuilder *builder, const Event *event)
{
    TextBuilder *b = text_to(builder, event->bytes.begin);

    if (b) push(b, event);
}

/* Line breaks and hints in plain bytes become empty elements. */
void document_builder_plain(DocumentBuilder *builder, size_t begin, size_t end)
{
    TextBuilder *b = begin < end ? text_to(builder, begin) : NULL;
    size_t next;

    for (size_t at = b ? add_blanks(b, begin, end) : end; builder->status == OK && at < end; at = next) {
        const bool is_break = breaks_line(b->source + at, 1);
        const size_t hint = hint_length(b, b->source + at, end - at);
        for (next = at + 1; next < end && breaks_line(b->source + next, 1) == is_break; next++)
            if (hint_length(b, b->source + next, end - next)) break;
        if (is_break) {
            push_line_break(b, (Range){ at, next }, b->source + at, next - at);
            next = add_blanks(b, next, end);
        } else if (hint) {
            next = at + hint;
            push(b, &(Event){ .kind = EVENT_EMPTY, .is_hint = true, .bytes = { at, next } });
        } else {
            b->length += next - at;
            push(b, &(Event){ .kind = EVENT_PLAIN, .bytes = { at, next } });
        }
    }
}

void document_builder_spelled(DocumentBuilder *b, const char *text, size_t length, size_t begin, size_t end)
{
    const char *bytes = b->document->file.bytes;
    TextBuilder *to;

    if (!length)
        document_builder_empty(b, begin, end);
    else if (length == end - begin && memcmp(text, bytes + begin, length) == 0)
        document_builder_plain(b, begin, end);
    else if ((to = text_to(b, begin)))
        push_spelled(to, (Event){ .kind = EVENT_SPELLED, .bytes = { begin, end }, .length = length }, text);
}

/* Whether a character is Chinese or Japanese, so that a line break beside it need not be a space. */
static bool has_no_spaces(uint32_t code)
{
    const int width = u_getIntPropertyValue((UChar32)code, UCHAR_EAST_ASIAN_WIDTH);

    return sentence_is_unspaced(code) && (width == U_EA_WIDE || width == U_EA_FULLWIDTH || width == U_EA_HALFWIDTH);
}

void document_builder_space(DocumentBuilder *b, size_t begin, size_t end)
{
    const DocumentFile *file = &b->document->file;
    const char *bytes = file->bytes + begin;
    TextBuilder *text;

    if (!memchr(bytes, '\n', end - begin) && !memchr(bytes, '\r', end - begin))
        document_builder_spelled(b, " ", 1, begin, end);
    else if (!(text = text_to(b, begin)))
        return;
    else if (has_no_spaces(utf8_code_before(file->bytes, begin)) &&
             has_no_spaces(utf8_code_at(file->bytes, file->size, end)))
        push_text(text, (Event){ .kind = EVENT_BREAK, .bytes = { begin, end } }, "");
    else
        push_spelled(text, (Event){ .kind = EVENT_BREAK, .bytes = { begin, end }, .length = 1 }, " ");
}

void document_builder_break(DocumentBuilder *b, size_t begin, size_t end)
{
    TextBuilder *text = text_to(b, begin);

    if (!text) return;
    begin = take_blanks(text, begin);
    push_spelled(text, (Event){ .kind = EVENT_BREAK, .bytes = { begin, end }, .length = 1 }, " ");
}

void document_builder_open(DocumentBuilder *b, uint64_t key, size_t begin, size_t end)
{
    add(b, &(Event){ .kind = EVENT_OPEN, .bytes = { begin, end }, .key = key });
}

void document_builder_close(DocumentBuilder *b, uint64_t key, size_t begin, size_t end)
{
    add(b, &(Event){ .kind = EVENT_CLOSE, .bytes = { begin, end }, .key = key });
}

void document_builder_close_label(DocumentBuilder *b, uint64_t key, size_t begin, size_t end)
{
    add(b, &(Event){ .kind = EVENT_CLOSE, .is_label = true, .bytes = { begin, end }, .key = key });
}

void document_builder_empty(DocumentBuilder *b, size_t begin, size_t end)
{
    if (begin < end) add(b, &(Event){ .kind = EVENT_EMPTY, .bytes = { begin, end } });
}

void document_builder_object(DocumentBuilder *b, Range name, size_t begin, size_t end)
{
    char text[64];
    const char *known = name.begin < name.end ? b->document->file.bytes + name.begin : "img";
    const size_t most = sizeof text - 2, length = name.begin < name.end ? name.end - name.begin : strlen(known);
    const size_t size = length < most ? length : most;
    TextBuilder *to = text_to(b, begin);

    text[0] = '<';
    memcpy(text + 1, known, size);
    text[size + 1] = '>';
    if (to) push_text(to, (Event){ .kind = EVENT_OBJECT, .bytes = { begin, end }, .length = size + 2 }, text);
}

void document_builder_value(DocumentBuilder *b, const char *text, size_t length, size_t begin, size_t end)
{
    TextBuilder *to = text_to(b, begin);

    if (to) push_text(to, (Event){ EVENT_OBJECT, .is_value = true, .bytes = { begin, end }, .length = length }, text);
}

void document_builder_separate(DocumentBuilder *b, size_t begin, size_t end, LineBreakKind kind)
{
    TextBuilder *text = begin < end ? text_to(b, begin) : NULL;

    if (text) push_separator(text, (Event){ .kind = EVENT_EMPTY, .break_kind = kind, .bytes = { begin, end } });
}

void document_builder_whole(DocumentBuilder *b)
{
    current_text(b)->is_whole = true;
}

void document_builder_message(DocumentBuilder *b)
{
    current_text(b)->is_message = true;
}

void document_builder_next_context(DocumentBuilder *b, unsigned context)
{
    current_text(b)->next_context = context;
}

void document_builder_keep(DocumentBuilder *b, bool is_kept)
{
    current_text(b)->is_kept = is_kept;
}

bool document_builder_keeps(const DocumentBuilder *b)
{
    return b->texts[b->depth ? b->depth - 1 : 0].is_kept;
}

const PluralTarget *document_builder_target(DocumentBuilder *b)
{
    const DocumentOptions *options = b->document->options;

    if (!b->has_target) b->target = plural_target_of(options->source_language, options->language);
    b->has_target = true;
    return &b->target;
}

bool document_builder_shows_number(DocumentBuilder *b, Range text)
{
    RangeList numbers = { 0 };
    bool has_any;

    if (b->status == OK)
        b->status = placeholders_find(&numbers, b->document->file.bytes + text.begin, text.end - text.begin, &b->err);
    has_any = numbers.len > 0;
    ranges_free(&numbers);
    return has_any;
}

size_t document_builder_place(DocumentBuilder *b, size_t begin, size_t end)
{
    Document *doc = b->document;
    const Range after = { end, end };

    LIST_PUT(&doc->texts,
             ((TextPart){ .text = doc->text.len, .prefix = { begin, end }, .bytes = after, .suffix = after }));
    buf_put_byte(&doc->text, '\0');
    doc->texts.failed |= doc->text.failed;
    if (b->status == OK) b->status = LIST_CHECK(&doc->texts, "a text", &b->err);
    return b->status == OK ? doc->texts.len - 1 : 0;
}

void document_builder_end_text(DocumentBuilder *builder, size_t at, size_t *text)
{
    TextBuilder *b = text_to(builder, at);
    Document *doc = builder->document;
    const size_t first_text = *text = doc->texts.len;
    MessageRule message = MESSAGE_NONE;

    if (!b) return;
    if (b->is_message) message = divide_message(b, &at);
    for (size_t i = 0; b->arguments && i < b->count; i++) {
        const Event *event = &b->events[i];
        const char *bytes = b->source + event->bytes.begin;
        const size_t length = event->bytes.end - event->bytes.begin;
        /* A placeholder in markup, <a href="%s">, cannot get a number, because markup is written as it is. */
        if (!text_event_is_text(event) && length && (memchr(bytes, '%', length) || memchr(bytes, '{', length)))
            text_builder_forbid_numbers(b);
    }
    text_objects_choose(b->events, b->count, b->source, &b->text);
    take_mark(b);
    take_statements(b);
    for (size_t first = 0, last; builder->status == OK && (first < b->count || doc->texts.len == first_text);
         first = last) {
        last = b->is_whole ? b->count : text_end(b, first);
        if (last < b->count) text_builder_forbid_numbers(b);
        end_part(b, first, last, last < b->count ? b->events[last].bytes.begin : at);
    }
    if (builder->status == OK) doc->texts.data[first_text].more = (uint32_t)(doc->texts.len - first_text - 1);
    for (size_t i = first_text; i < doc->texts.len; i++) {
        doc->texts.data[i].embedded = builder->embedded;
        doc->texts.data[i].message = message;
    }
    builder->depth--;
}

void document_builder_embed(DocumentBuilder *b, const SpellingRules *rules)
{
    b->embedded = rules;
}

void document_builder_accelerators(DocumentBuilder *b, const char *marks)
{
    b->accelerators = marks;
}

size_t document_builder_compose(DocumentBuilder *b, const Range *parts, size_t count)
{
    Document *doc = b->document;
    size_t begin;

    if (b->depth) fail_internal(b, parts[0].begin, "the format composes a text inside a text");
    if (!doc->composed.len) {
        buf_put(&doc->composed, b->bytes, doc->file.size);
        buf_put_byte(&doc->composed, '\n');
    }
    begin = doc->composed.len;
    for (size_t i = 0; b->status == OK && i < count; i++) {
        LIST_PUT(&doc->origins, ((ComposedPart){ (uint32_t)doc->composed.len, (uint32_t)parts[i].begin }));
        buf_put(&doc->composed, b->bytes + parts[i].begin, parts[i].end - parts[i].begin);
        if (doc->composed.len > 2 * DOCUMENT_BYTES)
            document_builder_fail(b, parts[i].begin, "the forms of messages are too long; split the document");
    }
    buf_put_byte(&doc->composed, '\n');
    if (b->status == OK) b->status = LIST_CHECK(&doc->origins, "a message", &b->err);
    if (b->status == OK) b->status = buf_check(&doc->composed, &b->err);
    if (b->status == OK) doc->file.bytes = doc->composed.data;
    for (size_t i = 0; i < TEXT_DEPTH; i++) b->texts[i].source = doc->file.bytes;
    return begin;
}

/* Whether anything in the text can be translated. */
static bool has_words(const Document *doc, const TextPart *text)
{
    for (size_t i = text->run; i < text->run + text->run_count; i++) {
        const Run *run = &doc->runs.data[i];
        const char *words = doc->text.data + text->text + run->text.begin;
        if (!run->is_kept && language_has_letters(words, run->text.end - run->text.begin)) return true;
    }
    return false;
}

/* Removes the last text. */
static void drop_text(Document *doc)
{
    const TextPart *text = &doc->texts.data[--doc->texts.len];

    doc->text.len = text->text;
    doc->runs.len = text->run;
    doc->markup.len = text->markup;
}

static size_t append_unit(DocumentBuilder *b, UnitPart unit)
{
    Document *doc = b->document;

    unit.number = doc->units.len;
    if (doc->units.len == DOCUMENT_UNITS)
        document_builder_fail(b, unit.place.begin, "the document has more than %zu texts; split it", DOCUMENT_UNITS);
    else
        LIST_PUT(&doc->units, unit);
    if (b->status == OK) b->status = LIST_CHECK(&doc->units, "a unit", &b->err);
    return unit.number;
}

static StringPart copy_string(DocumentBuilder *b, const char *text)
{
    const StringPart part = { b->document->strings.len, text ? strlen(text) : 0 };

    buf_put(&b->document->strings, text, part.length);
    return part;
}

size_t document_builder_add_unit(DocumentBuilder *b, const UnitPlan *plan)
{
    const size_t more = b->status == OK ? b->document->texts.data[plan->source].more : 0;
    size_t first = 0, end = 0;

    if (b->status == OK) end = b->document->texts.data[plan->own].suffix.end;
    for (size_t i = 0; b->status == OK && i <= more; i++) {
        UnitPart unit = { .source = plan->source + i, .own = plan->own, .is_done = plan->is_done };
        const TextPart *own;
        size_t number;
        if (i) unit.own = (uint32_t)document_builder_place(b, end, end);
        if (b->status != OK) return 0;
        own = &b->document->texts.data[unit.own];
        unit.place = (Range){ own->prefix.begin, own->suffix.end };
        unit.is_copy = !has_words(b->document, &b->document->texts.data[unit.source]);
        if (!i) unit.before = copy_string(b, plan->before);
        if (i == more) unit.after = copy_string(b, plan->after);
        number = append_unit(b, unit);
        if (!i) first = number;
    }
    return first;
}

/* Adds the units of a message, whose first text is `first`. Its translation takes the place of all its bytes. */
static void end_message(DocumentBuilder *b, size_t first, Range bytes)
{
    Document *doc = b->document;
    bool is_wanted = false;

    for (size_t i = first; i < doc->texts.len; i++) is_wanted |= has_words(doc, &doc->texts.data[i]);
    while (!is_wanted && doc->texts.len > first) drop_text(doc);
    if (!is_wanted) return;
    (void)document_builder_add_unit(
        b, &(UnitPlan){ .source = first, .own = document_builder_place(b, bytes.begin, bytes.end) });
}

void document_builder_end_unit(DocumentBuilder *b, size_t at)
{
    Document *doc = b->document;
    const size_t begin = current_text(b)->begin;
    size_t first;

    document_builder_end_text(b, at, &first);
    if (b->status == OK && doc->texts.data[first].message) {
        end_message(b, first, (Range){ begin, at });
        return;
    }
    for (size_t i = first; b->status == OK && i < doc->texts.len; i++)
        if (has_words(doc, &doc->texts.data[i]))
            append_unit(b, (UnitPart){ .source = i, .own = i, .place = doc->texts.data[i].bytes });
    while (b->status == OK && doc->texts.len > first && !has_words(doc, &doc->texts.data[doc->texts.len - 1]))
        drop_text(doc);
}

void document_builder_drop_unit(DocumentBuilder *b, size_t at)
{
    size_t first;

    document_builder_end_text(b, at, &first);
    while (b->status == OK && b->document->texts.len > first) drop_text(b->document);
}

void document_builder_next_unit(DocumentBuilder *b, unsigned context, size_t begin, size_t end)
{
    document_builder_end_unit(b, begin);
    document_builder_begin(b, context, end);
}

void document_builder_mark(DocumentBuilder *b, size_t unit, size_t begin, size_t end, const char *text)
{
    const Range bytes = { begin, end };

    if (b->status == OK) LIST_PUT(&b->document->changes, ((ChangePart){ bytes, copy_string(b, text), unit }));
}

void document_builder_label(DocumentBuilder *b, size_t begin, size_t end, const char *text)
{
    const DocumentOptions *options = b->document->options;

    if (options->language && !options->keep_language) document_builder_mark(b, EVERY_TRANSLATION, begin, end, text);
}

/* --- The languages that a document names ---------------------------------------------- */

bool document_builder_is_language(const DocumentBuilder *b, size_t begin, size_t end)
{
    const char *wanted = b->document->options->language;
    char tag[LABEL_LANGUAGE_BYTES];

    return wanted && label_language_read(b->document->file.bytes + begin, end - begin, tag) &&
           language_detector_same(tag, wanted);
}

void document_builder_language(DocumentBuilder *b, size_t begin, size_t end, const char *text)
{
    if (!document_builder_is_language(b, begin, end)) document_builder_label(b, begin, end, text);
}

void document_builder_names(DocumentBuilder *b, LanguageSide side, size_t begin, size_t end)
{
    Document *doc = b->document;
    const char *wanted = side == LANGUAGE_SOURCE ? doc->options->source_language : doc->options->language;
    NamedLanguage *named = side == LANGUAGE_SOURCE ? &doc->languages.source : &doc->languages.target;
    char tag[LABEL_LANGUAGE_BYTES];

    if (b->status != OK || named->line || !label_language_read(doc->file.bytes + begin, end - begin, tag)) return;
    if (wanted && !language_detector_same(tag, wanted))
        named->line = document_parts_line(&doc->file, 0, begin);
    else if (*named->tag)
        return;
    memcpy(named->tag, tag, sizeof tag);
}

/* A template without translations may name the source language as that of its translations: this is no conflict. */
static void accept_template(Document *doc)
{
    DocumentLanguages *languages = &doc->languages;
    const char *source = doc->options->source_language ? doc->options->source_language : languages->source.tag;
    bool has_translation = false; /* a translation that is not replaced */

    for (size_t i = 0; i < doc->units.len; i++) has_translation |= !document_parts_changes(doc, &doc->units.data[i]);
    if (languages->target.line && *source && language_detector_same(languages->target.tag, source) && !has_translation)
        languages->target.line = 0;
}

/* --- The complete document ------------------------------------------------------------ */

/* Sorts units by where they begin. A unit in the markup of another unit is added before it, but begins after it. */
static int compare_units(const void *a, const void *b)
{
    const UnitPart *x = a, *y = b;

    if (x->place.begin != y->place.begin) return x->place.begin < y->place.begin ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* Whether one unit is inside another one. An empty place at the end of the outer unit is not inside it. */
static bool is_inside(Range place, Range outer)
{
    return place.begin > outer.begin && place.begin < outer.end && place.end <= outer.end;
}

/* Changes at the same place stay in the order of their texts, which is the order in which they were added. */
static int compare_changes(const void *a, const void *b)
{
    const ChangePart *x = a, *y = b;

    if (x->bytes.begin != y->bytes.begin) return x->bytes.begin < y->bytes.begin ? -1 : 1;
    if (x->bytes.end != y->bytes.end) return x->bytes.end < y->bytes.end ? -1 : 1;
    return x->text.at < y->text.at ? -1 : x->text.at > y->text.at;
}

/* Sorts the units and the changes by their places, with inner units before the units around them, and renumbers the
 * units in the changes. Most formats add units in order; then qsort() is not called, which needs memory for a copy. */
static Status sort_parts(Document *doc, Err *err)
{
    UnitPart open[TEXT_DEPTH]; /* the units around the next one, the innermost last; each is moved when it ends */
    size_t *indices, sorted = 1, depth = 0, count = 0;

    if (doc->changes.len) qsort(doc->changes.data, doc->changes.len, sizeof *doc->changes.data, compare_changes);
    if (!doc->units.len) return OK;
    indices = malloc(doc->units.len * sizeof *indices);
    if (!indices) return err_memory(err, doc->file.name);
    while (sorted < doc->units.len && doc->units.data[sorted - 1].place.begin <= doc->units.data[sorted].place.begin)
        sorted++;
    if (sorted < doc->units.len) qsort(doc->units.data, doc->units.len, sizeof *doc->units.data, compare_units);
    for (size_t i = 0; i < doc->units.len; i++) { /* moves units that are inside another unit before it */
        const UnitPart unit = doc->units.data[i];
        while (depth && (depth == TEXT_DEPTH || !is_inside(unit.place, open[depth - 1].place)))
            doc->units.data[count++] = open[--depth];
        open[depth] = unit;
        open[depth].is_inside = depth > 0;
        depth++;
    }
    while (depth) doc->units.data[count++] = open[--depth];
    for (size_t i = 0; i < doc->units.len; i++) indices[doc->units.data[i].number] = i;
    for (size_t i = 0; i < doc->changes.len; i++)
        if (doc->changes.data[i].unit != EVERY_TRANSLATION)
            doc->changes.data[i].unit = indices[doc->changes.data[i].unit];
    free(indices);
    return OK;
}

/* Whether two units or changes overlap, which is an error of the format. Sets *place to where they overlap. */
static bool overlaps(const Document *doc, size_t *place)
{
    size_t at = 0, change = 0;

    for (size_t i = 0; i <= doc->units.len; i++) {
        const Range unit = i < doc->units.len ? doc->units.data[i].place : (Range){ doc->file.size, doc->file.size };
        if (i < doc->units.len && doc->units.data[i].is_inside) continue;
        for (; change < doc->changes.len && doc->changes.data[change].bytes.begin <= unit.begin; change++) {
            const Range bytes = doc->changes.data[change].bytes;
            *place = bytes.begin;
            if (bytes.begin < at || bytes.end > unit.begin) return true;
            at = bytes.end;
        }
        *place = unit.begin;
        if (unit.begin < at) return true;
        at = unit.end;
    }
    return false;
}

Status document_builder_new(DocumentBuilder **out, const DocumentFormat *format, const DocumentFile *file,
                            const DocumentOptions *options, Err *err)
{
    DocumentBuilder *b = calloc(1, sizeof *b);
    Document *doc = calloc(1, sizeof *doc);

    *out = b;
    if (!b || !doc) {
        free(b);
        free(doc);
        *out = NULL;
        return err_memory(err, file->name);
    }
    *doc = (Document){ .format = format, .file = *file, .options = options };
    b->document = doc;
    b->bytes = file->bytes;
    for (size_t i = 0; i < TEXT_DEPTH; i++) b->texts[i] = (TextBuilder){ .builder = b, .source = file->bytes };
    return OK;
}

Status document_builder_finish(DocumentBuilder *b, Document **out, Err *err)
{
    Document *doc = b->document;
    Status st;
    size_t at;

    if (doc->strings.failed || doc->warnings.failed || doc->faults.failed) document_builder_fail_memory(b);
    if (b->status == OK) b->status = LIST_CHECK(&doc->changes, "a label", &b->err);
    if (b->status == OK) b->status = sort_parts(doc, &b->err);
    if (b->status == OK && overlaps(doc, &at)) fail_internal(b, at, "the format replaces bytes twice");
    if (b->status == OK) accept_template(doc);
    st = b->status;
    *out = st == OK ? doc : NULL;
    if (st != OK) {
        *err = b->err;
        document_free(doc);
    }
    for (size_t i = 0; i < TEXT_DEPTH; i++) {
        free(b->texts[i].events);
        buf_free(&b->texts[i].text);
    }
    free(b);
    return st;
}
