/* text_builder.c - see text_builder.h. A text is finished in steps over its list of events: those that stand for words
 * are chosen, and line breaks divide it. In each part, match_markup() finds the spans, text_trim() finds what is around
 * the text, and emit() appends the rest to the document. */
#include "text_builder.h"

#include <stdlib.h>
#include <string.h>

#include "accelerators.h"
#include "blank_spans.h"
#include "chars.h"
#include "note_references.h"
#include "statement_spans.h"
#include "text_trim.h"

void text_builder_begin(TextBuilder *b, unsigned context, ArgumentRule arguments, size_t at)
{
    b->count = 0;
    buf_reuse(&b->text);
    b->length = 0;
    b->begin = b->end = at;
    b->context = b->next_context = context;
    b->arguments = arguments;
    b->is_kept = b->is_whole = false;
}

/* Whether plain bytes can be added to the last event. */
static bool joins_last(const TextBuilder *b, const Event *event)
{
    const Event *last = b->count ? &b->events[b->count - 1] : NULL;

    return last && event->kind == EVENT_PLAIN && last->kind == EVENT_PLAIN && last->is_kept == b->is_kept;
}

static Status push(TextBuilder *b, const Event *event, Err *err)
{
    Event *to;
    Status st;

    if (b->count == UNIT_PARTS || b->length > UNIT_BYTES)
        return err_set(err, ERR_FORMAT, "a text has more than %zu bytes or %zu tags, which is not supported",
                       UNIT_BYTES, UNIT_PARTS);
    if (joins_last(b, event)) {
        b->events[b->count - 1].bytes.end = b->end = event->bytes.end;
        return OK;
    }
    st = buf_grow_list(&b->events, &b->capacity, b->count, 1, sizeof *b->events, "a text", err);
    if (st != OK) return st;
    to = &b->events[b->count++];
    *to = *event;
    to->is_kept = b->is_kept;
    to->partner = NO_PARTNER;
    b->end = event->bytes.end;
    return OK;
}

/* Whether a text cannot be part of a line. */
static bool breaks_line(const char *text, size_t length)
{
    return memchr(text, '\n', length) || memchr(text, '\r', length) || memchr(text, '\0', length);
}

/* The last event, if it ends at byte `at` and is kept as what follows is; otherwise NULL. */
static Event *event_before(const TextBuilder *b, size_t at)
{
    Event *last = b->count ? &b->events[b->count - 1] : NULL;

    return last && last->bytes.end == at && last->is_kept == b->is_kept ? last : NULL;
}

/* The events at the end of the text that are one blank, which can be a part of the line break after it: a space, or an
 * element in the place of one. Returns their number; 0: there is none. */
static size_t count_blank(const TextBuilder *b, size_t at)
{
    const Event *last = event_before(b, at), *before = last && b->count > 1 ? last - 1 : NULL;

    if (!last) return 0;
    if ((last->kind == EVENT_SPELLED || last->kind == EVENT_BREAK) && last->bytes.begin < last->bytes.end)
        return last->length == 1 && b->text.data[last->text] == ' ';
    if (last->kind != EVENT_EMPTY || last->is_break || !before || before->kind != EVENT_SPELLED) return 0;
    return before->bytes.begin == before->bytes.end && before->bytes.end == last->bytes.begin ? 2 : 0;
}

/* Takes the blanks before byte `at` from the text, and returns where they begin. */
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

/* Adds an empty element after a space without bytes, which separates words. */
static Status push_space(TextBuilder *b, const Event *element, Err *err)
{
    Event space;
    Status st = text_events_make_space(b, element->bytes.begin, &space, err);

    if (st == OK) st = push(b, &space, err);
    return st == OK ? push(b, element, err) : st;
}

/* Adds an empty element that separates words, with the blanks around it: they are no text. It gets a space without
 * bytes before it. Line breaks that follow each other are one element. */
static Status push_separator(TextBuilder *b, const Event *separator, Err *err)
{
    Event event = *separator, *last = event_before(b, event.bytes.begin);

    event.kind = EVENT_EMPTY;
    if (last && last->is_break && event.is_break) {
        last->bytes.end = b->end = event.bytes.end;
        last->break_kind = BREAK_ALWAYS;
        return OK;
    }
    event.bytes.begin = take_blanks(b, event.bytes.begin);
    return push_space(b, &event, err);
}

