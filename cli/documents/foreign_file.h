/* foreign_file.h - finds files whose lines are not sentences: archives, pictures, source code, data. */
#ifndef DRAGOMAN_FOREIGN_FILE_H
#define DRAGOMAN_FOREIGN_FILE_H

#include "binary_file.h"
#include "document_formats.h"
#include "err.h"
#include "option_table.h"

/* Looks at the first bytes of a regular file that is about to be read in this format (NULL: as lines), or of standard
 * input ("-"). With an option that chooses how it is read, such as --as, and for standard input, only binary files are
 * foreign, and only as lines. */
ForeignKind foreign_file_by_content(const Options *options, const char *path, const DocumentFormat *format);

/* Looks for the ending of source code or other text for machines. Used for the files of batches only: a file that the
 * user names alone is meant to be translated. */
ForeignKind foreign_file_by_name(const Options *options, const char *path, const DocumentFormat *format);

/* Returns ERR_FORMAT if foreign_file_by_content() finds that a file to read as lines is foreign. */
MUST_USE Status foreign_file_check(const Options *options, const char *path, const DocumentFormat *format, Err *err);

#endif
