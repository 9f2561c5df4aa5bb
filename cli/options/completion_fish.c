/* completion_fish.c - the completion script for fish: see completion.h. It calls `complete` for each option. */
#include "completion.h"

/* Characters that need a backslash in single quotes. */
#define SPECIAL "'\\"

/* Precedes what is made from the tables. */
static const char script[] = "# Completion for fish, written by 'dragoman completion fish'.\n"
                             "\n"
                             "# Prints the words before the cursor: the program first, with ~ expanded.\n"
                             "function __dragoman_words\n"
                             "    commandline -opc | string replace -r '^~/' \"$HOME/\"\n"
                             "end\n"
                             "\n"
                             "# Whether the line has the given command; '' is translating.\n"
                             "function __dragoman_has -a command\n"
                             "    set -l words (__dragoman_words)\n"
                             "    __dragoman_is_command \"$words[2]\"; or set words[2] ''\n"
                             "    test \"$words[2]\" = \"$command\"\n"
                             "end\n"
                             "\n"
                             "function __dragoman_is_first\n"
                             "    test (count (commandline -opc)) -eq 1\n"
                             "end\n"
                             "\n"
                             "function __dragoman_complete\n"
                             "    set -l program (__dragoman_words)[1]\n"
                             "    $program complete $argv 2>/dev/null\n"
                             "end\n"
                             "\n"
                             "function __dragoman_languages\n"
                             "    set -l models\n"
                             "    set -l is_model no\n"
                             "    for word in (__dragoman_words)\n"
                             "        if test $is_model = yes\n"
                             "            set -a models -m $word\n"
                             "            set is_model no\n"
                             "        else if contains -- $word -m --model\n"
                             "            set is_model yes\n"
                             "        else if string match -q -- '--model=*' $word\n"
                             "            set -a models -m (string replace -- --model= '' $word)\n"
                             "        else if string match -q -- '-m?*' $word\n"
                             "            set -a models -m (string replace -- -m '' $word)\n"
                             "        end\n"
                             "    end\n"
                             "    __dragoman_complete languages $models\n"
                             "end\n"
                             "\n";

static Status append_test(Buf *out, Err *err)
{
    Status st = buf_append_text(out, "function __dragoman_is_command -a word\n    contains -- \"$word\" ", err);

    if (st == OK) st = command_append_names(out, " ", err);
    return st == OK ? buf_append_text(out, "\nend\n\n", err) : st;
}

static Status append_commands(Buf *out, Err *err)
{
    Status st = OK;

    for (Command c = 0; st == OK && c < COMMANDS; c++) {
        if (!command_is_shown(c)) continue;
        st = buf_append_format(out, err, "complete -c dragoman -n __dragoman_is_first -a %s -d '",
                               command_table[c].name);
        if (st == OK) st = completion_append_description(out, command_table[c].purpose, SPECIAL, err);
        if (st == OK) st = buf_append_text(out, "'\n", err);
    }
    return st;
}

static Status append_value(Buf *out, const OptionRow *row, Err *err)
{
    static const char *const values[] = {
        [VALUE_NONE] = "",
        [VALUE_ANY] = " -x",
        [VALUE_MODEL] = " -rF -a '(__dragoman_complete models)'",
        [VALUE_LANGUAGE] = " -x -a '(__dragoman_languages)'",
        [VALUE_FILE] = " -rF",
        [VALUE_FOLDER] = " -x -a '(__fish_complete_directories)'",
    };
    Status st;

    if (completion_value(row) != VALUE_CHOICE) return buf_append_text(out, values[completion_value(row)], err);
    st = buf_append_text(out, " -x -a '", err);
    if (st == OK) st = completion_append_choices(out, row, err);
    return st == OK ? buf_append_text(out, "'", err) : st;
}

/* Begins a call of `complete` for a command. */
static Status append_call(Buf *out, Command command, Err *err)
{
    return buf_append_format(out, err, "complete -c dragoman -n \"__dragoman_has '%s'\"", command_table[command].name);
}

static Status append_option(Buf *out, Command command, const OptionRow *row, Err *err)
{
    Status st = append_call(out, command, err);

    if (st == OK && row->letter) st = buf_append_format(out, err, " -s %c", row->letter);
    if (st == OK) st = buf_append_format(out, err, " -l %s", row->name);
    if (st == OK) st = append_value(out, row, err);
    if (st == OK) st = buf_append_text(out, " -d '", err);
    if (st == OK) st = completion_append_description(out, option_help(row, command), SPECIAL, err);
    return st == OK ? buf_append_text(out, "'\n", err) : st;
}

/* Files are the default. */
static Status append_operands(Buf *out, Command command, Err *err)
{
    const OperandKind operands = command_table[command].operands;
    Status st = operands == OPERANDS_FILES ? OK : append_call(out, command, err);

    if (st != OK || operands == OPERANDS_FILES) return st;
    if (operands == OPERANDS_NONE) return buf_append_text(out, " -f\n", err);
    st = buf_append_text(out, " -f -a '", err);
    if (st == OK) st = completion_append_words(out, command, err);
    return st == OK ? buf_append_text(out, "'\n", err) : st;
}

static Status append_command(Buf *out, Command command, Err *err)
{
    Status st = append_operands(out, command, err);

    for (size_t i = 0; st == OK && i < option_count; i++)
        if (option_is_shown(&option_table[i], command)) st = append_option(out, command, &option_table[i], err);
    return st;
}

Status completion_fish_append(Buf *out, Err *err)
{
    Status st = buf_append_text(out, script, err);

    if (st == OK) st = append_test(out, err);
    if (st == OK) st = append_commands(out, err);
    for (Command c = 0; st == OK && c < COMMANDS; c++)
        if (c == COMMAND_TRANSLATE || command_is_shown(c)) st = append_command(out, c, err);
    return st;
}
