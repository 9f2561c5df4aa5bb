#!/usr/bin/env bats
# The progress: a bar in a terminal, or plain lines. What is drawn, and when, is tested by tests/unit/test_progress*.c.
#
# A bar appears after two seconds. setup_file starts all commands that have one at the same time, each in a terminal and
# a folder of its own, and a case looks at what one of them has shown.
#
# The commands for the terminal are expanded there.
# shellcheck disable=SC2016

load helper
load terminal

BAR_END=$'\e[K'
REMOVED=$'\r\e[K'

# until_shown TEXT: waits until the terminal shows it. slow TEXT: a line at once, and another one then.
SLOW='until_shown() { until grep -q "$1" screen; do sleep 0.1; done; }
slow() { echo "Hello."; until_shown "$1"; echo "Good night."; }
'

# Translates a file for somebody who reads nothing until there is a bar: its blank lines do not fit into the pipe.
SLOW_READER=$SLOW'"$DRAGOMAN" in | { until_shown "[0-9] left"; cat >out; }'

# Longer than it takes until a bar appears.
PAUSE='pause() { echo "Hello."; sleep 2.5; echo "Good night."; }
'

# begin NAME COMMAND...: runs it in the background, in the folder NAME, which gets the file status.
begin() {
    mkdir -p "$1"
    (cd "$1" && { code=0; "${@:2}" || code=$?; echo "$code" >status; }) 3>&- &
}

# ended NAME: goes to that folder; its command must have succeeded.
ended() {
    require_terminal
    cd "$BATS_FILE_TMPDIR/files/$1" || return
    [[ $(<status) == 0 ]] || { cat screen; return 1; }
}

press_ctrl_c() {
    start_terminal 'trap "echo prompt" INT; { echo "Hello."; sleep 1000; } | "$DRAGOMAN" -o out; echo "status $?"'
    wait_for_screen ' elapsed' && press '\003' && end_terminal
}

type_slowly() {
    start_terminal '"$DRAGOMAN" >out'
    wait_for_screen Ctrl-D && press 'Hello.\n' && sleep 2.5 && press '\004' && end_terminal
}

setup_file() {
    local name
    export BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR
    setup
    mkdir file no_colour empty_no_colour files output none
    { echo "Hello."; yes "$(printf '%2000s' '')" | head -n 100; echo "Good night."; } >file/in
    for name in no_colour empty_no_colour; do ln file/in $name; done
    echo "One." >files/a
    mkfifo files/b output/input
    begin pipe in_terminal "$SLOW"'slow "1 line " | "$DRAGOMAN" >out; echo end'
    begin file in_terminal "$SLOW_READER"
    begin no_colour in_terminal "export NO_COLOR=1
$SLOW_READER"
    begin empty_no_colour in_terminal "export NO_COLOR=
$SLOW_READER"
    begin files in_terminal "$SLOW"'slow "file 2/3" >b & "$DRAGOMAN" a b a >out; wait'
    begin output in_terminal "$SLOW"'slow elapsed >input & "$DRAGOMAN" -o out input; wait'
    begin none in_terminal "$PAUSE"'
        pause | "$DRAGOMAN" -q >out1 &
        pause | "$DRAGOMAN" --no-progress >out2 &
        pause | TERM=dumb "$DRAGOMAN" >out3 &
        pause | TERM= "$DRAGOMAN" >out4 &
        pause | "$DRAGOMAN" 2>err >out5 &
        pause | "$DRAGOMAN" -o /dev/tty >out6 &
        pause | "$DRAGOMAN" &
        wait'
    begin warning in_terminal "$SLOW"'{ echo "Hello."; until_shown elapsed; printf "a\\377\\n"; until_shown invalid; } |
        "$DRAGOMAN" >out'
    begin ctrl_c press_ctrl_c
    begin typing type_slowly
    wait
}

@test "short work shows no bar" {
    in_terminal 'echo "Hello." | "$DRAGOMAN" >out'
    [[ ! -s screen ]]
    [[ $(<out) == "$(echo "Hello." | dragoman)" ]]
}

@test "a bar for a pipe shows amounts and the time, and is removed" {
    ended pipe
    printf 'Hello.\nGood night.\n' | dragoman | cmp - out
    expect_screen $'\r1 line  1 word  '
    expect_screen $' elapsed  standard input\e[K'
    expect_screen "$REMOVED"$'end\r\n'
    [[ $(tr -cd '\n' <screen | wc -c) == 1 ]]
}

@test "a bar for a file shows percent, speed, time left and the name, with a colour unless NO_COLOR is set" {
    local name
    ended file
    dragoman in | cmp - out
    grep -Eq $'\r\\[\e\\[36m=+>\e\\[m *\\]  [1-9][0-9]*%  [0-9.]+ lines/s  [0-9.]+ words/s  [0-9]+:[0-9]{2} left  in\e\\[K' screen
    ended no_colour
    grep -Eq $'\r\\[=+> *\\]  [1-9][0-9]*%  ' screen
    run ! grep -q $'\e\\[[0-9;]*m' screen
    ended empty_no_colour
    grep -q $'\e\\[36m' screen
}

@test "a bar counts the files" {
    ended files
    expect_screen $'  file 2/3  b\e[K'
}

@test "there is a bar with -o if standard input and output are the terminal" {
    ended output
    expect_screen $' elapsed  input\e[K'
    [[ $(wc -l <out) == 2 ]]
}

@test "no bar: -q, --no-progress, a terminal that cannot erase, or that gets the output, or stderr is none" {
    ended none
    for i in 1 2 3 4 5; do [[ $(wc -l <"out$i") == 2 ]]; done
    [[ ! -s err ]]
    tr -d '\r' <screen | sort >shown
    printf 'Hello.\nGood night.\nHello.\nGood night.\n' | dragoman | sort | cmp - shown
}

@test "shows no bar while somebody types" {
    ended typing
    [[ $(<screen) == "dragoman: English to German, model $MODEL; end with Ctrl-D"$'\r\nHello.\r' ]]
    [[ $(<out) == "$(echo "Hello." | dragoman)" ]]
}

@test "warnings are whole lines above the bar" {
    ended warning
    expect_screen "$REMOVED"$'dragoman: standard input:2: invalid UTF-8 or NUL replaced by U+FFFD; if the text is in another encoding, name it with --encoding\r\n1 line'
    expect_screen "$BAR_END$REMOVED"
}

@test "Ctrl-C puts the prompt of the shell on a line of its own" {
    ended ctrl_c
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
