/* config_reader.h - config.json + generation_config.json -> a checked ModelConfig. */
#ifndef DRAGOMAN_CONFIG_READER_H
#define DRAGOMAN_CONFIG_READER_H

#include "config.h"
#include "err.h"
#include "model_folder.h"

/* Reads config.json and generation_config.json (where it is missing, the
 * generation settings in config.json) of `folder`. *out is ended with
 * model_config_free() in every case. A family that dragoman does not know, a
 * missing or a wrong field is named in the message. A folder without
 * config.json, or a file, may hold a model of Marian's (marian_folder.h), to
 * which `vocabs` belong. */
MUST_USE Status model_config_read(ModelConfig *out, ModelFolder *folder, const char *vocabs, Err *err);

#endif
