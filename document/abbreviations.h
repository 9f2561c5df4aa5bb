/* abbreviations.h - words that decide whether a full stop ends a sentence: abbreviations, frequent first words, and
 * words before and after ordinal numbers. */
#ifndef DRAGOMAN_ABBREVIATIONS_H
#define DRAGOMAN_ABBREVIATIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"

/* The meaning of a word; several flags may apply. The first four concern the full stop after an abbreviation: */
enum {
    WORD_NEVER = 1,   /* never ends a sentence: titles, "e.g." */
    WORD_NUMBER = 2,  /* does not end one before a number: "No. 5" */
    WORD_STARTER = 4, /* ends one only before WORD_FIRST: "Inc. The" */
    WORD_CAPITAL = 8, /* ends one before a capital except WORD_AFTER_TIME, but not before a number: "5 p.m." */

    WORD_FIRST = 16,            /* often the first word of a sentence; "l'" with its apostrophe is a word */
    WORD_AFTER_TIME = 32,       /* capitalized within a sentence: "p.m. Eastern" */
    WORD_DATED = 64,            /* a full stop between a number and this word does not end a sentence: "3. Mai" */
    WORD_BEFORE_ORDINAL = 128,  /* precedes an ordinal number: "am 3. Tag" */
    WORD_BEFORE_COUNT = 256,    /* precedes a cardinal number: "Platz 3. Dort" */
    WORD_BEFORE_LETTER = 512,   /* precedes a letter that is not an initial: "Vitamin C." */
    WORD_BEFORE_PRONOUN = 1024, /* precedes the English word "I": "than I." */
    WORD_COMPANY = 2048         /* part of the name before it, even after a mark: "Yahoo! Inc." */
};

typedef struct Abbreviations Abbreviations; /* fields: abbreviations.c */

/* Creates the words of a language from its code ("de", "deu", "de_DE", "deu_Latn"); the words of all languages if the
 * code is NULL or unknown. Read-only afterwards. OK: the caller owns *out. */
MUST_USE Status abbreviations_new(Abbreviations **out, const char *language, Err *err);
void abbreviations_free(Abbreviations *words); /* NULL is allowed */

/* Returns the flags of a word. `exact` is its spelling and `folded` the same in lower case. Most words match in
 * either form; one with a full stop inside matches in only one, as "a.D" is not "a.d". An abbreviation is given
 * without its last full stop and without spaces: "z.b". */
unsigned abbreviations_find(const Abbreviations *words, const char *exact, const char *folded);

/* True if these are the words of all languages. */
bool abbreviations_are_multilingual(const Abbreviations *words);

/* True if ordinal numbers have a full stop; false for several languages. */
bool abbreviations_have_dotted_ordinals(const Abbreviations *words);
/* True if words may lack a vowel without being abbreviations: Czech "krk". */
bool abbreviations_may_lack_vowels(const Abbreviations *words);

#endif
