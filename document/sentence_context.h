/* sentence_context.h - the text on both sides of a position where a sentence may end, for sentence_rules.c: the marks
 * and the word before it, and the word after it. */
#ifndef DRAGOMAN_SENTENCE_CONTEXT_H
#define DRAGOMAN_SENTENCE_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sentence_text.h"

#define CONTEXT_CHARACTERS 24 /* how far the rules look, in characters outside a word */

/* The kind of text after the position. */
typedef enum {
    NEXT_NOTHING, /* part of the sentence before: a closing quote, an emoji, a comma */
    NEXT_LOWER,
    NEXT_UPPER,
    NEXT_NAME, /* a capital inside: "iPhone" */
    NEXT_DIGIT,
    NEXT_LETTER, /* in a script without case */
    NEXT_SYMBOL
} Next;

typedef struct {
    const SentencePosition *position;
    uint32_t mark;     /* the last mark; 0: no mark of the rules */
    bool dots;         /* an ellipsis */
    bool strong;       /* ! or ? is among the marks */
    size_t begin;      /* start of the word before the marks */
    size_t end;        /* end of the marks */
    Next next;         /* kind of the following text */
    SentenceWord word; /* the first word of it */
    bool abbreviated;  /* a full stop follows that word */
} SentenceContext;

/* Set all fields except `position`, which the caller sets. */
void context_read_before(SentenceContext *s);
void context_read_after(SentenceContext *s);

/* Returns the flags of a word (abbreviations.h). */
unsigned context_word_flags(const SentenceContext *s, const SentenceWord *word);

/* True if sentences often begin with the next word, or with its part before an apostrophe: "L'homme". */
bool context_next_is_first(const SentenceContext *s);

/* True for marks inside brackets: "(!)", "[...]". */
bool context_are_bracketed(const SentenceContext *s);

/* True if the word before the marks is the first of its sentence: a number or letter of a list. */
bool context_word_is_first(const SentenceContext *s);

/* Reads the word before that one, with its full stop; empty if there is none. */
void context_read_previous(const SentenceContext *s, SentenceWord *out);

/* Returns the start of the word that ends at `at`, or `at` if the word is longer than any that matters. */
size_t context_word_begin(const SentencePosition *p, size_t at);

/* True if the character c at `at` opens or closes a quotation or brackets. */
bool context_open_at(const SentencePosition *p, size_t at, uint32_t c);
bool context_close_at(const SentencePosition *p, size_t at, uint32_t c);

/* Returns the first character after the position that opens nothing. */
uint32_t context_after_openers(const SentencePosition *p);

/* Returns the position before closing quotes, brackets, emoji, emoticons and footnotes, and before the spaces that
 * precede those. */
size_t context_skip_closers(const SentencePosition *p);

#endif
