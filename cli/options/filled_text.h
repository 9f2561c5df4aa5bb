/* filled_text.h - fills in the places of a text, which are written as @@NAME@@. */
#ifndef DRAGOMAN_FILLED_TEXT_H
#define DRAGOMAN_FILLED_TEXT_H

#include "buf.h"

/* Appends what belongs in the place of that name. */
typedef void PutPlace(Buf *out, const char *name);

/* Appends the text with its places filled in. A place that is alone on its line is replaced together with the end of
 * the line. */
void filled_text_put(Buf *out, const char *text, PutPlace *put);

#endif
