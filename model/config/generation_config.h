/* generation_config.h - the search settings of a model folder. */
#ifndef DRAGOMAN_GENERATION_CONFIG_H
#define DRAGOMAN_GENERATION_CONFIG_H

#include "buf.h"
#include "config.h"
#include "err.h"
#include "json.h"
#include "model_folder.h"
#include "search.h"

/* Reads generation_config.json of `folder`. If it is missing or config.json overrides it, reads the same
 * keys of config.json, as transformers does. `model` has the family and sizes: ids are checked against
 * its target vocabulary. Appends stop_strings to *stops, each with a final NUL. The caller frees *out with
 * search_params_free() in every case. */
MUST_USE Status generation_config_read(SearchParams *out, Buf *stops, ModelFolder *folder, JsonObject config,
                                       const ModelConfig *model, Err *err);

/* Sets max_length, num_beams and early_stopping of a task in config.json's task_specific_params. They replace those of
 * generation_config_read(), but max_new_tokens takes precedence, as in the pipelines of transformers. */
MUST_USE Status generation_config_adopt_task(SearchParams *out, ModelFolder *folder, const char *task,
                                             const ModelConfig *model, Err *err);

#endif
