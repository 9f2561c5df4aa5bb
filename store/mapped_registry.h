/* mapped_registry.h - finds the mapped file that contains an address. If a mapped file is truncated, reading the
 * missing pages raises SIGBUS; with this registry, a signal handler can name the file. Any thread may call these
 * functions. */
#ifndef DRAGOMAN_MAPPED_REGISTRY_H
#define DRAGOMAN_MAPPED_REGISTRY_H

#include <stddef.h>

#include "err.h"

/* Records that bytes[0, size) are those of the file at `path`, which is copied. */
MUST_USE Status mapped_registry_add(const void *bytes, size_t size, const char *path, Err *err);

/* Does nothing if no file was recorded at `bytes`. Call it before the file is unmapped. */
void mapped_registry_remove(const void *bytes);

/* Returns the path of the file that contains `address`, or NULL. The path is valid until the file is removed. A signal
 * handler may call this function. */
const char *mapped_registry_find(const void *address);

#endif
