/* markdown_inline.h - finds the parts of a text: text, escapes, spans, links, tags. */
#ifndef DRAGOMAN_MARKDOWN_INLINE_H
#define DRAGOMAN_MARKDOWN_INLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "document_formats.h"
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
    bool is_label;                /* the end of a link whose text is its label */
    Range bytes;                  /* empty: nothing is left of it */
    uint64_t key;                 /* the same for both ends of a span */
    char text[HTML_ENTITY_BYTES]; /* [size], what is spelled */
    size_t size;
    Range alt, title; /* texts in the part; may be empty */
} MarkdownNode;

/* Starts as {0}; free `data`. */
typedef struct {
    MarkdownNode *data; /* [len], in order and without gaps */
    size_t len, cap;
    bool failed;
} MarkdownNodes;

/* The labels of definitions, markdown_label_key(), for LIST_PUT(). Starts as {0}; free `data`. */
typedef struct {
    uint64_t *data; /* [len] */
    size_t len, cap;
    bool failed;
} MarkdownLabels;

/* For when all labels are added. */
void markdown_labels_sort(MarkdownLabels *labels);

/* A flag of contexts (markdown_units.h): marks of emphasis follow each other where they would not be read as such by
 * themselves: the middle of __a_ b__c__. Then marks follow each other in translations, too. */
#define MARKDOWN_MARKS (1u << 31)

/* For the spans of translations: an end moves inwards over punctuation, "_" becomes "*", and where neither is possible,
 * the span gets tags of HTML. */
extern const MarkRules markdown_emphasis_marks;

typedef struct {
    const char *text;
    Range range; /* of the text */
    const MarkdownLabels *labels;
    bool is_title; /* of a link: only escapes and references */
    bool is_cell;  /* of a table: \| is a | in code, too */
} MarkdownInput;

/* Appends the nodes, in order and without gaps. Takes linear time but for sorting. Returns ERR_FORMAT, with only the
 * reason, if there are too many. */
MUST_USE Status markdown_inline_parse(MarkdownNodes *out, const MarkdownInput *input, Err *err);

#endif
