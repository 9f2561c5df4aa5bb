/* bind_unused.h - what a file holds beyond the model that config.json
 * describes. */
#ifndef DRAGOMAN_BIND_UNUSED_H
#define DRAGOMAN_BIND_UNUSED_H

#include "binder.h"

/* When all is bound, of all but packed models. Tensors that no layer uses become model->warning, which
 * names the first one; those of layers beyond the number that the configuration gives are
 * refused. Not so copies of tied tables, tables of positions that are computed, and
 * tensors that are no numbers to compute with.
 *
 * With a name map, tied tables must be equal wherever they are stored, and any tensor
 * without a place that "ignore_tensors" does not list is refused: a setting must be wrong. */
MUST_USE Status bind_unused_check(Binder *b);

#endif
