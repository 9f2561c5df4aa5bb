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

MESSAGE=$'dragoman: reading from the terminal; end with Ctrl-D\r\n'

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
    run ! grep -q "reading from the terminal" screen
    grep -q "^dragoman: missing: " screen
}
