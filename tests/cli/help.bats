#!/usr/bin/env bats
# --help, --version, the man page.
#
# The commands for the terminal are expanded there.
# shellcheck disable=SC2016

load helper
load terminal

# The long options that a help text describes.
options_in() {
    grep -oE '^  (-., |    )--[a-z0-9-]+' | grep -oE -e '--[a-z0-9-]+'
}

@test "--version prints the number, the build, the CPU level and the libraries" {
    translate --version
    expect_status 0
    expect_err
    [[ $(head -n 1 out) == "dragoman $(sed -n 's/.*DRAGOMAN_VERSION "\(.*\)".*/\1/p' "$ROOT/translator/dragoman.h")" ]]
    [[ $(sed -n 's/:.*//p' out) == $'build\nCPU level\nlibraries\nlibraries at build time' ]]
    grep -Ex 'build: (gcc|clang) [0-9.]+, [a-z0-9_]+-[a-z0-9_-]+' out
    for library in zlib zstd libyaml cJSON ICU SentencePiece OpenBLAS; do grep -E "^libraries.* $library [0-9]+\.[0-9]" out; done
    run ! grep / out # no path
}

@test "--version says which CPU level is in use" {
    highest=$(env -u DRAGOMAN_CPU "$DRAGOMAN" --version | sed -n 's/^CPU level: //p')
    [[ $highest =~ ^[a-z0-9]+$ ]]
    [[ $highest != scalar ]] || skip "this CPU has no other level"
    DRAGOMAN_CPU=Scalar translate --version
    expect_status 0
    expect_err
    grep -Fx "CPU level: scalar, limited by DRAGOMAN_CPU; this CPU has $highest" out
}

@test "--help fits 80 columns and names every option" {
    translate --help
    expect_status 0
    expect_err
    awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' out
    run ! grep -q ' $' out
    for option in model to from beam greedy n-best length-penalty min-length max-length prefix pieces \
        repetition-penalty no-repeat-ngram threads batch-rows precision output format quiet verbose version help; do
        grep -q -e "--$option\b" out
    done
    run ! grep -qE '^ +--(help-man|verify|int8)' out
    dragoman help | cmp - out
}

@test "-h fits a terminal of 80 columns and 24 lines, and its ten options and five examples are right" {
    translate -h
    expect_status 0
    expect_err
    [[ $(wc -l <out) -le 23 ]] # one more line is the prompt of the shell
    awk 'length($0) > 79 { print; bad = 1 } END { exit bad }' out
    sed -n '/^Examples/,$p' out | sed -n 's/^  \(dragoman .*[^ ]\)   *[a-z].*/\1/p' >examples
    [[ $(options_in <out | wc -l) == 10 && $(wc -l <examples) == 5 ]]
    dragoman --help >help
    while IFS= read -r option; do grep -qE -- "^  (-., |    )$option( |$)" help; done < <(options_in <out)
    grep -oE '^  -., --[a-z-]+ [A-Z]+' out | while IFS= read -r option; do grep -qF -- "$option" help; done
    echo Hallo. >mail.txt
    mkdir english
    echo Hello. | tee report.docx >english/a.txt
    DRAGOMAN_MODEL='' dragoman models | grep -q '^en-de ' || skip "the embedded models are not here"
    while IFS= read -r example; do
        [[ $example == *docx* || $example == *" get "* ]] || DRAGOMAN_MODEL='' timeout "$LIMIT" "$BASH" -c "${example/dragoman/\"\$DRAGOMAN\"}" >translated
    done <examples
    [[ -s german/a.txt ]]
    dragoman info -h | cmp - <(dragoman info --help)
}

# in_columns N COMMAND: what the command shows in a terminal of this width, without a pager.
in_columns() {
    in_terminal "stty cols $1; PAGER= $2"
    tr -d '\r' <screen
}

