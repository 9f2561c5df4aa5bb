#!/usr/bin/env bats
# --output to streams.

load helper
load output

@test "-o /dev/stdout and its other names write to the open descriptor" {
    echo "Hello." >in
    dragoman in >translation
    ln -s /dev/stdout link
    for name in /dev/stdout /dev/fd/1 /proc/self/fd/1 /proc/thread-self/fd/1 link; do
        [[ -e $name ]] || continue
        # The output is appended at the current position of the descriptor.
        echo "first" >log
        dragoman -o $name in >>log
        cmp log <(echo "first"; cat translation)
        (echo "before"; dragoman -o $name in; echo "after") >log
        cmp log <(echo "before"; cat translation; echo "after")
        dragoman -o $name in | cmp - translation
    done
}

@test "-o /dev/stderr and other descriptors" {
    echo "Hello." >in
    dragoman in >translation
    echo "first" >log
    dragoman -o /dev/stderr in 2>>log
    cmp log <(echo "first"; cat translation)
    (echo "before" >&5; dragoman -o /dev/fd/5 in; echo "after" >&5) 5>log
    cmp log <(echo "before"; cat translation; echo "after")
}

@test "appends to a descriptor of another process" {
    [[ -e /proc/self/fd ]] || skip "no /proc here"
    echo "Hello." >in
    dragoman in >translation
    echo "first" >log
    exec 5>>log
    dragoman -o "/proc/$$/fd/5" in || skip "the descriptors of $$ are out of reach"
    exec 5>&-
    cmp log <(echo "first"; cat translation)
}

@test "rejects descriptors that are closed or read-only" {
    translate -o /dev/fd/9 </dev/null
    expect_status 1
    expect_err "dragoman: /dev/fd/9: Bad file descriptor"
    translate -o /dev/stdin </dev/null
    expect_status 1
    expect_err "dragoman: /dev/stdin: Bad file descriptor"
    status=0
    dragoman -o /dev/stdout </dev/null 2>err >&- || status=$?
    expect_status 1
    expect_err "dragoman: /dev/stdout: Bad file descriptor"
}

@test "writes a FIFO directly" {
    mkfifo fifo
    for command in "" info; do
        cat fifo >got &
        reader=$!
        # shellcheck disable=SC2086
        echo "Hello." | dragoman $command -o fifo
        wait "$reader"
        [[ -p fifo ]]
        # shellcheck disable=SC2086
        [[ $(cat got) == "$(echo "Hello." | dragoman $command)" ]]
    done
    no_leftovers
}

@test "ends silently by SIGPIPE when the reader closes a FIFO" {
    mkfifo fifo
    head -n 1 fifo >got &
    reader=$!
    status=0
    yes "Hello." | "$DRAGOMAN" -o fifo 2>err || status=$?
    wait "$reader"
    expect_status 141
    expect_err
    [[ $(wc -l <got) == 1 ]]
}

@test "writes /dev/null and /dev/full directly" {
    translate -o /dev/null < <(echo "Hello.")
    expect_status 0
    [[ -c /dev/null ]]
    [[ -e /dev/full ]] || skip "no /dev/full here"
    translate -o /dev/full < <(echo "Hello.")
    expect_status 1
    expect_err "dragoman: /dev/full: No space left on device"
    ln -s /dev/full link
    translate -o link < <(echo "Hello.")
    expect_status 1
    expect_err "dragoman: link: No space left on device"
}
