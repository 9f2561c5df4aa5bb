/* completion.c - see completion.h. The scripts are files in cli/options/texts; the parts of them that the tables
 * determine are made here. */
#include "completion.h"

#include <string.h>

#include "command_table.h"
#include "dragoman_job.h"
#include "filled_text.h"
#include "help.h"

extern const char completion_bash[], completion_zsh[], completion_fish[];

/* Descriptions stand in a column beside the options. */
#define DESCRIPTION_COLUMNS ((size_t)78)

/* --- What the scripts have in common. */

typedef enum { VALUE_NONE, VALUE_ANY, VALUE_CHOICE, VALUE_MODEL, VALUE_LANGUAGE, VALUE_FILE, VALUE_FOLDER } ValueKind;

/* The formats of documents are not in the table of options. */
static bool is_format(const OptionRow *row)
{
    return row->argument && strcmp(row->argument, "FORMAT") == 0;
}

static ValueKind value_of(const OptionRow *row)
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

/* Puts the beginning of a help, one line; each character in `special` gets a backslash. */
static void put_description(Buf *out, const char *help, const char *special)
{
    const char *end = help + description_length(help);

    for (; help < end; help++) {
        if (strchr(special, *help)) buf_put_byte(out, '\\');
        buf_put_byte(out, *help);
    }
}

/* Puts the choices of an option, separated by spaces. */
static void put_choices(Buf *out, const OptionRow *row)
{
    DragomanFormat format;

    for (size_t i = 0; is_format(row) && dragoman_format_row(i, &format); i++)
        buf_put_format(out, "%s%s", i ? " " : "", format.name);
    for (size_t i = 0; row->choices && row->choices[i]; i++) buf_put_format(out, "%s%s", i ? " " : "", row->choices[i]);
}

/* Puts the words that a command accepts as operands, separated by spaces; nothing for files. */
static void put_words(Buf *out, Command command)
{
    const OperandKind operands = command_table[command].operands;

    if (operands == OPERANDS_SUBJECTS) help_put_subjects(out, " ");
    for (size_t i = 0; operands == OPERANDS_SHELLS && shell_names[i]; i++)
        buf_put_format(out, "%s%s", i ? " " : "", shell_names[i]);
}

static bool is_completed(Command command)
{
    return command == COMMAND_TRANSLATE || command_is_shown(command);
}

/* --- bash. It needs nothing but bash 3.2 or later. File names are left to readline, which knows how to quote them. No
 * text from a file is expanded by the shell. */

/* Whether another option of the same name has other choices. */
static bool has_own_choices(const OptionRow *row)
{
    for (size_t i = 0; i < option_count; i++) {
        const OptionRow *other = &option_table[i];
        if (strcmp(other->name, row->name) == 0 && other->argument && other->choices != row->choices) return true;
    }
    return false;
}

static bool is_first_of_name(size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(option_table[i].name, option_table[index].name) == 0) return false;
    return true;
}

/* Puts the pattern of an option: with all commands, or with those of the row. */
static void put_bash_pattern(Buf *out, const OptionRow *row)
{
    const char *before = "    ";

    if (!has_own_choices(row)) {
        buf_put_text(out, before);
        if (row->letter) buf_put_format(out, "*\" -%c\" | ", row->letter);
        buf_put_format(out, "*\" --%s\")", row->name);
        return;
    }
    for (Command c = 0; c < COMMANDS; c++) {
        if (!option_help(row, c)) continue;
        buf_put_format(out, "%s\"%s --%s\"", before, command_table[c].name, row->name);
        before = " | ";
    }
    buf_put_byte(out, ')');
}

/* Puts a case for each option with a value. */
static void put_bash_values(Buf *out)
{
    static const char *const values[] = {
        [VALUE_ANY] = "any",    [VALUE_CHOICE] = "words",   [VALUE_MODEL] = "models", [VALUE_LANGUAGE] = "languages",
        [VALUE_FILE] = "files", [VALUE_FOLDER] = "folders",
    };

    for (size_t i = 0; i < option_count; i++) {
        const OptionRow *row = &option_table[i];
        if (!row->argument || !(is_first_of_name(i) || has_own_choices(row))) continue;
        put_bash_pattern(out, row);
        buf_put_format(out, " values=%s", values[value_of(row)]);
        if (value_of(row) == VALUE_CHOICE) {
            buf_put_text(out, " words=(");
            put_choices(out, row);
            buf_put_byte(out, ')');
        }
        buf_put_text(out, " ;;\n");
    }
}

