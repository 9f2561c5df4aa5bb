/* options.h - parses and checks the command line. The tables in option_table.c describe commands and options. */
#ifndef DRAGOMAN_OPTIONS_H
#define DRAGOMAN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "dragoman_job.h"
#include "err.h"
#include "option_table.h"

/* Parses argv and checks everything that can be checked without a model. Returns ERR_USAGE on failure. Parsing stops at
 * --help, --version and --help-man. *out points into argv, which may be reordered. Always free *out with
 * options_free(). */
MUST_USE Status options_parse(Options *out, int argc, char **argv, Err *err);

/* Sets the field of the option to its value; `text` is NULL for a flag. ERR_USAGE: the value is wrong. */
MUST_USE Status options_set(Options *out, const OptionRow *row, const char *text, Err *err);

/* True for the commands whose operands are files of lines; without operands they read standard input. */
bool options_read_lines(const Options *options);

/* Whether the language of each line is detected (--from auto). */
bool options_detect(const Options *options);

/* Whether the options ask for --identity or --pseudo, which need no model. */
bool options_need_no_model(const Options *options);

/* Returns ERR_USAGE if the file cannot be read in this format with these options. */
MUST_USE Status options_check_format(const Options *options, const char *path, DragomanFormat format, Err *err);

/* Frees what options_parse() has allocated. */
void options_free(Options *options);

#endif
