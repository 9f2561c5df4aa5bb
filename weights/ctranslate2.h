/* ctranslate2.h - the weights of a CTranslate2 folder (ct2_file.h). */
#ifndef DRAGOMAN_CTRANSLATE2_H
#define DRAGOMAN_CTRANSLATE2_H

#include "collection.h"
#include "err.h"

/* Maps a model.bin and adds its variables under their own names, aliases, too.
 * Matrices of integers get the scales that stand beside them. */
MUST_USE Status ctranslate2_open(Collection *all, const char *path, Err *err);

/* The same for bytes in memory, which must outlive the collection. */
MUST_USE Status ctranslate2_read(Collection *all, const FileView *file, Err *err);

#endif
