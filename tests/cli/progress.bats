#!/usr/bin/env bats
# The progress: a bar in a terminal, or plain lines.
#
# The commands for the terminal are expanded there.
# shellcheck disable=SC2016

load helper
load terminal

teardown() {
    stop_terminal
}

BAR_END=$'\e[K'
REMOVED=$'\r\e[K'

# until_shown TEXT: waits until the terminal shows it. slow TEXT: a line at once, and another one then.
SLOW='until_shown() { until grep -q "$1" screen; do sleep 0.1; done; }
slow() { echo "Hello."; until_shown "$1"; echo "Good night."; }
'

# Translates a file for somebody who reads nothing until there is a bar: the translations do not fit into the pipe.
SLOW_READER=$SLOW'"$DRAGOMAN" -g --max-length 8 in | { until_shown left; cat >out; }'

# Longer than it takes until a bar appears.
PAUSE='pause() { echo "Hello."; sleep 3; echo "Good night."; }
'

# Waits until something is in the file err.
wait_for_err() {
    local i
    for ((i = 0; i < 10 * LIMIT; i++)); do
        [[ ! -s err ]] || return 0
        sleep 0.1
    done
}

make_long_file() {
    numbered_lines 1 20000 >in
}

@test "short work shows no bar" {
    in_terminal 'echo "Hello." | "$DRAGOMAN" >out'
    [[ ! -s screen ]]
    [[ $(<out) == "$(echo "Hello." | dragoman)" ]]
}

@test "a bar for a pipe shows amounts and the time, and is removed" {
    in_terminal "$SLOW"'slow "1 line " | "$DRAGOMAN" >out; echo end'
    printf 'Hello.\nGood night.\n' | dragoman | cmp - out
    expect_screen $'\r1 line  1 word  '
    expect_screen $' elapsed  standard input\e[K'
    expect_screen "$REMOVED"$'end\r\n'
    [[ $(tr -cd '\n' <screen | wc -c) == 1 ]]
}

@test "a bar for a file shows percent, speed, time left and the name, with a colour" {
    make_long_file
    in_terminal "$SLOW_READER"
    dragoman -g --max-length 8 in | cmp - out
    grep -Eq $'\r\\[\e\\[36m=+>\e\\[m *\\]  [1-9][0-9]*%  [0-9.]+ lines/s  [0-9.]+ words/s  [0-9]+:[0-9]{2} left  in\e\\[K' screen
}

@test "NO_COLOR turns the colour off, unless it is empty" {
    make_long_file
    in_terminal "export NO_COLOR=1
$SLOW_READER"
    grep -Eq $'\r\\[=+> *\\]  [1-9][0-9]*%  ' screen
    run ! grep -q $'\e\\[[0-9;]*m' screen
    in_terminal "export NO_COLOR=
$SLOW_READER"
    grep -q $'\e\\[36m' screen
}

@test "a bar counts the files" {
    echo "One." >a
    mkfifo b
    in_terminal "$SLOW"'slow "file 2/3" >b & "$DRAGOMAN" a b a >out; wait'
    expect_screen $'  file 2/3  b\e[K'
}

@test "there is a bar with -o if standard input and output are the terminal" {
    mkfifo input
    in_terminal "$SLOW"'slow elapsed >input & "$DRAGOMAN" -o out input; wait'
    expect_screen $' elapsed  input\e[K'
    [[ $(wc -l <out) == 2 ]]
}

@test "no bar: -q, --no-progress, a terminal that cannot erase, or that gets the output" {
    in_terminal "$PAUSE"'
        pause | "$DRAGOMAN" -q >out1 &
        pause | "$DRAGOMAN" --no-progress >out2 &
        pause | TERM=dumb "$DRAGOMAN" >out3 &
        pause | TERM= "$DRAGOMAN" >out4 &
        pause | "$DRAGOMAN" -o /dev/tty >out5 &
        pause | "$DRAGOMAN" &
        wait'
    for i in 1 2 3 4; do [[ $(wc -l <"out$i") == 2 ]]; done
    tr -d '\r' <screen | sort >shown
    printf 'Hello.\nGood night.\nHello.\nGood night.\n' | dragoman | sort | cmp - shown
}

@test "no bar if stderr is not a terminal" {
    { echo "Hello."; sleep 3; } | dragoman >out 2>err
    expect_err
}

@test "warnings are whole lines above the bar" {
    in_terminal "$SLOW"'{ echo "Hello."; until_shown elapsed; printf "a\\377\\n"; until_shown invalid; } |
        "$DRAGOMAN" >out'
    expect_screen "$REMOVED"$'dragoman: standard input:2: invalid UTF-8 or NUL replaced by U+FFFD\r\n1 line'
    expect_screen "$BAR_END$REMOVED"
}

@test "Ctrl-C puts the prompt of the shell on a line of its own" {
    start_terminal 'trap "echo prompt" INT; { echo "Hello."; sleep 1000; } | "$DRAGOMAN" -o out; echo "status $?"'
    wait_for_screen ' elapsed'
    press '\003'
    end_terminal
    expect_screen $'\r\nprompt\r\nstatus 130\r\n'
    [[ ! -e out ]]
}

@test "--progress ends with a plain line, also in a terminal, and with -q" {
    printf 'One.\n\nThree and four.\n' >in
    for option in -v -q; do
        translate --progress "$option" in
        expect_status 0
        grep -Exq 'dragoman: 3 lines, 4 words in 0:0[0-9], [0-9.]+ lines/s, [0-9.]+ words/s' err
    done
    in_terminal '"$DRAGOMAN" --progress in'
    expect_screen $'dragoman: 3 lines, 4 words in 0:0'
    run ! grep -q $'\e' screen
}

@test "--progress counts the units of documents, and nothing else, as lines" {
    echo '<p>One two.</p><p>Three.</p>' >a.html
    echo 'Four.' >b.txt
    for files in "-o out a.html" "-O to a.html b.txt"; do
        # shellcheck disable=SC2086
        translate --progress $files
        expect_status 0
        cat err >>all
    done
    [[ $(sed 's/ in .*//' all) == $'dragoman: 2 lines, 3 words\ndragoman: 3 lines, 4 words' ]]
}

@test "--progress prints lines while nothing is finished" {
    : >err
    { echo "Hello."; wait_for_err; } | dragoman --progress >out 2>err
    (($(wc -l <err) >= 2))
    grep -Exq 'dragoman: 1 line, 1 word, [0-9.]+ lines/s, [0-9.]+ words/s, [0-9]:[0-9]{2} elapsed: standard input' err
    run ! grep -q $'\e' err
}
