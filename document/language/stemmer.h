/* stemmer.h - the stems of words, of Snowball's libstemmer, which is loaded when it is needed.
 *
 * Words with the same stem are mostly forms of one word: printer, printers, printer's. */
#ifndef DRAGOMAN_STEMMER_H
#define DRAGOMAN_STEMMER_H

#include <stdbool.h>
#include <stddef.h>

/* Only one thread at a time may use a stemmer. */
typedef struct Stemmer Stemmer;

/* Whether libstemmer can be loaded. */
bool stemmer_is_available(void);

/* Returns the stemmer of a language, as BCP 47 writes it: "en", "pt-BR"; NULL if Snowball has none for the language, if
 * `language` is NULL, or without libstemmer. The caller owns it. */
Stemmer *stemmer_new(const char *language);
void stemmer_free(Stemmer *stemmer); /* NULL is allowed */

/* Returns the stem of a word in lower case, word[0..length) in UTF-8, and its length; NULL if memory has run out. The
 * stem is valid until the next call. */
const char *stemmer_find(Stemmer *stemmer, const char *word, size_t length, size_t *stem_length);

#endif
