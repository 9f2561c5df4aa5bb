/* abbreviation_lists.h - the words of abbreviations.h, one row per language. */
#ifndef DRAGOMAN_ABBREVIATION_LISTS_H
#define DRAGOMAN_ABBREVIATION_LISTS_H

#include <stdbool.h>
#include <stddef.h>

/* Words are separated by spaces. A word in lower case matches in any case, a word with a capital only as it is
 * written. */
typedef struct {
    const char *codes;                              /* of the language: ISO 639-1 and 639-2 */
    const char *never, *number, *starter, *capital; /* the flags of the same name */
    const char *first_words, *after_time, *dated;
    const char *before_ordinal; /* NULL: ordinals have no full stop */
    const char *before_count, *before_letter, *before_pronoun;
    const char *ending; /* of abbreviated words, WORD_NUMBER and WORD_STARTER: "Goethestr." */
    bool syllabic_consonants;
} AbbreviationList;

extern const AbbreviationList abbreviation_lists[];
extern const size_t abbreviation_list_count;

extern const char abbreviation_companies[]; /* of all languages */

#endif
