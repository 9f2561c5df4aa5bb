/* outline.h - outlines of models, for the list of models: languages, size and faults of a model, before its weights are
 * read. dragoman_hub.h has the functions for other programs. */
#ifndef DRAGOMAN_OUTLINE_H
#define DRAGOMAN_OUTLINE_H

#include <stdbool.h>

#include "dragoman_hub.h"
#include "err.h"
#include "option_fields.h"

/* Reads the outline of the model at `path`. A quick outline reads only a few small files. These tell the languages of
 * most bilingual models, but the only fault that is found is a missing file. `spelling` names the settings in the
 * text of a fault. On OK the caller ends *out with dragoman_outline_free(). */
MUST_USE Status outline_read(DragomanOutline **out, const char *path, const char *name, bool quick, Spelling spelling,
                             Err *err);

/* Whether the outline has languages. A quick outline may lack languages that the full outline has. Even the full
 * outline has none if neither the files nor the name of the model tell them. */
bool outline_has_languages(const DragomanOutline *outline);

/* Like dragoman_outline_has_pair() and dragoman_find_language_code(). */
MUST_USE Status outline_has_pair(bool *out, const DragomanOutline *outline, const char *from, const char *to, Err *err);
MUST_USE Status outline_language_code(char out[DRAGOMAN_LANGUAGE_CODE], const char *wanted, Err *err);

#endif
