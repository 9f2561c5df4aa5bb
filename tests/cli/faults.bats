#!/usr/bin/env bats
# Errors of the system.
# shellcheck disable=SC2030,SC2031 # a status inside a pipeline is for there alone

load helper

@test "names a missing file and translates the others" {
    echo "One." >a
    dragoman a a >expected
    translate a missing a
    expect_status 1
    expect_err "dragoman: missing: No such file or directory"
    cmp expected out
}

@test "refuses a folder before anything is written" {
    echo "One." >a
    mkdir folder
    expect_usage_error "folder is a folder; use -O DIR or --suffix TEXT to translate its files" a folder a
}

@test "replaces control characters of file names in messages" {
    translate $'new\nline\e[31m'
    expect_status 1
    expect_err "dragoman: new?line?[31m: No such file or directory"
}

@test "reports a missing model in one line before opening files" {
    translate -m no/such/model missing
    expect_status 1
    [[ $(wc -l <err) == 1 ]]
    expect_err "dragoman: no/such/model: No such file or directory"
}

@test "names a line that the model cannot translate, after those before it" {
    model=$GOLDEN_ROOT/marian/mish-languages
    [[ -e $model ]] || skip "no model with languages"
    printf '>>deu<< One.\n\n>>nld<< Two.\n' >good
    printf '>>deu<< Three.\nFour.\n>>deu<< Five.\n' >bad
    { cat good; sed 1q bad; } | dragoman -m "$model" >expected
    translate -m "$model" -j 2 good bad
    expect_status 2
    expect_err "dragoman: bad:2: no language to translate into: give --to, or begin each line with its code, as in >>code<<; the model translates into deu, nld, gsw"
    cmp expected out
}

@test "leaves the output file unchanged if the model is faulty" {
    echo "old" >target
    translate -m no/such/model -o target </dev/null
    expect_status 1
    [[ $(cat target) == old ]]
}

@test "reports too little address space instead of hanging" {
    echo Hello >in
    dragoman info | grep -q '^matmul kernels: OpenBLAS' || skip "only OpenBLAS needs so much"
    # Sanitizers need much more only to start.
    (ulimit -v 600000 && dragoman --version) >out 2>err || skip "this build does not start with 600 MB"
    # shellcheck disable=SC2016 # expanded by the inner shell
    run --separate-stderr bash -c 'ulimit -v 600000 && exec timeout 60 "$DRAGOMAN" -j 4 in'
    [ "$status" -eq 1 ]
    [ -z "$output" ]
    # shellcheck disable=SC2154 # set by run
    [ "$stderr" = "dragoman: ulimit -v limits the address space to 585 MB, but 4 threads need 256 MB each: raise the limit or use fewer threads" ]
}

@test "reports a full device" {
    [[ -e /dev/full ]] || skip "no /dev/full here"
    status=0
    echo "Hello." | dragoman >/dev/full 2>err || status=$?
    expect_status 1
    expect_err "dragoman: standard output: No space left on device"
}

@test "ends a running translation when the device is full" {
    [[ -e /dev/full ]] || skip "no /dev/full here"
    status=0
    yes "Hello." | dragoman >/dev/full 2>err || status=$?
    expect_status 1
    expect_err "dragoman: standard output: No space left on device"
}

@test "ends on a full device while the input is silent" {
    [[ -e /dev/full ]] || skip "no /dev/full here"
    mkfifo silent
    exec 7<>silent
    echo "Hello." >&7
    status=0
    dragoman >/dev/full 2>err <silent 7>&- || status=$?
    exec 7>&-
    expect_status 1
    expect_err "dragoman: standard output: No space left on device"
}

@test "--help, --version and info report a full device" {
    [[ -e /dev/full ]] || skip "no /dev/full here"
    for command in --help --version --help-man info; do
        status=0
        dragoman "$command" >/dev/full 2>err || status=$?
        expect_status 1
        expect_err "dragoman: standard output: No space left on device"
    done
}

@test "reports a closed standard output" {
    status=0
    echo "Hello." | dragoman >&- 2>err || status=$?
    expect_status 1
    expect_err "dragoman: standard output: Bad file descriptor"
}

@test "--output works with a closed standard output" {
    status=0
    echo "Hello." | dragoman -o target >&- 2>err || status=$?
    expect_status 0
    expect_err
    [[ $(cat target) == "$(echo "Hello." | dragoman)" ]]
}

@test "reports a closed standard input" {
    status=0
    dragoman <&- >out 2>err || status=$?
    expect_status 1
    expect_err "dragoman: standard input: Bad file descriptor"
}

@test "works with a closed standard error" {
    echo "One." >a
    dragoman a >expected
    status=0
    dragoman a missing >out 2>&- || status=$?
    [[ $status == 1 ]]
    cmp expected out
}

@test "ends at once and silently by SIGPIPE when the reader closes the pipe" {
    yes "Hello." | { status=0; dragoman 2>err || status=$?; echo "$status" >code; } | head -n 3 >out
    [[ $(wc -l <out) == 3 ]]
    expect_err
    [[ $(cat code) == 141 ]]
}

@test "ends by SIGPIPE even if the parent ignores it" {
    yes "Hello." 2>/dev/null | { trap '' PIPE; status=0; "$DRAGOMAN" 2>err || status=$?; echo "$status" >code; } | head -n 1 >out
    [[ $(wc -l <out) == 1 ]]
    expect_err
    [[ $(cat code) == 141 ]]
}

@test "translates an endless input as it arrives" {
    yes "Hello there." | head -n 2000 | dragoman -j 2 -g --max-length 4 >expected
    yes "Hello there." | { dragoman -j 2 -g --max-length 4 2>err || true; } | head -n 2000 >out
    cmp expected out
    expect_err
}
