/* model_languages.h - the languages of a model, as they are known before its weights are read. */
#ifndef DRAGOMAN_MODEL_LANGUAGES_H
#define DRAGOMAN_MODEL_LANGUAGES_H

#include "err.h"
#include "option_fields.h"

/* Starts as {0}; free it with model_languages_free(). */
typedef struct {
    TextList sources, targets; /* the codes of the model */
} ModelLanguages;

/* Replaces the codes that only Argos Translate uses, "zt" for traditional Chinese and "pb" for Brazilian Portuguese, by
 * the usual ones. Returns other codes, and NULL, unchanged. */
const char *model_languages_standard_code(const char *code);

/* Adds one language to each side. A code may be NULL. Adds nothing if a code is not a known language, such as
 * the group "ROMANCE". */
MUST_USE Status model_languages_add_pair(ModelLanguages *out, const char *from, const char *to, Err *err);

/* Opens everything but the weights of the model at `path` and adds its languages. Fails if the model cannot be
 * opened. */
MUST_USE Status model_languages_read(ModelLanguages *out, const char *path, Err *err);

void model_languages_free(ModelLanguages *languages);

#endif