/* Begins a case for a command; the default is to translate. */
static void put_bash_case(Buf *out, Command command)
{
    buf_put_format(out, "    %s) ", command == COMMAND_TRANSLATE ? "''" : command_table[command].name);
}

static void put_bash_options(Buf *out)
{
    for (Command c = 0; c < COMMANDS; c++) {
        if (!is_completed(c)) continue;
        put_bash_case(out, c);
        buf_put_text(out, "words=(");
        for (size_t i = 0; i < option_count; i++)
            if (option_is_shown(&option_table[i], c)) buf_put_format(out, " --%s", option_table[i].name);
        buf_put_text(out, " ) ;;\n");
    }
}

static void put_bash_operands(Buf *out)
{
    for (Command c = 0; c < COMMANDS; c++) {
        const OperandKind operands = command_table[c].operands;
        if (!command_is_shown(c)) continue;
        put_bash_case(out, c);
        buf_put_text(out, operands == OPERANDS_FILES  ? "values=files"
                          : operands == OPERANDS_NONE ? "values=any"
                                                      : "values=words words=(");
        put_words(out, c);
        buf_put_text(out, operands == OPERANDS_FILES || operands == OPERANDS_NONE ? " ;;\n" : ") ;;\n");
    }
}

static void put_bash(Buf *out, const char *name)
{
    if (strcmp(name, "VALUES") == 0)
        put_bash_values(out);
    else if (strcmp(name, "OPTIONS") == 0)
        put_bash_options(out);
    else if (strcmp(name, "OPERANDS") == 0)
        put_bash_operands(out);
    else
        command_put_names(out, strcmp(name, "PATTERN") == 0 ? " | " : " ");
}

/* --- zsh. Each option is a specification for _arguments. */

/* Characters that need a backslash: in a text in double quotes, and also in the description of a specification. */
#define ZSH_SPECIAL      "\"$`\\"
#define ZSH_SPECIAL_SPEC ZSH_SPECIAL "[]"

static void put_zsh_action(Buf *out, const OptionRow *row)
{
    static const char *const actions[] = {
        [VALUE_ANY] = " ",       [VALUE_MODEL] = "_dragoman_models", [VALUE_LANGUAGE] = "_dragoman_languages",
        [VALUE_FILE] = "_files", [VALUE_FOLDER] = "_files -/",
    };
    const ValueKind kind = value_of(row);

    if (kind == VALUE_NONE) return;
    buf_put_format(out, ":%s:%s", row->argument, kind == VALUE_CHOICE ? "(" : actions[kind]);
    if (kind != VALUE_CHOICE) return;
    put_choices(out, row);
    buf_put_byte(out, ')');
}

/* Puts a specification for one spelling of the option. The other spelling is no longer offered after it, unless the
 * option can be repeated. */
static void put_zsh_spec(Buf *out, Command command, const OptionRow *row, bool as_letter)
{
    const bool has_value = value_of(row) != VALUE_NONE, repeats = row->kind == OPTION_LIST;

    buf_put_text(out, repeats ? "    \"*" : "    \"");
    if (!repeats && row->letter && as_letter) buf_put_format(out, "(--%s)", row->name);
    if (!repeats && row->letter && !as_letter) buf_put_format(out, "(-%c)", row->letter);
    if (as_letter)
        buf_put_format(out, "-%c%s[", row->letter, has_value ? "+" : "");
    else
        buf_put_format(out, "--%s%s[", row->name, has_value ? "=" : "");
    put_description(out, option_help(row, command), ZSH_SPECIAL_SPEC);
    buf_put_byte(out, ']');
    put_zsh_action(out, row);
    buf_put_text(out, "\"\n");
}

static void put_zsh_operands(Buf *out, Command command)
{
    const OperandKind operands = command_table[command].operands;

    if (command == COMMAND_TRANSLATE) {
        buf_put_text(out, "    '1: :_dragoman_first' '*:file:_files'\n");
    } else if (operands == OPERANDS_FILES) {
        buf_put_text(out, "    '*:file:_files'\n");
    } else if (operands != OPERANDS_NONE) {
        buf_put_format(out, "    '1:%s:(", operands == OPERANDS_SHELLS ? "shell" : "command or topic");
        put_words(out, command);
        buf_put_text(out, ")'\n");
    }
}

