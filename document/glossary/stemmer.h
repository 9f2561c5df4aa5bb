/* stemmer.h - the stems of words: Snowball's libstemmer, which is loaded when it is needed.
 * Words with the same stem are mostly forms of one word: printer, printers, printer's. */
#ifndef DRAGOMAN_STEMMER_H
#define DRAGOMAN_STEMMER_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"

typedef struct Stemmer Stemmer; /* of the library */

/* Whether libstemmer can be loaded. */
bool stemmer_is_installed(void);

/* Returns the stemmer of a language, as BCP 47 writes it: "en", "pt-BR"; NULL if Snowball has none for the language, if
 * `language` is NULL, or without libstemmer. The caller owns it. */
Stemmer *stemmer_new(const char *language);
void stemmer_free(Stemmer *stemmer); /* NULL is allowed */

/* Appends the stem of a word, valid UTF-8 in lower case; with `stemmer` NULL, the word. Not for several threads at
 * once. */
MUST_USE Status stemmer_append(Stemmer *stemmer, const char *word, size_t length, Buf *out, Err *err);

#endif
