/* glossary.h - finds the terms of glossaries in texts.
 *
 * The files of glossaries may be compressed by gzip or zstd. The first bytes tell whether a file is a table or TBX:
 * - A table has a term, a tab and its translation on each line, in UTF-8. | separates alternative translations. A
 *   third column that begins with + has words, each after a +: the line is only for texts in which one of them is
 *   among the 10 words before or after the term. Of such lines for the same term, the one with the nearest word is
 *   taken; a line without such words is only taken if there is none.
 *   These are ignored: any other third column, text after a third tab, blank lines, lines that begin with #, a byte
 *   order mark, white space around a term or a translation, and a first row that names the columns: source and target
 *   or the like, or the languages of the glossary. \| and \\ stand for | and \, and \# for # at the
 *   beginning of a line; a backslash before another character is a backslash.
 * - TBX is ISO 30042 from 2008 or 2019, in both styles (DCA and DCT). The terms of a concept in the target language,
 *   except deprecated and superseded ones, translate its terms in other languages.
 *
 * A term is found where a text has its words, with white space in the same places:
 * - Case and full or half width do not matter, except for terms of 1 to 5 letters, all of them capitals: US is not us.
 * - Other forms of a word count as the word if they have the same stem, in languages that Snowball knows (libstemmer).
 * - A term that begins or ends with Han, kana, Thai or another script without spaces is found where ICU finds the
 *   beginning and the end of a word.
 * - Of terms that overlap, the longest one is taken, then the first one in the text. If words are a form of several
 *   terms, the term with the same spelling is taken, then the first term of the first file. */
#ifndef DRAGOMAN_GLOSSARY_H
#define DRAGOMAN_GLOSSARY_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "ranges.h"

/* The most words of a term. It bounds the time for each word of a text. */
#define TERM_WORDS ((size_t)100)
/* The most translations of a term (its forms), and the most bytes of a term or a form. */
#define TERM_FORMS ((size_t)64)
#define TERM_BYTES ((size_t)1000)

/* Only one thread at a time may add terms. Then several threads may find them. */
typedef struct Glossary Glossary; /* fields: glossary.c */

/* The languages are BCP 47 tags, which must stay valid as long as terms are added. If `source` is NULL, terms of any
 * language are added. If `target` is NULL, TBX cannot be read. On OK the caller owns *out. */
MUST_USE Status glossary_new(Glossary **out, const char *source, const char *target, Err *err);
void glossary_free(Glossary *glossary); /* NULL is allowed */

/* Adds the terms in a file, except terms that an earlier file has. Messages name the file and mostly the line. */
MUST_USE Status glossary_add_file(Glossary *glossary, const char *path, Err *err);

/* Adds the terms in bytes[0..length), which are like a file that is not compressed, but the first row of a table is a
 * term. `path` is for messages. */
MUST_USE Status glossary_parse(Glossary *glossary, const char *path, const char *bytes, size_t length, Err *err);

/* Warnings about the files so far: ignored third columns (the first one only), and first rows that name the columns.
 * One line each; the glossary owns the text. */
const char *glossary_warnings(const Glossary *glossary);

/* A term in a text. */
typedef struct {
    Range place;
    const char *const *forms; /* [form_count], alternative translations; the glossary owns them */
    size_t form_count;
} TermMatch;

/* Starts as {0}, is reused, and ends with term_matches_free(). */
typedef struct {
    TermMatch *items; /* [count], in the order of the text; they do not overlap */
    size_t count, capacity;
} TermMatches;

/* Sets *out to the terms in text[0..length), valid UTF-8 in this language (NULL: not known). Leaves out terms that
 * touch the ranges `kept`, which are not translated. These are in order and do not overlap. */
MUST_USE Status glossary_find(Glossary *glossary, const char *language, const char *text, size_t length,
                              const Range *kept, size_t kept_count, TermMatches *out, Err *err);
void term_matches_free(TermMatches *matches);

#endif
