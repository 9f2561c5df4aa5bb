/* json_post.h - the special tokens that a tokenizer.json puts around a text. */
#ifndef DRAGOMAN_JSON_POST_H
#define DRAGOMAN_JSON_POST_H

#include "buf.h"
#include "err.h"
#include "json_pieces.h"

/* Reads root.post_processor: a TemplateProcessing (its "single") or none.
 * Appends the ids in front of the text and behind it, and marks their tokens
 * as CONTROL: a text never becomes one. */
MUST_USE Status json_post_read(IdList *before, IdList *after, JsonPieces *pieces, const cJSON *root, Err *err);

#endif
