/* foreign_file.h - files that would be read as lines, although their lines are not sentences: archives, pictures,
 * source code, data. */
#ifndef DRAGOMAN_FOREIGN_FILE_H
#define DRAGOMAN_FOREIGN_FILE_H

#include "document_formats.h"
#include "err.h"
#include "option_table.h"

/* What a file is, such as "a zip archive"; NULL: nothing speaks against its lines, or it cannot be read. */
typedef struct {
    const char *what, *advice;
} ForeignKind;

/* Looks at the first bytes of a regular file that is about to be read in this format (NULL: as lines). An option that
 * chooses lines, such as --as, stands for all text. */
ForeignKind foreign_file_by_content(const Options *options, const char *path, const DocumentFormat *format);

/* Looks at the ending of the name: source code and other text for machines. For the files of batches; a file that is
 * named alone may be meant. */
ForeignKind foreign_file_by_name(const Options *options, const char *path, const DocumentFormat *format);

/* Returns ERR_FORMAT if the content of a file that is read as lines is foreign. */
MUST_USE Status foreign_file_check(const Options *options, const char *path, Err *err);

#endif