/* Adds an empty element for text that breaks lines. */
static Status push_line_break(TextBuilder *b, Range bytes, const char *text, size_t length, Err *err)
{
    Event event = { .kind = EVENT_EMPTY, .is_break = true, .bytes = bytes };
    size_t breaks = 0;

    for (size_t i = 0; i < length; i++)
        breaks += text[i] == '\n' || (text[i] == '\r' && !(i + 1 < length && text[i + 1] == '\n'));
    event.break_kind = breaks > 1 ? BREAK_ALWAYS : BREAK_NEWLINE;
    return breaks ? push_separator(b, &event, err) : push(b, &(Event){ .kind = EVENT_EMPTY, .bytes = bytes }, err);
}

/* Adds the plain blanks at byte `at` to the line break that ends there, and returns where they end. */
static size_t add_blanks(TextBuilder *b, size_t at, size_t end)
{
    Event *last = event_before(b, at);

    if (!last || !last->is_break) return at;
    while (at < end && char_is_blank(b->source[at])) at++;
    last->bytes.end = b->end = at;
    return at;
}

/* Returns the length of the hint at the beginning of a text, if hints are no part of it. */
static size_t hint_length(const TextBuilder *b, const char *text, size_t length)
{
    return b->is_kept ? 0 : char_hint_length(text, length);
}

static Status push_hint(TextBuilder *b, Range bytes, Err *err)
{
    return push(b, &(Event){ .kind = EVENT_EMPTY, .is_hint = true, .bytes = bytes }, err);
}

/* Adds plain bytes; those that break lines become empty elements, and so do hints. */
static Status push_plain(TextBuilder *b, Range bytes, Err *err)
{
    Status st = OK;
    size_t end;

    for (size_t at = add_blanks(b, bytes.begin, bytes.end); st == OK && at < bytes.end; at = end) {
        const bool is_break = breaks_line(b->source + at, 1);
        const size_t hint = hint_length(b, b->source + at, bytes.end - at);
        for (end = at + 1; end < bytes.end && breaks_line(b->source + end, 1) == is_break; end++)
            if (hint_length(b, b->source + end, bytes.end - end)) break;
        if (is_break) {
            st = push_line_break(b, (Range){ at, end }, b->source + at, end - at, err);
            if (st == OK) end = add_blanks(b, end, bytes.end);
        } else if (hint) {
            end = at + hint;
            st = push_hint(b, (Range){ at, end }, err);
        } else {
            b->length += end - at;
            st = push(b, &(Event){ .kind = EVENT_PLAIN, .bytes = { at, end } }, err);
        }
    }
    return st;
}

/* Adds an event with a copy of its text. */
static Status push_text(TextBuilder *b, Event event, const char *text, Err *err)
{
    Status st = buf_append(&b->text, text, event.length, err);

    event.text = b->text.len - event.length;
    b->length += event.length;
    return st == OK ? push(b, &event, err) : st;
}

static Status push_spelled(TextBuilder *b, Event event, const char *text, Err *err)
{
    const bool is_blank = event.kind == EVENT_SPELLED && event.length == 1 && *text == ' ';
    Event *last = event_before(b, event.bytes.begin);

    if (last && last->is_break && event.length == 1 && *text == ' ') {
        last->bytes.end = b->end = event.bytes.end;
        return OK;
    }
    if (is_blank && !b->is_kept && event.bytes.begin < event.bytes.end) /* several blanks belong to their place */
        return push_space(b, &(Event){ .kind = EVENT_EMPTY, .is_blank = true, .bytes = event.bytes }, err);
    if (hint_length(b, text, event.length) == event.length) return push_hint(b, event.bytes, err);
    if (breaks_line(text, event.length)) return push_line_break(b, event.bytes, text, event.length, err);
    return push_text(b, event, text, err);
}

static Status push_gap(TextBuilder *b, size_t at, Err *err)
{
    if (at < b->end) return err_internal(err, "the format reported bytes twice");
    if (at == b->end) return OK;
    return push(b, &(Event){ .kind = EVENT_EMPTY, .bytes = { b->end, at } }, err);
}

Status text_builder_add(TextBuilder *b, const Event *event, const char *text, Err *err)
{
    Status st = push_gap(b, event->bytes.begin, err);

    if (st != OK) return st;
    switch (event->kind) {
    case EVENT_PLAIN:
        return push_plain(b, event->bytes, err);
    case EVENT_SPELLED:
    case EVENT_BREAK:
        return push_spelled(b, *event, text, err);
    case EVENT_OBJECT:
        return push_text(b, *event, text, err);
    case EVENT_SEPARATOR:
        return push_separator(b, event, err);
    default:
        return push(b, event, err);
    }
}

