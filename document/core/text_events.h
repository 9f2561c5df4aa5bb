/* text_events.h - the events of a text, for document_builder.c. text_objects.c changes some of them, and
 * message_events.c makes those of a message of ICU. */
#ifndef DRAGOMAN_TEXT_EVENTS_H
#define DRAGOMAN_TEXT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "document_formats.h"
#include "icu_message.h"
#include "ranges.h"

typedef enum {
    EVENT_PLAIN,
    EVENT_SPELLED,
    EVENT_BREAK,
    EVENT_OPEN,
    EVENT_CLOSE,
    EVENT_EMPTY,
    EVENT_OBJECT, /* becomes EVENT_WORD or EVENT_EMPTY at the end of the text */
    EVENT_WORD,   /* an element that stands for a word, with the kept text that the translator reads for it */
    EVENT_NONE
} EventKind;

#define NO_PARTNER ((size_t)-1)

/* A call of the format. */
typedef struct {
    EventKind kind;
    bool is_kept;
    bool is_mark;             /* an empty element: the mark of an accelerator */
    bool is_value;            /* an object that is a number or a name, not a picture */
    LineBreakKind break_kind; /* of an empty element that breaks a line, with the blanks around it */
    bool is_blank;            /* an empty element that only spells the space before it */
    bool is_hint;             /* an empty element: a character that only says where a line may end */
    bool is_ordered;          /* an empty element: a tag of a template, or a tag without a partner */
    bool is_label;            /* a closing tag: the contents of its span are also a label */
    Range bytes;
    size_t text, length; /* in TextBuilder.text; the text of EVENT_PLAIN is in the document */
    uint64_t key;
    size_t partner; /* index of the event that is the other end of the span; NO_PARTNER: not known yet */
} Event;

/* Whether the event adds to the text. */
static inline bool text_event_is_text(const Event *event)
{
    return event->kind == EVENT_PLAIN || event->kind == EVENT_SPELLED || event->kind == EVENT_BREAK ||
           event->kind == EVENT_WORD;
}

/* What the event adds to the text; nothing for markup. `source`: to which its bytes belong. */
static inline LineText text_event_text(const Event *event, const char *source, const Buf *text)
{
    if (event->kind == EVENT_PLAIN)
        return (LineText){ source + event->bytes.begin, event->bytes.end - event->bytes.begin };
    return text_event_is_text(event) ? (LineText){ text->data + event->text, event->length } : (LineText){ "", 0 };
}

/* Decides which objects stand for words: values that no word touches, and pictures inside a sentence with space or
 * punctuation around them. `source` and `text` are those of text_event_text(). */
void text_objects_choose(Event *events, size_t count, const char *source, const Buf *text);

/* The events of a text that may be a message, and those of its translation. */
typedef struct {
    const char *source;
    Range bytes;      /* of the text, in `source` */
    const Event *old; /* [count], the events without white space around the message, at least one */
    size_t count;
    Buf *text; /* of spellings: Event.text */
    const PluralTarget *target;
    const SpellingRules *spelling; /* NULL: characters are written as they are */
    unsigned context;
    Buf *strings; /* gets the bytes of the new events */

    MessageRule rule; /* MESSAGE_NONE: the text is no message, and the list is not used */
    struct {
        Event *data;
        size_t len, cap;
        bool failed;
    } events; /* the caller frees the data */
} MessageEvents;

/* Makes the new events: the pieces of the message (icu_message.h), with a line break for the syntax between two texts.
 */
MUST_USE Status message_events_make(MessageEvents *message, Err *err);

#endif
