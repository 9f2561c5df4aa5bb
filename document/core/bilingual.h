/* bilingual.h - documents that contain their source and its translation.
 *
 * - HTML: each text becomes two columns. Its source has no markup, so that nothing is in the page twice.
 * - Markdown and plain text: a paragraph is followed by its translation, a paragraph with the same quote marks and the
 *   same indentation.
 * - Headings, cells of tables, titles of pages and other texts that must stay in one line or have no markup contain
 *   both, with a slash between them.
 * - A text in the markup of another one, as the description of a picture, is its translation. So is one in data, as the
 *   title in the front matter of Markdown. */
#ifndef DRAGOMAN_BILINGUAL_H
#define DRAGOMAN_BILINGUAL_H

#include "buf.h"
#include "document.h"
#include "err.h"

/* How a format contains both; DocumentFormat.bilingual. */
typedef enum { BILINGUAL_NONE, BILINGUAL_COLUMNS, BILINGUAL_BLOCKS } BilingualKind;

/* A unit in its place. */
typedef struct {
    BilingualKind kind;
    const DocumentFile *file;
    Range place;
    const UnitText *source;
    const char *language; /* of the translation; NULL: unknown */
} BilingualUnit;

/* Whether the source is written with its markup before the translation; otherwise bilingual_begin() writes it. */
bool bilingual_writes_source(const BilingualUnit *unit);

/* Append what is before a translation, after its source, and what is after the translation. */
MUST_USE Status bilingual_begin(const BilingualUnit *unit, Buf *out, Err *err);
MUST_USE Status bilingual_end(const BilingualUnit *unit, Buf *out, Err *err);

#endif
