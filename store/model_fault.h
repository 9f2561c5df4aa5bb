/* model_fault.h - why a path is not a model, and what to give instead. */
#ifndef DRAGOMAN_MODEL_FAULT_H
#define DRAGOMAN_MODEL_FAULT_H

#include "err.h"

/* There is nothing at the path: perhaps it is the name of a model elsewhere. ERR_IO. */
Status model_fault_of_missing(const char *path, Err *err);

/* A file that is not a model by itself. ERR_FORMAT, or ERR_IO where it cannot be read. */
Status model_fault_of_file(const char *path, Err *err);

/* A folder without the files that make it a model's. ERR_IO, ERR_FORMAT where one of its files says what is wrong. */
Status model_fault_of_folder(const char *folder, Err *err);

#endif
