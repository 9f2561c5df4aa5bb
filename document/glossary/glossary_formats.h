/* glossary_formats.h - the formats of glossaries, which glossary_file.h describes. */
#ifndef DRAGOMAN_GLOSSARY_FORMATS_H
#define DRAGOMAN_GLOSSARY_FORMATS_H

#include <stddef.h>

#include "err.h"
#include "glossary_entries.h"

/* Which terms of a TBX file are read: BCP 47; NULL as for glossary_new(). */
typedef struct {
    const char *source, *target;
} GlossaryLanguages;

/* Add the terms in bytes[0..length), without a byte order mark of UTF-8; messages name `path` and the line.
 * (glossary_table.c, glossary_tbx.c) */
MUST_USE Status glossary_table_read(GlossaryEntries *out, const char *path, const char *bytes, size_t length, Err *err);
MUST_USE Status glossary_tbx_read(GlossaryEntries *out, const char *path, const char *bytes, size_t length,
                                  GlossaryLanguages languages, Err *err);

#endif