@test "--help has the width of the terminal" {
    for columns in 40 60 100; do
        in_columns $columns '"$DRAGOMAN" --help' | sed '/^Usage/,/^$/d; /^Examples/,/^$/d' >shown
        [[ $(awk '{ if (length($0) > n) n = length($0) } END { print n }' shown) -lt $columns ]]
    done
    in_columns 300 '"$DRAGOMAN" --help' >shown
    [[ $(awk '{ if (length($0) > n) n = length($0) } END { print n }' shown) -lt 120 ]]
    in_columns 300 '"$DRAGOMAN" -h' | cmp - <(dragoman -h)
}

@test "a pager shows --help and dragoman help, but only in a terminal" {
    export PAGER=false DRAGOMAN_PAGER='sed s/^/paged:/'
    for command in --help "help names" help "info --help"; do
        in_terminal "\"\$DRAGOMAN\" $command"
        expect_screen paged:
        run ! grep -v '^paged:' screen
        # shellcheck disable=SC2086 # words
        dragoman $command >out
        [[ -s out ]]
        run ! grep paged: out
    done
    for command in -h --version "completion bash"; do
        in_terminal "\"\$DRAGOMAN\" $command"
        run ! grep paged: screen
    done
    unset DRAGOMAN_PAGER
    PAGER='sed s/^/other:/' in_terminal '"$DRAGOMAN" --help'
    expect_screen other:
}

@test "--help is shown if there is no pager, or the terminal cannot use one" {
    in_terminal 'stty rows 60; "$DRAGOMAN" help names' # less -F ends at once
    expect_screen "dragoman models"
    for settings in PAGER= PAGER=cat DRAGOMAN_PAGER= PAGER=no-such-program "PATH=/no/such/folder" PAGER=/dev/null "TERM=dumb PAGER=false" \
        "TERM= PAGER=false"; do
        in_terminal "$settings \"\$DRAGOMAN\" --help; echo \"status \$?\""
        expect_screen "Exit status: 0 on success"
        expect_screen $'status 0\r\n'
        [[ $settings == PAGER=no* ]] || run ! grep "not found" screen
    done
}

@test "--help lists the commands, and each command has a help with its own options" {
    dragoman --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p' >commands
    [[ $(cat commands) == $'info\nmodels\npack\nshortlist\nscore\nalign\ncalibrate\nexplain\nget\nhelp\ncompletion' ]]
    while IFS= read -r command; do
        translate "$command" --help missing
        expect_status 0
        expect_err
        [[ $(head -n 1 out) == "Usage: dragoman $command"* ]]
        awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' out
        dragoman help "$command" | cmp - out
        run ! grep -e --resume out
    done <commands
    diff <(dragoman pack --help | options_in) <(printf -- '--%s\n' model calibration prompt precision f32 bf16 int8 output no-config no-sandbox quiet help)
    diff <(dragoman help --help | options_in) <(echo --help)
}

@test "help explains each topic in 10 to 48 lines of at most 80 columns" {
    dragoman --help >program
    for topic in languages formats documents csv glossary memory beam model-files names exit-codes; do
        translate --help $topic
        mv out long
        translate help $topic
        cmp out long
        dragoman -h | grep -qw -- "$topic"
        expect_status 0
        expect_err
        [[ $(wc -l <out) -ge 10 && $(wc -l <out) -le 48 ]]
        expand out | awk 'length($0) > 80 { print; bad = 1 } END { exit bad }'
        grep -q "^  $topic " program
    done
    dragoman help exit-codes >out
    dragoman help exit codes | cmp - out
    dragoman help exit | cmp - out
    dragoman help lang | cmp - <(dragoman help languages)
    dragoman help Languages | cmp - <(dragoman help languages)
}

