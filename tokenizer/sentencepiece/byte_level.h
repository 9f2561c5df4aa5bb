/* byte_level.h - byte-level BPE, as in GPT-2, BART and Llama 3: regular expressions split a text into words, each byte
 * of a word becomes a printable character (a space becomes U+0120), and merges join these characters.
 * Follows tokenizers 0.22.2: pre_tokenizers/byte_level.rs and split.rs. */
#ifndef DRAGOMAN_BYTE_LEVEL_H
#define DRAGOMAN_BYTE_LEVEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "buf.h"
#include "err.h"

/* GPT-2's expression, which a ByteLevel uses unless it has "use_regex": false. */
#define BYTE_LEVEL_WORDS "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"

/* What becomes of the matches of an expression: parts of their own, nothing, parts that include adjacent matches, or
 * the end or the beginning of the text beside them. */
typedef enum {
    BYTE_SPLIT_ISOLATED,
    BYTE_SPLIT_REMOVED,
    BYTE_SPLIT_CONTIGUOUS,
    BYTE_SPLIT_WITH_PREVIOUS,
    BYTE_SPLIT_WITH_NEXT
} ByteSplitKind;

typedef struct {
    void *code; /* the compiled expression */
    ByteSplitKind kind;
    bool inverts; /* the text between the matches counts as matches */
} ByteSplit;

typedef struct {
    LIST_OF(ByteSplit) splits; /* applied one after the other */
    bool drops_unknown;        /* characters without a piece are left out; else each is an unknown piece */
    bool joins_unknown;        /* ... or several adjacent ones are one unknown piece */
    bool trims_ranges;         /* the ranges of pieces leave out spaces at their ends */
    bool keeps_first;          /* ... but not a single space at the beginning of the text */
    bool lacks[256];           /* the bytes that are left out; byte_level_complete() sets them */
} ByteLevel;

MUST_USE Status byte_level_new(ByteLevel **out, Err *err);
void byte_level_free(ByteLevel *level); /* NULL is allowed */

/* Adds a step that splits words. `is_text`: the expression is a text to find, not a regular expression. Returns
 * ERR_UNSUPPORTED if tokenizers might find other matches than PCRE2 does. */
MUST_USE Status byte_level_add_split(ByteLevel *level, const char *expression, bool is_text, ByteSplitKind kind,
                                     bool inverts, Err *err);

/* Appends the bytes of a piece. As in tokenizers, a piece with other characters than those that stand for bytes is
 * copied. */
void byte_level_put(Buf *out, const char *piece);

#ifdef __cplusplus
}
#endif

#endif
