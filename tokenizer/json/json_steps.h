/* json_steps.h - the steps of a tokenizer.json before and after its model, as far as SentencePiece can do the same. */
#ifndef DRAGOMAN_JSON_STEPS_H
#define DRAGOMAN_JSON_STEPS_H

#include <stdbool.h>

#include "added.h"
#include "buf.h"
#include "err.h"
#include "json.h"
#include "normal_form.h"
#include "sp_origins.h"
#include "sp_shim.h"

typedef struct {
    NormalForms forms;         /* applied first */
    Buf charsmap;              /* the precompiled character map, or empty */
    bool add_dummy_prefix;     /* adds a space before each text */
    bool no_space_after_added; /* but not before text that follows an added token */
    AddedSpace space_before_added;
    bool remove_extra_whitespaces; /* replaces runs of spaces by one and removes those at both ends */
    bool joins_white_space;        /* does so with all white space */
    SpOriginStyle origins;         /* how offset_mapping counts spaces */
    bool decodes;                  /* there is a decoder */
    SpStart start;                 /* how its texts begin */
} JsonSteps;

/* Reads root.normalizer, pre_tokenizer and decoder. A step that SentencePiece cannot do is ERR_UNSUPPORTED and named
 * in the message. The caller frees *out with json_steps_free(), even after an error. */
MUST_USE Status json_steps_read(JsonSteps *out, const cJSON *root, const char *path, Err *err);
void json_steps_free(JsonSteps *steps);

#endif
