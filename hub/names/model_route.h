/* model_route.h - chooses the models that translate from one language into another. */
#ifndef DRAGOMAN_MODEL_ROUTE_H
#define DRAGOMAN_MODEL_ROUTE_H

#include <stdbool.h>
#include <stddef.h>

#include "catalogue.h"
#include "dragoman_outline.h"
#include "err.h"

#define PIVOT_LANGUAGE "en"

/* One model, or two with PIVOT_LANGUAGE between them. The models belong to the catalogue. */
typedef struct {
    const CatalogueModel *models[2];
    size_t count;                /* 0: no models translate between the languages */
    const CatalogueModel *other; /* of the same place and pair as a single model; NULL: there is none */
} ModelRoute;

typedef struct RouteFinder RouteFinder; /* fields: model_route.c */

/* The finder keeps what it reads of each model. The catalogue must stay valid. On OK the caller owns *out. */
MUST_USE Status route_finder_new(RouteFinder **out, const Catalogue *catalogue, Err *err);
void route_finder_free(RouteFinder *finder); /* NULL is allowed */

/* Finds the models for a pair of languages, which are as for --from and --to; NULL stands for any language. These come
 * first: the models that came with dragoman; then those of this one pair; then models with several languages; then two
 * models. Of equals, the one that comes first in the catalogue. Models with faults are passed over. */
MUST_USE Status route_finder_find(ModelRoute *out, RouteFinder *finder, const char *from, const char *to, Err *err);

/* Whether one of the models that came with dragoman translates between the languages; NULL: any. */
MUST_USE Status route_finder_find_own(ModelRoute *out, RouteFinder *finder, const char *from, const char *to, Err *err);

/* A model that was not chosen because it cannot be opened, and why. */
typedef struct {
    const CatalogueModel *model; /* NULL: none */
    const char *fault;           /* belongs to the finder */
} SkippedModel;

/* Finds the first model with a fault that translates between the languages, or between one of them and English. */
MUST_USE Status route_finder_skipped(SkippedModel *out, const RouteFinder *finder, const char *from, const char *to,
                                     Err *err);

/* The fault of a model without the path of the model, which may be long; NULL: none. */
const char *catalogue_model_fault(const CatalogueModel *model, const DragomanOutline *outline);

/* The languages from which route_finder_find() finds models into `to`, by the codes of the models. A language may be in
 * the list by several codes. The texts belong to the finder; the caller frees the list with free(). */
MUST_USE Status route_finder_sources(const char ***out, size_t *count, RouteFinder *finder, const char *to, Err *err);

/* Reads everything but the weights of the model with this index; the finder owns the outline. */
MUST_USE Status route_finder_outline(const DragomanOutline **out, RouteFinder *finder, size_t index, Err *err);

#endif
