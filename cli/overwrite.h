/* overwrite.h - no command writes to a file that it reads.
 * Files are compared by device and inode, so that neither a link nor another spelling of the name hides one. */
#ifndef DRAGOMAN_OVERWRITE_H
#define DRAGOMAN_OVERWRITE_H

#include <stddef.h>

#include "dragoman.h"
#include "err.h"
#include "options.h"
#include "output_target.h"

/* ERR_USAGE when `target` is an input file or belongs to one of the `count` models that `settings` describe. */
MUST_USE Status overwrite_check(const OutputTarget *target, const Options *options, const DragomanOptions *settings,
                                size_t count, Err *err);

#endif
