/* indic_text.h - the text steps of IndicTrans2, which reads the languages of India in Devanagari if their script has
 * the same letters. Before the model: punctuation and digits are normalized, addresses and numbers become <ID1>, <ID2>,
 * ..., letters get one spelling each, marks are split off, and letters become those of Devanagari. After the model, the
 * reverse.
 * Follows IndicProcessor of IndicTransToolkit 1.1.1 and indic-nlp-library 0.92; indic_text.c names the differences. */
#ifndef DRAGOMAN_INDIC_TEXT_H
#define DRAGOMAN_INDIC_TEXT_H

#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "moses.h"
#include "ranges.h"

/* Converts a text (valid UTF-8, one line) of the language ("hin_Deva") to the one that the model reads, and appends it
 * to *out. Appends what <ID1>, <ID2>, ... stand for to *replaced, each with a final NUL; NULL: addresses and numbers
 * stay. `map` starts empty, and gets the origins of the bytes of *out; NULL: not asked for. `moses` is moses_new() for
 * English, with MOSES_WORDS, MOSES_PLAIN and MOSES_TEXT. */
MUST_USE Status indic_text_prepare(const Moses *moses, const char *language, const char *text, size_t len, Buf *out,
                                   Buf *replaced, RangeList *map, Err *err);

/* Converts text->data[begin..), decoded pieces, to a text of the language. `replaced` comes from indic_text_prepare();
 * NULL: nothing was replaced. ranges[count], ascending ranges in *text, are moved with their text; NULL: none. */
MUST_USE Status indic_text_restore(const Moses *moses, const char *language, const Buf *replaced, Buf *text,
                                   size_t begin, Range *ranges, size_t count, Err *err);

/* Texts that are replaced by others, one pair after the other. A table ends with NULL. */
typedef struct {
    const char *from, *to;
} IndicRule;

/* indic_tables.c */
extern const IndicRule indic_shared[], indic_punctuation[];
extern const IndicRule indic_devanagari[], indic_bengali[], indic_gurmukhi_before[], indic_gurmukhi[], indic_gujarati[],
    indic_odia[], indic_tamil[], indic_telugu[], indic_kannada[], indic_malayalam_before[], indic_malayalam[];
extern const IndicRule indic_urdu[];
extern const char indic_urdu_diacritics[], indic_urdu_punctuation[], indic_urdu_characters[]; /* sets */
extern const char *const indic_identifier_words[]; /* what models write instead of "ID"; ends with NULL */

#endif
