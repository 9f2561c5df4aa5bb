/* model_fault.h - explains why a path is not a model and what to give instead. */
#ifndef DRAGOMAN_MODEL_FAULT_H
#define DRAGOMAN_MODEL_FAULT_H

#include "err.h"

/* ERR_IO: the path does not exist; it may be the public name of a model. */
Status model_fault_of_missing(const char *path, Err *err);

/* The path is a file that is not a model by itself. ERR_FORMAT, or ERR_IO if it cannot be read. */
Status model_fault_of_file(const char *path, Err *err);

/* The path is a folder that lacks files of a model. ERR_IO, or ERR_FORMAT if one of its files explains the error. */
Status model_fault_of_folder(const char *folder, Err *err);

#endif
