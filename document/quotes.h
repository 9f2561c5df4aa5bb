/* quotes.h - which quotation marks of a text open a quotation, and which close
 * one: a “ does either, depending on the language, and so does a ". */
#ifndef DRAGOMAN_QUOTES_H
#define DRAGOMAN_QUOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

bool quotes_is_mark(uint32_t c);

/* A bit for each byte of the text, set where a mark begins that closes. Takes
 * time linear in `len`. OK: the caller frees *out. */
MUST_USE Status quotes_read(unsigned char **out, const char *text, size_t len, Err *err);

/* The mark at text[at] closes. */
bool quotes_close(const unsigned char *quotes, size_t at);

#endif
