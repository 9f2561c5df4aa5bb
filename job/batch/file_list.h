/* file_list.h - the files of a batch: those on the command line and those in its folders. */
#ifndef DRAGOMAN_FILE_LIST_H
#define DRAGOMAN_FILE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#include "document_formats.h"
#include "err.h"

typedef struct {
    char *source;    /* path, owned */
    size_t relative; /* offset in `source` of the path below the folder that was named; of the name, if `named` */
    bool named;      /* on the command line, not in a folder */
    dev_t device;
    ino_t inode;
    mode_t mode;
    off_t size;
    struct timespec modified;
    char *target;       /* path of its translation, owned; NULL until batch_plan.c sets it */
    bool target_exists; /* as a regular file, which the next two fields identify */
    dev_t target_device;
    ino_t target_inode;
    bool up_to_date;              /* with --resume: the target exists and is not older */
    const DocumentFormat *format; /* NULL: it is read as lines; batch_plan.c sets it */
    const char *other;            /* why it is not translated; NULL: nothing is known before it is read */
} BatchFile;

typedef struct {
    BatchFile *items;
    size_t count, capacity;
} FileList;

/* Adds a file that stat() has described by `info`. Takes ownership of `source`, also on failure. */
MUST_USE Status file_list_add(FileList *list, char *source, size_t relative, bool named, const struct stat *info,
                              Err *err);

void file_list_free(FileList *list);

#endif
