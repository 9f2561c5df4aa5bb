/* gunzip.h - what gzip has compressed, in memory. */
#ifndef DRAGOMAN_GUNZIP_H
#define DRAGOMAN_GUNZIP_H

#include "err.h"
#include "mapped_file.h"

/* Where `path` ends in .gz and the mapped file begins as gzip's do, *file becomes
 * what is in it. One that is broken, cut off, of several parts or of more than
 * 16 MB and twenty times its size is ERR_FORMAT. */
MUST_USE Status gunzip_file(MappedFile *file, const char *path, Err *err);

#endif
