/* translator.h - functions of dragoman.h and dragoman_tools.h in terms of Status, Err and Buf, for the library itself.
 * These headers describe what each function does. */
#ifndef DRAGOMAN_TRANSLATOR_H
#define DRAGOMAN_TRANSLATOR_H

#include "buf.h"
#include "dragoman_tools.h"
#include "err.h"
#include "line.h"
#include "option_fields.h"

MUST_USE Status translator_open(Dragoman **out, const DragomanOptions *options, Err *err);
MUST_USE Status translator_submit(Dragoman *dragoman, const DragomanRequest *request, uintptr_t tag, Err *err);
MUST_USE Status translator_next(Dragoman *dragoman, const DragomanLine **line, Err *err);

/* Appends to *out. */
MUST_USE Status translator_describe(const DragomanOptions *options, Buf *out, Err *err);

#endif
