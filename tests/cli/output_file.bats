#!/usr/bin/env bats
# --output writes a complete file or none.
# shellcheck disable=SC2030,SC2031 # a status inside ( ) is for there alone

worker= # set by start_waiting

load helper
load output

@test "-o writes the same as standard output" {
    numbered_lines 1 20 >in
    dragoman in >expected
    translate -o target in
    expect_status 0
    expect_err
    [[ ! -s out ]]
    cmp expected target
    no_leftovers
}

@test "-o - is standard output" {
    echo "Hello." | dragoman >expected
    translate -o - < <(echo "Hello.")
    cmp expected out
    [[ ! -e - ]]
}

@test "creates a file with the permissions of the umask" {
    for mask in 022 077 002; do
        rm -f target
        (umask "$mask" && echo "Hello." | dragoman -o target)
        (umask "$mask" && : >plain)
        [[ $(stat -c %a target) == "$(stat -c %a plain)" ]]
        rm plain
    done
}

@test "keeps the permissions of an existing file" {
    : >target
    chmod 640 target
    echo "Hello." | dragoman -o target
    [[ $(stat -c %a target) == 640 ]]
    [[ -s target ]]
}

@test "keeps a link and replaces its file" {
    mkdir elsewhere
    echo "old" >elsewhere/real
    ln -s elsewhere/real link
    echo "Hello." | dragoman -o link
    [[ -L link ]]
    [[ $(cat elsewhere/real) == "$(echo "Hello." | dragoman)" ]]
    no_leftovers
}

@test "creates the file of a broken link when it is complete" {
    mkdir elsewhere
    ln -s elsewhere/real link
    start_waiting link elsewhere/.real
    [[ ! -e elsewhere/real ]]
    exec 7>&-
    wait "$worker"
    [[ -L link ]]
    [[ $(cat elsewhere/real) == "$(echo "Hello." | dragoman)" ]]
    no_leftovers
}

@test "names a missing folder" {
    translate -o no/such/target </dev/null
    expect_status 1
    expect_err "dragoman: no/such/target: cannot create the file: No such file or directory"
}

@test "rejects a directory and a loop of links as output" {
    mkdir folder
    ln -s loop loop
    for command in "" info; do
        # shellcheck disable=SC2086
        translate $command -o folder </dev/null
        expect_status 1
        expect_err "dragoman: folder: Is a directory"
        # shellcheck disable=SC2086
        translate $command -o new/ </dev/null
        expect_status 1
        expect_err "dragoman: new/: No such file or directory"
        # shellcheck disable=SC2086
        translate $command -o loop </dev/null
        expect_status 1
        expect_err "dragoman: loop: Too many levels of symbolic links"
    done
}

@test "leaves a read-only file unchanged" {
    [[ $(id -u) != 0 ]] || skip "root may write everything"
    echo "old" >target
    chmod 444 target
    translate -o target < <(echo "Hello.")
    expect_status 1
    expect_err "dragoman: target: Permission denied"
    [[ $(cat target) == old ]]
}

@test "keeps the old file if an input cannot be read" {
    echo "old" >target
    echo "One." >a
    translate -o target a missing
    expect_status 1
    expect_err "dragoman: missing: No such file or directory"
    [[ $(cat target) == old ]]
    no_leftovers
}

@test "replaces the file if only pairs or lines of JSON Lines are refused, as the man page says" {
    printf 'A house.\tEin Haus.\nno pair\n' >pairs
    printf '{"text": "Hello."}\n{"text": \n' >lines.jsonl
    for command in score align; do
        echo "old" >target
        translate "$command" -o target pairs
        expect_status 1
        [[ $(wc -l <target) == 2 && -n $(sed -n 1p target) && -z $(sed -n 2p target) ]]
    done
    echo "old" >target
    translate -o target lines.jsonl
    expect_status 1
    [[ $(sed -n 2p target) == '{"text": ' ]]
    no_leftovers
    dragoman --help-man | sed -n '/^.SH EXIT STATUS/,/^.SH EXAMPLES/p' >section
    grep -q 'score or align, or a line of JSON Lines, was refused: all others were written, also to FILE' section
    dragoman help exit-codes | tr '\n' ' ' >section
    grep -q "if 'dragoman score' or 'dragoman align' refuses a pair, .* All other lines are written, also with *-o FILE" section
}

@test "keeps the old file until the new one is complete" {
    echo "old" >target
    start_waiting target
    [[ $(cat target) == old ]]
    exec 7>&-
    wait "$worker"
    [[ $(cat target) == "$(echo "Hello." | dragoman)" ]]
    no_leftovers
}

@test "leaves no file and the old one unchanged when a signal ends it" {
    set -m # so that the shell does not make it ignore SIGINT
    ulimit -c 0
    signals=(TERM INT HUP QUIT USR1 USR2 ALRM XCPU)
    [[ $(uname) != Linux ]] || signals+=(IO PWR STKFLT RTMIN RTMAX)
    for signal in "${signals[@]}"; do
        rm -f input
        echo "old" >target
        start_waiting target
        kill -s "$signal" "$worker"
        status=0
        wait "$worker" || status=$?
        exec 7>&-
        [[ $status == $((128 + $(kill -l "$signal"))) ]]
        [[ $(cat target) == old ]]
        no_leftovers
    done
}

@test "keeps ignoring a signal that the parent ignores" {
    trap '' HUP
    start_waiting target
    kill -s HUP "$worker"
    exec 7>&-
    wait "$worker"
    [[ -s target ]]
    no_leftovers
}

@test "removes a file that grows too large" {
    (
        ulimit -f 1
        trap '' XFSZ
        status=0
        numbered_lines 1 500 | dragoman --format jsonl -o target 2>err || status=$?
        [[ $status == 1 ]]
    )
    expect_err "dragoman: target: File too large"
    [[ ! -e target ]]
    no_leftovers
}
