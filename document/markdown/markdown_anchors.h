/* markdown_anchors.h - the addresses of headings in links of the same document: [Setup](#first-steps) leads to the
 * heading "First steps", because GitHub and others make its address of its text. A translated heading would have
 * another one, so it gets an anchor with the old one: <a id="first-steps"></a>. */
#ifndef DRAGOMAN_MARKDOWN_ANCHORS_H
#define DRAGOMAN_MARKDOWN_ANCHORS_H

#include "document_builder.h"
#include "ranges.h"

typedef struct MarkdownAnchors MarkdownAnchors; /* fields: markdown_anchors.c */

/* Finds the addresses that links in the document of the builder have: after "(#", "]: #" and href="#. Returns NULL if
 * there are none, for bilingual documents, and after an error, which the builder has. The caller owns the result. */
MarkdownAnchors *markdown_anchors_new(DocumentBuilder *builder);
void markdown_anchors_free(MarkdownAnchors *anchors); /* NULL is allowed */

/* Adds an anchor to the heading, whose text are these bytes of the document, if a link has its address and it has no
 * {#id}. Call it for all headings, in order: of equal headings, the second one has the address first-steps-1. NULL is
 * allowed. */
void markdown_anchors_add(MarkdownAnchors *anchors, DocumentBuilder *builder, Range heading);

#endif
