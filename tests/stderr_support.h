/* stderr_support.h - collects what a test writes to stderr in a file. */
#ifndef DRAGOMAN_STDERR_SUPPORT_H
#define DRAGOMAN_STDERR_SUPPORT_H

#include "test_support.h"

#include <fcntl.h>

/* Redirects stderr to a new file in `folder` and returns a copy of the old descriptor. */
static inline int support_redirect_stderr(const char *folder)
{
    char *path = support_path(folder, "stderr");
    int old = dup(STDERR_FILENO), fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600);

    assert_true(old >= 0 && fd >= 0);
    assert_int_equal(dup2(fd, STDERR_FILENO), STDERR_FILENO);
    close(fd);
    free(path);
    return old;
}

/* Restores stderr and returns what was written. The caller frees it. */
static inline char *support_restore_stderr(const char *folder, int old)
{
    char *path = support_path(folder, "stderr"), *text;

    assert_int_equal(dup2(old, STDERR_FILENO), STDERR_FILENO);
    close(old);
    text = support_read_file(path, NULL);
    free(path);
    return text;
}

#endif
