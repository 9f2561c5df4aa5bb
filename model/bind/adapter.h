/* adapter.h - merges adapters (LoRA), as PEFT saves them, into the weights of a model. */
#ifndef DRAGOMAN_ADAPTER_H
#define DRAGOMAN_ADAPTER_H

#include "config.h"
#include "err.h"
#include "model_folder.h"
#include "weights.h"

/* Merges the adapters of the folder, one after the other. Clears embedding.shared or output.tied of the configuration
 * if an adapter replaces only some of the tied embeddings. The weights, which own all that the adapters add, compute
 * merged tensors when they are read. ERR_UNSUPPORTED: a kind of adapter or model that cannot be merged; ERR_FORMAT: the
 * adapter is damaged, or does not fit the model. */
MUST_USE Status adapter_merge(Weights *weights, ModelFolder *folder, ModelConfig *config, Err *err);

#endif
