/* markdown_inline.h - the parts of a paragraph, a heading or a cell: text, escapes, spans, links, tags. */
#ifndef DRAGOMAN_MARKDOWN_INLINE_H
#define DRAGOMAN_MARKDOWN_INLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "html_entities.h"
#include "ranges.h"

typedef enum {
    MARKDOWN_TEXT,
    MARKDOWN_SPELLED, /* an escape or a character reference */
    MARKDOWN_BREAK,   /* a soft line break, with the blanks before it */
    MARKDOWN_HARD,    /* a hard line break */
    MARKDOWN_OPEN,    /* of a span */
    MARKDOWN_CLOSE,
    MARKDOWN_EMPTY, /* an image, a footnote, a comment */
    MARKDOWN_TAG    /* a start or end tag of HTML */
} MarkdownKind;

/* A part of the text [begin, end). */
typedef struct {
    MarkdownKind kind;
    bool is_kept, is_raw;         /* not to be translated; without escapes and references */
    ByteRange bytes;              /* empty: nothing is left of it */
    uint64_t key;                 /* the same for both ends of a span */
    char text[HTML_ENTITY_BYTES]; /* [size], what is spelled */
    size_t size;
    ByteRange alt, title; /* texts in the part; may be empty */
} MarkdownNode;

/* The labels of definitions, markdown_label_key(). Starts as {0}; free `keys`. */
typedef struct {
    uint64_t *keys; /* [count], sorted when all are added */
    size_t count, capacity;
} MarkdownLabels;

MUST_USE Status markdown_labels_add(MarkdownLabels *labels, uint64_t key, Err *err);
void markdown_labels_sort(MarkdownLabels *labels);

typedef struct {
    const char *text;
    ByteRange range; /* of the text */
    const MarkdownLabels *labels;
    bool is_title; /* of a link: only escapes and references */
    bool is_cell;  /* of a table: \| is a | in code, too */
} MarkdownInput;

typedef struct {
    MarkdownNode *items; /* [count], in order and without gaps */
    size_t count, capacity;
} MarkdownNodes;

/* Appends to *out, which starts as {0}; the caller frees `items`. Takes linear time but for sorting. */
MUST_USE Status markdown_inline_parse(MarkdownNodes *out, const MarkdownInput *input, Err *err);

#endif