static void put_zsh_specs(Buf *out)
{
    for (Command c = 0; c < COMMANDS; c++) {
        if (!is_completed(c)) continue;
        buf_put_format(out, "  (%s) specs=(\n", c == COMMAND_TRANSLATE ? "''" : command_table[c].name);
        for (size_t i = 0; i < option_count; i++) {
            const OptionRow *row = &option_table[i];
            if (!option_is_shown(row, c)) continue;
            if (row->letter) put_zsh_spec(out, c, row, true);
            put_zsh_spec(out, c, row, false);
        }
        put_zsh_operands(out, c);
        buf_put_text(out, "  ) ;;\n");
    }
}

static void put_zsh_commands(Buf *out)
{
    for (Command c = 0; c < COMMANDS; c++) {
        if (!command_is_shown(c)) continue;
        buf_put_format(out, "    \"%s:", command_table[c].name);
        put_description(out, command_table[c].purpose, ZSH_SPECIAL);
        buf_put_text(out, "\"\n");
    }
}

static void put_zsh(Buf *out, const char *name)
{
    if (strcmp(name, "SPECS") == 0)
        put_zsh_specs(out);
    else if (strcmp(name, "COMMANDS") == 0)
        put_zsh_commands(out);
    else
        command_put_names(out, "|");
}

/* --- fish. The script calls `complete` for each option. */

/* Characters that need a backslash in single quotes. */
#define FISH_SPECIAL "'\\"

static void put_fish_commands(Buf *out)
{
    for (Command c = 0; c < COMMANDS; c++) {
        if (!command_is_shown(c)) continue;
        buf_put_format(out, "complete -c dragoman -n __dragoman_is_first -a %s -d '", command_table[c].name);
        put_description(out, command_table[c].purpose, FISH_SPECIAL);
        buf_put_text(out, "'\n");
    }
}

/* Begins a call of `complete` for a command. */
static void put_fish_call(Buf *out, Command command)
{
    buf_put_format(out, "complete -c dragoman -n \"__dragoman_has '%s'\"", command_table[command].name);
}

static void put_fish_option(Buf *out, Command command, const OptionRow *row)
{
    static const char *const values[] = {
        [VALUE_NONE] = "",
        [VALUE_ANY] = " -x",
        [VALUE_CHOICE] = " -x -a '",
        [VALUE_MODEL] = " -rF -a '(__dragoman_complete models)'",
        [VALUE_LANGUAGE] = " -x -a '(__dragoman_languages)'",
        [VALUE_FILE] = " -rF",
        [VALUE_FOLDER] = " -x -a '(__fish_complete_directories)'",
    };

    put_fish_call(out, command);
    if (row->letter) buf_put_format(out, " -s %c", row->letter);
    buf_put_format(out, " -l %s%s", row->name, values[value_of(row)]);
    if (value_of(row) == VALUE_CHOICE) {
        put_choices(out, row);
        buf_put_byte(out, '\'');
    }
    buf_put_text(out, " -d '");
    put_description(out, option_help(row, command), FISH_SPECIAL);
    buf_put_text(out, "'\n");
}

/* Files are the default. */
static void put_fish_operands(Buf *out, Command command)
{
    const OperandKind operands = command_table[command].operands;

    if (operands == OPERANDS_FILES) return;
    put_fish_call(out, command);
    buf_put_text(out, operands == OPERANDS_NONE ? " -f\n" : " -f -a '");
    put_words(out, command);
    if (operands != OPERANDS_NONE) buf_put_text(out, "'\n");
}

static void put_fish_options(Buf *out)
{
    for (Command c = 0; c < COMMANDS; c++) {
        if (!is_completed(c)) continue;
        put_fish_operands(out, c);
        for (size_t i = 0; i < option_count; i++)
            if (option_is_shown(&option_table[i], c)) put_fish_option(out, c, &option_table[i]);
    }
}

static void put_fish(Buf *out, const char *name)
{
    if (strcmp(name, "OPTIONS") == 0)
        put_fish_options(out);
    else if (strcmp(name, "COMMANDS") == 0)
        put_fish_commands(out);
    else
        command_put_names(out, " ");
}

Status completion_append(Buf *out, const char *shell, Err *err)
{
    /* In the order of shell_names[]. */
    static const char *const scripts[] = { completion_bash, completion_zsh, completion_fish };
    static PutPlace *const places[] = { put_bash, put_zsh, put_fish };
    const size_t index = word_index(shell_names, shell);

    filled_text_put(out, scripts[index], places[index]);
    return buf_check(out, err);
}
