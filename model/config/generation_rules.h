/* generation_rules.h - the settings of generation_config.json that choose among tokens: random draws, groups of diverse
 * beam search, biases and texts. generation_config.c reads the others. */
#ifndef DRAGOMAN_GENERATION_RULES_H
#define DRAGOMAN_GENERATION_RULES_H

#include "buf.h"
#include "err.h"
#include "json.h"
#include "search_params.h"

/* Needs out->beams. Ids are below `vocab`. */
MUST_USE Status generation_rules_read(SearchParams *out, JsonObject json, int32_t vocab, Err *err);

/* Appends stop_strings to *out, each with a final NUL. */
MUST_USE Status generation_rules_read_stops(Buf *out, JsonObject json, Err *err);

#endif
