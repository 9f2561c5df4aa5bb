/* overwrite.h - no command writes to a file that it reads.
 * Files are compared by device and inode, so that neither a link nor another spelling of the name hides one. */
#ifndef DRAGOMAN_OVERWRITE_H
#define DRAGOMAN_OVERWRITE_H

#include "err.h"
#include "library.h"
#include "options.h"
#include "output_target.h"

/* ERR_USAGE when `target` is an input file or belongs to one of the models, which are at `paths`. */
MUST_USE Status overwrite_check(const OutputTarget *target, const Options *options, const LibraryModels *models,
                                const ModelPaths *paths, Err *err);

#endif
