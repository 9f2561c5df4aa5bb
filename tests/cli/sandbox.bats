#!/usr/bin/env bats
# sandbox.bats - the sandbox of the program: where it is on, and that it changes no result. What it forbids is tested by
# tests/unit/test_sandbox.c.

load helper

worker= # set by start_dragoman

GOLDEN_DOCUMENTS=$GOLDEN_ROOT/documents

needs_sandbox() {
    translate -v </dev/null
    ! grep -q '^dragoman: sandbox: off' err || skip "$(grep '^dragoman: sandbox: off' err)"
}

# The fields Seccomp and NoNewPrivs of all threads of $worker, each combination once.
states_of_threads() {
    local thread
    for thread in /proc/"$worker"/task/*/status; do
        awk '/^(NoNewPrivs|Seccomp):/ { printf "%s%s ", $1, $2 }' "$thread"
        echo
    done | sort -u
}

# expect_same ARGUMENT...: the same output and messages with the sandbox as without.
expect_same() {
    local expected
    translate "$@"
    expected=$status
    mv out out.on
    mv err err.on
    translate "$@" --no-sandbox
    expect_status "$expected"
    cmp out.on out
    diff err.on err
}

@test "each thread of a translation is in the sandbox" {
    needs_sandbox
    start_dragoman -j 3
    (($(find /proc/"$worker"/task -mindepth 1 -maxdepth 1 | wc -l) >= 4))
    [[ $(states_of_threads) == "NoNewPrivs:1 Seccomp:2 " ]]
    exec 7>&-
    wait "$worker"
}

@test "with --no-sandbox no thread is in a sandbox of its own" {
    needs_sandbox
    start_dragoman --no-sandbox -j 3
    [[ $(states_of_threads) == "$(worker=$$ states_of_threads)" ]]
    exec 7>&-
    wait "$worker"
}

@test "-v says whether the sandbox is on" {
    needs_sandbox
    translate -v </dev/null
    [[ $(head -n 1 err) == "dragoman: sandbox: on" ]]
    translate -v --no-sandbox </dev/null
    [[ $(head -n 1 err) == "dragoman: sandbox: off (--no-sandbox)" ]]
    printf 'Hello.\tHello.\n' | dragoman score -v 2>&1 >out | grep -qx "dragoman: sandbox: on"
    translate </dev/null
    expect_err
}

@test "lines, pairs and searches give the same in the sandbox" {
    numbered_lines 1 12 >in
    paste in in >pairs
    expect_same in
    expect_same -j 4 -b 3 --format jsonl in
    expect_same --sample --seed 1 in
    expect_same --keep '[a-z]+' --keep-file in in
    expect_same --tsv-in source,must pairs
    expect_same missing in
    expect_same score pairs
    expect_same align pairs
    DRAGOMAN_CPU=scalar expect_same -j 2 in # loads OpenBLAS
}

@test "documents and folders give the same in the sandbox" {
    local file
    for file in docx/letter.docx epub/book.epub html markdown po yaml; do
        file=$GOLDEN_DOCUMENTS/$file
        [[ -f $file ]] || file=$(find "$file" -type f ! -name '*.json' | sort | head -n 1)
        expect_same --max-length 8 --force-language "$file"
        [[ -s out ]]
    done
    printf '<p>Th\351 line.</p>\n' >latin.html
    expect_same --encoding windows-1252 latin.html
    expect_same --identity "$GOLDEN_DOCUMENTS/docx/letter.docx"
    mkdir -p in/below
    numbered_lines 1 9 >in/one.txt
    printf '<p>This is a <b>line</b>.</p>\n' >in/below/two.html
    dragoman -O on in
    dragoman --no-sandbox -O off in
    diff -r on off
    [[ $(find on -type f | wc -l) == 2 ]]
}

@test "memories and glossaries give the same in the sandbox" {
    numbered_lines 1 9 >in
    printf 'line\tword\n' >terms.tsv
    expect_same --glossary terms.tsv in
    dragoman --memory on.tsv in >out.on
    dragoman --no-sandbox --memory off.tsv in | cmp - out.on
    diff <(cut -f 1,2 on.tsv) <(cut -f 1,2 off.tsv)
    dragoman --memory on.tsv in | cmp - out.on
}

@test "detected languages give the same in the sandbox" {
    export DRAGOMAN_MODEL=$GOLDEN_ROOT/families/m2m100-relu
    awk -F '\t' '($1 == "de" || $1 == "fr") && NF == 2 { print $2 }' "$GOLDEN_ROOT/languages/sentences.tsv" >in
    expect_same --from auto --to en in
}

@test "explain, info, pack, models and shortlist give the same in the sandbox" {
    numbered_lines 1 6 >in
    expect_same explain "This is a line."
    expect_same info
    expect_same info --help
    expect_same models
    dragoman pack -m "$MODEL" --int8 -o on.safetensors
    dragoman pack -m "$MODEL" --no-sandbox --int8 -o off.safetensors
    cmp on.safetensors off.safetensors
    dragoman shortlist -o on.txt in in
    dragoman shortlist --no-sandbox -o off.txt in in
    cmp on.txt off.txt
}
