/* marian_folder.h - a model in Marian's own files: the settings inside of
 * model.npz or model.bin, and decoder.yml with those of the search. */
#ifndef DRAGOMAN_MARIAN_FOLDER_H
#define DRAGOMAN_MARIAN_FOLDER_H

#include "config.h"
#include "err.h"
#include "model_folder.h"
#include "weights.h"

/* model_config_read() for these. `vocabs` are the user's files "source,target",
 * or one for both; NULL: decoder.yml's, else those that are there. */
MUST_USE Status marian_folder_read(ModelConfig *out, ModelFolder *folder, const char *vocabs, Err *err);

/* *json, the caller's: cJSON_free(), is the search's settings of such a model that
 * is packed, for a file MARIAN_DECODER beside its vocabularies and its shortlist: those of `config`,
 * by their names without folders. */
#define MARIAN_DECODER "decoder.yml"
MUST_USE Status marian_folder_print(char **json, ModelFolder *folder, const Weights *weights, const ModelConfig *config,
                                    Err *err);

#endif
