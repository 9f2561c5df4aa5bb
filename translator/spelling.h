/* spelling.h - spellings of one text that readers cannot tell apart: composed and decomposed letters, and different
 * kinds and numbers of white space. A tokenizer may know only one of them. */
#ifndef DRAGOMAN_SPELLING_H
#define DRAGOMAN_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "ranges.h"
#include "tokenizer.h"

/* Appends the plain spelling of a text (valid UTF-8): in NFC, with one space for each run of white space and none at
 * its ends. `map` starts empty, like *out, and receives the origins of the bytes (ranges.h); NULL: not asked for. */
MUST_USE Status spelling_append_plain(Buf *out, const char *text, size_t length, RangeList *map, Err *err);

/* Sets *is_spelled to whether the target ids spell the text or, as a tokenizer that normalizes does it, have the same
 * plain spelling. */
MUST_USE Status spelling_check(bool *is_spelled, const Tokenizer *tokenizer, const int32_t *ids, size_t count,
                               const char *text, size_t length, Err *err);

#endif
