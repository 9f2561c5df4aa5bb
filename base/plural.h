/* plural.h - numbers in messages. */
#ifndef DRAGOMAN_PLURAL_H
#define DRAGOMAN_PLURAL_H

#include <stddef.h>

/* What follows a noun after a number: "%zu line%s", count, plural(count). */
static inline const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

#endif
