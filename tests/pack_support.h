/* pack_support.h - packed models for tests. */
#ifndef DRAGOMAN_PACK_SUPPORT_H
#define DRAGOMAN_PACK_SUPPORT_H

#include "test_support.h"

#include <fcntl.h>

#include "model_support.h"
#include "pack.h"

/* Writes a packed model to folder/name and returns its path. The caller frees it. */
static inline char *pack_support_make(const char *model, Precision type, const char *folder, const char *name)
{
    char *path = support_path(folder, name);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    Err err;

    assert_true(fd >= 0);
    assert_ok(pack_model(model, type, fd, path, &err), &err);
    assert_int_equal(close(fd), 0);
    return path;
}

#endif
