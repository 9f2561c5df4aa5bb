/* document_choice.h - chooses the format and the options with which a file is read. Also recognizes foreign files,
 * whose lines are not sentences, by their names and first bytes: office documents, pictures, compressed data, text in
 * UTF-16, markup, source code, data. Text with a few invalid or NUL bytes still counts as text. */
#ifndef DRAGOMAN_DOCUMENT_CHOICE_H
#define DRAGOMAN_DOCUMENT_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "document.h"
#include "document_formats.h"
#include "dragoman_job.h"
#include "err.h"
#include "option_fields.h"
#include "reporter.h"

/* Returns the format of a file ("-": standard input): the one that --as names or, without --as, the one for the ending
 * of the file name. Returns document_lines for lines in another encoding than UTF-8, and NULL for lines in UTF-8.
 * `bytes` is the content of a file in memory; if it is NULL, the first bytes of the file are read. */
const DocumentFormat *document_choice_of(const DragomanOptions *settings, const char *path, const char *bytes,
                                         size_t size);

/* Describes a format for dragoman_job.h. NULL means lines. */
DragomanFormat document_choice_describe(const DocumentFormat *format);

/* Does what dragoman_format_check_options() does. If the file is one of several, settings that may apply to other files
 * are not refused. */
MUST_USE Status document_choice_check(const DragomanOptions *settings, const char *name, DragomanFormat format,
                                      bool is_one_of_several, Err *err);

/* Does what dragoman_format_check_target() does. `format` is that of the source. */
MUST_USE Status document_choice_check_target(const DragomanOptions *settings, const char *source,
                                             const DocumentFormat *format, const char *target, Err *err);

/* A file of a batch. */
typedef struct {
    const char *name;
    DragomanFormat format;
} NamedFormat;

/* Checks the files of a batch together, files[count]. A setting that only some formats have must apply to one of the
 * files; the formats of the others are reported. `reporter` may be NULL. */
MUST_USE Status document_choice_check_all(const DragomanOptions *settings, const NamedFormat *files, size_t count,
                                          const Reporter *reporter, Err *err);

/* Returns the options for reading documents of a format, without the languages and without the settings that do not
 * apply to this format. `settings` must stay valid as long as the result. */
DocumentOptions document_choice_options(const DragomanOptions *settings, const DocumentFormat *format);

/* How many bytes at the beginning of a file are examined to recognize its kind. Most kinds need fewer bytes. */
#define FILE_HEAD_BYTES ((size_t)8192)

/* What a foreign file is, such as "a zip archive", and advice for the user or NULL. `what` is NULL if the file may be
 * text or is unreadable. */
typedef struct {
    const char *what, *advice;
} ForeignKind;

/* Appends the advice. Its commands contain the path; NULL or "-": FILE. */
void foreign_kind_put_advice(Buf *out, ForeignKind kind, const char *path);

/* Returns ERR_FORMAT: a file of this kind is not of the format (NULL: not lines of text). The message has the advice,
 * but does not begin with the name of the file. */
MUST_USE Status foreign_kind_refuse(ForeignKind kind, const char *path, const DocumentFormat *format, Err *err);

/* Recognizes a binary file by its first bytes. `is_wide`: it is read as UTF-16 or UTF-32, which have NUL bytes. */
ForeignKind binary_file_kind(const char *head, size_t size, bool is_wide);

/* The same kind for lines with columns, which are read as UTF-8 only: the advice does not name another encoding. */
ForeignKind foreign_kind_of_columns(ForeignKind kind);

/* Recognizes text for machines, such as HTML, by its first bytes. */
ForeignKind structured_text_kind(const char *head, size_t size);

/* Reads the first bytes of a regular file. The path may be "-" if standard input is a regular file; its offset does not
 * change. Returns the number of bytes; 0 if the file is not regular or cannot be read. */
size_t binary_file_head(const char *path, char head[FILE_HEAD_BYTES]);

/* Finds out from the name and the first bytes of a regular file, or from the first bytes of standard input ("-"),
 * whether it is foreign to the format in which it is about to be read (NULL: lines). For standard input, or if a
 * setting such as --as chooses the format, only binary files that are read as lines are foreign. */
ForeignKind foreign_file_find(const DragomanOptions *settings, const char *path, const DocumentFormat *format);

/* Returns ERR_FORMAT if the file is read as lines and foreign_file_find() says that it is foreign. */
MUST_USE Status foreign_file_check(const DragomanOptions *settings, const char *path, const DocumentFormat *format,
                                   Err *err);

#endif
