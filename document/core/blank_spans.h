/* blank_spans.h - spans that contain white space alone, such as <b> </b> between two words. Editors write many of them.
 * No word belongs to one, and its formatting must not become that of a word. */
#ifndef DRAGOMAN_BLANK_SPANS_H
#define DRAGOMAN_BLANK_SPANS_H

#include <stdbool.h>
#include <stddef.h>

#include "text_events.h"

/* Whether the event `index` opens such a span; partners are known. White space that is kept, the mark of an accelerator
 * and labels are no white space. */
bool blank_spans_is_one(const TextBuilder *builder, size_t index);

/* Whether the text goes on with white space after the event `index`. */
bool blank_spans_precedes_space(const TextBuilder *builder, size_t index);

#endif
