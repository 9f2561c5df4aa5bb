/* sentence_rules.h - whether a sentence ends at a place in a text. */
#ifndef DRAGOMAN_SENTENCE_RULES_H
#define DRAGOMAN_SENTENCE_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "sentence_text.h"

/* Looks at a bounded number of bytes on both sides. */
bool sentence_ends_at(const SentencePlace *place);

#endif
