/* option_parts.h - the parts of options_parse(): values, refusals and checks. They write the messages for the user. */
#ifndef DRAGOMAN_OPTION_PARTS_H
#define DRAGOMAN_OPTION_PARTS_H

#include "err.h"
#include "option_table.h"

/* getopt_long() returns this + the index of the row for a long option, and the letter for a short one. */
#define OPTION_FIRST_CODE 256

/* Sets the field of the option to its value; `text` is NULL for a flag. ERR_USAGE: the value is wrong.
 * (option_values.c) */
MUST_USE Status option_set(Options *out, const OptionRow *row, const char *text, Err *err);

/* Returns ERR_USAGE for an option that getopt_long() did not accept. `code` is what it returned, `option` is optopt,
 * and `word` is the argument at which it stopped. (option_refusal.c) */
MUST_USE Status option_refuse(Command command, int code, int option, const char *word, Err *err);

/* Checks the operands, and the options together. (option_checks.c) */
MUST_USE Status option_check_all(Options *options, Err *err);

/* A part of option_check_all(): the options that choose translations, and those of columns. (choice_checks.c) */
MUST_USE Status option_check_choices(const Options *options, Err *err);

#endif
