/* config_reader.h - config.json + generation_config.json -> a checked ModelConfig. */
#ifndef DRAGOMAN_CONFIG_READER_H
#define DRAGOMAN_CONFIG_READER_H

#include "config.h"
#include "err.h"
#include "model_folder.h"

/* Reads config.json and generation_config.json of `folder`; without the latter, the generation settings
 * of config.json. A file, or a folder without config.json, may hold a Marian model (marian_folder.h);
 * `vocabs` names its vocabularies. The caller frees *out with model_config_free() in every case. The
 * message names an unknown family, or a field that is missing or wrong. */
MUST_USE Status model_config_read(ModelConfig *out, ModelFolder *folder, const char *vocabs, Err *err);

#endif
