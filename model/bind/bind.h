/* bind.h - binds tensors to layers: looks up names, checks shapes, and copies values into the
 * layout of the matmuls (model_layers.h). */
#ifndef DRAGOMAN_BIND_H
#define DRAGOMAN_BIND_H

#include "binder.h"
#include "err.h"
#include "model_folder.h"
#include "model_layers.h"
#include "weights.h"

/* Fills in all fields but `weights` of a model whose configuration has been read. With a plan, it
 * collects the matrices there instead of creating them. */
MUST_USE Status bind_model(Model *model, const Weights *weights, BinderPlan *plan, Err *err);

/* The status and message of a fault of bind_model(), or better ones if the folder says that its weights are quantized
 * or belong to an adapter (bind_fault.c). */
Status bind_fault_explain(Status st, ModelFolder *folder, const Weights *weights, Err *err);

#endif
