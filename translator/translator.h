/* translator.h - functions of dragoman.h and dragoman_tools.h in terms of Status, Err and Buf, for the library itself.
 * These headers describe what each function does. */
#ifndef DRAGOMAN_TRANSLATOR_H
#define DRAGOMAN_TRANSLATOR_H

#include "buf.h"
#include "dragoman_tools.h"
#include "err.h"
#include "line.h"
#include "option_fields.h"

/* `models` has `count` elements in the order of the pipeline. The texts that they point to are not kept. */
MUST_USE Status translator_open(Dragoman **out, const DragomanOptions *models, size_t count, Err *err);
MUST_USE Status translator_submit(Dragoman *dragoman, const DragomanRequest *request, uintptr_t tag, Err *err);
MUST_USE Status translator_next(Dragoman *dragoman, const DragomanLine **line, Err *err);

/* Sets *out to the options of each model of the pipeline. The caller frees the array with free(). */
MUST_USE Status translator_divide(DragomanOptions **out, size_t *count, const DragomanOptions *options, Err *err);

/* Appends to *out. */
MUST_USE Status translator_describe(const DragomanOptions *models, size_t count, Buf *out, Err *err);

#endif
