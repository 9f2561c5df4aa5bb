/* completion.h - the completion scripts, made from the tables of commands and options. What can only be known while the
 * user types comes from `dragoman complete models` and `dragoman complete languages [-m PATH]...`, which print one
 * value per line, with a tab and a description if there is one. */
#ifndef DRAGOMAN_COMPLETION_H
#define DRAGOMAN_COMPLETION_H

#include "buf.h"
#include "err.h"

/* Appends the script for a shell of shell_names[]. */
MUST_USE Status completion_append(Buf *out, const char *shell, Err *err);

#endif
