/* fake_model.h - the model of the program with fake_engine.h: it has no weights,
 * and fake_config is its configuration. */
#ifndef DRAGOMAN_FAKE_MODEL_H
#define DRAGOMAN_FAKE_MODEL_H

#include "fake_engine.h"

#include "model.h"

extern ModelConfig fake_config;
/* Returns a configuration with a few small layers. */
ModelConfig fake_small_config(void);

extern size_t fake_guess; /* max_positions before the weights are read; 0: as in fake_config */
extern bool fake_no_weights;

#endif
