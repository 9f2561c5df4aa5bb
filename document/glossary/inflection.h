/* inflection.h - finds words in a translation that are an inflected form of a given text: reports for report.
 *
 * The text and its inflected form have the same number of words, with white space in the same places. Each word is the
 * same, or has the same stem (stemmer.h) and, in the languages of the table in inflection.c, only another ending: a
 * German umlaut does not matter, but Abbild is not a form of Abbildung. The first letter may be a capital instead of a
 * small letter; in German, where that makes a noun, only at the beginning of a sentence. Compounds are not inflected
 * forms, with and without a hyphen: Jahresbericht, Berichts-Nummer. */
#ifndef DRAGOMAN_INFLECTION_H
#define DRAGOMAN_INFLECTION_H

#include "err.h"
#include "ranges.h"

/* Several threads may use it at the same time. */
typedef struct Inflection Inflection; /* fields: inflection.c */

/* `language` is that of the translations, a BCP 47 tag; NULL: not known. On OK the caller owns *out, which is NULL if
 * the language has no stemmer, or without libstemmer. */
MUST_USE Status inflection_new(Inflection **out, const char *language, Err *err);
void inflection_free(Inflection *inflection); /* NULL is allowed */

/* Sets *place to the first words of text[where.begin, where.end) that are `form` or an inflected form of it; {0, 0} if
 * there are none, or if `inflection` is NULL. The words lie completely in `where`, which does not cut words; the text
 * around them tells whether they begin a sentence, and whether they are in a compound. Both texts are valid UTF-8.
 * Words of scripts without spaces, such as Han and Thai, are not inflected. */
MUST_USE Status inflection_find(Inflection *inflection, LineText text, Range where, LineText form, Range *place,
                                Err *err);

/* Appends texts that may be inflected forms of `form`, each with a NUL at its end: it with an ending of the language at
 * the end of its last word. Nothing if `inflection` is NULL, or for languages without such a list. A model that writes
 * one of them has found it probable; it need not be right. */
MUST_USE Status inflection_make(Inflection *inflection, LineText form, Buf *out, Err *err);

#endif
