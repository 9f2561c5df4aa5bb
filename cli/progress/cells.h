/* cells.h - the width of a text in a terminal. */
#ifndef DRAGOMAN_CELLS_H
#define DRAGOMAN_CELLS_H

#include <stddef.h>

#include "buf.h"
#include "err.h"

/* Returns the number of cells that the UTF-8 text takes when cells_append_end() appends it: 2 for each wide character,
 * such as those of Chinese, 0 for combining marks and invisible characters, 1 for others. */
size_t cells_count(const char *text);

/* Appends the text or, if it takes more than `width` cells, an ellipsis and the end of the text that fits. Control
 * characters and invalid UTF-8 are replaced by '?'. */
MUST_USE Status cells_append_end(Buf *out, const char *text, size_t width, Err *err);

#endif
