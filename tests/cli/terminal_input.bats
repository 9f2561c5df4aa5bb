#!/usr/bin/env bats
# A terminal as standard input.
#
# The commands for the terminal are expanded there.
# shellcheck disable=SC2016

load helper
load terminal

teardown() {
    stop_terminal
}

MESSAGE=$'; end with Ctrl-D\r\n'

@test "answers each line at once, and Ctrl-D at the start of a line ends" {
    start_terminal '"$DRAGOMAN"; echo "status $?"'
    wait_for_screen "$MESSAGE"
    for line in "Hello." "Good night."; do
        press "$line\n"
        wait_for_screen "$line"$'\r\n'"$(echo "$line" | dragoman)"$'\r\n'
    done
    press '\004'
    end_terminal
    expect_screen $'status 0\r\n'
}

@test "names the languages and the models, and shows a prompt before each line" {
    start_terminal '"$DRAGOMAN"'
    wait_for_screen "dragoman: English to German, model $MODEL$MESSAGE> "
    press 'One.\n'
    wait_for_screen "> One."$'\r\n'"$(echo One. | dragoman)"$'\r\n> '
    press '\004'
    end_terminal
    [[ $(tail -c 1 screen && echo .) == $'\n.' ]] # the prompt of the shell begins a new line
}

@test "the arrow keys bring earlier lines back" {
    ldconfig -p | grep -qE 'libedit\.so\.[02]|libreadline\.so\.[78]' || skip "neither libedit nor readline is here"
    start_terminal '"$DRAGOMAN"'
    wait_for_screen "$MESSAGE> "
    press 'Z\303\274rich.\n'
    wait_for_screen "$(echo Zürich. | dragoman)"$'\r\n'
    press 'Two.\n'
    wait_for_screen "$(echo Two. | dragoman)"$'\r\n'
    : >screen
    press '\033[A\033[A\n'
    wait_for_screen "$(echo Zürich. | dragoman)"$'\r\n'
    press '\004'
    end_terminal
}

@test "reads lines with their bytes if the locale is not UTF-8" {
    start_terminal 'LC_ALL=C "$DRAGOMAN"'
    wait_for_screen "$MESSAGE> "
    press 'Z\303\274rich.\n'
    wait_for_screen "$(echo Zürich. | dragoman)"$'\r\n> '
    press '\004'
    end_terminal
}

@test "Ctrl-C ends the program and restores the terminal" {
    start_terminal 'trap : INT; "$DRAGOMAN"; echo "status $?"; stty -a | grep -oE -- "-?(icanon|echo)\b"'
    wait_for_screen "$MESSAGE> "
    press 'Hello.\003'
    wait_for_screen $'status 130\r\n'
    end_terminal
    expect_screen $'icanon\r\necho\r\n'
    run ! grep -qE -- '-(icanon|echo)' screen
}

@test "counts the lines of a dialogue, and a pasted tab stays a tab" {
    start_terminal '"$DRAGOMAN" --format jsonl --tsv-in source,- --max-input 16 --max-length-crop; echo "status $?"'
    wait_for_screen "$MESSAGE> "
    press 'One.\tx\n'
    wait_for_screen '{"line":1,"source":"One."'
    press 'Two three four five six seven eight nine ten eleven twelve.\ty\n'
    wait_for_screen 'dragoman: standard input:2: the line is too long'
    wait_for_screen '{"line":2,"source":"Two '
    press 'Three.\n'
    wait_for_screen 'dragoman: standard input:3: the line has 1 column'
    wait_for_screen $'status 1\r\n'
    end_terminal
}

@test "shows no prompt if a standard stream is no terminal" {
    start_terminal '"$DRAGOMAN" 2>err; "$DRAGOMAN" >out; echo end'
    press 'One.\n'
    wait_for_screen "$(echo One. | dragoman)"$'\r\n'
    press '\004'
    wait_for_screen "$MESSAGE"
    press 'One.\n\004'
    wait_for_screen $'end\r\n'
    end_terminal
    run ! grep -q '> ' screen err out
    [[ $(<out) == "$(echo One. | dragoman)" ]]
}

@test "Ctrl-D twice ends a last line without Enter and the input" {
    start_terminal '"$DRAGOMAN" >out; echo "status $?"'
    wait_for_screen "$MESSAGE"
    press 'Hello.\004\004'
    wait_for_screen $'status 0\r\n'
    end_terminal
    [[ $(<out) == "$(echo "Hello." | dragoman)" ]]
}

@test "answers each line at once if a program reads the translations" {
    start_terminal '"$DRAGOMAN" - | while IFS= read -r line; do echo "<$line>"; done'
    wait_for_screen "$MESSAGE"
    press 'Hello.\n'
    wait_for_screen "<$(echo "Hello." | dragoman)>"
    press '\004'
    end_terminal
}

@test "-q prints no message" {
    start_terminal '"$DRAGOMAN" -q'
    press 'Hello.\n'
    wait_for_screen "$(echo "Hello." | dragoman)"
    press '\004'
    end_terminal
    run ! grep -q dragoman: screen
}

@test "prints no message if the terminal is not read" {
    echo "Hello." >in
    in_terminal '"$DRAGOMAN" in >out; "$DRAGOMAN" <in >>out'
    [[ ! -s screen ]]
    [[ $(wc -l <out) == 2 ]]
}

@test "prints the message only after the model is open" {
    in_terminal '"$DRAGOMAN" -m missing; echo "status $?"'
    expect_screen $'status 1\r\n'
    run ! grep -q "Ctrl-D" screen
    grep -q "^dragoman: missing: " screen
}
