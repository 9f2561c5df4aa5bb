/* target_text.h - texts that the user gives for translations: the forced beginning of all translations
 * (DRAGOMAN_PREFIX) or of one (dragoman_request_prefix()), and whether the tokenizer keeps their spelling. */
#ifndef DRAGOMAN_TARGET_TEXT_H
#define DRAGOMAN_TARGET_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "ranges.h"
#include "search_params.h"
#include "tokenizer.h"

typedef struct {
    LineText text;
    bool pieces;      /* the text consists of pieces */
    const char *name; /* for messages */
} TargetPrefix;

/* The result of encoding the text of a prefix. */
typedef struct {
    bool has_unknown; /* the vocabulary lacks some of it, which is now the unknown token */
    size_t added;     /* the number of forced first tokens before those of the text: 0 or 1 */
} PrefixFacts;

/* Appends the ids of the prefix, after the forced first token of a search with these parameters; nothing for an empty
 * text. `facts` may be NULL. ERR_USAGE for a text that is not valid UTF-8 or contains a newline, and for a piece that
 * is not in the vocabulary. */
MUST_USE Status target_prefix_encode(IdList *out, PrefixFacts *facts, const TargetPrefix *prefix,
                                     const Tokenizer *tokenizer, const SearchParams *params, Err *err);

/* ERR_USAGE if there is no room for another token after the prefix. */
MUST_USE Status target_prefix_check_room(const IdList *ids, const char *name, const SearchParams *params, Err *err);

/* --- Spellings of one text that readers cannot tell apart: composed and decomposed letters, and different kinds and
 * numbers of white space. A tokenizer may know only one of them. */

/* Appends the plain spelling of a text (valid UTF-8): in NFC, with one space for each run of white space and none at
 * its ends. `map` starts empty, like *out, and receives the origins of the bytes (ranges.h); NULL: not asked for. */
MUST_USE Status spelling_append_plain(Buf *out, const char *text, size_t length, RangeList *map, Err *err);

/* Sets *is_spelled to whether the target ids spell the text or, because the tokenizer may normalize it, a text with the
 * same plain spelling. */
MUST_USE Status spelling_check(bool *is_spelled, const Tokenizer *tokenizer, const int32_t *ids, size_t count,
                               const char *text, size_t length, Err *err);

#endif
