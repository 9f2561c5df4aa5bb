/* generation_config.h - the search settings of a model folder. */
#ifndef DRAGOMAN_GENERATION_CONFIG_H
#define DRAGOMAN_GENERATION_CONFIG_H

#include "config.h"
#include "err.h"
#include "json.h"
#include "model_folder.h"
#include "search.h"

/* Reads generation_config.json of `folder`; where there is none, or config.json
 * overrules it, the same keys of config.json, as transformers does. `model` (family and sizes) is
 * read already: ids are checked against its target vocabulary. *out is ended
 * with search_params_free() in every case. */
MUST_USE Status generation_config_read(SearchParams *out, ModelFolder *folder, JsonObject config,
                                       const ModelConfig *model, Err *err);

#endif
