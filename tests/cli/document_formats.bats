#!/usr/bin/env bats
# document_formats.bats - the documents of all formats in tests/golden/documents come back whole.

load helper

DOCUMENTS=${GOLDEN_ROOT:-$ROOT/build/golden}/documents

# each COMMAND: calls it with each format and the folder of its documents.
each() {
    local folder
    for folder in "$DOCUMENTS"/*/; do
        [[ $folder == */pseudo/ ]] || "$1" "$(basename "$folder")" "$folder" || { echo "$folder" && false; }
    done
    (($(find same pseudo -type f 2>/dev/null | wc -l) >= 20))
}

# The folders that it writes have the name of the command and that of the format.
identity() { dragoman --identity --as "$1" -O "same/$1" "$2" && diff -r "$2" "same/$1"; }
pseudo() { dragoman --pseudo --as "$1" -O "pseudo/$1" "$2" && diff -r "$DOCUMENTS/pseudo/$1" "pseudo/$1"; }
untouched() {
    dragoman -q -g --max-length 8 --force-language --as "$1" -O "out/$1" "$2"
    diff <(cd "$2" && ls) <(cd "out/$1" && ls)
    identity "$1" "out/$1"
}

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
