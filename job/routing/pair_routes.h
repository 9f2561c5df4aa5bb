/* pair_routes.h - models for the languages of the input, with --from auto and no model: those that --from LANG would
 * choose. A model that can choose its source language is opened once for all of its languages. */
#ifndef DRAGOMAN_PAIR_ROUTES_H
#define DRAGOMAN_PAIR_ROUTES_H

#include <stdbool.h>

#include "commands.h"
#include "err.h"
#include "router.h"

/* `job` must stay valid as long as the router. `has_documents`: the models translate documents. On OK the caller owns
 * *out. ERR_IO: no model translates into the language of --to. */
MUST_USE Status pair_routes_open(Router **out, const Job *job, bool has_documents, Err *err);

#endif
