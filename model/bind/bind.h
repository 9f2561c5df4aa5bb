/* bind.h - tensors bound to layers: names looked up, shapes checked, values
 * copied into the form in which matmuls take them (model_layers.h). */
#ifndef DRAGOMAN_BIND_H
#define DRAGOMAN_BIND_H

#include "binder.h"
#include "err.h"
#include "model_layers.h"
#include "weights.h"

/* Fills in all but `weights` of a model whose configuration has been read. With a
 * plan, matrices are not made but gathered there. */
MUST_USE Status bind_model(Model *model, const Weights *weights, BinderPlan *plan, Err *err);

#endif
