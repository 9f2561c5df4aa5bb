/* completion_bash.c - the completion script for bash: see completion.h. It needs nothing but bash 3.2 or later. File
 * names are left to readline, which knows how to quote them. No text from a file is expanded by the shell. */
#include <string.h>

#include "completion.h"

/* Follows the functions that are made from the tables. Their results are variables of _dragoman. */
static const char script[] =
    "\n"
    "# Adds those of the words that begin with $word.\n"
    "_dragoman_add() {\n"
    "    local candidate\n"
    "    for candidate; do\n"
    "        [[ $candidate == \"$word\"* ]] && COMPREPLY+=(\"$before$candidate\")\n"
    "    done\n"
    "    return 0\n"
    "}\n"
    "\n"
    "# Adds files if there are other candidates. If there are none, readline completes file names.\n"
    "_dragoman_add_files() {\n"
    "    local file\n"
    "    ((${#COMPREPLY[@]})) || return 0\n"
    "    while IFS= read -r file; do COMPREPLY+=(\"$before$file\"); done < <(compgen -f -- \"$word\")\n"
    "    compopt -o filenames 2>/dev/null || :\n"
    "}\n"
    "\n"
    "# Prints a word of the command line without its quotes. Expands nothing but ~.\n"
    "_dragoman_unquote() {\n"
    "    local text=$1\n"
    "    if [[ $text == \\'*\\' || $text == \\\"*\\\" ]]; then\n"
    "        text=${text:1:${#text}-2}\n"
    "    else\n"
    "        # shellcheck disable=SC2162 # without -r, read removes backslashes\n"
    "        IFS= read text <<<\"$text\" || :\n"
    "    fi\n"
    "    [[ ${text:0:2} != \\~/ ]] || text=$HOME/${text:2}\n"
    "    printf '%s\\n' \"$text\"\n"
    "}\n"
    "\n"
    "_dragoman_add_models() {\n"
    "    local name\n"
    "    while IFS= read -r name; do\n"
    "        # Candidates are inserted without quotes.\n"
    "        [[ $name == *[!A-Za-z0-9_./:@+-]* ]] || _dragoman_add \"$name\"\n"
    "    done < <(\"$program\" complete models 2>/dev/null)\n"
    "    _dragoman_add_files\n"
    "}\n"
    "\n"
    "_dragoman_add_languages() {\n"
    "    local -a models=()\n"
    "    local i k code\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "        k=$((i + 1))\n"
    "        case ${COMP_WORDS[i]} in\n"
    "        -m | --model)\n"
    "            [[ ${COMP_WORDS[k]} != = ]] || k=$((k + 1))\n"
    "            models+=(-m \"$(_dragoman_unquote \"${COMP_WORDS[k]-}\")\")\n"
    "            ;;\n"
    "        --model=*) models+=(-m \"$(_dragoman_unquote \"${COMP_WORDS[i]#*=}\")\") ;;\n"
    "        -m*) models+=(-m \"$(_dragoman_unquote \"${COMP_WORDS[i]#-m}\")\") ;;\n"
    "        esac\n"
    "    done\n"
    "    while IFS=$'\\t' read -r code _; do\n"
    "        # Candidates are inserted without quotes.\n"
    "        [[ $code == *[!A-Za-z0-9_.@-]* ]] || _dragoman_add \"$code\"\n"
    "    done < <(\"$program\" complete languages ${models[@]+\"${models[@]}\"} 2>/dev/null)\n"
    "}\n"
    "\n"
    "# Sets $command, $option (the one whose value $word may be), $word and $before.\n"
    "_dragoman_read_words() {\n"
    "    local previous=''\n"
    "    ((COMP_CWORD == 0)) || previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    ((COMP_CWORD < 2)) || _dragoman_set_command \"${COMP_WORDS[1]}\"\n"
    "    # With = in COMP_WORDBREAKS, as by default, --option=value is three words.\n"
    "    if [[ $word == = ]]; then\n"
    "        option=$previous word=''\n"
    "    elif [[ $previous == = ]] && ((COMP_CWORD > 1)); then\n"
    "        option=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    elif [[ $word == --*=* ]]; then\n"
    "        option=${word%%=*} before=${word%%=*}= word=${word#*=}\n"
    "    else\n"
    "        option=$previous\n"
    "    fi\n"
    "}\n"
    "\n"
    "# An empty COMPREPLY means files, unless compopt says otherwise.\n"
    "_dragoman() {\n"
    "    local IFS=$' \\t\\n'\n"
    "    local word=${COMP_WORDS[COMP_CWORD]-} before='' option='' command='' values='' program i\n"
    "    local -a words=()\n"
    "    COMPREPLY=()\n"
    "    program=$(_dragoman_unquote \"${COMP_WORDS[0]}\")\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "        [[ ${COMP_WORDS[i]} != -- ]] || return 0\n"
    "    done\n"
    "    _dragoman_read_words\n"
    "    _dragoman_set_values \"$command\" \"$option\"\n"
    "    if [[ -z $values && $word == -* ]]; then\n"
    "        _dragoman_set_options \"$command\"\n"
    "    elif [[ -z $values ]]; then\n"
    "        _dragoman_set_operands \"$command\"\n"
    "    fi\n"
    "    case $values in\n"
    "    models) _dragoman_add_models ;;\n"
    "    languages) _dragoman_add_languages ;;\n"
    "    folders) compopt -o dirnames +o default +o bashdefault 2>/dev/null || : ;;\n"
    "    files) ;;\n"
    "    commands-or-files) _dragoman_add \"${words[@]}\" && _dragoman_add_files ;;\n"
    "    words) _dragoman_add \"${words[@]}\" ;;\n"
    "    esac\n"
    "    case $values in words | languages | any) compopt +o default +o bashdefault 2>/dev/null || : ;; esac\n"
    "}\n"
    "\n"
    "complete -o bashdefault -o default -F _dragoman dragoman\n";

