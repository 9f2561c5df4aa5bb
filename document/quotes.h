/* quotes.h - tells opening quotation marks from closing ones. “ can be either, depending on the language, and so can
 * ". */
#ifndef DRAGOMAN_QUOTES_H
#define DRAGOMAN_QUOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

bool quotes_is_mark(uint32_t c);

/* Sets a bit of *out for each byte at which a closing mark begins. Takes time linear in `len`. OK: the caller frees
 * *out. */
MUST_USE Status quotes_read(unsigned char **out, const char *text, size_t len, Err *err);

/* True if the mark at text[at] closes. */
bool quotes_close(const unsigned char *quotes, size_t at);

#endif
