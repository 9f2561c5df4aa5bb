/* marian_folder.h - a model in Marian's own files: model.npz or model.bin with the model's settings
 * inside, and decoder.yml with the search settings. */
#ifndef DRAGOMAN_MARIAN_FOLDER_H
#define DRAGOMAN_MARIAN_FOLDER_H

#include "config.h"
#include "err.h"
#include "model_folder.h"
#include "weights.h"

/* model_config_read() for Marian models. `vocabs` are the user's files "SOURCE,TARGET", or one for both;
 * NULL: those of decoder.yml, or else the vocabularies found in the folder. */
MUST_USE Status marian_folder_read(ModelConfig *out, ModelFolder *folder, const char *vocabs, Err *err);

/* Prints the search settings for a packed model. They become the file MARIAN_DECODER beside its vocabularies
 * and shortlist, which are named without folders. The caller frees *json with cJSON_free(). */
#define MARIAN_DECODER "decoder.yml"
MUST_USE Status marian_folder_print(char **json, ModelFolder *folder, const Weights *weights, const ModelConfig *config,
                                    Err *err);

#endif
