/* help.h - --help, `dragoman help`, the man page and the completion scripts, which are made from the tables of commands
 * and options and from the files in cli/options/texts. */
#ifndef DRAGOMAN_HELP_H
#define DRAGOMAN_HELP_H

#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "options.h"

/* Appends the help of a command: its usage, purpose and options, at most 80 columns wide. */
MUST_USE Status help_append(Buf *out, Command command, Err *err);

/* Appends what `dragoman help` explains: the topic, or the help of the command, that its operands name, in full or by a
 * unique beginning; several words are joined by hyphens, as in "exit codes". No words at all name the program. If `out`
 * is NULL, only checks the words. ERR_USAGE: there is no such subject; the message suggests the nearest one. */
MUST_USE Status help_append_subject(Buf *out, char *const *words, size_t count, Err *err);

/* Appends the man page, dragoman.1, as roff. */
MUST_USE Status help_append_man_page(Buf *out, Err *err);

/* Appends the completion script for a shell. Values that are only known while the user types come from `dragoman
 * complete models` and `dragoman complete languages [-m PATH]...`, which print one value per line, with a tab and a
 * description if there is one. If `out` is NULL, only checks the name. ERR_USAGE: there is no script for the shell. */
MUST_USE Status help_append_completion(Buf *out, const char *shell, Err *err);

#endif
