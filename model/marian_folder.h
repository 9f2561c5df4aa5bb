/* marian_folder.h - a model in Marian's own files: the settings inside of
 * model.npz or model.bin, and decoder.yml with those of the search. */
#ifndef DRAGOMAN_MARIAN_FOLDER_H
#define DRAGOMAN_MARIAN_FOLDER_H

#include <stdbool.h>

#include "config.h"
#include "err.h"

/* Whether `model` is such a file, or a folder with one and no config.json. */
bool marian_folder_is(const char *model);

/* model_config_read() for these. `vocabs` are the user's files "source,target",
 * or one for both; NULL: decoder.yml's, else those that are there. */
MUST_USE Status marian_folder_read(ModelConfig *out, const char *model, const char *vocabs, Err *err);

#endif
