/* options.h - the command line.
 * The table in option_table.c says everything about an option: parsing, help
 * and man page come from its row. */
#ifndef DRAGOMAN_OPTIONS_H
#define DRAGOMAN_OPTIONS_H

#include <stddef.h>

#include "err.h"
#include "option_table.h"

/* Parses argv and checks what can be known without a model. Not OK:
 * ERR_USAGE. --help, --version and --help-man end the parsing where they
 * stand. *out points into argv, whose order may change. */
MUST_USE Status options_parse(Options *out, int argc, char **argv, Err *err);

/* How many models there are: 1 when none was named. */
size_t options_model_count(const Options *options);

#endif
