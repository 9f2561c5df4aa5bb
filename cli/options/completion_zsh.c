/* completion_zsh.c - the completion script for zsh: see completion.h. Each option is a specification for _arguments. */
#include <string.h>

#include "completion.h"

/* Characters that need a backslash: in a text in double quotes, and also in the description of a specification. */
#define SPECIAL      "\"$`\\"
#define SPECIAL_SPEC SPECIAL "[]"

/* Follows the functions that are made from the tables. */
static const char script[] = "\n"
                             "_dragoman_models() {\n"
                             "  local -a names=(${(f)\"$(\"$program\" complete models 2>/dev/null)\"})\n"
                             "  _alternative 'models:model:compadd -a names' 'files:file:_files'\n"
                             "}\n"
                             "\n"
                             "_dragoman_languages() {\n"
                             "  local -a languages=(${(f)\"$(\"$program\" complete languages $models 2>/dev/null)\"})\n"
                             "  languages=(\"${(@)languages//:/\\\\:}\")\n"
                             "  languages=(\"${(@)languages/$'\\t'/:}\")\n"
                             "  _describe -t languages language languages\n"
                             "}\n"
                             "\n"
                             "_dragoman_first() {\n"
                             "  if (( CURRENT == 2 )); then\n"
                             "    _alternative 'commands:command:_dragoman_commands' 'files:file:_files'\n"
                             "  else\n"
                             "    _files\n"
                             "  fi\n"
                             "}\n"
                             "\n"
                             "_dragoman() {\n"
                             "  local program=${(Q)words[1]/#\\~\\//$HOME/} command\n"
                             "  local -a models specs\n"
                             "  local -i i\n"
                             "  for (( i = 2; i < CURRENT; i++ )); do\n"
                             "    case $words[i] in\n"
                             "      (-m|--model) models+=(-m \"${(Q)words[i+1]/#\\~\\//$HOME/}\") ;;\n"
                             "      (--model=*) models+=(-m \"${(Q)words[i]#--model=}\") ;;\n"
                             "      (-m?*) models+=(-m \"${(Q)words[i]#-m}\") ;;\n"
                             "    esac\n"
                             "  done\n"
                             "  if (( CURRENT > 2 )) && _dragoman_is_command $words[2]; then\n"
                             "    command=$words[2]\n"
                             "  fi\n"
                             "  _dragoman_set_specs\n"
                             "  if [[ -n $command ]]; then\n"
                             "    shift words\n"
                             "    (( CURRENT-- ))\n"
                             "  fi\n"
                             "  _arguments -s -S : $specs\n"
                             "}\n"
                             "\n"
                             "_dragoman \"$@\"\n";

static Status append_action(Buf *out, const OptionRow *row, Err *err)
{
    static const char *const actions[] = {
        [VALUE_ANY] = " ",       [VALUE_MODEL] = "_dragoman_models", [VALUE_LANGUAGE] = "_dragoman_languages",
        [VALUE_FILE] = "_files", [VALUE_FOLDER] = "_files -/",
    };
    const ValueKind kind = completion_value(row);
    Status st;

    if (kind == VALUE_NONE) return OK;
    if (kind != VALUE_CHOICE) return buf_append_format(out, err, ":%s:%s", row->argument, actions[kind]);
    st = buf_append_format(out, err, ":%s:(", row->argument);
    if (st == OK) st = completion_append_choices(out, row, err);
    return st == OK ? buf_append_text(out, ")", err) : st;
}

/* Appends a specification for one spelling of the option. The other spelling is no longer offered after it, unless the
 * option can be repeated. */
