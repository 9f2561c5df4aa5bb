#!/usr/bin/env bats
# array.bats - scripts/translate-array, without a job scheduler.

load helper
unset SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT SLURM_ARRAY_TASK_MIN

# task ID COUNT ARGUMENT...: runs one task, keeping status, out and err as translate() does.
task() {
    local id=$1 count=$2
    shift 2
    status=0
    SLURM_ARRAY_TASK_ID=$id SLURM_ARRAY_TASK_COUNT=$count timeout "$LIMIT" "$ROOT/scripts/translate-array" "$@" \
        >out 2>err </dev/null || status=$?
}

join() {
    status=0
    timeout "$LIMIT" "$ROOT/scripts/translate-array" --join "$@" >out 2>err </dev/null || status=$?
}

@test "the tasks of an array, in any order and one of them twice, give what one process gives" {
    { printf '\xef\xbb\xbf'; numbered_lines 1 20; printf '\n \r\n\xef\xbb\xbfThis is.\n'; numbered_lines 61 72; } >in
    printf 'This is the end.' >>in
    dragoman -q in >expected
    export SLURM_ARRAY_TASK_MIN=2
    for id in 7 2 5 2 3 6 9 4 8; do
        task $id 8 in result -q
        expect_status 0
    done
    task 10 8 in result -q
    expect_status 1
    join in result -q
    expect_status 0
    cmp result expected
    [ ! -e result.parts ]
}

@test "an array may have more tasks than the file has lines" {
    printf 'This is a line.\nThis is.\n' >in
    : >empty
    dragoman -q in >expected
    for id in {0..4}; do
        task "$id" 5 in result -q
        expect_status 0
        task "$id" 5 empty nothing -q
        expect_status 0
    done
    join in result -q
    cmp result expected
    join empty nothing -q
    expect_status 0
    [[ -e nothing && ! -s nothing ]]
}

@test "a killed task leaves no part, the join names it, and it runs again" {
    numbered_lines 1 12 >in
    dragoman -q in >expected
    # shellcheck disable=SC2016 # the shell that runs it expands $PPID
    printf '#!/bin/sh\nkill -9 $PPID\n' >killer
    chmod +x killer
    task 0 3 in result -q
    task 2 3 in result -q
    DRAGOMAN=$PWD/killer task 1 3 in result -q
    expect_status 137
    join in result -q
    expect_status 1
    expect_err "translate-array: 1 of 3 tasks are not complete; run these again: 1"
    [ ! -e result ]
    task 1 3 in result -q
    expect_status 0
    join in result -q
    expect_status 0
    cmp result expected
}

@test "a finished task does nothing" {
    numbered_lines 1 10 >in
    task 0 2 in result -q
    DRAGOMAN=/nowhere task 0 2 in result -q
    expect_status 0
    DRAGOMAN=/nowhere task 1 2 in result -q
    expect_status 1
}

@test "parts of different files, options or numbers of tasks are not joined" {
    numbered_lines 1 10 >in
    task 0 2 in result -q
    task 1 3 in result -q
    expect_status 1
    expect_err "translate-array: result.parts belongs to another number of tasks, another version of in or other options; remove it first"
    task 1 2 in result -q -b 2
    expect_status 1
    task 1 2 in result -q
    echo more >>in
    join in result -q
    expect_status 1
    expect_err "translate-array: result.parts belongs to another version of in or other options; remove it and run all tasks again"
    [ ! -e result ]
}

@test "the tasks of an array share the files of a folder" {
    mkdir -p 'in/a b' in/.hidden
    for i in {1..7}; do numbered_lines "$i" $((i + 3)) >"in/a b/$i.txt"; done
    numbered_lines 1 5 >in/top
    printf '<p>This is a line.</p>\n' >in/page.html
    printf '\0\377\0' >in/binary
    echo secret >in/.hidden/file
    for id in 2 0; do
        task $id 3 in result -q
        expect_status 0
    done
    join in result -q
    expect_status 1
    grep -q '^translate-array: these files have no translation:$' err
    task 1 3 in result -q
    join in result -q
    expect_status 0
    dragoman -q -O whole in
    diff -r whole result
    [[ ! -e result/binary && ! -e result/.hidden ]]
    [[ $(find result -type f | wc -l) == 9 ]]
}

# share_folder FOLDER OPTION...: checks that two tasks translate into `shared` what one process translates into `whole`.
share_folder() {
    rm -rf shared whole
    translate -q -O whole "${@:2}" "$1"
    expect_status 0
    for id in 0 1; do
        task $id 2 "$1" shared -q "${@:2}"
        expect_status 0
    done
    join "$1" shared -q "${@:2}"
    expect_status 0
    diff -r whole shared
}

@test "the tasks of an array choose the files of a folder as one process does" {
    mkdir -p in/drafts in/sub/drafts in/sub/in
    for name in a drafts/a sub/drafts/a sub/a sub/in/a sub/b.md $'sub/tab\t back\\n line\n' 'sub/ *'; do
        echo "This is $name." >"in/$name"
    done
    printf '\0\377\0' >in/sub/binary
    echo secret >secret
    ln -s ../secret in/link
    ln -s a in/inside
    share_folder in
    [[ ! -e shared/link && -e shared/inside && -e shared/drafts/a ]]
    share_folder in --exclude drafts --exclude='in/*'
    [[ ! -e shared/drafts && -e shared/sub/in/a ]]
    share_folder in --include 'sub/*' --excl '*.md' --others copy
    [[ -e shared/sub/binary && ! -e shared/sub/b.md && ! -e shared/a ]]
}

@test "the tasks of an array do not translate their output" {
    mkdir in
    numbered_lines 1 3 | tee in/a >in/b
    for id in 0 1 0 1; do
        task $id 2 in in/out -q
        expect_status 0
    done
    join in in/out -q
    expect_status 0
    [[ $(cd in && echo * out/*) == "a b out out/a out/b" ]]
}

@test "a task of an array translates the other files if one cannot be read" {
    [[ $(id -u) != 0 ]] || skip "root may read everything"
    mkdir in
    numbered_lines 1 3 | tee in/a >in/b
    chmod 000 in/b
    task 0 1 in result -q
    expect_status 1
    grep -qx 'translate-array: task 0: 1 files failed' err
    [[ -s result/a && ! -e result/b ]]
}

@test "the translation of a file is not put into a folder" {
    numbered_lines 1 3 >in
    mkdir result
    task 0 1 in result -q
    expect_status 1
    expect_err "translate-array: result is a folder; name a file for the translation of in"
    rmdir result
    task 0 1 in result -q
    expect_status 0
    mkdir result
    join in result/ -q
    expect_status 1
    expect_err "translate-array: result is a folder; name a file for the translation of in"
    [[ -e result.parts/0 && -z $(ls -A result) ]]
}

@test "a task without an array, and an argument that is missing, are errors" {
    echo a >in
    status=0
    env -u SLURM_ARRAY_TASK_ID "$ROOT/scripts/translate-array" in out.de 2>err || status=$?
    expect_status 1
    expect_err "translate-array: SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT are not set; run this script in a job array"
    task 0 1 in
    expect_status 2
    task 0 1 missing result
    expect_status 1
    expect_err "translate-array: missing: cannot be read"
    task x 1 in result
    expect_status 1
}
