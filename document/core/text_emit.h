/* text_emit.h - makes the runs and the markup of a text from its events. */
#ifndef DRAGOMAN_TEXT_EMIT_H
#define DRAGOMAN_TEXT_EMIT_H

#include "document_parts.h"
#include "err.h"
#include "text_events.h"
#include "text_trim.h"

/* Appends the text of the events in the range to the document, and sets the counts of its parts and the accelerator.
 * The indices in `part` are those of the ends of the document's lists. */
MUST_USE Status text_emit(const TextBuilder *builder, const EventRange *range, Document *document, TextPart *part,
                          Err *err);

#endif
