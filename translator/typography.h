/* typography.h - marks that a model has rarely seen are read as those that it knows: the hyphens U+2010 and U+2011 as
 * that of ASCII, and pairs of single quotation marks as double ones. The quotation marks of the translation then become
 * single ones. For models that ask for it, as they do for unknown words (LineRules.keeps_unknown). */
#ifndef DRAGOMAN_TYPOGRAPHY_H
#define DRAGOMAN_TYPOGRAPHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"
#include "ranges.h"

/* The quotation marks of a text, as it is read: bit i of `single` says that mark i stands for a single one. Those of
 * ASCII do so only beside double ones: in most texts they are the only kind, and mean the same. */
typedef struct {
    uint64_t single;
    size_t count;
} QuoteMarks;

/* Whether the text contains one of the marks. */
bool typography_is_needed(LineText text);

/* Replaces the single quotation marks of a text, of which each has its partner in it or in `rest`, the text after it.
 * *open is the opening mark of a pair that has begun before the text, or 0, and becomes that of one that ends after
 * it. Returns the quotation marks of the text. The number of bytes does not change. */
QuoteMarks typography_read_quotes(char *text, size_t len, LineText rest, uint32_t *open);

/* Makes those quotation marks of a translation single that stand for single ones. If the numbers of marks differ, it
 * changes all or none. The number of bytes does not change. */
void typography_write_quotes(char *text, size_t len, const QuoteMarks *source);

/* Appends the text with the hyphens of ASCII. `map` receives the origins of its bytes (ranges.h). */
MUST_USE Status typography_append(Buf *out, LineText text, RangeList *map, Err *err);

#endif
