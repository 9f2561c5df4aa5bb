/* marian_folder.h - a model in Marian's own files: the settings inside of
 * model.npz or model.bin, and decoder.yml with those of the search. */
#ifndef DRAGOMAN_MARIAN_FOLDER_H
#define DRAGOMAN_MARIAN_FOLDER_H

#include <stdbool.h>

#include "config.h"
#include "err.h"
#include "weights.h"

/* Whether `model` is such a file, or a folder with one and no config.json. */
bool marian_folder_is(const char *model);

/* model_config_read() for these. `vocabs` are the user's files "source,target",
 * or one for both; NULL: decoder.yml's, else those that are there. */
MUST_USE Status marian_folder_read(ModelConfig *out, const char *model, const char *vocabs, Err *err);

/* *json, the caller's: cJSON_free(), is the search's settings of such a model that
 * is packed, for a file MARIAN_DECODER beside its vocabularies and its shortlist: those of `config`,
 * by their names without folders. */
#define MARIAN_DECODER "decoder.yml"
MUST_USE Status marian_folder_print(char **json, const char *model, const Weights *weights, const ModelConfig *config,
                                    Err *err);

/* Where the model's other files are, allocated: free(); NULL when out of memory. */
MUST_USE char *marian_folder_of(const char *model);

#endif
