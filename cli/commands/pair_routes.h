/* pair_routes.h - models for the languages of the input, with --from auto and no model: those that --from LANG would
 * choose. A model that can choose its source language is opened once for all of its languages. */
#ifndef DRAGOMAN_PAIR_ROUTES_H
#define DRAGOMAN_PAIR_ROUTES_H

#include <stdbool.h>

#include "commands.h"
#include "err.h"
#include "router.h"

/* For JobModels.open: `job` is a Job, which must stay valid as long as the router. On OK the caller owns
 * *out. ERR_IO: no model translates into the language of --to. */
MUST_USE Status pair_routes_open(void *job, DragomanJob *translation, Router **out, Err *err);

#endif