/* Sets *out to the text of all events; what is kept becomes NULs. */
static Status join_text(const TextBuilder *b, Buf *out, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < b->count; i++) {
        size_t length;
        const char *text;
        if (!text_events_is_text(&b->events[i])) continue;
        text = text_events_text(b, &b->events[i], &length);
        st = buf_append(out, text, length, err);
        if (st == OK && b->events[i].is_kept) memset(out->data + out->len - length, 0, length);
    }
    return st;
}

/* Makes an empty element of the byte `at` of a plain event, and events of the bytes before and after it. */
static Status split_at_mark(TextBuilder *b, size_t index, size_t at, Err *err)
{
    const Event whole = b->events[index];
    const size_t begin = whole.bytes.begin + at;
    Event parts[3] = { whole, whole, whole };
    size_t count = 0;
    Status st = buf_grow_list(&b->events, &b->capacity, b->count, 2, sizeof *b->events, "a text", err);

    if (st != OK) return st;
    parts[0].bytes.end = parts[1].bytes.begin = begin;
    parts[1].bytes.end = parts[2].bytes.begin = begin + 1;
    parts[1].kind = EVENT_EMPTY;
    parts[1].is_mark = true;
    for (size_t i = 0; i < 3; i++)
        if (parts[i].bytes.begin < parts[i].bytes.end) parts[count++] = parts[i];
    memmove(b->events + index + count, b->events + index + 1, (b->count - index - 1) * sizeof *b->events);
    memcpy(b->events + index, parts, count * sizeof *parts);
    b->count += count - 1;
    return OK;
}

/* Makes an empty element of the byte `at` of the text. */
static Status take_mark(TextBuilder *b, size_t at, Err *err)
{
    for (size_t i = 0; i < b->count; i++) {
        size_t length;
        if (!text_events_is_text(&b->events[i])) continue;
        (void)text_events_text(b, &b->events[i], &length);
        if (at < length && b->events[i].kind == EVENT_PLAIN) return split_at_mark(b, i, at, err);
        if (at < length && length == 1) {
            b->events[i].kind = EVENT_EMPTY;
            b->events[i].is_mark = true;
        }
        if (at < length) return OK;
        at -= length;
    }
    return OK;
}

static Status find_mark(TextBuilder *b, Err *err)
{
    Buf text = { 0 };
    size_t at = ACCELERATOR_NONE;
    Status st;

    if (!b->accelerators || b->length > ACCELERATOR_TEXT) return OK;
    st = join_text(b, &text, err);
    if (st == OK && text.len) at = accelerators_find(text.data, text.len, b->accelerators);
    if (at != ACCELERATOR_NONE) st = take_mark(b, at, err);
    buf_free(&text);
    return st;
}

/* The open spans, as indices of their events. */
typedef struct {
    size_t open[MARKUP_DEPTH], depth;
} OpenSpans;

/* Closes the innermost open span with the key of the event; those inside it are not balanced. */
static void match_close(TextBuilder *b, OpenSpans *spans, size_t index)
{
    size_t found = spans->depth;

    while (found && b->events[spans->open[found - 1]].key != b->events[index].key) found--;
    if (!found) {
        text_events_make_single(&b->events[index]);
        return;
    }
    while (spans->depth > found) text_events_make_single(&b->events[spans->open[--spans->depth]]);
    spans->depth--;
    b->events[index].partner = spans->open[found - 1];
    b->events[spans->open[found - 1]].partner = index;
}

static void match_markup(TextBuilder *b)
{
    OpenSpans spans = { .depth = 0 };

    for (size_t i = 0; i < b->count; i++) {
        if (b->events[i].kind == EVENT_CLOSE)
            match_close(b, &spans, i);
        else if (b->events[i].kind == EVENT_OPEN && spans.depth < MARKUP_DEPTH)
            spans.open[spans.depth++] = i;
        else if (b->events[i].kind == EVENT_OPEN)
            text_events_make_single(&b->events[i]);
    }
    while (spans.depth) text_events_make_single(&b->events[spans.open[--spans.depth]]);
}

/* Makes empty elements of spans that no word belongs to: references to notes, which the translator would take for parts
 * of their words, and white space, with a space without bytes before it if there is no other one beside it. */
