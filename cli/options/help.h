/* help.h - the texts of --help and of `dragoman help`, and the man page. */
#ifndef DRAGOMAN_HELP_H
#define DRAGOMAN_HELP_H

#include <stddef.h>

#include "buf.h"
#include "command_table.h"
#include "err.h"

/* A topic of `dragoman help TOPIC`. */
typedef struct {
    const char *name;
    const char *purpose; /* a few words for the list of topics */
    const char *text;    /* at most 80 columns; lines that begin with two spaces are verbatim in the man page as well */
} TopicRow;

/* What `dragoman help` explains: a topic, or a command if `topic` is NULL. */
typedef struct {
    const TopicRow *topic;
    Command command;
} HelpSubject;

/* Finds the subject that the operands of `dragoman help` name, in full or by a unique beginning; several words are
 * joined by hyphens, as in "exit codes". No words at all name the program. ERR_USAGE: there is no such subject; the
 * message suggests the nearest one. */
MUST_USE Status help_find(HelpSubject *out, char *const *words, size_t count, Err *err);

/* Appends the names of all subjects, separated by `separator`. */
void help_put_subjects(Buf *out, const char *separator);

/* Appends what the command prints with --help: usage, purpose and its own options, at most 80 columns wide. */
MUST_USE Status help_append(Buf *out, Command command, Err *err);

/* Appends the man page, dragoman.1, as roff. */
MUST_USE Status help_append_man_page(Buf *out, Err *err);

#endif
