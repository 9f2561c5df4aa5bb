/* abbreviation_lists.h - the words of abbreviations.h, a row a language. */
#ifndef DRAGOMAN_ABBREVIATION_LISTS_H
#define DRAGOMAN_ABBREVIATION_LISTS_H

#include <stdbool.h>
#include <stddef.h>

/* Words between spaces. One in lower case stands for itself in any case, one
 * with a capital for that spelling alone. */
typedef struct {
    const char *codes;                              /* of the language: ISO 639-1, 639-2 */
    const char *never, *number, *starter, *capital; /* the flags of that name */
    const char *first_words, *after_time, *dated;
    const char *before_ordinal; /* NULL: ordinals have no full stop */
    const char *before_count, *before_letter, *before_pronoun;
    const char *ending; /* of words that are abbreviations, WORD_NUMBER and WORD_STARTER: "Goethestr." */
    bool syllabic_consonants;
} AbbreviationList;

extern const AbbreviationList abbreviation_lists[];
extern const size_t abbreviation_list_count;

extern const char abbreviation_companies[]; /* in all languages */

#endif
