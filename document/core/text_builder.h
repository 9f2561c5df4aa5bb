/* text_builder.h - collects one text of a document: what document_builder.h promises for a single text. */
#ifndef DRAGOMAN_TEXT_BUILDER_H
#define DRAGOMAN_TEXT_BUILDER_H

#include <stddef.h>

#include "document_parts.h"
#include "err.h"
#include "text_events.h"

void text_builder_begin(TextBuilder *builder, unsigned context, ArgumentRule arguments, size_t at);

/* Adds an event; `text` is copied. Returns ERR_FORMAT, with only the reason, if the text becomes too large, and if
 * bytes are reported twice. */
MUST_USE Status text_builder_add(TextBuilder *builder, const Event *event, const char *text, Err *err);

/* Says that placeholders in the text cannot get numbers. */
void text_builder_forbid_numbers(TextBuilder *builder);

/* Appends the text that ends at byte `at` to the texts of the document. */
MUST_USE Status text_builder_end(TextBuilder *builder, size_t at, Document *document, Err *err);

void text_builder_free(TextBuilder *builder);

#endif
