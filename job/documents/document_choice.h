/* document_choice.h - which files are documents, and with which options they are read; and files whose lines are not
 * sentences, which are found by their names and first bytes: documents in archives, pictures, compressed data, text in
 * UTF-16, markup, source code, data. Text with a few invalid or NUL bytes still counts as text. */
#ifndef DRAGOMAN_DOCUMENT_CHOICE_H
#define DRAGOMAN_DOCUMENT_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "document.h"
#include "document_formats.h"
#include "dragoman_job.h"
#include "err.h"
#include "option_fields.h"

/* The format of a file ("-": standard input): that of --as, else the one for the ending of its name; for lines in
 * another encoding than UTF-8, document_lines. NULL: the file is read as lines. `bytes` are those of a file in memory;
 * NULL: they are read. */
const DocumentFormat *document_choice_of(const DragomanOptions *settings, const char *path, const char *bytes,
                                         size_t size);

/* What dragoman_job.h tells about a format. NULL: lines. */
DragomanFormat document_choice_describe(const DocumentFormat *format);

/* The options for the formats, without the language of the translation. `settings` must stay valid as long as the
 * result. */
DocumentOptions document_choice_options(const DragomanOptions *settings);

/* The first bytes of a file from which it is recognized. Fewer are enough for most kinds. */
#define FILE_HEAD_BYTES ((size_t)8192)

/* What a file is, such as "a zip archive", and what the user can do. NULL: it may be text, or it cannot be read. */
typedef struct {
    const char *what, *advice;
} ForeignKind;

/* `is_wide`: the file is read in UTF-16 or UTF-32, so its bytes may have all values. */
ForeignKind binary_file_kind(const char *head, size_t size, bool is_wide);

/* Reads the first bytes of a regular file, or of standard input ("-") if it is one, whose position stays. Returns their
 * number; 0 for other files, and for those that cannot be read. */
size_t binary_file_head(const char *path, char head[FILE_HEAD_BYTES]);

/* Looks at the name and the first bytes of a regular file that is about to be read in this format (NULL: as lines), or
 * at the first bytes of standard input ("-"). With a setting that chooses how it is read, such as --as, and for
 * standard input, only binary files are foreign, and only as lines. */
ForeignKind foreign_file_find(const DragomanOptions *settings, const char *path, const DocumentFormat *format);

/* Returns ERR_FORMAT if foreign_file_find() finds that a file to read as lines is foreign. */
MUST_USE Status foreign_file_check(const DragomanOptions *settings, const char *path, const DocumentFormat *format,
                                   Err *err);

#endif