@test "help formats names every key of JSON, and the other topics have commands that can be pasted" {
    local key topic
    while IFS= read -r key; do
        dragoman help formats | grep -q "\b$key\b"
    done < <(grep -oE '\\"[a-z_]+\\":' "$ROOT/cli/output/format.c" | tr -d '\\":' | sort -u)
    need_default_model
    unset DRAGOMAN_MODEL
    echo "Good morning." | tee book.txt >website.txt
    for topic in glossary memory csv beam; do
        dragoman help $topic | sed -n 's/^  \(\(dragoman\|printf\) .*\)/\1/p' | grep -v -e company.tmx -e '  ' >commands
        [[ -s commands ]]
        LIMIT=$LIMIT bash -eo pipefail -c "$(declare -f dragoman); $(<commands)" >translated
        [[ -s translated || -s book.de.txt ]]
    done
}

@test "help knows every format, and the languages that it shows are accepted" {
    for format in text tsv jsonl marian; do dragoman help formats | grep -q "^$format\b"; done
    echo "Where is the station?" | DRAGOMAN_MODEL='' dragoman --format marian -b 1 >out 2>err ||
        skip "the embedded model is not here"
    [[ $(wc -l <out) == 1 ]]
    dragoman -m "$GOLDEN_ROOT/marian/mish-languages" --to deu <<<One. >one
    for language in de ger deu_Latn de_DE de_DE.UTF-8 German Deutsch '>>deu<<' __de__ '<2de>'; do
        dragoman -m "$GOLDEN_ROOT/marian/mish-languages" --to "$language" <<<One. | cmp - one
    done
}

@test "help and docs/documents.md name the formats with the endings that choose them" {
    dragoman help documents | grep -oE '\b[a-z]+  +(\.[a-z]+ ?)+' | sed 's/  */ /g; s/ $//' | sort >in_help
    sed -n 's/^| `\([a-z]*\)` | \(`\.[^|]*\) |.*/\1 \2/p' "$ROOT/docs/documents.md" | tr -d '`' | sort | diff in_help -
    [[ $(wc -l <in_help) -ge 20 ]]
    while read -ra row; do
        for ending in "${row[@]:1}"; do
            echo '<TS' >"x$ending"
            printf '%s\t%s\n' "x$ending" "${row[0]}"
        done
    done <in_help >expected
    dragoman -O to --dry-run x* | cut -f 1,2 | sort | diff <(sort expected) -
}

@test "help, --version and completion need no model and read no input" {
    mkfifo silent
    exec 7<>silent
    for option in --help --version --help-man; do
        DRAGOMAN_MODEL=/no/such/model translate "$option" missing <silent
        expect_status 0
        expect_err
        [[ -s out ]]
    done
    for command in help "help names" "models --help" "help info" "completion bash" "complete models"; do
        # shellcheck disable=SC2086
        DRAGOMAN_MODEL=/no/such/model DRAGOMAN_CPU=wrong translate $command <silent
        expect_status 0
        expect_err
    done
    exec 7>&-
}

@test "the man page has all sections and all options of the help" {
    dragoman --help-man >dragoman.1
    for section in NAME SYNOPSIS DESCRIPTION COMMANDS OPTIONS MODELS LANGUAGES "OUTPUT FORMATS" ENVIRONMENT "EXIT STATUS" \
        EXAMPLES; do
        grep -qx ".SH $section" dragoman.1
    done
    for command in info models pack shortlist score align calibrate explain help completion; do grep -qx ".SS dragoman $command" dragoman.1; done
    for command in '' info models pack shortlist score align calibrate explain; do dragoman $command --help; done | options_in | sed 's/-/\\-/g' | sort -u >options
    [[ $(wc -l <options) -gt 40 ]]
    grep -oFf options dragoman.1 | sort -u | diff options -
}

@test "the man page is valid roff" {
    dragoman --help-man >dragoman.1
    if command -v mandoc >/dev/null; then
        run ! grep -v 'missing date' <(mandoc -Tlint -Wwarning dragoman.1)
    elif command -v groff >/dev/null; then
        [[ -z $(groff -ww -man -Tascii dragoman.1 2>&1 >/dev/null) ]]
    else
        skip "neither mandoc nor groff is here"
    fi
}
