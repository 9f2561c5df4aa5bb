/* moses_punctuation.h - normalize-punctuation.perl of the Moses decoder: quotes,
 * dashes, spaces around punctuation, numbers; rule by rule, byte by byte. */
#ifndef DRAGOMAN_MOSES_PUNCTUATION_H
#define DRAGOMAN_MOSES_PUNCTUATION_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"

/* Where a comma or full stop and a quote meet, and between the groups of a number. */
typedef enum { MOSES_QUOTES_ENGLISH, MOSES_QUOTES_CZECH, MOSES_QUOTES_OTHER } MosesQuotes;
typedef struct {
    MosesQuotes quotes; /* English: the quote goes last; Czech: nothing; else it goes first */
    bool comma;         /* 1,000 rather than 1.000 for groups with a no-break space */
} MosesLanguage;

/* The rules for the language that a user or a file names; NULL: English. */
MosesLanguage moses_punctuation_language(const char *name);

/* Appends the text, one line, to *out with the rules applied. */
MUST_USE Status moses_punctuation_normalize(MosesLanguage language, const char *text, size_t len, Buf *out, Err *err);

#endif
