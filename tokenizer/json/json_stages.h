/* json_stages.h - the steps of a tokenizer.json before and after its model, as far as SentencePiece can do the same. */
#ifndef DRAGOMAN_JSON_STAGES_H
#define DRAGOMAN_JSON_STAGES_H

#include <stdbool.h>

#include "buf.h"
#include "err.h"
#include "json.h"
#include "normal_form.h"

typedef struct {
    NormalForms forms; /* applied first */
    Buf charmap;       /* the precompiled character map, or empty */
    bool adds_prefix;  /* adds a space before each text */
    bool joins_spaces; /* replaces runs of spaces by one and removes those at both ends */
} JsonStages;

/* Reads root.normalizer, pre_tokenizer and decoder. A step that SentencePiece cannot do is ERR_UNSUPPORTED and named
 * in the message. The caller ends *out with json_stages_free(), even after an error. */
MUST_USE Status json_stages_read(JsonStages *out, const cJSON *root, const char *path, Err *err);
void json_stages_free(JsonStages *stages);

#endif
