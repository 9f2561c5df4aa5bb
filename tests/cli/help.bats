#!/usr/bin/env bats
# --help, --version, the man page.

load helper

@test "--version prints name and number" {
    translate --version
    expect_status 0
    expect_err
    [[ $(cat out) == "dragoman 0.1.0" ]]
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
    run ! grep -q help-man out
    dragoman -h | cmp - out
}

@test "--help and --version need no model and read no input" {
    mkfifo silent
    exec 7<>silent
    for option in --help --version --help-man; do
        DRAGOMAN_MODEL=/no/such/model translate "$option" missing <silent
        expect_status 0
        expect_err
        [[ -s out ]]
    done
    exec 7>&-
}

@test "the man page has all sections and all options of the help" {
    dragoman --help-man >dragoman.1
    for section in NAME SYNOPSIS DESCRIPTION OPTIONS ENVIRONMENT "EXIT STATUS" EXAMPLES; do
        grep -qx ".SH $section" dragoman.1
    done
    dragoman --help | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -e '--[a-z-]+' | sed 's/-/\\-/g' >options
    [[ $(wc -l <options) == 47 ]]
    while IFS= read -r option; do grep -qF -- "$option" dragoman.1; done <options
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
