/* cores.h - how many cores this process may run on. */
#ifndef DRAGOMAN_CORES_H
#define DRAGOMAN_CORES_H

#include <stddef.h>

/* At least 1. */
size_t cores_available(void);

#endif
