/* abbreviations.h - words that tell whether a full stop ends a sentence:
 * abbreviations, frequent first words, words around ordinal numbers. */
#ifndef DRAGOMAN_ABBREVIATIONS_H
#define DRAGOMAN_ABBREVIATIONS_H

#include <stdbool.h>

#include "err.h"

/* What a word says; it may say several. Of an abbreviation, about the full stop after it: */
enum {
    WORD_NEVER = 1,   /* it never ends a sentence: titles, "e.g." */
    WORD_NUMBER = 2,  /* it does not in front of a number: "No. 5" */
    WORD_STARTER = 4, /* it does in front of WORD_FIRST alone: "Inc. The" */
    WORD_CAPITAL = 8, /* it does in front of any capital but WORD_AFTER_TIME, and not of a number: "5 p.m." */

    WORD_FIRST = 16,            /* sentences often begin with it; l' is a word with its apostrophe */
    WORD_AFTER_TIME = 32,       /* a capital inside a sentence: "p.m. Eastern" */
    WORD_DATED = 64,            /* between a number and it no full stop ends a sentence: "3. Mai" */
    WORD_BEFORE_ORDINAL = 128,  /* an ordinal number follows it: "am 3. Tag" */
    WORD_BEFORE_COUNT = 256,    /* another number does: "Platz 3. Dort" */
    WORD_BEFORE_LETTER = 512,   /* a letter that is not an initial does: "Vitamin C." */
    WORD_BEFORE_PRONOUN = 1024, /* the English word "I" does: "than I." */
    WORD_COMPANY = 2048         /* it is part of a name before it, also of one with a mark: "Yahoo! Inc." */
};

typedef struct Abbreviations Abbreviations; /* fields: abbreviations.c */

/* The words of a language by its code ("de", "deu", "de_DE", "deu_Latn"); those
 * of all languages where it is NULL or has none. Read-only when it is there.
 * OK: the caller owns *out. */
MUST_USE Status abbreviations_new(Abbreviations **out, const char *language, Err *err);
void abbreviations_free(Abbreviations *words); /* NULL is allowed */

/* What a word says, by its spelling `exact` and in lower case, `folded`: most
 * words count in both, those with a full stop inside in one: "a.D" is not "a.d".
 * An abbreviation has no last full stop and no spaces, "z.b". */
unsigned abbreviations_find(const Abbreviations *words, const char *exact, const char *folded);

/* They are those of all languages. */
bool abbreviations_mix(const Abbreviations *words);

/* Ordinal numbers have a full stop. False for several languages. */
bool abbreviations_dot_ordinals(const Abbreviations *words);
/* A word without a vowel may be no abbreviation: Czech "krk". */
bool abbreviations_lack_vowels(const Abbreviations *words);

#endif
