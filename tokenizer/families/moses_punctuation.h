/* moses_punctuation.h - normalize-punctuation.perl of the Moses decoder: normalizes quotes, dashes, numbers and the
 * spaces around punctuation, rule by rule and byte by byte. */
#ifndef DRAGOMAN_MOSES_PUNCTUATION_H
#define DRAGOMAN_MOSES_PUNCTUATION_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "ranges.h"

/* The order of a quote and an adjacent comma or full stop, and the separator in numbers. */
typedef enum { MOSES_QUOTES_ENGLISH, MOSES_QUOTES_CZECH, MOSES_QUOTES_OTHER } MosesQuotes;
typedef struct {
    MosesQuotes quotes; /* English: the quote goes last; Czech: order unchanged; others: the quote goes first */
    bool comma;         /* a no-break space in a number becomes a comma (1,000), not a full stop (1.000) */
} MosesLanguage;

/* The rules for the language that the user or a file names; NULL: English. */
MosesLanguage moses_punctuation_language(const char *name);

/* Applies the rules to a text of one line and appends the result to *out. `map` starts empty and receives the origins
 * of the bytes that are appended: bytes that a rule made have the range of all that it replaced. NULL: not asked
 * for. */
MUST_USE Status moses_punctuation_normalize(MosesLanguage language, const char *text, size_t len, Buf *out,
                                            RangeList *map, Err *err);

#endif
