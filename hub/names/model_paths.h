/* model_paths.h - the models of a run: those that -m names, else those that fit the languages. */
#ifndef DRAGOMAN_MODEL_PATHS_H
#define DRAGOMAN_MODEL_PATHS_H

#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "model_names.h"
#include "model_route.h"
#include "options.h"

typedef struct {
    char *items[OPTION_LIST_LIMIT]; /* [count], in the order of the pipeline */
    size_t count;
    const char *via; /* the language between two models that were chosen by languages; NULL: the options say it */
    Buf choice;      /* which models were chosen by languages, for a message; empty: the user named them */
} ModelPaths;

/* Finds the models that -m names; without -m, the one in $DRAGOMAN_MODEL, else that of the configuration, else those
 * that translate from --from into --to, else the model that came with dragoman. With --from auto and no model, *out is
 * empty: pair_routes.h chooses models for the languages of the input. Always free *out with
 * model_paths_free(). */
MUST_USE Status model_paths_find(ModelPaths *out, const Options *options, ModelNames *names, Err *err);
/* Appends which models were chosen by languages, for a message. */
MUST_USE Status model_paths_describe(Buf *out, const ModelRoute *route, Err *err);

void model_paths_free(ModelPaths *paths);

#endif
