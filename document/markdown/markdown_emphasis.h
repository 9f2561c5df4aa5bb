/* markdown_emphasis.h - runs of * _ ~ and the spans that they make, as the appendix of CommonMark finds them. */
#ifndef DRAGOMAN_MARKDOWN_EMPHASIS_H
#define DRAGOMAN_MARKDOWN_EMPHASIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "document_formats.h"
#include "err.h"
#include "markdown_nodes.h"

/* A flag of contexts (markdown_spelling.h): marks of emphasis follow each other where they would not be read as such by
 * themselves: the middle of __a_ b__c__. Then marks follow each other in translations, too. */
#define MARKDOWN_MARKS (1u << 31)

/* A run of the same character. Its node becomes shorter when spans use it. */
typedef struct {
    size_t node, length; /* as it was found */
    char mark;
    bool can_open, can_close;
} MarkdownDelimiter;

/* Starts as {0} and ends with markdown_delimiters_free(). */
typedef struct {
    MarkdownDelimiter *items; /* [count], those that are not matched yet */
    size_t count, capacity;
    size_t *openers; /* [opener_count], delimiters that can still open a span */
    size_t opener_count, opener_capacity;
} MarkdownDelimiters;

void markdown_delimiters_free(MarkdownDelimiters *delimiters);

/* Adds the run at text[at], of `length` bytes, whose node is the next one. */
MUST_USE Status markdown_delimiters_add(MarkdownDelimiters *delimiters, const char *text, Range range, size_t at,
                                        size_t length, size_t node, Err *err);

/* Finds the spans among the delimiters from `first` on, and removes these. Appends the ends of the spans to the nodes,
 * with new keys. */
MUST_USE Status markdown_delimiters_match(MarkdownDelimiters *delimiters, size_t first, MarkdownNodes *nodes,
                                          uint64_t *key, Err *err);

/* For the spans of translations: an end moves inwards over punctuation, "_" becomes "*", and where neither is possible,
 * the span gets tags of HTML. */
extern const MarkRules markdown_emphasis_marks;

#endif
