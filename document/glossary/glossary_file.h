/* glossary_file.h - reads the files of glossaries, which may be compressed by gzip or zstd.
 *
 * A table has a term, a tab and its translation on each line, in UTF-8. Several translations, each of which is right,
 * are separated by |. What follows a second tab is ignored, and so are blank lines, lines that begin with #, a byte
 * order mark, and white space around a term or a translation. \| and \\ stand for | and \, and \# for # at the
 * beginning of a line; a backslash before another character is a backslash.
 *
 * TBX is that of ISO 30042 from 2008 or 2019, in both styles (DCA and DCT). The terms of a concept in the target
 * language translate those in the others; deprecated and superseded terms translate nothing.
 *
 * The first bytes tell which one a file is. */
#ifndef DRAGOMAN_GLOSSARY_FILE_H
#define DRAGOMAN_GLOSSARY_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "err.h"

/* The most bytes of a file that is not compressed. */
#define GLOSSARY_BYTES ((size_t)1 << 30)

/* The most words of a term. It bounds the time for each word of a text. */
#define TERM_WORDS ((size_t)100)
/* The most forms of a term, and the most bytes of a term or a form. */
#define TERM_FORMS ((size_t)64)
#define TERM_BYTES ((size_t)1000)

/* The terms with what they are to be translated as. */
typedef struct GlossaryEntries GlossaryEntries; /* fields: glossary.c */

/* Which terms of a TBX file are read: BCP 47; NULL as for glossary_new(). */
typedef struct {
    const char *source, *target;
} GlossaryLanguages;

/* Adds the terms in a file. */
MUST_USE Status glossary_file_read(GlossaryEntries *out, const char *path, GlossaryLanguages languages, Err *err);

/* Adds the terms in bytes[0..length), the contents of a file. `path` is for messages. */
MUST_USE Status glossary_file_parse(GlossaryEntries *out, const char *path, const char *bytes, size_t length,
                                    GlossaryLanguages languages, Err *err);

/* --- glossary.c: the entries, for glossary_file.c. */

/* A text that need not end in NUL. */
typedef struct {
    const char *data;
    size_t length;
} TermString;

/* The language of entries for all languages. */
#define LANGUAGE_ANY 0

/* Begins another file: its terms do not replace those of earlier files. */
MUST_USE Status glossary_entries_begin_file(GlossaryEntries *entries, Err *err);

/* Finds the number of a language, or adds it. */
MUST_USE Status glossary_entries_language(GlossaryEntries *entries, const char *tag, uint16_t *out, Err *err);

/* Adds a term of the file. If the file has it already, the form is added to its forms. The texts are valid UTF-8
 * without a NUL. Returns ERR_FORMAT with the reason, but not the place, if one of them is too long or empty. */
MUST_USE Status glossary_entries_add(GlossaryEntries *entries, TermString source, uint16_t language, TermString form,
                                     Err *err);

#endif
