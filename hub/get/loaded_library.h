/* loaded_library.h - shared libraries that only 'dragoman get' needs. They are loaded when the command starts, so that
 * nothing else of the program gets slower. */
#ifndef DRAGOMAN_LOADED_LIBRARY_H
#define DRAGOMAN_LOADED_LIBRARY_H

#include <stddef.h>

#include "err.h"

/* A function and where its address belongs: a pointer of any function type. */
typedef struct {
    const char *name;
    void *function;
} LoadedFunction;

/* Loads the library `name`, which stays open until the process ends, and finds its functions. ERR_UNSUPPORTED: the
 * library or a function is missing; the message says what to install. */
MUST_USE Status loaded_library_open(const char *name, const char *purpose, const LoadedFunction *functions,
                                    size_t count, Err *err);

#endif
