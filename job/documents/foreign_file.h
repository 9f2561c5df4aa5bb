/* foreign_file.h - finds files whose lines are not sentences: archives, pictures, markup, source code, data. */
#ifndef DRAGOMAN_FOREIGN_FILE_H
#define DRAGOMAN_FOREIGN_FILE_H

#include "binary_file.h"
#include "document_formats.h"
#include "err.h"
#include "job_settings.h"

/* Looks at the name and the first bytes of a regular file that is about to be read in this format (NULL: as lines), or
 * at the first bytes of standard input ("-"). With a setting that chooses how it is read, such as --as, and for
 * standard input, only binary files are foreign, and only as lines. */
ForeignKind foreign_file_find(const JobSettings *settings, const char *path, const DocumentFormat *format);

/* Returns ERR_FORMAT if foreign_file_find() finds that a file to read as lines is foreign. */
MUST_USE Status foreign_file_check(const JobSettings *settings, const char *path, const DocumentFormat *format,
                                   Err *err);

#endif