static Status take_spans(TextBuilder *b, Err *err)
{
    size_t count = 0;
    bool has_space = true; /* at the end of the text so far */
    Status st = OK;

    for (size_t i = 0; st == OK && i < b->count; i++) {
        Event event = b->events[i];
        const bool is_blank = blank_spans_is_one(b, i);
        if (is_blank || (event.kind == EVENT_OPEN && note_references_is_one(b, i))) {
            i = event.partner;
            event.bytes.end = b->events[i].bytes.end;
            event.kind = EVENT_EMPTY;
        }
        if (is_blank && !has_space && !blank_spans_precedes_space(b, i)) {
            st = text_events_make_space(b, event.bytes.begin, &b->events[count++], err);
            has_space = true;
        }
        if (text_events_is_text(&event)) has_space = text_events_ends_with_space(b, &event);
        event.partner = NO_PARTNER;
        b->events[count++] = event;
    }
    b->count = count;
    match_markup(b);
    return st;
}

/* Whether markup contains what may be a placeholder: <a href="%s">. It cannot get a number, because markup is written
 * as it is. */
static bool has_arguments_in_markup(const TextBuilder *b)
{
    for (size_t i = 0; i < b->count; i++) {
        const Event *event = &b->events[i];
        const size_t length = event->bytes.end - event->bytes.begin;
        if (text_events_is_text(event) || !length) continue;
        if (memchr(b->source + event->bytes.begin, '%', length) || memchr(b->source + event->bytes.begin, '{', length))
            return true;
    }
    return false;
}

void text_builder_forbid_numbers(TextBuilder *b)
{
    if (b->arguments) b->arguments = ARGUMENTS_IN_ORDER;
}

static Status emit_run(const TextBuilder *b, const Event *event, Document *doc, size_t start, Err *err)
{
    static const RunKind kinds[] = {
        [EVENT_PLAIN] = RUN_PLAIN, [EVENT_SPELLED] = RUN_SPELLED, [EVENT_BREAK] = RUN_BREAK, [EVENT_WORD] = RUN_ELEMENT
    };
    size_t length;
    const char *text = text_events_text(b, event, &length);
    const size_t begin = doc->text.len - start;
    Status st = buf_append(&doc->text, text, length, err);

    if (st == OK)
        st = buf_grow_list(&doc->runs, &doc->run_capacity, doc->run_count, 1, sizeof *doc->runs, "a text", err);
    if (st != OK) return st;
    doc->runs[doc->run_count++] = (Run){ kinds[event->kind], event->is_kept, { begin, begin + length }, event->bytes };
    return OK;
}

/* A list of markup that grows at the end of Document.markup. */
typedef struct {
    Document *document;
    size_t start;        /* its first element */
    size_t parent;       /* the innermost open span */
    size_t at;           /* the bytes of text so far */
    const Event *before; /* the last text */
    size_t accelerator;  /* 1 + its index; 0: none */
} MarkupList;

/* Whether the event is an empty element with a space without bytes before it. */
static bool is_space(const MarkupList *list, const Event *event)
{
    const Event *before = list->before;

    return event->kind == EVENT_EMPTY && before && before->bytes.begin == before->bytes.end &&
           before->bytes.end == event->bytes.begin;
}

static Status add_markup(MarkupList *list, const Event *event, Err *err)
{
    Document *doc = list->document;
    const size_t index = doc->markup_count - list->start;
    Status st;

    if (event->kind == EVENT_CLOSE) {
        Markup *markup = &doc->markup[list->start + list->parent];
        markup->close = event->bytes;
        markup->is_label = event->is_label;
        markup->text.end = list->at;
        list->parent = markup->parent;
        return OK;
    }
    st = buf_grow_list(&doc->markup, &doc->markup_capacity, doc->markup_count, 1, sizeof *doc->markup, "a text", err);
    if (st != OK) return st;
    doc->markup[doc->markup_count++] = (Markup){ .parent = list->parent,
                                                 .is_empty = event->kind == EVENT_EMPTY,
                                                 .is_ordered = event->kind == EVENT_EMPTY && event->is_ordered,
                                                 .is_space = is_space(list, event),
                                                 .is_blank = event->is_blank,
                                                 .open = event->bytes,
                                                 .close = { event->bytes.end, event->bytes.end },
                                                 .text = { list->at, list->at } };
    if (event->kind == EVENT_OPEN) list->parent = index;
    if (event->is_mark) list->accelerator = index + 1;
    return OK;
}

