/* pack_files.h - the files of a model's folder that a packed model holds:
 * configuration, vocabularies, SentencePiece models. */
#ifndef DRAGOMAN_PACK_FILES_H
#define DRAGOMAN_PACK_FILES_H

#include <stddef.h>

#include "err.h"
#include "model_folder.h"

/* Starts as {0}, ends with pack_files_free(). */
typedef struct {
    char **names; /* sorted by their bytes */
    size_t count, cap;
} PackFiles;

/* All regular files of the folder (or links to such) but weights of any format,
 * hidden files and documents. One that is too large to be a vocabulary is
 * ERR_UNSUPPORTED. */
MUST_USE Status pack_files_list(PackFiles *out, ModelFolder *folder, Err *err);
/* One more, behind them. */
MUST_USE Status pack_files_add(PackFiles *out, const char *folder, const char *name, Err *err);
/* One more, in its place, unless it is there. */
MUST_USE Status pack_files_require(PackFiles *files, const char *folder, const char *name, Err *err);
void pack_files_free(PackFiles *files);

#endif
