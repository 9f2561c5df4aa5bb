/* write_all.c - see write_all.h. */
#include "write_all.h"

#include <errno.h>
#include <unistd.h>

int write_all(int fd, const char *bytes, size_t count)
{
    while (count) {
        ssize_t n = write(fd, bytes, count);

        if (n == 0) return ENOSPC;
        if (n < 0 && errno != EINTR) return errno;
        if (n > 0) bytes += n, count -= (size_t)n;
    }
    return 0;
}
