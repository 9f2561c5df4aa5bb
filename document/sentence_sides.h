/* sentence_sides.h - what stands on both sides of a place where a sentence may
 * end, for sentence_rules.c: marks and a word before it, a word after it. */
#ifndef DRAGOMAN_SENTENCE_SIDES_H
#define DRAGOMAN_SENTENCE_SIDES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sentence_text.h"

#define SIDES_CHARACTERS 24 /* how far the rules look, in characters but those of a word */

/* What the text after a place begins with. */
typedef enum {
    NEXT_NOTHING, /* what belongs to the sentence before: a closing quote, an emoji, a comma */
    NEXT_LOWER,
    NEXT_UPPER,
    NEXT_NAME, /* with a capital inside: "iPhone" */
    NEXT_DIGIT,
    NEXT_LETTER, /* of a script without cases */
    NEXT_SYMBOL
} Next;

typedef struct {
    const SentencePlace *place;
    uint32_t mark;     /* the last one, 0: none that the rules know */
    bool dots;         /* an ellipsis */
    bool strong;       /* ! or ? is one of the marks */
    size_t begin;      /* of the word before the marks */
    size_t end;        /* and of the marks */
    Next next;         /* what follows */
    SentenceWord word; /* its first word */
    bool abbreviated;  /* which a full stop follows */
} Sides;

/* Fills all fields but `place`, which is set. */
void sides_read_before(Sides *s);
void sides_read_after(Sides *s);

/* What the lists say of a word. */
unsigned sides_find(const Sides *s, const SentenceWord *word);

/* What follows is a word that sentences often begin with, also one that is
 * joined to the next: "L'homme". */
bool sides_next_is_first(const Sides *s);

/* Only marks between brackets: "(!)", "[...]". */
bool sides_are_bracketed(const Sides *s);

/* The word before the marks is the first of its sentence: a number or letter of a list. */
bool sides_word_is_first(const Sides *s);

/* The word in front of that one, with its full stop; empty: there is none. */
void sides_read_previous(const Sides *s, SentenceWord *out);

/* Where the word that ends at `at` begins; `at` where it is longer than any that matters. */
size_t sides_word_begin(const SentencePlace *p, size_t at);

/* The character c at `at` opens or closes a quotation or brackets. */
bool sides_open_at(const SentencePlace *p, size_t at, uint32_t c);
bool sides_close_at(const SentencePlace *p, size_t at, uint32_t c);

/* The first character after the place that opens nothing. */
uint32_t sides_after_openers(const SentencePlace *p);

/* Back from the place over closing quotes, brackets, emoji, emoticons and
 * footnotes, and over the spaces before those. */
size_t sides_skip_closers(const SentencePlace *p);

#endif
