/* markdown_anchors.h - the addresses of headings in links of the same document: [Setup](#first-steps) leads to the
 * heading "First steps", because GitHub and others make its address of its text. A translated heading would have another
 * one, so it gets an anchor with the old one: <a id="first-steps"></a>. */
#ifndef DRAGOMAN_MARKDOWN_ANCHORS_H
#define DRAGOMAN_MARKDOWN_ANCHORS_H

#include "document_builder.h"
#include "err.h"
#include "ranges.h"

typedef struct MarkdownAnchors MarkdownAnchors; /* fields: markdown_anchors.c */

/* Finds the addresses that links of text[0..length) have: after "(#", "]: #" and href="#. On OK the caller owns
 * *out. */
MUST_USE Status markdown_anchors_new(MarkdownAnchors **out, const char *text, size_t length, Err *err);
void markdown_anchors_free(MarkdownAnchors *anchors); /* NULL is allowed */

/* Adds an anchor to the heading, whose text are these bytes of the document of the builder, if a link has its address.
 * Call it for all headings, in order: of equal headings, the second one has the address first-steps-1. */
MUST_USE Status markdown_anchors_add(MarkdownAnchors *anchors, DocumentBuilder *builder, ByteRange heading, Err *err);

#endif
