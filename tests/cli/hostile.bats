#!/usr/bin/env bats
# hostile.bats - files that attack a program which opens them: docs/hostile-files.md.
# The files are made by tests/hostile/make_cases.py, which takes the expected messages from that document.
# shellcheck disable=SC2034 # LIMIT is of helper.bash

load helper

# Far more than any case needs; the limits only keep a test from taking the whole machine.
KILOBYTES=500000
EXECUTED=/tmp/dragoman-was-executed

setup_file() {
    command -v python3 >/dev/null || skip "no python3"
    rm -f "$EXECUTED"
    python3 -W ignore -B "$BATS_TEST_DIRNAME/../hostile/make_cases.py" "$BATS_FILE_TMPDIR/cases" \
        "${GOLDEN_ROOT:-$BATS_TEST_DIRNAME/../../build/golden}" "$BATS_TEST_DIRNAME/../../docs/hostile-files.md"
}

# run_case FOLDER ARGUMENT...: translate in the folder of a case.
run_case() {
    cd "$1" || return
    shift
    [[ -e in ]] || echo "One." >in || return
    status=0
    (
        [[ ${TEST_MAKEFLAGS-} == *SANITIZE* ]] || ulimit -v $KILOBYTES
        unset DRAGOMAN_MODEL
        dragoman "$@" <in >out 2>err
    ) || status=$?
}

# check_case FOLDER STATUS MESSAGE ARGUMENT...: each step returns, because bash ignores set -e within a condition.
check_case() {
    local folder=$1 expected=$2 message=$3
    shift 3
    run_case "$folder" "$@" || return
    expect_status "$expected" || return
    if ((expected > 0)); then
        [[ ! -s out ]] || return
        expect_err "dragoman: $message"
    elif [[ $1 == --identity ]]; then
        expect_err && cmp "$2" out
    else
        expect_err && [[ $(wc -l <out) == $(wc -l <in) ]]
    fi
}

# check_group GROUP: all cases of a group; each one that fails is named.
check_group() {
    local group folder status_expected arguments message count=0 failed=0
    LIMIT=120
    while IFS=$'\t' read -r group folder status_expected arguments message; do
        [[ $group == "$1" ]] || continue
        count=$((count + 1))
        read -ra arguments <<<"$arguments"
        if ! (check_case "$BATS_FILE_TMPDIR/cases/$folder" "$status_expected" "$message" "${arguments[@]}"); then
            echo "case $folder: dragoman ${arguments[*]}" && failed=1
        fi
    done <"$BATS_FILE_TMPDIR/cases/cases.tsv"
    ((count > 10 && failed == 0))
    [[ ! -e $EXECUTED && ! -e /tmp/escaped ]]
    [[ -z $(find "$BATS_FILE_TMPDIR/cases" -name '*escaped*') ]]
}

@test "executes nothing that a pickle asks for" {
    check_group Pickles
}

@test "unpacks no archive, follows no link in one and expands no bomb" {
    check_group Archives
}

@test "believes no length, count or size that a model claims" {
    check_group Models
}

@test "translates any bytes as text, and bounds regular expressions" {
    check_group Texts
}

@test "expands no entity, and reads any document in linear time" {
    check_group Documents
}

@test "docs/hostile-files.md lists the functions that the pickles name" {
    local name
    (cd "$BATS_TEST_DIRNAME/../hostile" && python3 -B -c 'import pickles; print("\n".join(pickles.CALLED))') >names
    (($(wc -l <names) > 100))
    while read -r name; do
        grep -qE "(^|[ ,])${name//./\\.}(,|$)" "$ROOT/docs/hostile-files.md" || { echo "$name" && false; }
    done <names
}
