/* bind_activation.h - the trained parameters of a layer's activation. */
#ifndef DRAGOMAN_BIND_ACTIVATION_H
#define DRAGOMAN_BIND_ACTIVATION_H

#include "binder.h"

/* Leaves zeros for an activation that has none. */
MUST_USE Status bind_activation(Binder *b, ActivationParams *out);

#endif
