# shellcheck shell=bash
# terminal.bash - runs commands in a terminal of their own, that of script(1) of util-linux.
#
# The commands are a bash script, which finds the program in $DRAGOMAN. What the terminal shows, with all escape codes,
# is in the file screen. A line ends with CR LF there.
#
# script starts a shell first, the one in $SHELL. Bash replaces it (exec): a dash that waits dies of Ctrl-C itself.

require_terminal() {
    [[ $(script --version 2>/dev/null) == *util-linux* ]] || skip "script of util-linux is missing"
}

# in_terminal COMMANDS: fails if they fail.
in_terminal() {
    require_terminal
    printf 'stty cols 100 rows 24\n%s\n' "$1" >job
    SHELL=/bin/sh TERM=xterm timeout "$LIMIT" script -qefc "exec bash job" /dev/null </dev/null >screen
}

# start_terminal COMMANDS: the same in the background ($terminal); press() types on the keyboard.
start_terminal() {
    require_terminal
    printf 'stty cols 100 rows 24\n%s\n' "$1" >job
    echo "set enable-bracketed-paste off" >inputrc # readline would write more escape codes
    mkfifo keys
    exec 7<>keys
    SHELL=/bin/sh TERM=xterm INPUTRC=$PWD/inputrc timeout "$LIMIT" script -qefc "exec bash job" /dev/null <keys >screen 3>&- &
    terminal=$!
}

press() {
    # The text has escape sequences for control characters.
    # shellcheck disable=SC2059
    printf "$1" >&7
}

# For teardown(): a test that fails leaves nothing behind.
stop_terminal() {
    [[ -z ${terminal-} ]] || kill "$terminal" 2>/dev/null || true
}

# end_terminal: waits for the end of the commands and returns their status.
end_terminal() {
    wait "$terminal"
}

shows() {
    [[ $(cat screen && echo .) == *"$1"* ]] # the dot keeps the last newline
}

# wait_for_screen TEXT: waits until the terminal shows it.
wait_for_screen() {
    local i
    for ((i = 0; i < 20 * LIMIT; i++)); do
        shows "$1" && return
        sleep 0.05
    done
    echo "the terminal does not show: $1"
    cat -v screen
    return 1
}

expect_screen() {
    shows "$1" || { echo "the terminal does not show: $1"; cat -v screen; return 1; }
}
