/* document_choice.h - which files are documents, and with which options they are read. */
#ifndef DRAGOMAN_DOCUMENT_CHOICE_H
#define DRAGOMAN_DOCUMENT_CHOICE_H

#include "buf.h"
#include "document.h"
#include "document_formats.h"
#include "err.h"
#include "option_table.h"

/* The name for --as of files that are not documents. */
#define AS_LINES "lines"

/* Whether the options (--as lines, --tsv-in or --force-decode) say that all files are read as lines. */
bool document_choice_is_lines(const Options *options);

/* The format of a file ("-": standard input): that of --as, else the one for the ending of its name; for lines in
 * another encoding than UTF-8, document_lines. NULL: the file is read as lines. */
const DocumentFormat *document_choice_of(const Options *options, const char *path);

/* Whether the options ask for --identity or --pseudo, which need no model. */
bool document_choice_is_without_model(const Options *options);

/* The name of an input file for users. */
const char *document_choice_file(const char *path);

/* The name of the format for users; AS_LINES for NULL. */
const char *document_choice_name(const DocumentFormat *format);

/* Appends what --as accepts. */
void document_choice_put_names(Buf *out, const char *separator);

/* Returns ERR_USAGE if the file cannot be read in this format (NULL: as lines) with these options. */
MUST_USE Status document_choice_check(const Options *options, const char *path, const DocumentFormat *format, Err *err);

/* The options for the formats, without the language of the translation. `options` must stay valid as long as the
 * result. */
DocumentOptions document_choice_options(const Options *options);

#endif