/* Whether another option of the same name has other choices. */
static bool has_own_choices(const OptionRow *row)
{
    for (size_t i = 0; i < option_count; i++) {
        const OptionRow *other = &option_table[i];
        if (strcmp(other->name, row->name) == 0 && other->argument && other->choices != row->choices) return true;
    }
    return false;
}

/* Appends the pattern of an option: with all commands, or with those of the row. */
static Status append_pattern(Buf *out, const OptionRow *row, Err *err)
{
    const char *before = "    ";
    Status st = OK;

    if (!has_own_choices(row)) {
        st = buf_append_text(out, before, err);
        if (st == OK && row->letter) st = buf_append_format(out, err, "*\" -%c\" | ", row->letter);
        return st == OK ? buf_append_format(out, err, "*\" --%s\")", row->name) : st;
    }
    for (Command c = 0; st == OK && c < COMMANDS; c++) {
        if (!option_help(row, c)) continue;
        st = buf_append_format(out, err, "%s\"%s --%s\"", before, command_table[c].name, row->name);
        before = " | ";
    }
    return st == OK ? buf_append_text(out, ")", err) : st;
}

/* Appends a case for an option with a value. */
static Status append_values(Buf *out, const OptionRow *row, Err *err)
{
    static const char *const values[] = {
        [VALUE_ANY] = "any",    [VALUE_CHOICE] = "words",   [VALUE_MODEL] = "models", [VALUE_LANGUAGE] = "languages",
        [VALUE_FILE] = "files", [VALUE_FOLDER] = "folders",
    };
    ValueKind kind = completion_value(row);
    Status st = append_pattern(out, row, err);

    if (st == OK) st = buf_append_format(out, err, " values=%s", values[kind]);
    if (st == OK && kind == VALUE_CHOICE) {
        st = buf_append_text(out, " words=(", err);
        if (st == OK) st = completion_append_choices(out, row, err);
        if (st == OK) st = buf_append_text(out, ")", err);
    }
    return st == OK ? buf_append_text(out, " ;;\n", err) : st;
}

