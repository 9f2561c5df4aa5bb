/* markdown_nodes.h - the parts of a paragraph, a heading or a cell, and the labels that links may have. */
#ifndef DRAGOMAN_MARKDOWN_NODES_H
#define DRAGOMAN_MARKDOWN_NODES_H

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
    bool is_label;                /* the end of a link whose text is its label */
    Range bytes;                  /* empty: nothing is left of it */
    uint64_t key;                 /* the same for both ends of a span */
    char text[HTML_ENTITY_BYTES]; /* [size], what is spelled */
    size_t size;
    Range alt, title; /* texts in the part; may be empty */
} MarkdownNode;

/* Starts as {0}; free `items`. */
typedef struct {
    MarkdownNode *items; /* [count], in order and without gaps */
    size_t count, capacity;
} MarkdownNodes;

/* Adds a node; the other fields are 0. Returns ERR_FORMAT, with only the reason, if there are too many. */
MUST_USE Status markdown_nodes_add(MarkdownNodes *nodes, MarkdownKind kind, size_t begin, size_t end, Err *err);

/* Sorts the nodes by their bytes. */
void markdown_nodes_sort(MarkdownNodes *nodes);

/* The labels of definitions, markdown_label_key(). Starts as {0}; free `keys`. */
typedef struct {
    uint64_t *keys; /* [count], sorted when all are added */
    size_t count, capacity;
} MarkdownLabels;

MUST_USE Status markdown_labels_add(MarkdownLabels *labels, uint64_t key, Err *err);
void markdown_labels_sort(MarkdownLabels *labels);
bool markdown_labels_have(const MarkdownLabels *labels, uint64_t key); /* after sorting */

#endif
