/* hub_folder.h - the folder of a model in the cache of Hugging Face's programs:
 *     models--ORG--NAME/refs/main           the name of a snapshot
 *     models--ORG--NAME/snapshots/COMMIT/   the model's folder */
#ifndef DRAGOMAN_HUB_FOLDER_H
#define DRAGOMAN_HUB_FOLDER_H

#include "err.h"

/* The snapshot of such a folder, allocated: free(): the one that refs/main names, else the only one. NULL: `folder` is
 * of another kind. ERR_IO: it has no snapshot; ERR_USAGE lists them where there are several. */
MUST_USE Status hub_folder_find(char **out, const char *folder, Err *err);

#endif