static bool is_first_of_name(size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(option_table[i].name, option_table[index].name) == 0) return false;
    return true;
}

static Status append_all_values(Buf *out, Err *err)
{
    Status st = buf_append_text(out, "_dragoman_set_values() { # COMMAND OPTION\n    case \"$1 $2\" in\n", err);

    for (size_t i = 0; st == OK && i < option_count; i++) {
        const OptionRow *row = &option_table[i];
        if (row->argument && (is_first_of_name(i) || has_own_choices(row))) st = append_values(out, row, err);
    }
    return st == OK ? buf_append_text(out, "    esac\n}\n\n", err) : st;
}

/* Begins a case for a command; the default is to translate. */
static Status append_case(Buf *out, Command command, Err *err)
{
    return buf_append_format(out, err, "    %s) ", command == COMMAND_TRANSLATE ? "''" : command_table[command].name);
}

static Status append_options(Buf *out, Command command, Err *err)
{
    Status st = append_case(out, command, err);

    if (st == OK) st = buf_append_text(out, "words=(", err);
    for (size_t i = 0; st == OK && i < option_count; i++)
        if (option_is_shown(&option_table[i], command)) st = buf_append_format(out, err, " --%s", option_table[i].name);
    return st == OK ? buf_append_text(out, " ) ;;\n", err) : st;
}

static Status append_all_options(Buf *out, Err *err)
{
    Status st = buf_append_text(out, "_dragoman_set_options() { # COMMAND\n    values=words\n    case $1 in\n", err);

    for (Command c = 0; st == OK && c < COMMANDS; c++)
        if (c == COMMAND_TRANSLATE || command_is_shown(c)) st = append_options(out, c, err);
    return st == OK ? buf_append_text(out, "    esac\n}\n\n", err) : st;
}

static Status append_operands(Buf *out, Command command, Err *err)
{
    const OperandKind operands = command_table[command].operands;
    Status st = append_case(out, command, err);

    if (st != OK) return st;
    if (operands == OPERANDS_FILES) return buf_append_text(out, "values=files ;;\n", err);
    if (operands == OPERANDS_NONE) return buf_append_text(out, "values=any ;;\n", err);
    st = buf_append_text(out, "values=words words=(", err);
    if (st == OK) st = completion_append_words(out, command, err);
    return st == OK ? buf_append_text(out, ") ;;\n", err) : st;
}

static Status append_all_operands(Buf *out, Err *err)
{
    Status st = buf_append_text(out, "_dragoman_set_operands() { # COMMAND\n    case $1 in\n", err);

    for (Command c = 0; st == OK && c < COMMANDS; c++)
        if (command_is_shown(c)) st = append_operands(out, c, err);
    if (st == OK) st = buf_append_text(out, "    *) values=files ;;\n    esac\n", err);
    if (st == OK) st = buf_append_text(out, "    ((COMP_CWORD > 1)) || values=commands-or-files words=(", err);
    if (st == OK) st = command_append_names(out, " ", err);
    return st == OK ? buf_append_text(out, ")\n}\n\n", err) : st;
}

static Status append_commands(Buf *out, Err *err)
{
    Status st = buf_append_text(out, "_dragoman_set_command() { # WORD\n    case $1 in ", err);

    if (st == OK) st = command_append_names(out, " | ", err);
    return st == OK ? buf_append_text(out, ") command=$1 ;; esac\n}\n", err) : st;
}

Status completion_bash_append(Buf *out, Err *err)
{
    Status st = buf_append_text(out,
                                "# Completion for bash, written by 'dragoman completion bash'.\n"
                                "# shellcheck shell=bash\n\n",
                                err);

    if (st == OK) st = append_all_values(out, err);
    if (st == OK) st = append_all_options(out, err);
    if (st == OK) st = append_all_operands(out, err);
    if (st == OK) st = append_commands(out, err);
    return st == OK ? buf_append_text(out, script, err) : st;
}
