/* bind_unused.h - what a file holds beyond the model that config.json
 * describes. */
#ifndef DRAGOMAN_BIND_UNUSED_H
#define DRAGOMAN_BIND_UNUSED_H

#include "binder.h"

/* For models with a name map, when all is bound. Tied tables must be equal
 * wherever they are stored. A tensor without a place in the model is refused:
 * a setting must be wrong, and the translation would be. Not so tables of
 * positions that are computed, tensors that are no numbers to compute with,
 * and what "ignore_tensors" lists. */
MUST_USE Status bind_unused_check(Binder *b);

#endif
