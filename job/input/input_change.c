/* input_change.c - see input_change.h. */
#include "input_change.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

bool input_is_changed(const struct stat *before, const struct stat *now)
{
    return now->st_size != before->st_size || now->st_mtim.tv_sec != before->st_mtim.tv_sec ||
           now->st_mtim.tv_nsec != before->st_mtim.tv_nsec;
}

const char *input_change(const struct stat *before, int fd)
{
    struct stat now;

    if (fstat(fd, &now) != 0) return strerror(errno);
    return input_is_changed(before, &now) ? INPUT_CHANGED : NULL;
}
