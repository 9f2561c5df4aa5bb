/* sentence_rules.h - whether a sentence ends at a place in a text. */
#ifndef DRAGOMAN_SENTENCE_RULES_H
#define DRAGOMAN_SENTENCE_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "abbreviations.h"

/* White space, or nothing, between text[left) and text[right..len). */
typedef struct {
    const Abbreviations *words;
    const char *text;
    size_t len;
    size_t begin; /* of the sentence that may end here */
    size_t left, right;
    bool found; /* by ICU */
} SentencePlace;

/* Looks at a bounded number of bytes on both sides. */
bool sentence_ends_at(const SentencePlace *place);

#endif
