/* text_emit.c - see text_emit.h. */
#include "text_emit.h"

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

Status text_emit(const TextBuilder *b, const EventRange *range, Document *doc, TextPart *part, Err *err)
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
