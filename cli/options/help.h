/* help.h - --help, `dragoman help`, the man page and the completion scripts, which are made from the tables of commands
 * and options and from the files in cli/options/texts. */
#ifndef DRAGOMAN_HELP_H
#define DRAGOMAN_HELP_H

#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "options.h"

/* Appends the help of a command: its usage, purpose and options. It is written for `columns` columns and leaves the
 * last one empty; examples may be wider. */
MUST_USE Status help_append(Buf *out, Command command, size_t columns, Err *err);

/* Appends the most important options and some examples, for a screen of 80 columns and 24 lines. */
MUST_USE Status help_append_brief(Buf *out, Err *err);

/* Appends the output of `dragoman help WORDS`: a topic, or the help of a command. The words, joined by hyphens as in
 * "exit codes", are its name or a unique beginning of it. Without words, it is the help of the program. If `out` is
 * NULL, only checks the words. Returns ERR_USAGE if there is no such subject; the message suggests the nearest one.
 * `columns` is for the help of commands; topics have 80 columns. */
MUST_USE Status help_append_subject(Buf *out, char *const *words, size_t count, size_t columns, Err *err);

/* Appends the man page of a program as roff: dragoman-server.1 for COMMAND_SERVER, dragoman.1 otherwise. */
MUST_USE Status help_append_man_page(Buf *out, Command command, Err *err);

/* Appends the completion script for a shell. To complete models and languages, the script runs `dragoman complete
 * models` and `dragoman complete languages [-m PATH]...`, which print one value per line, some with a tab and a
 * description. If `out` is NULL, only checks the name. Returns ERR_USAGE if there is no script for the shell. */
MUST_USE Status help_append_completion(Buf *out, const char *shell, Err *err);

#endif
