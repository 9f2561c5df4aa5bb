/* path_fault.h - why the system refuses a path, in words that say which part of it is to blame. */
#ifndef DRAGOMAN_PATH_FAULT_H
#define DRAGOMAN_PATH_FAULT_H

#include "err.h"

/* ERR_IO for a path that the system refused with the errno `fault`: names the folder that denies access, and
 * links that lead nowhere or to each other. */
Status path_fault_report(const char *path, int fault, Err *err);

/* The same where the path cannot be reached, or is a folder that cannot be read; else OK. */
MUST_USE Status path_fault_check(const char *path, Err *err);

#endif
