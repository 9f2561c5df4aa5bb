/* text_builder.h - collects one text of a document: what document_builder.h promises for a single text. */
#ifndef DRAGOMAN_TEXT_BUILDER_H
#define DRAGOMAN_TEXT_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "document.h"
#include "document_parts.h"
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

/* Starts as { .source = bytes of the document, .err } and ends with text_builder_free(). Sticky: the first failure is
 * remembered in `status` and *err; the events after it are ignored. */
typedef struct {
    const char *source;
    Status status;
    Err *err;
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

void text_builder_begin(TextBuilder *builder, unsigned context, ArgumentRule arguments, size_t at);

/* Adds an event; `text` is copied. Fails with ERR_FORMAT, and only the reason, if the text becomes too large, and if
 * bytes are reported twice. */
void text_builder_add(TextBuilder *builder, const Event *event, const char *text);

/* Says that placeholders in the text cannot get numbers. */
void text_builder_forbid_numbers(TextBuilder *builder);

/* Appends the text that ends at byte `at` to the texts of the document. Returns the first failure since the start. */
MUST_USE Status text_builder_end(TextBuilder *builder, size_t at, Document *document);

void text_builder_free(TextBuilder *builder);

#endif
