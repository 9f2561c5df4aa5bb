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

#include "err.h"
#include "glossary_entries.h"
#include "glossary_formats.h"

/* The most bytes of a file that is not compressed. */
#define GLOSSARY_BYTES ((size_t)1 << 30)

/* Adds the terms in a file. */
MUST_USE Status glossary_file_read(GlossaryEntries *out, const char *path, GlossaryLanguages languages, Err *err);

/* Adds the terms in bytes[0..length), the contents of a file. `path` is for messages. */
MUST_USE Status glossary_file_parse(GlossaryEntries *out, const char *path, const char *bytes, size_t length,
                                    GlossaryLanguages languages, Err *err);

#endif
