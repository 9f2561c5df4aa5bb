/* line_memory.h - adds lines that are not units of documents to the translation memory. */
#ifndef DRAGOMAN_LINE_MEMORY_H
#define DRAGOMAN_LINE_MEMORY_H

#include <stddef.h>

#include "document.h"
#include "err.h"
#include "router.h"
#include "memory.h"
#include "ranges.h"

/* Starts as { .memory } and ends with line_memory_free(). */
typedef struct {
    Memory *memory;
    RangeList sources; /* of what the request kept */
    SpanList kept;
} LineMemory;

/* Adds the line with its best translation, unless that was found in the memory or there is none. */
MUST_USE Status line_memory_learn(LineMemory *learner, const RoutedLine *line, Err *err);

void line_memory_free(LineMemory *learner);

#endif
