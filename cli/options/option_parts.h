/* option_parts.h - the parts of options_parse(). They write the messages for the user. */
#ifndef DRAGOMAN_OPTION_PARTS_H
#define DRAGOMAN_OPTION_PARTS_H

#include "err.h"
#include "option_table.h"

/* Sets the field of the option to its value; `text` is NULL for a flag. ERR_USAGE: the value is wrong. */
MUST_USE Status option_set(Options *out, const OptionRow *row, const char *text, Err *err);

/* Checks the operands, and the options together. (option_checks.c) */
MUST_USE Status option_check_all(Options *options, Err *err);

#endif