static Status append_spec(Buf *out, Command command, const OptionRow *row, bool as_letter, Err *err)
{
    const bool has_value = completion_value(row) != VALUE_NONE;
    Status st = buf_append_text(out, row->kind == OPTION_LIST ? "    \"*" : "    \"", err);

    if (st == OK && row->kind != OPTION_LIST && row->letter)
        st = as_letter ? buf_append_format(out, err, "(--%s)", row->name)
                       : buf_append_format(out, err, "(-%c)", row->letter);
    if (st == OK)
        st = as_letter ? buf_append_format(out, err, "-%c%s[", row->letter, has_value ? "+" : "")
                       : buf_append_format(out, err, "--%s%s[", row->name, has_value ? "=" : "");
    if (st == OK) st = completion_append_description(out, option_help(row, command), SPECIAL_SPEC, err);
    if (st == OK) st = buf_append_text(out, "]", err);
    if (st == OK) st = append_action(out, row, err);
    return st == OK ? buf_append_text(out, "\"\n", err) : st;
}

static Status append_operands(Buf *out, Command command, Err *err)
{
    const OperandKind operands = command_table[command].operands;
    Status st = OK;

    if (operands == OPERANDS_NONE) return OK;
    if (command == COMMAND_TRANSLATE) return buf_append_text(out, "    '1: :_dragoman_first' '*:file:_files'\n", err);
    if (operands == OPERANDS_FILES) return buf_append_text(out, "    '*:file:_files'\n", err);
    st = buf_append_format(out, err, "    '1:%s:(", operands == OPERANDS_SHELLS ? "shell" : "command or topic");
    if (st == OK) st = completion_append_words(out, command, err);
    return st == OK ? buf_append_text(out, ")'\n", err) : st;
}

static Status append_specs(Buf *out, Command command, Err *err)
{
    const char *name = command_table[command].name;
    Status st = buf_append_format(out, err, "  (%s) specs=(\n", *name ? name : "''");

    for (size_t i = 0; st == OK && i < option_count; i++) {
        const OptionRow *row = &option_table[i];
        if (!option_is_shown(row, command)) continue;
        if (row->letter) st = append_spec(out, command, row, true, err);
        if (st == OK) st = append_spec(out, command, row, false, err);
    }
    if (st == OK) st = append_operands(out, command, err);
    return st == OK ? buf_append_text(out, "  ) ;;\n", err) : st;
}

static Status append_all_specs(Buf *out, Err *err)
{
    Status st = buf_append_text(out, "_dragoman_set_specs() {\n  case $command in\n", err);

    for (Command c = 0; st == OK && c < COMMANDS; c++)
        if (c == COMMAND_TRANSLATE || command_is_shown(c)) st = append_specs(out, c, err);
    return st == OK ? buf_append_text(out, "  esac\n}\n\n", err) : st;
}

static Status append_commands(Buf *out, Err *err)
{
    Status st = buf_append_text(out, "_dragoman_commands() {\n  local -a commands=(\n", err);

    for (Command c = 0; st == OK && c < COMMANDS; c++) {
        if (!command_is_shown(c)) continue;
        st = buf_append_format(out, err, "    \"%s:", command_table[c].name);
        if (st == OK) st = completion_append_description(out, command_table[c].purpose, SPECIAL, err);
        if (st == OK) st = buf_append_text(out, "\"\n", err);
    }
    return st == OK ? buf_append_text(out, "  )\n  _describe -t commands command commands\n}\n\n", err) : st;
}

static Status append_test(Buf *out, Err *err)
{
    Status st = buf_append_text(out, "_dragoman_is_command() {\n  [[ $1 == (", err);

    if (st == OK) st = command_append_names(out, "|", err);
    return st == OK ? buf_append_text(out, ") ]]\n}\n", err) : st;
}

Status completion_zsh_append(Buf *out, Err *err)
{
    Status st =
        buf_append_text(out, "#compdef dragoman\n# Completion for zsh, written by 'dragoman completion zsh'.\n\n", err);

    if (st == OK) st = append_all_specs(out, err);
    if (st == OK) st = append_commands(out, err);
    if (st == OK) st = append_test(out, err);
    return st == OK ? buf_append_text(out, script, err) : st;
}
