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

# Prints the links that do not resolve, and how many there are in all.
broken_links() {
    local document link file checked=0
    local -A known=() # the anchors of each document, one a line
    trap - DEBUG # bats traces each command, which is slow
    for document in $(documents); do
        for link in $(without_code "$document" | grep -oE '\]\([^) ]+\)' | sed 's/^](//; s/)$//'); do
            [[ $link != http* ]] || continue
            file=$document checked=$((checked + 1))
            [[ $link == '#'* ]] || file=${document%/*}/${link%%#*}
            if [ ! -e "$file" ]; then
                [[ $link == *models/* && ! -d models ]] || echo "broken: $document: $link "
            elif [[ $link == *'#'* ]]; then
                [[ -n ${known[$file]-} ]] || known[$file]=$'\n'$(anchors "$file")$'\n'
                [[ ${known[$file]} == *$'\n'"${link#*#}"$'\n'* ]] || echo "broken: $document: $link "
            fi
        done
    done
    echo "checked: $checked"
}

@test "every link and anchor of a document resolves" {
    run -0 broken_links
    [[ ${#lines[@]} == 1 && ${output#checked: } -ge 50 ]] || { echo "$output" && false; }
}

@test "no line of prose in a document is longer than 100 columns" {
    local long
    long=$(awk 'FNR == 1 { code = 0 }
        /^ *```/ { code = !code; next }
        !code && !/^(\||    |!\[)/ { print FILENAME "\t" $0 }' $(documents) | grep -E $'^[^\t]+\t.{101,}' || true)
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

# Prints commands without comments, words in backticks, numbers, and link targets; the Chinese README names pages in Chinese.
facts() {
    sed -n '/^```sh/,/^```/p' "$1" | sed -E 's/ +# .*//; s/ --lang zh//'
    without_code "$1" | grep -oE '`[^`]+`' | sort
    without_code "$1" | sed 's/\[[^]]*\]([^)]*)//g' | grep -oE '[0-9]+(\.[0-9]+)*' | sort
    grep -oE '\]\([^)]+\)' "$1" | grep -v README | sed 's/\.zh-CN//' | sort
}

@test "README.md and README.zh-CN.md have the same commands, figures and links" {
    diff <(facts README.md) <(facts README.zh-CN.md)
    [ "$(facts README.md | wc -l)" -ge 100 ]
}

# Prints the code blocks and the words in backticks of a document.
code() {
    sed -n '/^```/,/^```/p' "$1" | sed 's/ --lang zh//'
    without_code "$1" | grep -oE '`[^`]+`' | sed 's/ --lang zh//' | sort
}

@test "docs/tutorial-models.zh-CN.md has the code and the names of docs/tutorial-models.md" {
    diff <(code docs/tutorial-models.md) <(code docs/tutorial-models.zh-CN.md)
    [ "$(code docs/tutorial-models.md | wc -l)" -ge 100 ]
}

# check_functions DOCUMENT PROGRAM: runs the awk program on the document, after the files that it names. The program has
# defined[FILE, FUNCTION] (a line that begins with a letter has the name), contains(FILE, PART) and words(). It counts
# what it checks, and what is missing. Bash would be slow here, because bats traces each of its commands.
check_functions() {
    local files
    files=$(grep -ohE '`[a-z]+(/[a-z0-9_]+)+\.(c|cc|h)`' "$1" | tr -d '`' | sort -u)
    awk -v document="$1" '
        # Puts what matches the pattern, without the backticks around it, into list[1], list[2] ..., and returns the count.
        function words(line, pattern, list, n) {
            for (n = 0; match(line, pattern); line = substr(line, RSTART + RLENGTH))
                list[++n] = substr(line, RSTART + 1, RLENGTH - 2)
            return n
        }
        function missed(what) { print "not there: " what; missing++ }
        FILENAME != document {
            for (line = /^[A-Za-z]/ ? $0 : ""; match(line, /[ *][a-z0-9_]+\(/); line = substr(line, RSTART + RLENGTH - 1))
                defined[FILENAME, substr(line, RSTART + 1, RLENGTH - 2)] = 1
            lines[FILENAME, FNR] = $0
            next
        }
        function contains(file, part, n) {
            for (n = 1; (file, n) in lines; n++)
                if (index(lines[file, n], part)) return 1
            return 0
        }
        '"$2"'
        END { exit missing || checked < 15 }' $files "$1"
}

@test "every function in docs/architecture.md is defined in the file named with it" {
    check_functions docs/architecture.md '/\(\)`/ {
        files = words($0, "`[a-z]+(/[a-z0-9_]+)+\\.(c|cc)`", file)
        names = words($0, "`[a-z0-9_]+\\(\\)`", name)
        for (i = 1; i <= names; i++) {
            sub(/\(\)/, "", name[i])
            for (k = 1; k <= files && !((file[k], name[i]) in defined); k++);
            if (k > files) missed(name[i])
            checked++
        }
    }'
}

# Names and code are looked up in the files named before them since the last heading in bold or code block.
@test "every function and line of code in docs/tutorial-models.md is in the file named with it" {
    check_functions docs/tutorial-models.md '
        /^## / { inside = /^## Where each part is computed/ || inside }
        !inside { next }
        /^```c$/ { in_code = 1; next }
        /^```/ { after_code = in_code; in_code = 0; next }
        /^\*\*/ { files = 0 }
        in_code {
            sub(/^[ \t]+/, "")
            for (k = 1; k <= files && !contains(file[k], $0); k++);
            if (k > files) missed($0)
            checked++
            next
        }
        {
            n = words($0, "`[a-z]+(/[a-z0-9_]+)+\\.(c|cc|h)`", more)
            for (i = 1; i <= n; i++) {
                if (after_code) files = 0
                after_code = 0
                file[++files] = more[i]
            }
            n = words($0, "`[a-z0-9_]+\\(\\)`", name)
            for (i = 1; i <= n && files; i++) {
                sub(/\(\)/, "", name[i])
                for (k = 1; k <= files && !((file[k], name[i]) in defined); k++);
                if (k > files) missed(name[i])
            }
        }'
}

@test "--help lists every long option in the documents" {
    local option
    [[ -x ${DRAGOMAN:-./dragoman}-server ]] || skip "there is no dragoman-server"
    run -0 bash -c 'for command in " " " info" " pack" " shortlist" " explain" " get" "-server"; do ${DRAGOMAN:-./dragoman}$command --help; done'
    for option in $(grep -ohE '`(dragoman )?--[a-z-]+' ./*.md docs/*.md | grep -oE '\-\-[a-z-]+' | sort -u); do
        [[ $output == *"$option"* ]] || { echo "$option is not in --help" && false; }
    done
}
