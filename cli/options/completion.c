/* completion.c - see completion.h: what the scripts have in common. */
#include "completion.h"

#include <string.h>

#include "document_choice.h"
#include "help.h"

/* Descriptions stand in a column beside the options. */
#define DESCRIPTION_COLUMNS ((size_t)78)

/* The formats of documents are not in the table of options. */
static bool is_format(const OptionRow *row)
{
    return row->argument && strcmp(row->argument, "FORMAT") == 0;
}

ValueKind completion_value(const OptionRow *row)
{
    if (!row->argument) return VALUE_NONE;
    if (row->choices || is_format(row)) return VALUE_CHOICE;
    if (strcmp(row->argument, "PATH") == 0) return VALUE_MODEL;
    if (strcmp(row->argument, "LANG") == 0) return VALUE_LANGUAGE;
    if (strcmp(row->argument, "FILE") == 0 || strcmp(row->argument, "FILES") == 0) return VALUE_FILE;
    return strcmp(row->argument, "DIR") == 0 ? VALUE_FOLDER : VALUE_ANY;
}

/* The length of the first sentence, or of its beginning up to a punctuation mark if the sentence is long. */
static size_t description_length(const char *help)
{
    const char *full_stop = strstr(help, ". ");
    const size_t len = full_stop ? (size_t)(full_stop - help) : strlen(help);

    if (len <= DESCRIPTION_COLUMNS) return len;
    for (size_t i = DESCRIPTION_COLUMNS; i > 0; i--)
        if (strchr(":;,", help[i]) && help[i + 1] == ' ') return i;
    return len;
}

Status completion_append_description(Buf *out, const char *help, const char *special, Err *err)
{
    const char *end = help + description_length(help);
    Status st = OK;

    for (; st == OK && help < end; help++) {
        if (strchr(special, *help)) st = buf_append(out, "\\", 1, err);
        if (st == OK) st = buf_append(out, help, 1, err);
    }
    return st;
}

Status completion_append_choices(Buf *out, const OptionRow *row, Err *err)
{
    Status st = OK;

    if (is_format(row)) return document_choice_append_names(out, " ", err);
    for (size_t i = 0; st == OK && row->choices[i]; i++)
        st = buf_append_format(out, err, "%s%s", i ? " " : "", row->choices[i]);
    return st;
}

Status completion_append_words(Buf *out, Command command, Err *err)
{
    const OperandKind operands = command_table[command].operands;
    Status st = OK;

    if (operands == OPERANDS_SUBJECTS) return help_append_subjects(out, " ", err);
    for (size_t i = 0; st == OK && operands == OPERANDS_SHELLS && shell_names[i]; i++)
        st = buf_append_format(out, err, "%s%s", i ? " " : "", shell_names[i]);
    return st;
}

/* In the order of shell_names[]. */
static Status (*const scripts[])(Buf *, Err *) = { completion_bash_append, completion_zsh_append,
                                                   completion_fish_append };

Status completion_append(Buf *out, const char *shell, Err *err)
{
    return scripts[word_index(shell_names, shell)](out, err);
}
