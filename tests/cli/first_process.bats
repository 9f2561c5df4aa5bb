#!/usr/bin/env bats
# first_process.bats - signals to the first process of a container, for which the kernel ignores their default action.

load helper
load output

# first_process SIGNAL FILE ARGUMENT...: runs dragoman as process 1 of a namespace, which gets the signal when FILE
# has its first line. Standard input is a FIFO that nobody closes.
first_process() {
    unshare --pid --fork --kill-child true 2>/dev/null || skip "no namespace of processes can be made here"
    mkfifo input
    exec 7<>input
    echo "Hello." >&7
    status=0
    # shellcheck disable=SC2016 # expanded by the inner shell
    timeout -s KILL "$LIMIT" unshare --pid --fork --kill-child bash -c '
        signal=$1 file=$2
        shift 2
        { until [[ -s $file ]]; do sleep 0.05; done; kill -s "$signal" 1; } &
        exec "$DRAGOMAN" "$@" <input >out 2>err
    ' bash "$@" 7>&- || status=$?
    exec 7>&-
    rm input
}

@test "the first process of a container removes its unfinished file and ends with the code of the signal" {
    for signal in TERM INT; do
        first_process "$signal" .target.dragoman-1 -o target
        expect_status $((128 + $(kill -l "$signal")))
        expect_err
        [[ ! -e target ]]
        no_leftovers
    done
}

@test "the first process of a container ends with the code of the signal without an unfinished file" {
    first_process INT out
    expect_status 130
    expect_err
    [[ $(wc -l <out) == 1 ]]
}

@test "the first process of a container ends silently when the reader closes the pipe" {
    unshare --pid --fork --kill-child true 2>/dev/null || skip "no namespace of processes can be made here"
    yes "Hello." 2>/dev/null | {
        code=0
        unshare --pid --fork --kill-child "$DRAGOMAN" 2>err || code=$?
        echo "$code" >code
    } | head -n 1 >out
    expect_err
    [[ $(cat code) == 141 ]]
}
