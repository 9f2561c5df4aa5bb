/* document_choice.h - which files are documents, and with which options they are read. */
#ifndef DRAGOMAN_DOCUMENT_CHOICE_H
#define DRAGOMAN_DOCUMENT_CHOICE_H

#include "document.h"
#include "document_formats.h"
#include "dragoman_job.h"
#include "err.h"
#include "option_fields.h"

/* Whether the settings (--as lines, --tsv-in or --force-decode) say that all files are read as lines. */
bool document_choice_is_lines(const DragomanOptions *settings);

/* The format of a file ("-": standard input): that of --as, else the one for the ending of its name; for lines in
 * another encoding than UTF-8, document_lines. NULL: the file is read as lines. */
const DocumentFormat *document_choice_of(const DragomanOptions *settings, const char *path);
/* The same for a file in memory. */
const DocumentFormat *document_choice_of_bytes(const DragomanOptions *settings, const char *path, const char *bytes,
                                               size_t size);

/* What dragoman_job.h tells about a format. NULL: lines. */
DragomanFormat document_choice_describe(const DocumentFormat *format);

/* The options for the formats, without the language of the translation. `settings` must stay valid as long as the
 * result. */
DocumentOptions document_choice_options(const DragomanOptions *settings);

#endif
