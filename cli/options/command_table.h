/* command_table.h - a table with one row per command. The help, the man page and the completion scripts are made from
 * it; option_checks.c checks the operands, and program.c runs the command. */
#ifndef DRAGOMAN_COMMAND_TABLE_H
#define DRAGOMAN_COMMAND_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "option_table.h"

/* What the operands of a command are, for the completion scripts. */
typedef enum { OPERANDS_NONE, OPERANDS_FILES, OPERANDS_SUBJECTS, OPERANDS_SHELLS } OperandKind;

typedef struct {
    const char *name;     /* "" for translating */
    const char *purpose;  /* a few words for the list of commands; NULL: the command is hidden */
    const char *usage;    /* one line per form */
    const char *about;    /* paragraphs of one line each */
    const char *examples; /* one line each; NULL: none */
    OperandKind operands;
    bool opens_models;
} CommandRow;

/* Indexed by Command. */
extern const CommandRow command_table[COMMANDS];

/* The shells that have a completion script; ends with NULL. */
extern const char *const shell_names[];

/* Whether help and completion show the command; false for COMMAND_TRANSLATE, too. */
bool command_is_shown(Command command);

/* Appends the names of the commands that are shown. */
void command_put_names(Buf *out, const char *separator);

/* The command of that name; COMMAND_TRANSLATE if there is none. */
Command command_find(const char *word);

/* The index of the word in a list that ends with NULL; the length of the list if it does not contain the word. */
size_t word_index(const char *const *list, const char *word);

#endif
