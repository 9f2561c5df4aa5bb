/* describe.h - the text of `dragoman info`. */
#ifndef DRAGOMAN_DESCRIBE_H
#define DRAGOMAN_DESCRIBE_H

#include "buf.h"
#include "err.h"
#include "opening.h"

/* Appends what the model is and how it will be searched, a line "key: value"
 * each. Keys never change their meaning; new ones may come. */
MUST_USE Status describe_opening(const Opening *opening, Buf *out, Err *err);

#endif
