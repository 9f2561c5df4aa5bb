/* folders.h - folders that downloads are written to. */
#ifndef DRAGOMAN_FOLDERS_H
#define DRAGOMAN_FOLDERS_H

#include <stdint.h>

#include "err.h"

/* Creates the folder and those that it is in. */
MUST_USE Status folders_create(const char *path, Err *err);
/* Creates the folders of a file. */
MUST_USE Status folders_create_for(const char *file, Err *err);

/* Returns ERR_IO if the file system of the folder, which exists, has less free space than `bytes`. */
MUST_USE Status folders_check_space(const char *folder, uint64_t bytes, Err *err);

/* Removes a folder with everything in it. Links are removed and not followed. Errors are ignored. */
void folders_remove(const char *path);

#endif
