/* sentences.h - splits a text into sentences. A sentence may end at each boundary of ICU's break iterator, which knows
 * the marks of all scripts, and at each space after a mark. Rules decide about each of these places by the words around
 * it. Needs only ICU and base/. */
#ifndef DRAGOMAN_SENTENCES_H
#define DRAGOMAN_SENTENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "ranges.h"

typedef struct Sentences Sentences; /* fields: sentences.c */

/* Creates a splitter for texts in the language of this code ("de", "deu", "de_DE"). NULL or an unknown code stands
 * for any language. This is cheap, because the abbreviations are read when a text first needs them. Several threads may
 * use one splitter. On OK the caller owns *out. */
MUST_USE Status sentences_new(Sentences **out, const char *language, Err *err);
void sentences_free(Sentences *sentences); /* NULL is allowed */

/* Appends the sentences of a text (valid UTF-8) without the white space around them, in order; a blank text has none.
 * Everything between them is white space. Takes time linear in `len`. A text of 2 GB or more is one sentence. */
MUST_USE Status sentences_find(Sentences *sentences, const char *text, size_t len, RangeList *out, Err *err);

/* True if a space belongs between two translations whose sources are not separated by a space, as in Chinese. False if
 * a script at either side is written without spaces. */
bool sentences_need_space(const char *before, size_t before_len, const char *after, size_t after_len);

/* True if the text ends with a full-width mark of Chinese or Japanese, which a quotation mark may follow. No space
 * comes after such a mark. */
bool sentences_end_in_full_width(const char *text, size_t len);

bool sentence_is_full_stop(uint32_t c); /* . ! ? and similar marks of Latin text */
bool sentence_is_closer(uint32_t c);    /* closing brackets, * _ (markup) and superscript digits (footnotes) */
bool sentence_is_dash(uint32_t c);
bool sentence_is_dense(uint32_t c); /* of a script without spaces between words, like Chinese and Thai, or its marks */
bool sentence_is_unspaced(uint32_t c); /* the same, but false for full-width letters and digits, which form words */
bool quotes_is_mark(uint32_t c);

#endif
