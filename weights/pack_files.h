/* pack_files.h - the files of a model's folder that a packed model contains: configuration,
 * vocabularies, SentencePiece models. */
#ifndef DRAGOMAN_PACK_FILES_H
#define DRAGOMAN_PACK_FILES_H

#include <stddef.h>

#include "err.h"
#include "model_folder.h"

/* Starts as {0}; free it with pack_files_free(). */
typedef struct {
    char **names; /* sorted bytewise */
    size_t count, cap;
} PackFiles;

/* Lists all regular files of the folder (and links to such) except weights of any format, hidden files
 * and documents. ERR_UNSUPPORTED: a file is too large to be a vocabulary. */
MUST_USE Status pack_files_list(PackFiles *out, ModelFolder *folder, Err *err);
/* Appends a name. */
MUST_USE Status pack_files_add(PackFiles *out, const char *folder, const char *name, Err *err);
/* Inserts a name in order unless it is in the list. */
MUST_USE Status pack_files_require(PackFiles *files, const char *folder, const char *name, Err *err);
void pack_files_free(PackFiles *files);

#endif
