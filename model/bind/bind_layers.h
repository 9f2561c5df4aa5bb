/* bind_layers.h - the layers of both stacks. */
#ifndef DRAGOMAN_BIND_LAYERS_H
#define DRAGOMAN_BIND_LAYERS_H

#include "binder.h"

MUST_USE Status bind_layers_encoder(Binder *b);
MUST_USE Status bind_layers_decoder(Binder *b);

#endif