/* Adds the markup of the text to a list that is empty. */
static Status emit_markup(const TextBuilder *b, const EventRange *range, MarkupList *list, bool with_hints, Err *err)
{
    Status st = OK;

    list->start = list->document->markup_count;
    list->parent = MARKUP_ROOT;
    for (size_t i = range->first; st == OK && i < range->last; i++) {
        const Event *event = &b->events[i];
        if (text_events_is_text(event)) {
            size_t length;
            (void)text_events_text(b, event, &length);
            list->at += length;
            list->before = event;
        } else if (event->kind != EVENT_NONE && (with_hints || !event->is_hint)) {
            st = add_markup(list, event, err);
        }
    }
    return st;
}

static bool has_hints(const TextBuilder *b, const EventRange *range)
{
    for (size_t i = range->first; i < range->last; i++)
        if (b->events[i].is_hint) return true;
    return false;
}

static Status emit_text(const TextBuilder *b, const EventRange *range, Document *doc, TextPart *part, Err *err)
{
    Status st = OK;

    for (size_t i = range->first; st == OK && i < range->last; i++)
        if (text_events_is_text(&b->events[i])) st = emit_run(b, &b->events[i], doc, part->text, err);
    part->length = doc->text.len - part->text;
    part->run_count = doc->run_count - part->run;
    return st == OK ? buf_append(&doc->text, "", 1, err) : st;
}

/* Appends the text of the events in the range to the document, and sets the counts of its parts and the accelerator.
 * The indices in `part` are those of the ends of the lists of the document. */
static Status emit(const TextBuilder *b, const EventRange *range, Document *doc, TextPart *part, Err *err)
{
    MarkupList list = { .document = doc }, own = list;
    Status st = emit_text(b, range, doc, part, err);

    if (st == OK) st = emit_markup(b, range, &list, false, err);
    part->markup_with_hints = part->markup;
    part->markup_with_hints_count = part->markup_count = doc->markup_count - part->markup;
    part->accelerator = list.accelerator;
    if (st != OK || !has_hints(b, range)) return st;
    st = emit_markup(b, range, &own, true, err);
    part->markup_with_hints = own.start;
    part->markup_with_hints_count = doc->markup_count - own.start;
    return st;
}

/* Appends the text of the events [first, last), which ends at byte `at`, to the texts of the document. */
static Status end_part(TextBuilder *b, size_t first, size_t last, size_t at, Document *doc, Err *err)
{
    TextBuilder part = *b;
    TextPart text = { .text = doc->text.len,
                      .run = doc->run_count,
                      .markup = doc->markup_count,
                      .arguments = b->arguments,
                      .context = first ? b->next_context : b->context };
    EventRange range;
    Status st = buf_grow_list(&doc->texts, &doc->text_capacity, doc->text_count, 1, sizeof *doc->texts, "a text", err);

    if (st != OK) return st;
    part.events += first;
    part.count = last - first;
    match_markup(&part);
    statement_spans_keep(&part);
    st = take_spans(&part, err);
    b->text = part.text;
    if (st != OK) return st;
    range = text_trim(&part);
    text.bytes = range.first < range.last
                     ? (Range){ part.events[range.first].bytes.begin, part.events[range.last - 1].bytes.end }
                     : (Range){ at, at };
    text.prefix = (Range){ b->begin, text.bytes.begin };
    text.suffix = (Range){ text.bytes.end, at };
    b->begin = at;
    st = emit(&part, &range, doc, &text, err);
    if (st == OK) doc->texts[doc->text_count++] = text;
    return st;
}

Status text_builder_end(TextBuilder *b, size_t at, Document *doc, Err *err)
{
    const size_t before = doc->text_count;
    Status st = push_gap(b, at, err);

    if (has_arguments_in_markup(b)) text_builder_forbid_numbers(b);
    text_events_choose_words(b);
    if (st == OK) st = find_mark(b, err);
    if (st == OK) st = statement_spans_make(b, err);
    for (size_t first = 0, last; st == OK && (first < b->count || doc->text_count == before); first = last) {
        last = b->is_whole ? b->count : text_events_text_end(b, first);
        if (last < b->count) text_builder_forbid_numbers(b);
        st = end_part(b, first, last, last < b->count ? b->events[last].bytes.begin : at, doc, err);
    }
    return st;
}

void text_builder_free(TextBuilder *b)
{
    free(b->events);
    buf_free(&b->text);
    *b = (TextBuilder){ 0 };
}
