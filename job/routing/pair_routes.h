/* pair_routes.h - models for the languages of the input, if languages are detected and no model is named: those that
 * are chosen for the language of a text and that of the translations. A model that can choose its source language is
 * opened once for all of its languages. */
#ifndef DRAGOMAN_PAIR_ROUTES_H
#define DRAGOMAN_PAIR_ROUTES_H

#include <stdbool.h>
#include <stddef.h>

#include "dragoman_job.h"
#include "err.h"
#include "reporter.h"
#include "router.h"

typedef struct {
    const DragomanOptions *options; /* of all routes, without a model */
    DragomanHub *hub;
    const Reporter *reporter;
    bool quiet;
    const DragomanJobPlan *job; /* .accept() is asked before the models of a route are opened */
} PairPlan;

/* What the plan points to must stay valid as long as the router. On OK the caller owns *out. ERR_IO: no model
 * translates into the language of DRAGOMAN_TO. */
MUST_USE Status pair_routes_open(Router **out, const PairPlan *plan, Err *err);

#endif
