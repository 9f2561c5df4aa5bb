/* json_stages.h - what a tokenizer.json does to a text before and after its
 * model, as far as SentencePiece does the same. */
#ifndef DRAGOMAN_JSON_STAGES_H
#define DRAGOMAN_JSON_STAGES_H

#include <stdbool.h>

#include "buf.h"
#include "err.h"
#include "json.h"
#include "normal_form.h"

typedef struct {
    NormalForms forms; /* before all else */
    Buf charmap;       /* the precompiled character map, or empty */
    bool adds_prefix;  /* a space in front of each text */
    bool joins_spaces; /* several spaces are one, those at the ends none */
} JsonStages;

/* Reads root.normalizer, pre_tokenizer and decoder. What SentencePiece cannot
 * do is ERR_UNSUPPORTED and named. *out is ended with json_stages_free() in
 * every case. */
MUST_USE Status json_stages_read(JsonStages *out, const cJSON *root, const char *path, Err *err);
void json_stages_free(JsonStages *stages);

#endif
