/* stemmer.h - the stems of words: Snowball's libstemmer, which is loaded when it is needed.
 * Words with the same stem are mostly forms of one word: printer, printers, printer's. */
#ifndef DRAGOMAN_STEMMER_H
#define DRAGOMAN_STEMMER_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"

typedef struct Stemmer Stemmer; /* fields: stemmer.c */

/* Whether libstemmer can be loaded. */
bool stemmer_is_installed(void);

/* Sets *out to the stemmer of a language, as BCP 47 writes it: "en", "pt-BR". It is NULL if Snowball has none for the
 * language, if `language` is NULL, or without libstemmer. The caller owns it. */
MUST_USE Status stemmer_new(Stemmer **out, const char *language, Err *err);
void stemmer_free(Stemmer *stemmer); /* NULL is allowed */

/* Appends the stem of a word, valid UTF-8 in lower case; with `stemmer` NULL, the word. Not for several threads at
 * once. */
MUST_USE Status stemmer_append(Stemmer *stemmer, const char *word, size_t length, Buf *out, Err *err);

#endif
