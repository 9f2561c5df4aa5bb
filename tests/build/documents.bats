#!/usr/bin/env bats
# What the documents say about the tree is so.
# shellcheck disable=SC2013,SC2016,SC2086 # names have no spaces; backticks are Markdown's

bats_require_minimum_version 1.5.0

@test "every file that a document names is there" {
    local name missing=
    for name in $(grep -ohE '`[a-zA-Z_.-]+/[a-zA-Z0-9_./-]*`' README.md docs/*.md | tr -d '`' | sort -u); do
        [ -e "$name" ] || [[ $name == *NAME* || $name == models/* || $name == build/* ]] || missing+="$name "
    done
    [ -z "$missing" ] || { echo "not there: $missing" && false; }
}

@test "every link of a document leads somewhere" {
    local document target missing=
    for document in README.md docs/*.md scripts/*/README.md; do
        for target in $(grep -oE '\]\([^)#]+' "$document" | cut -c3-); do
            [[ $target == http* || ($target == models/* && ! -d models) ]] || [ -e "$(dirname "$document")/$target" ] || missing+="$document: $target "
        done
    done
    [ -z "$missing" ] || { echo "dead: $missing" && false; }
}

@test "every function that docs/architecture.md names exists in the file beside it" {
    local row name missing=
    while read -r row; do
        for name in $(grep -oE '`[a-z0-9_]+\(\)`' <<<"$row" | tr -d '`()'); do
            for file in $(grep -oE '`[a-z]+(/[a-z0-9_]+)+\.(c|cc)`' <<<"$row" | tr -d '`'); do
                grep -qE "^[A-Za-z].*[ *]$name\(" "$file" && continue 2
            done
            missing+="$name "
        done
    done < <(grep '()`' docs/architecture.md)
    [ -z "$missing" ] || { echo "not there: $missing" && false; }
}

# Files count from where the text names them: a new paragraph, or text behind a code block, begins anew.
@test "every function and line of code in docs/formats.md stands in the file named with it" {
    local line name file files='' missing='' code=0 checked=0
    while IFS= read -r line; do
        case $line in
        '```c') code=1 && continue ;;
        '```'*) ((code == 1)) && code=2 || code=0; continue ;;
        '**'*) files='' ;;
        esac
        if ((code == 1)); then
            line="${line#"${line%%[![:space:]]*}"}" checked=$((checked + 1))
            grep -qF -- "$line" $files || missing+="$line in $files; "
            continue
        fi
        for file in $(grep -oE '`[a-z]+(/[a-z0-9_]+)+\.(c|cc|h)`' <<<"$line" | tr -d '`'); do
            ((code == 2)) && files=''
            code=0 files+=" $file"
        done
        for name in $(grep -oE '`[a-z0-9_]+\(\)`' <<<"$line" | tr -d '`()'); do
            [[ -z $files ]] || grep -qE "^[A-Za-z].*[ *]$name\(" $files || missing+="$name in $files; "
        done
    done < <(sed -n '/^### Where each part is computed/,/^## /p' docs/formats.md)
    [ -z "$missing" ] || { echo "not there: $missing" && false; }
    [ "$checked" -ge 15 ]
}

@test "the help shows every long option that the documents show" {
    local option
    run -0 "${DRAGOMAN:-./dragoman}" --help
    for option in $(grep -ohE '`(dragoman )?--[a-z-]+' README.md docs/*.md | grep -oE '\-\-[a-z-]+' | sort -u); do
        [[ $output == *"$option"* ]] || { echo "$option is not in --help" && false; }
    done
}
