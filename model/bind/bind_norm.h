/* bind_norm.h - norms, and what else stands around a sublayer. */
#ifndef DRAGOMAN_BIND_NORM_H
#define DRAGOMAN_BIND_NORM_H

#include "binder.h"

/* A name of NULL: the model has no such norm. */
MUST_USE Status bind_norm(Binder *b, Norm *out, const char *name);

/* Names of a norm in front, the one behind (NULL: the same name), and a highway,
 * which a packed model calls `packed`. */
typedef struct {
    const char *norm, *after, *highway, *packed;
} AroundNames;

/* What the letters of `after` ask for, and a norm in front if `before`. */
MUST_USE Status bind_norms(Binder *b, SublayerNorms *out, bool before, const char *after, AroundNames names);

#endif
