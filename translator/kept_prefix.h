/* kept_prefix.h - kept items that are in the forced prefix of a translation. */
#ifndef DRAGOMAN_KEPT_PREFIX_H
#define DRAGOMAN_KEPT_PREFIX_H

#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "kept_text.h"
#include "line_request.h"
#include "ranges.h"

/* An item of a sentence, with the rest of the word that it is a part of. */
typedef struct {
    ByteRange range;
    ByteRange prefix; /* its place in the prefix; empty, {0, 0}: it is not there */
} KeptPart;

/* Sets the places of parts[count], whose places are empty, in the prefix: from its beginning on, the longest part that
 * a place has as whole words, each part once. A part without letters and digits has no place. */
void kept_prefix_find(KeptPart *parts, size_t count, const char *sentence, LineText prefix);

/* Writes text->prefix: the prefix with the stand-ins of the groups that are in it; nothing if none is. */
MUST_USE Status kept_prefix_write(KeptText *text, LineText prefix, Err *err);

/* Finds the groups that are in the prefix in the first `forced` bytes of the translation, which the model was forced to
 * write: sets `from` of their edits[text->count], which are in the order of the groups. The other edits do not change,
 * nor does that of a group whose characters the tokenizer replaced. */
void kept_prefix_place(const KeptText *text, const char *sentence, const char *translation, size_t forced,
                       KeptEdit *edits);

#endif
