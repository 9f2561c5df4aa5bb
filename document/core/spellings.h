/* spellings.h - how the special characters of a text are spelled in the document, by their occurrences: the rule at
 * SpellingRules in document_formats.h. */
#ifndef DRAGOMAN_SPELLINGS_H
#define DRAGOMAN_SPELLINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "document.h"
#include "document_formats.h"
#include "err.h"

/* An occurrence of a special character. */
typedef struct {
    const char *bytes; /* [length], how it is spelled; NULL: as a part of something else */
    size_t length;
    const char *text; /* [text_length], what the spelling stands for; it begins with the character */
    size_t text_length;
} Spelling;

typedef struct {
    uint32_t code;
    size_t order;
    Spelling spelling;
} Occurrence;

typedef struct {
    uint32_t code;
    size_t next, end; /* occurrences that are not taken yet */
} SpecialCode;

/* Starts as {0} and ends with spellings_free(). */
typedef struct {
    Occurrence *items; /* [count], sorted by code */
    size_t count, capacity;
    SpecialCode *codes; /* [code_count], sorted */
    size_t code_count, code_capacity;
} Spellings;

/* Where spellings are looked for. All pointers must stay valid. */
typedef struct {
    const DocumentFile *file;
    const UnitText *text;
    const SpellingRules *rules; /* NULL: no character is special */
    const Span *kept;           /* [kept_count], parts of the text that keep their own spellings; in order */
    size_t kept_count;
} SpellingSource;

/* Lists the occurrences in the text outside of the kept parts: of the characters that are special by the rules, and of
 * those that the document spells in another way somewhere in this text. */
MUST_USE Status spellings_find(Spellings *out, const SpellingSource *source, Err *err);
void spellings_free(Spellings *spellings);

/* Whether the text has occurrences of this character. */
bool spellings_know(const Spellings *spellings, uint32_t code);

/* Takes the next occurrence of a character. Its `bytes` are NULL if there are no more. */
Spelling spellings_take(Spellings *spellings, uint32_t code);

/* Appends a character that is not spelled as in the source. `rules` and `encoding` may be NULL. Returns ERR_FORMAT,
 * with only the reason, if the encoding lacks the character and the place has no escape for it. */
MUST_USE Status spellings_append(const SpellingRules *rules, const TextEncoding *encoding, uint32_t code,
                                 const SpellingPlace *place, Buf *out, Err *err);

#endif
