/* kept_names.h - the texts that stand for kept items while a model translates (stand-ins): names or, for placeholders
 * of numbers, numbers, because the words around them depend on that. */
#ifndef DRAGOMAN_KEPT_NAMES_H
#define DRAGOMAN_KEPT_NAMES_H

#include <stddef.h>

#include "err.h"
#include "tokenizer.h"

/* A kind of names: a NULL-terminated list, or NULL if the model can copy none. */
typedef const char *const *KeptNames;

/* The stand-ins for numbers, as they are in most languages; NULL if the model can copy none. */
MUST_USE Status kept_names_choose_numbers(KeptNames *out, const Tokenizer *tokenizer, Err *err);

/* Chooses the first kind whose names all consist of known pieces and come back unchanged from encoding and decoding. */
MUST_USE Status kept_names_choose(KeptNames *out, const Tokenizer *tokenizer, Err *err);

#endif
