/* text_trim.h - what is around a text: white space, empty elements and whole spans are no part of it. */
#ifndef DRAGOMAN_TEXT_TRIM_H
#define DRAGOMAN_TEXT_TRIM_H

#include <stddef.h>

#include "text_events.h"

/* The events of the text itself, [first, last). */
typedef struct {
    size_t first, last;
} EventRange;

/* Finds the text without what is around it. White space inside its first and last tags moves into their bytes. */
EventRange text_trim(TextBuilder *builder);

#endif
