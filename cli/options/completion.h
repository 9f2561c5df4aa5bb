/* completion.h - the completion scripts, made from the tables of commands and options. What can only be known while the
 * user types comes from `dragoman complete models` and `dragoman complete languages [-m PATH]...`, which print one
 * value per line, with a tab and a description if there is one. */
#ifndef DRAGOMAN_COMPLETION_H
#define DRAGOMAN_COMPLETION_H

#include "buf.h"
#include "command_table.h"
#include "err.h"

/* Appends the script for a shell of shell_names[]. */
MUST_USE Status completion_append(Buf *out, const char *shell, Err *err);

/* The values of an option. */
typedef enum { VALUE_NONE, VALUE_ANY, VALUE_CHOICE, VALUE_MODEL, VALUE_LANGUAGE, VALUE_FILE, VALUE_FOLDER } ValueKind;
ValueKind completion_value(const OptionRow *row);

/* Appends the beginning of the option's help as its description, one line without the characters in `special`, each
 * of which gets a backslash. */
MUST_USE Status completion_append_description(Buf *out, const char *help, const char *special, Err *err);

/* Appends the choices of the option, separated by spaces. */
MUST_USE Status completion_append_choices(Buf *out, const OptionRow *row, Err *err);

/* Appends the words that a command accepts as operands, separated by spaces; nothing for files. */
MUST_USE Status completion_append_words(Buf *out, Command command, Err *err);

/* The script of each shell. (completion_bash.c, completion_zsh.c, completion_fish.c) */
MUST_USE Status completion_bash_append(Buf *out, Err *err);
MUST_USE Status completion_zsh_append(Buf *out, Err *err);
MUST_USE Status completion_fish_append(Buf *out, Err *err);

#endif
