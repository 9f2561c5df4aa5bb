# Completion for bash, written by 'dragoman completion bash'.
# shellcheck shell=bash

_dragoman_set_values() { # COMMAND OPTION
    case "$1 $2" in
@@VALUES@@
    esac
}

_dragoman_set_options() { # COMMAND
    values=words
    case $1 in
@@OPTIONS@@
    esac
}

_dragoman_set_operands() { # COMMAND
    case $1 in
@@OPERANDS@@
    *) values=files ;;
    esac
    ((COMP_CWORD > 1)) || values=commands-or-files words=(@@NAMES@@)
}

_dragoman_set_command() { # WORD
    case $1 in @@PATTERN@@) command=$1 ;; esac
}

# Adds those of the words that begin with $word.
_dragoman_add() {
    local candidate
    for candidate; do
        [[ $candidate == "$word"* ]] && COMPREPLY+=("$before$candidate")
    done
    return 0
}

# Adds files if there are other candidates. If there are none, readline completes file names.
_dragoman_add_files() {
    local file
    ((${#COMPREPLY[@]})) || return 0
    while IFS= read -r file; do COMPREPLY+=("$before$file"); done < <(compgen -f -- "$word")
    compopt -o filenames 2>/dev/null || :
}

# Prints a word of the command line without its quotes. Expands nothing but ~.
_dragoman_unquote() {
    local text=$1
    if [[ $text == \'*\' || $text == \"*\" ]]; then
        text=${text:1:${#text}-2}
    else
        # shellcheck disable=SC2162 # without -r, read removes backslashes
        IFS= read text <<<"$text" || :
    fi
    [[ ${text:0:2} != \~/ ]] || text=$HOME/${text:2}
    printf '%s\n' "$text"
}

_dragoman_add_models() {
    local name
    while IFS= read -r name; do
        # Candidates are inserted without quotes.
        [[ $name == *[!A-Za-z0-9_./:@+-]* ]] || _dragoman_add "$name"
    done < <("$program" complete models 2>/dev/null)
    _dragoman_add_files
}

_dragoman_add_languages() {
    local -a models=()
    local i k code
    for ((i = 1; i < COMP_CWORD; i++)); do
        k=$((i + 1))
        case ${COMP_WORDS[i]} in
        -m | --model)
            [[ ${COMP_WORDS[k]} != = ]] || k=$((k + 1))
            models+=(-m "$(_dragoman_unquote "${COMP_WORDS[k]-}")")
            ;;
        --model=*) models+=(-m "$(_dragoman_unquote "${COMP_WORDS[i]#*=}")") ;;
        -m*) models+=(-m "$(_dragoman_unquote "${COMP_WORDS[i]#-m}")") ;;
        esac
    done
    while IFS=$'\t' read -r code _; do
        # Candidates are inserted without quotes.
        [[ $code == *[!A-Za-z0-9_.@-]* ]] || _dragoman_add "$code"
    done < <("$program" complete languages ${models[@]+"${models[@]}"} 2>/dev/null)
}

# Sets $command, $option (the one whose value $word may be), $word and $before.
_dragoman_read_words() {
    local previous=''
    ((COMP_CWORD == 0)) || previous=${COMP_WORDS[COMP_CWORD - 1]}
    ((COMP_CWORD < 2)) || _dragoman_set_command "${COMP_WORDS[1]}"
    # With = in COMP_WORDBREAKS, as by default, --option=value is three words.
    if [[ $word == = ]]; then
        option=$previous word=''
    elif [[ $previous == = ]] && ((COMP_CWORD > 1)); then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ $word == --*=* ]]; then
        option=${word%%=*} before=${word%%=*}= word=${word#*=}
    else
        option=$previous
    fi
}

# An empty COMPREPLY means files, unless compopt says otherwise.
_dragoman() {
    local IFS=$' \t\n'
    local word=${COMP_WORDS[COMP_CWORD]-} before='' option='' command='' values='' program i
    local -a words=()
    COMPREPLY=()
    program=$(_dragoman_unquote "${COMP_WORDS[0]}")
    for ((i = 1; i < COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} != -- ]] || return 0
    done
    _dragoman_read_words
    _dragoman_set_values "$command" "$option"
    if [[ -z $values && $word == -* ]]; then
        _dragoman_set_options "$command"
    elif [[ -z $values ]]; then
        _dragoman_set_operands "$command"
    fi
    case $values in
    models) _dragoman_add_models ;;
    languages) _dragoman_add_languages ;;
    folders) compopt -o dirnames +o default +o bashdefault 2>/dev/null || : ;;
    files) ;;
    commands-or-files) _dragoman_add "${words[@]}" && _dragoman_add_files ;;
    words) _dragoman_add "${words[@]}" ;;
    esac
    case $values in words | languages | any) compopt +o default +o bashdefault 2>/dev/null || : ;; esac
}

complete -o bashdefault -o default -F _dragoman dragoman
