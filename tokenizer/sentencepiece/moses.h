/* moses.h - the text rules of Moses: scripts that split a text into words before BPE, and join the words of a
 * translation. FSMT applies them as sacremoses 0.2.0 does, the oldest releases of OPUS-MT (opus_text.h) as the original
 * scripts do. */
#ifndef DRAGOMAN_MOSES_H
#define DRAGOMAN_MOSES_H

#ifdef __cplusplus
extern "C" {
#endif

#include <stdbool.h>

#include "buf.h"
#include "err.h"
#include "ranges.h"

/* The end of a word, in the last piece of each word (fastBPE). */
#define MOSES_END "</w>"

typedef enum {
    MOSES_SCRIPT = 1,  /* normalize-punctuation.perl alone */
    MOSES_WORDS = 2,   /* FSMTTokenizer: normalization, splitting into words */
    MOSES_TEXT = 4,    /* FSMTTokenizer: joining words */
    MOSES_PLAIN = 2048 /* for moses_new(), with MOSES_WORDS: IndicProcessor, which keeps hyphens inside of words, and
                         neither replaces Unicode's punctuation nor writes entities */
} MosesUse;

/* The rules for texts of one language. Read-only; threads may share it. */
typedef struct Moses Moses; /* fields: moses.c */

/* `uses`: a set of MosesUse. `language` is a code such as "de"; the rules for other languages than the special ones are
 * the general ones, with the abbreviations of English. */
MUST_USE Status moses_new(Moses **out, unsigned uses, const char *language, bool lowers, Err *err);
void moses_free(Moses *moses); /* NULL is allowed */

/* Applies the rules of one use to a text (valid UTF-8) and appends the result. `map` starts empty and receives the
 * origins of the bytes that are appended: new bytes have the range of all that their rule replaced. NULL: not asked
 * for. */
MUST_USE Status moses_apply(const Moses *moses, MosesUse use, const char *text, size_t len, Buf *out, RangeList *map,
                            Err *err);

/* Appends the text of words that are separated by white space. `map` as for moses_apply(). */
MUST_USE Status moses_join(const Moses *moses, const char *words, size_t len, Buf *out, RangeList *map, Err *err);

/* Words that do not end a sentence if a full stop follows; of those in `numeric` this holds only before a number.
 * Separated by spaces. */
typedef struct {
    const char *language, *always, *numeric;
} MosesPrefixes;
/* English, if there is no list for the language. */
const MosesPrefixes *moses_prefixes(const char *language); /* moses_prefixes.c */

#ifdef __cplusplus
}
#endif

#endif
