/* typography.h - replaces marks that a model has rarely seen by marks that it knows: the hyphens U+2010 and U+2011 by
 * that of ASCII, and pairs of single quotation marks by double ones. Then the quotation marks of the translation become
 * single again. Soft hyphens, word joiners and variation selectors are left out. Only for models with
 * LineRules.keeps_unknown. */
#ifndef DRAGOMAN_TYPOGRAPHY_H
#define DRAGOMAN_TYPOGRAPHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"
#include "ranges.h"

/* The quotation marks of a text that is read: bit i of `single` says that mark i is a single one. The single mark of
 * ASCII (') only counts as a single one if the text also has double marks. In most texts it is the only kind of
 * quotation mark, and means the same as double ones. */
typedef struct {
    uint64_t single;
    size_t count;
} QuoteMarks;

/* Whether the text contains marks that are to be replaced or left out. */
bool typography_is_needed(LineText text);

/* Replaces the single quotation marks of a text by double ones if they come in pairs. The closing mark may be in the
 * text or in `rest`, the text after it. *open is the opening mark of a pair that begins before this text, or 0; it
 * becomes the opening mark of a pair that ends after this text, or 0. Returns the quotation marks of the text. The
 * number of bytes does not change. */
QuoteMarks typography_read_quotes(char *text, size_t len, LineText rest, uint32_t *open);

/* Makes those quotation marks of a translation single whose counterparts in the source are single. If source and
 * translation have different numbers of marks, all marks are changed or none. The number of bytes does not change. */
void typography_write_quotes(char *text, size_t len, const QuoteMarks *source);

/* Appends the text with its hyphens replaced by those of ASCII, and without what is left out. `map` receives the
 * origins of its bytes (ranges.h). */
MUST_USE Status typography_append(Buf *out, LineText text, RangeList *map, Err *err);

#endif
