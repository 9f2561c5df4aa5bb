/* write_all.h - writing to a descriptor until all bytes are written. */
#ifndef DRAGOMAN_WRITE_ALL_H
#define DRAGOMAN_WRITE_ALL_H

#include <stddef.h>

/* Writes all bytes to a blocking descriptor. Returns 0 or errno; the first bytes may have been written even if it
 * fails. */
int write_all(int fd, const void *bytes, size_t count);

#endif
