#!/usr/bin/env bats
# documents.bats - the documents agree with the tree and with each other.
# shellcheck disable=SC2013,SC2016,SC2046,SC2086 # names have no spaces; backticks are Markdown's

bats_require_minimum_version 1.5.0

documents() { ls ./*.md docs/*.md models/*/README.md scripts/*/README.md tests/*/README.md 2>/dev/null; }

# Prints a Markdown file without its code blocks.
without_code() { sed '/^ *```/,/^ *```/d' "$1"; }

# Prints the anchors of a document's headings as GitHub derives them.
anchors() {
    without_code "$1" | sed -nE 's/^#+ +//p' | sed -E 's/\[([^]]*)\]\([^)]*\)/\1/g' |
        tr '[:upper:]' '[:lower:]' | sed 's/[^[:alnum:] _-]//g; s/ /-/g'
}

@test "every file that a document names exists" {
    local name missing=
    for name in $(grep -ohE '`[a-zA-Z_.-]+/[a-zA-Z0-9_./-]*`' $(documents) | tr -d '`' | sort -u); do
        [ -e "$name" ] || [[ $name =~ NAME|PID|^pads|^share|^(\./|FILE/|models/|build/|model/$|refs/|work/) ]] || missing+="$name "
    done
    [ -z "$missing" ] || { echo "not there: $missing" && false; }
}

@test "every link and anchor of a document resolves" {
    local document link file missing='' checked=0
    for document in $(documents); do
        for link in $(without_code "$document" | grep -oE '\]\([^) ]+\)' | sed 's/^](//; s/)$//'); do
            [[ $link != http* ]] || continue
            file=$document checked=$((checked + 1))
            [[ $link == '#'* ]] || file=$(dirname "$document")/${link%%#*}
            if [ ! -e "$file" ]; then
                [[ $link == *models/* && ! -d models ]] || missing+="$document: $link "
            elif [[ $link == *'#'* ]]; then
                anchors "$file" | grep -qxF -- "${link#*#}" || missing+="$document: $link "
            fi
        done
    done
    [ -z "$missing" ] || { echo "broken: $missing" && false; }
    [ "$checked" -ge 50 ]
}

@test "no line of prose in a document is longer than 100 columns" {
    local document long=
    for document in $(documents); do
        long+=$(without_code "$document" | grep -vE '^(\||    |!\[)' | grep -E '^.{101,}' | sed "s|^|$document: |" || true)
    done
    [ -z "$long" ] || { echo "$long" && false; }
}

# docs/architecture.md is exempt: the cells of its tables describe steps in several sentences.
@test "a cell of a table in a document is at most one sentence" {
    run -1 grep -nE '^\|.*[a-z)`]\. +[A-Z`]' $(documents | grep -v architecture)
}

@test "CHANGELOG.md begins with the version in dragoman.h, or with changes after it" {
    local version
    version=$(sed -n 's/.*DRAGOMAN_VERSION "\(.*\)".*/\1/p' translator/dragoman.h)
    run -0 grep '^## ' CHANGELOG.md
    [[ ${lines[0]} != '## Unreleased' ]] || lines=("${lines[@]:1}")
    [[ ${lines[0]} =~ ^"## $version, "[0-9]{4}-[0-9]{2}-[0-9]{2}$ ]]
}

@test "the READMEs fit on two screens" {
    [ "$(wc -l <README.md)" -le 100 ]
    [ "$(wc -l <README.zh-CN.md)" -le 100 ]
}

@test "README.md shows make demo and make test" {
    local goal
    for goal in demo test; do grep -q "^make $goal " README.md; done
}

# Prints commands without comments, words in backticks, numbers, and link targets.
facts() {
    sed -n '/^```sh/,/^```/p' "$1" | sed -E 's/ +# .*//'
    without_code "$1" | grep -oE '`[^`]+`' | sort
    without_code "$1" | sed 's/\[[^]]*\]([^)]*)//g' | grep -oE '[0-9]+(\.[0-9]+)*' | sort
    grep -oE '\]\([^)]+\)' "$1" | grep -v README | sort
}

@test "README.md and README.zh-CN.md have the same commands, figures and links" {
    diff <(facts README.md) <(facts README.zh-CN.md)
    [ "$(facts README.md | wc -l)" -ge 100 ]
}

@test "every function in docs/architecture.md is defined in the file named with it" {
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

# Names and code are looked up in the files named before them since the last heading in bold or code block.
@test "every function and line of code in docs/tutorial-models.md is in the file named with it" {
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
    done < <(sed -n '/^## Where each part is computed/,$p' docs/tutorial-models.md)
    [ -z "$missing" ] || { echo "not there: $missing" && false; }
    [ "$checked" -ge 15 ]
}

@test "--help lists every long option in the documents" {
    local option
    run -0 bash -c 'for command in "" info pack shortlist explain; do "${DRAGOMAN:-./dragoman}" $command --help; done'
    for option in $(grep -ohE '`(dragoman )?--[a-z-]+' ./*.md docs/*.md | grep -oE '\-\-[a-z-]+' | sort -u); do
        [[ $output == *"$option"* ]] || { echo "$option is not in --help" && false; }
    done
}
