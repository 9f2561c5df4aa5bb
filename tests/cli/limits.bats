#!/usr/bin/env bats
# Small stacks, little address space, few processes.
# shellcheck disable=SC2030,SC2031,SC2034,SC2153 # of helper.bash; each test sets DRAGOMAN_CPU itself

load helper

skip_sanitized() {
    [[ ${TEST_MAKEFLAGS-} != *SANITIZE* ]] || skip "the sanitizers need more"
}

# limited OPTION... -- ARGUMENT...: translate under ulimit OPTION...
limited() {
    local options=()
    while [[ $1 != -- ]]; do options+=("$1") && shift; done
    shift
    status=0
    (ulimit "${options[@]}" && dragoman "$@") >out 2>err </dev/null || status=$?
}

@test "documents, expressions and signals need no more of the first stack than the start of a process" {
    skip_sanitized
    printf '# One\n\nTwo *three*.\n' >in.md
    for options in --pseudo "-m $MODEL" "-m $MODEL --keep [a-z]+@" "--version"; do
        # shellcheck disable=SC2086
        limited -s 32 -- -q $options in.md
        expect_status 0
        [[ -s out ]]
    done
    mkfifo fifo
    (ulimit -s 32 && exec "$DRAGOMAN" -q -m "$MODEL" -o target fifo) 3>&- &
    local pid=$! code=0
    exec {writer}<>fifo # does not wait for a reader
    until compgen -G '.target*' >/dev/null; do
        kill -0 "$pid"
        sleep 0.01
    done
    kill "$pid"
    wait "$pid" || code=$?
    exec {writer}>&-
    [[ $code == 143 ]]
    run ! compgen -G '.target*'
}

@test "needs at most 128 kB of stack with all weight types, CPU levels and threads" {
    skip_sanitized
    numbered_lines 1 6 >in
    sed 1q in >one
    for precision in f32 bf16 int8; do
        dragoman pack -m "$MODEL" --$precision -o packed 2>/dev/null
        dragoman -q -m packed -b 3 in >expected
        for level in scalar avx2 avx512 avx512vnni amx; do
            export DRAGOMAN_CPU=$level
            limited -s 128 -- -q -m packed -b 3 -j 2 in
            expect_status 0
            cmp out expected
            limited -s 128 -- -q -m "$MODEL" --precision $precision -j 4 one # a team
            expect_status 0
            unset DRAGOMAN_CPU
        done
    done
    limited -s 128 -- pack -m "$MODEL" --int8 -o packed
    expect_status 0
}

@test "8-bit models of Marian and CTranslate2 need at most 128 kB of stack" {
    skip_sanitized
    local model
    echo "One." >in
    for model in "$GOLDEN_ROOT"/{marian_nmt,ctranslate2}/*/; do
        limited -s 128 -- -q -m "$model" in
        ((status <= 2)) || { echo "$model: $status" && false; } # some want a language
    done
}

@test "the help needs less than 100 MB of address space" {
    skip_sanitized
    limited -v 100000 -- --help
    expect_status 0
    expect_err
    [[ -s out ]]
}

@test "fails with one line and never hangs with too little address space" {
    skip_sanitized
    local kilobytes
    echo "One." >in
    LIMIT=60
    for kilobytes in $(seq 100000 40000 300000) 400000; do
        for level in scalar amx; do
            export DRAGOMAN_CPU=$level
            limited -v "$kilobytes" -- -q -j 2 in
            ((status == 0)) || expect_status 1
            [[ $(wc -l <err) == "$status" ]] # one line for a failure, none otherwise
        done
    done
    expect_status 0
}

@test "starts no thread and no large buffer of OpenBLAS before a matmul needs it" {
    skip_sanitized
    [[ -e /proc/self/task ]] || skip "no /proc"
    local level pid range from to
    mkfifo input
    for level in scalar amx; do
        DRAGOMAN_CPU=$level "$DRAGOMAN" -q -j 1 <input >out 2>err &
        pid=$!
        exec 9>input
        echo "One." >&9
        until [[ -s out ]]; do
            kill -0 $pid
            sleep 0.05
        done
        # One thread reads, one computes, and the first one writes.
        [[ $(find /proc/$pid/task -mindepth 1 -maxdepth 1 | wc -l) == 3 ]]
        while read -r range _; do
            from=$((16#${range%-*})) to=$((16#${range#*-}))
            ((to - from < 100000000)) || { echo "$range: $((to - from)) bytes" && false; }
        done </proc/$pid/maps
        exec 9>&-
        wait $pid
        : >out
    done
}

@test "prints one line if no thread can be started" {
    skip_sanitized
    command -v prlimit >/dev/null || skip "no prlimit"
    local run=(prlimit --nproc=1) place
    if ((EUID == 0)); then
        command -v setpriv >/dev/null || skip "no setpriv"
        run=(setpriv --reuid=65534 --clear-groups "${run[@]}")
    fi
    place=$(mktemp -d /tmp/dragoman-limits.XXXXXX)
    cp -r "$DRAGOMAN" "$MODEL" "$place"
    chmod -R a+rX "$place"
    status=0
    timeout 60 "${run[@]}" "$place/${DRAGOMAN##*/}" -m "$place/${MODEL##*/}" </dev/null >out 2>err || status=$?
    rm -rf "$place"
    expect_status 1
    [[ $(wc -l <err) == 1 && $(<err) == *thread* ]]
}

@test "needs at most two copies of the text of a long line" {
    skip_sanitized
    [[ -e /proc/self/status ]] || skip "no /proc"
    local peak pid
    head -c 24000000 /dev/zero | tr '\0' ' ' >in
    mkfifo input
    "$DRAGOMAN" -q <input >out 2>err &
    pid=$!
    exec 9>input
    cat in >&9
    echo >&9
    until [[ $(stat -c %s out) == 24000001 ]]; do
        kill -0 $pid
        sleep 0.1
    done
    peak=$(awk '/^VmHWM/ { print $2 }' /proc/$pid/status)
    exec 9>&-
    wait $pid
    ((peak < 72000)) || { echo "$peak kB" && false; }
}

@test "DRAGOMAN_CPU ignores case and rejects unknown levels" {
    echo "One." >in
    DRAGOMAN_CPU=Scalar dragoman info | grep -q scalar
    DRAGOMAN_CPU=foo translate in
    expect_status 2
    [[ $(<err) == "dragoman: DRAGOMAN_CPU=foo: unknown CPU level; this CPU has scalar"* && ! -s out ]]
    DRAGOMAN_CPU='' translate in
    expect_status 0
    expect_err
    DRAGOMAN_CPU=foo translate --help
    expect_status 0
}

@test "reports a CPU level that is missing and uses a lower one" {
    local other=neon
    [[ $(uname -m) == x86_64 ]] || other=avx2
    echo "One." >in
    translate in
    mv out expected
    DRAGOMAN_CPU=$other translate in
    expect_status 0
    [[ $(wc -l <err) == 1 && $(<err) == "dragoman: DRAGOMAN_CPU=$other: this CPU does not support this level; using "* ]]
    cmp out expected
    DRAGOMAN_CPU=$other translate -q in
    expect_err
}
