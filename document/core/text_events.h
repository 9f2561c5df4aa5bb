/* text_events.h - the calls of a format for one text, as text_builder.c collects them. */
#ifndef DRAGOMAN_TEXT_EVENTS_H
#define DRAGOMAN_TEXT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "document.h"
#include "err.h"
#include "line_breaks.h"
#include "ranges.h"

typedef enum {
    EVENT_PLAIN,
    EVENT_SPELLED,
    EVENT_BREAK,
    EVENT_OPEN,
    EVENT_CLOSE,
    EVENT_EMPTY,
    EVENT_OBJECT,    /* becomes EVENT_WORD or EVENT_EMPTY at the end of the text */
    EVENT_WORD,      /* an element that stands for a word, with the kept text that the translator reads for it */
    EVENT_SEPARATOR, /* added as EVENT_EMPTY */
    EVENT_NONE
} EventKind;

#define NO_PARTNER ((size_t)-1)

/* A call of the format. */
typedef struct {
    EventKind kind;
    bool is_kept;
    bool is_mark;  /* of an accelerator; empty */
    bool is_value; /* of an object: a number or a name, not a picture */
    bool is_break; /* of a line, with the blanks around it; empty */
    LineBreakKind break_kind;
    bool is_blank;   /* a spelling of the space before it; empty */
    bool is_hint;    /* a character that only says where a line may end; empty */
    bool is_ordered; /* a tag of a template, or without a partner; empty */
    bool is_label;   /* of a span that is closed: what is in it is a label, too */
    Range bytes;
    size_t text, length; /* in TextBuilder.text; EVENT_PLAIN has its text in the document */
    uint64_t key;
    size_t partner; /* index of the other end of a span, once it is known; NO_PARTNER */
} Event;

/* Starts as { .source = bytes of the document }; text_builder_free() ends it. */
typedef struct {
    const char *source;
    Event *events; /* [count], in the order of their bytes, without gaps from `begin` to `end` */
    size_t count, capacity;
    Buf text;
    size_t length; /* of the text so far */
    size_t begin, end;
    unsigned context, next_context; /* of the text, and of those after a line break */
    ArgumentRule arguments;
    bool is_kept;
    bool is_whole;            /* line breaks do not divide it */
    const char *accelerators; /* characters that mark one (accelerators.h); NULL: none */
} TextBuilder;

/* Whether the event adds to the text. */
bool text_events_is_text(const Event *event);

/* The bytes that such an event adds. */
const char *text_events_text(const TextBuilder *builder, const Event *event, size_t *length);

/* Whether they end with white space. */
bool text_events_ends_with_space(const TextBuilder *builder, const Event *event);

/* Makes an event for a space that has no bytes in the document. */
MUST_USE Status text_events_make_space(TextBuilder *builder, size_t at, Event *out, Err *err);

/* Decides which objects stand for words: values that no word touches, and pictures inside a sentence. */
void text_events_choose_words(TextBuilder *builder);

/* Returns the index after the events [first, ...) that are one text: after a line break at which no sentence goes on,
 * if there is text before and after it; otherwise the number of events. */
size_t text_events_text_end(const TextBuilder *builder, size_t first);

/* Turns a tag whose partner is not in the text into an empty element. Such tags keep their order: otherwise, the tags
 * of elements that continue in another text could cross. */
void text_events_make_single(Event *event);

#endif
