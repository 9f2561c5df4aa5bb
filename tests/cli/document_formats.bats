#!/usr/bin/env bats
# document_formats.bats - the documents of all formats in tests/golden/documents come back whole.

load helper

DOCUMENTS=${GOLDEN_ROOT:-$ROOT/build/golden}/documents

# each COMMAND: calls it with the format and the path of each document.
each() {
    local path count=0
    for path in "$DOCUMENTS"/*/*; do
        [[ $path != */pseudo/* ]] || continue
        "$1" "$(basename "$(dirname "$path")")" "$path" || { echo "$path" && false; }
        count=$((count + 1))
    done
    ((count >= 20))
}

identity() { dragoman --identity --as "$1" "$2" | cmp - "$2"; }
pseudo() { dragoman --pseudo --as "$1" "$2" | diff "$DOCUMENTS/pseudo/$1/${2##*/}" -; }
untouched() { dragoman --as "$1" "$2" >out && dragoman --identity --as "$1" out | cmp - out; }

@test "--identity gives the same bytes" {
    each identity
}

@test "--pseudo gives what other parsers found to have the same structure" {
    each pseudo
}

@test "translations are documents of the same format" {
    each untouched
}

@test "there is a document of each format" {
    dragoman --as '?' </dev/null 2>&1 | sed 's/.*must be one of lines, \(.*\), not .*/\1/; s/, /\n/g' >names
    grep -qx html names
    while read -r name; do [[ -d $DOCUMENTS/$name ]]; done <names
}
